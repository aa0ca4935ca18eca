"""Simple tree matching: the definition, its bounds, and that no shortcut changes the result."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from plain_matching import path_counts, plain_matching, tree_of, trees

from lycosa.pages.structure import tree_matching
from lycosa.pages.structure.skeleton import DEEPEST, MOST_ELEMENTS, Skeleton, skeleton_of_names
from lycosa.pages.structure.sketch import Comparison, decided, likeness, most_matching, most_similarity, sketch_of
from lycosa.pages.structure.tree_matching import SIMILAR, TreeMatcher, matching, similarity

A = Skeleton.written("html(head(title) body(div(p p) div(ul(li li))))")
B = Skeleton.written("html(head(title) body(div(p) div(ul(li li li))))")


def test_the_example_of_the_specification() -> None:
    assert (A.size, B.size) == (11, 11)
    assert matching(A, B) == 10
    assert similarity(A, B) == pytest.approx(10 / 11)


def test_trees_with_different_roots_have_nothing_in_common() -> None:
    assert matching(Skeleton.written("div(p p)"), Skeleton.written("ul(p p)")) == 0
    assert matching(Skeleton.written("x-a(p p)"), Skeleton.written("x-b(p p)")) == 0
    assert matching(Skeleton.written("x-a(p p)"), Skeleton.written("x-a(p)")) == 2


@settings(max_examples=300)
@given(trees(), trees())
def test_shortcuts_do_not_change_the_matching(a: Skeleton, b: Skeleton) -> None:
    assert matching(a, b) == plain_matching(tree_of(a), tree_of(b))


def test_a_matcher_that_remembers_gives_the_same_as_a_fresh_one() -> None:
    matcher, chance = TreeMatcher(), random.Random(1)
    pages = [random_page(chance, 60) for _ in range(25)]
    for a in pages:
        for b in pages:
            assert matcher.matching(a, b) == plain_matching(tree_of(a), tree_of(b))


def test_a_matcher_forgets_when_it_knows_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_matching, "MOST_REMEMBERED", 100)
    matcher, chance = TreeMatcher(), random.Random(2)
    for _ in range(50):
        a, b = random_page(chance, 40), random_page(chance, 40)
        assert matcher.matching(a, b) == plain_matching(tree_of(a), tree_of(b))
        assert matcher._remembered + len(matcher._matched) < 2000


def random_page(chance: random.Random, size: int, names: str = "div p a ul li span table tr td") -> Skeleton:
    elements, depth = [("html", 1)], 1
    while len(elements) < size:
        depth = chance.randint(2, min(depth + 1, DEEPEST))
        elements.append((chance.choice(names.split()), depth))
    return skeleton_of_names(elements)


@given(trees(), trees())
def test_matching_is_symmetric_and_no_larger_than_either_tree(a: Skeleton, b: Skeleton) -> None:
    assert matching(a, b) == matching(b, a)
    assert 1 <= matching(a, b) <= min(a.size, b.size)


@given(trees(), trees())
def test_only_identical_skeletons_are_similar_to_one(a: Skeleton, b: Skeleton) -> None:
    assert similarity(a, a) == 1.0
    assert (similarity(a, b) == 1.0) == (a == b)


@settings(max_examples=300)
@given(trees(), trees())
def test_the_bound_is_what_the_tag_paths_share_and_never_below_the_matching(a: Skeleton, b: Skeleton) -> None:
    bound = most_matching(sketch_of(a), sketch_of(b))
    assert bound == (path_counts(a) & path_counts(b)).total()
    assert bound >= matching(a, b)


@given(trees(), trees())
def test_a_no_of_the_sketches_is_certain(a: Skeleton, b: Skeleton) -> None:
    for threshold in (0.2, SIMILAR, 0.7, 0.9):
        if decided(sketch_of(a), sketch_of(b), threshold) is False:
            assert similarity(a, b) < threshold


@given(trees(), trees())
def test_likeness_is_the_share_of_paths_counted_by_doublings(a: Skeleton, b: Skeleton) -> None:
    features = [
        {(path, doubling) for path, count in path_counts(each).items() for doubling in range(count.bit_length())}
        for each in (a, b)
    ]
    expected = len(features[0] & features[1]) / len(features[0] | features[1])
    assert likeness(sketch_of(a), sketch_of(b)) == pytest.approx(expected)
    assert likeness(sketch_of(b), sketch_of(a)) == pytest.approx(expected)


def test_a_longer_list_is_the_same_template_by_likeness_though_not_by_matching() -> None:
    short, long = (Skeleton.written(f"html(body(h1 ul({'li(a) ' * items})))") for items in (20, 60))
    assert likeness(sketch_of(short), sketch_of(long)) >= 0.8
    assert similarity(short, long) < 0.6


def test_a_comparison_asks_the_matching_only_where_the_sketches_do_not_tell() -> None:
    comparison = Comparison(at_least=0.9)
    other = Skeleton.written("html(body(form(input)))")
    assert comparison.similar((A, sketch_of(A)), (B, sketch_of(B)))
    assert (comparison.by_sketch, comparison.by_matching) == (0, 1)
    assert not comparison.similar((A, sketch_of(A)), (other, sketch_of(other)))
    assert (comparison.by_sketch, comparison.by_matching) == (1, 1)
    assert most_similarity(sketch_of(A), sketch_of(other)) == pytest.approx(2 * 2 / 15)


def test_the_deepest_trees_are_matched() -> None:
    deep = skeleton_of_names([("div", depth) for depth in range(1, DEEPEST + 1)])
    deeper = skeleton_of_names([*(("div", depth) for depth in range(1, DEEPEST)), ("p", DEEPEST), ("div", DEEPEST)])
    assert matching(deep, deeper) == DEEPEST


def test_pages_made_to_exhaust_the_matching_get_a_lower_bound_in_bounded_time() -> None:
    chance = random.Random(3)
    a, b = (random_page(chance, MOST_ELEMENTS, "div p a i b u s q") for _ in range(2))
    wide = [skeleton_of_names([("html", 1), *((chance.choice("pabi"), 2) for _ in range(9_000))]) for _ in range(2)]
    matcher = TreeMatcher()
    for left, right in ((a, b), (wide[0], wide[1])):
        began = time.process_time()
        found = matcher.matching(left, right)
        assert time.process_time() - began < 12
        assert 1 <= found <= most_matching(sketch_of(left), sketch_of(right))
    assert matcher.matching(A, B) == 10
