"""The indexer as a process of a crawl: follows the agents while they work, and finishes after them."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import time
from typing import Any

from lycosa.crawl_folder.folder import CrawlFolder, said_of
from lycosa.crawl_folder.stages import INDEX, Stage, Stages
from lycosa.durable import replace_file
from lycosa.indexing.duplicate_index import SimilarPages
from lycosa.indexing.indexer import Indexer
from lycosa.indexing.page_reading import PageReading
from lycosa.indexing.template_index import Structures
from lycosa.search import index
from lycosa.search.index import IndexWriter
from lycosa.search.schema import IndexDamaged
from lycosa.storage.agent_store import AgentStore

POLL = 0.2
SAY_EVERY = 1.0
BATCH = 200
WhenOrphaned = Callable[[asyncio.AbstractEventLoop, Callable[[], None]], None]


async def run_indexer(folder: CrawlFolder, when_orphaned: WhenOrphaned) -> None:
    """Follow the agents until told to finish (SIGTERM, or the input is closed); then index what is left."""
    finishing = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, finishing.set)
    when_orphaned(loop, finishing.set)
    configuration = folder.configuration()
    writer = open_writer(folder, configuration.index.memory)
    stores = await _stores(folder, configuration.agents, finishing)
    structures = Structures.open(folder)
    similar = SimilarPages.open(folder)
    guard = PageReading(folder, configuration.reading)
    similar.catch_up(folder.archive, stores, writer.marks, guard)
    indexer = Indexer(writer, folder.archive, stores, configuration.topic.words, structures, similar, guard)
    if writer.marks:
        indexer.counts.update(_counts_kept(folder))
    behind = partial(structures.follow, stores, indexer.marks, BATCH, guard)
    try:

        def save_if_grown() -> None:
            structures.save_if_grown()
            similar.save_if_grown()

        await _follow(indexer, behind, save_if_grown, folder, finishing)
        structures.save()
        similar.save()
    finally:
        writer.close()
        guard.close()
        for store in stores:
            store.close()


def open_writer(folder: CrawlFolder, memory: int) -> IndexWriter:
    """The index, or, when it is damaged, a new one that will be built again from the archive."""
    try:
        return IndexWriter(folder.index, memory)
    except IndexDamaged:
        index.remove(folder.index)
        return IndexWriter(folder.index, memory)


async def _stores(folder: CrawlFolder, number: int, finishing: asyncio.Event) -> list[AgentStore]:
    """The agents' stores, as soon as they exist."""
    paths = [path / "store" for path in folder.agents(number)]
    while not all((path / "ready").exists() for path in paths) and not finishing.is_set():
        await asyncio.sleep(POLL)
    return [AgentStore(path, readonly=True) for path in paths if (path / "ready").exists()]


async def _follow(
    indexer: Indexer,
    behind: Callable[[], int],
    committed_too: Callable[[], None],
    folder: CrawlFolder,
    finishing: asyncio.Event,
) -> None:
    """Index what comes; while nothing comes, let those who are `behind` the index read what they missed."""
    every, began = folder.configuration().index.commit_every, time()
    stages, committed, said = _stages_kept(folder), began, 0.0
    while True:
        ending = finishing.is_set()
        with stages.timed(INDEX, 0):
            done = indexer.follow(BATCH)
        stages.note(INDEX, 0.0, done)
        if time() - committed >= every or (ending and not done):
            with stages.timed(INDEX, 0):
                indexer.commit()
                committed_too()
            committed, said = time(), 0.0
        if time() - said >= SAY_EVERY:
            said = time()
            stage = stages.plain({INDEX: indexer.behind()}, said - began)[INDEX]
            _say(folder, {"at": said, **indexer.counts, "stage": stage})
        if ending and not done:
            return
        if not done and not behind():
            await _wait(finishing, POLL)
        else:
            await asyncio.sleep(0)


def _stages_kept(folder: CrawlFolder) -> Stages:
    """The stage of indexing, going on from what an earlier run said of it."""
    said = (said_of(_status_file(folder)) or {}).get("stage", {})
    return Stages({INDEX: Stage(said["count"], said["seconds"], said["cpu"])} if said else None, (INDEX,))


def _counts_kept(folder: CrawlFolder) -> dict[str, int]:
    """What earlier runs counted."""
    said = said_of(_status_file(folder)) or {}
    return {name: number for name, number in said.items() if isinstance(number, int)}


def _status_file(folder: CrawlFolder) -> Path:
    return folder.path / "index.status.json"


def _say(folder: CrawlFolder, status: dict[str, Any]) -> None:
    replace_file(_status_file(folder), json.dumps(status), durable=False)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return
