"""Every part of Lycosa that can be swapped: when to use it, what to register, what the part must do.

Each method of `PlugPoints` is one plug point: its name is the entry-point group (`lycosa.link_scorers`), its
signature is that of the factory to register there, its docstring says when to use it. What a factory returns
stands below, point by point. Built-in parts are registered in the same way, in pyproject.toml; `registry` finds
all of them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from lycosa.click_records import PageClicks
from lycosa.configuration.sections import Configuration
from lycosa.records import Link, Outcome, Page, Record, Score, SiteOpened, SiteShut, Visit


class PlugPoint(NamedTuple):
    """A plug point: what people call a part there, which setting or option names it, and the factory's signature."""

    noun: str
    named_by: str
    factory: Callable[..., Any]


POINTS: dict[str, PlugPoint] = {}
"""Every plug point, by its name."""

_Factory = TypeVar("_Factory", bound=Callable[..., Any])


def plug_point(noun: str, named_by: str) -> Callable[[_Factory], _Factory]:
    """Declare a plug point."""

    def declare(factory: _Factory) -> _Factory:
        POINTS[factory.__name__] = PlugPoint(noun, named_by, factory)
        return factory

    return declare


def checked_by(check: Callable[[Configuration, Sequence[str]], object]) -> Callable[[_Factory], _Factory]:
    """Give a factory a check of the settings: it raises an error that the user can fix, and opens nothing.

    It is asked before a crawl begins, with the configuration and the texts of examples that the crawl will have.
    """

    def mark(factory: _Factory) -> _Factory:
        vars(factory)["check"] = check
        return factory

    return mark


class PlugPoints(Protocol):
    """The plug points: what can be registered, and what for."""

    @plug_point("admission rule", "`scope.rules`")
    def admission_rules(self, configuration: Configuration) -> AdmissionRule:
        """Use it to keep links out of the crawl by a test of your own. A rule that raises refuses the link."""
        ...

    @plug_point("fetcher", "`fetching.fetcher`")
    def fetchers(self, configuration: Configuration, clock: Callable[[], float]) -> Fetcher:
        """Use it to get pages from somewhere else than over HTTP: an archive, a database, another protocol."""
        ...

    @plug_point("page scorer", "`relevance.scorer`")
    def page_scorers(self, configuration: Configuration, topic: Topic) -> PageScorer:
        """Use it to decide by a test of your own which pages are on the topic."""
        ...

    @plug_point("strategy", "`strategy` (`--strategy`)")
    def link_scorers(self, configuration: Configuration, topic: Topic) -> LinkScorer:
        """Use it to decide in which order links are fetched."""
        ...

    @plug_point("assigner", "`partition` (`--partition`)")
    def assigners(self, agents: int) -> Assigner:
        """Use it to divide the web between agents in another way than by site."""
        ...

    @plug_point("seed engine", "`lycosa seeds --engine NAME:WHERE`")
    def seed_engines(self, configuration: Configuration, where: str) -> SeedEngine:
        """Use it to take seeds from another search engine; `where` is what was written after the colon."""
        ...

    @plug_point("closeness", "`lycosa topics propose --closeness NAME:WHERE`")
    def closeness(self, where: str) -> Closeness:
        """Use it to find synonyms for the topic tree with a model of word vectors; `where` follows the colon."""
        ...

    @plug_point("ranking", "`ranking.name`")
    def rankings(self, configuration: Configuration) -> Ranking:
        """Use it to order search results by a formula of your own."""
        ...


# admission_rules: which links may enter?

AdmissionRule: TypeAlias = Callable[[Link], str | None]
"""Takes a link (to a page, or by its `rel` to a sitemap) and returns the reason to refuse it, or None."""


@runtime_checkable
class Remembering(Protocol):
    """A rule that counts, and goes on counting after a change of settings and after a restart."""

    def __call__(self, link: Link) -> str | None:
        """Why a link is refused, or None."""

    def take_over(self, before: Any) -> None:
        """Go on with what a rule of the same name counted by other settings."""

    def recall(self, kept: Mapping[bytes, int], sites: Iterable[str]) -> None:
        """Go on after a restart: with counts that were kept, and the sites that are known."""

    def news(self) -> Mapping[bytes, int]:
        """The counts to be kept since this was asked last."""


@runtime_checkable
class Rationing(Protocol):
    """A rule that judges sites by what their pages bring: it may refuse links that wait, and hold sites back."""

    def __call__(self, link: Link) -> str | None:
        """Why a link is refused, or None."""

    def spent(self, link: Link) -> str | None:
        """Why a link that waits is not worth its turn any more, or None."""

    def learn(self, visits: Sequence[Visit], is_known: Callable[[str], bool]) -> None:
        """These pages came; their links are not let in yet. `is_known` tells whether a URL was met before."""

    def holds_back(self, site: str, requests: int) -> bool:
        """Whether a site has to wait for others, after so many requests; if not, it is its turn now."""


# fetchers: how is a page fetched?


class Known(Record, frozen=True):
    """What a conditional request needs: the validators of the copy we have."""

    etag: str = ""
    last_modified: str = ""


class Turns(Protocol):
    """Whoever says when a request may be made that opening a site takes; asked before each of them."""

    async def take(self, url: str, address: str) -> str | None:
        """Wait until the URL may be asked for at this address; or say why it must not be asked for at all."""
        ...

    def end(self, url: str, address: str, received: int) -> None:
        """A request whose turn was taken is over; so many bytes came."""
        ...


class AtOnce:
    """It is always one's turn: for whoever opens one site and keeps the pauses otherwise."""

    async def take(self, url: str, address: str) -> str | None:
        """Nobody need wait."""
        return None

    def end(self, url: str, address: str, received: int) -> None:
        """Nobody waits for it."""


AT_ONCE = AtOnce()


class Fetcher(Protocol):
    """Gets pages, one request per call; the web's misbehaviour comes back as an outcome, never as an exception.

    A *site* is an origin such as `http://a.localhost:8080`. The crawler opens a site before it fetches from it, and
    keeps the politeness delay between any two requests to a site itself; so `fetch` makes at most one request, and
    never one for robots.txt. Opening may take several, of which each waits for its turn. A fetcher may be Adjustable.
    """

    async def open(self, site: str, now: float, turns: Turns = AT_ONCE) -> SiteOpened | SiteShut:
        """Resolve the site's name and read its robots.txt, ahead of need."""
        ...

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        """Get one page; redirects are reported, not followed."""
        ...

    async def close(self) -> None:
        """Let go of all connections; requests in flight fail."""
        ...


# page_scorers, link_scorers: how relevant is a page, how promising a link?

OFF_TOPIC = 0.01
"""Links nobody has reason to follow wait with this, never with 0: relevant regions may lie behind them (T7)."""


class Topic(Record, frozen=True):
    """What a crawl looks for: in text form, as knowledge classes (T1), and a T-Graph where one was built (T5).

    `structures` are the codes of sample pages whose template is looked for (M11). `scheme` are the files of a person's
    own classification, names and texts.
    """

    label: str = ""
    examples: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    treasure: bytes = b""
    structures: tuple[bytes, ...] = ()
    scheme: tuple[tuple[str, str], ...] = ()


class PageScorer(Protocol):
    """Step 4: how well a page fits the topic."""

    def relevance(self, page: Page) -> Score:
        """The page's relevance, between 0 and 1."""


class LinkScorer(Protocol):
    """Step 5: how promising a page's links are, all at once.

    Scorers decide, they do not write: what they learn arrives with the commit. One method is enough; what a scorer can
    do besides (learn, tell others, change its mind about waiting links) it shows by having the methods of the protocols
    below. A page scorer may have those of Preparer, Learner, Sharer, Adjustable and Watcher, too.
    """

    def priorities(self, page: Page, relevance: Score, links: Sequence[Link]) -> Sequence[Score]:
        """A priority per link; a better one goes first."""


@runtime_checkable
class Preparer(Protocol):
    """A scorer to which many pages at once are cheaper than one after the other."""

    def prepare(self, pages: Sequence[Page]) -> None:
        """These pages, and their links, will be judged next. They can be judged without it, too."""


@runtime_checkable
class Learner(Protocol):
    """A scorer that learns from what was visited."""

    def learn(self, visits: Sequence[Visit]) -> None:
        """These visits became durable. After a restart earlier ones come again, without the texts around links."""


@runtime_checkable
class Sharer(Protocol):
    """A scorer whose counts are kept with the agent's store and told to the other agents."""

    def statistics(self) -> bytes:
        """What was counted so far."""

    def recall(self, own: bytes | None, others: Sequence[bytes]) -> None:
        """Take up what was counted before a restart, and what the other agents count."""


@runtime_checkable
class Listener(Protocol):
    """A link scorer that counts what other agents found: an agent hears of foreign parents only by letter."""

    def hear(self, letters: Sequence[tuple[Link, Score]]) -> None:
        """Links of this agent's sites, with the priority their finders gave them."""


@runtime_checkable
class Adjustable(Protocol):
    """A scorer or fetcher that can go on with changed settings (T16); others take them up at the next start."""

    def adjust(self, configuration: Configuration) -> None:
        """People changed settings of the running crawl."""


@runtime_checkable
class Reviser(Protocol):
    """A link scorer that changes its mind about links that wait already."""

    def revised(self) -> Iterable[tuple[str, Score]]:
        """URLs that should wait with another priority, since this was last asked; those not waiting are ignored."""


@runtime_checkable
class Watcher(Protocol):
    """A scorer that counts what people do with pages."""

    def watch(self, pages: Iterable[PageClicks]) -> None:
        """All that people did so far, in place of what was told before."""


@runtime_checkable
class Estimator(Protocol):
    """A link scorer that can judge a link which no page has: people visit it, but nobody links to it (C13)."""

    def estimates(self, links: Sequence[Link]) -> Sequence[Score]:
        """A priority per link."""


@runtime_checkable
class Appraiser(Protocol):
    """A link scorer to which the importance of a fetched page is more than its relevance."""

    def importance(self, page: Page, relevance: Score) -> Score:
        """The page's importance, between 0 and 1."""


# assigners: which agent owns a URL?

Assigner: TypeAlias = Callable[[str], int]
"""Takes a URL and returns the number of the agent that owns it, the same in every process and at every time."""


# seed_engines: where does a crawl begin?


class EngineFailed(Exception):
    """An engine gave no results that can be used; the message names it and says what to do."""


class Found(Record, frozen=True):
    """One result of one engine. `engine` is what the engine itself names as its source."""

    url: str
    title: str = ""
    content: str = ""
    engine: str = ""
    score: float = 0.0


class SeedEngine(Protocol):
    """A search engine that can be asked for seeds."""

    name: str

    async def search(self, query: str, number: int) -> Sequence[Found]:
        """The best results, the best one first, at most `number`; EngineFailed where there can be none."""
        ...


# closeness: how close are two words in meaning?


class Closeness(Protocol):
    """A model that says how close two words are in meaning, from 0 to 1."""

    def close(self, one: str, other: str, /) -> float:
        """1 for the same meaning."""


# rankings: which result comes first?


class Signal(Record, frozen=True):
    """What is known of a page besides its words, each part between 0 and 1, and the figures they come from.

    `visitors` came to the page, its actions weigh `weight` (for this query where `by_query`), and for this query it
    was chosen `chosen` times where `expected` would have been usual at the places where it was shown.
    """

    importance: float = 0.0
    behaviour: float = 0.0
    clicks: float = 0.0
    visitors: int = 0
    weight: float = 0.0
    by_query: bool = False
    chosen: int = 0
    expected: float = 0.0


NOTHING = Signal()


class Candidate(Record, frozen=True):
    """A page that matches a query: its text score, its age in seconds (None where nobody knows), what else is known."""

    text: float
    age: float | None = None
    signal: Signal = NOTHING


class Ranking(Protocol):
    """Decides which result comes first."""

    def score(self, candidate: Candidate) -> float:
        """The score by which results are ordered."""

    def explained(self, candidate: Candidate) -> Score:
        """The same score as a tree of how it came about."""
