"""A whole crawl of a simulated web, made within the test: agent, archive, catalogue and index are the real ones."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import time

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.assembly import build_agent
from lycosa.indexing.duplicate_index import SimilarPages
from lycosa.indexing.index_process import open_writer
from lycosa.indexing.indexer import Indexer
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.supervision.control_channel import Desk

WEB = "box:5?hosts=3&pages=60&errors=0.05&unlinked=0"
ROLLED = 30
"""Rows that are rolled into a segment of the catalogue; the others stay in the journal."""


def crawl_folder(home: Path, web: str = WEB, **changes: object) -> CrawlFolder:
    """A crawl that has not begun."""
    folder = CrawlFolder(home / "crawls" / "whole")
    seeds = SimulatedWeb.of(web, begins=0.0).roots()
    told = {
        "name": "whole",
        "seeds": list(seeds),
        "patience": "1s",
        "topic": {"words": "birds feather wing nest", "page_classes": False},
        "politeness": {"delay": 0, "address_delay": 0, "adaptive": 0.0, "retry_after": "10ms", "robots": False},
        "fetching": {"fetcher": "simulated", "web": web},
        "storage": {"batch_visits": 8},
    }
    folder.create(build({**told, **changes}))
    return folder


def crawl(folder: CrawlFolder) -> None:
    """Crawl until there is nothing left to do."""
    agent = build_agent(folder, 0, Desk(folder, 0, alone=True), time)
    try:
        asyncio.run(agent.run())
    finally:
        agent.crawl.close()


def run(folder: CrawlFolder) -> None:
    """Crawl until there is nothing left to do, then index everything."""
    crawl(folder)
    index(folder)
    with AgentStore(folder.agent(0) / "store") as store:
        catalogue.roll(store, ROLLED)


def index(folder: CrawlFolder) -> None:
    """Bring the index up to date."""
    writer = open_writer(folder, 15_000_000)
    with reading(folder) as stores:
        similar = SimilarPages.open(folder)
        indexer = Indexer(writer, folder.archive, stores, similar=similar)
        while indexer.follow():
            continue
        indexer.commit()
        similar.save()
    writer.close()
