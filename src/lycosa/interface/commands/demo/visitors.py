"""The demo's visitors: people who read the demo web, as its server would have written them down.

They open pages in proportion to how good the maker of the web made them, and stay as
long; a search robot reads along. The log goes through the same import as anybody's, into
the demo crawl's own click store, so nothing of it gets into what was really counted.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from lycosa.clickstream.server_logs.log_files import log_files
from lycosa.clickstream.server_logs.log_import import LogImport
from lycosa.clickstream.server_logs.page_urls import LogSite
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.inspection.page_bm25 import crawl_relevance
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.records import Record
from lycosa.scoring.importance import ordered, placed_pages
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys
from lycosa.urls import host_of, path_of, site_of

VISITORS = 400
PAGES_EACH = 6
LONGEST_STAY = 240
SHOWN = 3
SITE = "localhost"
PERSON = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1)"


class DemoVisits(Record, frozen=True):
    """What the log of the demo's visitors came to: its lines, visits, robots' lines, and the pages that matter most."""

    lines: int
    visits: int
    robots: int
    top: tuple[tuple[str, float, int], ...]


def demo_visits(folder: CrawlFolder, web: SimulatedWeb) -> DemoVisits:
    """Have people visit the demo web, read the server's log, and say which pages matter most by it."""
    log = folder.path / "access.log"
    write_log(log, web, time.time())
    clicks = folder.path / "clicks"
    with ClickStore(clicks) as store:
        work = LogImport(LogSite(SITE, by_host=True), store, DayKeys(clicks), now=time.time())
        found = work.run(log_files([str(log)]))
        pages = list(store.pages())
    crawled = crawl_relevance(folder).bm25
    placed = placed_pages([page for page in pages if page.url in crawled], crawled)
    top = [(each.clicks.url, each.iv, each.clicks.visits) for each in ordered(placed, "iv")[:SHOWN]]
    return DemoVisits(found.counts.lines, found.visits, found.left_out.get("known-agent", 0), tuple(top))


def write_log(path: Path, web: SimulatedWeb, now: float) -> None:
    """A combined log with the host before each line."""
    chance = Random(1)
    quality = {url: web.truth(url).quality for url in web.page_urls()}
    urls, weights = list(quality), [value**2 for value in quality.values()]
    lines = []
    for visitor in range(VISITORS):
        at, address = now - chance.uniform(3600, 20 * 3600), f"127.1.{visitor // 250}.{visitor % 250 + 1}"
        agent = ROBOT if visitor % 20 == 0 else PERSON
        for url in chance.choices(urls, weights, k=chance.randint(1, 2 * PAGES_EACH)):
            lines.append((at, _line(url, address, agent, at)))
            at += 1 + LONGEST_STAY * quality[url] * chance.random()
    path.write_text("".join(line for _, line in sorted(lines)), "utf-8")


def _line(url: str, address: str, agent: str, at: float) -> str:
    when = datetime.fromtimestamp(at, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    port = site_of(url).rpartition(":")[2]
    return (
        f'{host_of(site_of(url))}:{port} {address} - - [{when}] "GET {path_of(url)} HTTP/1.1" 200 4096 "-" "{agent}"\n'
    )


def visits_lines(found: DemoVisits) -> list[str]:
    """The same for a terminal."""
    told = f"{found.visits} visits of people in a log of {found.lines} lines ({found.robots} lines of robots left out)"
    best = [f"  IV {iv:5.2f}  {visits:3} visits  {url}" for url, iv, visits in found.top]
    return ["", f"What people do there: {told}. What matters most, by visits, time and topic:", *best]
