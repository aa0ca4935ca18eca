"""What a scorer is: one method, a number that explains itself.

A page scorer says how well a page fits the topic, a link scorer how promising a
page's links are; a *strategy* is a link scorer by name, `relevance.scorer` names
the page scorer. Both are plug-ins; a factory gets the configuration and the topic.
Scorers decide, they do not write: what they learn arrives with the commit. One
method is enough; what a scorer can do besides (learn, tell others, change its mind
about waiting links) it shows by having the methods of the protocols below.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, runtime_checkable

from lycosa.click_records import PageClicks
from lycosa.configuration.settings import Configuration
from lycosa.records import Link, Page, Record, Score, Visit
from lycosa.topics.classification.scheme_file import SchemeFiles

OFF_TOPIC = 0.01
"""Links nobody has reason to follow wait with this, never with 0: relevant regions may lie behind them (T7)."""


VISITED = "people visit it, no page links to it"
"""How the reason of a link begins that only the clickstream knows (C13)."""


class Topic(Record, frozen=True):
    """What a crawl looks for: in text form, as knowledge classes (T1), and a T-Graph where one was built (T5).

    `structures` are the codes of sample pages whose template is looked for (M11).
    """

    label: str = ""
    examples: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    treasure: bytes = b""
    structures: tuple[bytes, ...] = ()
    scheme: SchemeFiles = ()


class PageScorer(Protocol):
    """Step 4: how well a page fits the topic."""

    def relevance(self, page: Page) -> Score:
        """The page's relevance, between 0 and 1."""


class LinkScorer(Protocol):
    """Step 5: how promising a page's links are, all at once."""

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
    """A scorer that can go on with changed settings (T16); others take them up at the next start."""

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
