"""The directed graph of pages and links, as far as a crawl knows it; it only ever grows.

Pages are numbers in the order they were met, links are 32-bit numbers behind each
other in one store, all those of a page together. A page that is fetched again
writes its links at the end of the store, and the old ones become waste, which is
cleared away when there is as much of it as of links. The way back, from a page to
its parents, is made when first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lycosa.link_graph.growing_arrays import Growing
from lycosa.link_graph.incoming_links import Parents
from lycosa.link_graph.page_numbers import MOST_PAGES, NO_NUMBER, Numbers, PageNumbers

FEWEST_WASTED = 65_536


class LinkGraph:
    """Who links to whom.

    Without `keep_names` a page is only known by its number and by 64 bits of its
    URL. Beyond `most` pages, links to pages never met are left out and counted.
    """

    def __init__(self, *, keep_names: bool = True, most: int = MOST_PAGES) -> None:
        self._pages = PageNumbers(keep_names=keep_names, most=most)
        self._store = Growing(np.int32)
        self._starts = Growing(np.int64)
        self._counts = Growing(np.int32)
        self._in_degrees = Growing(np.int32)
        self._fetched = Growing(np.bool_)
        self._parents: Parents | None = None
        self._links = 0
        self.clearings = 0
        self.left_out = 0

    def __len__(self) -> int:
        """Pages known, fetched or not."""
        return len(self._pages)

    @property
    def links(self) -> int:
        """Links known."""
        return self._links

    @property
    def bytes_used(self) -> int:
        """What the graph takes in memory."""
        arrays = (self._store, self._starts, self._counts, self._in_degrees, self._fetched)
        way_back = self._parents.bytes_used if self._parents else 0
        return self._pages.bytes_used + sum(array.nbytes for array in arrays) + way_back

    def number(self, url: str) -> int | None:
        """The number of a page, or None where it is not known."""
        return self._pages.find(url)

    def name(self, number: int) -> str:
        """The URL of a page; '' where the graph keeps no names."""
        return self._pages.name(number)

    def numbers(self, urls: Iterable[str]) -> Numbers:
        """The numbers of many pages; pages not known before are known afterwards, -1 where there is no room."""
        found = np.array(self._pages.number_all(list(urls)), np.int32)
        self._lengthen()
        return found

    def add(self, page: str, targets: Sequence[str]) -> int | None:
        """A page was fetched and links to these; it no longer has the links it had before.

        Returns its number, or None where there is no room for it.
        """
        source, *found = self._pages.number_all((page, *targets))
        self._lengthen()
        if source == NO_NUMBER:
            self.left_out += len(targets)
            return None
        distinct = dict.fromkeys(found)
        distinct.pop(source, None)
        if NO_NUMBER in distinct:
            self.left_out += found.count(NO_NUMBER)
            del distinct[NO_NUMBER]
        self._put(source, np.fromiter(distinct, np.intp, len(distinct)))
        return source

    def add_many(self, sources: ArrayLike, targets: ArrayLike) -> None:
        """Many links at once, by number, in any order: every page among the sources was fetched and has these links."""
        packed = self._packed(sources, targets)
        pages, begins = np.unique(packed >> np.uint64(32), return_index=True)
        pages = pages.astype(np.int64)
        self._forget_links(pages)
        self._fetched.filled[pages] = True
        links = packed.astype(np.uint32).view(np.int32)
        is_link = links != (packed >> np.uint64(32)).astype(np.int32)
        kept = np.concatenate(([0], np.cumsum(is_link)))
        links, ends = links[is_link], np.append(begins[1:], len(packed))
        self._starts.filled[pages] = len(self._store) + kept[begins]
        self._counts.filled[pages] = kept[ends] - kept[begins]
        self._in_degrees.filled[:] += np.bincount(links, minlength=len(self)).astype(np.int32)
        self._store.extend(links)
        self._links += len(links)
        self._parents = None
        self._clear_waste()

    def fetched(self, number: int) -> bool:
        """Whether the page's own links are known."""
        return bool(self._fetched.filled[number])

    def out_degree(self, number: int) -> int:
        """To how many pages a page links."""
        return int(self._counts.filled[number])

    def in_degree(self, number: int) -> int:
        """How many pages link to a page."""
        return int(self._in_degrees.filled[number])

    def successors(self, number: int) -> Numbers:
        """The pages a page links to."""
        start = int(self._starts.filled[number])
        return self._store.filled[start : start + self.out_degree(number)].copy()

    def parents(self, number: int) -> Numbers:
        """The pages that link to a page."""
        if not 0 <= number < len(self):
            raise IndexError(f"there is no page {number}; the graph has {len(self)}")
        if self._parents is None or self._parents.is_outgrown:
            self._parents = None
            self._parents = Parents(*self.edges(), len(self), len(self._store))
        return self._parents.of(number, self._starts.filled)

    @property
    def out_degrees(self) -> Numbers:
        """Of all pages; to look at until the graph grows."""
        return self._counts.filled

    @property
    def in_degrees(self) -> Numbers:
        """Of all pages; to look at until the graph grows."""
        return self._in_degrees.filled

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where each page's links begin in `store`; a page fetched again has a new place there."""
        return self._starts.filled

    @property
    def store(self) -> Numbers:
        """All links, waste included. Old ones stay in their place until `clearings` has changed."""
        return self._store.filled

    def edges(self) -> tuple[Numbers, Numbers]:
        """All links as two arrays: from, to."""
        linking = np.flatnonzero(self.out_degrees)
        counts = self.out_degrees[linking]
        return np.repeat(linking.astype(np.int32), counts), self.store[places_of(self.starts[linking], counts)]

    def _packed(self, sources: ArrayLike, targets: ArrayLike) -> NDArray[np.uint64]:
        """The distinct links, source in the high half, sorted."""
        ends = np.asarray(sources, np.int64), np.asarray(targets, np.int64)
        if ends[0].shape != ends[1].shape or ends[0].ndim != 1:
            raise ValueError("give as many sources as targets")
        if len(ends[0]) and not all(end.min() >= 0 and end.max() < len(self) for end in ends):
            raise IndexError(f"a link names a page the graph does not have; it has {len(self)}, see numbers()")
        packed: NDArray[np.uint64] = (ends[0] << 32 | ends[1]).view(np.uint64)
        packed.sort()
        is_new = np.ones(len(packed), np.bool_)
        is_new[1:] = packed[1:] != packed[:-1]
        return packed[is_new]

    def _put(self, source: int, targets: NDArray[np.intp]) -> None:
        """Write a page's links at the end of the store."""
        in_degrees = self._in_degrees.room
        old = self._counts.room[source]
        if old:
            in_degrees[self.successors(source)] -= 1
        self._fetched.room[source] = True
        self._starts.room[source] = len(self._store)
        self._counts.room[source] = len(targets)
        in_degrees[targets] += 1
        self._store.extend(targets)
        self._links += len(targets) - int(old)
        if self._parents is not None:
            self._parents.add(source, targets, len(self))
        if old:
            self._clear_waste()

    def _forget_links(self, pages: NDArray[np.int64]) -> None:
        counts = self.out_degrees[pages]
        old = self.store[places_of(self.starts[pages], counts)]
        self._in_degrees.filled[:] -= np.bincount(old, minlength=len(self)).astype(np.int32)
        self._links -= len(old)

    def _lengthen(self) -> None:
        if len(self) > len(self._counts):
            for array in (self._starts, self._counts, self._in_degrees, self._fetched):
                array.lengthen(len(self))

    def _clear_waste(self) -> None:
        """Keep the store at most half waste."""
        if len(self._store) - self._links <= max(self._links, FEWEST_WASTED):
            return
        counts = self.out_degrees
        self._store.replace(self.store[places_of(self.starts, counts)])
        self._starts.filled[:] = np.cumsum(counts) - counts
        self._parents = None
        self.clearings += 1


def places_of(starts: NDArray[np.int64], counts: Numbers) -> NDArray[np.int64]:
    """The places of all links of pages whose links begin here and are so many."""
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    places = np.repeat(starts - ends + counts, counts)
    places += np.arange(total)
    return places
