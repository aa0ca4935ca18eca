"""The Chromium of the browser tests: where it is, how it is started, and what it is asked."""

from __future__ import annotations

import shutil

import pytest
from playwright.sync_api import Page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def browser_path() -> str:
    """The Chromium on the PATH; without one the test fails, it is not skipped."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.fail(f"no browser: install Chromium so that one of these is on the PATH: {', '.join(BROWSERS)}")
    return path


def until_scrolled(page: Page, least: int) -> None:
    """Wait until a page has scrolled so far. It is asked: one that forbids `eval` cannot be told to watch itself."""
    for _ in range(400):
        if page.evaluate("scrollY") >= least:
            return
        page.wait_for_timeout(25)
    pytest.fail(f"the page did not scroll by {least}")
