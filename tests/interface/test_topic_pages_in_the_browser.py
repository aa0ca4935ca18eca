"""Topics and clicks in a real Chromium: on a phone and a wide screen, by keyboard, decided and copied."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from clicked_home import (
    HOSTILE,
    KEY,
    LOGGED,
    WATCHED,
    a_clicked_home,
    a_treasure_crawl,
    with_hostile_topic,
    with_proposals,
)
from own_server import served
from playwright.sync_api import Browser, Page, expect

from lycosa.interface.shared.tokens import Role, TokenFile
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.preparation.taxonomy_proposals import OwnVocabulary

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

PHONE, WIDE = (390, 844), (1280, 800)
DAY: Literal["light"] = "light"
NIGHT: Literal["dark"] = "dark"
P1 = f"https://{WATCHED}/p1"
VIEWS = [
    "/topics",
    "/topics?q=bird",
    "/topics/node?path=birds",
    "/topics/node?path=evil",
    "/topics/map",
    "/topics/proposals",
    "/topics/classes?number=59",
    "/crawl/hunt/treasure",
    "/clicks",
    "/clicks/site?" + urlencode({"site": WATCHED}),
    "/clicks/site?" + urlencode({"site": LOGGED}),
    "/clicks/site?" + urlencode({"site": HOSTILE}),
    "/clicks/pages?" + urlencode({"site": WATCHED}),
    "/clicks/page?" + urlencode({"site": WATCHED, "url": P1}),
    "/clicks/stats?" + urlencode({"site": WATCHED}),
    "/clicks/unlinked?crawl=spiders",
    "/clicks/site?site=nobody",
]


class Started(NamedTuple):
    home: Path
    address: str
    secret: str


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A server over a home in which much happened, and a token of an admin."""
    home = a_clicked_home(tmp_path_factory.mktemp("home"))
    a_treasure_crawl(home)
    with_hostile_topic(home)
    with_proposals(home)
    secret = TokenFile(home).add("admin", Role.ADMIN)
    with served(home) as (address, _):
        yield Started(home, address, secret)


@pytest.fixture(params=[PHONE, WIDE], ids=["phone", "wide"])
def seat(request: pytest.FixtureRequest, browser: Browser, started: Started, complaints: list[str]) -> Iterator[Page]:
    """A signed-in page that notes complaints."""
    width, height = request.param
    context = browser.new_context(
        base_url=started.address,
        viewport={"width": width, "height": height},
        permissions=["clipboard-read", "clipboard-write"],
    )
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto("/sign-in")
    page.locator("input[name=token]").fill(started.secret)
    page.locator("main button[type=submit]").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    yield page
    context.close()


@pytest.mark.parametrize("path", VIEWS)
def test_every_page_fits_is_accessible_and_complains_of_nothing(seat: Page, complaints: list[str], path: str) -> None:
    seat.goto(path)
    width = seat.viewport_size["width"] if seat.viewport_size else 0
    assert seat.evaluate("document.documentElement.scrollWidth") <= width
    assert seat.locator("h1").count() == 1
    for colours in (DAY, NIGHT):
        seat.emulate_media(color_scheme=colours)
        found = Axe().run(seat)
        assert found.violations_count == 0, found.generate_report()
    assert seat.evaluate("window.attacked") is None
    assert seat.locator("main img, main script").count() == 0
    expected = ["404"] if "nobody" in path else []
    assert [each for each in complaints if not any(status in each for status in expected)] == []


def test_the_tree_is_walked_by_keyboard_and_filtered_while_typing(seat: Page) -> None:
    seat.goto("/topics")
    first = seat.locator("[data-tree] summary").first
    first.focus()
    seat.keyboard.press("ArrowRight")
    expect(seat.locator("[data-tree] details").first).to_have_attribute("open", "")
    seat.keyboard.press("ArrowDown")
    assert seat.evaluate("document.activeElement.tagName") == "A"
    seat.keyboard.press("ArrowLeft")
    expect(first).to_be_focused()
    seat.keyboard.press("ArrowLeft")
    expect(seat.locator("[data-tree] details").first).not_to_have_attribute("open", "")
    seat.keyboard.press("Enter")
    expect(seat.locator("[data-tree] details").first).to_have_attribute("open", "")
    seat.get_by_label("Words of a topic").fill("birds")
    birds = seat.get_by_role("link", name="Birds", exact=True)
    expect(birds).to_be_visible()
    expect(seat.locator("[data-count]")).to_contain_text("shown")
    expect(seat.get_by_role("link", name="Architecture", exact=True)).to_be_hidden()
    birds.click()
    expect(seat.get_by_role("heading", level=1)).to_have_text("Birds")


def test_a_proposal_is_accepted_undone_rejected_and_taken_back(
    seat: Page, started: Started, complaints: list[str]
) -> None:
    with_proposals(started.home)
    seat.goto("/topics/proposals")
    third = seat.locator("li.card", has_text="a new topic under birds")
    third.get_by_label("Its name").fill("Wading birds")
    third.get_by_role("button", name="Accept").click()
    expect(seat.get_by_role("status")).to_contain_text("Accepted: a new topic under birds")
    assert "wading-birds" in OwnTaxonomy(started.home).load()
    expect(third).to_have_count(0)
    seat.get_by_role("button", name="Undo the last edit").click()
    expect(seat.get_by_role("status")).to_contain_text("Undone: accepted")
    expect(third).to_have_count(1)
    assert "wading-birds" not in OwnTaxonomy(started.home).load()
    third.get_by_role("button", name="Reject").click()
    expect(seat.get_by_role("status")).to_contain_text("Rejected: a new topic")
    expect(third).to_have_count(0)
    seat.get_by_role("button", name="Take the last rejection back").click()
    expect(third).to_have_count(1)
    assert len(OwnVocabulary(started.home).open()) == 4
    assert complaints == []


def test_what_changed_meanwhile_is_said_and_nothing_is_decided(seat: Page, started: Started) -> None:
    with_proposals(started.home)
    seat.goto("/topics/proposals")
    OwnVocabulary(started.home).propose(())
    seat.get_by_role("button", name="Accept").first.click()
    expect(seat.get_by_role("alert")).to_contain_text("no open proposal has the number 1")
    expect(seat.get_by_role("button", name="Accept").first).to_be_enabled()


def test_an_example_is_added_and_taken_back(seat: Page, started: Started) -> None:
    seat.goto("/topics/node?path=birds")
    seat.get_by_role("button", name="Add", exact=True).click()
    expect(seat.get_by_role("alert")).to_have_text("Give the address of a page, or a text.")
    seat.get_by_label("Or a text").fill("Swifts sleep on the wing.")
    seat.get_by_role("button", name="Add", exact=True).click()
    expect(seat.get_by_role("status")).to_contain_text("Gave 'Birds' 1 more example")
    seat.get_by_role("button", name="Undo the last edit").click()
    expect(seat.get_by_role("status")).to_contain_text("Undone: gave")
    assert "Swifts sleep on the wing." not in OwnTaxonomy(started.home).load()["birds"].texts


def test_the_snippet_is_copied(seat: Page) -> None:
    seat.goto("/clicks/site?" + urlencode({"site": WATCHED, "collector": "https://count.example"}))
    seat.get_by_role("button", name="Copy").click()
    expect(seat.locator("[data-copied]")).to_have_text("Copied.")
    copied = seat.evaluate("navigator.clipboard.readText()")
    assert f'<script async src="https://count.example/beacon.js" data-key="{KEY}"></script>' in copied


def test_visits_are_drawn_by_the_browser_with_words_for_those_who_cannot_see(seat: Page) -> None:
    seat.goto("/clicks/site?" + urlencode({"site": WATCHED, "days": 7}))
    plot = seat.locator("[data-plot]")
    expect(plot.locator("canvas")).to_be_visible()
    expect(plot).to_have_attribute("aria-label", re.compile(r"^16 visits in 7 days, most of them \(15\) on "))
    seat.get_by_role("link", name="All", exact=True).click()
    expect(seat.get_by_role("link", name="All", exact=True)).to_have_attribute("aria-current", "true")


def test_a_site_is_watched_and_forgotten(seat: Page) -> None:
    seat.goto("/clicks")
    seat.get_by_role("button", name="Watch it").click()
    expect(seat.get_by_role("alert")).to_contain_text("Name a site first")
    seat.locator("#watch-site").fill("fresh.example")
    seat.get_by_role("button", name="Watch it").click()
    seat.wait_for_url("**/clicks/site?*")
    expect(seat.get_by_role("heading", level=1)).to_have_text("fresh.example")
    expect(seat.locator("[data-paste]")).to_contain_text("beacon.js")
    seat.get_by_role("button", name="Forget everything…").click()
    seat.get_by_role("button", name="Keep it").click()
    expect(seat.get_by_role("heading", level=1)).to_have_text("fresh.example")
    seat.get_by_role("button", name="Forget everything…").click()
    seat.get_by_role("button", name="Forget it").click()
    expect(seat.get_by_role("heading", level=1)).to_have_text("Clicks")


def test_without_javascript_topics_are_found_and_the_snippet_can_be_read(browser: Browser, started: Started) -> None:
    context = browser.new_context(base_url=started.address, java_script_enabled=False)
    page = context.new_page()
    page.goto("/topics")
    page.get_by_label("Words of a topic").fill("birds")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Birds", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Birds")
    page.goto("/topics/map")
    page.get_by_label("Which topics").fill("Birds lay eggs in nests; owls have soft feathers.")
    page.get_by_role("button", name="Map it").click()
    expect(page.get_by_role("link", name="Life sciences and nature.Birds")).to_be_visible()
    page.goto("/clicks/site?" + urlencode({"site": WATCHED}))
    expect(page.locator("[data-paste]")).to_contain_text(KEY)
    expect(page.get_by_role("button", name="Copy")).to_be_hidden()
    expect(page.locator("svg.chart")).to_be_visible()
    page.get_by_label("Where the public reaches your collector").fill("https://count.example")
    page.get_by_role("button", name="Show for this address").click()
    expect(page.locator("[data-paste]")).to_contain_text("https://count.example/beacon.js")
    context.close()
