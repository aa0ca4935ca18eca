"""The map of a simulated web: which pages there are, what each is about, and where it links.

Nothing is stored per page: a page's facts follow from hashes of (seed, host, number), so a web
of any size costs memory for its hosts only. Two promises hold: every linked page can be reached
from every other page, since all pages lead home, homes form a tree, and the pages of a host form
a tree below its home; and into a tunnelled host leads no link but one, from a page about something
else to a home that is about something else too. With signposts neither the names of hosts nor the
paths of pages tell what these are about.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from random import Random
from typing import NamedTuple

import xxhash

from lycosa.lab.simulated_web.notation import BoxSettings
from lycosa.lab.simulated_web.page_kinds import LISTING, Kinds
from lycosa.lab.simulated_web.vocabulary import TOPICS

BRANCHING = 4
HOST_BRANCHING = 4
LOCALITY = 0.8
_WHOLE = 1 << 16
_PATHS = ("/{1}-{2}-{0}.html", "/{1}/{0}", "/pages/{0}/{1}-{3}", "/view?page={0}")
_NEUTRAL_PATHS = ("/item-{0}.html", "/p/{0}", "/pages/{0}/read", "/view?page={0}")
_NUMBER = re.compile(r"(?:/[a-z](?=/))?/(?:[a-z-]+-|[a-z]+/|view\?page=)([0-9]{1,9})(?:\.html|/[a-z-]+)?")
_TITLES = ("{} {} and {}", "The {} of {} and {}", "{}, {} and {}", "About {}: {} or {}")


class Place(NamedTuple):
    """A page's fixed facts. `source` is the page whose content it shows: itself, or the one it duplicates."""

    host: int
    number: int
    source: tuple[int, int]
    key: int
    topic: int
    title: str
    words: tuple[str, str, str]
    path: str
    url: str
    kind: int = 0


class PageLinks(NamedTuple):
    """Where a page links: through its frame (`menu`, `below`, `related`), within its text (`inline`), as a listing."""

    menu: tuple[Place, ...]
    below: list[Place]
    related: list[Place]
    inline: list[Place]
    listed: list[Place]


class WebMap:
    """The pages of a simulated web and the links between them."""

    def __init__(self, settings: BoxSettings) -> None:
        self.settings = settings
        self.topics = tuple(TOPICS)[: settings.topics]
        self.kinds = Kinds(settings.kinds, self.draw)
        self._aliases = self._shuffled_hosts() if settings.signposts else []
        self._by_alias = {alias: host for host, alias in enumerate(self._aliases)}
        self.sizes = self._host_sizes()
        self.linked = [self._linked(host) for host in range(settings.hosts)]
        self._island_homes: dict[int, int] = {}
        self._gates: dict[tuple[int, int], list[int]] = {}
        self._ways: dict[tuple[int, int], int] = {}
        self.place = lru_cache(maxsize=1 << 15)(self._place)
        self.menu = lru_cache(maxsize=1 << 12)(self._menu)
        self._looks = lru_cache(maxsize=1 << 14)(self._host_looks)
        islands = self._islands()
        self.open_hosts = [host for host in range(settings.hosts) if host not in islands]
        self._open_position = {host: position for position, host in enumerate(self.open_hosts)}
        self._open_by_topic = [self._hosts_about(topic) for topic in range(settings.topics)]
        for island in islands:
            self._dig(island)

    def draw(self, what: bytes, first: int = 0, second: int = 0) -> int:
        """64 random bits that belong to this seed and these names."""
        return xxhash.xxh3_64_intdigest(b"%b/%d/%d" % (what, first, second), self.settings.seed)

    def main_topic(self, host: int) -> int:
        """The topic most pages of a host are about."""
        return host % self.settings.topics

    def host_name(self, host: int) -> str:
        """A host's name: its topic and a number, or where links have signposts a number that says nothing."""
        if self._aliases:
            return f"site-{self._aliases[host] + 1}.{self.settings.suffix}"
        return f"{self.topics[self.main_topic(host)]}-{host // self.settings.topics + 1}.{self.settings.suffix}"

    def site(self, host: int) -> str:
        """A host's origin; the port is left out where it goes without saying."""
        port = self.settings.port
        return f"http://{self.host_name(host)}" + (f":{port}" if port != 80 else "")

    def host_of(self, site: str) -> int | None:
        """The host of an origin, or None where this web has none such."""
        match = re.match(r"http://([a-z]+)-([1-9][0-9]{0,6})\.", site)
        if match is None:
            return None
        if self._aliases:
            named = self._by_alias.get(int(match[2]) - 1)
            return named if named is not None and self.site(named) == site else None
        if match[1] not in self.topics:
            return None
        host = (int(match[2]) - 1) * self.settings.topics + self.topics.index(match[1])
        return host if host < self.settings.hosts and self.site(host) == site else None

    def find(self, host: int, path: str) -> Place | None:
        """The page at a path of a host; each page has exactly one."""
        if path == "/":
            return self.place(host, 0)
        match = _NUMBER.fullmatch(path)
        number = int(match[1]) if match else 0
        if not 0 < number < self.sizes[host]:
            return None
        place = self.place(host, number)
        return place if place.path == path else None

    def is_island(self, host: int) -> bool:
        """Whether a host lies behind a tunnel."""
        return host in self._island_homes

    def links(self, place: Place) -> PageLinks:
        """Where a page links to, without the extra links to errors, traps and private pages."""
        below = self._below(place)
        inline = [] if self.settings.signposts else self._inline(place)
        menu = self.menu(place.host)
        listed = self._listed(place)
        rng = Random(self.draw(b"related", place.host, place.number))
        count = round(self.settings.links * (0.7 + 0.6 * rng.random())) - len(menu) - len(below) - len(inline)
        related = self._related(rng, place, count - len(listed))
        return PageLinks(menu, below, [one for one in related if one.url != place.url], inline, listed)

    def towards(self, place: Place) -> int:
        """The topic that a link to a page leads towards: the page's own, or that of the tunnel it is the way to."""
        if place.number == 0:
            return self.main_topic(place.host)
        return self._ways.get((place.host, place.number), place.topic)

    def any_linked(self, bits: int) -> Place:
        """Some page that others link to, outside of all tunnels."""
        host = self.open_hosts[bits % len(self.open_hosts)]
        return self.place(host, (bits >> 24) % self.linked[host])

    def _host_sizes(self) -> list[int]:
        """Pages per host: uneven, at least one each, adding up to the number asked for."""
        hosts, spare = self.settings.hosts, self.settings.pages - self.settings.hosts
        ranked = sorted(range(hosts), key=lambda host: self.draw(b"rank", host))
        weight = [0.0] * hosts
        for rank, host in enumerate(ranked):
            weight[host] = 1.0 / (rank + 3) ** 0.8
        total = sum(weight)
        edges = [round(spare * upto / total) for upto in accumulate(weight)]
        return [1 + edge - before for edge, before in zip(edges, [0, *edges], strict=False)]

    def _hosts_about(self, topic: int) -> list[int]:
        """The open hosts of a topic; all of them where a web has fewer hosts than topics."""
        return [host for host in self.open_hosts if self.main_topic(host) == topic] or self.open_hosts

    def _linked(self, host: int) -> int:
        """How many pages of a host others link to; the ones numbered higher only its sitemap knows."""
        size = self.sizes[host]
        rounding = (self.draw(b"unlinked", host) & 0xFFFF) / _WHOLE
        return max(1, size - int(size * self.settings.unlinked + rounding)) if self.settings.unlinked else size

    def _islands(self) -> set[int]:
        """The tunnelled hosts; the first host of each topic never is one."""
        wanted = round(self.settings.tunnel * self.settings.hosts) if self.settings.tunnel else 0
        able = sorted(range(self.settings.topics, self.settings.hosts), key=lambda host: self.draw(b"island", host))
        return set(able[: max(wanted, 1 if self.settings.tunnel else 0)])

    def _dig(self, island: int) -> None:
        """Join an island to the rest: a gate page about something else links to its home."""
        topic = self.main_topic(island)
        others = [host for host in self.open_hosts[: 4 * self.settings.topics] if self.main_topic(host) != topic]
        gate_host = others[self.draw(b"gate", island) % len(others)]
        self._island_homes[island] = self.main_topic(gate_host)
        tries = (self.draw(b"gate page", island, k) % self.linked[gate_host] for k in range(8))
        number = next((n for n in tries if self.place(gate_host, n).topic != topic), 0)
        self._gates.setdefault((gate_host, number), []).append(island)
        while number > 0:
            self._ways.setdefault((gate_host, number), topic)
            number = (number - 1) // BRANCHING

    def _topic(self, host: int, number: int, bits: int) -> int:
        main = self.main_topic(host)
        if number == 0:
            return self._island_homes.get(host, main)
        if (bits & 0xFFFF) < LOCALITY * _WHOLE or self.settings.topics == 1:
            return main
        return (main + 1 + (bits >> 16 & 0xFFFF) % (self.settings.topics - 1)) % self.settings.topics

    def _copies(self, number: int, bits: int) -> bool:
        return number > 0 and (bits >> 32 & 0xFFFF) < self.settings.duplicates * _WHOLE

    def _source(self, host: int, number: int) -> tuple[int, int]:
        """The page that a duplicate repeats. It lies on open ground, or the copy's links would lead into a tunnel."""
        for attempt in range(8):
            bits = self.draw(b"copied", host * 1_000_003 + number, attempt)
            there = self.open_hosts[bits % len(self.open_hosts)]
            copied = (bits >> 24) % self.linked[there]
            original = not self._copies(copied, self.draw(b"page", there, copied))
            if copied and original and (there, copied) != (host, number):
                return there, copied
        return host, number

    def _place(self, host: int, number: int) -> Place:
        bits = self.draw(b"page", host, number)
        source = (host, number)
        if self._copies(number, bits):
            source = self._source(host, number)
            bits = self.draw(b"page", *source)
        topic = self._topic(*source, bits)
        key = self.draw(b"content", *source)
        vocabulary = TOPICS[self.topics[topic]]
        size = len(vocabulary)
        first = key % size
        second = (first + 1 + (key >> 16) % (size - 1)) % size
        words = (vocabulary[first], vocabulary[second], vocabulary[(key >> 32) % size])
        title = _TITLES[key >> 60 & 3].format(words[0].capitalize(), words[1], words[2])
        kind = self.kinds.of(*source)
        site, style, directories = self._looks(host)
        path = directories[kind] + style(number, *words) if number else "/"
        return Place(host, number, source, key, topic, title, words, path, site + path, kind)

    def _host_looks(self, host: int) -> tuple[str, Callable[..., str], tuple[str, ...]]:
        """A host's origin, how it spells the paths of its pages, and its directory for each kind."""
        styles = _NEUTRAL_PATHS if self.settings.signposts else _PATHS
        return self.site(host), styles[self.draw(b"style", host) & 3].format, self.kinds.directories(host)

    def _shuffled_hosts(self) -> list[int]:
        numbers = list(range(self.settings.hosts))
        Random(self.draw(b"aliases")).shuffle(numbers)
        return numbers

    def _menu(self, host: int) -> tuple[Place, ...]:
        if self.settings.signposts:
            return (self.place(host, 0),)
        return tuple(self.place(host, number) for number in range(min(self.linked[host], BRANCHING + 1)))

    def _below(self, place: Place) -> list[Place]:
        """The pages for which this one is the way in: its children, neighbouring homes, the far end of a tunnel."""
        host, number = place.host, place.number
        first = number * BRANCHING + 1
        found = [self.place(host, n) for n in range(first, min(first + BRANCHING, self.linked[host]))]
        if number == 0 and host in self._open_position:
            found += [self.place(neighbour, 0) for neighbour in self._neighbours(self._open_position[host])]
        return found + [self.place(island, 0) for island in self._gates.get((host, number), ())]

    def _neighbours(self, position: int) -> list[int]:
        first = position * HOST_BRANCHING + 1
        above = [self.open_hosts[(position - 1) // HOST_BRANCHING]] if position else []
        return above + self.open_hosts[first : first + HOST_BRANCHING]

    def _inline(self, place: Place) -> list[Place]:
        """Links within the text: the same on every copy of it; a listing has others to show."""
        origin = self.place(*place.source)
        rng = Random(origin.key)
        count = round(self.settings.links / (12 if place.kind == LISTING else 3) * (0.7 + 0.6 * rng.random()))
        return [self._pick(rng, origin) for _ in range(count)]

    def _listed(self, place: Place) -> list[Place]:
        """The links of a listing: to pages of its host, mostly of one kind and its topic; the same on every copy."""
        if place.kind != LISTING:
            return []
        origin = self.place(*place.source)
        rng = Random(origin.key ^ LISTING)
        kind = self.kinds.listed(origin.host)
        found = {}
        for _ in range(round(self.settings.links * (0.4 + 0.4 * rng.random()))):
            one = self._pick_topical(rng, origin, origin.topic, [origin.host], kind)
            if not self.settings.signposts or self.towards(one) == origin.topic:
                found[one.url] = one
        return [one for url, one in found.items() if url != origin.url]

    def _related(self, rng: Random, place: Place, count: int) -> list[Place]:
        """Other pages to link to; with signposts they belong to a few departments, among them the page's own."""
        if not self.settings.signposts:
            return [self._pick(rng, place) for _ in range(count)]
        departments = [place.topic, *rng.sample(range(self.settings.topics), min(3, self.settings.topics))]
        topics = [departments[int(len(departments) * rng.random())] for _ in range(count)]
        return [self._pick_topical(rng, place, topic, self._open_by_topic[topic]) for topic in topics]

    def _pick(self, rng: Random, place: Place) -> Place:
        """A page to link to: mostly of the same topic, else of the same host, else any; low numbers more often."""
        roll = rng.random()
        if roll < 0.6:
            return self._pick_topical(rng, place, place.topic, self._open_by_topic[place.topic])
        host = place.host if roll < 0.8 else self.open_hosts[int(len(self.open_hosts) * rng.random())]
        return self.place(host, int(self.linked[host] * rng.random() ** 1.6))

    def _pick_topical(self, rng: Random, place: Place, topic: int, hosts: list[int], kind: int | None = None) -> Place:
        """A page of a topic, if three tries find one, on the page's host or one of some hosts; if told of a kind."""
        at_home = self.main_topic(place.host) == topic
        found = place
        for _ in range(3):
            host = place.host if at_home and rng.random() < 0.5 else hosts[int(len(hosts) * rng.random() ** 1.5)]
            number = int(self.linked[host] * rng.random() ** 1.6)
            if kind is not None and (near := self.kinds.near(host, number, kind)) < self.linked[host]:
                number = near
            found = self.place(host, number)
            if found.topic == topic:
                break
        return found
