"""How links come to wait: new ones through admission, known ones by a better or a revised judgement.

Most links of a page are known already and cost one look into a bounded memory;
for all others together the shelf is asked once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from lycosa.configuration.sections import FrontierSection
from lycosa.frontier.admission import Admission
from lycosa.frontier.frontier_store import Shelf
from lycosa.frontier.politeness import Site
from lycosa.frontier.rate_limiter import DAY
from lycosa.frontier.request_outcome import REDIRECTED
from lycosa.frontier.seen_urls import SETTLED, SeenUrls
from lycosa.frontier.site_queues import Queues
from lycosa.frontier.site_scheduler import Calendar
from lycosa.queue_records import SitemapLink, State, UrlRecord
from lycosa.records import LAST, SITEMAP, Link, Links, Score, links_at, urls_of
from lycosa.urls import fingerprint, site_of

MOST_ANCHORS = 8
LONGEST_ANCHOR = 120
SMALLEST_GAIN = 0.005
"""A waiting link moves up only for a gain that matters: re-ordering costs two writes."""
READING = 1e-5
"""Seconds from one link of a page to the next: of equal ones the first found goes first."""
SMALLEST_REVISION = 1e-6
"""A revised priority closer to the old one than this changes nothing."""

TYPE_WANTED = 0.5
"""The priority of a link that came last until its type was wanted; how it was judged is not kept."""

LET_IN = "it was refused by rules that have changed"
SAID_NEWER = "its sitemap says that it changed since the last visit"

Renewal: TypeAlias = Callable[[str, float], bool]
"""Whether a page that was fetched is to be fetched again, since its sitemap gives a later time of change."""
OtherForm: TypeAlias = Callable[[str], str | None]
"""How a URL is written by rules that were learned while it waited; None where it is written so."""
_Found: TypeAlias = tuple[Site | None, bytes, Link, Score]
_replace = msgspec.structs.replace


class Offer(NamedTuple):
    """Links, the priorities they are given, and the places of those that are to be let in; all without it."""

    links: Sequence[Link]
    scores: Sequence[Score]
    places: Sequence[int] | None = None


def as_it_is(url: str) -> None:
    """No rules: every URL is written as it is."""


class Entrance:
    """The way into the queues."""

    def __init__(
        self, shelf: Shelf, queues: Queues, calendar: Calendar, admission: Admission, settings: FrontierSection
    ) -> None:
        self._shelf, self._queues, self._calendar, self._settings = shelf, queues, calendar, settings
        self._rate = settings.ageing_per_day / DAY
        self._refusals_kept = 0
        self.admission = admission
        self.other_form: OtherForm = as_it_is
        self.seen = SeenUrls(settings.cached_urls)
        self.refusals: Counter[str] = Counter()
        self.known_links = 0
        """Links to URLs that were known already: dropped as duplicates, though a better judgement counts."""

    def recall_refusals(self, counts: Mapping[str, int]) -> None:
        """Go on counting refusals from what an earlier run counted."""
        self.refusals.update(counts)
        self._refusals_kept += sum(counts.values())

    # -- adding ---------------------------------------------------------------------------------

    def add(self, offers: Sequence[Offer], now: float, renewal: Renewal | None = None) -> int:
        """Let links in; returns how many are new."""
        found: list[_Found] = []
        for offer in offers:
            unsettled = self._unsettled(offer)
            self.known_links += len(offer.links if offer.places is None else offer.places) - len(unsettled)
            found += unsettled
        if not found:
            return 0
        on_shelf = self._shelf.known([key for site, key, _, _ in found if site is not None])
        queues, new = self._queues, 0
        gathered, refused = queues.changes.urls, queues.changes.refused
        for site, key, link, score in found:
            if site is None and (site := queues.names.get(site_of(link.url))) is not None:
                key = site.prefix + key
            record = gathered.get(key) or refused.get(key) or on_shelf.get(key)
            if record is not None:
                if isinstance(link, SitemapLink):
                    record = self._told(key, record, link)
                    if renewal is not None and self._is_newer(record, link, renewal, now):
                        self.again(key, _anew(record, SAID_NEWER, now), now)
                        continue
                self.known_links += 1
                self._raise(key, record, link, score, now)
            elif self._admit(site, key, link, score, now):
                new += 1
        return new

    def _unsettled(self, offer: Offer) -> list[_Found]:
        """The links of which memory knows nothing, that are judged better than before, or of which sitemaps tell more.

        The key of a link to a site never met before is the fingerprint alone.
        """
        names = self._queues.names
        found: list[_Found] = []
        links, scores, offered = offer
        urls = urls_of(links)
        if offered is None:
            places = self.seen.unsettled(urls, scores, SMALLEST_GAIN)
        else:
            judged = [scores[place] for place in offered]
            unsettled = self.seen.unsettled([urls[place] for place in offered], judged, SMALLEST_GAIN)
            places = [offered[place] for place in unsettled]
        if not isinstance(links, Links):
            every = range(len(links)) if offered is None else offered
            told = [place for place in every if links[place].__class__ is SitemapLink]
            places = sorted({*places, *told}) if told else places
        for place, link in zip(places, links_at(links, places), strict=True):
            url = link.url
            site = names.get(url[: url.index("/", 8)])
            key = fingerprint(url) if site is None else site.prefix + fingerprint(url)
            found.append((site, key, link, scores[place]))
        return found

    def _told(self, key: bytes, record: UrlRecord, link: SitemapLink) -> UrlRecord:
        """A known URL is named in a sitemap: remember how often it changes by that."""
        if not link.changes or link.changes == record.changes or record.state is State.REFUSED:
            return record
        told = self._queues.changes.urls[key] = _replace(record, changes=link.changes)
        return told

    def _is_newer(self, record: UrlRecord, link: Link, renewal: Renewal, now: float) -> bool:
        """Whether a page changed since it was fetched, by a time that can be true."""
        if record.state is not State.DONE or record.rel == SITEMAP or link.lastmod is None:
            return False
        return record.at < link.lastmod <= now and renewal(link.url, link.lastmod)

    def _admit(self, site: Site | None, key: bytes, link: Link, score: Score, now: float) -> bool:
        why = self.admission.refusal(link)
        if why is not None and self._refusals_kept >= self._settings.refusals_kept:
            self.refusals[_reason(why)] += 1
            return False
        queues, url, value = self._queues, link.url, score.value
        last = self.admission.comes_last(link)
        if last is not None:
            value = LAST
        if site is None:
            site = queues.new_site(site_of(url))
            key = site.prefix + key
        queues.numbered += 1
        anchors = (link.anchor[:LONGEST_ANCHOR],) if link.anchor else ()
        found = now + READING * link.position
        order = value - self._rate * found
        reason = (last or score.why) if why is None else ""
        record = UrlRecord(
            url, State.WAITING, value, found, order, link.parent, link.depth, link.redirects, 0, anchors, reason,
            number=queues.numbered, rel=link.rel if link.rel == SITEMAP else "",
            changes=link.changes if isinstance(link, SitemapLink) else "",
        )  # fmt: skip
        if why is not None:
            self.refuse(key, record, why, now)
            return False
        self.seen.put(url, value if last is None else SETTLED)
        if queues.enter(site, key, record):
            self._calendar.best_changed(site, now)
        return True

    def refuse(self, key: bytes, record: UrlRecord, why: str, now: float) -> None:
        """Keep a link, which does not wait, as refused; one that waited before keeps the reason for that."""
        self.refusals[_reason(why)] += 1
        self._refusals_kept += 1
        changes = self._queues.changes
        changes.urls.pop(key, None)
        changes.refused[key] = _replace(record, state=State.REFUSED, why=why, detail=record.why, at=now)
        self.seen.put(record.url, SETTLED)

    def known_otherwise(self, record: UrlRecord) -> str | None:
        """Why a link need not be fetched that waited while it was learned how its URL is written; None if it must.

        Seeds, targets of redirects, and pages that were asked for before are taken as they are.
        """
        if not record.parent or record.redirects or record.at or record.rel == SITEMAP:
            return None
        form = self.other_form(record.url)
        key = self._queues.key(form) if form else None
        known = None if key is None else self._queues.known(key)
        if known is None or known.state in (State.REFUSED, State.FAILED) or known.detail.startswith(REDIRECTED):
            return None
        return f"spelling: the same page as {form}"

    def _raise(self, key: bytes, record: UrlRecord, link: Link, score: Score, now: float) -> None:
        """A known URL was found again: a better judgement counts, with its old place in time."""
        waits = record.state is State.WAITING and record.priority != LAST
        if not waits or score.value < record.priority + SMALLEST_GAIN:
            self.seen.put(record.url, record.priority if waits else SETTLED, met=True)
            return
        anchor, anchors = link.anchor[:LONGEST_ANCHOR], record.anchors
        if anchor and anchor not in anchors and len(anchors) < MOST_ANCHORS:
            anchors = (*anchors, anchor)
        depth = min(record.depth, link.depth)
        order = score.value - self._rate * record.enqueued_at
        better = _replace(
            record, priority=score.value, order=order, parent=link.parent, depth=depth, why=score.why, anchors=anchors
        )
        self._move(key, record, better, now)

    def again(self, key: bytes, record: UrlRecord, now: float) -> None:
        """Let a link that was put off wait from now on; when it was found is not forgotten."""
        site = self._queues.site_of(key)
        self.seen.put(record.url, record.priority)
        waiting = _replace(record, state=State.WAITING, order=record.priority - self._rate * now)
        if self._queues.enter(site, key, waiting):
            self._calendar.best_changed(site, now)

    def reconsider(self, urls: Iterable[str], now: float, *, seeds: bool = False) -> int:
        """Let links wait that were refused and would not be any more, or not as `seeds`; returns how many do."""
        number = 0
        for key in [key for url in urls if (key := self._queues.key(url)) is not None]:
            record = self._queues.known(key)
            if record is not None and record.state is State.WAITING and record.priority == LAST:
                self._come_first(key, record, now)
            if record is None or record.state is not State.REFUSED:
                continue
            if seeds:
                record = _replace(record, parent="", depth=0, redirects=0)
            if self.admission.refusal(record.link()) is None:
                self._queues.changes.refused.pop(key, None)
                why = record.let_in_for or LET_IN
                self.again(key, _replace(record, attempts=0, why=why, detail=""), now)
                number += 1
        return number

    def _come_first(self, key: bytes, record: UrlRecord, now: float) -> None:
        """A link that came last waits like others where its type is wanted by now."""
        if self.admission.comes_last(record.link()) is None:
            order = TYPE_WANTED - self._rate * record.enqueued_at
            self._move(key, record, _replace(record, priority=TYPE_WANTED, order=order, why=LET_IN), now)

    def revisit(self, urls: Iterable[str], why: str, now: float, *, anew: bool = False) -> int:
        """Let pages that were fetched, or could not be, wait once more; returns how many do."""
        keys = [key for url in urls if (key := self._queues.key(url)) is not None]
        number = 0
        for key in keys:
            record = self._queues.known(key)
            if record is not None and record.state in (State.DONE, State.FAILED):
                waiting = _anew(record, why, now)
                self.again(key, _replace(waiting, etag="", last_modified="") if anew else waiting, now)
                number += 1
        return number

    # -- revising -------------------------------------------------------------------------------

    def revise(self, judgements: Iterable[tuple[str, Score]], now: float) -> int:
        """Give waiting links other priorities; returns how many changed."""
        doubtful = self._doubtful(dict(judgements))
        changes, changed = self._queues.changes, 0
        on_shelf = self._shelf.known([key for key in doubtful if key not in changes.urls])
        for key, score in doubtful.items():
            record = changes.urls.get(key) or changes.refused.get(key) or on_shelf.get(key)
            if record is None or record.state is not State.WAITING or record.priority == LAST:
                continue
            if abs(record.priority - score.value) >= SMALLEST_REVISION:
                order = score.value - self._rate * record.enqueued_at
                revised = _replace(record, priority=score.value, order=order, why=score.why)
                self._move(key, record, revised, now)
                changed += 1
        return changed

    def _doubtful(self, judgements: dict[str, Score]) -> dict[bytes, Score]:
        """The judgements that may change something, by URL key."""
        found: dict[bytes, Score] = {}
        for url, score in judgements.items():
            cached = self.seen.peek(url)
            if cached is None or (cached != SETTLED and abs(cached - score.value) >= SMALLEST_REVISION):
                key = self._queues.key(url)
                if key is not None:
                    found[key] = score
        return found

    def _move(self, key: bytes, record: UrlRecord, moved: UrlRecord, now: float) -> None:
        """Let a waiting link wait elsewhere in its queue."""
        queues, site = self._queues, self._queues.site_of(key)
        was_best = queues.leave(site, key, record)
        is_best = queues.enter(site, key, moved)
        self.seen.put(moved.url, moved.priority, met=True)
        if was_best or is_best:
            self._calendar.best_changed(site, now)


def _anew(record: UrlRecord, why: str, now: float) -> UrlRecord:
    """A page that was visited before as it is let in once more, for another reason."""
    return _replace(record, attempts=0, why=why, detail="", enqueued_at=now)


def _reason(why: str) -> str:
    """The counted name of a refusal: what stands before the colon."""
    return why.partition(":")[0]
