"""Links wait with other priorities during a follow-up; afterwards each gets back the one it had.

What is to be put back is written down before anything is changed, so that a crawl finds
its own order again however the follow-up ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawling.commit import Crawl
from lycosa.queue_records import State
from lycosa.records import Link, Score
from lycosa.storage.agent_store import Batch

_WAITED = list[tuple[str, float, str]]


def _path(folder: CrawlFolder, agent: int) -> Path:
    return folder.agent(agent) / "put-back.bin"


def reorder(folder: CrawlFolder, crawl: Crawl, judgements: Iterable[tuple[str, Score]], now: float) -> int:
    """Let links wait with other priorities for a while. Returns how many do."""
    wanted, waited = list(judgements), _WAITED()
    for url, _ in wanted:
        record = crawl.frontier.known(Link(url))
        if record is not None and record.state is State.WAITING:
            waited.append((url, record.priority, record.why))
    path = _path(folder, crawl.number)
    if not path.exists():  # else they wait with other priorities already: what is written is what they had
        partial = path.with_suffix(".partial")
        partial.write_bytes(msgspec.msgpack.encode(waited))
        partial.replace(path)
    return _revise(crawl, wanted, now)


def put_back(folder: CrawlFolder, crawl: Crawl, now: float) -> int:
    """Let the links that still wait do so as before. Returns how many there were."""
    path = _path(folder, crawl.number)
    try:
        waited = msgspec.msgpack.decode(path.read_bytes(), type=_WAITED)
    except FileNotFoundError:
        return 0
    number = _revise(crawl, ((url, Score(priority, why)) for url, priority, why in waited), now)
    path.unlink()
    return number


def _revise(crawl: Crawl, judgements: Iterable[tuple[str, Score]], now: float) -> int:
    number = crawl.frontier.revise(judgements, now)
    crawl.store.commit(Batch(crawl.frontier.drain()))
    return number
