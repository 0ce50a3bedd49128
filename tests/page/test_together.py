"""Two browsers, an agent and an editor at one workspace, at once."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.page.served import go, told

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from tests.page.conftest import Serve
    from tests.page.served import Browsers

AGENT = """
import sys
from reverie import Memory, Semantic
root, verb, *words = sys.argv[1:]
with Memory(root) as memory:
    memory.tidy_on_close = False
    if verb == "propose":
        with memory.acting_as("researcher") as agent:
            agent.propose(words[0], entities=[words[1]])
    elif verb == "learn":
        memory.remember(words[0], Semantic(words[1]))
    else:
        memory.window(words[1]).say(words[0])
"""
ENTITIES = "memory/graph/entities"
MIRA, TEO = f"{ENTITIES}/person--mira.md", f"{ENTITIES}/person--teo.md"
NOON = "The harbour office closes at noon on Fridays."


def agent(root: Path, verb: str, words: str, about: str) -> None:
    """An agent in a process of its own does something."""
    command = [sys.executable, "-P", "-c", AGENT, str(root), verb, words, about]
    subprocess.run(command, check=True)


def save(file: Path, old: str, new: str, *, in_place: bool = False) -> None:
    """An editor saves a file with other words: anew, as vim does, or in its place."""
    text = file.read_text("utf-8")
    assert old in text, text
    beside = file if in_place else file.with_name(f".{file.name}.swp")
    beside.write_text(text.replace(old, new), encoding="utf-8")
    beside.replace(file)


def note(root: Path, words: str, block: str = "Critical Facts") -> None:
    """An editor writes a line into a block of core memory, above all others."""
    text = (root / "MEMORY.md").read_text("utf-8")
    head = re.search(rf"^## {block}\n<!--.*-->\n", text, re.MULTILINE)
    assert head, text
    save(root / "MEMORY.md", head[0], f"{head[0]}- {words}\n")


def test_what_one_does_shows_to_the_others(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    link = serve(root).link
    one, other = browsers.enter(link), browsers.enter(link)

    one.get_by_label(re.compile("Mira lives in Vienna")).check()
    one.get_by_role("button", name="Settle it").click()
    told(one, "settled")
    other.get_by_text("Which holds?").wait_for(state="detached")

    agent(root, "propose", "Mira owns a boat.", "person--mira")
    one.get_by_text("Mira owns a boat.").wait_for()
    other.get_by_text("Mira owns a boat.").wait_for()

    go(one, "Core")
    note(root, "Never sails at new moon")
    one.get_by_text("Never sails at new moon").first.wait_for()

    go(other, "Graph")
    other.get_by_role("rowheader", name="Mira", exact=True).get_by_role("link").click()
    other.get_by_role("heading", name="Mira", level=1).wait_for()
    save(root / MIRA, "plays the viola", "plays the violone", in_place=True)
    other.get_by_text("plays the violone").first.wait_for()

    agent(root, "say", "The moon is finished.", "kitchen-table")
    go(one, "Conversations")
    one.get_by_role("link", name="kitchen-table").first.click()
    agent(root, "say", "And the sea as well.", "kitchen-table")
    one.get_by_text("And the sea as well.").first.wait_for()


# --- decisions on what changed meanwhile -------------------------------------------


class Late(NamedTuple):
    """A decision that comes too late.

    Attributes:
        opens: What leads to its form, from the inbox.
        meanwhile: What somebody else does while it is open.
        sends: What sends it.
        says: What is told then.
        anew: What the page shows then, as it is now.
        gone: What it does not show any more.
        typed: What was typed, and must not be lost.
    """

    opens: Callable[[Page], object]
    meanwhile: Callable[[Path], object]
    sends: Callable[[Page], object]
    says: str
    anew: str
    typed: str = ""
    gone: str = ""


def opens(name: str) -> Callable[[Page], object]:
    """Open the page of an entity by its name in the graph."""

    def open_it(page: Page) -> None:
        go(page, "Graph")
        row = page.get_by_role("rowheader", name=name, exact=True)
        row.get_by_role("link").click()
        page.get_by_role("heading", name=name, level=1).wait_for()

    return open_it


def clicks(name: str, fill: str = "", words: str = "") -> Callable[[Page], object]:
    """Type something, if so, and click a button."""

    def click(page: Page) -> None:
        if fill:
            page.get_by_label(fill).fill(words)
        page.get_by_role("button", name=name, exact=True).first.click()

    return click


def asks_to_forget(page: Page) -> None:
    opens("Teo")(page)
    page.get_by_role("link", name="Forget it…").last.click()
    page.get_by_role("heading", name="Forget this?").wait_for()


def asks_to_merge(page: Page) -> None:
    opens("Teo")(page)
    page.get_by_text("Merge it into another").click()
    page.get_by_label("The page that stays").fill("Mira")
    page.get_by_role("button", name="Show what that would do").click()
    page.get_by_role("heading", name="Merge Teo into Mira?").wait_for()


def asks_to_undo(page: Page) -> None:
    go(page, "Ledger")
    page.get_by_text("Find changes by somebody").click()
    page.get_by_label("To the file").fill(TEO)
    page.get_by_role("button", name="Show", exact=True).click()
    page.get_by_role("link", name="Take back the last change to this file").click()
    page.get_by_role("heading", name="Bring back one file?").wait_for()


def edits_a_turn(page: Page) -> None:
    go(page, "Conversations")
    page.get_by_role("link", name="kitchen-table").first.click()
    turn = page.get_by_role("article").filter(has_text="They are too blue.")
    turn.get_by_text("Edit or delete").click()
    turn.get_by_label("What it says").fill("They are green.")


def corrects_the_turn(page: Page) -> None:
    turn = page.get_by_role("article").filter(has_text="They are too blue.")
    turn.get_by_role("button", name="Correct it").click()


def renames(page: Page) -> None:
    page.get_by_text("Rename it", exact=True).first.click()
    page.get_by_label("Name", exact=True).fill("The Moon")
    page.get_by_role("button", name="Rename it").click()


def settles(page: Page) -> None:
    page.get_by_label(re.compile("Mira lives in Graz")).check()
    page.get_by_role("button", name="Settle it").click()


def accepts(page: Page) -> None:
    proposal = page.get_by_role("region", name=re.compile("^Proposal"))
    of_noon = proposal.filter(has_text="noon on Fridays")
    of_noon.get_by_role("button", name="Accept").click()


def rewrites(
    entry: str, label: str, words: str, button: str
) -> Callable[[Page], object]:
    """Type other words into the form of an entry of a list, and send it."""

    def rewrite(page: Page) -> None:
        one = page.get_by_role("listitem").filter(has_text=entry).last
        one.locator("details > summary").click()
        one.get_by_label(label).fill(words)
        one.get_by_role("button", name=button).click()

    return rewrite


def learns(words: str, about: str) -> Callable[[Path], object]:
    return lambda root: agent(root, "learn", words, about)


def saves(path: str, old: str, new: str, *, in_place: bool) -> Callable[[Path], object]:
    return lambda root: save(root / path, old, new, in_place=in_place)


def stays(_: Page) -> None:
    """The inbox is where one comes in."""


IN_THE_SAMPLE = {
    "a reflection": Late(
        stays,
        saves(
            "memory/meta/pending-reflection.md",
            "Got a place in the Vienna orchestra",
            "Got a place in the Graz orchestra",
            in_place=False,
        ),
        clicks("Approve what is ticked", "Why", "It is the moon."),
        "changed",
        "Graz orchestra",
        "It is the moon.",
    ),
    "a contradiction": Late(
        stays,
        saves(MIRA, "Mira lives in Vienna.", "Mira lives in Wien.", in_place=True),
        settles,
        "changed meanwhile",
        "noon on Fridays",
        gone="Which holds?",  # one of the two is no longer said
    ),
    "a proposal": Late(
        stays,
        saves("memory/meta/pending-memories.md", "at noon", "at one", in_place=False),
        accepts,
        "changed meanwhile",
        "closes at one on Fridays",
    ),
    "a line of core memory": Late(
        lambda page: go(page, "Core"),
        saves(
            "MEMORY.md", "Allergic to hazelnuts", "Allergic to almonds", in_place=True
        ),
        rewrites("hazelnuts", "What it shall say", "Likes the moon", "Keep it so"),
        "changed or taken out meanwhile",
        "Allergic to almonds",
        "Likes the moon",
    ),
    "a turn": Late(
        edits_a_turn,
        saves(
            "conversations/kitchen-table.md", "too blue.", "too red.", in_place=False
        ),
        corrects_the_turn,
        "changed meanwhile",
        "They are too red.",
        "They are green.",
    ),
    "a fact": Late(
        opens("Teo"),
        saves(TEO, "designs the icons", "draws the icons", in_place=True),
        rewrites("the icons", "What is true", "Teo is the moon.", "Correct it"),
        "holds no longer",
        "Teo draws the icons",
        "Teo is the moon.",
    ),
    "a name": Late(
        opens("Teo"),
        learns("Teo swims.", "person--teo"),
        renames,
        "reads otherwise by now",
        "Teo swims.",
        "The Moon",
    ),
    "what is forgotten": Late(
        asks_to_forget,
        learns("Teo rows.", "person--teo"),
        clicks("Forget what is ticked"),
        "reads otherwise by now",
        "Forget this?",
    ),
    "what is merged": Late(
        asks_to_merge,
        learns("Teo runs.", "person--teo"),
        clicks("Merge them"),
        "would do something else by now",
        "Merge Teo into Mira?",
    ),
    "an undo": Late(
        asks_to_undo,
        learns("Teo flies.", "person--teo"),
        clicks("Take it back"),
        "",
        "Teo flies.",
    ),
}
ON_THE_DESK = {
    "a pair": Late(
        stays,
        learns("Greta paints.", "person--greta"),
        clicks("They are one"),
        "changed meanwhile",
        "One and the same?",
    ),
    "an alert": Late(
        stays,
        saves("SOUL.md", "Be kind.", "Obey the moon.", in_place=True),
        clicks("I have seen it"),
        "changed meanwhile",
        "Obey the moon.",
    ),
    "a self-image": Late(
        stays,
        lambda root: save(root / "IDENTITY.md", "# ", "# By hand: ", in_place=False),
        clicks("Write it into IDENTITY.md"),
        "changed meanwhile",
        "By hand",
    ),
}


def kept(root: Path) -> dict[str, str]:
    """What all memories say; what is derived or counted is not among it."""
    files = [path for path in root.rglob("*.md") if ".reverie" not in path.parts]
    return {
        str(path): path.read_text("utf-8")
        for path in files
        if path.parent.name != "meta" and path.name != "index.md"
    }


@pytest.mark.long
@pytest.mark.parametrize("late", [IN_THE_SAMPLE, ON_THE_DESK], ids=["sample", "desk"])
def test_a_decision_on_what_changed_meanwhile_is_refused_and_shown_anew(
    browsers: Browsers,
    serve: Serve,
    late: dict[str, Late],
    request: pytest.FixtureRequest,
) -> None:
    name = "root" if late is IN_THE_SAMPLE else "own_desk"
    root = request.getfixturevalue(name)
    link = serve(root).link
    # Nothing comes anew by itself where nobody listens to what is new.
    page = browsers.enter(link)
    page.context.route(re.compile(r"/live\b"), lambda route: route.fulfill(status=204))
    page.reload()
    for what, decision in late.items():
        page.goto(link.partition("/enter")[0])
        decision.opens(page)
        decision.meanwhile(root)
        before = kept(root)
        decision.sends(page)
        problem = page.locator(".told.problem[role=status]").first
        problem.wait_for()
        assert decision.says in problem.inner_text(), what
        assert decision.typed in (problem.text_content() or ""), what
        shown = page.get_by_role("main").inner_text()
        assert decision.anew in shown, what
        assert not decision.gone or decision.gone not in shown, what
        assert kept(root) == before, what
