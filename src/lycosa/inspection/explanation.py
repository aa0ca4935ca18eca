"""Why was (not) this crawled, and why now? Every decision about a URL, in order, with scores and reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.class_scheme import scheme_of_crawl
from lycosa.crawl_folder.costly_pages import CostlyPage, costly_pages
from lycosa.crawl_folder.counts import kept_counts
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.reading_apart import read_apart
from lycosa.crawl_folder.suspect_pages import TOO_COSTLY
from lycosa.crawling.url_rewriting import MARK, Spellings
from lycosa.crawling.visit_rows import KEPT
from lycosa.duplicates.canonical_links import TOLD, Verdict
from lycosa.frontier.admission import admission
from lycosa.inspection.t_graph import CrawlTreasure, crawl_treasure
from lycosa.inspection.url_state import FAILED, Event, Owner, counted, standing
from lycosa.link_graph.t_graph.graph import Node
from lycosa.pages.placeholders import PLACEHOLDERS
from lycosa.plugins import registry
from lycosa.queue_records import State, UrlRecord
from lycosa.records import REJECTED, SITEMAP, Link, Record
from lycosa.scoring.strategy import VISITED
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.catalogue import DUPLICATE, VisitRow, has_moved
from lycosa.topics.classification.scheme import Scheme, written
from lycosa.topics.classification.scheme_file import scheme_in
from lycosa.urls import normalise, site_of

_NODE_NAMED = re.compile(r"T-Graph node ([0-9a-f]{12})\b")
LONGEST_QUOTED = 200
AHEAD = 0.1
"""Seconds by which a link's time may be ahead of the clock: the links of a page are a little apart, in its order."""


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


@read_apart()
def explain(folder: CrawlFolder, typed: str) -> Explanation:
    """The whole story of a URL in a crawl."""
    configuration = folder.configuration()
    url = normalise(typed if "://" in typed else f"http://{typed}", drop_tracking=configuration.urls.drop_tracking)
    if url is None:
        raise CrawlError(f"{typed!r} is no http(s) URL, so no crawl can have seen it")
    agent = registry.find("assigners", configuration.partition)(configuration.agents)(url)
    path = folder.agent(agent) / "store"
    if not (path / "ready").exists():
        raise CrawlError(f"crawl {folder.name!r} has not started yet; nothing is known of any URL")
    with AgentStore(path, readonly=True) as store:
        record = store.find(url)
        spelling = _spelling(url, configuration, store)
        if record is None:
            return _never_seen(url, configuration, spelling)
        visits = sorted((row for _, row in catalogue.about(store, url)), key=lambda row: row.at)
        scheme, untold = _classification(folder, configuration, visits)
        found, events = _way(record, visits, scheme)
        events += [Event(each.at, _costly(each)) for each in costly_pages(folder.path).values() if each.url == url]
        verdict, now = standing(Owner(agent, store, folder, configuration), record, visits)
        links = (*_deciding_nodes(folder, record.let_in_for), *untold, *spelling, *_met_again(store))
    return Explanation(url, verdict, (found, *links, *events, *now))


def _way(record: UrlRecord, visits: Sequence[VisitRow], scheme: Scheme | None) -> tuple[Event, list[Event]]:
    """How a URL was found, and what happened since, in order of time."""
    before = [None, *(row.outcome for row in visits)]
    events = [event for last, row in zip(before, visits, strict=False) for event in _visited(row, scheme, last)]
    first = min(record.enqueued_at, record.at or record.enqueued_at, *(row.at for row in visits))
    if record.enqueued_at - first <= AHEAD:
        return Event(first, "; ".join(filter(None, (_where(record), _let_in(record))))), events
    once_more = Event(record.enqueued_at, _let_in(record, "let in once more"))
    return Event(None, _where(record)), sorted((*events, once_more), key=lambda event: event.at or 0.0)


def hindrance(folder: CrawlFolder, seed: str) -> str:
    """What keeps a seed from being fetched, to be said after its name; '' where nothing is known."""
    configuration = folder.configuration()
    url = normalise(seed, drop_tracking=configuration.urls.drop_tracking) or seed
    owner = registry.find("assigners", configuration.partition)(configuration.agents)(url)
    with AgentStore(folder.agent(owner) / "store", readonly=True) as store:
        record = store.find(url)
        sites = {site.site: site.why for site in store.sites()}
    if record is None:
        return ""
    if record.state in (State.REFUSED, State.FAILED):
        return f"{'was refused' if record.state is State.REFUSED else 'failed'}: {record.why}"
    why = record.detail if record.state is State.LATER else sites.get(site_of(url), "")
    return f"could not be reached ({why})" if why else ""


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
    counts = kept_counts(store.mark("counts"))
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


def _where(record: UrlRecord) -> str:
    """Who pointed at a URL."""
    if record.parent:
        return f"found on {record.parent}, {counted(record.depth, 'link')} from a seed"
    visited = record.let_in_for.startswith(VISITED)
    return "found in the clickstream: no page links to it" if visited else "given as a seed"


def _let_in(record: UrlRecord, how: str = "let in") -> str:
    """With which priority a URL was let in, and why; '' for one that never was."""
    if record.state is State.REFUSED and not (record.attempts or record.let_in_for):
        return ""
    reason = f": {record.let_in_for}" if record.let_in_for else ""
    if record.priority <= REJECTED:
        return f"{how}, but rejected for now{reason}"
    return f"{how} with priority {record.priority:.3f}{reason}"


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


def _visited(row: VisitRow, scheme: Scheme | None, before: str | None) -> list[Event]:
    """What one visit found; `before` is how the one before it ended."""
    attempt = f" (attempt {row.attempts})" if row.attempts and FAILED in (row.outcome, before) else ""
    if row.outcome == "fetched":
        size = f"{row.length} bytes, {row.mime or 'no type'}"
        told = f"fetched: status {row.status}, {size}, from {row.address or 'a recording'}{attempt}"
        events = [Event(row.at, told)]
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
        if row.placeholder:
            events.append(Event(row.at, f"{PLACEHOLDERS[row.placeholder]}; kept, but not in the index"))
        if row.noindex:
            events.append(Event(row.at, "not indexed: the page asks for that"))
        return events
    if row.outcome == "redirected":
        alias = "; it is another name of that page" if has_moved(row) else ""
        return [Event(row.at, f"redirected ({row.status}) to {row.target}{alias}{attempt}")]
    if row.outcome in (DUPLICATE, KEPT):
        return [_canonical(row)]
    if row.outcome == SITEMAP:
        return [Event(row.at, f"read as a sitemap: status {row.status}, {row.length} bytes{attempt}")]
    if row.outcome == "unchanged":
        return [Event(row.at, "unchanged since the last visit")]
    return [Event(row.at, f"{row.outcome}: {row.why} {row.detail}".rstrip() + attempt)]


def _costly(page: CostlyPage) -> str:
    return f"{TOO_COSTLY}: not in the index, and read by nobody any more: {page.why}"


def _canonical(row: VisitRow) -> Event:
    """What became of the page's word that another URL is its canonical one (M9)."""
    verdict = Verdict(row.why)
    told = f"names {row.detail} as its canonical address: {TOLD[verdict]}"
    if verdict is Verdict.BELIEVED:
        return Event(row.at, f"duplicate: {told}; kept, but not in the index")
    return Event(row.at, told if verdict is Verdict.WAITS else f"{told}, so that is not believed, and both stay")
