"""Mends what the checker found, where that loses nothing: the archive's tail, left-over files, the index, lost pages.

Nothing is mended while the crawl runs, and nothing that could still be of use is
removed: damaged records stay where they are, and a page is only put back into the queue.
Where files of the archive are lost, or end too soon, it goes on in a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import time

import msgspec

from lycosa.crawl_folder.folder import CrawlFolder, own
from lycosa.crawl_folder.stores import reading
from lycosa.crawling.assembly import build_frontier
from lycosa.indexing.duplicate_index import SimilarPages
from lycosa.indexing.index_process import open_writer
from lycosa.indexing.indexer import Indexer
from lycosa.inspection.repository_check import (
    ADD,
    CUT,
    DROP,
    FETCH_AGAIN,
    GO_ON,
    MARK,
    REBUILD,
    REINDEX,
    REMOVE,
    RESTORE,
    CheckReport,
    Finding,
    check,
)
from lycosa.inspection.restored_store import restore
from lycosa.queue_records import Changes
from lycosa.search import index
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import go_on_without

_BATCH = 500


def repair(folder: CrawlFolder, report: CheckReport) -> CheckReport:
    """Mend what can be mended; returns what a second check finds, with what was done."""
    made = _restore(folder, [each for each in report.findings if each.repair == RESTORE])
    if made:
        report = check(folder)
    with own(folder.path / "lock", f"crawl {folder.name!r}"):
        done = [
            *made,
            *_rebuild(folder, [each for each in report.findings if each.repair == REBUILD]),
            *_cut_tails(folder, [each for each in report.findings if each.repair == CUT]),
            *_go_on(folder, [each for each in report.findings if each.repair == GO_ON]),
            *_remove_left_overs(folder, [each for each in report.findings if each.repair == REMOVE]),
            *_fetch_again(folder, [each for each in report.findings if each.repair == FETCH_AGAIN]),
        ]
        if made or any(each.repair == REINDEX for each in report.findings):
            done.append(f"the index was built again with {_index_again(folder)} pages")
        else:
            done += _mend_index(folder, report.findings)
    return msgspec.structs.replace(check(folder), repaired=tuple(done))


def _restore(folder: CrawlFolder, findings: Sequence[Finding]) -> list[str]:
    with own(folder.path / "lock", f"crawl {folder.name!r}"):
        return [restore(folder, each.agent, time()) for each in findings]


def _rebuild(folder: CrawlFolder, findings: Sequence[Finding]) -> list[str]:
    told = []
    for number in sorted({each.agent for each in findings}):
        with AgentStore(folder.agent(number) / "store") as store:
            told.append(f"queues and the way to {store.rebuild()} URLs of agent {number} were built again")
    return told


def _cut_tails(folder: CrawlFolder, findings: Sequence[Finding]) -> list[str]:
    for finding in findings:
        with AgentStore(folder.agent(finding.agent) / "store", readonly=True) as store:
            offset = store.position().offset
        with (folder.archive / finding.where).open("r+b") as file:
            file.truncate(offset)
    return [f"{each.where} was cut to what was committed" for each in findings]


def _go_on(folder: CrawlFolder, findings: Sequence[Finding]) -> list[str]:
    """Let archives go on that have lost something; their pages are fetched again as other damaged ones are."""
    for number in sorted({each.agent for each in findings}):
        with AgentStore(folder.agent(number) / "store") as store:
            position = go_on_without(folder.archive, f"agent-{number}", store.position())
            store.commit(Batch(Changes(), position=position))
    return [f"the archive goes on without what is lost of {each.where}" for each in findings]


def _remove_left_overs(folder: CrawlFolder, findings: Sequence[Finding]) -> list[str]:
    for finding in findings:
        (folder.agent(finding.agent) / "store" / "catalogue" / finding.where).unlink(missing_ok=True)
    return [f"{each.where} was removed" for each in findings]


def _fetch_again(folder: CrawlFolder, findings: Sequence[Finding]) -> list[str]:
    """Put pages back into their agent's queue; the next run of the crawl fetches them."""
    told = []
    for number in sorted({each.agent for each in findings}):
        urls = sorted({each.where for each in findings if each.agent == number})
        now = time()
        with AgentStore(folder.agent(number) / "store") as store:
            frontier = build_frontier(folder.configuration(), store, now)
            queued = frontier.revisit(urls, "its copy was damaged", now, anew=True)
            store.commit(Batch(frontier.drain()))
        told.append(f"{queued} pages wait to be fetched again; `lycosa resume {folder.name}` fetches them")
    return told


def _index_again(folder: CrawlFolder) -> int:
    configuration = folder.configuration()
    index.remove(folder.index)
    writer = open_writer(folder, configuration.index.memory)
    try:
        with reading(folder) as stores:
            similar = SimilarPages.open(folder)
            indexer = Indexer(writer, folder.archive, stores, configuration.topic.words, similar=similar)
            while indexer.follow(_BATCH):
                continue
            indexer.commit()
            similar.save()
            return indexer.counts["indexed"]
    finally:
        writer.close()


def _mend_index(folder: CrawlFolder, findings: Sequence[Finding]) -> list[str]:
    """Add what is missing, take out what does not belong there, and set marks back that are ahead of the rows."""
    missing = {each.where for each in findings if each.repair == ADD}
    orphans = [each.where for each in findings if each.repair == DROP]
    ahead = [each for each in findings if each.repair == MARK]
    if not (missing or orphans or ahead):
        return []
    writer = open_writer(folder, folder.configuration().index.memory)
    try:
        with reading(folder) as stores:
            similar = SimilarPages.open(folder)
            similar.catch_up(folder.archive, stores, writer.marks)
            indexer = Indexer(writer, folder.archive, stores, folder.configuration().topic.words, similar=similar)
            for store in stores if missing else ():
                latest = {row.url: row for _, row in catalogue.history(store) if row.url in missing}
                for row in latest.values():
                    indexer.take(row, store)
            for url in orphans:
                writer.drop(url)
            last = {number: store.last_row() for number, store in enumerate(stores)}
        writer.commit({number: min(mark, last[number]) for number, mark in writer.marks.items() if number in last})
        similar.save()
    finally:
        writer.close()
    told = f"{indexer.counts['indexed']} pages were added to the index, {len(orphans)} taken out"
    return [told, *(f"the index follows {each.where} from the last row there is" for each in ahead)]
