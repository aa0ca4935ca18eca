"""What people see and do, in a real Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from own_server import served
from playwright.sync_api import Browser, Page, expect
from small_crawl import a_crawl, keep, report

from lycosa.crawl_folder.folder import own

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

VIEWS = [
    "/",
    "/search?crawl=spiders&q=wolf+spider",
    "/search?crawl=spiders&q=tarantula",
    "/crawl/spiders",
    "/crawl/spiders/settings",
    "/crawl/spiders/why?url=https://site0.example/0",
    "/crawl/spiders/logs",
    "/crawl/young",
    "/crawls/new",
]
DAY: Literal["light"] = "light"
NIGHT: Literal["dark"] = "dark"
CONTRAST = """() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => element
    ? over(rgba(getComputedStyle(element).backgroundColor), ground(element.parentElement)) : [255, 255, 255, 1];
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!text || !element.checkVisibility() || element.closest(".unseen, .skip")) continue;
    const style = getComputedStyle(element);
    const under = ground(element);
    const ink = over(rgba(element instanceof SVGElement ? style.fill : style.color), under);
    const [high, low] = [light(ink), light(under)].sort((a, b) => b - a);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) poor.push(`${element.tagName} ${element.className} ${contrast.toFixed(2)}`);
  }
  return poor;
}"""


@pytest.mark.parametrize("path", VIEWS)
def test_nothing_scrolls_sideways_or_complains(tab: Page, complaints: list[str], path: str) -> None:
    tab.goto(path)
    for width in (390, 768, 1280):
        tab.set_viewport_size({"width": width, "height": 800})
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert complaints == []


@pytest.mark.parametrize("path", VIEWS)
def test_all_text_can_be_read_by_day_and_by_night(tab: Page, path: str) -> None:
    tab.goto(path)
    grounds = set()
    for colours in (DAY, NIGHT):
        tab.emulate_media(color_scheme=colours)
        assert tab.evaluate(CONTRAST) == []
        grounds.add(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2


def test_the_slash_key_goes_to_the_search_box(tab: Page) -> None:
    tab.goto("/search?crawl=spiders&q=wolf")
    tab.keyboard.press("/")
    box = tab.get_by_label("Search words")
    expect(box).to_be_focused()
    tab.keyboard.type("hunts/sight")
    expect(box).to_have_value("hunts/sight")
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("status")).to_contain_text("23 pages")


def test_the_keyboard_reaches_the_content_first_and_shows_where_it_is(tab: Page) -> None:
    tab.goto("/")
    tab.keyboard.press("Tab")
    skip = tab.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    assert tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize(
    "path",
    [
        "/search?crawl=spiders&q=tarantula",
        "/search?crawl=spiders&q=%22%3E%3Cimg%20src=x%20onerror=window.attacked=1%3E",
        "/search?crawl=%3Cimg%20src=x%20onerror=window.attacked=1%3E&q=a",
        "/crawl/%3Cimg%20src=x%20onerror=window.attacked=1%3E",
    ],
)
def test_foreign_scripts_do_not_run(tab: Page, path: str) -> None:
    dialogs: list[str] = []
    tab.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    tab.goto(path)
    for link in tab.get_by_role("main").get_by_role("link").all():
        link.hover()
    assert tab.evaluate("window.attacked") is None
    assert tab.locator("main img, main script").count() == 0
    assert dialogs == []


INJECTION = """async () => {
  const heard = (target, kind) => new Promise((resolve) => target.addEventListener(kind, resolve));
  const stopped = heard(document, "securitypolicyviolation");
  document.body.insertAdjacentHTML("beforeend", '<img src="/x" onerror="window.attacked = 1">');
  const failed = heard([...document.images].at(-1), "error");
  const patience = new Promise((resolve) => setTimeout(resolve, 5000, [{}]));
  const [violation] = await Promise.race([Promise.all([stopped, failed]), patience]);
  return [violation.effectiveDirective, window.attacked];
}"""


def test_the_policy_stops_what_escaping_would_miss(tab: Page) -> None:
    tab.goto("/")
    assert tab.evaluate(INJECTION) == ["script-src-attr", None]


def test_search_works_without_javascript(browser: Browser, server: str) -> None:
    context = browser.new_context(base_url=server, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("searchbox").fill("leaves")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("ol.results > li")).to_have_count(10)
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_text("Page 2 of 3")).to_be_visible()
    page.get_by_role("link", name="spiders.example").first.click()
    expect(page.get_by_role("searchbox")).to_have_value("leaves site:spiders.example")
    context.close()


def test_the_page_of_a_crawl_follows_it(tab: Page, tmp_path: Path, complaints: list[str]) -> None:
    folder = a_crawl(tmp_path, "watched")
    keep(folder, 0, [0.9, 0.1])
    report(folder, 0, 10, 5)
    state, pages = tab.locator("[data-state]"), tab.locator("dl.figures > div", has_text="Pages").locator("dd")
    with served(tmp_path) as (address, _):
        with own(folder.path / "lock", "the crawl"):
            tab.goto(f"{address}crawl/watched")
            expect(state).to_have_text("running")
            expect(pages).to_have_text("10")
            report(folder, 0, 4321, 2000)
            expect(pages).to_have_text("4,321")
        expect(state).to_have_text("stopped")
        expect(tab.locator("[data-plot=harvest] canvas")).to_be_visible()
    assert complaints == []
