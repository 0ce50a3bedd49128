"""`remember`, `pin`, `unpin` and `reinforce`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from reverie.interfaces.cli.command import (
    OriginChoice,
    Verb,
    actor_option,
    secrets_option,
)
from reverie.interfaces.cli.intake import given_text
from reverie.interfaces.cli.mind import thinking
from reverie.interfaces.cli.moments import moment_type
from reverie.interfaces.cli.outcome import told_remembered
from reverie.interfaces.cli.page import Span, Style, counted, row
from reverie.interfaces.cli.session import session_of
from reverie.model.change import REMEMBER, Secrets
from reverie.model.ids import Store
from reverie.model.items import Block, Confidence, EpisodeKind
from reverie.model.origin import Origin
from reverie.model.route import Core, Episodic, Procedural, Semantic, Vault

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reverie.interfaces.cli.page import Page
    from reverie.model.change import Actor, Receipt
    from reverie.model.route import Place

_OPTIONS = {
    Store.EPISODIC: ("kind", "confidence", "tags", "at", "scope"),
    Store.SEMANTIC: ("about", "type", "since", "supersedes", "links"),
    Store.PROCEDURAL: ("name", "when"),
    Store.VAULT: ("title",),
    Store.CORE: ("block", "pinned"),
}
_NEEDED = {Store.SEMANTIC: "about", Store.PROCEDURAL: "name"}


def _only_one(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> str | None:
    if len(given) > 1:
        message = "one fact each time: it was given more than once"
        raise click.BadParameter(message, ctx, param)
    return next(iter(given), None)


@click.command(cls=Verb)
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
@click.pass_context
def remember(ctx: click.Context, /, text: str, **_: object) -> None:
    """Remember TEXT, or standard input for '-'.

    Where it belongs the mind says, if there is one. Otherwise it goes as it is to the
    page of a known name in it, to your own page if it begins with "I" or "my", or to
    the episodes of today. --store decides it yourself. Each line of a procedure is
    one step.

    What is known and close to it is told with the ids to correct it by.

    Passwords and keys are refused. What would steer the agent and does not come from
    you waits until you `reverie accept` it.

        reverie remember "Nora lives in Lisbon and works for Acme."
        reverie remember "Chose the hybrid approach." --kind decision --tag auth
        reverie remember "Prefers tea." --about Alex --type person
        reverie remember "Lives in Lyon." --supersedes person--alex#3f2a9c
        reverie remember - --store procedural --name "how to deploy" < steps.txt
    """
    place, given = _place(ctx), ctx.params
    words = given_text(text)
    session = session_of(ctx)
    with session.open() as memory, thinking(ctx):
        actor = given["actor"] or memory.acting(REMEMBER)
        # A program can say that its user asked for it; only `hear` has heard them.
        origin = given["origin"] or (None if actor.human else Origin.AGENT)
        receipt = memory.remember(
            words,
            place,
            actor=actor,
            trigger=given["trigger"],
            origin=origin,
            secrets=given["secrets"],
            derived_from=given["derived_from"],
            contradicts=given["contradicts"],
        )
        owned = not given["actor"] and receipt.waits and memory.owned
    session.answer(receipt, told_remembered)
    if owned and session.interactive:
        session.warn("an owner passphrase is set: --actor manual asks for it")


def _given(ctx: click.Context, name: str) -> bool:
    return ctx.params[name] not in (None, ())


def _store(ctx: click.Context) -> Store | None:
    """The store that was named, or whose options were used; None for neither."""
    named: Store | None = ctx.params["store"]
    used = (s for s, names in _OPTIONS.items() if any(_given(ctx, n) for n in names))
    return named or next(used, None)


def _place(ctx: click.Context) -> Place | None:
    """Where to put it; an option of another store is a mistake."""
    store = _store(ctx)
    whom = session_of(ctx).for_person
    if store is None:
        # Only an episode can be for one person alone.
        return Episodic(scope=whom) if whom else None
    for owner, names in _OPTIONS.items():
        for name in names:
            if owner is not store and _given(ctx, name):
                option = _option(ctx, name)
                message = f"{option} belongs to --store {owner}, and this is {store}"
                raise click.UsageError(message, ctx)
    needed = _NEEDED.get(store)
    # The id of a fact says on which page it stands.
    cited = store is Store.SEMANTIC and ctx.params["supersedes"]
    if needed and not ctx.params[needed] and not cited:
        message = f"--store {store} needs {_option(ctx, needed)}"
        raise click.UsageError(message, ctx)
    given = {name: ctx.params[name] for name in _OPTIONS[store] if _given(ctx, name)}
    if store is Store.EPISODIC and whom:
        given.setdefault("scope", whom)
    return _PLACES[store](given)


def _option(ctx: click.Context, name: str) -> str:
    found = (p.opts[-1] for p in ctx.command.params if p.name == name)
    return next(found)


def _in_graph(given: Mapping[str, Any]) -> Semantic:
    wanted = dict(given)
    if "since" in wanted:
        wanted["since"] = wanted["since"].date()
    wanted["links"] = tuple(map(_link, wanted.get("links", ())))
    return Semantic(**wanted)


def _link(text: str) -> tuple[str, str]:
    label, equals, target = text.partition("=")
    if not (label.strip() and equals and target.strip()):
        message = f"--link {text!r} is not LABEL=ENTITY, such as 'Uses=tool--vim'"
        raise click.UsageError(message)
    return label.strip(), target.strip().removeprefix("entity:")


def _in_procedures(given: Mapping[str, Any]) -> Procedural:
    return Procedural(given["name"], given.get("when", ""))


_PLACES: dict[Store, Callable[[Mapping[str, Any]], Place]] = {
    Store.EPISODIC: lambda given: Episodic(**given),
    Store.SEMANTIC: _in_graph,
    Store.PROCEDURAL: _in_procedures,
    Store.VAULT: lambda given: Vault(**given),
    Store.CORE: lambda given: Core(**given),
}


@click.command(cls=Verb)
@click.argument("id_", metavar="ID")
@actor_option()
@click.pass_context
def pin(ctx: click.Context, id_: str, actor: Actor | None) -> None:
    """Keep the memory ID from fading.

    A pinned item of core memory is never moved out either.

        reverie pin entity:person--alex
    """
    session = session_of(ctx)
    with session.open() as memory:
        receipt = memory.pin(id_, actor=actor)
    session.answer(receipt, lambda value: _told_pin(value, "Pinned"))


@click.command(cls=Verb)
@click.argument("id_", metavar="ID")
@click.pass_context
def unpin(ctx: click.Context, id_: str) -> None:
    """Let the memory ID fade again.

    Notes in the vault stay pinned for as long as they are there.

        reverie unpin entity:person--alex
    """
    session = session_of(ctx)
    with session.open() as memory:
        receipt = memory.unpin(id_)
    session.answer(receipt, lambda value: _told_pin(value, "Unpinned"))


def _told_pin(receipt: Receipt, word: str) -> Page:
    (id_,) = receipt.ids
    if not receipt.lines:
        return [row(Span(id_, Style.ID), f" was {word.lower()} already")]
    return [
        row(
            Span(f"{word} ", Style.GOOD),
            Span(id_, Style.ID),
            Span(f"  {receipt.commit[:10]}", Style.FAINT),
        )
    ]


@click.command(cls=Verb)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.pass_context
def reinforce(ctx: click.Context, ids: tuple[str, ...]) -> None:
    """Note that memories were of use.

    What is of use fades later. Recalling alone does not count: say so for what
    really went into an answer.

        reverie reinforce entity:person--alex episode:2026-02-02:14:30
    """
    session = session_of(ctx)
    with session.open() as memory:
        for id_ in ids:
            memory.show(id_)  # raises for one that does not exist
        count = memory.reinforce(ids)
    session.answer({"reinforced": count}, lambda told: _told_use(told["reinforced"]))


def _told_use(count: int) -> Page:
    if not count:
        return [row("Nothing to note: what was named does not fade.")]
    words = counted(count, "memory was", "memories were")
    return [row(Span("Noted: ", Style.GOOD), f"{words} of use.")]
