"""Simple tree matching: how many elements two skeletons have in common, in the same place and order.

The rule: trees with different roots share nothing; otherwise they share the root and
the best alignment of their children, `M[i][j] = max(M[i][j-1], M[i-1][j], M[i-1][j-1] + STM(A_i, B_j))`.
Taken literally that compares every child with every other. Here equal subtrees
get equal numbers, so most comparisons are of two numbers, and only subtrees that differ
are taken apart; children that are equal at the beginning and the end of two lists are
taken together; and a pair is looked into only if it could improve the alignment. The result is the same.
"""

from __future__ import annotations

from lycosa.pages.structure.skeleton import FIRST_FOREIGN, NAMELESS, Label, Skeleton

SIMILAR = 0.4
SAME_TEMPLATE = 0.9
MOST_REMEMBERED = 4_000_000
"""Elements in all remembered subtrees, and pairs of these; beyond that all are forgotten."""
MOST_STEPS = 8_000_000
"""Steps of one comparison, about a second. Only pages made to exhaust it need more; they get a lower bound."""
STEPS_PER_LIST = 32
"""What a pair of lists costs besides its table."""

_Span = tuple[Skeleton, int, int]


class TreeMatcher:
    """Compares skeletons and remembers subtrees and pairs of them, which the pages of a site have in common.

    Not for two threads at once.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._numbers: dict[object, int] = {}
        self._labels: list[Label] = []
        self._sizes: list[int] = []
        self._spans: list[_Span] = []
        self._children: list[tuple[int, ...] | None] = []
        self._matched: dict[tuple[int, int], int] = {}
        self._steps = self._remembered = 0

    def similarity(self, a: Skeleton, b: Skeleton) -> float:
        """The elements in common in relation to the average size: 1.0 for equal trees, 0.0 for different roots."""
        return 2 * self.matching(a, b) / (a.size + b.size)

    def matching(self, a: Skeleton, b: Skeleton) -> int:
        """The number of elements in the largest common tree that keeps roots, levels and order."""
        if self._remembered + len(self._matched) > MOST_REMEMBERED:
            self._forget()
        self._steps = 0
        matched = self._match(self._number(a, 0, a.size), self._number(b, 0, b.size))
        if self._steps > MOST_STEPS:
            self._forget()
        return matched

    def _number(self, skeleton: Skeleton, begin: int, end: int) -> int:
        """The number of the subtree in a stretch of a skeleton. Subtrees with equal numbers are equal."""
        tag = skeleton.tags[begin]
        key: object = tag
        if end - begin > 1:
            key = skeleton.tags[begin:end] + skeleton.depths[begin:end]
        if skeleton.names:
            key = (skeleton.names, key)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._labels)
            foreign = FIRST_FOREIGN <= tag < NAMELESS
            self._labels.append(skeleton.names[tag - FIRST_FOREIGN] if foreign else tag)
            self._sizes.append(end - begin)
            self._spans.append((skeleton, begin, end))
            self._children.append(None)
            self._remembered += end - begin
        return number

    def _children_of(self, number: int) -> tuple[int, ...]:
        """The numbers of the children: up to the next element of their level, all are deeper."""
        known = self._children[number]
        if known is not None:
            return known
        skeleton, begin, end = self._spans[number]
        depths, level, found = skeleton.depths, skeleton.depths[begin] + 1, []
        at = begin + 1
        while at < end:
            following = depths.find(level, at + 1, end)
            if following < 0:
                following = end
            found.append(self._number(skeleton, at, following))
            at = following
        children = self._children[number] = tuple(found)
        return children

    def _match(self, a: int, b: int) -> int:
        """The matching of two numbered subtrees. As deep as the trees, which are not deep."""
        if a == b:
            return self._sizes[a]
        if self._labels[a] != self._labels[b]:
            return 0
        if self._sizes[a] == 1 or self._sizes[b] == 1:
            return 1
        return self._looked_into(a, b)

    def _looked_into(self, a: int, b: int) -> int:
        """The matching of two subtrees that differ, have the same root, and both have children."""
        pair = (a, b) if a < b else (b, a)
        known = self._matched.get(pair)
        if known is None:
            known = self._matched[pair] = 1 + self._aligned(self._children_of(a), self._children_of(b))
        return known

    def _aligned(self, ours: tuple[int, ...], theirs: tuple[int, ...]) -> int:
        """The best alignment of two lists of children, equal ones at both ends first.

        Why that loses nothing: say both lists begin with x. In a best alignment, if neither x
        has a partner, pairing them adds to it; if one has a partner y, the other has none,
        for the two pairs would cross, and pairing x with x instead of y loses nothing, since
        no subtree matches x better than x itself does. The same holds at the ends, and again for the rest.
        """
        first, last, other_last, common = 0, len(ours), len(theirs), 0
        while first < last and first < other_last and ours[first] == theirs[first]:
            common += self._sizes[ours[first]]
            first += 1
        while last > first and other_last > first and ours[last - 1] == theirs[other_last - 1]:
            last -= 1
            other_last -= 1
            common += self._sizes[ours[last]]
        if last == first or other_last == first:
            return common
        ours, theirs = ours[first:last], theirs[first:other_last]
        self._steps += len(ours) * len(theirs) + STEPS_PER_LIST
        if self._steps > MOST_STEPS:
            return common + self._side_by_side(ours, theirs)
        if len(ours) > len(theirs):
            ours, theirs = theirs, ours
        return common + (self._likest(ours[0], theirs) if len(ours) == 1 else self._table(ours, theirs))

    def _side_by_side(self, ours: tuple[int, ...], theirs: tuple[int, ...]) -> int:
        """A lower bound: children in the same position count themselves if they have the same name."""
        labels = self._labels
        return sum(labels[a] == labels[b] for a, b in zip(ours, theirs, strict=False))

    def _likest(self, a: int, others: tuple[int, ...]) -> int:
        """The matching of a child with the one of several that it matches best: most lists are so short."""
        label, size, best = self._labels[a], self._sizes[a], 0
        for b in others:
            if self._labels[b] == label and best < size and best < self._sizes[b]:
                found = self._match(a, b)
                if found > best:
                    best = found
        return best

    def _table(self, ours: tuple[int, ...], theirs: tuple[int, ...]) -> int:
        """The table of alignments, of which one row is kept. What this does for each cell counts.

        A pair is looked into only if the smaller of its sizes, which it cannot exceed, would improve the cell.
        """
        labels, sizes = self._labels, self._sizes
        names = [labels[b] for b in theirs]
        columns = [*zip(range(1, len(theirs) + 1), theirs, names, [sizes[b] for b in theirs], strict=True)]
        row = [0] * (len(theirs) + 1)
        for a in ours:
            name, size = labels[a], sizes[a]
            if name not in names:
                continue
            best = corner = 0
            for column, b, other_name, most in columns:
                above = row[column]
                if above > best:
                    best = above
                if name == other_name:
                    if size < most:
                        most = size
                    if corner + most > best:
                        found = corner + (most if a == b or most == 1 else self._looked_into(a, b))
                        if found > best:
                            best = found
                corner = above
                row[column] = best
        return row[-1]


def similarity(a: Skeleton, b: Skeleton) -> float:
    """How similar two structures are by simple tree matching: SIMILAR from 0.4, SAME_TEMPLATE from 0.9."""
    return TreeMatcher().similarity(a, b)


def matching(a: Skeleton, b: Skeleton) -> int:
    """The number of elements that two structures have in common by simple tree matching."""
    return TreeMatcher().matching(a, b)
