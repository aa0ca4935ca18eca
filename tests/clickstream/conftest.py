"""A site that listens, a real browser, and somebody who reads with it; shared by the tests of the beacon."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from beacon_reader import Reader, chromium, reading
from listening_server import Site, listening_site
from playwright.sync_api import Browser


@pytest.fixture
def site() -> Iterator[Site]:
    """A site and, on another origin, who listens: new ones for each test, so that nothing late reaches the next."""
    with listening_site() as made:
        yield made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with chromium() as made:
        yield made


@pytest.fixture
def reader(browser: Browser, site: Site) -> Iterator[Reader]:
    """Somebody who reads; nothing that the beacon does may make a page complain."""
    with reading(browser, site) as made:
        yield made
        assert made.complaints == []
