"""Pages of one site are told from pages of others by their structure alone.

All pairs of pages of one site are weighed against a fixed sample of pairs of two
sites, each of which counts for as many as it stands for. F1 is that at the best
threshold, for the product's likeness beside exact tree matching and plain tag paths.
"""

from __future__ import annotations

import random
import tomllib
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from site_structures import structures_of_sites

from lycosa.pages.structure.index import StructureIndex
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.pages.structure.sketch import ALIKE, Sketch, decided, likeness, most_similarity, share, sketch_of
from lycosa.pages.structure.tree_matching import SAME_TEMPLATE, SIMILAR, TreeMatcher

pytestmark = pytest.mark.xdist_group("structure quality")

FLOORS = tomllib.loads((Path(__file__).parents[1] / "quality_floors.toml").read_text("utf-8"))["structure-sites"]
SAMPLE = 40_000
HOPELESS = 0.2
"""Pairs whose upper bound is below this are given the bound: no threshold worth trying is as low."""


@dataclass
class Pairs:
    """Pairs of pages, whether they are of one site, how many each stands for, and what the measures say of them."""

    of_one_site: NDArray[np.bool_]
    weights: NDArray[np.float64]
    subjects: NDArray[np.str_]
    measures: dict[str, NDArray[np.float64]]
    verdicts: dict[float, list[bool | None]]


@pytest.fixture(scope="module")
def pairs() -> Pairs:
    sites = structures_of_sites()
    pages = [(site, skeleton, sketch_of(skeleton)) for site, found in sites.items() for skeleton in found]
    same = [pair for pair in combinations(pages, 2) if pair[0][0] == pair[1][0]]
    others = len(pages) * (len(pages) - 1) // 2 - len(same)
    chance, different = random.Random(1), []
    while len(different) < SAMPLE:
        a, b = chance.sample(pages, 2)
        if a[0] != b[0]:
            different.append((a, b))
    chosen = same + different
    weights = np.array([1.0] * len(same) + [others / SAMPLE] * SAMPLE)
    subjects = np.array([[each[0].partition("-")[0] for each in pair] for pair in chosen])
    verdicts = {level: [decided(a[2], b[2], level) for a, b in chosen] for level in (SIMILAR, SAME_TEMPLATE)}
    matcher = TreeMatcher()
    measures = {
        "likeness": np.array([likeness(a[2], b[2]) for a, b in chosen]),
        "tree matching": np.array([matched(matcher, a[1:], b[1:]) for a, b in chosen]),
        "plain tag paths": np.array([share(a[2].paths, b[2].paths) for a, b in chosen]),
    }
    return Pairs(np.arange(len(chosen)) < len(same), weights, subjects, measures, verdicts)


def matched(matcher: TreeMatcher, a: tuple[Skeleton, Sketch], b: tuple[Skeleton, Sketch]) -> float:
    bound = most_similarity(a[1], b[1])
    if bound < HOPELESS:
        return bound
    found = matcher.similarity(a[0], b[0])
    assert found <= bound + 1e-9
    return found


def f1(values: NDArray[np.float64], pairs: Pairs, threshold: float, among: NDArray[np.bool_] | None = None) -> float:
    weights = pairs.weights if among is None else pairs.weights * among
    taken = values >= threshold
    right = float(weights[taken & pairs.of_one_site].sum())
    return 2 * right / float(weights[taken].sum() + weights[pairs.of_one_site].sum())


def best(values: NDArray[np.float64], pairs: Pairs, among: NDArray[np.bool_] | None = None) -> tuple[float, float]:
    """The best F1, and the middle one of the thresholds that reach it."""
    reached = [(f1(values, pairs, threshold, among), threshold) for threshold in np.arange(0.2, 0.95, 0.005)]
    highest = max(reached)[0]
    thresholds = [threshold for found, threshold in reached if found == highest]
    return highest, float(thresholds[len(thresholds) // 2])


def test_pages_of_one_site_are_told_from_others_by_structure_alone(pairs: Pairs) -> None:
    found = {}
    for name, values in pairs.measures.items():
        found[name], threshold = best(values, pairs)
        print(f"{name}: F1 {found[name]:.4f} at {threshold:.3f}")
    at_alike = f1(pairs.measures["likeness"], pairs, ALIKE)
    print(f"likeness at {ALIKE}: F1 {at_alike:.4f}")
    assert found["likeness"] >= FLOORS["likeness"]
    assert found["tree matching"] >= FLOORS["tree_matching"]
    assert at_alike >= FLOORS["likeness"]
    assert found["likeness"] >= max(found.values()) - 0.001


def test_a_threshold_found_on_some_subjects_holds_for_the_others(pairs: Pairs) -> None:
    subjects = sorted(set(pairs.subjects.flat))
    values = pairs.measures["likeness"]
    for learnt in (subjects[::2], subjects[1::2]):
        of_learnt = np.isin(pairs.subjects, learnt)
        _, threshold = best(values, pairs, of_learnt.all(axis=1))
        held = f1(values, pairs, threshold, ~of_learnt.any(axis=1))
        print(f"threshold {threshold:.3f} of {', '.join(learnt)}: F1 {held:.4f} on the others")
        assert held >= FLOORS["other_subjects"]


def test_sketches_decide_nearly_all_pairs_and_are_not_wrong(pairs: Pairs) -> None:
    values = pairs.measures["tree matching"]
    for level, floor in ((SIMILAR, FLOORS["decided_similar"]), (SAME_TEMPLATE, FLOORS["decided_template"])):
        verdicts = pairs.verdicts[level]
        known = np.array([verdict is not None for verdict in verdicts])
        wrong = sum(
            verdict is not None and verdict != (value >= level) for verdict, value in zip(verdicts, values, strict=True)
        )
        share_known = float(pairs.weights[known].sum() / pairs.weights.sum())
        inside = float(known[pairs.of_one_site].mean())
        print(
            f"similarity {level}: sketches decide {share_known:.2%} of all pairs, "
            f"{inside:.1%} of those within sites, {wrong} wrongly"
        )
        assert wrong == 0
        assert share_known >= floor


def test_templates_of_an_index_are_pages_of_one_site() -> None:
    index = StructureIndex()
    site_of = {}
    for site, skeletons in structures_of_sites().items():
        for number, skeleton in enumerate(skeletons):
            index.add(f"{site}/{number}", skeleton)
            site_of[f"{site}/{number}"] = site
    templates = index.templates()
    print(f"{len(site_of)} pages of {len(set(site_of.values()))} sites are {len(templates)} templates")
    assert sum(template.pages for template in templates) == len(site_of)
    assert all(len({site_of[key] for key in index.keys_of(template.number)}) == 1 for template in templates)
    assert len(templates) <= FLOORS["most_templates"]


def test_the_pages_most_like_a_page_are_of_its_site() -> None:
    index, held_back = StructureIndex(), {}
    for site, skeletons in structures_of_sites().items():
        held_back[site] = skeletons[0]
        for number, skeleton in enumerate(skeletons[1:]):
            index.add(f"{site}/{number}", skeleton)
    found = [(site, key) for site, skeleton in held_back.items() for key, _ in index.like(skeleton, most=10)]
    right = sum(key.partition("/")[0] == site for site, key in found)
    print(f"{right} of {len(found)} pages found are of the same site, of {10 * len(held_back)} wanted")
    assert right >= FLOORS["like_precision"] * len(found)
    assert len(found) >= FLOORS["like_recall"] * 10 * len(held_back)
