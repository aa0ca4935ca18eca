"""From lines to requests for pages by people: all else is left out under a name.

Every distinct target, browser and referrer is understood once and known by its hash
from then on; the tables have bounds, and are emptied when they are full.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import xxhash
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.page_urls import NAMES, Asked, LogSite
from lycosa.clickstream.server_logs.parsing.byte_slices import Places, SliceHash, Understood, Words
from lycosa.clickstream.server_logs.parsing.columns import ADDRESS, AGENT, HOST, REFERRER, SESSION, TARGET, LineBlock
from lycosa.clickstream.server_logs.parsing.page_requests import Requests
from lycosa.clickstream.server_logs.sessions.robots import LOOPBACK, Asker, asker

EARLIEST = 631_152_000_000
"""The year 1990: before that nobody kept logs of the web."""
MOST_PAGES = 100_000
MOST_REFERRERS = 100_000
MOST_AGENTS = 50_000
NO_REFERRER = -1


class Numbered:
    """Texts by number, in the order in which they came."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The number of a text, a new one for a new text."""
        found = self._numbers.setdefault(text, len(self.texts))
        if found == len(self.texts):
            self.texts.append(text)
        return found

    def named(self, numbers: Places) -> list[str]:
        """The texts of numbers."""
        return [self.texts[number] for number in numbers.tolist()]


def renumbered(numbers: Places, old: Numbered, new: Numbered) -> Places:
    """Numbers of one table as those of another; what stands for no text stays."""
    each, which = np.unique(numbers, return_inverse=True)
    found = [new.number(old.texts[number]) if number >= 0 else number for number in each.tolist()]
    return np.array(found, np.int64)[which.reshape(-1)] if len(numbers) else numbers


class RequestSieve:
    """Finds in blocks of lines the requests of people for pages of a site."""

    def __init__(self, site: LogSite, latest: int) -> None:
        self.site, self._latest = site, latest
        self._hash = SliceHash()
        self._loopback = np.array([self._hash.one(address) for address in LOOPBACK], np.uint64)
        self._settled = 0
        self.time = 0
        """The log's time after the last block."""
        self.pages, self.referrers = Numbered(), Numbered()
        self._targets = Understood(self._page, bits=17, most=2 * MOST_PAGES)
        self._origins = Understood(self._origin, bits=16, most=2 * MOST_REFERRERS)
        self._agents = Understood(asker, bits=16, most=MOST_AGENTS)

    def _page(self, text: bytes) -> int:
        host, _, target = text.partition(b"\0")
        found = self.site.page(host, target)
        return found if isinstance(found, Asked) else self.pages.number(found)

    def _origin(self, text: bytes) -> int:
        found = self.site.referrer(text)
        return self.referrers.number(found) if found else NO_REFERRER

    @property
    def is_full(self) -> bool:
        return (
            len(self.pages.texts) - self._settled >= MOST_PAGES
            or len(self.referrers.texts) >= MOST_REFERRERS
            or self._targets.is_full
            or self._origins.is_full
        )

    def clear(self) -> None:
        """Forget what was understood; pages and referrers get new numbers."""
        self.pages, self.referrers = Numbered(), Numbered()
        for table in (self._targets, self._origins, self._agents):
            if table.is_full or table is not self._agents:
                table.clear()

    def settle(self) -> None:
        """What is known now stays: it belongs to what is open."""
        self._settled = len(self.pages.texts)

    def timely(self, at: Places) -> NDArray[np.bool_]:
        """Which times can be."""
        return (at >= EARLIEST) & (at <= self._latest)

    def sift(self, block: LineBlock, before: int, left_out: Counter[str]) -> Requests:
        """The requests for pages; `before` is the log's time before the block. What is not one is counted."""
        timely = self.timely(block.at)
        time = np.maximum.accumulate(np.maximum(np.where(timely, block.at, 0), before))
        self.time = int(time[-1]) if len(time) else before
        left_out["asset"] += block.assets
        rows = self._answered(block, timely, left_out)
        page = self._targets_of(block, rows)
        for asked, name in NAMES.items():
            left_out[name] += int((page == asked).sum())
        asked_for = np.flatnonzero((page >= 0) | (page == Asked.ROBOTS_TXT))
        rows, page = rows.take(asked_for), page.take(asked_for)
        rows, page, visitor, agent = self._people(block, rows, page, left_out)
        hashes = self._hashes(block, REFERRER, rows)
        origin = self._origins.numbers(hashes, lambda place: block.text(REFERRER, int(rows[place])))
        first = np.zeros(len(rows), np.int64)
        return Requests(visitor, agent, page, origin, block.at.take(rows), time.take(rows), first, rows, [block])

    def _hashes(self, block: LineBlock, field: int, rows: Places) -> Words:
        return self._hash.of(block.data, block.starts[field].take(rows), block.ends[field].take(rows))

    def _answered(self, block: LineBlock, timely: NDArray[np.bool_], left_out: Counter[str]) -> Places:
        """Rows of lines whose GET was answered with a page, as far as the line shows."""
        status = block.status
        seen = ((status >= 200) & (status < 300)) | (status == 304)
        redirect = (status >= 300) & (status < 400) & (status != 304)
        left_out["bad-time"] += int((~timely).sum())
        left_out["redirect"] += int((redirect & timely).sum())
        left_out["error"] += int((~seen & ~redirect & timely).sum())
        left_out["method"] += int((seen & timely & ~block.get).sum())
        return np.flatnonzero(seen & timely & block.get)

    def _targets_of(self, block: LineBlock, rows: Places) -> Places:
        hashes = self._hashes(block, TARGET, rows)
        if not block.is_plain:
            hashes = self._hash.mixed(hashes, self._hashes(block, HOST, rows))

        def text(place: int) -> bytes:
            row = int(rows[place])
            return block.text(HOST, row).replace(b"\0", b" ") + b"\0" + block.text(TARGET, row)

        return self._targets.numbers(hashes, text)

    def _people(
        self, block: LineBlock, rows: Places, page: Places, left_out: Counter[str]
    ) -> tuple[Places, Places, Words, Words]:
        agents = self._hashes(block, AGENT, rows)
        who = self._agents.numbers(agents, lambda place: block.text(AGENT, int(rows[place])))
        left_out["known-agent"] += int((who == Asker.ROBOT).sum())
        left_out["monitoring"] += int((who == Asker.MONITORING).sum())
        human = np.flatnonzero(who <= Asker.NAMELESS)
        rows, page, who = (each.take(human) for each in (rows, page, who))
        agents = agents.take(human)
        addresses = self._hashes(block, ADDRESS, rows)
        own = (addresses == self._loopback[:, None]).any(0) & (who == Asker.NAMELESS)
        visitor = self._hash.mixed(addresses, agents)
        if own.any():
            left_out["monitoring"] += int(own.sum())
            rows, page, visitor, agents = rows[~own], page[~own], visitor[~own], agents[~own]
        if not block.is_plain:
            self._by_session(block, rows, visitor, agents)
        return rows, page, visitor, agents

    def _by_session(self, block: LineBlock, rows: Places, visitor: Words, agents: Words) -> None:
        """Visitors by the session that the server gave them, where it says so; it stands for the browser too."""
        starts, ends = block.starts[SESSION][rows], block.ends[SESSION][rows]
        dash = (ends - starts == 1) & (np.frombuffer(block.data, np.uint8)[starts] == ord("-"))
        told = np.flatnonzero((ends > starts) & ~dash)
        session = self._hash.of(block.data, starts[told], ends[told])
        visitor[told], agents[told] = self._hash.mixed(session, session), session


def page_hashes(urls: list[str]) -> Words:
    """Numbers that stand for pages, the same in every import."""
    return np.array([xxhash.xxh3_64_intdigest(url.encode()) for url in urls], np.uint64)
