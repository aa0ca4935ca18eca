"""The Chromium of the browser tests: where it is, and how it is started."""

from __future__ import annotations

import shutil

import pytest

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
