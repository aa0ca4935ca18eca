"""The tables of the configuration: what can be set, its default and its unit.

Each table is a frozen record; `settings` joins them, reads them from TOML and
refuses what is wrong.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Spelling: TypeAlias = Literal[
    "lower-case path", "default page", "trailing slash", "drop parameter", "sort parameters"
]  # fmt: skip


class Seconds(float):
    """A span of time, written "250ms", "10s", "5min", "2h", "7d"."""


class Bytes(int):
    """An amount of data, written "512B", "64KiB", "32MiB", "4GiB" (or kB, MB, GB)."""


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the configuration."""


class Topic(Section, frozen=True):
    """What the crawl is about."""

    words: str = ""
    examples: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    scheme: str = ""
    page_classes: bool = True
    threshold: float = 0.2


class Scope(Section, frozen=True):
    """Where the crawl may go."""

    sites: str = "any"
    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    depth: int = 30
    rules: tuple[str, ...] = ("scheme", "pattern", "scope", "depth", "trap")
    follow_nofollow: bool = False


class Traps(Section, frozen=True):
    """Guards against sites without an end."""

    longest_url: int = 1024
    deepest_path: int = 16
    repeated_segment: int = 3
    most_parameters: int = 10
    urls_per_pattern: int = 1000
    hosts_per_domain: int = 500


class Politeness(Section, frozen=True):
    """How a site is treated."""

    delay: Seconds = Seconds(1.0)
    longest_delay: Seconds = Seconds(300.0)
    longest_crawl_delay: Seconds = Seconds(86400.0)
    adaptive: float = 2.0
    per_address: int = 8
    address_delay: Seconds = Seconds(0.1)
    robots: bool = True
    robots_kept: Seconds = Seconds(86400.0)
    errors_before_rest: int = 10
    rest: Seconds = Seconds(3600.0)
    retries: int = 3
    retry_after: Seconds = Seconds(30.0)

    def connections(self, agents: int) -> int:
        """How many connections to an address each of so many agents may have: its part, or one that it shares."""
        return max(1, self.per_address // agents)


class Window(Section, frozen=True):
    """Ceilings that hold at certain times of the day (UTC)."""

    begins: str
    ends: str
    requests_per_second: float = 0.0
    bytes_per_second: Bytes = Bytes(0)
    site_requests_per_second: float = 0.0
    site_bytes_per_second: Bytes = Bytes(0)


class Ceilings(Section, frozen=True):
    """How fast the whole crawl, and each site in it, may go; 0 means no ceiling."""

    requests_per_second: float = 0.0
    bytes_per_second: Bytes = Bytes(0)
    site_requests_per_second: float = 0.0
    site_bytes_per_second: Bytes = Bytes(0)
    windows: tuple[Window, ...] = ()


class Fetching(Section, frozen=True):
    """How pages are fetched."""

    fetcher: str = "http"
    web: str = ""
    connections: int = 200
    connect_within: Seconds = Seconds(10.0)
    first_byte_within: Seconds = Seconds(20.0)
    total_within: Seconds = Seconds(60.0)
    largest_body: Bytes = Bytes(10 * 1024**2)
    largest_transfer: Bytes = Bytes(5 * 1024**2)
    largest_sitemap: Bytes = Bytes(50 * 1024**2)
    largest_headers: Bytes = Bytes(64 * 1024)
    most_redirects: int = 10
    most_links: int = 5000
    types: tuple[str, ...] = ("text/html", "application/xhtml+xml", "text/plain")
    contact: str = ""
    user_agent: str = ""
    allow_addresses: tuple[str, ...] = ()
    verify_tls: bool = True


class Reading(Section, frozen=True):
    """How much of the processor and of memory the reading of one page may take before it counts as too costly."""

    within: Seconds = Seconds(30.0)
    memory: Bytes = Bytes(1024**3)


class Names(Section, frozen=True):
    """How host names become addresses."""

    hosts: dict[str, str] = {}
    nameservers: tuple[str, ...] = ()
    within: Seconds = Seconds(5.0)
    kept_at_least: Seconds = Seconds(60.0)
    kept_at_most: Seconds = Seconds(86400.0)


class FrontierSection(Section, frozen=True):
    """Which link comes next, and what stays in memory."""

    ageing_per_day: float = 0.1
    cached_urls: int = 500_000
    heads_per_site: int = 64
    refusals_kept: int = 1_000_000


class Urls(Section, frozen=True):
    """Which spellings of a URL mean one page: what holds everywhere, and what is learned for each site (M1).

    `spellings` are the rewrites that may be used where a site's own duplicates speak for them.
    """

    drop_tracking: bool = True
    learn_spellings: bool = True
    spellings: tuple[Spelling, ...] = (
        "lower-case path", "default page", "trailing slash", "drop parameter", "sort parameters",
    )  # fmt: skip


class Sitemaps(Section, frozen=True):
    """Whether the sitemaps of sites are read, also where robots.txt names none, and how many files a site may have.

    With `order_sites`, of sites with equally good links the one comes first whose sitemaps bring most that is new.
    """

    read: bool = True
    guess: bool = True
    most_files: int = 200
    order_sites: bool = True


class Revisit(Section, frozen=True):
    """Whether pages are looked at again for ever, how many looks a day that may cost, and how soon and late each.

    `latest` is for pages that seem not worth a look, too: what is believed of them may be wrong.
    """

    continuous: bool = False
    looks_per_day: float = 10_000.0
    rounds_apart: Seconds = Seconds(3600.0)
    soonest: Seconds = Seconds(60.0)
    latest: Seconds = Seconds(90 * 86400.0)
    check_every: Seconds = Seconds(7 * 86400.0)


class Storage(Section, frozen=True):
    """How visits become durable."""

    batch_visits: int = 256
    batch_bytes: Bytes = Bytes(16 * 1024**2)
    batch_seconds: Seconds = Seconds(1.0)
    archive_file: Bytes = Bytes(1024**3)
    journal_rows: int = 2_000
    young_links: int = 400_000
    spare_disk: Bytes = Bytes(256 * 1024**2)


class Index(Section, frozen=True):
    """The search engine over what was crawled."""

    enabled: bool = True
    commit_every: Seconds = Seconds(5.0)
    memory: Bytes = Bytes(128 * 1024**2)


class Relevance(Section, frozen=True):
    """How well a page fits the topic: the page scorer by name, and Okapi's parameters (C9)."""

    scorer: str = ""
    k1: float = 1.2
    b: float = 0.75
    k2: float = 100.0
    idf: str = "smooth"


class Parents(Section, frozen=True):
    """The strategy `parents`: what its two gates ask for, and how its two numbers are joined (N3 to N5)."""

    relevancy_gate: float = 0.5
    rank_gate: float = 0.2
    relevancy_weight: float = 0.5
    strict: bool = False


class Treasure(Section, frozen=True):
    """The strategy `treasure`: its T-Graph and the weights of what it looks at (T4 to T9).

    `exact` is the paper's own formula; `undone` are changes of the watchdog that a person took back.
    """

    exact: bool = False
    graph: str = ""
    levels: int = 4
    class_digits: int = 3
    mentions: int = 4
    by_relevance: float = 1.0
    by_page_class: float = 1.0
    by_experience: float = 4.0
    by_words: float = 0.5
    by_boundary_class: float = 1.0
    by_anchor_class: float = 0.5
    by_graph: float = 0.5
    watchdog: bool = True
    look_every: int = 250
    undone: tuple[str, ...] = ()


class Structure(Section, frozen=True):
    """The strategy `structure`: the structures of sample pages, and from which likeness on a page matches them (M11).

    A threshold of 0 is taken from the samples and from what the crawl finds.
    """

    samples: tuple[str, ...] = ()
    threshold: float = 0.0


class Clicks(Section, frozen=True):
    """What people do with pages, and how it counts in the order of a crawl (C8, C10, P5).

    `source` is empty (nobody is watched), `store` (all that `lycosa clicks` and `lycosa collect` counted), a log file
    or a folder of logs. `content` is CFP's E. `spent` says what P5's D is: `duration` or `length`.
    """

    source: str = ""
    dark_pages: bool = True
    look_every: Seconds = Seconds(60.0)
    session: Seconds = Seconds(1800.0)
    content: float = 2.0
    spent: str = "duration"
    least_support: float = 0.2
    least_confidence: float = 0.6


class Ranking(Section, frozen=True):
    """What counts in search results besides the words, and how much; `cap` is the most that behaviour can add."""

    name: str = "lycosa"
    by_importance: float = 0.10
    by_behaviour: float = 0.05
    by_clicks: float = 0.20
    by_freshness: float = 0.05
    cap: float = 0.30
    half_life: Seconds = Seconds(180 * 86400.0)
    depth: int = 100


class Collector(Section, frozen=True):
    """How events of the beacon are received (P2, P9); `lycosa collect` reads `collect.toml` of the click store."""

    largest_request: Bytes = Bytes(16 * 1024)
    events_per_minute: int = 600
    events_per_second: int = 20_000
    batch_seconds: Seconds = Seconds(0.005)
    connections: int = 1000
    request_within: Seconds = Seconds(10.0)
    trusted_proxies: tuple[str, ...] = ()
    clock_skew: Seconds = Seconds(300.0)
    keys_kept: Seconds = Seconds(48 * 3600.0)
    kept: Seconds = Seconds(90 * 86400.0)


class Configuration(Section, frozen=True):
    """Everything a crawl is told."""

    name: str = "crawl"
    seeds: tuple[str, ...] = ()
    strategy: str = ""
    agents: int = 1
    partition: str = "site-hash"
    mode: str = "exchange"
    pages: int = 0
    patience: Seconds = Seconds(120.0)
    random_seed: int = 0
    topic: Topic = Topic()
    scope: Scope = Scope()
    traps: Traps = Traps()
    politeness: Politeness = Politeness()
    ceilings: Ceilings = Ceilings()
    fetching: Fetching = Fetching()
    reading: Reading = Reading()
    names: Names = Names()
    urls: Urls = Urls()
    frontier: FrontierSection = FrontierSection()
    sitemaps: Sitemaps = Sitemaps()
    revisit: Revisit = Revisit()
    storage: Storage = Storage()
    index: Index = Index()
    relevance: Relevance = Relevance()
    parents: Parents = Parents()
    treasure: Treasure = Treasure()
    structure: Structure = Structure()
    clicks: Clicks = Clicks()
    ranking: Ranking = Ranking()

    @property
    def sites_have_one_owner(self) -> bool:
        """Whether all pages of a site are fetched by one agent; only its robots.txt may be asked for by others."""
        return self.agents == 1 or (self.partition == "site-hash" and self.mode != "cross-over")

    @property
    def link_scorer(self) -> str:
        """The link scorer by name: the one that was asked for, else what suits a topic, or a crawl without one."""
        return self.strategy or ("treasure" if self.topic.words or self.topic.examples else "best-first")

    @property
    def page_scorer(self) -> str:
        """The page scorer by name: the one that was asked for, else what suits samples, examples or words."""
        if self.relevance.scorer or self.strategy == "structure":
            return self.relevance.scorer or "structure"
        return "cosine" if self.topic.examples else "okapi"

    @property
    def has_topic(self) -> bool:
        """Whether anything says what the crawl looks for."""
        topic = self.topic
        return bool(topic.words or topic.examples or topic.classes or self.structure.samples or self.treasure.graph)

    @property
    def reads_structure(self) -> bool:
        """Whether pages are read with their structure."""
        return "structure" in (self.strategy, self.page_scorer)
