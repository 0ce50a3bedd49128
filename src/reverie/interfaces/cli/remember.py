"""`remember`: keep something, where it belongs, and tell what is near to it."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.command import (
    OriginChoice,
    actor_option,
    moment_type,
    secrets_option,
    verb,
)
from reverie.interfaces.cli.output import bad, faint, good, ident, warn
from reverie.interfaces.cli.session import MUST_ANSWER, given_text
from reverie.markdown import headline
from reverie.model.change import REMEMBER, Secrets
from reverie.model.ids import Store
from reverie.model.items import Block, Confidence, EpisodeKind
from reverie.model.origin import Origin
from reverie.model.reflection import HostQuestion
from reverie.model.route import Core, Episodic, Procedural, Semantic, Vault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reverie.interfaces.cli.output import Line
    from reverie.interfaces.cli.session import Session
    from reverie.model.change import Near, Remembered
    from reverie.model.route import Place

_OPTIONS = {
    Store.EPISODIC: ("kind", "confidence", "tags", "at", "scope"),
    Store.SEMANTIC: ("about", "type", "since", "supersedes", "links"),
    Store.PROCEDURAL: ("name", "when"),
    Store.VAULT: ("title",),
    Store.CORE: ("block", "pinned"),
}
_PLACES: dict[Store, Any] = {
    Store.EPISODIC: Episodic,
    Store.SEMANTIC: Semantic,
    Store.PROCEDURAL: Procedural,
    Store.VAULT: Vault,
    Store.CORE: Core,
}


def _only_one(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> str | None:
    if len(given) > 1:
        message = "one fact each time: it was given more than once"
        raise click.BadParameter(message, ctx, param)
    return next(iter(given), None)


@verb()
@click.argument("text")
@click.option(
    "-s",
    "--store",
    type=click.Choice(tuple(_OPTIONS), case_sensitive=False),
    help="Where it belongs; without it, that is found out.",
)
@click.option(
    "--kind",
    type=click.Choice(EpisodeKind, case_sensitive=False),
    help="episodic: what sort of event.  [default: event]",
)
@click.option(
    "--confidence",
    type=click.Choice(Confidence, case_sensitive=False),
    help="episodic: how sure you are.  [default: high]",
)
@click.option(
    "--tag", "tags", multiple=True, metavar="TAG", help="episodic: a topic; repeatable."
)
@click.option(
    "--at",
    type=moment_type(),
    metavar="WHEN",
    help="episodic: when it happened.  [default: now]",
)
@click.option(
    "--person",
    "scope",
    metavar="NAME",
    help="episodic: whom it is for alone.  [default: everybody]",
)
@click.option("--about", metavar="NAME", help="semantic: whom or what it is about.")
@click.option(
    "--type", metavar="TYPE", help="semantic: person, project, …  [default: concept]"
)
@click.option(
    "--since",
    type=moment_type(),
    metavar="DAY",
    help="semantic: since when it holds.  [default: today]",
)
@click.option(
    "--supersedes",
    multiple=True,
    callback=_only_one,
    metavar="FACT",
    help="semantic: the fact it takes the place of, by its id or its words.",
)
@click.option(
    "--link",
    "links",
    multiple=True,
    metavar="LABEL=ENTITY",
    help="semantic: a relation, as 'Uses=tool--vim'; repeatable.",
)
@click.option("--name", metavar="NAME", help="procedural: what it is called.")
@click.option("--when", metavar="TRIGGER", help="procedural: when to do it.")
@click.option(
    "--title", metavar="TITLE", help="vault: a heading.  [default: its first words]"
)
@click.option(
    "--block",
    type=click.Choice(Block, case_sensitive=False),
    help="core: which block.  [default: context]",
)
@click.option("--pinned", is_flag=True, default=None, help="core: never move it out.")
@actor_option("bot:trigger-remember")
@click.option(
    "--origin",
    type=OriginChoice(Origin),
    help="Whose words it is: 'tool' for what a web page said.",
)
@click.option(
    "--from",
    "derived_from",
    multiple=True,
    metavar="ID",
    help="A memory that it is made of; repeatable.",
)
@click.option(
    "--contradicts",
    multiple=True,
    metavar="ID",
    help="A known fact that it cannot hold together with; repeatable.",
)
@secrets_option(Secrets.REFUSE)
@click.option(
    "--trigger",
    default="remember",
    metavar="WORDS",
    help="What started it, in the user's words.",
)
def remember(session: Session, text: str, **given: Any) -> None:  # noqa: ANN401 - as typed
    """Remember TEXT, or standard input for '-'.

    Where it belongs the mind says, if there is one. Otherwise it goes as it is to the
    page of a known name in it, to your own page if it begins with "I" or "my", or to
    the episodes of today. --store decides it yourself. Each line of a procedure is
    one step.

    What is known and close to it is told with the ids to correct it by.

    Passwords and keys are refused. What would steer the agent and does not come from
    you waits until you `reverie pending accept` it.

        reverie remember "Nora lives in Lisbon and works for Acme."
        reverie remember "Chose the hybrid approach." --kind decision --tag auth
        reverie remember "Prefers tea." --about Alex --type person
        reverie remember "Lives in Lyon." --supersedes person--alex#3f2a9c
        reverie remember - --store procedural --name "how to deploy" < steps.txt
    """
    place = _place(session, given)
    words = given_text(text)
    with session.open() as memory, thinking(session):
        actor = given["actor"] or memory.acting(REMEMBER)
        # A program can say that its user asked for it; only `hear` has heard them.
        origin = given["origin"] or (None if actor.human else Origin.AGENT)
        passed = ("trigger", "secrets", "derived_from", "contradicts")
        more = {name: given[name] for name in passed}
        receipt = memory.remember(words, place, actor=actor, origin=origin, **more)
        owned = not given["actor"] and receipt.waits and memory.owned
    session.answer(receipt, told_remembered)
    if owned and session.interactive:
        session.warn("an owner passphrase is set: --actor manual asks for it")


def _place(session: Session, given: dict[str, Any]) -> Place | None:
    """Where to put it: the store that was named, or whose options were used."""
    ctx = click.get_current_context()
    spelling = {p.name: p.opts[-1] for p in ctx.command.params}
    used = {name: value for name, value in given.items() if value not in (None, ())}
    stores = (s for s, names in _OPTIONS.items() if not used.keys().isdisjoint(names))
    store: Store | None = given["store"] or next(stores, None)
    if store is None:
        # Only an episode can be for one person alone.
        return Episodic(scope=session.for_person) if session.for_person else None
    for owner, names in _OPTIONS.items():
        for name in names:
            if owner is not store and name in used:
                option = spelling[name]
                message = f"{option} belongs to --store {owner}, and this is {store}"
                raise click.UsageError(message, ctx)
    needed = {Store.SEMANTIC: "about", Store.PROCEDURAL: "name"}.get(store)
    # The id of a fact says on which page it stands.
    if needed and needed not in used and "supersedes" not in used:
        message = f"--store {store} needs {spelling[needed]}"
        raise click.UsageError(message, ctx)
    wanted = {name: used[name] for name in _OPTIONS[store] if name in used}
    if store is Store.EPISODIC and session.for_person:
        wanted.setdefault("scope", session.for_person)
    if "since" in wanted:
        wanted["since"] = wanted["since"].date()
    if "links" in wanted:
        wanted["links"] = tuple(map(_link, wanted["links"]))
    if "when" in wanted:
        wanted["trigger"] = wanted.pop("when")
    place: Place = _PLACES[store](**wanted)
    return place


def _link(text: str) -> tuple[str, str]:
    label, equals, target = text.partition("=")
    if not (label.strip() and equals and target.strip()):
        message = f"--link {text!r} is not LABEL=ENTITY, such as 'Uses=tool--vim'"
        raise click.UsageError(message)
    return label.strip(), target.strip().removeprefix("entity:")


@contextmanager
def thinking(session: Session) -> Iterator[None]:
    """Pass a question on to the host agent, where it is the one who thinks."""
    from reverie.minds.host import HostMustAnswerError

    try:
        yield
    except HostMustAnswerError as error:
        asked = error.question
        question = HostQuestion(asked.id, asked.operation, asked.text, asked.schema)
        session.answer(question, told_question)
        click.get_current_context().exit(MUST_ANSWER)


def told_question(question: HostQuestion) -> Iterator[Line]:
    """That the host agent has to answer something."""
    asked = warn("The host agent has to answer "), ident(question.id)
    yield *asked, faint(f"  ({question.operation})")
    if question.problem:
        yield "  ", bad(f"Last answer: {question.problem}")
    hint = "`reverie mind questions --json` has the prompt and the schema."
    yield "  ", faint(hint)


def told_remembered(receipt: Remembered) -> Iterator[Line]:
    """What became of something that was to be remembered."""
    first, moved = next(iter(receipt.ids), ""), False
    if not receipt.lines:
        yield "Known already, nothing to add: ", ident(first)
        return
    yield good("Remembered "), ident(first), faint(f"  {receipt.commit[:10]}")
    for before, id_ in pairwise(receipt.ids):
        # What had to make room is told right after what took it.
        moved = before.startswith("core:") or moved
        yield warn("Moved out of core memory: ") if moved else "and ", ident(id_)
    if route := receipt.route:
        names = ", ".join(mention.name for mention in route.entities)
        about = f" · about {names}" if names else ""
        filed = f"filed as {route.store}{about} · confidence {route.confidence}"
        yield "  ", faint(filed)
    yield from _cautions(receipt)
    if not receipt.near:
        return
    pages = [f"entity:{near.page}" for near in receipt.near if near.page]
    # A caller who chose the page repeats it; a fact of another is not replaced there.
    fits = first in pages or (receipt.route and pages and first.startswith("entity:"))
    yield faint("Near to it is known:")
    for near in receipt.near:
        yield "  ", *_near(near)
    replaced = (
        "Replaced by it? Repeat with --supersedes ID. Wrong? `reverie forget ID`."
    )
    yield "  ", faint(replaced if fits else "Is one wrong? `reverie forget ID`.")


def _near(near: Near) -> tuple[str, ...]:
    where = faint(f"  {near.path.rpartition('/')[2]}:{near.line}")
    return ident(near.id), f"  {headline(near.text, 100)}", where


def _cautions(receipt: Remembered) -> Iterator[Line]:
    for kind in receipt.redacted:
        yield warn("Redacted: "), kind
    for old in receipt.superseded:
        yield warn("No longer holds: "), *_near(old)
    for other in receipt.contradicts:
        yield warn("It contradicts "), *_near(other)
    if receipt.contradicts:
        yield "  ", faint("Both are kept, and the page asks which holds.")
    for doubt in receipt.doubts:
        yield warn("Perhaps the same as "), ident(doubt)
    if receipt.unrouted:
        yield warn("Kept as it is: "), receipt.unrouted
        yield "  ", faint("It is filed as soon as the mind answers.")
    if receipt.why_it_waits:
        yield warn("Kept as data: "), receipt.why_it_waits
    if receipt.waits:
        yield "  ", faint(f"`reverie pending accept {receipt.waits}` if you want it.")
