"""Trees for the tests of structures, and simple tree matching as it is defined, without any shortcut."""

from __future__ import annotations

from collections import Counter

from hypothesis import strategies as st

from lycosa.pages.structure.skeleton import Skeleton, skeleton_of_names

NAMES = ("div", "p", "a", "ul", "li", "my-box")
Tree = tuple[str, list["Tree"]]


def trees(most: int = 30) -> st.SearchStrategy[Skeleton]:
    """Small trees of few names, so that they have much in common: each element says how many it closes."""
    return st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 4)), max_size=most).map(_grown)


def _grown(elements: list[tuple[str, int]]) -> Skeleton:
    grown, depth = [("html", 1)], 1
    for name, closed in elements:
        depth = max(depth + 1 - closed, 2)
        grown.append((name, depth))
    return skeleton_of_names(grown)


def tree_of(skeleton: Skeleton) -> Tree:
    """The tree as nested pairs of a name and children."""
    path: list[Tree] = []
    for name, depth in skeleton.elements():
        node: Tree = (name, [])
        del path[depth - 1 :]
        if path:
            path[-1][1].append(node)
        path.append(node)
    return path[0]


def plain_matching(a: Tree, b: Tree) -> int:
    """The definition."""
    if a[0] != b[0]:
        return 0
    table = [[0] * (len(b[1]) + 1) for _ in range(len(a[1]) + 1)]
    for i, ours in enumerate(a[1], 1):
        for j, theirs in enumerate(b[1], 1):
            both = table[i - 1][j - 1] + plain_matching(ours, theirs)
            table[i][j] = max(table[i][j - 1], table[i - 1][j], both)
    return table[-1][-1] + 1


def path_counts(skeleton: Skeleton) -> Counter[tuple[str, ...]]:
    """How many elements each tag path has."""
    path: list[str] = []
    found: Counter[tuple[str, ...]] = Counter()
    for name, depth in skeleton.elements():
        path[depth - 1 :] = [name]
        found[tuple(path)] += 1
    return found
