"""Which pages say the same, found page by page while a crawl goes on.

Pages are in groups, each with a representative: the page that came first, unless a better
one is named. A page joins the oldest representative that it is a near-duplicate of, and
else founds a group. It is compared with representatives only, so of a chain of pages, each
a little different from the last, the far end is in another group, and every page of a
group is near its representative. When a representative leaves or changes, those that are
no longer near it look for a group again, in the order they came.

Start reading here; `text_sketch` says what is compared and what near is, `lsh_bands` finds
what to compare with. Pages are known by a key of 64 bits that the caller chooses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.duplicates.groups_file import Kept, from_bytes, to_bytes
from lycosa.duplicates.lsh_bands import Buckets, Rows, SketchBands, candidates
from lycosa.duplicates.row_index import RowNumbers
from lycosa.duplicates.text_sketch import NEEDED, SKETCH_BYTES, Words, equal_bins, words_of

_FREE = 0
"""What stands for the group of a row that no page has."""


class NearDuplicates:
    """Pages by key, in groups of near-duplicates.

    Of each page a row of the arrays is kept: key, sketch, the pages before and after it in its group (a ring in
    the order of arrival), and its group: the representative's row + 1, or for a representative minus the group's size.
    """

    def __init__(self) -> None:
        self._keys: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._sketches: Words = np.zeros((0, 8), np.uint64)
        self._filled: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._group: NDArray[np.int32] = np.zeros(0, np.int32)
        self._before: Rows = np.zeros(0, np.uint32)
        self._after: Rows = np.zeros(0, np.uint32)
        self._used = 0
        self._free: list[int] = []
        self._rows = RowNumbers()
        self._bands = SketchBands()

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._rows)

    def __contains__(self, key: int) -> bool:
        return self._rows.find(key, self._keys) is not None

    @property
    def bytes_held(self) -> int:
        """The memory that everything takes."""
        return sum(array.nbytes for array in self._arrays()) + self._rows.bytes_held + self._bands.bytes_held

    # -- asking -------------------------------------------------------------------------------------

    def near(self, sketch: bytes) -> int | None:
        """The key of the oldest representative that a text is near, or None. Changes nothing."""
        words = words_of(_checked(sketch))
        row = self._oldest_near(words, sketch[0], self._bands.buckets(words))
        return None if row is None else int(self._keys[row])

    def representative(self, key: int) -> int:
        """The key of the page that stands for a page's group; itself where it does."""
        return int(self._keys[self._leader(self._row(key))])

    def size(self, key: int) -> int:
        """The number of pages in a page's group."""
        return -int(self._group[self._leader(self._row(key))])

    def group_of(self, key: int, most: int | None = None) -> list[int]:
        """The pages of a page's group, `most` at most: its representative, then the others as they came."""
        ring = self._ring(self._leader(self._row(key)))
        return [int(self._keys[row]) for row in islice(ring, most)]

    def groups(self, at_least: int = 2) -> Iterator[list[int]]:
        """All groups of so many pages."""
        for row in np.flatnonzero(self._group[: self._used] <= -at_least).tolist():
            yield [int(self._keys[each]) for each in self._ring(row)]

    # -- changing -----------------------------------------------------------------------------------

    def add(self, key: int, sketch: bytes) -> int:
        """Put a page into its group, and say who represents that. A page that is known already has a new text."""
        words, filled = words_of(_checked(sketch)), sketch[0]
        row = self._rows.find(key, self._keys)
        if row is None:
            row = self._new_row(key)
        elif self._filled[row] == filled and (self._sketches[row] == words).all():
            return int(self._keys[self._leader(row)])
        elif self._stays_leader(row, words, filled):
            return key
        else:
            self._leave(row)
        self._sketches[row], self._filled[row] = words, filled
        return int(self._keys[self._join(row)])

    def remove(self, key: int) -> bool:
        """Forget a page; False if it is not here."""
        row = self._rows.find(key, self._keys)
        if row is None:
            return False
        self._leave(row)
        self._rows.drop(key, self._keys)
        self._free.append(row)
        return True

    def prefer(self, key: int) -> None:
        """Make a page the representative of its group. Pages that are not near it look for another group."""
        row = self._row(key)
        leader = self._leader(row)
        if leader != row:
            others = [each for each in self._ring(leader) if each != row]
            self._hide(leader)
            self._group[others] = _FREE
            self._found(row, self._bands.buckets(self._sketches[row]))
            self._settle(self._follow(row, others))

    # -- saving -------------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Everything, to be kept in a file."""
        keys, sketches, filled, group, before, after = (array[: self._used] for array in self._arrays())
        return to_bytes(Kept(keys, sketches, filled, group, before, after))

    @classmethod
    def from_bytes(cls, data: bytes) -> NearDuplicates:
        """What `to_bytes` wrote. Raises ValueError for anything else."""
        kept, found = from_bytes(data), cls()
        found._keys, found._sketches, found._filled = kept.keys, kept.sketches, kept.filled
        found._group, found._before, found._after = kept.group, kept.before, kept.after
        found._used = len(kept.keys)
        found._free = np.flatnonzero(kept.group == _FREE).tolist()
        found._rows.fill(np.flatnonzero(kept.group != _FREE).astype(np.uint32), kept.keys)
        found._bands.fill(found._findable(), kept.sketches)
        return found

    @classmethod
    def of(cls, pages: Iterable[tuple[int, bytes]]) -> NearDuplicates:
        """The groups of pages whose sketches were kept, in the order they came."""
        found = cls()
        for key, sketch in pages:
            found.add(key, sketch)
        return found

    # -- groups -------------------------------------------------------------------------------------

    def _oldest_near(self, words: Words, filled: int, buckets: Buckets, but: int = -1) -> int | None:
        """The row of the first representative that a sketch is near."""
        rows = candidates(buckets)
        equal = equal_bins(self._sketches.take(rows, axis=0), words)
        if equal.max(initial=0) < NEEDED[filled]:
            return None
        enough = (equal >= np.maximum(NEEDED[self._filled[rows]], NEEDED[filled])) & (rows != but)
        return int(rows[enough].min()) if enough.any() else None

    def _join(self, row: int) -> int:
        """Put a row without a group into one that it is near, or make it one. The representative's row."""
        words, filled = self._sketches[row], int(self._filled[row])
        buckets = self._bands.buckets(words)
        leader = self._oldest_near(words, filled, buckets)
        if leader is None:
            self._found(row, buckets)
            return row
        self._append(row, leader)
        return leader

    def _found(self, row: int, buckets: Buckets) -> None:
        """Make a row the representative of a group of its own."""
        self._group[row] = -1
        self._before[row] = self._after[row] = row
        if self._filled[row]:
            self._bands.put(row, buckets)
            if self._bands.is_crowded():
                self._bands.grow(self._findable(), self._sketches)

    def _append(self, row: int, leader: int) -> None:
        last = self._before[leader]
        self._before[row], self._after[row] = last, leader
        self._after[last] = self._before[leader] = row
        self._group[row] = leader + 1
        self._group[leader] -= 1

    def _leave(self, row: int) -> None:
        """Take a row out of its group. If it represented that, the others look for a group again."""
        leader = self._leader(row)
        others = [each for each in self._ring(row) if each != row] if leader == row else []
        if leader != row:
            before, after = self._before[row], self._after[row]
            self._after[before], self._before[after] = after, before
            self._group[leader] += 1
        else:
            self._hide(row)
        self._group[row] = _FREE
        self._settle(others)

    def _settle(self, rows: list[int]) -> None:
        """Find groups for rows that lost theirs: one joins or founds a group, and those near it follow."""
        while rows:
            rows = self._follow(self._join(rows[0]), rows[1:])

    def _follow(self, leader: int, rows: list[int]) -> list[int]:
        """Let those rows that are near a representative join it. The others are given back."""
        near = self._near_to(self._sketches[leader], int(self._filled[leader]), rows)
        for row, is_near in zip(rows, near, strict=True):
            if is_near:
                self._append(row, leader)
        return [row for row, is_near in zip(rows, near, strict=True) if not is_near]

    def _hide(self, row: int) -> None:
        """Make a representative unfindable."""
        if self._filled[row]:
            self._bands.drop(row, self._bands.buckets(self._sketches[row]))

    def _near_to(self, words: Words, filled: int, rows: list[int]) -> list[bool]:
        """Which rows are near a sketch."""
        if not rows:
            return []
        equal = equal_bins(self._sketches[rows], words)
        found: list[bool] = (equal >= np.maximum(NEEDED[self._filled[rows]], NEEDED[filled])).tolist()
        return found

    def _stays_leader(self, row: int, words: Words, filled: int) -> bool:
        """Give a representative its new text, if others are still near it and it is near no other representative."""
        others = [each for each in self._ring(row) if each != row] if self._group[row] < -1 else []
        if not any(self._near_to(words, filled, others)):
            return False
        if self._oldest_near(words, filled, self._bands.buckets(words), but=row) is not None:
            return False
        self._hide(row)
        self._sketches[row], self._filled[row] = words, filled
        self._found(row, self._bands.buckets(words))
        self._settle(self._follow(row, others))
        return True

    # -- rows ---------------------------------------------------------------------------------------

    def _row(self, key: int) -> int:
        row = self._rows.find(key, self._keys)
        if row is None:
            raise KeyError(f"no page has the key {key}; add it first")
        return row

    def _leader(self, row: int) -> int:
        group = int(self._group[row])
        return row if group < 0 else group - 1

    def _ring(self, row: int) -> Iterator[int]:
        """The rows of a group, beginning with one of them."""
        at = row
        while True:
            following = int(self._after[at])
            yield at
            at = following
            if at == row:
                return

    def _findable(self) -> Rows:
        """The rows of representatives that have words."""
        used = self._used
        return np.flatnonzero((self._group[:used] < 0) & (self._filled[:used] > 0)).astype(np.uint32)

    def _new_row(self, key: int) -> int:
        if not 0 <= key < 1 << 64:
            raise ValueError(f"{key} is no key; use a number from 0 to 2**64 - 1")
        if not self._free and self._used == len(self._keys):
            for array in self._arrays():
                array.resize((self._used + self._used // 32 + 64, *array.shape[1:]), refcheck=False)
        row = self._free.pop() if self._free else self._used
        self._used = max(self._used, row + 1)
        self._keys[row] = key
        self._rows.put(key, row, self._keys)
        return row

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self._keys, self._sketches, self._filled, self._group, self._before, self._after


def _checked(sketch: bytes) -> bytes:
    if len(sketch) != SKETCH_BYTES:
        raise ValueError(f"{len(sketch)} bytes are no sketch; hand in what sketch_of gave")
    return sketch
