"""What `--json` prints."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, timezone

from reverie.interfaces.cli.jsonify import render_json, render_json_line, to_json
from reverie.model.change import MANUAL, Action, LogLine, Receipt
from reverie.model.ids import Store

MOMENT = datetime(2026, 2, 2, 14, 30, tzinfo=timezone(timedelta(hours=2)))


def test_a_receipt_is_its_fields_in_their_order() -> None:
    line = LogLine(Action.EDIT, "MEMORY.md", "why")
    receipt = Receipt("abc", MOMENT.astimezone(UTC), (line,), MANUAL, ("core:a/b",))

    assert list(to_json(receipt).items()) == [  # type: ignore[union-attr]  # a record
        ("commit", "abc"),
        ("at", "2026-02-02T12:30:00Z"),
        (
            "lines",
            [{"action": "EDIT", "path": "MEMORY.md", "summary": "why"}],
        ),
        ("actor", "manual"),
        ("ids", ["core:a/b"]),
    ]


def test_times_are_in_utc_and_days_are_days() -> None:
    assert to_json(MOMENT) == "2026-02-02T12:30:00Z"
    assert to_json(date(2026, 2, 2)) == "2026-02-02"


def test_values_inside_values_are_told_too() -> None:
    @dataclass(frozen=True)
    class Odd:
        inner: dict[Store, tuple[object, ...]]

    odd = Odd({Store.CORE: (1, 0.5, True, None, "x")})

    assert to_json(odd) == {"inner": {"core": [1, 0.5, True, None, "x"]}}


def test_the_text_is_for_people_and_the_line_for_programs() -> None:
    assert render_json({"a": "é"}) == '{\n  "a": "é"\n}'
    assert render_json({"a": "é"}, ascii_only=True) == '{\n  "a": "\\u00e9"\n}'
    assert render_json_line({"a": "é"}) == '{"a": "\\u00e9"}'
