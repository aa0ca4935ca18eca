"""How similar two pages are built, and which tag paths only one of them has."""

from __future__ import annotations

from collections import Counter
from typing import Any

from lycosa.pages.structure import sketch as structure_sketch
from lycosa.pages.structure import tree_matching
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.pages.structure.sketch import likeness, sketch_of


def comparison(a: Skeleton, b: Skeleton) -> dict[str, Any]:
    """Both similarities with their verdicts, and the paths that only one page has."""
    matched = tree_matching.matching(a, b)
    similarity = 2 * matched / (a.size + b.size)
    alike = likeness(sketch_of(a), sketch_of(b))
    paths_a, paths_b = tag_paths(a), tag_paths(b)
    return {
        "matching": matched,
        "similarity": similarity,
        "verdict": _verdict(similarity, tree_matching.SIMILAR, tree_matching.SAME_TEMPLATE),
        "likeness": alike,
        "likeness_verdict": _verdict(alike, structure_sketch.ALIKE, structure_sketch.SAME_TEMPLATE),
        "only_a": _only(paths_a, paths_b),
        "only_b": _only(paths_b, paths_a),
    }


def _verdict(value: float, similar: float, same: float) -> str:
    return "same template" if value >= same else "similar" if value >= similar else "different"


def tag_paths(skeleton: Skeleton) -> Counter[str]:
    """How many elements are on each tag path, such as html/body/div/p."""
    found: Counter[str] = Counter()
    above: list[str] = []
    for name, depth in skeleton.elements():
        del above[depth - 1 :]
        above.append(f"{above[-1]}/{name}" if above else name)
        found[above[-1]] += 1
    return found


def _only(paths: Counter[str], others: Counter[str]) -> list[dict[str, Any]]:
    """The highest paths that the other page has not, with the number of elements on them."""
    alone = {path for path in paths if path not in others}
    highest = [path for path in alone if path.rpartition("/")[0] not in alone]
    return [{"path": path, "elements": paths[path]} for path in sorted(highest, key=lambda each: (-paths[each], each))]
