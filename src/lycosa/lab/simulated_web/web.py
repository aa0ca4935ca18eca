"""A web that is a function of (URL, seed): the same for every process, with its truth known.

`respond` is the web: one pure function from a request to a response. Everything else here asks
the map what is true, so that the lab can judge crawls and tests can check what came of them.
Nothing here opens a socket; `web_server` puts the same web behind one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import msgspec

from lycosa import urls
from lycosa.configuration.sections import Configuration
from lycosa.fetching.offline import OfflineJudge, conditions
from lycosa.fetching.robots import Robots, Rules, parse
from lycosa.lab.simulated_web.changes import Changes
from lycosa.lab.simulated_web.link_map import Place, WebMap
from lycosa.lab.simulated_web.notation import BoxSettings, parse_box
from lycosa.lab.simulated_web.page_kinds import KINDS
from lycosa.lab.simulated_web.responses import Answers
from lycosa.lab.simulated_web.robots_and_sitemaps import Manners
from lycosa.plugins.plug_points import AT_ONCE, Fetcher, Known, Turns, checked_by
from lycosa.records import Failed, Link, Outcome, Refused, Response, SiteOpened, SiteShut

_AGENT = "lycosa"
_ADDRESS = "127.0.0.1"
_SHUT_FOR = 3600.0
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class PageTruth(NamedTuple):
    """What is true of a URL and what no crawler is told.

    `kind` is `page`, `private`, `trap`, `gone`, `flaky`, `moved`, `soft-404`, `notice` (robots.txt, sitemaps) or
    `nothing`. Only pages have a topic; `quality` (0 to 1) is what simulated visitors like a page for.
    """

    url: str
    kind: str
    topic: str = ""
    quality: float = 0.0
    linked: bool = False
    tunnelled: bool = False
    duplicate_of: str = ""
    changes_per_period: float = 0.0


class SimulatedWeb:
    """A simulated web and all that is true of it."""

    def __init__(self, seed: int, settings: BoxSettings | None = None, *, begins: float | None = None) -> None:
        self.settings = msgspec.structs.replace(settings or BoxSettings(), seed=seed)
        self.begins = next((one for one in (self.settings.begins, begins) if one is not None), 0.0)
        self._map = WebMap(self.settings)
        self._changes = Changes(self.settings, self.begins, self._map.draw)
        self._answers = Answers(self._map, self._changes)

    @classmethod
    def of(cls, text: str, *, begins: float | None = None) -> SimulatedWeb:
        """The web written as `box:SEED?…`."""
        settings = parse_box(text)
        return cls(settings.seed, settings, begins=begins)

    def at_port(self, port: int) -> SimulatedWeb:
        """The same web with its hosts at another port."""
        settings = msgspec.structs.replace(self.settings, port=port)
        return SimulatedWeb(settings.seed, settings, begins=self.begins)

    def respond(
        self, url: str, now: float = 0.0, attempt: int = 1, headers: Mapping[str, str] = _NO_HEADERS
    ) -> Response:
        """The answer to a GET of `url`; `attempt` counts the requests for it, `headers` have names in lower case."""
        return self._answers.respond(url, now, attempt, headers)

    def version_of(self, url: str, now: float) -> int:
        """The version of a page at a time: 0 as first written, and more after every change."""
        return self._changes.last(self._found(url).key, now).version

    def changed_at(self, url: str, now: float) -> float:
        """When a page last changed, as of `now`."""
        return self._changes.last(self._found(url).key, now).at

    def sites(self) -> list[str]:
        """All hosts as origins."""
        return [self._map.site(host) for host in range(self.settings.hosts)]

    def has_site(self, site: str) -> bool:
        """Whether an origin is a host of this web."""
        return self._map.host_of(site) is not None

    def roots(self) -> list[str]:
        """The home pages of all hosts that are not behind a tunnel."""
        return [self._map.place(host, 0).url for host in self._map.open_hosts]

    def topics(self) -> tuple[str, ...]:
        """The names of the topics."""
        return self._map.topics

    def page_urls(self) -> list[str]:
        """Every page, linked or not."""
        return [place.url for place in self._places()]

    def labels(self) -> dict[str, str]:
        """The topic of every page."""
        return {place.url: self._map.topics[place.topic] for place in self._places()}

    def topic_of(self, url: str) -> str:
        """The topic of a page, or '' for what is no page."""
        return self.truth(url).topic

    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds of pages."""
        return KINDS[: self.settings.kinds]

    def kind_of(self, url: str) -> str:
        """The kind of page that a URL is, by how it is built, or '' for what is no page."""
        place = self._find(url)
        return "" if place is None else KINDS[place.kind]

    def kind_labels(self) -> dict[str, str]:
        """The kind of every page."""
        return {place.url: KINDS[place.kind] for place in self._places()}

    def department_of(self, topic: str) -> str:
        """The department whose name stands above links towards a topic, or '' in a web without signposts."""
        signposts = self._answers.signposts
        return signposts.department(self._topic_number(topic)) if signposts else ""

    def signposted_topic_of(self, url: str) -> str:
        """The topic that links to a page lead towards: its own, or that of a tunnel it is the way to."""
        return self._map.topics[self._map.towards(self._found(url))]

    def seeds(self, topic: str, count: int = 3) -> list[str]:
        """Pages of a topic to begin with: homes and then other linked pages, none behind a tunnel."""
        wanted, found = self._topic_number(topic), list[str]()
        deepest = max(self._map.linked[host] for host in self._map.open_hosts)
        for number in range(deepest):
            for host in self._map.open_hosts:
                place = self._map.place(host, number) if number < self._map.linked[host] else None
                if place is not None and place.topic == wanted:
                    found.append(place.url)
                if len(found) == count:
                    return found
        return found

    def links_of(self, url: str) -> list[str]:
        """The pages that a page links to, without repeats: by its menu, within its text, and around it."""
        links = self._map.links(self._found(url))
        groups = (links.menu, links.inline, links.listed, links.below, links.related)
        return list(dict.fromkeys(one.url for group in groups for one in group))

    def reachable_from(self, seeds: Iterable[str]) -> set[str]:
        """The pages that a crawl of everything would find from these by links alone."""
        found = {url for url in seeds if self._find(url) is not None}
        waiting = list(found)
        while waiting:
            new = set(self.links_of(waiting.pop())) - found
            found |= new
            waiting += new
        return found

    def truth(self, url: str) -> PageTruth:
        """What is true of a URL."""
        place = self._find(url)
        if place is None:
            return PageTruth(url, self._answers.kind(url))
        original = "" if place.source == (place.host, place.number) else self._map.place(*place.source).url
        return PageTruth(
            url,
            "page",
            self._map.topics[place.topic],
            ((place.key >> 24 & 0xFFFF) / 65536) ** 2,
            place.number < self._map.linked[place.host],
            self._map.is_island(place.host),
            original,
            self._changes.per_period(place.key),
        )

    def manners_of(self, site: str) -> Manners:
        """What a host asks of crawlers in its robots.txt."""
        host = self._map.host_of(site)
        if host is None:
            raise ValueError(f"{site} is no site of this web")
        return self._answers.manners(host)

    def error_urls(self) -> list[str]:
        """The linked URLs that are no pages: gone, flaky, moved or soft 404s."""
        return self._answers.error_urls()

    def private_urls(self) -> list[str]:
        """The linked pages that a robots.txt forbids."""
        return self._answers.private_urls()

    def trap_hosts(self) -> dict[str, str]:
        """The sites with a trap, and which."""
        return {self._map.site(host): trap.name for host, trap in self._answers.traps.items()}

    def _topic_number(self, topic: str) -> int:
        if topic not in self._map.topics:
            raise ValueError(f"no topic {topic!r} here; there are {', '.join(self._map.topics)}")
        return self._map.topics.index(topic)

    def _places(self) -> Iterator[Place]:
        for host, size in enumerate(self._map.sizes):
            for number in range(size):
                yield self._map.place(host, number)

    def _find(self, url: str) -> Place | None:
        cut = url.find("/", 8)
        host = self._map.host_of(url[:cut]) if cut > 0 else None
        return None if host is None else self._map.find(host, url[cut:])

    def _found(self, url: str) -> Place:
        place = self._find(url)
        if place is None:
            raise ValueError(f"{url} is no page of this web")
        return place


class SimulatedFetcher:
    """Fetches from a simulated web in this process: at once, and honouring robots.txt as over a network."""

    def __init__(
        self, web: SimulatedWeb, clock: Callable[[], float], configuration: Configuration | None = None
    ) -> None:
        told = configuration or Configuration()
        self.web = web
        self._clock = clock
        self._politeness = told.politeness
        self._judge = OfflineJudge(told.fetching)
        self._attempts: dict[str, int] = {}
        self._rules: dict[str, Rules] = {}

    async def open(self, site: str, now: float, turns: Turns = AT_ONCE) -> SiteOpened | SiteShut:
        """Read the site's robots.txt."""
        if not self.web.has_site(site):
            return SiteShut(site, "dns-failed", now + _SHUT_FOR, "no such host in this web", requested=False)
        robots = self._robots(site)
        self._rules[site] = robots.rules_for(_AGENT)
        until = now + self._politeness.robots_kept
        delay = self._rules[site].crawl_delay
        return SiteOpened(site, _ADDRESS, delay, until, self._politeness.robots, robots.sitemaps)

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        """One answer of the web; after an answer that asks for another try, the next request is a further attempt."""
        try:
            site = urls.site_of(link.url)
        except ValueError:
            return Failed(link, "bad-url", "not a normalised http(s) URL")
        if site not in self._rules and isinstance(await self.open(site, self._clock()), SiteShut):
            return Failed(link, "dns-failed", "no such host in this web", again=True)
        if not self._rules[site].allows(urls.path_of(link.url)):
            return Refused(link, "robots")
        attempt = self._attempts.get(link.url, 0) + 1
        validators = conditions(known)
        response = self.web.respond(link.url, self._clock(), attempt, validators)
        if response.status >= 500:
            self._attempts[link.url] = attempt
        return self._judge.outcome(link, response, bool(validators))

    async def close(self) -> None:
        """There is nothing to let go of."""

    def _robots(self, site: str) -> Robots:
        answer = self.web.respond(site + "/robots.txt", self._clock())
        return parse(answer.body) if self._politeness.robots and answer.status == 200 else Robots()


@checked_by(lambda configuration, _: parse_box(configuration.fetching.web))
def simulated_fetcher(configuration: Configuration, clock: Callable[[], float]) -> Fetcher:
    """The fetcher for `fetching.web = "box:…"`; unless that says when it `begins`, the web begins now."""
    return SimulatedFetcher(SimulatedWeb.of(configuration.fetching.web, begins=clock()), clock, configuration)
