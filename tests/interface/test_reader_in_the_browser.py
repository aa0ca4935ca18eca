"""The reader in a real Chromium: foreign pages can do nothing there, and everybody can use it."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect
from reader_crawl import EVIL, HOSTILE, SITE, WOLF
from reader_tabs import SIZES, ReadingRoom, no_strangers
from test_in_the_browser import CONTRAST, DAY, NIGHT

from lycosa.interface.web.reader_policies import ORIGINAL

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

UNNAMED = """() => [...document.querySelectorAll("a, button, input, select, iframe")]
  .filter((each) => each.type !== "hidden" && each.checkVisibility())
  .filter((each) => !(each.textContent.trim() || each.title || each.ariaLabel || each.labels?.length))
  .map((each) => each.outerHTML)"""
VIEWS = ["reading", "original", "versions", "links", "structure", "scores"]


# -- hostile pages ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", VIEWS)
def test_a_hostile_page_runs_nothing_and_asks_nobody(room: ReadingRoom, size: tuple[int, int], view: str) -> None:
    reader = room.reader(size)
    reader.opens(EVIL, view=view, q="door", find="silk")
    reader.tab.wait_for_load_state("networkidle")
    assert reader.tab.evaluate("window.attacked") is None
    assert reader.tab.evaluate("document.documentElement.scrollWidth") <= size[0]
    no_strangers(reader)
    assert [each for each in reader.complaints if "Content Security Policy" not in each] == []
    if view != "original":
        assert reader.complaints == []


def test_the_original_is_shown_and_cannot_lead_away(room: ReadingRoom) -> None:
    reader = room.reader()
    reader.opens(EVIL, view="original")
    reader.tab.wait_for_load_state("networkidle")
    box = reader.tab.locator("iframe").bounding_box()
    assert box
    for y in range(20, int(box["height"]) - 5, 12):
        for x in (20, 60, 140):
            reader.tab.mouse.click(box["x"] + x, box["y"] + y)
    reader.tab.wait_for_load_state("networkidle")
    assert urlsplit(reader.tab.url).path == "/read"
    assert {urlsplit(frame.url).path for frame in reader.tab.frames} == {"/read", "/read/original"}
    assert reader.tab.evaluate("window.attacked") is None
    no_strangers(reader)


def test_the_policy_alone_stops_everything(room: ReadingRoom) -> None:
    """The raw page in the frame, nothing taken out: the first wall must hold by itself."""
    reader = room.reader()

    def raw(route: Route) -> None:
        route.fulfill(body=HOSTILE, headers=ORIGINAL | {"Content-Type": "text/html; charset=utf-8"})

    reader.tab.route("**/read/original?*", raw)
    reader.opens(EVIL, view="original")
    reader.tab.wait_for_load_state("networkidle")
    assert any(path == "/read/original" for path in reader.asked)
    assert reader.tab.evaluate("window.attacked") is None
    box = reader.tab.locator("iframe").bounding_box()
    assert box
    for y in range(20, int(box["height"]) - 5, 12):
        for x in (20, 60, 140):
            reader.tab.mouse.click(box["x"] + x, box["y"] + y)
    reader.tab.wait_for_load_state("networkidle")
    assert urlsplit(reader.tab.url).path == "/read"
    assert reader.tab.evaluate("window.attacked") is None
    assert len(reader.stopped) > 5
    no_strangers(reader)


def test_nobody_else_may_frame_the_reader(room: ReadingRoom) -> None:
    reader = room.reader()
    reader.tab.goto("/read/favourites")
    found = reader.tab.evaluate(
        """async (src) => {
          const frame = document.createElement("iframe");
          frame.src = src;
          const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
          document.body.append(frame);
          await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, 3000))]);
          return frame.contentDocument?.querySelector("h1")?.textContent ?? null;
        }""",
        reader.place(WOLF),
    )
    assert found is None


# -- favourites, keyboard, looks ----------------------------------------------------------------------


def test_favourites_are_kept_in_the_browser(room: ReadingRoom) -> None:
    reader = room.reader()
    reader.opens(EVIL)
    star = reader.tab.get_by_role("button", name="Favourite")
    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")
    reader.opens(WOLF)
    expect(star).to_have_attribute("aria-pressed", "false")
    star.click()
    reader.tab.get_by_role("link", name="Favourites").click()
    items = reader.tab.locator("[data-favourites] li")
    expect(items).to_have_count(2)
    expect(items.first).to_contain_text("The wolf spider")
    expect(items.last).to_contain_text("<img src=x onerror=")
    reader.tab.get_by_role("button", name="Remove Trap").click()
    expect(items).to_have_count(1)
    items.first.get_by_role("link").click()
    expect(reader.tab.get_by_role("heading", level=1)).to_have_text("The wolf spider")
    star.click()
    expect(star).to_have_attribute("aria-pressed", "false")
    reader.tab.goto("/read/favourites")
    expect(reader.tab.get_by_text("There is none yet.")).to_be_visible()
    assert reader.notes() == []
    assert reader.complaints == []


@pytest.mark.parametrize("kept", ["{", '{"a": 1}', '[1, null, {"url": 5}]', "null"])
def test_odd_favourites_are_overlooked(room: ReadingRoom, kept: str) -> None:
    reader = room.reader()
    reader.tab.goto("/read/favourites")
    reader.tab.evaluate("(kept) => localStorage.setItem('lycosa-favourites', kept)", kept)
    reader.tab.reload()
    expect(reader.tab.get_by_text("There is none yet.")).to_be_visible()
    assert reader.complaints == []


def test_everything_can_be_reached_by_keyboard(room: ReadingRoom) -> None:
    reader = room.reader()
    reader.opens()
    reached: list[str] = []
    for _ in range(40):
        reader.tab.keyboard.press("Tab")
        reached.append(reader.tab.evaluate("document.activeElement.textContent.trim() || document.activeElement.id"))
    for wanted in ("Yes", "No", "☆ Favourite", "Print", "Save text", "Original", "Scores", "find", "Find"):
        assert wanted in reached
    reader.tab.get_by_role("button", name="Yes").focus()
    reader.tab.keyboard.press("Enter")
    expect(reader.tab.get_by_role("region", name="Notes of what you do")).to_be_hidden()
    reader.tab.get_by_role("radio", name="1 star").focus()
    reader.tab.keyboard.press("Space")
    expect(reader.tab.get_by_text("Thank you: 1 star noted.")).to_be_visible()
    assert reader.did({}).rating == 1


@pytest.mark.parametrize("view", VIEWS)
def test_nothing_scrolls_sideways_and_all_text_can_be_read(room: ReadingRoom, view: str) -> None:
    reader = room.reader()
    reader.opens(view=view, q="wolf", find="eyes")
    for width in (360, 390, 768, 1280):
        reader.tab.set_viewport_size({"width": width, "height": 800})
        assert reader.tab.evaluate("document.documentElement.scrollWidth") <= width
    for colours in (DAY, NIGHT):
        reader.tab.emulate_media(color_scheme=colours)
        assert reader.tab.evaluate(CONTRAST) == []
    assert reader.tab.evaluate(UNNAMED) == []
    assert reader.complaints == []


def test_the_reader_works_without_javascript(room: ReadingRoom) -> None:
    reader = room.reader(java_script_enabled=False)
    reader.opens(q="wolf")
    for name in ("Original", "Versions", "Links", "Structure", "Scores", "Reading"):
        reader.tab.get_by_role("navigation", name="Views").get_by_role("link", name=name).click()
        expect(reader.tab.locator("nav.tabs [aria-current]")).to_have_text(name)
    reader.tab.get_by_role("searchbox", name="Find in the text").fill("meadows")
    reader.tab.get_by_role("button", name="Find").click()
    expect(reader.tab.get_by_text("Found 1 time")).to_be_visible()
    assert reader.notes() == []


def test_a_missing_page_has_ways_on(room: ReadingRoom) -> None:
    reader = room.reader((390, 844))
    reader.opens(f"{SITE}/old")
    reader.tab.get_by_role("link", name="Read that page").click()
    expect(reader.tab.get_by_role("heading", level=1)).to_have_text("The wolf spider")
