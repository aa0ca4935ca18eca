"""Visits written by hand into a crawl's archive and catalogue, for tests that need a certain past."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.pages.document import read_page
from lycosa.queue_records import Changes, SiteRecord
from lycosa.records import Fetched, Link, Response
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.storage.archive import Archive, Place
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import site_of


class Written(NamedTuple):
    """A visit: without a body nothing was fetched, and `facts` say what happened."""

    url: str
    at: float
    body: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    facts: dict[str, Any] = {}  # noqa: RUF012


def new_crawl(home: Path, agents: int = 1) -> CrawlFolder:
    """A crawl in which nothing has happened yet."""
    folder = CrawlFolder(home / "crawls" / "past")
    folder.create(build({"name": "past", "agents": agents}))
    return folder


def write(folder: CrawlFolder, visits: list[Written], agent: int = 0, roll: bool = False) -> None:
    """Let an agent have made these visits, after whatever it had done before."""
    with AgentStore(folder.agent(agent) / "store") as store:
        archive = Archive(folder.archive, f"agent-{agent}", store.position(), 1 << 30)
        rows = [_row(visit, archive, agent) for visit in visits]
        sites = [record.site for record in store.sites()]
        sites += sorted({site_of(visit.url) for visit in visits} - set(sites))
        records = {number: SiteRecord(number, site, 0, 0.0, 1, 0) for number, site in enumerate(sites)}
        store.commit(Batch(Changes(sites=records), rows, position=archive.position))
        archive.close()
        if roll:
            catalogue.roll(store, store.last_row())
    (folder.agent(agent) / "store" / "ready").touch()


def _row(visit: Written, archive: Archive, agent: int) -> VisitRow:
    if visit.body is None:
        return VisitRow(url=visit.url, at=visit.at, agent=agent, **({"outcome": "failed"} | visit.facts))
    whole = visit.body.encode()
    headers = (("Content-Type", "text/html; charset=utf-8"), *visit.headers)
    response = Response(visit.url, 200, headers, whole, whole, visit.at)
    page = read_page(Fetched(Link(visit.url), response))
    place: Place = archive.append([response])[0]
    found: dict[str, Any] = {"outcome": "fetched", "status": 200, "mime": "text/html", "length": len(whole)}
    found |= {"digest": page.digest.hex(), "title": page.title, "noindex": page.noindex}
    found |= {"file": place.file, "offset": place.offset, "size": place.length}
    return VisitRow(url=visit.url, at=visit.at, agent=agent, **(found | visit.facts))


def page(*sentences: str, frame: str = "") -> str:
    """A page whose main text is these sentences."""
    filler = "It is said at some length, so that it counts as the content of this page, and not as its frame."
    told = " ".join(f"{sentence} {filler}" for sentence in sentences)
    return f"<title>t</title><nav><ul><li><a href=/>{frame}</a></ul></nav><main><p>{told}</p></main>"
