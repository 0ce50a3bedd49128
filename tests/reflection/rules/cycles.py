"""A diary that is reflected on every few days, each time with what came of the last."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.reflection.rules.labels import ENTITIES, knowledge_of, page, survey_of

from reverie.model.items import Edge
from reverie.model.reflection import Operation, OperationKind
from reverie.reflection.operations.confining import edge_in, entity_in
from reverie.reflection.operations.extracts import read_news
from reverie.reflection.rules import Found, reflect_by_rules
from reverie.stores.semantic import render_graph_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tests.reflection.rules.labels import Diary


def reflected(diary: Diary, every: int = 2) -> Iterator[Found]:
    """What each reflection finds, if all that it proposes is approved."""
    edges: list[Edge] = []
    carried: Mapping[str, tuple[str, tuple[str, ...]]] = {}
    for part in _parts(diary, every):
        now = replace(part, pages=dict(diary.pages), procedures=diary.procedures)
        known = replace(knowledge_of(now), candidates=carried)
        graph = render_graph_index((), tuple(edges)) if edges else ""
        found = reflect_by_rules(replace(survey_of(now), graph=graph), known)
        yield found
        # As it comes back from a file.
        carried = json.loads(json.dumps(dict(found.candidates)))
        edges += [
            Edge(*edge_in(one.content))
            for one in found.operations
            if one.kind is OperationKind.CONNECT
        ]
        diary = _after(diary, found.operations)


def _parts(diary: Diary, every: int) -> Iterator[Diary]:
    last = diary.told[-1].day
    for first in range(diary.told[0].day, last + 1, every):
        days = range(first, first + every)
        told = tuple(one for one in diary.told if one.day in days)
        if told:
            yield replace(diary, told=told)


def _after(diary: Diary, operations: Iterable[Operation]) -> Diary:
    pages = dict(diary.pages)
    procedures = list(diary.procedures)
    for one in operations:
        name = entity_in(one.target)
        if one.kind is OperationKind.PATTERN:
            procedures.append((name, f"# {name}.md\n\n{one.content}\n"))
        elif one.kind is OperationKind.EXTRACT:
            news = read_news(one.content, f"{ENTITIES}/{name}.md")
            facts = [f"{f.text} <!-- since: {f.since} -->" for f in news.facts]
            pages[name] = _with(pages.get(name, page(name)), facts, news.questions)
        elif one.kind is OperationKind.FLAG and name in pages:
            pages[name] = _with(pages[name], (), (one.content,))
    return replace(diary, pages=pages, procedures=tuple(procedures))


def _with(text: str, facts: Iterable[str], questions: Iterable[str]) -> str:
    head, mark, rest = text.partition("## Facts\n")
    told, asked, tail = rest.partition("\n## Open Questions\n")
    added = "".join(f"- {one}\n" for one in facts)
    more = "".join(f"- {one}\n" for one in questions)
    asked = "\n## Open Questions\n" if more else asked
    return f"{head}{mark}{told}{added}{asked}{tail}{more}"


def together(found: Iterable[Found]) -> Found:
    """All that was proposed, as one."""
    return Found(tuple(one for each in found for one in each.operations))
