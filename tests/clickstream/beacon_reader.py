"""A person with a real Chromium who reads pages that carry the beacon, and what the beacon said of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from listening_server import Site
from playwright.sync_api import Browser, BrowserContext, BrowserType, Error, Page, sync_playwright

from real_browser import ARGUMENTS, browser_path

NAMES = "--host-resolver-rules=MAP insecure.example 127.0.0.1"
AS_PEOPLE_HAVE_IT = ["--disable-back-forward-cache", "--hide-scrollbars"]
"""What playwright switches off and people have."""
LONG = "<p>Wolf spiders hunt by sight.</p>" * 200
END = "<!doctype html><title>elsewhere</title><script>fetch('{}/end', {{method: 'POST', mode: 'no-cors'}})</script>"


@contextmanager
def chromium(agent: str = "") -> Iterator[Browser]:
    """A headless Chromium. It must not outlive the module that asked for it: its event loop keeps running."""
    with sync_playwright() as playwright, launched(playwright.chromium, agent=agent) as browser:
        yield browser


@contextmanager
def launched(kind: BrowserType, *, keeps_pages: bool = True, agent: str = "") -> Iterator[Browser]:
    """A browser, with or without the cache that going back shows pages from, and maybe with a name of its own."""
    arguments = [*ARGUMENTS, NAMES, *([f"--user-agent={agent}"] if agent else [])]
    allowed = AS_PEOPLE_HAVE_IT if keeps_pages else AS_PEOPLE_HAVE_IT[1:]
    browser = kind.launch(executable_path=browser_path(), args=arguments, ignore_default_args=allowed)
    try:
        yield browser
    finally:
        browser.close()


@dataclass(slots=True)
class Reader:
    """Somebody with a tab on a site."""

    site: Site
    context: BrowserContext
    tab: Page
    complaints: list[str] = field(default_factory=list)

    def opens(self, url: str) -> dict[str, Any]:
        """Open a page; gives the event that counted the visit."""
        self.tab.goto(url)
        return self.site.listener.event(lambda event: event["u"] == url.partition("#")[0] and event["n"] == 0)

    def reads(self, body: str = LONG, path: str = "/page", **how: Any) -> dict[str, Any]:
        """Open a page with that body."""
        return self.opens(self.site.page(path, body, **how))

    def turns(self, script: str) -> None:
        """Have the page go elsewhere by a script of its own; the answer may be lost with the page that is left."""
        try:
            self.tab.evaluate(f"setTimeout(() => {script})")
        except Error as lost:
            if "context was destroyed" not in lost.message:
                raise

    def leaves(self) -> None:
        """Go elsewhere; whatever the page sent is there afterwards."""
        self.tab.goto(self.site.plain("/elsewhere", END.format(self.site.listening)))
        self.site.listener.request(lambda heard: heard.path == "/end")

    def did(self, opened: dict[str, Any] | None = None) -> dict[str, int]:
        """Leave the page that was opened last; gives what was done on it since, and checks that all came at once.

        Where another tab may have begun a view meanwhile, `opened` is the event that counted the visit.
        """
        view = (opened or self.site.listener.events()[-1])["i"]
        self.leaves()
        last = self.site.listener.event(lambda event: event["i"] == view and event["n"] == 1)
        assert [event["n"] for event in self.site.listener.events() if event["i"] == view] == [0, 1]
        found = last["e"]
        assert isinstance(found, dict)
        return found


@contextmanager
def reading(browser: Browser, site: Site, **how: Any) -> Iterator[Reader]:
    """A reader with a fresh context of the browser."""
    context = browser.new_context(viewport={"width": 1000, "height": 700}, **how)
    context.set_default_timeout(10_000)
    reader = Reader(site, context, context.new_page())
    reader.tab.on("console", lambda said: reader.complaints.append(said.text) if said.type == "error" else None)
    reader.tab.on("pageerror", lambda error: reader.complaints.append(str(error)))
    try:
        yield reader
    finally:
        context.close()
