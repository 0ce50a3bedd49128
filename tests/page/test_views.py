"""Each view in a real browser: its main act, by what a person sees and clicks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Page

VIEWS = (
    *("/", "/ask?q=Where+does+Mira+live", "/core", "/timeline", "/conversations"),
    *("/conversations/kitchen-table", "/graph", "/memory/entity:person--mira"),
    *("/health", "/ledger"),
)
WIDTHS = (360, 768, 1440)


def test_a_reflection_is_approved_in_parts_with_an_edit_and_taken_back(
    page: Page, root: Path
) -> None:
    page.get_by_label("5. NOTICE").uncheck()
    change = page.get_by_label("Change 1", exact=True)
    change.get_by_text("Edit it").click()
    words = change.get_by_role("textbox")
    words.fill(words.input_value() + ", second desk")
    page.get_by_role("button", name="Approve what is ticked").click()

    told = page.get_by_role("status").first.inner_text()
    assert "leave 5 out" in told
    mira = root / "memory/graph/entities/person--mira.md"
    assert "orchestra, second desk" in mira.read_text("utf-8")

    page.goto(page.url.rstrip("/") + "/ledger/undo?session=r-001")
    assert "second desk" in page.inner_text("main")
    page.get_by_role("button", name="Do it").click()
    page.wait_for_load_state()
    assert "second desk" not in mira.read_text("utf-8")


def test_what_holds_is_settled_by_a_click(page: Page) -> None:
    page.get_by_label(re.compile("Mira lives in Vienna")).check()
    page.get_by_role("button", name="Settle it").click()

    assert "settled" in page.get_by_role("status").first.inner_text()
    assert page.get_by_text("Which holds?").count() == 0


def test_a_question_is_answered_with_its_reasons_at_a_budget_one_drags(
    page: Page,
) -> None:
    page.get_by_role("link", name="Ask").click()
    page.get_by_label(re.compile("question", re.I)).first.fill("Where does Mira live?")
    page.get_by_role("button", name="Ask").click()
    assert page.get_by_text("Mira lives in Vienna.").first.is_visible()
    slider = page.get_by_role("slider")
    slider.focus()
    for _ in range(3):
        slider.press("ArrowLeft")
    page.wait_for_url(re.compile("budget="))


def test_what_arrives_shows_without_a_reload(
    browser: Browser, link: str, page: Page
) -> None:
    other = browser.new_context().new_page()
    other.goto(link)
    other.wait_for_url(re.compile("/$"))
    proposed = "The harbour office closes at noon on Fridays."
    assert page.get_by_text(proposed).count() == 1

    other.get_by_role("button", name="Accept").click()

    page.get_by_text(proposed).wait_for(state="detached", timeout=20_000)
    other.context.close()


def test_the_page_is_used_by_keyboard_alone(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if (
            page.evaluate("document.activeElement.textContent")
            == "Approve what is ticked"
        ):
            break
    page.keyboard.press("Enter")
    page.wait_for_load_state()
    assert "Reflection #1" in page.get_by_role("status").first.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_or_fails_an_accessibility_check(
    browser: Browser, link: str, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    here = link.partition("/enter")[0]
    wrong: list[object] = []
    for width in WIDTHS:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        page = context.new_page()
        page.goto(link)
        page.wait_for_url(f"{here}/")
        for view in VIEWS:
            page.goto(here + view)
            over = page.evaluate(
                "document.documentElement.scrollWidth"
                " - document.documentElement.clientWidth"
            )
            wrong += [(view, width, "overflows", over)] if over > 0 else []
            if width == WIDTHS[0]:
                continue
            for each in axe.Axe().run(page).response["violations"]:
                if each["impact"] in {"serious", "critical"}:
                    nodes = [node["html"][:120] for node in each["nodes"][:2]]
                    wrong.append((view, width, each["id"], nodes))
        context.close()
    assert wrong == []


def test_a_view_is_light_and_paints_without_script(browser: Browser, link: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    sent = 0

    def count(response: object) -> None:
        nonlocal sent
        sent += len(response.body())  # type: ignore[attr-defined]

    page.goto(link)
    page.wait_for_url(re.compile("/$"))
    page.on("response", count)
    page.reload()
    assert page.get_by_role("heading", name="Inbox").is_visible()
    assert 0 < sent < 250_000
    context.close()
