"""An audit of a finished crawl against the ground truth of its web: nothing lost, nothing twice, nobody hurried."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.web_server import Request
from lycosa.queue_records import State
from lycosa.search.index import IndexReader
from lycosa.storage import catalogue

DELAY = 0.03


def configured(port: int, seeds: list[str], **changes: object) -> Configuration:
    """A crawl of a simulated web on loopback."""
    plain = {
        "name": "audited",
        "seeds": seeds,
        "patience": "3s",
        "strategy": "best-first",
        "topic": {"words": "birds feather wing nest"},
        "politeness": {
            "delay": f"{DELAY * 1000:.0f}ms",
            "longest_delay": "60ms",
            "longest_crawl_delay": "60ms",
            "address_delay": "0s",
            "per_address": 100,
            "retry_after": "100ms",
        },
        "fetching": {"allow_addresses": [f"127.0.0.0/8:{port}"], "contact": "https://localhost/"},
        "index": {"commit_every": "200ms"},
        "storage": {
            "journal_rows": 20,
            "batch_seconds": "100ms",
            "batch_visits": 16,
            "archive_file": "16KiB",
            "young_links": 12,
        },
        **changes,
    }
    return settings.build(plain)


def archived(folder: CrawlFolder) -> Counter[str]:
    """How often each URL has a good response in the archive, as another tool reads it."""
    found: Counter[str] = Counter()
    for path in sorted(folder.archive.glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response" and record.http_headers.get_statuscode() == "200":
                    found[record.rec_headers.get_header("WARC-Target-URI")] += 1
                    record.content_stream().read()
    return found


def places(folder: CrawlFolder) -> Counter[tuple[str, str, int]]:
    """Where the catalogue says that each fetched page, and each sitemap, lies."""
    with reading(folder) as stores:
        history = [row for store in stores for _, row in catalogue.history(store)]
    rows = [row for row in history if row.outcome in ("fetched", "sitemap")]
    return Counter((row.url, row.file, row.offset) for row in rows)


def audit(folder: CrawlFolder, web: SimulatedWeb, seeds: list[str], requests: list[Request]) -> int:
    """Check everything; returns how many pages were fetched."""
    expected = {url for url in web.reachable_from(seeds) if allowed(web, url)}
    stored = archived(folder)
    assert set(stored) >= expected, f"lost: {sorted(expected - set(stored))[:5]}"
    assert {url for url, number in stored.items() if number != 1} == set()
    listed = places(folder)
    assert {url for url, _, _ in listed} == set(stored)
    assert set(listed.values()) == {1}
    with reading(folder) as stores:
        states = {record.url: record.state for store in stores for record in store.urls()}
        rows = [row for store in stores for _, row in catalogue.history(store) if row.outcome == "fetched"]
    open_ends = {url for url, state in states.items() if state in (State.WAITING, State.LEASED, State.LATER)}
    assert open_ends == set()
    wanted, index = {row.url for row in rows if not row.kept_out}, IndexReader(folder.index)
    assert index.urls() == wanted
    assert len(index) == len(wanted), "a page is in the index twice"
    assert_unhurried(requests)
    return len(rows)


def allowed(web: SimulatedWeb, url: str) -> bool:
    return "/private/" not in url and web.respond(url).status == 200


def assert_unhurried(requests: list[Request]) -> None:
    """No site was asked sooner than its delay after the request before, as the server saw it."""
    last: dict[str, float] = {}
    for request in sorted(requests, key=lambda each: each.at):
        if request.host in last:
            assert request.at - last[request.host] >= DELAY * 0.99, (request, last[request.host])
        last[request.host] = request.at


def log_tail(folder: CrawlFolder) -> str:
    """What the processes said, for a failing test."""
    return "\n".join(path.read_text("utf-8", "replace")[-800:] for path in Path(folder.path / "logs").glob("*.log"))
