"""What arrives while somebody looks, types or has something open."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from tests.page.conftest import PASSPHRASE
from tests.page.served import LOOKS, go, told
from tests.page.test_together import agent, note, save

from reverie import Memory

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Route
    from tests.page.conftest import Serve
    from tests.page.served import Browsers

NOON = "The harbour office closes at noon on Fridays."
MOON = "Never sails at new moon"
CHANGED = "Something changed. Show it."
AT = "document.activeElement.textContent.trim()"
FOCUSED = "each => each === document.activeElement"


def test_what_is_typed_stays_when_something_arrives_and_shows_when_one_is_done(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    page = browsers.enter(serve(root).link)
    go(page, "Core")
    block = page.get_by_role("region", name="Active Context")
    block.get_by_text("Add a line").click()
    field = block.get_by_label("A line for Active Context")
    field.fill("Half a sent")

    note(root, MOON)
    page.get_by_text(CHANGED).wait_for()
    assert field.input_value() == "Half a sent"
    assert page.get_by_text(MOON).count() == 0
    field.press_sequentially("ence")
    assert field.input_value() == "Half a sentence"

    field.fill("")
    field.blur()
    page.get_by_text(MOON).first.wait_for()
    assert not page.get_by_text(CHANGED).is_visible()


@pytest.mark.long
def test_focus_scroll_and_what_is_open_stay_when_something_arrives(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    for words in ("Rows at dawn", "Rows at noon", "Rows at dusk"):
        note(root, words)
    page = browsers.enter(serve(root).link, LOOKS["phone"])
    go(page, "Core")
    line = page.get_by_role("listitem").filter(has_text="Rows at noon")
    line.get_by_text("Edit", exact=True).click()
    remove = line.get_by_role("button", name="Remove")
    remove.focus()
    at = page.evaluate("scrollY")
    assert at > 0

    note(root, MOON)
    page.get_by_text(MOON).first.wait_for()

    assert remove.evaluate(FOCUSED), "of this line, and of no other"
    assert page.evaluate("scrollY") == at
    assert line.get_by_label("What it shall say").is_visible()
    assert page.locator("details[open]").count() == 1


@pytest.mark.long
def test_a_long_change_stays_where_one_reads_it_when_something_arrives(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    page = browsers.enter(serve(root).link, LOOKS["phone"])
    changes = page.get_by_role("region", name="What changes")
    heights = changes.evaluate_all(
        "all => all.map((each) => each.scrollHeight - each.clientHeight)"
    )
    whole = [height for height in heights if height < 2]
    assert len(whole) > len(heights) / 2, "most of them are seen without scrolling"
    longest = changes.nth(heights.index(max(heights)))
    assert max(heights) > 40
    longest.focus()
    longest.evaluate("each => each.scrollTo(0, 40)")

    agent(root, "propose", "Mira owns a boat.", "person--mira")
    page.get_by_text("Mira owns a boat.").wait_for()

    assert longest.evaluate("each => each.scrollTop") == 40
    assert longest.evaluate(FOCUSED)


@pytest.mark.long
def test_who_is_at_something_that_goes_away_stays_near_it_and_presses_nothing_else(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    for words in ("Mira owns a boat.", "Mira owns a bell."):
        agent(root, "propose", words, "person--mira")
    link = serve(root).link
    page, other = browsers.enter(link), browsers.enter(link)
    boat, bell = (
        each.get_by_role("region", name=re.compile("^Proposal")).filter(has_text=words)
        for each, words in ((other, "owns a boat"), (page, "owns a bell"))
    )
    page.get_by_role("region").filter(has_text="owns a boat").last.get_by_role(
        "button", name="Later"
    ).focus()

    boat.get_by_role("button", name="Reject").click()
    page.get_by_text("Mira owns a boat.").wait_for(state="detached")
    page.keyboard.press("Enter")
    # What stands before it has something to press as well.
    for _ in range(6):
        page.keyboard.press("Tab")
        if bell.get_by_role("link").evaluate(FOCUSED):
            break
    else:
        raise AssertionError(page.evaluate(AT))
    assert bell.get_by_role("button", name="Accept").is_visible()


@pytest.mark.long
def test_what_was_told_stays_when_something_arrives(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    link = serve(root).link
    page, other = browsers.enter(link), browsers.enter(link)
    proposal = page.get_by_role("region", name=re.compile("^Proposal"))
    proposal.filter(has_text=NOON).get_by_role("button", name="Accept").click()
    told(page, "is a memory now")
    other.get_by_text(NOON).wait_for(state="detached")

    agent(root, "propose", "Mira owns a boat.", "person--mira")
    page.get_by_text("Mira owns a boat.").wait_for()
    told(page, "is a memory now")


@pytest.mark.long
def test_what_arrives_before_a_page_listens_shows_all_the_same(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    page = browsers.enter(serve(root).link)

    def before_it_listens(route: Route) -> None:
        agent(root, "propose", "Mira owns a boat.", "person--mira")
        route.continue_()

    page.route(re.compile("/live"), before_it_listens, times=1)
    page.reload()
    page.get_by_text("Mira owns a boat.").wait_for()


@pytest.mark.long
def test_a_tab_that_nobody_looks_at_holds_no_line_and_is_current_when_one_does(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    page = browsers.enter(serve(root).link)
    page.wait_for_function("() => live.readyState === EventSource.OPEN")
    page.evaluate(HIDES, arg=True)
    assert page.evaluate("() => live.readyState === EventSource.CLOSED")

    agent(root, "propose", "Mira owns a boat.", "person--mira")
    assert page.get_by_text("Mira owns a boat.").count() == 0
    page.evaluate(HIDES, arg=False)
    page.get_by_text("Mira owns a boat.").wait_for()


def fork(root: Path) -> None:
    """Give a copy of the sample an ID of its own, and with it a port of its own."""
    with Memory(root, human=lambda _: True) as memory:
        memory.tidy_on_close = False
        memory.fork_workspace()


def test_a_tab_goes_on_by_itself_when_the_service_is_started_again(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    fork(root)
    served = serve(root)
    browsers.allowed += ["ERR_", "status of 401", urlsplit(served.link).netloc]
    page = browsers.enter(served.link)
    go(page, "Core")
    bookmark = page.url
    block = page.get_by_role("region", name="Active Context")
    block.get_by_text("Add a line").click()
    block.get_by_label("A line for Active Context").fill("Rows at dawn")

    assert served.end() == "", "nobody is told of it as of a mishap"
    page.get_by_text("The service has ended").wait_for()
    note(root, MOON)
    served.start()
    page.get_by_text("The service has ended").wait_for(state="hidden")
    assert block.get_by_label("A line for Active Context").input_value()
    block.get_by_role("button", name="Add it").click()
    page.get_by_text("Rows at dawn").first.wait_for()
    page.get_by_text(MOON).first.wait_for()

    page.goto(bookmark)
    page.get_by_role("heading", name="Core", level=1).wait_for()
    assert page.url != bookmark, "the folder of the page is another one"


def test_a_browser_proves_nothing_to_another_program_on_the_port(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    fork(root)
    served = serve(root)
    browsers.allowed += ["ERR_", "status of", urlsplit(served.link).netloc]
    page = browsers.enter(served.link)
    go(page, "Core")
    got = list[str]()

    def answers(route: Route) -> None:
        got.append(f"{route.request.method} {route.request.url}")
        lie = {"nonce": "0" * 32, "proof": "0" * 64, "place": "/aaaaaaaaaaaa"}
        found = json.dumps(lie) if "/again" in route.request.url else IMPOSTOR
        kind = "application/json" if "/again" in route.request.url else "text/html"
        route.fulfill(body=found, content_type=kind)

    page.route(re.compile(re.escape(urlsplit(served.link).netloc)), answers)
    served.end()
    page.get_by_text("The service was started anew").wait_for()

    assert any("GET" in each and "/again" in each for each in got)
    assert not any(each.startswith("POST") for each in got)
    assert page.get_by_text("Only you decide this").count() == 0


def test_the_page_is_used_by_keyboard_alone_while_news_arrive(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    page = browsers.enter(serve(root).link)
    page.keyboard.press("Tab")
    assert page.evaluate(AT) == "To the content"
    page.keyboard.press("Enter")
    agent(root, "propose", "Mira owns a boat.", "person--mira")
    page.get_by_text("Mira owns a boat.").wait_for()
    assert page.get_by_role("main").evaluate(FOCUSED)

    passed = list[str]()
    while "Approve what is ticked" not in passed:
        page.keyboard.press("Tab")
        passed.append(page.evaluate(AT))
        assert "Reverie" not in passed, "it began at the top of the page again"
    agent(root, "propose", "Mira owns a bell.", "person--mira")
    page.get_by_text("Mira owns a bell.").wait_for()
    page.keyboard.press("Enter")
    told(page, "Reflection #")


def test_what_changed_under_a_reader_waits_for_one_more_click(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    page = browsers.enter(serve(root).link)
    proposal = page.get_by_role("region", name="Proposal 1", exact=True)
    proposal.get_by_text(NOON).wait_for()

    save(root / "memory/meta/pending-memories.md", "closes at noon", "wants your money")
    proposal.get_by_text("wants your money").wait_for()
    accept = proposal.get_by_role("button", name="Accept")
    assert accept.is_disabled()
    agent(root, "propose", "Mira owns a boat.", "person--mira")
    boat = page.get_by_role("region").filter(has_text="Mira owns a boat.").last
    boat.get_by_role("button", name="I have read it").wait_for()
    assert accept.is_disabled(), "whatever else came since"

    proposal.get_by_role("button", name="I have read it").click()
    assert accept.is_enabled()
    assert boat.get_by_role("button", name="Accept").is_disabled()
    proposal.get_by_role("button", name="Reject").click()
    told(page, "is off the list")
    assert boat.get_by_role("button", name="Accept").is_enabled(), "it was read anew"


def test_a_review_that_is_half_done_stays_when_the_page_is_loaded_again(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    page = browsers.enter(serve(root).link)
    changes = page.get_by_role("region", name=re.compile(r"^Change \d+$"))
    first, last = changes.first, changes.last
    first.get_by_text("Edit it").click()
    words = first.get_by_role("textbox").input_value()
    first.get_by_role("textbox").fill(f"{words}, she said")
    last.get_by_role("checkbox").first.uncheck()
    page.get_by_label("Why (kept").fill("Too early")

    go(page, "Core")
    go(page, "Inbox")
    page.reload()

    assert first.get_by_role("textbox").input_value() == f"{words}, she said"
    assert not last.get_by_role("checkbox").first.is_checked()
    assert first.get_by_role("checkbox").first.is_checked()
    assert page.get_by_label("Why (kept").input_value() == "Too early"
    page.get_by_role("button", name="Approve what is ticked").click()
    told(page, "1 left out")
    assert page.evaluate("JSON.stringify(sessionStorage)").count("review") == 0


def test_the_buttons_of_a_running_reflection_work_while_it_goes_on(
    browsers: Browsers, serve: Serve, empty: Path
) -> None:
    page = browsers.enter(serve(empty).link)
    with Memory(empty) as memory:
        memory.tidy_on_close = False
        memory.reflection.begin()
    running = page.get_by_role("heading", name="Reflecting").locator("..")
    running.get_by_role("button", name="Give it up").click()

    told(page, "given up")


HIDES = """hidden => {
    const how = { value: hidden, configurable: true };
    Object.defineProperty(document, "hidden", how);
    document.dispatchEvent(new Event("visibilitychange"));
}"""
IMPOSTOR = "<main id=main data-token=guessed><h1>Only you decide this</h1></main>"


def test_whoever_has_the_place_of_a_service_that_ended_is_shown_nothing(
    browsers: Browsers, serve: Serve, root: Path
) -> None:
    browsers.allowed += ["ERR_CONNECTION_REFUSED", "ERR_"]
    served = serve(root)
    page = browsers.enter(served.link)
    go(page, "Core")
    block = page.get_by_role("region", name="Active Context")
    block.get_by_text("Add a line").click()
    block.get_by_label("A line for Active Context").fill("Half a sentence")

    def answers(route: Route) -> None:
        live = "/live" in route.request.url
        kind = "text/event-stream" if live else "text/html"
        body = "event: news\ndata: x\n\n" if live else IMPOSTOR
        route.fulfill(body=body, content_type=kind)

    page.route(re.compile(re.escape(served.here)), answers)
    served.end()
    page.get_by_text("The service was started anew").wait_for()
    assert page.get_by_text("Only you decide this").count() == 0

    # A dialog says so, and is accepted.
    block.get_by_role("button", name="Add it").click()
    assert block.get_by_label("A line for Active Context").input_value()
    assert page.get_by_role("heading", name="Core", level=1).is_visible()


def test_a_passphrase_is_sent_to_nobody_who_came_while_nobody_looked(
    browsers: Browsers, serve: Serve, owned: Path
) -> None:
    browsers.allowed += ["status of 403", "ERR_"]
    served = serve(owned)
    page = browsers.enter(served.link)
    page.get_by_role("button", name="Accept").first.click()
    page.get_by_label("Passphrase").fill(PASSPHRASE)
    page.evaluate(HIDES, arg=True)
    got = list[str]()

    def answers(route: Route) -> None:
        got.append(route.request.post_data or "")
        live = "/live" in route.request.url
        kind = "text/event-stream" if live else "text/html"
        route.fulfill(body=": \n\n" if live else IMPOSTOR, content_type=kind)

    page.route(re.compile(re.escape(served.here)), answers)
    served.end()
    page.get_by_label("Passphrase").press("Enter")
    page.get_by_text("The service was started anew").wait_for()
    page.evaluate(HIDES, arg=False)
    page.get_by_label("Passphrase").press("Enter")

    assert page.get_by_label("Passphrase").is_visible()
    assert not any("passphrase" in each for each in got)
