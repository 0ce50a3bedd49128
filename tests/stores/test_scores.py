"""The score file: written and read back, and read when it is broken."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import built

from reverie.config import Config
from reverie.decay import Trace
from reverie.model.ids import Store
from reverie.stores.scores import ScoreFile, parse_scores, render_scores

PATH = "memory/meta/decay-scores.json"
NOW = datetime(2026, 2, 2, 16, 0, tzinfo=UTC)
DECAY = Config().decay

DESIGN = """{
  "version": 1,
  "last_updated": "2026-02-02T16:00:00Z",
  "last_reflection": "2026-02-01T03:00:00Z",
  "entries": {
    "episode:2026-02-02:14:30": {
      "store": "episodic",
      "base_relevance": 1.0,
      "created": "2026-02-02T14:30:00Z",
      "last_accessed": "2026-02-02T16:00:00Z",
      "access_count": 2,
      "type_weight": 0.8,
      "current_score": 0.92,
      "status": "active",
      "pinned": false
    },
    "entity:concept--oauth2-pkce": {
      "store": "semantic",
      "base_relevance": 0.7,
      "created": "2026-01-20T10:00:00Z",
      "last_accessed": "2026-01-20T10:00:00Z",
      "access_count": 1,
      "type_weight": 1.2,
      "current_score": 0.52,
      "status": "active",
      "pinned": false
    }
  }
}
"""
EPISODE = Trace(
    store=Store.EPISODIC,
    base=1.0,
    created=datetime(2026, 2, 2, 14, 30, tzinfo=UTC),
    last_accessed=NOW,
    accesses=2,
)
ENTITY = Trace(
    store=Store.SEMANTIC,
    base=0.7,
    created=datetime(2026, 1, 20, 10, 0, tzinfo=UTC),
    last_accessed=datetime(2026, 1, 20, 10, 0, tzinfo=UTC),
)

moments = st.datetimes(
    datetime(1971, 1, 1),  # noqa: DTZ001 - Hypothesis wants its limits naive
    datetime(2199, 1, 1),  # noqa: DTZ001 - likewise
    timezones=st.just(UTC),
)
traces = built(
    Trace,
    store=st.sampled_from(Store),
    base=st.floats(0, 1),
    created=moments,
    last_accessed=moments,
    accesses=st.integers(1, 10**12),
    pinned=st.booleans(),
    archived=st.booleans(),
)
names = st.text(min_size=1, max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner) | st.dictionaries(names, inner),
    max_leaves=6,
)
foreign = st.dictionaries(
    names.map(lambda name: f"x{name}"), values, min_size=1, max_size=3
)


@st.composite
def score_files(draw: st.DrawFn) -> ScoreFile:
    entries = draw(st.dictionaries(names, traces, max_size=4))
    chosen = draw(st.sets(st.sampled_from(sorted(entries)))) if entries else set()
    return ScoreFile(entries, draw(foreign), {name: draw(foreign) for name in chosen})


@given(score_files(), moments)
def test_a_score_file_survives_being_written_and_read_back(
    score_file: ScoreFile, now: datetime
) -> None:
    text = render_scores(score_file, now, DECAY)

    assert parse_scores(text, PATH) == score_file
    assert text.encode("utf-8").endswith(b"}\n")


@given(score_files())
def test_writing_twice_gives_the_same_bytes(score_file: ScoreFile) -> None:
    text = render_scores(score_file, NOW, DECAY)

    assert render_scores(parse_scores(text, PATH), NOW, DECAY) == text


def test_the_example_of_the_design_reads_as_what_it_says() -> None:
    assert parse_scores(DESIGN, PATH) == ScoreFile(
        entries={
            "episode:2026-02-02:14:30": EPISODE,
            "entity:concept--oauth2-pkce": ENTITY,
        },
        other={"last_reflection": "2026-02-01T03:00:00Z"},
    )


def test_an_entry_is_written_with_the_fields_of_the_design() -> None:
    text = render_scores(ScoreFile({"entity:tool--git": ENTITY}), NOW, DECAY)

    assert json.loads(text) == {
        "version": 1,
        "last_updated": "2026-02-02T16:00:00Z",
        "entries": {
            "entity:tool--git": {
                "store": "semantic",
                "base_relevance": 0.7,
                "created": "2026-01-20T10:00:00Z",
                "last_accessed": "2026-01-20T10:00:00Z",
                "access_count": 1,
                "type_weight": 1.2,
                "current_score": 0.5645,
                "status": "active",
                "pinned": False,
            }
        },
    }


def test_what_was_forgotten_has_a_status_of_its_own() -> None:
    forgotten = Trace(Store.CORE, 1.0, NOW, NOW, archived=True)

    text = render_scores(ScoreFile({"core:identity/name": forgotten}), NOW, DECAY)

    entry = json.loads(text)["entries"]["core:identity/name"]
    assert (entry["current_score"], entry["status"]) == (0.0, "_archived")
    assert parse_scores(text, PATH).entries["core:identity/name"].archived


def test_a_faded_memory_is_archived_without_being_forgotten() -> None:
    old = Trace(Store.EPISODIC, 0.5, NOW, NOW)

    text = render_scores(ScoreFile({"a": old}), NOW + timedelta(days=400), DECAY)

    assert json.loads(text)["entries"]["a"]["status"] == "archived"
    assert not parse_scores(text, PATH).entries["a"].archived


def test_that_status_in_a_hand_kept_file_means_forgotten() -> None:
    text = DESIGN.replace('"status": "active"', '"status": "_archived"', 1)

    assert parse_scores(text, PATH).entries["episode:2026-02-02:14:30"].archived


def test_an_access_count_of_zero_counts_as_the_first_access() -> None:
    text = DESIGN.replace('"access_count": 2', '"access_count": 0')

    assert parse_scores(text, PATH).entries["episode:2026-02-02:14:30"].accesses == 1


def test_times_of_another_zone_are_kept_in_utc() -> None:
    zone = timezone(timedelta(hours=-8))
    trace = Trace(Store.CORE, 1.0, NOW.astimezone(zone), NOW.astimezone(zone))

    text = render_scores(ScoreFile({"a": trace}), NOW.astimezone(zone), DECAY)

    read = parse_scores(text, PATH).entries["a"]
    assert (read.created, read.created.tzinfo) == (NOW, UTC)
    assert text.count("2026-02-02T16:00:00Z") == 3


def test_a_bad_entry_is_a_finding_with_its_line_and_hides_no_other() -> None:
    for good, bad in [
        ('"store": "episodic"', '"store": "cellar"'),
        ('"store": "episodic"', '"store": ["core"]'),
        ('_relevance": 1.0', '_relevance": NaN'),
        ('_relevance": 1.0', '_relevance": 1.5'),
        ('_relevance": 1.0', '_relevance": true'),
        ("2026-02-02T14:30:00Z", "2026-02-02T14:30:00"),
        ("2026-02-02T14:30:00Z", "0001-01-01T00:00:00Z"),
        ('"2026-02-02T14:30:00Z"', "1770042600000"),
        ('"access_count": 2', '"access_count": -2'),
        ('"access_count": 2', '"access_count": 2.5'),
        ('"pinned": false', '"pinned": "no"'),
        ('"store": "episodic",', ""),
    ]:
        text = DESIGN.replace(good, bad, 1)

        read = parse_scores(text, PATH)

        assert read.entries == {"entity:concept--oauth2-pkce": ENTITY}
        (finding,) = read.findings
        assert (finding.path, finding.line) == (PATH, 6)
        assert finding.what.startswith("episode:2026-02-02:14:30: ")
        assert finding.mend
        assert not read.damaged


def test_an_entry_that_is_no_object_is_a_finding() -> None:
    (found,) = parse_scores('{"entries": {\n"caf\\u00e9": 3}}', PATH).findings

    assert str(found).startswith(f"{PATH}:2: caf\\xe9: Expected `object`")


def test_thousands_of_bad_entries_are_summed_up() -> None:
    text = json.dumps({"entries": {f"e{n}": 1 for n in range(3000)}})

    read = parse_scores(text, PATH)

    assert len(read.findings) == 101
    assert read.findings[-1].what == "2900 more entries cannot be read"


def test_a_text_that_is_no_score_file_is_damaged_and_says_so() -> None:
    for text, line, problem in [
        ("", 1, "not JSON"),
        ('{\n"version": 1,\n', 3, "not JSON"),
        ("[]", 1, "expected an object"),
        ('{"entries": []}', 1, "entries must be an object"),
        ('{"version": 2}', 1, "not version 1"),
        ("[" * 100_000, 0, "not JSON"),
    ]:
        read = parse_scores(text, PATH)

        assert read.damaged
        assert read.entries == {}
        (finding,) = read.findings
        assert finding.line == line
        assert problem in finding.what


def test_half_a_surrogate_pair_can_be_written_as_utf8() -> None:
    text = '{"note": "\\ud800", "entries": {}}'

    written = render_scores(parse_scores(text, PATH), NOW, DECAY)

    assert '"\\ud800"' in written
    assert written.encode("utf-8")


def test_each_memory_is_one_line_in_the_order_of_ids() -> None:
    entries = {f"entity:tool--{n}": ENTITY for n in (3, 1, 2)}

    lines = render_scores(ScoreFile(entries), NOW, DECAY).splitlines()

    memories = [line for line in lines if "entity:" in line]
    assert len(memories) == 3
    assert all(one < other for one, other in pairwise(memories))
