"""What the reader notes of people in a real Chromium: nothing before they said yes, then each action once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect
from reader_crawl import HUNT, WOLF
from reader_tabs import SIZES, Reader, ReadingRoom

from lycosa.click_records import Action
from lycosa.storage.click_store import ClickStore
from real_browser import until_scrolled

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


@pytest.fixture
def reader(room: ReadingRoom) -> Reader:
    """Somebody who said yes before."""
    return room.reader(yes=True)


# -- consent ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_sent_before_somebody_said_yes(room: ReadingRoom, size: tuple[int, int]) -> None:
    reader = room.reader(size)
    reader.opens()
    bar = reader.tab.get_by_role("region", name="Notes of what you do")
    expect(bar).to_be_visible()
    reader.tab.mouse.wheel(0, 600)
    reader.tab.get_by_role("button", name="Favourite").click()
    reader.tab.evaluate("print()")
    reader.tab.get_by_role("link", name="Versions").click()
    reader.tab.reload()
    assert reader.notes() == []
    assert reader.rows() == []
    assert reader.complaints == []


def test_no_is_remembered_and_can_be_changed(room: ReadingRoom) -> None:
    reader = room.reader()
    reader.opens()
    bar = reader.tab.get_by_role("region", name="Notes of what you do")
    bar.get_by_text("What is noted").click()
    expect(bar.get_by_text("no cookie")).to_be_visible()
    bar.get_by_role("button", name="No", exact=True).click()
    expect(bar).to_be_hidden()
    reader.opens(HUNT)
    expect(bar).to_be_hidden()
    expect(reader.tab.get_by_text("Nothing you do here is noted.")).to_be_visible()
    assert reader.notes() == []
    reader.tab.get_by_role("button", name="Change").click()
    with reader.tab.expect_response("**/notes/behaviour") as answer:
        bar.get_by_role("button", name="Yes").click()
    assert answer.value.status == 204
    expect(reader.tab.get_by_text("You allowed Lycosa")).to_be_visible()
    reader.did({}, HUNT)
    reader.tab.get_by_role("button", name="Change").click()
    bar.get_by_role("button", name="No", exact=True).click()
    sent = len(reader.notes())
    reader.tab.mouse.wheel(0, 400)
    reader.tab.reload()
    assert len(reader.notes()) == sent
    assert reader.context.cookies() == []


@pytest.mark.parametrize(
    "objection",
    [
        "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', {get: () => true})",
        "Object.defineProperty(Navigator.prototype, 'doNotTrack', {get: () => '1'})",
    ],
)
def test_who_asks_not_to_be_watched_is_not_even_asked(room: ReadingRoom, objection: str) -> None:
    reader = room.reader(yes=True)
    reader.context.add_init_script(objection)
    reader.opens()
    expect(reader.tab.get_by_text("Your browser asks not to be watched")).to_be_visible()
    expect(reader.tab.get_by_role("region", name="Notes of what you do")).to_be_hidden()
    expect(reader.tab.get_by_text("How good is this page?")).to_be_hidden()
    reader.tab.mouse.wheel(0, 600)
    reader.tab.evaluate("print()")
    reader.tab.reload()
    assert reader.notes() == []
    assert reader.complaints == []


# -- what is noted ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_a_person_who_scrolls_copies_prints_and_rates_is_on_record_within_a_second(
    room: ReadingRoom, size: tuple[int, int]
) -> None:
    reader = room.reader(size, yes=True)
    with reader.tab.expect_response("**/notes/behaviour"):
        reader.opens(q="wolf spider")
    reader.tab.mouse.move(200, 400)
    reader.tab.mouse.wheel(0, 300)
    until_scrolled(reader.tab, 296)
    reader.tab.evaluate("getSelection().selectAllChildren(document.querySelector('article p'))")
    reader.tab.keyboard.press("Control+c")
    reader.tab.evaluate("print()")
    row = reader.did({Action.SCROLL: 1, Action.COPY: 1, Action.PRINT: 1}, within=1.0)
    assert row.visits == 1
    reader.tab.get_by_role("radio", name="4 stars").check()
    expect(reader.tab.get_by_text("Thank you: 4 stars noted.")).to_be_visible()
    (row,) = reader.rows()
    assert (row.rating, row.visits) == (4, 1)
    page = reader.record()
    assert page is not None
    assert (page.visits, page.visitors, page.ratings) == (1, 1, 1)
    with ClickStore(reader.folder.path / "clicks", readonly=True) as store:
        assert store.query_sets("wolf spider") == {WOLF: {row.bits: 1}}
    assert reader.complaints == []


def turn_the_wheel(reader: Reader) -> None:
    reader.tab.mouse.move(300, 400)
    reader.tab.mouse.wheel(0, 300)
    until_scrolled(reader.tab, 296)


def save(reader: Reader) -> None:
    with reader.tab.expect_download() as download:
        reader.tab.get_by_role("link", name="Save text").click()
    assert download.value.suggested_filename == "The-wolf-spider.txt"


def find(reader: Reader) -> None:
    reader.tab.get_by_role("searchbox", name="Find in the text").fill("eight eyes")
    reader.tab.keyboard.press("Enter")
    expect(reader.tab.get_by_text("Found 1 time")).to_be_visible()
    expect(reader.tab.locator("#found-1")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("act", "action"),
    [
        pytest.param(turn_the_wheel, Action.SCROLL, id="scroll"),
        pytest.param(lambda reader: reader.tab.evaluate("print()"), Action.PRINT, id="print"),
        pytest.param(
            lambda reader: reader.tab.get_by_role("button", name="Print").click(), Action.PRINT, id="print button"
        ),
        pytest.param(
            lambda reader: reader.tab.get_by_role("button", name="Favourite").click(), Action.FAVOURITE, id="star"
        ),
        pytest.param(lambda reader: reader.tab.get_by_text("It carries its young").click(), Action.CLICK, id="click"),
        pytest.param(
            lambda reader: reader.tab.get_by_role("link", name="hunting").click(), Action.HYPERLINK, id="link"
        ),
        pytest.param(lambda reader: reader.tab.get_by_role("link", name="Home page").click(), Action.HOME, id="home"),
        pytest.param(lambda reader: reader.tab.keyboard.press("ArrowDown"), Action.KEYS, id="keys"),
        pytest.param(lambda reader: reader.tab.keyboard.press("Control+f"), Action.FIND, id="find by key"),
        pytest.param(save, Action.SAVE, id="save"),
        pytest.param(find, Action.FIND, id="find"),
        pytest.param(lambda reader: reader.tab.reload(), Action.REFRESH, id="refresh"),
    ],
)
def test_each_action_counts_once_and_as_nothing_else(
    reader: Reader, act: Callable[[Reader], Any], action: Action
) -> None:
    reader.opens(q="spider")
    reader.did({})
    act(reader)
    reader.did({action: 1})
    assert reader.complaints == []


def test_open_directly_back_and_forward(reader: Reader) -> None:
    reader.opens()
    assert reader.did({Action.DIRECT: 1}).visits == 1
    reader.tab.get_by_role("link", name="hunting").click()
    reader.did({}, HUNT)
    reader.tab.go_back()
    reader.did({Action.DIRECT: 1, Action.HYPERLINK: 1, Action.BACK: 1})
    reader.tab.go_forward()
    reader.did({Action.FORWARD: 1}, HUNT)


def test_looking_at_other_views_of_a_page_is_one_visit(reader: Reader) -> None:
    reader.opens(q="spider")
    reader.did({})
    for name in ("Original", "Versions", "Links", "Structure", "Scores", "Reading"):
        reader.tab.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(reader.tab.locator("nav.tabs [aria-current]")).to_have_text(name)
    reader.tab.evaluate("print()")
    assert reader.did({Action.PRINT: 1}).visits == 1


def test_loading_can_be_stopped(reader: Reader) -> None:
    held: list[Route] = []
    reader.tab.route("**/read/original?*", lambda route: held.append(route))
    reader.tab.goto(reader.place(WOLF, view="original", q="a"), wait_until="commit")
    reader.tab.get_by_role("button", name="Stop loading").click()
    expect(reader.tab.get_by_text("Stopped.")).to_be_visible()
    reader.did({Action.STOP: 1})


def test_time_counts_while_somebody_is_there(reader: Reader) -> None:
    reader.tab.clock.install()
    reader.opens(q="spider")
    reader.did({})
    reader.tab.clock.run_for(3000)
    reader.tab.mouse.move(100, 100)
    with reader.tab.expect_response("**/notes/behaviour"):
        reader.tab.clock.run_for(20_000)
    dwell, active = (sum(each[time] for each in reader.said) for time in ("dwell", "active"))
    assert 10_000 <= dwell <= 16_000  # told after fifteen seconds, less what the page took to begin
    assert 5_000 <= active <= 9_000


def test_stars_without_consent_ask_first(room: ReadingRoom) -> None:
    reader = room.reader()
    reader.opens(q="spider")
    reader.tab.get_by_role("radio", name="2 stars").check()
    assert reader.notes() == []
    expect(reader.tab.get_by_role("button", name="Yes")).to_be_focused()
    reader.tab.get_by_role("button", name="Yes").click()
    expect(reader.tab.get_by_text("Thank you: 2 stars noted.")).to_be_visible()
    while reader.did({}).visits == 0:
        reader.tab.wait_for_timeout(50)
    assert reader.did({}).rating == 2
