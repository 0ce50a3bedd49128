"""Each view in a real browser: its main act, by what a person sees and clicks."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

import pytest
from tests.page.conftest import PASSPHRASE
from tests.page.served import PATIENCE, go, told, until

from reverie import Memory, ScriptedMind, Semantic

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from playwright.sync_api import Locator, Page
    from tests.page.conftest import Serve
    from tests.page.served import Browsers, Look

    from reverie.minds.mind import Question

    See = Callable[..., Page]

MIRA = "memory/graph/entities/person--mira.md"
ORCHESTRA = "Got a place in the Vienna orchestra"
NOON = "The harbour office closes at noon on Fridays."


def card(page: Page, words: str) -> Locator:
    """The innermost part of a page with some words and something to click."""
    with_words = page.locator("section, article").filter(has_text=words)
    return with_words.filter(has=page.get_by_role("button")).last


def item(page: Page, words: str) -> Locator:
    """An entry of a list."""
    return page.get_by_role("listitem").filter(has_text=words).last


# --- inbox -------------------------------------------------------------------------


def test_a_reflection_is_approved_in_parts_with_an_edit_and_taken_back(
    see: See, root: Path
) -> None:
    page = see(root)
    heading = page.get_by_role("heading", name=re.compile(r"Reflection #\d+ waits"))
    number = int(re.findall(r"\d+", heading.inner_text())[0])
    changes = page.get_by_role("region", name=re.compile(r"^Change \d+$"))
    wanted = changes.filter(has_text=ORCHESTRA)
    last = changes.last.get_by_role("checkbox").first
    assert changes.count() > 1
    assert ORCHESTRA not in changes.last.inner_text()

    last.uncheck()
    wanted.get_by_text("Edit it").click()
    words = wanted.get_by_role("textbox")
    words.fill(words.input_value() + ", second desk")
    page.get_by_role("button", name="Approve what is ticked").click()

    told(page, f"Reflection #{number}")
    said = page.get_by_role("status").first.inner_text()
    assert "1 left out" in said
    assert "second desk" in (root / MIRA).read_text("utf-8")

    go(page, "Ledger")
    page.get_by_text("Find changes by somebody").click()
    page.get_by_label("By").select_option("Reflections")
    page.get_by_role("button", name="Show", exact=True).click()
    newest = page.get_by_role("article").first
    newest.locator("a.id").first.click()
    page.get_by_role("link", name="Take back all of reflection").click()
    assert "second desk" in page.get_by_role("region", name="What changes").inner_text()
    page.get_by_role("button", name="Take it back").click()
    told(page, "Went back")
    assert "second desk" not in (root / MIRA).read_text("utf-8")


def test_tokens_are_given_for_a_reflection(see: See, empty: Path) -> None:
    with Memory(empty) as memory:
        memory.tidy_on_close = False
        memory.observe([{"text": "Ana lives in Lisbon.", "about": "person--ana"}])
    page = see(empty, REVERIE_MIND_KIND="host")

    page.get_by_role("button", name="Reflect now").click()
    page.get_by_role("heading", name="Tokens for a reflection").wait_for()
    page.get_by_label("Or say it").fill("grant 5000: enough for today")
    page.get_by_role("button", name="Answer").click()

    told(page, "5,000")
    page.get_by_role("heading", name="Reflecting…").wait_for()


def test_a_proposal_is_accepted_and_one_that_contradicts_is_rejected(
    see: See, root: Path
) -> None:
    with Memory(root) as memory, memory.acting_as("skeptic") as agent:
        memory.tidy_on_close = False
        known = memory.recall("Who designs the icons of Lighthouse?").hits[0].id
        agent.propose(
            "Teo never drew an icon.", entities=["person--teo"], contradicts=[known]
        )
    page = see(root)
    clash = page.get_by_role("region", name=re.compile(r"^Proposal")).filter(
        has_text="Teo never drew"
    )
    assert "Contradicts" in clash.inner_text()

    following = page.locator(f"#{clash.get_attribute('id')} ~ section[id]").first
    following_id = following.get_attribute("id")
    clash.get_by_role("button", name="Reject").click()
    told(page, "off the list")
    assert page.url.endswith(f"#{following_id}")
    assert page.evaluate("document.activeElement.id") == following_id
    proposal = page.get_by_role("region", name=re.compile(r"^Proposal"))
    proposal.filter(has_text=NOON).get_by_role("button", name="Accept").click()

    told(page, "is a memory now")
    assert page.get_by_text(NOON).count() == 0
    office = root / "memory/graph/entities/place--harbour-office.md"
    assert NOON.rstrip(".") in office.read_text("utf-8")


def test_what_holds_is_settled_by_a_click(see: See, root: Path) -> None:
    page = see(root)
    page.get_by_label(re.compile("Mira lives in Vienna")).check()
    page.get_by_role("button", name="Settle it").click()

    told(page, "settled")
    assert page.get_by_text("Which holds?").count() == 0


def test_two_pages_are_merged(see: See, own_desk: Path) -> None:
    page = see(own_desk)
    pair = card(page, "person--greta-lindholm")
    pair.get_by_role("button", name="They are one").click()

    told(page, "is a part of")
    assert page.get_by_role("heading", name="One and the same?").count() == 0
    greta = own_desk / "memory/graph/entities/person--greta-lindholm.md"
    assert "Greta has a dog" in greta.read_text("utf-8")


def test_two_pages_are_kept_apart(see: See, own_desk: Path) -> None:
    page = see(own_desk)
    card(page, "person--greta-lindholm").get_by_role(
        "button", name="They are not"
    ).click()

    told(page, "stay apart")
    assert page.get_by_role("heading", name="One and the same?").count() == 0
    assert (own_desk / "memory/graph/entities/person--greta.md").exists()


def test_an_alert_is_seen_and_gone(see: See, own_desk: Path) -> None:
    page = see(own_desk)
    alert = card(page, "SOUL.md")
    assert "Be kind." in alert.inner_text()
    alert.get_by_role("button", name="I have seen it").click()

    told(page, "SOUL.md")
    assert page.get_by_role("heading", name="Look at this").count() == 0


def test_a_new_self_image_is_written(see: See, own_desk: Path) -> None:
    page = see(own_desk)
    assert page.get_by_text("Somebody who asks who").first.is_visible()
    page.get_by_role("button", name="Write it into IDENTITY.md").click()

    told(page, "stands in IDENTITY.md")
    assert "asks who" in (own_desk / "IDENTITY.md").read_text("utf-8")
    assert page.get_by_role("heading", name="A new self-image").count() == 0


# --- what is known -----------------------------------------------------------------


def test_a_question_is_answered_with_its_reasons_at_a_budget_one_drags(
    see: See, root: Path
) -> None:
    page = see(root)
    go(page, "Ask")
    page.get_by_label("A question or a message").fill("Where does Mira live?")
    page.get_by_role("button", name="Ask").click()
    hit = page.get_by_role("article").filter(has_text="Mira lives in Vienna.").first
    assert hit.get_by_role("list", name="Why it was found").is_visible()
    hit.get_by_text("What the score is made of").click()
    assert hit.get_by_role("table").is_visible()

    slider = page.get_by_role("slider")
    before = int(slider.input_value())
    entries = page.evaluate("history.length")
    slider.focus()
    slider.press("Home")
    page.wait_for_url(re.compile("budget=100"))
    page.get_by_text("of 100 tokens taken").wait_for()
    assert int(page.get_by_role("slider").input_value()) == 100 < before
    # Back leaves the question, not one step of the slider.
    assert page.evaluate("history.length") == entries


def test_a_line_of_core_memory_is_added_edited_pinned_and_removed(
    see: See, root: Path
) -> None:
    page = see(root)
    core = root / "MEMORY.md"
    go(page, "Core")
    block = page.get_by_role("region", name="Critical Facts")
    block.get_by_text("Add a line").click()
    block.get_by_label("A line for Critical Facts").fill("Never sails at new moon")
    block.get_by_role("button", name="Add it").click()
    told(page, "Kept in Critical Facts")
    assert "Never sails at new moon" in core.read_text("utf-8")

    line = item(page, "Never sails at new moon")
    line.get_by_text("Edit", exact=True).click()
    line.get_by_label("What it shall say").fill("Never sails at full moon")
    line.get_by_role("button", name="Keep it so").click()
    told(page, "The line says so now")
    assert "Never sails at full moon" in core.read_text("utf-8")

    line = item(page, "Never sails at full moon")
    line.get_by_role("button", name="Pin", exact=True).click()
    told(page, "pinned")
    line.get_by_role("button", name="Unpin").wait_for()

    line.get_by_role("button", name="Remove").click()
    told(page, "forgotten")
    assert "full moon" not in core.read_text("utf-8")


def test_what_is_refused_is_in_its_form_again_and_its_reason_in_sight(
    see: See, root: Path
) -> None:
    page = see(root)
    go(page, "Core")
    words = "Never sails at new moon, nor without tea. " * 400
    block = page.get_by_role("region", name="Critical Facts")
    block.get_by_text("Add a line").click()
    block.get_by_label("A line for Critical Facts").fill(words)
    block.get_by_role("button", name="Add it").click()

    said = page.get_by_role("status").first
    said.wait_for()
    box, size = said.bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    assert 0 <= box["y"] < size["height"] / 2
    assert "tokens" in said.inner_text()
    field = page.get_by_label("A line for Critical Facts")
    field.wait_for()
    assert field.input_value() == words
    said.get_by_role("button", name="Put this message away").click()
    assert page.locator(".told.problem").count() == 0


def test_a_day_is_opened_and_the_page_of_an_episode_reached(
    see: See, root: Path
) -> None:
    page = see(root)
    go(page, "Timeline")
    day = page.get_by_role("region").filter(has_text="four floors in Vienna").last
    name = day.get_by_role("heading").first.inner_text()
    day.get_by_role("heading").get_by_role("link").click()
    page.get_by_role("heading", name=name, level=1).wait_for()
    happened = item(page, "four floors in Vienna")
    happened.get_by_role("link", name=re.compile("The memory of")).click()

    page.get_by_role("heading", name="What you can do").wait_for()
    assert "four floors in Vienna" in page.get_by_role("main").inner_text()


def test_a_turn_is_corrected_and_one_deleted_beside_a_summary_in_light_blue(
    see: See, root: Path
) -> None:
    page = see(root)
    go(page, "Conversations")
    page.get_by_role("link", name="kitchen-table").first.click()
    summary = page.get_by_role("article").filter(has_text="Summary").last
    dream = "getComputedStyle(document.documentElement).getPropertyValue('--dream')"
    colour = summary.evaluate("each => getComputedStyle(each).backgroundColor")
    light_blue = [int(part) for part in re.findall(r"\d+", colour)[:3]]
    assert light_blue[2] == max(light_blue)
    assert page.evaluate(dream).strip() == "#{:02x}{:02x}{:02x}".format(*light_blue)

    turn = page.get_by_role("article").filter(has_text="They are too blue.")
    turn.get_by_text("Edit or delete").click()
    turn.get_by_label("What it says").fill("They are far too blue. But finished.")
    turn.get_by_role("button", name="Correct it").click()
    told(page, "is corrected")
    assert "edited" in (
        page.get_by_role("article").filter(has_text="far too blue").inner_text()
    )

    turn = page.get_by_role("article").filter(has_text="I can hear you being relieved")
    turn.get_by_text("Edit or delete").click()
    turn.get_by_role("button", name="Delete this side alone").click()
    told(page, "is deleted")
    gone = page.get_by_role("article").filter(has_text="I can hear you being relieved")
    assert not gone.get_by_text("I can hear you").is_visible()


def test_a_conversation_shows_that_it_reflects_while_it_does(
    see: See, root: Path
) -> None:
    asked, may_answer = threading.Event(), threading.Event()

    def think(_: Question) -> Mapping[str, object]:
        asked.set()
        assert may_answer.wait(PATIENCE)
        return {"summary": "Blue icons until January; no widget."}

    def reflect() -> None:
        with Memory(root, mind=ScriptedMind(think)) as memory:
            memory.tidy_on_close = False
            memory.window("kitchen-table").reflect()

    page = see(root)
    go(page, "Conversations")
    page.get_by_role("link", name="kitchen-table").first.click()
    page.get_by_role("heading", name="kitchen-table").wait_for()
    agent = threading.Thread(target=reflect)
    agent.start()
    try:
        until(page, asked.is_set)
        page.get_by_text("Reflecting…").wait_for()
    finally:
        may_answer.set()
        agent.join()
    page.get_by_text("Blue icons until January; no widget.").first.wait_for()
    page.get_by_text("Reflecting…").wait_for(state="detached")


def test_the_graph_is_filtered_and_an_entity_opened_and_corrected(
    see: See, root: Path
) -> None:
    page = see(root)
    go(page, "Graph")
    page.get_by_label("Type").select_option(
        page.get_by_role("option", name=re.compile("^person")).inner_text()
    )
    page.get_by_label("Status").select_option("active")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url(re.compile("type=person.*status=active"))
    table = page.get_by_role("region", name="The same as a table")
    kinds = table.get_by_role("row").filter(has_text="person")
    assert kinds.count() == table.get_by_role("row").count() - 1
    # On the picture, by the keyboard: a dot may lie under another's name.
    page.get_by_role("link", name=re.compile("^Teo, person")).press("Enter")

    page.get_by_role("heading", name="Teo", level=1).wait_for()
    fact = item(page, "Teo designs the icons")
    fact.get_by_text("Correct or forget").click()
    fact.get_by_label("What is true").fill("Teo designs the icons and the moon.")
    fact.get_by_role("button", name="Correct it").click()
    told(page, "Corrected")
    teo = root / "memory/graph/entities/person--teo.md"
    assert "and the moon" in teo.read_text("utf-8")


def test_an_entity_is_renamed_merged_and_one_forgotten_after_a_preview(
    see: See, root: Path
) -> None:
    page = see(root)
    go(page, "Graph")
    page.get_by_role("cell", name="Teo", exact=True).or_(
        page.get_by_role("rowheader", name="Teo", exact=True)
    ).get_by_role("link").click()
    page.get_by_text("Rename it", exact=True).first.click()
    page.get_by_label("Name", exact=True).fill("Teodor")
    page.get_by_role("button", name="Rename it").click()
    told(page, "Teodor")

    page.get_by_text("Merge it into another").click()
    page.get_by_label("The page that stays").fill("Mira")
    page.get_by_role("button", name="Show what that would do").click()
    page.get_by_role("heading", name="Merge Teodor into Mira?").wait_for()
    entities = root / "memory/graph/entities"
    assert (entities / "person--teodor.md").exists()
    page.get_by_role("button", name="Merge them").click()
    told(page, "is a part of")
    assert not (entities / "person--teodor.md").exists()

    fact = item(page, "plays the viola")
    fact.get_by_text("Correct or forget").click()
    fact.get_by_role("link", name="Forget it…").click()
    page.get_by_role("heading", name="Forget this?").wait_for()
    assert "plays the viola" in (entities / "person--mira.md").read_text("utf-8")
    page.get_by_role("button", name="Forget what is ticked").click()
    told(page, "Forgot it")
    assert page.get_by_role("listitem").filter(has_text="plays the viola").count() == 0


# --- how it is, and going back -----------------------------------------------------


def test_every_file_is_checked_beside_a_curve_of_how_memories_fade(
    see: See, root: Path
) -> None:
    lunch = root / "memory/episodes/2026-01-01.md"
    lunch.write_text("# 2026-01-01\n\n## lunch\nnothing\n", encoding="utf-8")
    page = see(root)
    go(page, "Health")
    curve = page.get_by_role("img", name=re.compile("score of a memory that nobody"))
    assert curve.is_visible()
    assert curve.locator("path").count() >= 3
    page.get_by_role("link", name="Check every file").click()

    page.get_by_role("heading", name="What was found in the files").wait_for()
    assert item(page, "2026-01-01.md:3").is_visible()


def test_one_file_is_brought_back_and_all_of_it_to_a_moment_after_a_preview(
    see: See, own_desk: Path
) -> None:
    path = "memory/graph/entities/person--greta.md"
    with Memory(own_desk, human=lambda _: True) as memory:
        memory.tidy_on_close = False
        memory.correct("Greta has a dog.", "Greta has two cats.")
        memory.remember("Greta sings.", Semantic("person--greta"))
    page = see(own_desk)
    go(page, "Ledger")
    page.get_by_text("Find changes by somebody").click()
    page.get_by_label("To the file").fill(path)
    page.get_by_role("button", name="Show", exact=True).click()
    page.wait_for_url(re.compile("path="))
    page.get_by_role("article").nth(1).locator("a.id").first.click()
    diff = page.get_by_role("region", name="What changes")
    assert "Greta has two cats." in diff.inner_text()
    page.get_by_text("Bring back one file").click()
    page.get_by_role("link", name=path).last.click()
    page.get_by_role("heading", name="Bring back one file?").wait_for()
    assert "Greta sings." in diff.inner_text()
    assert "Greta sings." in (own_desk / path).read_text("utf-8")
    page.get_by_role("button", name="Take it back").click()
    told(page, "Went back")
    assert "Greta sings." not in (own_desk / path).read_text("utf-8")

    page.get_by_text("Go back to a moment").click()
    page.get_by_label("Everything as it was at").fill("2026-02-20T12:00")
    page.get_by_role("button", name="Show what would change").click()
    page.get_by_role("heading", name="Go back to 20 Feb 2026").wait_for()
    assert "Greta has two cats." in diff.inner_text()
    page.get_by_role("button", name="Go back", exact=True).click()
    told(page, "Went back")
    assert "Greta has two cats." not in (own_desk / path).read_text("utf-8")


@pytest.mark.usefixtures("pictures")
def test_the_owner_is_asked_for_their_passphrase_once_in_each_browser(
    browsers: Browsers, serve: Serve, owned: Path, look: Look
) -> None:
    browsers.allowed.append("status of 403")
    served = serve(owned)
    page = browsers.enter(served.link, look)
    page.get_by_label(re.compile("Mira lives in Vienna")).check()
    page.get_by_role("button", name="Settle it").click()
    page.get_by_label("Passphrase").fill("not this one")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("status").first.wait_for()
    page.get_by_label("Passphrase").fill(PASSPHRASE)
    page.get_by_role("button", name="Go on").click()
    told(page, "settled")

    go(page, "Core")
    page.get_by_role("button", name="Pin", exact=True).first.click()
    told(page, "pinned")

    other = browsers.enter(served.link, look)
    accept = card(other, NOON).get_by_role("button", name="Accept")
    accept.click()
    other.get_by_role("heading", name="Only you decide this").wait_for()
    other.get_by_role("link", name="Leave it").click()
    accept.click()
    other.get_by_role("heading", name="Only you decide this").wait_for()


def test_an_empty_workspace_says_what_each_view_will_show(
    see: See, empty: Path
) -> None:
    page = see(empty)
    assert page.get_by_text("connect claude-code").is_visible()
    says = {
        "Core": "Nothing stands here yet",
        "Timeline": "Nothing has been remembered yet",
        "Conversations": "Nothing has been said yet",
        "Graph": "Here you will see",
        "Health": "Nothing is remembered yet",
        "Ask": "Here you see what your agent finds",
        "Ledger": "Every change to this memory",
    }
    for view, words in says.items():
        go(page, view)
        assert page.get_by_text(words).first.is_visible()
