"""What has faded so far that it may be hidden."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from tests.reflection.rules.labels import Told, diary_of, knowledge_of, page, survey_of

from reverie.config import Config, ReflectionConfig
from reverie.model.reflection import Noticed, Operation, OperationKind
from reverie.reflection.rules import reflect_by_rules

WHEN = datetime(2026, 1, 1, 9, tzinfo=UTC)
ROOMY = Config(reflection=ReflectionConfig(most_lost=1.0))


def faded(id_: str, score: float, text: str = "", path: str = "") -> Noticed:
    """Something that fades."""
    return Noticed(id_, path, text, "Old lamp", at=WHEN, score=score)


def gone(
    *fading: Noticed, told: tuple[Told, ...] = (), config: Config = ROOMY
) -> list[Operation]:
    """What is proposed to go."""
    pages = {"tool--grafana": page("tool--grafana")}
    diary = diary_of(*told, pages=pages)
    survey = replace(survey_of(diary), fading=fading)
    known = replace(
        knowledge_of(diary, config), now=datetime(2026, 2, 2, 9, tzinfo=UTC)
    )
    found = reflect_by_rules(survey, known)
    return [one for one in found.operations if one.kind is OperationKind.ARCHIVE]


def test_what_has_faded_is_named_with_its_score_and_its_last_use() -> None:
    (one,) = gone(faded("episode:2026-01-01:09:00", 0.03))

    assert one.target == "episode:2026-01-01:09:00"
    assert one.content == "Old lamp (score: 0.03, last accessed 32 days ago)"
    assert one.reason == "its score is below 0.05"


def test_what_still_glimmers_stays() -> None:
    assert gone(faded("episode:2026-01-01:09:00", 0.05)) == []


def test_core_and_vault_never_go() -> None:
    assert gone(faded("core:identity/name", 0.0), faded("vault:passport", 0.0)) == []


def test_a_pinned_page_never_goes() -> None:
    text = page("concept--lamp").replace("Pinned: no", "Pinned: yes")
    path = "memory/graph/entities/concept--lamp.md"

    assert gone(faded("entity:concept--lamp", 0.0, text, path)) == []


def test_what_the_new_episodes_speak_of_stays() -> None:
    told = (Told(2, "09:00", "Grafana was slow."),)

    assert gone(faded("entity:tool--grafana", 0.01), told=told) == []


def test_what_is_new_stays() -> None:
    told = (Told(2, "09:00", "Nothing much."),)

    assert gone(faded("episode:2026-02-02:09:00", 0.01), told=told) == []


def test_only_a_share_goes_and_the_faintest_first() -> None:
    many = [faded(f"procedure:p{n}", 0.04 - n / 1000) for n in range(9)]
    config = Config(reflection=ReflectionConfig(most_lost=0.2))

    assert [one.target for one in gone(*many, config=config)] == [
        "procedure:p8",
        "procedure:p7",
    ]


def test_a_memory_without_a_title_is_named_by_its_first_line() -> None:
    bare = replace(faded("episode:2026-01-01:09:00", 0.01), title="", at=None)
    (one,) = gone(replace(bare, text="Bought a lamp.\nIt was red."))

    assert one.content.startswith("Bought a lamp. It was red. (score: 0.01")
    assert "nobody knows when" in one.content
