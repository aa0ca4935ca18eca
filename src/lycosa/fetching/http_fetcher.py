"""The fetcher that goes to the network.

Politeness towards robots.txt and caution towards addresses are decided here,
before a request; what the answer means is decided in `response_outcome`; bytes and
deadlines are the business of `transfers`.
"""

from __future__ import annotations

from collections.abc import Callable
from time import time

from lycosa import urls
from lycosa.configuration.sections import Configuration, Fetching
from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.address_guard import AddressGuard
from lycosa.fetching.connection_target import Barred, Gate
from lycosa.fetching.contact import PLAIN_AGENT, is_public
from lycosa.fetching.dns import Names
from lycosa.fetching.exchange import Fault, Limits, Plan, Request, Transferred
from lycosa.fetching.response_outcome import Judge, page_plan, sitemap_plan
from lycosa.fetching.robots import Robots, Rules, product_token
from lycosa.fetching.robots_fetch import RobotsReader, Unreachable
from lycosa.fetching.transfers import Transfers
from lycosa.plugins.plug_points import AT_ONCE, Fetcher, Known, Turns, checked_by
from lycosa.records import HOST_REFUSED, SITEMAP, Failed, Link, Outcome, Record, Refused, SiteOpened, SiteShut

ROBOTS_KEPT = 86_400.0
"""Rules are not used for longer than a day (RFC 9309, 2.4)."""

NO_CONTACT = "the public web is not asked by anybody without a contact: set fetching.contact"
FIRST_WAIT = 600.0
LONGEST_WAIT = 86_400.0
MOST_SITES = 50_000
MOST_RULES = 1_000_000
"""Rules kept for all open sites together; beyond it the sites opened longest ago must be opened anew."""


@checked_by(lambda configuration, _: HttpFetcher(configuration, time))
def http_fetcher(configuration: Configuration, clock: Callable[[], float]) -> Fetcher:
    """The fetcher a crawl uses unless told otherwise; wrong addresses and names are refused here, not later."""
    return HttpFetcher(configuration, clock)


class HttpFetcher:
    """Fetches over HTTP with libcurl, from sites that were opened and addresses that were checked."""

    def __init__(self, configuration: Configuration, clock: Callable[[], float]) -> None:
        fetching = configuration.fetching
        self._configuration = configuration
        self._clock = clock
        self._user_agent = _user_agent(fetching)
        self._anonymous = not (fetching.contact or fetching.user_agent)
        self._names = Names(configuration.names, clock)
        self._gate = Gate(self._names, AddressGuard(()))
        self._robots = RobotsReader(self._get, self._gate)
        self._open_sites = OpenSites()
        self._waits: dict[str, float] = {}
        self._transfers: Transfers | None = None
        self._closed = False
        self.adjust(configuration)

    async def open(self, site: str, now: float, turns: Turns = AT_ONCE) -> SiteOpened | SiteShut:
        """Resolve the site's name, check its address and read its robots.txt."""
        if self._anonymous and is_public(f"{site}/"):
            return self._shut(site, now, "no-contact", NO_CONTACT, requested=False)
        passage = await self._gate.passage(site)
        if isinstance(passage, Barred):
            return self._shut(site, now, passage.why, passage.detail, requested=False)
        politeness = self._configuration.politeness
        robots = await self._robots.read(site, turns) if politeness.robots else Robots()
        if isinstance(robots, Unreachable):
            shut = self._shut(site, now, "robots-unreachable", robots.detail, requested=True)
            return SiteShut(site, shut.why, max(shut.until, now + (robots.retry_after or 0.0)), shut.detail)
        self._waits.pop(site, None)
        rules = robots.rules_for(product_token(self._user_agent))
        until = now + min(politeness.robots_kept, ROBOTS_KEPT)
        self._open_sites.add(site, rules, until)
        return SiteOpened(site, passage.address, rules.crawl_delay, until, politeness.robots, robots.sitemaps)

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        """Get one page of an open site."""
        try:
            site = urls.site_of(link.url)
        except ValueError:
            return Failed(link, "bad-url", "not a normalised http(s) URL")
        rules = self._open_sites.rules(site, self._clock())
        if rules is None:
            return Failed(link, "site-not-open", again=True)
        if not rules.allows(urls.path_of(link.url)):
            return Refused(link, "robots")
        passage = await self._gate.passage(site)
        if isinstance(passage, Barred):
            if passage.why == "address-refused":
                return Refused(link, passage.why, passage.detail)
            return Failed(link, passage.why, passage.detail, again=True)
        validators = _validators(known)
        came = await self._get(
            Request(link.url, passage.address, validators), self._sitemap_plan if link.rel == SITEMAP else self._plan
        )
        return self._judge.outcome(link, came, bool(validators))

    def adjust(self, configuration: Configuration) -> None:
        """Fetch by changed settings from now on: allowed addresses, types, sizes, connections."""
        fetching = configuration.fetching
        if configuration.politeness.robots != self._configuration.politeness.robots:
            self._open_sites = OpenSites()
        self._configuration = configuration
        self._gate.change(AddressGuard(fetching.allow_addresses))
        self._judge = Judge(fetching)
        self._plan = page_plan(fetching.types, min(fetching.largest_transfer, fetching.largest_body))
        self._sitemap_plan = sitemap_plan(fetching.largest_sitemap)
        if self._transfers is not None and self._transfers.limits != _limits(configuration, self._user_agent):
            self._transfers.retire()
            self._transfers = None

    async def close(self) -> None:
        """End all transfers and questions; later requests fail as `closed`."""
        self._closed = True
        if self._transfers is not None:
            self._transfers.close()
            self._transfers = None
        await self._names.close()

    async def _get(self, request: Request, plan: Plan) -> Transferred:
        if self._closed:
            return Transferred(0, (), {}, b"", self._clock(), 0.0, request.address, True, Fault("closed", again=True))
        if self._transfers is None:
            self._transfers = Transfers(_limits(self._configuration, self._user_agent), self._clock)
        return await self._transfers.get(request, plan)

    def _shut(self, site: str, now: float, why: str, detail: str, *, requested: bool) -> SiteShut:
        """Each time a site stays shut, the wait doubles; what the guard refuses is not looked at before tomorrow."""
        wait = LONGEST_WAIT if why in HOST_REFUSED else min(2 * self._waits.pop(site, FIRST_WAIT / 2), LONGEST_WAIT)
        if len(self._waits) >= MOST_SITES:
            del self._waits[next(iter(self._waits))]
        self._waits[site] = wait
        self._open_sites.remove(site)
        return SiteShut(site, why, now + wait, detail[:200], requested)


class _OpenSite(Record, frozen=True):
    rules: Rules
    until: float


class OpenSites:
    """The rules of the sites opened lately, within a bound on all of them together."""

    def __init__(self, most_sites: int = MOST_SITES, most_rules: int = MOST_RULES) -> None:
        self._most_sites = most_sites
        self._most_rules = most_rules
        self._sites: dict[str, _OpenSite] = {}
        self._rules = 0

    def add(self, site: str, rules: Rules, until: float) -> None:
        """Keep a site's rules, letting go of the sites opened longest ago where there are too many."""
        self.remove(site)
        self._sites[site] = _OpenSite(rules, until)
        self._rules += len(rules.rules)
        while len(self._sites) > self._most_sites or (self._rules > self._most_rules and len(self._sites) > 1):
            self.remove(next(iter(self._sites)))

    def remove(self, site: str) -> None:
        """Forget a site."""
        gone = self._sites.pop(site, None)
        if gone is not None:
            self._rules -= len(gone.rules.rules)

    def rules(self, site: str, now: float) -> Rules | None:
        """The rules of an open site; None where it is not open, or not any more."""
        found = self._sites.get(site)
        return found.rules if found is not None and now < found.until else None


def _user_agent(fetching: Fetching) -> str:
    agent = fetching.user_agent or PLAIN_AGENT + (f" (+{fetching.contact})" if fetching.contact else "")
    if not (agent.isascii() and agent.isprintable()):
        raise ConfigurationError(f"fetching.user_agent: {agent!r} cannot be a header; use printable ASCII characters")
    return agent


def _limits(configuration: Configuration, user_agent: str) -> Limits:
    """What transfers may cost; a connection that agents take in turns is closed after each request."""
    fetching, politeness, agents = configuration.fetching, configuration.politeness, configuration.agents
    return Limits(
        connections=fetching.connections,
        per_address=politeness.connections(agents),
        keep_connections=politeness.per_address >= agents,
        connect_within=fetching.connect_within,
        first_byte_within=fetching.first_byte_within,
        total_within=fetching.total_within,
        largest_headers=fetching.largest_headers,
        user_agent=user_agent,
        accept=", ".join((*fetching.types, "*/*;q=0.1")),
        verify_tls=fetching.verify_tls,
    )


def _validators(known: Known | None) -> tuple[str, ...]:
    """The conditions of a conditional request; a validator that could break out of its header is not sent."""
    if known is None:
        return ()
    offered = (("If-None-Match", known.etag), ("If-Modified-Since", known.last_modified))
    return tuple(f"{name}: {value}" for name, value in offered if value and value.isascii() and value.isprintable())
