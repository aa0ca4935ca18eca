"""The whole loop in a real Chromium: crawl, search, read, "not enough", a follow-up crawl, and what it all changes."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from own_server import served
from playwright.sync_api import Browser, Page, expect

from lycosa.click_records import Action, PageClicks, actions_of
from lycosa.interface.shared.tokens import Role, TokenFile
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.web_server import serve_in_process
from lycosa.storage.click_store import ClickStore
from real_browser import until_scrolled

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(240)]

BOX = "box:2?pages=300&hosts=1&kinds=4&unlinked=0&size=4KiB"
FIRST = 70
QUERY = "birds nest feather"
NAME = "loop"
PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
"""A headless browser says what it is, and robots leave no notes."""


@pytest.fixture(scope="module")
def web() -> Iterator[SimulatedWeb]:
    with serve_in_process(BOX, cached=400) as served_web:
        yield SimulatedWeb.of(f"{BOX}&port={served_web.port}")


def found(home: Path) -> dict[str, dict[str, Any]]:
    """What the search finds, as a person asks for it on the command line: URL to result."""
    command = [sys.executable, "-m", "lycosa.interface.cli", "--home", str(home), "search", NAME, QUERY, "--json"]
    told = subprocess.run([*command, "--limit", "200"], capture_output=True, text=True, check=True, timeout=60)
    return {result["url"]: result for result in json.loads(told.stdout)["results"]}


def start_crawl(page: Page, web: SimulatedWeb) -> None:
    root = web.roots()[0]
    port = root.rpartition(":")[2].strip("/")
    page.goto("/crawls/new")
    page.get_by_role("textbox", name="Words").fill("birds feather wing nest plumage")
    page.get_by_label("Pages to begin with").fill(root)
    page.get_by_label("Pages to fetch").fill(str(FIRST))
    page.get_by_label("Name of the crawl").fill(NAME)
    page.get_by_text("More settings").click()
    page.get_by_label("Any other setting").fill(
        f'fetching.allow_addresses=["127.0.0.0/8:{port}"]\npoliteness.delay=5ms\npoliteness.longest_delay=20ms\n'
        "politeness.longest_crawl_delay=20ms\npoliteness.address_delay=0s\nindex.commit_every=300ms\npatience=3s"
    )
    page.get_by_role("button", name="Start").click()
    page.wait_for_url(f"**/crawl/{NAME}")
    expect(page.locator("[data-state]")).to_have_text("finished", timeout=60_000)


def search(page: Page) -> list[str]:
    page.goto(f"/search?crawl={NAME}&q={QUERY.replace(' ', '+')}")
    expect(page.locator("ol.results > li").first).to_be_visible()
    return page.locator("ol.results h2 a").evaluate_all("links => links.map((link) => link.href)")


def read(page: Page) -> None:
    """Read the first result as a person does who says that it may be noted."""
    page.locator("ol.results > li").first.get_by_role("link", name="Read the stored copy").click()
    page.get_by_role("button", name="Yes", exact=True).click()
    page.mouse.wheel(0, 600)
    until_scrolled(page, 1)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('main'))")
    page.keyboard.press("Control+c")
    with page.expect_response("**/notes/behaviour"):
        page.pdf()
    page.get_by_role("link", name="Back to the search").click()
    page.wait_for_url("**/search?*")


def noted(home: Path, url: str) -> PageClicks:
    """What the click store knows of a page, as soon as the last thing that was done there is in it."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        folder = home / "crawls" / NAME / "clicks"
        if (folder / "data.mdb").exists():
            with ClickStore(folder, readonly=True) as store:
                known = {page.url: page for page in store.pages()}
            if url in known and any(Action.PRINT in actions_of(bits) for bits in known[url].sets):
                return known[url]
        time.sleep(0.05)
    raise AssertionError(f"not all was noted of {url}: {known.get(url)}")


def weight_of(sets: dict[int, int]) -> float:
    """M13 of one visitor: all sets of the actions have the same support, so each subset counts as 1."""
    (bits,) = sets
    return float(2 ** len(actions_of(bits)) - 2)


def part_of(why: dict[str, Any], beginning: str) -> float:
    """What a part of a score's explanation adds; 0 where there is none."""
    if re.search(beginning, why["why"]):
        return float(why["value"])
    return max((part_of(each, beginning) for each in why["parts"]), default=0.0)


def test_the_whole_loop(browser: Browser, crawls: Path, web: SimulatedWeb, complaints: list[str]) -> None:
    secret = TokenFile(crawls).add("person", Role.OPERATE)
    with served(crawls) as (address, _):
        context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 800}, user_agent=PERSON)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto("/sign-in")
        page.get_by_label("Token").fill(secret)
        page.get_by_role("button", name="Sign in").click()
        start_crawl(page, web)

        results = search(page)
        before = found(crawls)
        read(page)
        clicks = noted(crawls, results[0])
        done = {action for bits in clicks.sets for action in actions_of(bits)}
        assert {Action.SCROLL, Action.COPY, Action.PRINT} <= done

        section = page.locator("[data-enough=now]")
        section.get_by_role("button", name="No, I need more like this").click()
        expect(section.locator("[data-told]")).to_contain_text("That is all for now", timeout=90_000)
        expect(section.get_by_role("heading", name="Built like these results")).to_be_visible()
        expect(section.get_by_role("heading", name="New pages")).to_be_visible()
        new = section.locator("[data-list='New pages'] a").evaluate_all("links => links.map((link) => link.href)")
        assert new
        assert not set(new) & set(before)
        search(page)
        context.close()
    assert complaints == []
    after = found(crawls)
    assert set(new) & set(after), "what the follow-up found is found by the search"
    compare(before[results[0]], after[results[0]], clicks)
    with ClickStore(crawls / "crawls" / NAME / "clicks", readonly=True) as store:
        first = {result.url: result for result in store.shown(QUERY)}[results[0]]
    assert (first.enough, first.not_enough) == (0, 1)


def compare(before: dict[str, Any], after: dict[str, Any], clicks: PageClicks) -> None:
    """The ranking of a page that was read changed as the formulas say."""
    assert part_of(before["why"], "^what people did") == 0.0
    weight = weight_of(clicks.sets)
    assert f"page weight {weight:.2f}" in json.dumps(after["why"])
    assert part_of(after["why"], "page weight") == pytest.approx(0.05 * 0.5 * 1 / (1 + 10), abs=5e-4)
    times = math.log(clicks.duration * clicks.ascii_sum) if clicks.duration * clicks.ascii_sum >= 1 else 0.0
    assert clicks.visitors + 0.75 * times > 0
    assert part_of(after["why"], "importance") == pytest.approx(0.10 * 0.5, abs=5e-4)
    added = part_of(after["why"], "^what people did") + part_of(after["why"], "^freshness")
    text = part_of(after["why"], "^text score: ")
    assert after["score"] == pytest.approx(text * (1 + added), rel=1e-3)
    assert after["score"] / text > before["score"] / part_of(before["why"], "^text score: ")
