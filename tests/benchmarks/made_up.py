"""Small invented data in the form of the public files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

LOCOMO: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_10_date_time": "9:05 am on 2 June, 2024",
        "session_10": [
            {"speaker": "Ann", "dia_id": "D10:1", "text": "The kite flew at last."}
        ],
        "session_2_date_time": "1:56 pm on 8 May, 2024",
        "session_2": [
            {"speaker": "Bob", "dia_id": "D2:1", "text": "I built a kite."},
            {
                "speaker": "Ann",
                "dia_id": "D2:2",
                "text": "Look!",
                "blip_caption": "a photo of a ladder",
            },
        ],
        "session_3_date_time": "7:00 pm on 9 May, 2024",
    },
    "qa": [
        {"question": "Who built a kite?", "evidence": ["D2:1"], "category": 4},
        {
            "question": "Kite and ladder?",
            "evidence": ["D:2:1; D2:02", "D99:9"],
            "category": 1,
        },
        {"question": "Never said?", "evidence": ["D2:1"], "category": 5},
        {"question": "No evidence?", "evidence": [], "category": 3},
    ],
}


def write_locomo(data: Path, samples: list[dict[str, Any]]) -> None:
    write(data / "locomo/locomo10.json", samples)


def haystack(name: str, *, kind: str, gold: list[str]) -> dict[str, Any]:
    """Three sessions, not in the order of time, one of them twice."""
    ids = ["s2", "s1", "s3", "s1"]
    days = [2, 1, 3, 4]
    return {
        "question_id": name,
        "question_type": kind,
        "question": "What did I say?",
        "question_date": "2024/02/01 (Thu) 08:00",
        "answer": "something",
        "answer_session_ids": gold,
        "haystack_session_ids": ids,
        "haystack_dates": [f"2024/01/0{day} (Mon) 10:00" for day in days],
        "haystack_sessions": [
            [
                {"role": "user", "content": f"user {session}", "has_answer": True}
                if session in gold
                else {"role": "user", "content": f"user {session}"},
                {"role": "assistant", "content": f"assistant {session}"},
            ]
            for session in ids
        ],
    }


def write_longmemeval(
    data: Path, instances: list[dict[str, Any]], name: str = "longmemeval_s.json"
) -> None:
    write(data / "longmemeval" / name, instances)


def chat(messages: int) -> list[dict[str, Any]]:
    """Batches of two messages; only the first message of a batch has a date."""
    return [
        {
            "batch_number": start // 2 + 1,
            "turns": [
                [
                    {
                        "role": "user",
                        "id": start,
                        "time_anchor": f"March-{start + 10}-2024",
                        "content": f"message {start} ->-> 1,1",
                    },
                    {"role": "assistant", "id": start + 1, "content": "All right."},
                ]
            ],
        }
        for start in range(0, messages, 2)
    ]


def write_beam(
    data: Path, batches: list[dict[str, Any]], asked: dict[str, Any], number: int = 1
) -> None:
    folder = data / f"beam/chats/100K/{number}"
    write(folder / "chat.json", batches)
    write(folder / "probing_questions/probing_questions.json", asked)


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
