"""Why was (not) this crawled, and why now? Every decision about a URL, in order, with scores and reasons."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from lycosa import plugins
from lycosa.agents.class_schemes import scheme_of_crawl
from lycosa.agents.counts import Counts
from lycosa.agents.crawl_treasure import CrawlTreasure, crawl_treasure
from lycosa.agents.folder import CrawlError, CrawlFolder
from lycosa.agents.spellings import MARK, Spellings
from lycosa.agents.visit_rows import KEPT
from lycosa.configuration import Configuration, ConfigurationError
from lycosa.frontier.admission import admission
from lycosa.frontier.canonical import TOLD, Verdict
from lycosa.link_graph.treasure_graph import Node
from lycosa.records import Link, Record
from lycosa.scoring.scorer import VISITED
from lycosa.search.indexer import DUPLICATE, has_moved
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.catalogue import VisitRow
from lycosa.topics.classes import Scheme, written
from lycosa.topics.classes_file import scheme_in
from lycosa.urls import normalise, site_of
from lycosa.waiting import SiteRecord, State, UrlRecord, queue_key

_NODE_NAMED = re.compile(r"T-Graph node ([0-9a-f]{12})\b")
LONGEST_QUOTED = 200


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
    url = normalise(typed if "://" in typed else f"http://{typed}", drop_tracking=configuration.urls.drop_tracking)
    if url is None:
        raise CrawlError(f"{typed!r} is no http(s) URL, so no crawl can have seen it")
    owner = plugins.find("assigners", configuration.partition)(configuration.agents)(url)
    path = folder.agent(owner) / "store"
    if not (path / "ready").exists():
        raise CrawlError(f"crawl {folder.name!r} has not started yet; nothing is known of any URL")
    with AgentStore(path, readonly=True) as store:
        record = store.find(url)
        spelling = _spelling(url, configuration, store)
        if record is None:
            return _never_seen(url, configuration, spelling)
        visits = [row for _, row in catalogue.about(store, url)]
        scheme, untold = _classification(folder, configuration, visits)
        events = [event for row in visits for event in _visited(row, scheme)]
        verdict, now = _standing(record, visits, store)
        links = (*untold, *spelling, *_met_again(store))
    return Explanation(url, verdict, (_found(record), *_deciding_nodes(folder, record.why), *links, *events, *now))


def _spelling(url: str, configuration: Configuration, store: AgentStore) -> list[Event]:
    """What the rules that were learned of the site's spellings make of a link to the URL (M1)."""
    if not configuration.urls.learn_spellings:
        return [Event(None, "links are taken as they are written: urls.learn_spellings is false")]
    learned = Spellings(configuration.urls, store.mark(MARK))
    return [Event(None, line) for line in learned.explain(url)]


def _classification(
    folder: CrawlFolder, configuration: Configuration, visits: Sequence[VisitRow]
) -> tuple[Scheme | None, list[Event]]:
    """What the classes of visits are called; where the crawl's own classification cannot be read, why."""
    if not any(row.classes for row in visits):
        return None, []
    try:
        return scheme_in(scheme_of_crawl(configuration, folder.path)), []
    except ConfigurationError as error:
        return None, [Event(None, f"what its classes are cannot be told: {error}")]


def _met_again(store: AgentStore) -> list[Event]:
    """What became of further links to known URLs (M9)."""
    kept = store.mark("counts")
    counts = msgspec.msgpack.decode(kept, type=Counts) if kept else Counts()
    told = f"{counts.known_links} links to known URLs so far ({counts.seen_hits} recognised from memory)"
    return [Event(None, f"further links to it are dropped as duplicates, like {told}")]


def _never_seen(url: str, configuration: Configuration, spelling: list[Event]) -> Explanation:
    if len(spelling) > 1:
        return Explanation(url, "never seen as it is written: links to it are rewritten", tuple(spelling))
    why = admission(configuration).refusal(Link(url))
    event = (
        Event(None, f"were it found, it would be refused: {why}")
        if why
        else Event(None, "were it found, it would be let in; `lycosa add` puts it into the crawl")
    )
    return Explanation(url, "never seen: it is no seed, and no page fetched so far links to it", (event, *spelling))


def _found(record: UrlRecord) -> Event:
    where = f"found on {record.parent}, {record.depth} links from a seed" if record.parent else "given as a seed"
    if not record.parent and record.why.startswith(VISITED):
        where = "found in the clickstream: no page links to it"
    if record.state is State.REFUSED and not record.attempts:
        return Event(record.enqueued_at, where)
    return Event(record.enqueued_at, f"{where}; let in with priority {record.priority:.3f}: {record.why}")


def _deciding_nodes(folder: CrawlFolder, why: str) -> list[Event]:
    """What is known now of the T-Graph's nodes that a reason names."""
    keys = _NODE_NAMED.findall(why)
    try:
        treasure = crawl_treasure(folder) if keys else None
    except (CrawlError, ConfigurationError) as error:
        return [Event(None, f"what its T-Graph node is cannot be told: {error}")]
    return [Event(None, line) for key in keys if treasure is not None for line in _about_node(treasure, key)]


def _about_node(treasure: CrawlTreasure, key: str) -> list[str]:
    node = next((node for node in treasure.nodes if node.key == key), None)
    if node is None:
        died = [change.why for _, change in treasure.changes if change.kind == "dead" and change.node.key == key]
        return [f"node {key} is dead: {died[-1]}" if died else f"node {key} is no longer in the T-Graph"]
    return _node_lines(node)


def _node_lines(node: Node) -> list[str]:
    nearest, sections, main, boundary = map(_quoted, node.passage.parts)
    headings = " / ".join(dict.fromkeys(text for text in (main, sections, nearest) if text)) or "no headings"
    away = f"{node.distance} download{'' if node.distance == 1 else 's'} from a target"
    experience = f"{node.led:.1f} of {node.tried:.1f} links it decided led on as promised"
    return [
        f"node {node.key}: a passage of {node.page}, {away}, weight {node.weight:.2f}, {experience}",
        f"node {node.key}: under {headings}: {boundary or 'no text'}",
    ]


def _quoted(text: str) -> str:
    """Foreign words on one line, shortened, that cannot send commands to a terminal."""
    words = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return words if len(words) <= LONGEST_QUOTED else words[: LONGEST_QUOTED - 1] + "…"


def _visited(row: VisitRow, scheme: Scheme | None) -> list[Event]:
    if row.outcome == "fetched":
        size = f"{row.length} bytes, {row.mime or 'no type'}"
        events = [Event(row.at, f"fetched: status {row.status}, {size}, from {row.address or 'a recording'}")]
        if row.relevance is not None:
            events.append(Event(row.at, f"relevance {row.relevance:.3f}: {row.relevance_why}"))
        if row.classes:
            named = scheme.named if scheme is not None else written
            events.append(Event(row.at, f"class {' or '.join(map(named, row.classes.split()))}"))
        if row.why in set(Verdict):
            events.append(_canonical(row))
        if row.duplicate_of and row.why != Verdict.BELIEVED:
            events.append(Event(row.at, f"duplicate: same content as {row.duplicate_of}; kept, but not in the index"))
        if row.aside:
            told = "kept aside, not in the index: its structure is not that of the crawl's sample pages"
            events.append(Event(row.at, told))
        if row.noindex:
            events.append(Event(row.at, "not indexed: the page asks for that"))
        return events
    if row.outcome == "redirected":
        alias = "; it is another name of that page" if has_moved(row) else ""
        return [Event(row.at, f"redirected ({row.status}) to {row.target}{alias}")]
    if row.outcome in (DUPLICATE, KEPT):
        return [_canonical(row)]
    if row.outcome == "unchanged":
        return [Event(row.at, "unchanged since the last visit")]
    return [Event(row.at, f"{row.outcome}: {row.why} {row.detail}".rstrip())]


def _canonical(row: VisitRow) -> Event:
    """What became of the page's word that another URL is its canonical one (M9)."""
    verdict = Verdict(row.why)
    told = f"names {row.detail} as its canonical address: {TOLD[verdict]}"
    if verdict is Verdict.BELIEVED:
        return Event(row.at, f"duplicate: {told}; kept, but not in the index")
    return Event(row.at, told if verdict is Verdict.WAITS else f"{told}, so that is not believed, and both stay")


def _standing(record: UrlRecord, visits: Sequence[VisitRow], store: AgentStore) -> tuple[str, list[Event]]:
    """What the URL's state means, and what comes next."""
    match record.state:
        case State.DONE:
            last = next((row for row in reversed(visits) if row.outcome != KEPT), None)
            if last is not None and last.duplicate_of:
                return f"fetched; a duplicate of {last.duplicate_of}", []
            if last is not None and last.aside:
                return "fetched; kept aside, for it is not built like the sample pages", []
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
            sites = list(store.sites())
            others = sum(site.waiting > 0 for site in sites) - 1
            place = f"{ahead} links of its site are ahead of it; {others} other sites have links waiting"
            return "waiting", [Event(None, place), *_rest(sites, site_of(record.url))]


def _rest(sites: Iterable[SiteRecord], name: str) -> list[Event]:
    """Until when a link's whole site has to wait, and why, as far as the crawl knew at its last commit."""
    own = next((site for site in sites if site.site == name), None)
    if own is None or not own.why or own.next_at <= time.time():
        return []
    return [Event(own.next_at, f"not before then: its site rests ({own.why})")]
