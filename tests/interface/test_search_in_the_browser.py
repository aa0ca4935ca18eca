"""Search as people use it, in a real Chromium: by keyboard, on a phone, on a wide screen, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from own_server import served
from playwright.sync_api import Browser, Page, expect
from searched_crawl import a_searched_crawl

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

PHONE, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over one crawl."""
    home: Path = tmp_path_factory.mktemp("searched")
    a_searched_crawl(home)
    with served(home) as (found, _):
        yield found


@pytest.fixture(params=[PHONE, WIDE], ids=["phone", "wide"])
def view(request: pytest.FixtureRequest, browser: Browser, address: str, complaints: list[str]) -> Iterator[Page]:
    """A page of either size; nothing may be complained about, and no foreign script may have run."""
    context = browser.new_context(base_url=address, viewport=request.param)
    context.set_default_timeout(10_000)
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    assert page.evaluate("document.documentElement.scrollWidth") <= request.param["width"]
    assert page.evaluate("window.attacked") is None
    assert complaints == []
    context.close()


def test_filters_act_at_once_and_can_be_removed(view: Page) -> None:
    view.goto("/search?crawl=spiders&q=leaves")
    expect(view.get_by_role("status")).to_contain_text("19 pages")
    if view.viewport_size == PHONE:
        expect(view.get_by_label("Order")).to_be_hidden()
        view.get_by_text("Filters and order").click()
    view.get_by_role("checkbox", name="bees.example").click()
    expect(view.get_by_role("status")).to_contain_text("4 pages")
    assert view.url.endswith("?crawl=spiders&q=leaves&site=bees.example")
    view.get_by_role("link", name="Remove Site: bees.example").click()
    expect(view.get_by_role("status")).to_contain_text("19 pages")
    if view.viewport_size == PHONE:
        view.get_by_text("Filters and order").click()
    view.wait_for_load_state()  # until then nobody listens to what is chosen
    view.get_by_label("Order").select_option("Newest first")
    expect(view.get_by_role("status")).to_contain_text("newest first")
    view.get_by_label("Search words").press("Enter")
    expect(view.get_by_role("status")).to_contain_text("newest first")


def test_suggestions_by_keyboard(view: Page) -> None:
    view.goto("/search?crawl=spiders")
    view.keyboard.press("/")
    box, options = view.get_by_role("combobox", name="Search words"), view.get_by_role("option")
    expect(box).to_be_focused()
    view.keyboard.type("wolf sp")
    expect(options.first).to_have_text("wolf spider")
    expect(box).to_have_attribute("aria-expanded", "true")
    view.keyboard.press("ArrowDown")
    expect(box).to_have_value("wolf spider")
    expect(view.get_by_role("option", selected=True)).to_have_text("wolf spider")
    assert box.get_attribute("aria-activedescendant") == options.first.get_attribute("id")
    view.keyboard.press("Escape")
    expect(options).to_have_count(0)
    expect(box).to_have_value("wolf sp")
    expect(box).to_have_attribute("aria-expanded", "false")
    view.keyboard.press("ArrowDown")
    expect(options.first).to_be_visible()
    view.keyboard.press("ArrowDown")
    view.keyboard.press("Enter")
    expect(view.get_by_role("status")).to_contain_text("14 pages")
    expect(view.get_by_label("Search words")).to_have_value("wolf spider")


def test_a_suggestion_can_be_clicked_wherever_there_is_a_search_box(view: Page) -> None:
    view.goto("/crawl/spiders")
    view.get_by_label("Search words").press_sequentially("hon")
    view.get_by_role("option", name="honey bees").click()
    expect(view.get_by_role("status")).to_contain_text("4 pages")


def test_hostile_suggestions_results_and_spellings_are_text(view: Page) -> None:
    view.route("**/suggest?**", lambda route: route.fulfill(json=["tar", ["<img src=x onerror=window.attacked=1>"]]))
    view.goto("/search?crawl=spiders&q=trantula")
    expect(view.get_by_role("link", name="tarantula", exact=True)).to_be_visible()
    view.get_by_label("Search words").fill("tar")
    expect(view.locator("[role=option]")).to_have_text("<img src=x onerror=window.attacked=1>")
    view.get_by_label("Search words").press("Escape")
    view.goto("/search?crawl=spiders&q=tarantula&site=%3Cimg%20src=x%20onerror=window.attacked=1%3E&topic=%3Cb%3E")
    expect(view.get_by_role("link", name="Remove Site: <img src=x")).to_be_visible()
    view.goto("/search?crawl=spiders&q=tarantula")
    assert view.locator("main img, main script, main i").count() == 0


def test_keys_move_among_results_and_open_them(view: Page) -> None:
    view.route("https://*.example/**", lambda route: route.fulfill(body="a spider", content_type="text/html"))
    view.goto("/search?crawl=spiders&q=wolf+spider")
    links = view.locator("ol.results h2 a")
    for key, place in (("j", 0), ("j", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("k", 0), ("k", 0)):
        view.keyboard.press(key)
        expect(links.nth(place)).to_be_focused()
        expect(links.nth(place)).to_be_in_viewport()
    view.keyboard.press("?")
    expect(view.get_by_role("dialog", name="How to search")).to_be_visible()
    view.keyboard.press("j")
    view.keyboard.press("Escape")
    expect(view.get_by_role("dialog")).to_have_count(0)
    expect(links.first).to_be_focused()
    url = links.first.get_attribute("href")
    view.keyboard.press("Enter")
    view.wait_for_url(str(url))


def test_letters_in_the_search_box_are_only_letters(view: Page) -> None:
    view.goto("/search?crawl=spiders&q=wolf")
    box = view.get_by_label("Search words")
    box.fill("")
    box.press_sequentially("j?k/")
    expect(box).to_have_value("j?k/")
    expect(view.get_by_role("dialog")).to_have_count(0)


def test_a_page_with_filters_can_be_filtered_again_after_going_back(view: Page) -> None:
    view.goto("/search?crawl=spiders&q=leaves&lang=de")
    if view.viewport_size == PHONE:
        view.get_by_text("Filters and order").click()
    view.get_by_role("checkbox", name="de 4").click()
    expect(view.get_by_role("status")).to_contain_text("19 pages")
    view.go_back()
    expect(view.get_by_role("status")).to_contain_text("4 pages")
    assert view.locator("form.filters :disabled").count() == 0


@pytest.mark.parametrize("size", [PHONE, WIDE], ids=["phone", "wide"])
def test_filters_and_corrections_work_without_javascript(browser: Browser, address: str, size: dict[str, int]) -> None:
    context = browser.new_context(base_url=address, viewport=size, java_script_enabled=False)
    page = context.new_page()
    page.goto("/search?crawl=spiders&q=wolf+spidr")
    page.get_by_role("link", name="wolf spider", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("14 pages")
    if size == PHONE:
        page.get_by_text("Filters and order").click()
    page.get_by_role("checkbox", name="arachnids.example").check()
    page.get_by_label("Since").fill("2016-01-01")
    page.get_by_label("Order").select_option("Newest first")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("ol.results > li")).to_have_count(4)
    expect(page.locator("ol.results h2").first).to_have_text("Wolf spider number 13")
    page.get_by_text("Why here?").first.click()
    expect(page.get_by_text("newest first: when")).to_have_count(4)
    context.close()
