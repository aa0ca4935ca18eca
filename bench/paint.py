"""How soon a person sees something: first contentful paint of search and console in Chromium, over loopback."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench.rows import Row, less_is_better, missing

BAR = 300.0
LOADS = 9
PAGES = {"search": "/search?crawl=demo&q=nest+of+a+bird", "console": "/crawl/demo", "crawls": "/"}
PAINTED = """() => new Promise((found) => new PerformanceObserver((list) => {
  const entry = list.getEntriesByName("first-contentful-paint")[0];
  if (entry) found(entry.startTime);
}).observe({type: "paint", buffered: true}))"""


def run() -> list[Row]:
    """The median and the least of several loads, each with an empty cache."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        return [missing("paint", "chromium", "there is none on the PATH")]
    from playwright.sync_api import sync_playwright

    rows = []
    with tempfile.TemporaryDirectory() as home, _served(Path(home)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, place in PAGES.items():
            times = []
            for _ in range(LOADS):
                context = browser.new_context(base_url=address)
                page = context.new_page()
                page.goto(place)
                times.append(float(page.evaluate(PAINTED)))
                context.close()
            for which, found in (("median", median(times)), ("least", min(times))):
                note = "bar >= 1" if which == "median" else f"of {LOADS} loads"
                rows.append(
                    less_is_better(
                        "paint", f"first paint of {name}, {which}", found, BAR, other_name="bar", unit="ms", note=note
                    )
                )
        browser.close()
    return rows


@contextmanager
def _served(home: Path) -> Iterator[str]:
    """A server over the demo's crawl."""
    lycosa = [sys.executable, "-m", "lycosa.interface.cli", "--home", str(home)]
    subprocess.run([*lycosa, "demo", "--once"], check=True, capture_output=True, timeout=300)
    server = subprocess.Popen([*lycosa, "serve", "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        server.wait(timeout=15)
