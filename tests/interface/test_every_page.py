"""What holds for every page, in a real Chromium: axe-core clean, quiet, small, and no script of strangers runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from clicked_home import a_clicked_home
from own_server import served
from playwright.sync_api import Browser, Page
from reader_crawl import SITE, WOLF, a_crawl_to_read

from lycosa.interface.shared.tokens import Role, TokenFile

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser"), pytest.mark.timeout(240)]

PAGES = [
    "/", "/crawls/new", "/crawl/spiders", "/crawl/spiders/settings", "/crawl/spiders/logs", "/crawl/young",
    "/crawl/spiders/why?url=https://site0.example/0", "/search", "/search?crawl=spiders&q=wolf+spider",
    "/search?crawl=spiders&q=tarantula", "/search?crawl=spiders&q=nothingatall", "/search?crawl=young&q=wolf",
    f"/read?crawl=reads&url={WOLF}", f"/read?crawl=reads&url={WOLF}&view=versions", "/read/favourites",
    f"/read?crawl=reads&url={WOLF}&view=links", f"/read?crawl=reads&url={WOLF}&view=scores",
    f"/read?crawl=reads&url={SITE}/never", "/topics", "/clicks", "/sign-in", "/crawl/nosuch", "/nowhere",
]  # fmt: skip
MOST_BYTES = 150_000
SIZES = [pytest.param((1280, 800), "light", id="desk"), pytest.param((390, 844), "dark", id="phone")]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A server over a home with something of everything, and a token for it."""
    home: Path = tmp_path_factory.mktemp("every")
    a_clicked_home(home)
    a_crawl_to_read(home)
    with served(home) as (address, _):
        yield address, TokenFile(home).add("tests", Role.ADMIN)


def visit(page: Page, path: str) -> int:
    """Load a page afresh. Returns how many bytes came over the network for it."""
    loaded: list[int] = []
    page.on("response", lambda answer: loaded.append(len(answer.body())) if answer.ok else None)
    page.goto(path, wait_until="load")
    return sum(loaded)


@pytest.mark.parametrize(("size", "colours"), SIZES)
def test_pages_are_open_to_everybody_quiet_and_small(
    browser: Browser, shown: tuple[str, str], size: tuple[int, int], colours: str
) -> None:
    address, secret = shown
    context = browser.new_context(
        base_url=address,
        viewport={"width": size[0], "height": size[1]},
        color_scheme=colours,  # type: ignore[arg-type]
    )
    page = context.new_page()
    page.goto("/sign-in")
    page.get_by_label("Token").fill(secret)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")
    wrong: list[str] = []
    for path in PAGES:
        page, said = context.new_page(), list[str]()
        page.on("console", lambda message, said=said: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        size_of_page = visit(page, path)
        found = Axe().run(page)
        missing = "404" if path in ("/crawl/nosuch", "/nowhere") or "never" in path else "nothing"
        wrong += [f"{path}: {each}" for each in said if missing not in each]
        if found.violations_count:
            wrong.append(f"{path}: {found.generate_report()}")
        if size_of_page > MOST_BYTES:
            wrong.append(f"{path}: {size_of_page} bytes")
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            wrong.append(f"{path}: scrolls sideways")
        if page.evaluate("window.attacked") is not None:
            wrong.append(f"{path}: a stranger's script ran")
        page.close()
    context.close()
    assert wrong == []
