"""`remember`: keep something, where it belongs, and tell what is near to it."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from reverie import (
    Block,
    Confidence,
    Core,
    EpisodeKind,
    Episodic,
    Origin,
    Procedural,
    Semantic,
    Store,
    Vault,
)
from reverie.interfaces.cli import command as cli
from reverie.interfaces.cli import output as out
from reverie.interfaces.hosts.runtime import CALL_DEPTH, host_processes
from reverie.markdown import headline
from reverie.model.change import REMEMBER
from reverie.model.reflection import HostQuestion
from reverie.recall.context_block import quote_others

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.model.change import Near, Remembered
    from reverie.model.route import Place


def _procedure(name: str, when: str = "") -> Procedural:
    return Procedural(name, when)


_PLACES: dict[Store, tuple[Any, tuple[str, ...]]] = {
    Store.EPISODIC: (Episodic, ("kind", "confidence", "tags", "at", "scope")),
    Store.SEMANTIC: (
        Semantic,
        (*("about", "type", "since", "on", "until", "confidence", "links"),),
    ),
    Store.PROCEDURAL: (_procedure, ("name", "when")),
    Store.VAULT: (Vault, ("title",)),
    Store.CORE: (Core, ("block", "pinned")),
}
"""What a store makes of its options."""

_NEEDED = {Store.SEMANTIC: "about", Store.PROCEDURAL: "name"}
_ORIGINS = click.Choice([str(each) for each in Origin], case_sensitive=False)
_STORES = click.Choice(tuple(_PLACES), case_sensitive=False)
_SUPERSEDES = "A memory whose place it takes, by its ID or its words; repeatable."
_LINK = "semantic: a relation, as 'Uses=tool--vim'; repeatable."
_CONTRADICTS = "A known fact that it cannot hold together with; repeatable."
LONGEST_SHOWN = 200
"""Characters of a text that a hint repeats."""

_AT = "episodic: when it happened; a day alone has no hour.  [default: now]"
_WHEN = cli.moment_type()
_DAYS = frozenset({"since", "on", "until"})


def link(text: str) -> tuple[str, str]:
    """A relation as it is typed: its label, and the entity it leads to."""
    label, equals, target = text.partition("=")
    if not (label.strip() and equals and target.strip()):
        cli.misused(f"--link {text!r} is not LABEL=ENTITY, such as 'Uses=tool--vim'")
    return label.strip(), target.strip().removeprefix("entity:")


@cli.verb()
@cli.argument("text")
@cli.option("-s --store", "Where it belongs; without it, that is found out.", _STORES)
@cli.option("--kind", "episodic: what sort of event.  [default: event]", EpisodeKind)
@cli.option("--confidence", "How sure you are of it.  [default: high]", Confidence)
@cli.option("--tag tags", "episodic: a topic; repeatable.", None, "TAG", multiple=True)
@cli.option("--at", _AT, cli.day_or_moment, "WHEN")
@cli.option(
    "--person scope",
    "episodic: whom it is for alone.  [default: everybody]",
    str,
    "NAME",
)
@cli.option("--about", "semantic: whom or what it is about.", metavar="NAME")
@cli.option("--type", "semantic: person, project, …  [default: concept]", str, "TYPE")
@cli.option("--since", "semantic: since when it holds.  [default: today]", _WHEN, "DAY")
@cli.option("--on", "semantic: the day it speaks of.", _WHEN, "DAY")
@cli.option(
    "--until", "semantic: when it stopped or stops holding, if it does.", _WHEN, "DAY"
)
@cli.option("--supersedes", _SUPERSEDES, None, "ID", multiple=True)
@cli.option("--link links", _LINK, link, "LABEL=ENTITY", multiple=True)
@cli.option("--name", "procedural: what it is called.", metavar="NAME")
@cli.option("--when", "procedural: when to do it.", metavar="TRIGGER")
@cli.option("--title", "vault: a heading.  [default: its first words]", str, "TITLE")
@cli.option("--block", "core: which block.  [default: context]", Block)
@cli.flag("--pinned", "core: never move it out.", default=None)
@cli.actor_option("bot:trigger-remember")
@cli.option("--origin", "Whose words it is: 'tool' for what a web page said.", _ORIGINS)
@cli.option(
    "--from derived_from",
    "A memory that it is made of; repeatable.",
    metavar="ID",
    multiple=True,
)
@cli.option("--contradicts", _CONTRADICTS, None, "ID", multiple=True)
@cli.secrets_option("refuse")
@cli.option(
    "--trigger",
    "What started it, in the user's words.",
    metavar="WORDS",
    default="remember",
)
def remember(call: cli.Invocation, text: str, **given: Any) -> None:
    """Remember TEXT, or standard input for '-'.

    Where it belongs the mind says, if there is one. Otherwise it goes as it is to the
    page of a known name in it, to your own page if it begins with "I" or "my", or to
    the episodes of today. --store decides it yourself. Each line of a procedure is
    one step; the lines replace the steps of a procedure with that name.

    What is known and close to it is told with the command to correct it by.

    Passwords and keys are refused. What would steer the agent and does not come from
    you waits until you `reverie pending accept` it. An agent may put a whole sentence
    that you typed into core memory at once, as core.agent_edits says.

        reverie remember "Nora lives in Lisbon and works for Acme."
        reverie remember "Chose the hybrid approach." --kind decision --tag auth
        reverie remember "Prefers tea." --about Alex --type person
        reverie remember "Lives in Lyon." --supersedes person--alex#3f2a9c
        reverie remember - --store procedural --name "how to deploy" < steps.txt
    """
    place = _place(call, given)
    words = cli.given_text(text)
    memory = call.memory
    actor = call.actor or memory.acting(REMEMBER)
    # A program can say that its user asked for it; only `hear` has heard them.
    origin = given["origin"] or (None if actor.human else Origin.AGENT)
    passed = ("trigger", "secrets", "derived_from", "supersedes", "contradicts")
    more = {name: given[name] for name in passed}
    more["conversation"] = memory.find_conversation(host_processes(CALL_DEPTH))
    with thinking(call):
        receipt = memory.remember(words, place, actor=actor, origin=origin, **more)
    call.answer(receipt, told_remembered(receipt))
    if receipt.waits and call.interactive and not call.actor and memory.owned:
        call.warn("an owner passphrase is set: --actor manual asks for it")


def _place(call: cli.Invocation, given: dict[str, Any]) -> Place | None:
    """Where to put it: the store that was named, or whose options were used."""
    params = click.get_current_context().command.params
    spelling = {param.name: param.opts[-1] for param in params}
    used = {name: value for name, value in given.items() if value not in (None, ())}
    homes = {name: [s for s in _PLACES if name in _PLACES[s][1]] for name in used}
    # What several stores know decides only where nothing else does.
    meant = sorted(filter(None, homes.values()), key=len)
    store: Store | None = given["store"] or next((found[0] for found in meant), None)
    if store is None:
        return None
    for name, stores in homes.items():
        if stores and store not in stores:
            belongs = f"{spelling[name]} belongs to --store {stores[0]}"
            cli.misused(f"{belongs}, and this is {store}")
    # The id of a fact says on which page it stands.
    if store in _NEEDED and used.keys().isdisjoint({_NEEDED[store], "supersedes"}):
        cli.misused(f"--store {store} needs {spelling[_NEEDED[store]]}")
    make, names = _PLACES[store]
    wanted = {name: used[name] for name in names if name in used}
    if store is Store.EPISODIC and call.for_person:
        wanted.setdefault("scope", call.for_person)
    wanted |= {day: wanted[day].date() for day in _DAYS & wanted.keys()}
    place: Place = make(**wanted)
    return place


@contextmanager
def thinking(call: cli.Invocation) -> Iterator[None]:
    """Pass a question on to the host agent, where it is the one who thinks."""
    from reverie.minds.mind import HostMustAnswerError

    try:
        yield
    except HostMustAnswerError as error:
        asked = error.question
        question = HostQuestion(asked.id, asked.operation, asked.text, asked.schema)
        call.answer(question, told_question(question))
        click.get_current_context().exit(cli.MUST_ANSWER)


def told_question(question: HostQuestion) -> out.Lines:
    """That the host agent has to answer something."""
    asked = out.warn("The host agent has to answer "), out.ident(question.id)
    yield *asked, out.faint(f"  ({question.operation})")
    if question.problem:
        yield "  ", out.bad(f"Last answer: {question.problem}")
    hint = "`reverie mind questions --json` has the prompt and the schema."
    yield "  ", out.faint(hint)


def told_remembered(receipt: Remembered, done: str = "Remembered ") -> out.Lines:
    """What became of something that was to be remembered, or corrected."""
    first, moved = next(iter(receipt.ids), ""), False
    if not receipt.lines:
        yield "Known already, nothing to add: ", out.ident(first)
        return
    yield out.good(done), out.ident(first), out.commit(receipt)
    for before, id_ in pairwise(receipt.ids):
        # What had to make room is told right after what took it.
        moved = before.startswith("core:") or moved
        said = out.warn("Moved out of core memory: ") if moved else "and "
        yield said, out.ident(id_)
    if route := receipt.route:
        names = ", ".join(mention.name for mention in route.entities)
        about = f" · about {names}" if names else ""
        filed = f"filed as {route.store}{about} · confidence {route.confidence}"
        yield "  ", out.faint(filed)
    yield from ((out.warn("Redacted: "), kind) for kind in receipt.redacted)
    yield from ((out.warn("Not stored: "), each) for each in receipt.left_out)
    yield from (
        (out.warn("No longer holds: "), *told_near(e)) for e in receipt.superseded
    )
    yield from ((out.warn("Holds until then: "), *told_near(e)) for e in receipt.ending)
    yield from (
        (out.warn("It contradicts "), *told_near(e)) for e in receipt.contradicts
    )
    if receipt.contradicts:
        yield "  ", out.faint("Both are kept, and the page asks which holds.")
    for doubt in receipt.doubts:
        yield out.warn("Perhaps the same as "), out.ident(doubt)
    if receipt.unrouted:
        yield out.warn("Kept as it is: "), receipt.unrouted
        yield "  ", out.faint("It is filed as soon as the mind answers.")
    if receipt.why_it_waits:
        yield out.warn("Kept as data: "), receipt.why_it_waits
    if receipt.waits:
        hint = f"`reverie pending accept {receipt.waits}` if you want it."
        yield "  ", out.faint(hint)
    if not receipt.near:
        return
    from reverie.encoding.near import may_replace

    alike = [near.id for near in receipt.near if may_replace(receipt.said, near)]
    yield out.faint("Similar memories:")
    yield from (("  ", *told_near(near)) for near in receipt.near)
    which = alike[0] if len(alike) == 1 else "ID"
    # Undone first, so that taking back the correction leaves the old fact alone.
    short = len(receipt.said) <= LONGEST_SHOWN and "\n" not in receipt.said
    words = shlex.quote(receipt.said) if short else "…"
    command = f"reverie remember {words} --supersedes {which}"
    replaced = f"`reverie undo {receipt.commit[:10]} && {command}`"
    yield "  ", out.faint(f"Hint: if it replaces one of these, run {replaced};")
    yield "  ", out.faint("to remove one, run `reverie forget ID`.")


def told_near(near: Near) -> tuple[str, ...]:
    """Something that is known: its id, its words, where it stands."""
    where = out.faint(f"  {near.path.rpartition('/')[2]}:{near.line}")
    said = quote_others(headline(near.text, 100), near.origin)
    return out.ident(near.id), f"  {said}", where
