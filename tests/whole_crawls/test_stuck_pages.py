"""A page that nobody gets done with stops no crawl: it is found out, named, and left alone; all others are read."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from audit import configured
from stuck_process import IN_C, IN_INDEXER, IN_PYTHON
from tiny_web import page
from watched_process import SUPERVISOR, kill

from lycosa.crawl_folder.costly_pages import TooCostly
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.reading_slot import OF_AGENT, OF_INDEXER, reading_at
from lycosa.crawl_folder.status import Status
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawl_folder.stores import reading
from lycosa.crawl_folder.suspect_pages import SAME_BYTES
from lycosa.freshness.revisit_round import looks_of
from lycosa.indexing.template_index import Structures
from lycosa.inspection.explanation import explain
from lycosa.inspection.report import crawl_report
from lycosa.inspection.repository_check import check
from lycosa.interface.views.reader.stored_page import NotStored, stored_page
from lycosa.lab.web_server import WebServer
from lycosa.queue_records import State
from lycosa.records import Response
from lycosa.search.index import IndexReader
from lycosa.storage import catalogue
from lycosa.storage.archive import Place
from lycosa.supervision.supervisor import Fleet

HEALTHY, HOSTILE = "healthy.localhost", "hostile.localhost"
HEALTHY_PATHS = [f"/{number}" for number in range(30)]
INDEXED = "/indexed"
TRAPS = {INDEXED: IN_INDEXER, "/python": IN_PYTHON, "/c": IN_C, "/again": IN_C}


class TwoSites:
    """A healthy site, and one with planted traps, of which the first leads to the others."""

    def __init__(self, traps: Mapping[str, str]) -> None:
        self._traps = dict(traps)

    def respond(
        self, url: str, now: float = 0.0, attempt: int = 1, headers: Mapping[str, str] | None = None
    ) -> Response:
        host, _, rest = url.removeprefix("http://").partition("/")
        path = f"/{rest}"
        if path in self._traps:
            text = page(f"birds {self._traps[path]}", list(self._traps) if path == INDEXED else [])
        elif host.startswith(HOSTILE) and path == "/":
            text = page("birds of the hostile site", [INDEXED])
        elif host.startswith(HEALTHY) and path in ("/", *HEALTHY_PATHS):
            text = page(f"birds of {path}", HEALTHY_PATHS)
        else:
            return Response(url, 404)
        return Response(url, 200, (("Content-Type", "text/html"),), text.encode())


def command(pids: Path) -> tuple[str, ...]:
    return sys.executable, str(Path(__file__).with_name("stuck_process.py")), str(pids)


def made(path: Path, port: int, **changes: object) -> tuple[CrawlFolder, str, str]:
    healthy, hostile = (f"http://{host}:{port}" for host in (HEALTHY, HOSTILE))
    folder = CrawlFolder(path / "crawls" / "audited")
    folder.create(configured(port, [f"{healthy}/", f"{hostile}/"], sitemaps={"guess": False}, **changes))
    return folder, healthy, hostile


def test_every_other_page_is_fetched_and_indexed(tmp_path: Path) -> None:
    """Two pages hold up the agent, in Python and in C, one has the same bytes, and one holds up the indexer."""

    async def crawl() -> tuple[CrawlFolder, Status, str, str]:
        async with WebServer(TwoSites(TRAPS)) as server:
            folder, healthy, hostile = made(tmp_path, server.port, reading={"within": "800ms"})
            run = Fleet(folder, lambda status: None, command(tmp_path / "pids"), backoff=0.01).run()
            return folder, await run, healthy, hostile

    folder, status, healthy, hostile = asyncio.run(crawl())
    costly = {f"{hostile}{path}" for path in TRAPS}
    good = {f"{healthy}/", f"{hostile}/", *(f"{healthy}{path}" for path in HEALTHY_PATHS)}
    assert status.state == "finished"
    assert status.sums["fetched"] == len(good | {f"{hostile}{INDEXED}"})
    assert status.failed == {"too-costly": len(costly) - 1}
    assert IndexReader(folder.index).urls() == good
    found = crawl_report(folder).too_costly
    assert set(found) == costly
    assert [why for why in found.values() if "processor time" not in why] == [SAME_BYTES]
    assert "failed: too-costly" in explain(folder, f"{hostile}/python").verdict
    assert any("too-costly" in event.what for event in explain(folder, f"{hostile}{INDEXED}").events)
    nobody_reads(folder, f"{hostile}{INDEXED}", costly)


def nobody_reads(folder: CrawlFolder, indexed: str, costly: set[str]) -> None:
    """The page that only the indexer could not read is refused by all that read stored pages."""
    assert check(folder).sound
    structures = Structures.open(folder)
    structures.update()
    assert indexed not in structures
    with reading(folder) as (store,):
        assert not costly & set(looks_of(store).pages)
        rows = [row for _, row in catalogue.about(store, indexed)]
    with pytest.raises(TooCostly):
        page_at(folder.archive, Place(rows[0].file, rows[0].offset, rows[0].size))
    with pytest.raises(NotStored, match="too costly"):
        stored_page(folder, indexed)


def test_ctrl_c_ends_a_crawl_whose_agent_and_indexer_are_stuck_in_c(tmp_path: Path) -> None:
    """Once is enough, long before the watch would have ended them; the crawl can be resumed."""

    async def crawl() -> CrawlFolder:
        async with WebServer(TwoSites({INDEXED: IN_INDEXER, "/c": IN_C})) as server:
            folder, _, hostile = made(tmp_path, server.port)
            script = str(Path(__file__).with_name("stuck_process.py"))
            order = (sys.executable, script, str(tmp_path / "pids"), SUPERVISOR, str(folder.path))
            supervisor = await asyncio.create_subprocess_exec(*order, stderr=asyncio.subprocess.PIPE)
            try:
                await stuck(folder.path / OF_INDEXER, f"{hostile}{INDEXED}")
                await stuck(folder.agent(0) / OF_AGENT, f"{hostile}/c")
                supervisor.send_signal(signal.SIGINT)
                _, told = await asyncio.wait_for(supervisor.communicate(), 20)
            finally:
                if supervisor.returncode is None:
                    supervisor.kill()
                    await supervisor.wait()
                left = [path.name for path in (tmp_path / "pids").iterdir() if kill(path)]
            assert left == []
            assert (supervisor.returncode, b"Traceback" in told) == (0, False), told
            return folder

    folder = asyncio.run(crawl())
    assert not folder.running()
    with reading(folder) as (store,):
        states = [record.state for record in store.urls() if record.url.endswith("/c")]
    assert set(states) <= {State.WAITING, State.LEASED}
    assert len(states) == 1


async def stuck(slot: Path, url: str) -> None:
    """Wait until another process, which tells only through its slot, reads a page that it does not get done with."""
    for _ in range(3000):
        if reading_at(slot).page == url:
            return
        await asyncio.sleep(0.01)
    raise AssertionError(f"{url} was never read")
