"""Pages that name another page as canonical (M9).

An agent that commits a page compares it with the one that it names, and with those that
name it, by what lies in the archive.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from time import perf_counter

from lycosa.crawl_folder.counts import Counts
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawling.url_rewriting import KEPT_EVERY
from lycosa.crawling.visit_rows import named_by, named_in
from lycosa.duplicates.canonical_links import Alike, CanonicalClaims, Copy, Judged, Named, Verdict
from lycosa.duplicates.text_sketch import near, sketch_of
from lycosa.fetching.content_coding import BadCoding, TooLarge
from lycosa.frontier.frontier import Frontier
from lycosa.queue_records import State
from lycosa.records import SITEMAP, Link, Visit
from lycosa.storage import catalogue
from lycosa.storage.agent_store import AgentStore
from lycosa.storage.archive import ArchiveDamaged, Place

SKETCHES_REMEMBERED = 256
CANONICAL = "canonical"
"""The mark under which an agent keeps claims of canonical links."""
MOST_RECOLLECTED = 20
"""Pages that are looked for in the catalogue in a batch, because they are named and no more in memory."""


def alike_in(archive: Path) -> Alike:
    """Whether two archived pages say nearly the same; a page that cannot be read is like no other."""

    @lru_cache(SKETCHES_REMEMBERED)
    def sketch(copy: Copy) -> bytes:
        return sketch_of(page_at(archive, Place(copy.file, copy.offset, copy.size)).text)

    def alike(one: Copy, other: Copy) -> bool:
        try:
            return near(sketch(one), sketch(other))
        except (ArchiveDamaged, BadCoding, TooLarge):
            return False

    return alike


class CanonicalLinks:
    """What an agent's pages say of their canonical addresses, and what is thought of that."""

    def __init__(self, store: AgentStore, frontier: Frontier, counts: Counts, archive: Path) -> None:
        self._store, self._frontier, self._counts = store, frontier, counts
        self._claims = CanonicalClaims(alike_in(archive), self._recollect, store.mark(CANONICAL))
        self._recollections, self._keep_after = 0, float("-inf")
        self.judged: list[Judged] = []
        """Claims of pages that came earlier, which could be judged since `begin`."""

    def begin(self) -> None:
        """A new batch of visits."""
        self._recollections, self.judged = MOST_RECOLLECTED, []

    def claims(self, url: str, target: str) -> bool:
        """Whether a page names a URL and is not known to be wrong."""
        return self._claims.claims(url, target)

    def judge(self, visit: Visit, place: Place | None, given_up: bool) -> Verdict | None:
        """A page came, or will not: judge those that name it as canonical, and its own word of another.

        Returns what is thought of the latter; None for a page that names no other.
        """
        url, page, named = visit.link.url, visit.page, named_by(visit, place, given_up)
        if named is None or visit.link.rel == SITEMAP:
            return None
        found = self._claims.became(url, named)
        self.judged += found
        verdicts = [each.verdict for each in found]
        self._counts.duplicates += verdicts.count(Verdict.BELIEVED)
        own = None
        if page is not None and named.copy is not None and page.text and page.canonical not in ("", url):
            own = self._claims.claim(url, page.canonical, named.copy)
            verdicts.append(own)
        for verdict in verdicts:
            self._counts.canonical[verdict] = self._counts.canonical.get(verdict, 0) + 1
        return own

    def _recollect(self, url: str) -> Named | None:
        """What became of a page that was fetched long ago; a few of them in a batch are looked for."""
        record = self._frontier.known(Link(url))
        if record is None or record.state in (State.WAITING, State.LEASED, State.LATER):
            return None
        if record.state is not State.DONE:
            return Named()
        self._recollections -= 1
        return named_in([row for _, row in catalogue.about(self._store, url)]) if self._recollections >= 0 else None

    def kept(self, now: float) -> dict[str, bytes]:
        """The mark to be written, where claims have changed, and not again at once."""
        if not self._claims.changed or now < self._keep_after:
            return {}
        begin = perf_counter()
        told = self._claims.statistics()
        self._keep_after = now + KEPT_EVERY * (perf_counter() - begin)
        return {CANONICAL: told}
