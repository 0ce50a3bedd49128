"""Check every file for what is wrong in it, and change nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from reverie.config import ConfigError, parse_config
from reverie.model.items import Block, Entity, Finding, Severity, Statement
from reverie.secrets import find_secrets
from reverie.stores import core
from reverie.stores.expectations import parse_expectations
from reverie.stores.proposals import parse_pending
from reverie.stores.reader import decode, load_vocabulary, read_file
from reverie.stores.scores import parse_scores
from reverie.workspace import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from reverie.config import Config

_LINK = re.compile(r"\[\[([^\[\]|#\n]+)")


def check_files(files: Mapping[str, bytes], config: Config) -> list[Finding]:
    """Read every file as its store would, and gather what is wrong in them."""
    words = load_vocabulary(files.get(layout.RELATIONS))
    found: list[Finding] = []
    places: dict[str, list[tuple[str, int]]] = defaultdict(list)
    names: set[str] = set()
    for path, data in files.items():
        reading = read_file(path, data, words)
        found += reading.findings
        found += _secrets(path, data)
        found += _other(path, data)
        for entry in (*reading.entries, *reading.deleted):
            if isinstance(entry.item, Entity):
                names.update(entry.item.aliases)
            # Of two pages of one name each is told once, not fact by fact.
            if not isinstance(entry.item, Statement):
                places[str(entry.id)].append((path, entry.line))
    for id_, ((first, at), *others) in places.items():
        what, mend = (
            f"{id_} is also in {first}:{at}",
            "Names must be unique: rename it.",
        )
        found += (Finding(path, line, what, mend) for path, line in others)
    # A page that was merged or renamed goes by its old id too.
    names |= {id_.partition(":")[2] for id_ in places}
    found += _dangling_links(files, names)
    found += _core(files.get(layout.CORE), config)
    return sorted(set(found))


_TURN = re.compile(r"(?<=\| )turn:\d+")


def _secrets(path: str, data: bytes) -> Iterator[Finding]:
    """Every secret in a file, by its line; never what it is."""
    # The number of a turn in its heading is ours, and no code.
    text = _TURN.sub(lambda found: " " * len(found[0]), data.decode("utf-8", "replace"))
    for secret in find_secrets(text):
        line = text.count("\n", 0, secret.start) + 1
        what = f"holds a secret in plain text ({secret.kind})"
        mend = (
            "It is neither recalled nor told. If it should not be kept, take it out; "
            "`reverie erase` takes it out of history as well."
        )
        yield Finding(path, line, what, mend, Severity.WARNING)


def _dangling_links(
    files: Mapping[str, bytes], names: Collection[str]
) -> Iterator[Finding]:
    for path, data in files.items():
        if path.startswith(f"{layout.ENTITIES}/"):
            text = data.decode("utf-8", "replace")
            for number, line in enumerate(text.split("\n"), 1):
                for target in _LINK.findall(line):
                    if target.strip() not in names:
                        what = f"[[{target}]] leads nowhere"
                        yield Finding(path, number, what, "", Severity.NOTE)


def _core(data: bytes | None, config: Config) -> Iterator[Finding]:
    if data is None:
        yield Finding(layout.CORE, 0, "is missing", "`reverie init` makes a new one.")
        return
    text, broken = decode(data, layout.CORE)
    if broken:
        return
    memory = core.parse_core(text, layout.CORE)
    total = core.total_tokens(memory)
    if total > config.core.cap_tokens:
        what = f"has about {total} tokens, {config.core.cap_tokens} are allowed"
        mend = "Shorten it; the next write to it moves the least relevant items out."
        yield Finding(layout.CORE, 0, what, mend, Severity.WARNING)
    for block, tokens in core.block_tokens(memory).items():
        budget = core_budgets(config)[block]
        if tokens > budget:
            what = f"'{core.HEADINGS[block]}' has about {tokens} tokens of {budget}"
            yield Finding(layout.CORE, 0, what, "Shorten it.", Severity.WARNING)


def core_budgets(config: Config) -> dict[Block, int]:
    """Tokens allowed for each block of core memory."""
    return {block: getattr(config.core, f"{block}_tokens") for block in Block}


def _other(path: str, data: bytes) -> tuple[Finding, ...]:
    """What is wrong in a file that no store reads."""
    if path not in {layout.CONFIG, layout.SCORES, layout.PENDING, layout.EXPECTATIONS}:
        return ()
    text, broken = decode(data, path)
    if broken:
        return broken
    if path == layout.SCORES:
        return parse_scores(text, path).findings
    if path == layout.PENDING:
        return parse_pending(text, path).findings
    if path == layout.EXPECTATIONS:
        return parse_expectations(text, path)[1]
    try:
        parse_config(text, path, {})
    except ConfigError as error:
        return (Finding(error.path, error.line, error.problem, error.advice),)
    return ()
