"""Small crawls made by hand with the real parts: store, archive, index, status files."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stages import STAGES
from lycosa.queue_records import Changes, SiteRecord
from lycosa.records import Page, Response
from lycosa.search.index import Document, IndexWriter
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Archive, Position
from lycosa.storage.catalogue import VisitRow

LONG_AGO = 1_700_000_000.0
ATTACK = "<img src=x onerror=\"window.attacked='title'\"><script>window.attacked='title'</script>"
HOSTILE = [
    Page(
        "https://evil.example/a",
        ATTACK,
        text=f"tarantula {ATTACK} &lt;script&gt; <b>bold</b> &amp;lt; end",
        language="en",
    ),
    Page("javascript:window.attacked='url'//x/tarantula", "A tarantula in a script address", text="tarantula"),
    Page(
        'https://evil.example/"onmouseover="window.attacked=\'attribute\'"/',
        "\u202eesrever tarantula\x00\x1b",
        text="tarantula " + "x" * 3000,
        language='"><script>',
    ),
]
SPIDERS = [
    Page(
        f"https://spiders.example/species/{number}",
        f"Wolf spider number {number}",
        ("Wolf spiders",),
        f"The wolf spider number {number} hunts by sight and carries its young on its back. "
        "It has no web to wait in; it runs down its prey among fallen leaves.",
        "en",
    )
    for number in range(23)
]
GERMAN = Page("https://spinnen.example/wolf", "Die Wolfsspinne", text="Die Wolfsspinne jagt ohne Netz", language="de")


def a_crawl(home: Path, name: str, agents: int = 1, **settings: Any) -> CrawlFolder:
    """A crawl that nobody has run yet."""
    folder = CrawlFolder(home / "crawls" / name)
    folder.create(build({"name": name, "agents": agents, "topic": {"words": "spiders", "threshold": 0.2}, **settings}))
    return folder


def keep(folder: CrawlFolder, agent: int, relevances: Sequence[float | None], begin: float = LONG_AGO) -> None:
    """Have an agent keep visits with these relevances (None: a failed one), a second apart."""
    with AgentStore(folder.agent(agent) / "store") as store:
        archive = Archive(folder.archive, f"agent-{agent}", Position(), 1 << 30)
        urls = [f"https://site{agent}.example/{place}" for place in range(len(relevances))]
        fetched = [url for url, relevance in zip(urls, relevances, strict=True) if relevance is not None]
        places = iter(archive.append([Response(url, 200, raw=b"<p>spider", began=begin) for url in fetched]))
        rows = []
        for number, (url, relevance) in enumerate(zip(urls, relevances, strict=True)):
            if relevance is None:
                rows.append(VisitRow(url, begin + number, agent, "failed", "timeout"))
                continue
            where = next(places)
            kept = {"file": where.file, "offset": where.offset, "size": where.length}
            rows.append(VisitRow(url, begin + number, agent, "fetched", relevance=relevance, **kept))
        site = SiteRecord(agent, f"https://site{agent}.example", 4, 0.0, len(rows), 1)
        store.commit(Batch(Changes(sites={agent: site}), rows, position=archive.position))
        archive.close()
    (folder.agent(agent) / "store" / "ready").touch()


def index(folder: CrawlFolder, pages: Sequence[Page]) -> None:
    """Make these pages searchable."""
    writer = IndexWriter(folder.index, 15_000_000)
    for place, page in enumerate(pages):
        writer.add(Document(page, at=LONG_AGO, relevance=0.9 - 0.01 * place))
    writer.commit({0: len(pages)})
    writer.close()
    (folder.path / "index.status.json").write_text(json.dumps({"at": LONG_AGO, "indexed": len(pages)}), "utf-8")


def report(folder: CrawlFolder, agent: int, fetched: int, relevant: int, **more: Any) -> None:
    """Have an agent say how it fares."""
    said: dict[str, Any] = {
        "agent": agent, "fetched": fetched, "relevant": relevant, "waiting": 1234, "in_flight": 3, "uncommitted": 0,
        "later": 2, "state": "run", "idle": False, "at": time.time(), "pid": 1, "duplicates": 1, "bytes": 5_000_000,
        "mean_relevance": 0.4, "links": 900, "new_links": 400, "sent": 0, "received": 0, "sites": 7,
        "failed": {"timeout": 3, "http-404": 12},
        "placeholders": {"soft-404": 1}, "refused": {"robots": 5, "depth": 40}, "site_phases": {"open": 7},
        "stages": {
            name: {"count": fetched, "seconds": 0.5 * place, "cpu": 0.4 * place, "queue": place, "rate": 2.5 * place}
            for place, name in enumerate(STAGES)
        },
        "pages_per_second": 12.5, "cpu_seconds": 8.0, "memory": 90_000_000, "uptime": 60.0,
    }  # fmt: skip
    path = folder.agent(agent) / "status.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(said | more), "utf-8")
    partial.replace(path)


def a_full_crawl(home: Path, name: str = "spiders") -> CrawlFolder:
    """Two agents, an index with well-meaning and hostile pages, a budget."""
    folder = a_crawl(home, name, agents=2, pages=100)
    keep(folder, 0, [0.9, 0.1, None, 0.8, 0.3] * 4)
    keep(folder, 1, [0.1, 0.7, 0.0] * 5, begin=LONG_AGO + 0.5)
    report(folder, 0, 16, 12)
    report(folder, 1, 15, 5)
    index(folder, [*SPIDERS, GERMAN, *HOSTILE])
    return folder
