"""What people and models may write, made up by Hypothesis."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reverie.markdown import one_line, tidy
from reverie.model.ids import slug
from reverie.model.items import (
    Confidence,
    Entity,
    Episode,
    EpisodeKind,
    Fact,
    Link,
    Procedure,
    Source,
    VaultNote,
)

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

FEW = settings().max_examples // 8
"""So many examples where each of them takes long."""


def built(
    make: Callable[..., T],
    *args: st.SearchStrategy[Any],
    **kwargs: st.SearchStrategy[Any],
) -> st.SearchStrategy[T]:
    """Values made of drawn arguments; what is not given has its default."""
    both = st.tuples(st.tuples(*args), st.fixed_dictionaries(kwargs))
    return both.map(lambda drawn: make(*drawn[0], **drawn[1]))


NASTY = [
    "## 15:00 | fact | confidence:high | tags:[x]",
    "## Facts",
    "## Identity",
    "## Trigger",
    "##",
    "\\## x",
    "\\\\## x",
    "## lunch",
    "# 2026-02-02 — Episode Log",
    "# title",
    "---",
    "- x",
    "- 2026-02-02: x",
    "- Name: [User Name]",
    "Name: [x]",
    "[x]",
    "\\[x]",
    "[Fact 1 — high importance, pinned]",
    "[x, pinned]",
    "x, pinned\\]",
    "...",
    "1. x",
    "  - x",
    "  x",
    "\tx",
    "| a | b |",
    "a | b",
    "```",
    "```py",
    "~~~",
    "````",
    "\\```",
    "   ```",
    "~~gone~~",
    "~~",
    "\\~~x",
    "<!-- pinned -->",
    "x <!-- pinned -->",
    "<!--",
    "-->",
    "<\\!--",
    "<!-- Type: vault | Created: 2020-01-01 -->",
    "<!-- Pinned: yes -->",
    "x <!-- until: 2020-01-01 -->",
    "<<<<<<< HEAD",
    "=======",
    ">>>>>>> x",
    "[[person--alex]]",
    "🦊 emoji",
    "x\x0cy\u2028z\x85",
    "a\\",
    "",
    " ",
]

lines = st.sampled_from(NASTY) | st.text(max_size=20)
files = st.lists(
    st.tuples(lines, st.sampled_from(["\n", "\r\n", "\n\n", ""])), max_size=12
).map(lambda pairs: "".join(line + end for line, end in pairs))
"""Any file a person may leave behind."""

texts = st.lists(lines, min_size=1, max_size=6).map("\n".join).map(tidy)
"""What a memory may say: any text, without blanks at its edges."""
said = texts.filter(bool)
names = (lines.map(one_line)).filter(bool)
"""One line of any kind."""
slugs = st.text(max_size=12).map(slug)
words = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
days = st.dates(date(1000, 1, 1))
maybe_days = st.none() | days
sources = st.none() | st.sampled_from(Source)

minutes = st.datetimes(datetime(1000, 1, 1)).map(  # noqa: DTZ001  Hypothesis wants it so
    lambda at: at.replace(second=0, microsecond=0, tzinfo=UTC)
)
offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)
abroad = st.builds(
    lambda at, zone: at.replace(second=0, microsecond=0, tzinfo=zone),
    st.datetimes(datetime(1971, 1, 1), datetime(2199, 12, 30)),  # noqa: DTZ001  likewise
    offsets,
)
"""A minute on a clock anywhere, and how far that clock is from UTC."""

episodes = built(
    Episode,
    at=minutes | abroad,
    kind=st.sampled_from(EpisodeKind),
    confidence=st.sampled_from(Confidence),
    text=texts,
    tags=st.lists(names, max_size=3).map(tuple),
    source=sources,
    more=st.lists(st.tuples(words.map("x-{}".format), names), max_size=2).map(tuple),
)
facts = built(
    Fact,
    text=said,
    since=maybe_days,
    source=st.just("") | names,
    until=maybe_days,
    superseded_by=st.sampled_from(["", "3a9c1e07"]),
    supersedes=st.sampled_from(["", "7b4b7671"]),
    said=maybe_days,
    on=maybe_days,
    basis=st.just("") | names,
    confidence=st.sampled_from(Confidence),
).map(lambda f: replace(f, said=None if f.said == f.since else f.said)) | built(
    Fact, text=said, since=maybe_days, withdrawn=st.just(value=True)
)
links = built(
    Link,
    label=words.map(str.title),
    targets=st.lists(
        st.tuples(words, slugs).map("--".join), min_size=1, max_size=3, unique=True
    ).map(tuple),
    since=maybe_days,
    facts=st.lists(st.sampled_from(["3a9c1e", "07aa01"]), unique=True).map(tuple),
    confidence=st.sampled_from(Confidence),
)
entities = built(
    Entity,
    type=words,
    slug=slugs,
    label=names,
    summary=texts,
    facts=st.lists(facts, max_size=3).map(tuple),
    timeline=st.lists(st.tuples(days, said), max_size=3).map(tuple),
    questions=st.lists(said, max_size=3).map(tuple),
    links=st.lists(links, max_size=3).map(tuple),
    aliases=st.lists(names, max_size=3).map(tuple),
    created=maybe_days,
    updated=maybe_days,
    pinned=st.booleans(),
    source=sources,
)
procedures = built(
    Procedure,
    slug=slugs,
    trigger=texts,
    steps=st.lists(said, max_size=12).map(tuple),
    notes=st.lists(said, max_size=3).map(tuple),
    learned_from=st.lists(said, max_size=3).map(tuple),
    learned=maybe_days,
    last_used=maybe_days,
    pinned=st.booleans(),
    source=sources,
)
notes = built(
    VaultNote, slug=slugs, title=names, text=texts, created=maybe_days, source=sources
)
