"""Why was (not) this crawled, and why now? Every decision about a URL, in order, with scores and reasons."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from lycosa import plugins
from lycosa.agents.folder import CrawlError, CrawlFolder
from lycosa.configuration import Configuration
from lycosa.frontier.admission import admission
from lycosa.records import Link, Record
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.catalogue import VisitRow
from lycosa.urls import normalise
from lycosa.waiting import State, UrlRecord, queue_key


class Event(Record, frozen=True):
    """A decision about a URL."""

    at: float | None
    what: str


class Explanation(Record, frozen=True):
    """All that is known of a URL's way."""

    url: str
    verdict: str
    events: tuple[Event, ...]

    def lines(self) -> list[str]:
        """For people."""
        return [f"{self.url}: {self.verdict}", *(f"  {_when(event.at)}  {event.what}" for event in self.events)]

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "url": self.url,
            "verdict": self.verdict,
            "events": [{"at": event.at, "what": event.what} for event in self.events],
        }


def _when(at: float | None) -> str:
    return "                   " if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def explain(folder: CrawlFolder, typed: str) -> Explanation:
    """The whole story of a URL in a crawl."""
    configuration = folder.configuration()
    url = normalise(typed if "://" in typed else f"http://{typed}")
    if url is None:
        raise CrawlError(f"{typed!r} is no http(s) URL, so no crawl can have seen it")
    owner = plugins.find("assigners", configuration.partition)(configuration.agents)(url)
    path = folder.agent(owner) / "store"
    if not (path / "ready").exists():
        raise CrawlError(f"crawl {folder.name!r} has not started yet; nothing is known of any URL")
    with AgentStore(path, readonly=True) as store:
        record = store.find(url)
        if record is None:
            return _never_seen(url, configuration)
        visits = [row for _, row in catalogue.about(store, url)]
        events = [_found(record), *(event for row in visits for event in _visited(row))]
        verdict, now = _standing(record, visits, store)
        return Explanation(url, verdict, (*events, *now))


def _never_seen(url: str, configuration: Configuration) -> Explanation:
    why = admission(configuration).refusal(Link(url))
    event = (
        Event(None, f"were it found, it would be refused: {why}")
        if why
        else Event(None, "were it found, it would be let in; `lycosa add` puts it into the crawl")
    )
    return Explanation(url, "never seen: it is no seed, and no page fetched so far links to it", (event,))


def _found(record: UrlRecord) -> Event:
    where = f"found on {record.parent}, {record.depth} links from a seed" if record.parent else "given as a seed"
    if record.state is State.REFUSED and not record.attempts:
        return Event(record.enqueued_at, where)
    return Event(record.enqueued_at, f"{where}; let in with priority {record.priority:.3f}: {record.why}")


def _visited(row: VisitRow) -> list[Event]:
    if row.outcome == "fetched":
        size = f"{row.length} bytes, {row.mime or 'no type'}"
        events = [Event(row.at, f"fetched: status {row.status}, {size}, from {row.address or 'a recording'}")]
        if row.relevance is not None:
            events.append(Event(row.at, f"relevance {row.relevance:.3f}: {row.relevance_why}"))
        if row.duplicate_of:
            events.append(Event(row.at, f"duplicate: same content as {row.duplicate_of}; kept, but not in the index"))
        if row.noindex:
            events.append(Event(row.at, "not indexed: the page asks for that"))
        return events
    if row.outcome == "redirected":
        return [Event(row.at, f"redirected ({row.status}) to {row.target}")]
    if row.outcome == "unchanged":
        return [Event(row.at, "unchanged since the last visit")]
    return [Event(row.at, f"{row.outcome}: {row.why} {row.detail}".rstrip())]


def _standing(record: UrlRecord, visits: Sequence[VisitRow], store: AgentStore) -> tuple[str, list[Event]]:
    """What the URL's state means, and what comes next."""
    match record.state:
        case State.DONE:
            last = visits[-1] if visits else None
            if last is not None and last.duplicate_of:
                return f"fetched; a duplicate of {last.duplicate_of}", []
            return (last.outcome if last is not None else "fetched"), []
        case State.REFUSED:
            own = [] if visits else [Event(record.at, f"refused: {record.why}")]
            return f"refused: {record.why}", own
        case State.FAILED:
            return f"failed: {record.why}, given up after {record.attempts} attempts", []
        case State.LATER:
            return "failed, and to be tried again", [Event(record.at, f"next attempt then; the last: {record.detail}")]
        case State.LEASED:
            return "being fetched", [Event(record.at, "taken from the queue")]
        case State.WAITING:
            key = store.key_of(record.url)
            ahead = store.place_in_queue(queue_key(key, record.order)) if key else 0
            others = sum(site.waiting > 0 for site in store.sites()) - 1
            place = f"{ahead} links of its site are ahead of it; {others} other sites have links waiting"
            return "waiting", [Event(None, place)]
