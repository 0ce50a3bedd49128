"""Core memory: what is always in mind, in four blocks with budgets (design, 4)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from reverie import markdown as md
from reverie.errors import RefusedError
from reverie.model.ids import ItemId, Kind, MissingItemError
from reverie.model.ids import slug as slug_of
from reverie.model.items import Block, CoreItem, Entry, Finding
from reverie.tokens import count_tokens
from reverie.workspace.layout import template

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import TypeAlias

    _Leaving: TypeAlias = tuple[Block, int, str, CoreItem | None]
    _Excess: TypeAlias = tuple[Block | None, int, int]


CORE_TEMPLATE = template("core")

HEADINGS = {
    Block.IDENTITY: "Identity",
    Block.CONTEXT: "Active Context",
    Block.PERSONA: "Persona",
    Block.CRITICAL: "Critical Facts",
}
_BLOCKS = {heading.casefold(): block for block, heading in HEADINGS.items()}
_ORDER = tuple(HEADINGS.values())

NAME = ItemId(Kind.CORE, f"{Block.IDENTITY}/name")
"""The one item that never has to leave."""

_PIN = "<!-- pinned -->"
_BY = re.compile(r" ?<!-- by:([a-z-]+) -->$")
_PIN_ENDS = re.compile(r", pinned(\\*)\]$")
_HINT = re.compile(r"\[(?!\[)[^\]\n]*\]|\.\.\.|…")
_SEED_FACT = re.compile(r"\[Fact [0-9]+ — ")
_LABEL_WORDS, _TEXT_WORDS = 5, 6


class CoreMemory(md.StorePage, frozen=True):
    """MEMORY.md."""

    @property
    def form_lines(self) -> set[int]:
        """The lines that it begins with, and the hints that nobody filled in."""
        own = {line.rstrip("\r\n") for line in CORE_TEMPLATE.split("\n")}
        lines = enumerate(self.page.text.split("\n"), 1)
        found = {number for number, line in lines if line.rstrip("\r") in own - {""}}
        for block, section in _blocks(self.page):
            for piece in md.split_items(section.body, section.body_line):
                if block and piece.marker and _parse_item(piece) is None:
                    found.add(piece.line)
        return found


def parse_core(text: str, path: str) -> CoreMemory:
    """Read core memory, whatever is in the file."""
    return _read(md.parse_page(text, path, _ORDER))


def render_core(core: CoreMemory) -> str:
    """Give back the text core memory was read from."""
    return core.page.text


def _read(page: md.Page) -> CoreMemory:
    findings = (*_find(page), *md.find_conflicts(page.text, page.path))
    return CoreMemory(page, tuple(_entries(page)), tuple(sorted(findings)))


def _blocks(page: md.Page) -> Iterator[tuple[Block | None, md.Section]]:
    """The sections, each with the block it is; None for a heading of somebody's own."""
    for section in page.sections:
        yield _BLOCKS.get((section.heading or "").casefold()), section


def _find(page: md.Page) -> Iterator[Finding]:
    """Blocks that are missing, doubled or unknown."""
    seen = set()
    for block, section in _blocks(page):
        if block is None or block in seen:
            what = "is no block of core memory" if block is None else "is there twice"
            mend = f"Use {', '.join(_ORDER)}, once each, or a level-three heading."
            yield page.warning(section.line, f"{section.heading!r} {what}", mend)
        seen.add(block)
    for block, heading in HEADINGS.items():
        if block not in seen:
            what, mend = f"the block '{heading}' is missing", f"Add '## {heading}'."
            yield page.warning(0, what, mend)


def _entries(page: md.Page) -> Iterator[Entry]:
    seen: Counter[str] = Counter()
    for block, section in _blocks(page):
        for piece in md.split_items(section.body, section.body_line):
            parsed = _parse_item(piece)
            if block is None or parsed is None:
                continue
            text, pinned, by = parsed
            slug = _item_slug(text)
            seen[f"{block}/{slug}"] += 1
            if (number := seen[f"{block}/{slug}"]) > 1:
                slug = f"{slug}~{number}"
            item = CoreItem(block, slug, text, pinned, by)
            item_id = ItemId(Kind.CORE, f"{block}/{slug}")
            yield Entry(item_id, item, piece.line, text, md.headline(text), piece.raw)


def _item_slug(text: str) -> str:
    """The label before a colon if it is short, else the first words."""
    # A pin written into the words must not be part of the name.
    text = text.removesuffix(", pinned]")
    label, colon, _ = text.partition(":")
    words = label.split()
    if colon and 0 < len(words) <= _LABEL_WORDS and "\n" not in label:
        return slug_of(label)
    return slug_of(" ".join(text.split()[:_TEXT_WORDS]))


def _parse_item(piece: md.Piece) -> tuple[str, bool, str] | None:
    """An item's words, whether it is pinned, by whom; None for a template's hint."""
    if not piece.marker:
        return None
    first, line_end, rest = piece.text.partition("\n")
    bare = first.rstrip()
    pinned = bare.endswith(_PIN)
    if pinned:
        first = bare.removesuffix(_PIN).removesuffix(" ")
    by = _BY.search(first.rstrip())
    words = md.without_comments(first + line_end + rest).strip()
    pinned = pinned or words.endswith(", pinned]")
    words = _PIN_ENDS.sub(lambda found: f", pinned{found[1][1:]}]", words)
    at, is_hint = _hint(words)
    slashes = len(words) - at - len(words[at:].lstrip("\\"))
    if not words or (is_hint and not slashes):
        return None
    if is_hint:
        words = words[:at] + words[at + 1 :]
    return md.unescape(words), pinned, by[1] if by else ""


def _hint(words: str) -> tuple[int, bool]:
    """Where a value starts, and whether it is a hint but for its backslashes."""
    at = words.find(": ") + 2 if ": " in words else 0
    value = words[at:].lstrip("\\")
    is_pinned = value.endswith(", pinned]") and not _SEED_FACT.match(value)
    return at, bool(_HINT.fullmatch(value)) and not is_pinned


def _render_item(text: str, *, pinned: bool, by: str) -> str:
    words = md.escape(text, item=True)
    at, is_hint = _hint(words)
    if is_hint:
        words = f"{words[:at]}\\{words[at:]}"
    words = _PIN_ENDS.sub(lambda found: f", pinned{found[1]}\\]", words)
    first, line_end, rest = words.partition("\n")
    marks = (f" <!-- by:{by} -->" if by else "") + (f" {_PIN}" if pinned else "")
    return md.render_item(f"{first}{marks}{line_end}{rest}")


def add_item(
    core: CoreMemory, block: Block, text: str, *, pinned: bool = False, by: str = ""
) -> CoreMemory:
    """Core memory with one more item at the end of a block, which is made if missing.

    Where the template has a line for it, that line is filled in. White space at the
    edges of the text is dropped.
    """
    item = _render_item(text, pinned=pinned, by=by)
    label, colon, _ = text.partition(": ")
    for piece in core.page.items(HEADINGS[block]) if colon else ():
        name, _, value = piece.text.partition(": ")
        if name == label and _HINT.fullmatch(value):
            return _read(md.with_lines(core.page, piece.line, piece.raw, item))
    return _read(md.with_item(core.page, HEADINGS[block], item))


def remove_item(core: CoreMemory, item_id: ItemId) -> CoreMemory:
    """Core memory without an item; later ones of the same name move up."""
    entry = _entry(core, item_id)
    return _without(core, {entry.line: entry.raw})


def replace_item(
    core: CoreMemory,
    item_id: ItemId,
    text: str,
    *,
    by: str = "",
    pinned: bool = False,
    keep_label: bool = True,
) -> CoreMemory:
    """Core memory in which an item says something else; it stays pinned if it was.

    Args:
        core: Core memory.
        item_id: The item.
        text: What it says from now on.
        by: Whose words these are, where they are not the owner's.
        pinned: Whether it is pinned from now on.
        keep_label: Whether a line that has a label keeps it: "Name: Mara" is corrected
            with "Maria", too.
    """
    entry = _entry(core, item_id)
    label, colon, _ = entry.text.partition(": ")
    if keep_label and colon and len(label.split()) <= _LABEL_WORDS and ": " not in text:
        text = f"{label}: {text}"
    pinned = pinned or (isinstance(entry.item, CoreItem) and entry.item.pinned)
    raw = _render_item(text, pinned=pinned, by=by)
    return _read(md.with_lines(core.page, entry.line, entry.raw, raw))


def set_pinned(core: CoreMemory, item_id: ItemId, *, pinned: bool) -> CoreMemory:
    """Core memory in which an item is pinned, or no longer is."""
    entry = _entry(core, item_id)
    if not isinstance(entry.item, CoreItem) or entry.item.pinned == pinned:
        return core
    first, end, rest = entry.raw.partition("\n")
    words = first.rstrip("\r")
    end = first[len(words) :] + end
    if pinned:
        fresh = f"{words} {_PIN}{end}{rest}"
    else:
        words = re.sub(rf" ?{_PIN}\s*$", "", words)
        fresh = re.sub(r", pinned\](?=\s*\Z)", "]", words + end + rest)
    return _read(md.with_lines(core.page, entry.line, entry.raw, fresh))


def _entry(core: CoreMemory, item_id: ItemId) -> Entry:
    for entry in core.entries:
        if entry.id == item_id:
            return entry
    raise MissingItemError(item_id, core.path)


def _without(core: CoreMemory, pieces: Mapping[int, str]) -> CoreMemory:
    """Core memory without some pieces, each by its line and as it stands there."""
    gone = {
        line
        for first, raw in pieces.items()
        for line in range(first, first + len(md.split_lines(raw)))
    }
    lines = enumerate(md.split_lines(core.page.text), 1)
    text = "".join(line for number, line in lines if number not in gone)
    return parse_core(text, core.page.path)


def _hints(core: CoreMemory) -> Iterator[tuple[Block, md.Piece]]:
    """What the template asks for and nobody has filled in, such as `Role: […]`."""
    for block, section in _blocks(core.page):
        for piece in md.split_items(section.body, section.body_line):
            if block and piece.marker and _parse_item(piece) is None:
                yield block, piece


def block_tokens(core: CoreMemory) -> dict[Block, int]:
    """How many tokens each block takes, headings and comments included."""
    tokens = dict.fromkeys(Block, 0)
    for block, section in _blocks(core.page):
        if block:
            tokens[block] += count_tokens(section.raw)
    return tokens


def total_tokens(core: CoreMemory) -> int:
    """How many tokens the whole file takes."""
    return count_tokens(render_core(core))


def fit(
    core: CoreMemory,
    *,
    cap: int,
    budgets: Mapping[Block, int],
    relevance: Callable[[CoreItem], float],
    keep: Collection[ItemId] = (),
) -> tuple[CoreMemory, tuple[CoreItem, ...]]:
    """Take out what matters least until every block and the whole file fit.

    What nobody has filled in goes first, and says nothing. The name never goes.

    Args:
        core: Core memory, perhaps too long.
        cap: Tokens allowed for the file.
        budgets: Tokens allowed for each block.
        relevance: How much an item matters; the least goes first.
        keep: Items that must stay, such as those just added. Pinned ones always do.

    Returns:
        Core memory that fits, and the items taken out, for the caller to store.

    Raises:
        RefusedError: Nothing that may move is left, and it still does not fit.
    """
    movable = sorted(
        (relevance(entry.item), entry.line, entry.raw, entry.item)
        for entry in core.entries
        if isinstance(entry.item, CoreItem)
        and not entry.item.pinned
        and entry.id not in {*keep, NAME}
    )
    leaving = [
        *((block, piece.line, piece.raw, None) for block, piece in _hints(core)),
        *((item.block, line, raw, item) for _, line, raw, item in movable),
    ]
    gone: dict[int, str] = {}
    evicted: list[CoreItem] = []
    fitted = core
    while excess := _excess(fitted, cap, budgets):
        block = excess[0]
        left = [e for e in leaving if e[1] not in gone and block in {None, e[0]}]
        few, excess = _fewest(core, gone, left, cap, budgets, excess)
        if excess:
            block, tokens, budget = excess
            place = f"'{HEADINGS[block]}'" if block else "core memory"
            what = f"{place} would hold {tokens} tokens, {budget} are allowed"
            hint = (
                "Nothing in it may move: shorten or unpin an item in MEMORY.md, or "
                "remember it elsewhere."
            )
            raise RefusedError(what, hint=hint)
        gone |= {line: raw for _, line, raw, _ in left[:few]}
        evicted += [item for *_, item in left[:few] if item]
        # Always from the first text: taking items out moves lines and names.
        fitted = _without(core, gone)
    return fitted, tuple(evicted)


def _fewest(
    core: CoreMemory,
    gone: Mapping[int, str],
    left: Sequence[_Leaving],
    cap: int,
    budgets: Mapping[Block, int],
    excess: _Excess,
) -> tuple[int, _Excess | None]:
    """How many more have to leave, in their order, so that something is not too much.

    One after the other would take long among many. Where none are enough, what is too
    much without all of them is told.
    """

    def over(count: int) -> _Excess | None:
        out = {line: raw for _, line, raw, _ in left[:count]}
        found = _excess(_without(core, {**gone, **out}), cap, budgets)
        return found if found and found[0] == excess[0] else None

    few = bisect_left(range(len(left)), 1, key=lambda count: not over(count))
    return few, over(few) if few == len(left) else None


def _excess(core: CoreMemory, cap: int, budgets: Mapping[Block, int]) -> _Excess | None:
    """The first block over its budget, or None for the file; its tokens, its budget."""
    for block, tokens in block_tokens(core).items():
        if block in budgets and tokens > budgets[block]:
            return block, tokens, budgets[block]
    total = total_tokens(core)
    return (None, total, cap) if total > cap else None


def without_template(text: str) -> str:
    """A text without the words that core memory begins with, line by line.

    "Key preferences" and "tokens" read like words for secrets: whoever looks for some
    would load every rule for them, which takes longer than all the rest of a command.
    """
    own = {line: line.partition(": ")[0] for line in CORE_TEMPLATE.split("\n")}
    labels = tuple(f"{label}:" for line, label in own.items() if line != label)
    lines = []
    for line in text.split("\n"):
        found = next((label for label in labels if line.startswith(label)), "")
        lines.append("" if line in own else line.removeprefix(found))
    return "\n".join(lines)
