"""Templates, and what they tell moments, texts and diffs with.

Whatever a memory says is data: it is escaped, its Markdown has no raw HTML, no pictures
and no links that do anything but lead somewhere, and characters that nobody sees are
spelled out.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter, deque
from contextlib import suppress
from datetime import UTC, date, datetime
from html import unescape
from itertools import accumulate, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from jinja2 import DictLoader, Environment, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from reverie.model.change import Approval
from reverie.printable import printable
from reverie.recall.context_block import quote_others

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from markdown_it.renderer import RendererHTML

    from reverie import LogEntry

_HERE = Path(__file__).parent
_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
STATIC = {
    path.name: (_KINDS[path.suffix], path.read_bytes())
    for path in sorted((_HERE / "static").iterdir())
    if path.suffix in _KINDS
}
"""The style sheet, the script and the icon, each with its media type."""

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_HEAD = re.compile(rf"--- (.*)\n\+\+\+ (.*)\n{_HUNK.pattern}")
_NONE = "/dev/null"
_CHANGE = re.compile(r"\b(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{10}\b")
_EPISODE = re.compile(r"\bepisode:\d{4}-\d\d-\d\d:\d\d:\d\d\b")
_TOP = re.compile(r"(<!-- Type: .*\| Last updated: )\d{4}-\d\d-\d\d((?: \|.*)? -->)")

BOOKS = "memory/meta/"
"""Where it is written down what was asked, granted and decided."""

MOST_CELLS = 5_000
"""Cells of a table that are drawn; a larger one is shown as it was typed."""

LONGEST_TOP = 500
"""No line at the top of a page has as many characters."""

WHO = {
    "manual": "you, by hand",
    "bot:main": "the agent",
    "bot:trigger-remember": "the agent, asked to remember",
    "bot:trigger-forget": "the agent, asked to forget",
    "bot:auto-detect": "the agent, of its own accord",
    "system:decay": "Reverie: fading",
    "system:init": "Reverie: the beginning",
    "system:audit": "Reverie: audit",
    "system:rename": "Reverie: renaming",
    "system:since": "Reverie: since when",
}
"""Actors in plain words, by their tags."""

SOURCES = {
    "user-explicit": "told in so many words",
    "conversation": "noted in a conversation",
    "reflection": "from a reflection",
    "import": "imported",
}
"""Where a fact came from, in words."""

PROPOSED = "proposed by a sub-agent"

STORES = {
    "core": "core memory",
    "episodic": "what happened",
    "semantic": "what is known",
    "procedural": "how it is done",
    "vault": "the vault",
    "turns": "what was said",
}
"""Stores in words."""

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_LEADS = ("http:", "https:", "mailto:")
"""What an address in a text may begin with, if it names a scheme at all."""


class _Markdown(MarkdownIt):
    """Markdown whose links lead to pages and letters alone."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - so it is called there
        """Whether a link may lead there."""
        scheme = _SCHEME.match(url.strip())
        return scheme is None or scheme[0].lower() in _LEADS


def _cell(renderer: RendererHTML, tokens: Any, at: int, options: Any, env: Any) -> str:
    """A cell of a table; our policy takes no style from a text, not even its side."""
    tokens[at].attrs.pop("style", None)
    return renderer.renderToken(tokens, at, options, env)


def _link(renderer: RendererHTML, tokens: Any, at: int, options: Any, env: Any) -> str:
    """The end of a link, and where it leads, unless it says so itself."""
    # No link stands in another one.
    began = next(n for n in range(at - 1, -1, -1) if tokens[n].type == "link_open")
    said = "".join(each.content for each in tokens[began:at])
    found = tokens[began].attrs
    to, title = str(found["href"]), str(found.get("title", ""))
    # An address alone says where it leads; told twice, it would make up for a word.
    plain = said == to or tokens[began].markup == "autolink"
    more = " ".join(filter(None, ("" if plain else to, title)))
    behind = f' <small class="meta">({escape(more)})</small>' if more else ""
    return renderer.renderToken(tokens, at, options, env) + behind


def _item(renderer: RendererHTML, tokens: Any, at: int, options: Any, env: Any) -> str:
    """An item of a list, with the number that it was given."""
    if tokens[at].info.isdecimal():
        tokens[at].attrSet("value", tokens[at].info)
    return renderer.renderToken(tokens, at, options, env)


def _fence(renderer: RendererHTML, tokens: Any, at: int, options: Any, env: Any) -> str:
    """Code, below all that is said of it."""
    info = escape(tokens[at].info.strip())
    tokens[at].info = ""
    said = f'<p class="meta">{info}</p>\n' if info else ""
    return said + renderer.fence(tokens, at, options, env)


_MARKDOWN = _Markdown("commonmark", {"html": False})
# What is written as a number, `&#8203;`, is read as it stands there; so is where a link
# leads that nothing refers to.
_MARKDOWN.enable("table").disable(["image", "entity", "reference"])
for _kind in ("th_open", "td_open"):
    _MARKDOWN.add_render_rule(_kind, _cell)
_MARKDOWN.add_render_rule("fence", _fence)
_MARKDOWN.add_render_rule("link_close", _link)
_MARKDOWN.add_render_rule("list_item_open", _item)

_WORD = re.compile(r"[^\W_]+|[^\x00-\x7f\w\s]")
_ITEM = re.compile(r"(?m)^[ \t>*+-]*\d{1,9}(?=[.)](?:\s|$))")
_TAG = re.compile(r"<[^<>]*>")


def render(template: str, shown: Mapping[str, Any]) -> str:
    """A page of HTML."""
    return _ENVIRONMENT.get_template(template).render(shown)


def marked(text: str) -> Markup:
    """Markdown as HTML, without anything of its own making."""
    # What it makes is escaped by itself; raw HTML is text to it. The title of a link
    # is told in numbers still, so what comes out is looked at once more.
    plain = printable(text, lines=True)
    made = "" if _is_wide(plain) else _MARKDOWN.render(plain)
    if not made or _hides(plain, made):
        made = f'<p class="said">{escape(plain)}</p>'
    return Markup(printable(made, lines=True, again=True))  # noqa: S704


def _hides(text: str, made: str) -> bool:
    """Whether a word of a text is not to be seen in what was made of it.

    An agent is told all of it, so a person must be shown all of it: a row of a table
    may have more cells than the table. Numbers of list items are no words there.
    """
    told = Counter(_WORD.findall(unquote(unescape(_TAG.sub(" ", made)))))
    said = Counter(_WORD.findall(unquote(_ITEM.sub("", text))))
    return not said <= told


def _is_wide(text: str) -> bool:
    """Whether a text could be a table of very many cells, most of them empty."""
    bars = [line.count("|") for line in text.split("\n") if "|" in line]
    return len(bars) * max(bars, default=0) > MOST_CELLS


def shown(text: object) -> str:
    """A text with every character that nobody sees spelled out."""
    return printable(str(text), lines=True)


def day(moment: datetime | date | None) -> str:
    """`Tue 17 Nov 2026`."""
    return f"{moment:%a %-d %b %Y}" if moment else "—"


def clock(moment: datetime | None) -> str:
    """`17 Nov 2026, 14:05`, in local time."""
    if moment is None:
        return "—"
    with suppress(OverflowError):  # at the ends of all times there is no local one
        moment = moment.astimezone()
    return f"{moment:%-d %b %Y, %H:%M}"


def ago(moment: datetime | None) -> str:
    """How long ago it was, in a word or two."""
    if moment is None:
        return "never"
    seconds = (datetime.now(UTC) - moment).total_seconds()
    steps = ((86_400.0, "day"), (3600.0, "hour"), (60.0, "minute"))
    for size, name in steps:
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {name}{'s' * (count > 1)} ago"
    return "just now"


def diffed(diff: str) -> Iterator[tuple[str, str]]:
    """The lines of a diff, each with what it is: file, hunk, more, less or same.

    A file is told once, by its path. What a hunk adds or takes away may look like the
    head of a file, and is none.
    """
    lines = deque(diff.split("\n"))
    less = more = 0
    while lines:
        if not (less or more) and (head := _HEAD.match("\n".join(islice(lines, 3)))):
            lines.popleft()
            lines.popleft()
            yield "file", _path(head[1], head[2])
            continue
        line = lines.popleft()
        kind = {"+": "more", "-": "less"}.get(line[:1], "same")
        if less or more:
            less, more = less - (kind != "more"), more - (kind != "less")
            less, more = max(0, less), max(0, more)
        elif hunk := _HUNK.match(line):
            less, more = (int(count or 1) for count in hunk.groups())
            kind = "hunk"
        yield kind, line


def way(id_: object) -> str:
    """An id behind `/memory/`: a fact is shown at its place on its page."""
    fact = str(id_).partition("#")[2]
    return f"{address(id_)}#{address(fact)}" if fact else address(id_)


def _episode(found: re.Match[str]) -> str:
    """A way to an episode, told by its day and minute."""
    id_ = found[0]
    try:
        said = clock(datetime.fromisoformat(f"{id_[8:18]}T{id_[19:24]}"))
    except ValueError:
        said = id_
    return f'<a href="/memory/{id_}" title="{id_}">{said}</a>'


def cited(text: object) -> Markup:
    """A text as it is, with a way to every episode that it names."""
    found = _EPISODE.sub(_episode, str(escape(shown(text))))
    return Markup(found)  # noqa: S704 - escaped, but for links to digits


def noted(line: str) -> Markup:
    """A line of a diff; the note behind what it says is set apart."""
    text = shown(line)
    at = text.rfind(" <!-- ") + 1
    if (
        not at
        or not text.endswith(" -->")
        or "\n" in text
        or not text[:at].strip("+- ")
    ):
        return escape(text)
    return (
        escape(text[:at]) + Markup("<small>") + escape(text[at:]) + Markup("</small>")
    )


def worded(text: object) -> Markup:
    """Words of ours in which commands stand between backticks, and changes by name."""
    parts = shown(text).split("`")
    if len(parts) % 2 == 0:
        return _led("`".join(parts))
    told = (
        Markup("<code>{}</code>").format(p) if n % 2 else _led(p)
        for n, p in enumerate(parts)
    )
    return Markup("").join(told)


def _led(text: str) -> Markup:
    """A text with a way to every change that it names."""
    # As a plain string: `re.sub` on `Markup` escapes the link again (Python 3.11).
    plain = str(escape(text))
    found = _CHANGE.sub(r'<a class="id" href="/ledger/\g<0>">\g<0></a>', plain)
    return Markup(found)  # noqa: S704 - escaped, but for links to digits


def brief(diff: str) -> list[tuple[str, str]]:
    """What a diff takes out and puts in, file by file, without what stays.

    Of the line at the top of a page that differs in its day alone nothing is told.
    """
    found = [each for each in diffed(diff) if each[0] not in {"hunk", "same"}]
    dated = {kind: Counter[tuple[int, str]]() for kind in ("less", "more")}
    files = accumulate(kind == "file" for kind, _ in found)
    lines = [
        (kind, line, (file, _undated(line[1:])))
        for (kind, line), file in zip(found, files, strict=True)
    ]
    for kind, _, key in lines:
        if kind in dated and key[1]:
            dated[kind][key] += 1
    # As many as go, and no more, come with another day.
    both = {key: dated["less"][key] == dated["more"][key] for key in dated["less"]}
    return [(kind, line) for kind, line, key in lines if not both.get(key)]


def apart(
    lines: Iterable[tuple[str, str]],
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """The lines of a diff in what is remembered, and those in the books about it."""
    rest, books = list[tuple[str, str]](), list[tuple[str, str]]()
    into = rest
    for kind, line in lines:
        if kind == "file":
            into = books if line.startswith(BOOKS) else rest
        into.append((kind, line))
    return (rest, books) if rest else (books, [])


def _undated(line: str) -> str:
    """The line at the top of a page without the day on which it was changed."""
    found = _TOP.fullmatch(line) if len(line) <= LONGEST_TOP else None
    return f"{found[1]}{found[2]}" if found else ""


def _path(old: str, new: str) -> str:
    if old == _NONE:
        return f"{new.removeprefix('b/')} (new)"
    return f"{old.removeprefix('a/')}{' (gone)' if new == _NONE else ''}"


def address(text: object) -> str:
    """A text as a part of an address."""
    return quote(str(text), safe="")


def who(tag: str) -> str:
    """An actor in plain words."""
    kind, _, name = tag.partition(":")
    if tag.startswith("bot:commit-from:"):
        return f"the agent, for {name.removeprefix('commit-from:')}"
    named = {"subagent": "sub-agent", "system": "Reverie:"}.get(kind, kind)
    return WHO.get(tag) or f"{named} {name}".strip()


def source(tag: object, origin: object = "") -> str:
    """Where a fact came from, in words.

    Args:
        tag: What its source says.
        origin: Whose words it is. Who said yes to a sub-agent's has not told them.
    """
    if str(origin) == "sub-agent" and str(tag) in {"user-explicit", "conversation"}:
        return PROPOSED
    return SOURCES.get(str(tag), str(tag))


def accepter(entry: LogEntry) -> str:
    """Who said yes to what a change brought, in plain words."""
    own = entry.actor.human or entry.approval is Approval.APPROVED
    return "you" if own else who(str(entry.signed))


def store(tag: object) -> str:
    """A store in words."""
    return STORES.get(str(tag), str(tag))


def grouped(number: float) -> str:
    """A number with its thousands apart."""
    return f"{number:,}"


_TEMPLATES = (_HERE / "templates").glob("*.html")
# Read once: a service goes on with the page that it began with while a newer version
# is being installed.
_ENVIRONMENT = Environment(
    loader=DictLoader({path.name: path.read_text("utf-8") for path in _TEMPLATES}),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals["proposed"] = PROPOSED
_ENVIRONMENT.filters |= {
    "marked": marked,
    "shown": shown,
    "day": day,
    "clock": clock,
    "ago": ago,
    "brief": brief,
    "cited": cited,
    "way": way,
    "diffed": diffed,
    "noted": noted,
    "worded": worded,
    "apart": apart,
    "quoted": shlex.quote,
    "address": address,
    "grouped": grouped,
    "json": json.dumps,
    "of_others": quote_others,
    "who": who,
    "source": source,
    "accepter": accepter,
    "store": store,
}
