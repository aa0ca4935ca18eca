"""Step 7: what a batch of visits changes in the frontier and in the scorers.

Visited links are settled, their pages' links let in (own ones through admission,
foreign ones as letters to their owners), the strategy learns, and waiting links of
which it thinks otherwise now are moved. Nothing is written here: a crawl makes the
changes durable with everything else of its batch, the lab keeps them in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.counts import Counts
from lycosa.crawling.url_rewriting import Spellings
from lycosa.frontier.enqueuer import Offer, Renewal
from lycosa.frontier.frontier import Frontier
from lycosa.frontier.seen_urls import SeenUrls
from lycosa.plugins.plug_points import Assigner
from lycosa.queue_records import State
from lycosa.records import SITEMAP, Link, Links, Page, Redirected, Score, Visit, links_at, urls_of
from lycosa.scoring.strategy import Strategy
from lycosa.urls import normalise, resolve

SEED = Score(1.0, "a seed")
ASKED_FOR = "it was added by hand"
CROSS_OVER = 1e6
"""Foreign links in cross-over mode wait behind all own links."""
SENT_REMEMBERED = 200_000

Letters: TypeAlias = list[tuple[Link, Score]]
_replace = msgspec.structs.replace


class Intake:
    """The way of visits, seeds and letters into one agent's frontier."""

    def __init__(
        self,
        number: int,
        configuration: Configuration,
        frontier: Frontier,
        strategy: Strategy,
        owner: Assigner,
        counts: Counts,
        spellings: Spellings | None = None,
    ) -> None:
        self.number, self.configuration, self.counts = number, configuration, counts
        self._spellings = spellings
        self._frontier, self._strategy, self._owner = frontier, strategy, owner
        self._sent = SeenUrls(SENT_REMEMBERED)

    def inject(self, urls: Iterable[str], now: float, *, asked_for: bool = False) -> None:
        """Add the seeds that this agent owns. Known ones change nothing, unless a person asks for them now."""
        drop = self.configuration.urls.drop_tracking
        written = [normalise(url, drop_tracking=drop) for url in urls]
        links = [Link(url) for url in written if url is not None and self._owner(url) == self.number]
        if asked_for:
            known = [link.url for link in links if self._frontier.known(link) is not None]
            self._frontier.reconsider(known, now, seeds=True)
            self._frontier.revisit(known, ASKED_FOR, now)
        self.counts.new_links += self._frontier.add(links, [SEED] * len(links), now)

    def begin(self, links: Sequence[Link], score: Score, now: float) -> None:
        """Add those of a site's own lists of pages that this agent may fetch."""
        own = [link for link in links if self._owner(link.url) == self.number]
        self._frontier.add(own, [score] * len(own), now)

    def take_in(
        self, visits: Sequence[Visit], now: float, renewal: Renewal | None = None, *, again: bool = False
    ) -> dict[int, Letters]:
        """Settle visits, let their links in, learn. Returns the letters to other agents.

        `renewal` says whether pages that were fetched wait once more when a sitemap calls them newer.
        """
        visits = [self._respelled(visit) for visit in visits]
        for visit in visits:
            (self._frontier.looked if again else self._frontier.settle)(visit.link, visit.outcome, now)
        if not again:
            self._frontier.learn(visits)
        mail = self._let_in(visits, now, renewal)
        self._frontier.wake_postponed(now)
        self._strategy.learn([visit for visit in visits if visit.link.rel != SITEMAP])
        self._frontier.revise(self._strategy.revised(), now)
        return mail

    def admit_unlinked(self, urls: Sequence[str], now: float) -> list[str]:
        """Let in pages that people visit and that are not known yet (C13). Returns those that wait now."""
        links = [link for link in map(Link, urls) if self._frontier.known(link) is None]
        self.counts.new_links += self._frontier.add(links, self._strategy.estimates(links), now)
        found = [(link.url, self._frontier.known(link)) for link in links]
        return [url for url, record in found if record is not None and record.state is State.WAITING]

    def hear(self, letters: Letters, now: float) -> None:
        """Let in what another agent found for this one."""
        links, scores = self._written([link for link, _ in letters]), [score for _, score in letters]
        self.counts.new_links += self._frontier.add(links, scores, now)
        self.counts.received += len(links)
        self._strategy.hear(list(zip(links, scores, strict=True)))

    def _respelled(self, visit: Visit) -> Visit:
        """A visit whose page has its links as their sites' rules write them (M1): strategies know them so, too."""
        page = visit.page
        links = page.links if page is not None else ()
        written = self._written(links) if links else links
        return visit if page is None or written is links else _replace(visit, page=_replace(page, links=tuple(written)))

    def _written(self, links: Sequence[Link]) -> Sequence[Link]:
        if self._spellings is None:
            return links
        written, changed = self._spellings.written(links)
        self.counts.rewritten += changed
        return written

    def _let_in(self, visits: Sequence[Visit], now: float, renewal: Renewal | None) -> dict[int, Letters]:
        own: list[Offer] = []
        mail: dict[int, Letters] = {}
        alone = self.configuration.agents == 1
        for visit in visits:
            offer = Offer(*self._followed(visit))
            self.counts.links += len(offer.links)
            own.append(offer if alone else self._own(offer, mail))
        self.counts.new_links += self._frontier.add_all(own, now, renewal)
        return mail

    def _own(self, offer: Offer, mail: dict[int, Letters]) -> Offer:
        """Those of the links that this agent fetches; what becomes of the others is a matter of the mode."""
        links, scores, _ = offer
        owners = [self._owner(url) for url in urls_of(links)]
        own = [place for place, owner in enumerate(owners) if owner == self.number]
        if self.configuration.mode == "firewall":
            self._frontier.refusals["foreign"] += len(links) - len(own)
        elif self.configuration.mode == "cross-over":
            return Offer(links, [
                score if owner == self.number else Score(score.value - CROSS_OVER, score.why)
                for score, owner in zip(scores, owners, strict=True)
            ])  # fmt: skip
        else:
            self._write(offer, owners, mail)
        return Offer(links, scores, own)

    def _write(self, offer: Offer, owners: Sequence[int], mail: dict[int, Letters]) -> None:
        """Links of other agents become letters, unless they were sent with as good a judgement."""
        links, scores, _ = offer
        news: list[int] = []
        for place, (url, owner) in enumerate(zip(urls_of(links), owners, strict=True)):
            if owner != self.number:
                known = self._sent.get(url)
                if known is None or known < scores[place].value:
                    self._sent.put(url, scores[place].value, met=True)
                    news.append(place)
        self.counts.sent += len(news)
        for place, link in zip(news, links_at(links, news), strict=True):
            brief = Link(link.url, link.parent, link.anchor, depth=link.depth, redirects=link.redirects)
            mail.setdefault(owners[place], []).append((brief, scores[place]))

    def _followed(self, visit: Visit) -> tuple[Sequence[Link], Sequence[Score]]:
        """The links of a visit that may be followed."""
        outcome, page = visit.outcome, visit.page
        if isinstance(outcome, Redirected):
            record = self._frontier.known(visit.link)
            link = _replace(visit.link, url=self._target(outcome), redirects=visit.link.redirects + 1)
            return [link], [Score(record.priority if record else 0.5, f"redirected from {visit.link.url}")]
        if page is None or (page.nofollow and not self.configuration.scope.follow_nofollow):
            return (), ()
        links, scores = self._page_links(page, visit.priorities)
        if visit.link.rel == SITEMAP or page.canonical in ("", page.url):
            return links, scores
        record = self._frontier.known(visit.link)
        named = Link(page.canonical, page.url, depth=visit.link.depth, redirects=visit.link.redirects)
        own = Score(record.priority if record else 0.5, f"canonical address of {page.url}")
        return [*links, named], [*scores, own]

    def _page_links(self, page: Page, scores: Sequence[Score]) -> tuple[Sequence[Link], Sequence[Score]]:
        links = page.links
        rels = links.rels if isinstance(links, Links) else [link.rel for link in links]
        if self.configuration.scope.follow_nofollow or not any(rels):
            return links, scores
        kept = [place for place, rel in enumerate(rels) if "nofollow" not in rel]
        if len(kept) == len(rels):
            return links, scores
        return links_at(links, kept), [scores[place] for place in kept]

    def _target(self, outcome: Redirected) -> str:
        """Where a redirect leads; with its tracking parameters, where these are kept."""
        location = outcome.response.header("location")
        if self.configuration.urls.drop_tracking or not location:
            return outcome.target
        as_written = resolve(outcome.link.url, [location], drop_tracking=False)[0]
        return as_written if as_written and normalise(as_written) == outcome.target else outcome.target
