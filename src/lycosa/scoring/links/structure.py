"""The strategy `structure`: goes where pages of the samples' template are (M11).

Which links lead there is learnt while the crawl goes on. Pages of a site are made by
templates, so links at one place of one template, or with addresses of one pattern, lead
to pages of one kind: each such group of links has the rate at which its links led
to pages that match, and what was never tried is judged by what is more general. Where
nothing is promising, links near the seeds go first: lists of pages are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import repeat
from math import sqrt

from lycosa.configuration.sections import Configuration
from lycosa.pages.structure.neighbours import Neighbours, signature_of
from lycosa.pages.structure.sketch import SAME_TEMPLATE, Features, share
from lycosa.plugins.plug_points import OFF_TOPIC, Topic
from lycosa.records import Failed, Fetched, Link, Page, Score, Visit
from lycosa.scoring.links.hit_rates import Lineage, LinkRates
from lycosa.scoring.pages.structure import MATCHES, structure_of
from lycosa.scoring.waiting_links import WaitingLinks
from lycosa.urls import site_of

MOST_WAITING = 100_000
MOST_GROUPS_OF_LINK = 4
"""Groups that a link is in at most: one for each kind of place where it was found."""
GROUPS_AT_ONCE = 48
"""Groups that are judged again for each visit, on average."""
WORTH_TELLING = 0.02
"""Links of a group move when its rate has changed by more."""
MOST_TEMPLATES = 5_000
MOST_CANDIDATES = 4
"""Templates that a page is compared with."""
DEEP = 6
"""Links that are deeper below the seeds are all the same."""
SHALLOW = 0.2
"""What a link on a seed would have ahead of others, divided by its depth and one more."""
LEADS = 0.25
"""What a page is worth that does not match but has many new links that are promising."""
MANY = 5
PROMISING = 0.5
NOTHING = Score(0.0)
GONE = Score(OFF_TOPIC, "was asked for before")
UNTRIED = 0.1
"""What a group that was never tried has ahead, divided by its trials and one more."""


class _Group:
    """Links of the same kinds that wait, and what was last told of them."""

    __slots__ = ("address", "depth", "place", "score", "urls")

    def __init__(self, place: Lineage, address: Lineage, depth: int) -> None:
        self.place, self.address, self.depth = place, address, depth
        self.urls: dict[str, None] = {}
        self.score: Score | None = None


class _Places(dict[tuple[str, str], Lineage]):
    """The kinds of the places of a page, by tag path and rel, looked up where they are first asked for."""

    def __init__(self, rates: LinkRates, url: str, template: int) -> None:
        self._rates, self._site, self._template = rates, site_of(url), template

    def __missing__(self, place: tuple[str, str]) -> Lineage:
        found = self[place] = self._rates.at_place(self._site, self._template, *place)
        return found


class StructureLinkScorer:
    """Links by how often links like them led to pages that match."""

    def __init__(self, threshold: float, most_waiting: int = MOST_WAITING) -> None:
        self._threshold = threshold
        self._rates = LinkRates()
        self._templates = Templates()
        self._groups: dict[tuple[Lineage, Lineage, int], _Group] = {}
        self._waiting: WaitingLinks[tuple[_Group, ...]] = WaitingLinks(most_waiting)
        self._unjudged = 0
        self._told: list[tuple[str, Score]] = []

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """What links of its kinds promise, for each link; nothing where it waits no longer."""
        places = _Places(self._rates, page.url, self._templates.find(page.structure))
        waits, is_gone = self._waiting.get, self._waiting.is_gone
        scores: list[Score] = []
        for link in links:
            groups = waits(link.url)
            if groups is None:
                scores.append(GONE if is_gone(link.url) else self._promise(*self._kinds_of(link, places)))
            else:
                scores.append(self._promise(places[link.tag_path, link.rel], groups[0].address, min(link.depth, DEEP)))
        return scores

    def estimates(self, links: Sequence[Link]) -> Sequence[Score]:
        """Links that wait by the best of their groups; others by their addresses alone."""
        return [self._estimate(link) for link in links]

    def _estimate(self, link: Link) -> Score:
        groups = self._waiting.get(link.url)
        if groups is None:
            return self._promise(*self._kinds_of(link, self._anywhere(link)))
        return max((self._score(group) for group in groups), key=lambda each: each.value)

    def _anywhere(self, link: Link) -> _Places:
        """The places of the page that a link was found on, when nothing else is known of it."""
        return _Places(self._rates, link.parent or link.url, -1)

    def _kinds_of(self, link: Link, places: _Places) -> tuple[Lineage, Lineage, int]:
        return places[link.tag_path, link.rel], self._rates.of_address(link.url), min(link.depth, DEEP)

    def _best(self, groups: Iterable[_Group]) -> Score:
        """The best that any of a link's groups promises."""
        best = NOTHING
        for group in groups:
            score = group.score
            if score is not None and score.value > best.value:
                best = score
        return best

    def _score(self, group: _Group) -> Score:
        if group.score is None:
            group.score = self._judged(group.place, group.address, group.depth)
        return group.score

    def _promise(self, place: Lineage, address: Lineage, depth: int) -> Score:
        """What a link promises that may have no group yet."""
        group = self._groups.get((place, address, depth))
        return self._judged(place, address, depth) if group is None else self._score(group)

    def _judged(self, place: Lineage, address: Lineage, depth: int) -> Score:
        """What to expect of links of some kinds, and why."""
        value, one, other = self._value(place, address, depth), place.telling, address.telling
        if one is not None and other is not None:
            return Score(value, f"{one.told}; {other.told}")
        tried = one or other
        return Score(value, "no such link was tried yet" if tried is None else tried.told)

    def _value(self, place: Lineage, address: Lineage, depth: int) -> float:
        rates = self._rates
        if place.judged != rates.learnt:
            rates.judge(place)
        if address.judged != rates.learnt:
            rates.judge(address)
        tried = place.tried if place.tried < address.tried else address.tried
        value = sqrt(place.expected * address.expected) + SHALLOW / (1 + depth) + UNTRIED / (1 + tried)
        return value if value > OFF_TOPIC else OFF_TOPIC

    def learn(self, visits: Sequence[Visit]) -> None:
        """Note where links led, and which new ones wait."""
        for visit in visits:
            self._note(visit)
        self._rates.learnt += 1
        self._unjudged += len(visits)
        if self._unjudged * GROUPS_AT_ONCE >= len(self._groups):
            self._unjudged = 0
            self._judge_again()

    def _judge_again(self) -> None:
        waits = self._waiting.get
        for group in self._groups.values():
            before, value = group.score, self._value(group.place, group.address, group.depth)
            if before is None or abs(value - before.value) > WORTH_TELLING:
                group.score = self._judged(group.place, group.address, group.depth)
                self._told += [(url, self._best(waits(url) or (group,))) for url in group.urls]

    def _note(self, visit: Visit) -> None:
        if not isinstance(visit.outcome, Fetched | Failed):
            return
        link, page = visit.link, visit.page
        groups = self._waiting.taken(link.url) or ()
        for group in groups:
            self._leave(group, link.url)
        leads = self._take_up(page, visit.priorities) if page is not None else 0.0
        self._reward(link, groups, visit.relevance.value if visit.relevance is not None else 0.0, leads)

    def _take_up(self, page: Page, priorities: Sequence[Score]) -> float:
        """Let the links of a page wait, but for those that were gone already; what those that are new promise."""
        places = _Places(self._rates, page.url, self._templates.join(page.structure))
        waiting = (
            link for link, score in zip(page.links, priorities or repeat(None), strict=False) if score is not GONE
        )
        promising = sum(self._find(link, places) for link in waiting)
        return LEADS * min(1.0, promising / MANY)

    def _reward(self, link: Link, groups: tuple[_Group, ...], relevance: float, leads: float) -> None:
        """Credit all kinds of a link. Pages that nearly match count too: at the beginning the limit is uncertain."""
        near = min(1.0, relevance / self._threshold) ** 2 if self._threshold else 1.0
        reward = max(near, leads)
        matched = relevance >= self._threshold
        lineages = [lineage for group in groups for lineage in (group.place, group.address)]
        if not groups and link.parent:
            lineages += self._kinds_of(link, self._anywhere(link))[:2]
        self._rates.note(lineages, reward, matched)

    def _find(self, link: Link, places: _Places) -> bool:
        """A link waits, at one more place or for the first time; whether it is new and promising."""
        url = link.url
        known = self._waiting.get(url)
        if (known is None and self._waiting.is_gone(url)) or (known and len(known) >= MOST_GROUPS_OF_LINK):
            return False
        kinds = self._kinds_of(link, places)
        group = self._groups.get(kinds)
        if group is None:
            group = self._groups[kinds] = _Group(*kinds)
        elif known is not None and group in known:
            return False
        group.urls[url] = None
        for forgotten, left in self._waiting.found(url, (*(known or ()), group)):
            for each in left:
                self._leave(each, forgotten)
        return known is None and self._score(group).value >= PROMISING

    def _leave(self, group: _Group, url: str) -> None:
        group.urls.pop(url, None)
        if not group.urls:
            self._groups.pop((group.place, group.address, group.depth), None)

    @property
    def groups_waiting(self) -> int:
        """How many kinds of links wait."""
        return len(self._groups)

    def revised(self) -> Iterable[tuple[str, Score]]:
        """The links of groups whose rate has changed."""
        told, self._told = self._told, []
        return told


class Templates:
    """The templates of the pages that links stand on, by number; -1 where a page's is not known."""

    def __init__(self, most: int = MOST_TEMPLATES) -> None:
        self._most = most
        self._neighbours = Neighbours()
        self._founders: list[Features] = []
        self._find = lru_cache(maxsize=512)(self._look_up)

    def find(self, code: bytes) -> int:
        """The number of a page's template."""
        return self._find(code) if code else -1

    def _look_up(self, code: bytes) -> int:
        structure = structure_of(code)
        if structure is None:
            return -1
        features = structure[1].features
        near = self._neighbours.near(signature_of(features), MOST_CANDIDATES, SAME_TEMPLATE / 2)
        found = [(share(features, self._founders[number]), number) for number in near]
        likeness, best = max(found, default=(0.0, -1))
        return best if likeness >= SAME_TEMPLATE else -1

    def join(self, code: bytes) -> int:
        """The same, and a page like no other founds a template."""
        found, structure = self.find(code), structure_of(code)
        if found >= 0 or structure is None or len(self._founders) >= self._most:
            return found
        self._find.cache_clear()
        self._founders.append(structure[1].features)
        return self._neighbours.add(signature_of(structure[1].features))


def structure_link_scorer(configuration: Configuration, topic: Topic) -> StructureLinkScorer:
    """The link scorer of the strategy `structure`."""
    own = configuration.page_scorer == "structure"
    return StructureLinkScorer(MATCHES if own else configuration.topic.threshold)
