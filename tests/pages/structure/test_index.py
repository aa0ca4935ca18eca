"""The index of structures: what it finds is exact, templates are kept as pages come and go, and it can be saved."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_matching import trees

from lycosa.pages.structure import index as structure_index
from lycosa.pages.structure.index import StructureIndex
from lycosa.pages.structure.neighbours import HASHES, GlanceTable, Neighbours, signature_of
from lycosa.pages.structure.skeleton import MOST_ELEMENTS, Skeleton, skeleton_of_names
from lycosa.pages.structure.sketch import ALIKE, features_of, likeness, sketch_of

INNER = ("div", "p", "a", "ul", "li", "span", "table", "tr", "td", "h2", "img", "section", "article", "b", "form")


def template(chance: random.Random, size: int = 150) -> list[tuple[str, int]]:
    elements, depth = [("html", 1), ("body", 2)], 2
    while len(elements) < size:
        depth = chance.randint(3, min(depth + 1, 9))
        elements.append((chance.choice(INNER), depth))
    return elements


def page_of(elements: list[tuple[str, int]], chance: random.Random, changes: int = 2) -> Skeleton:
    """A page of a template: a few leaves more."""
    changed = list(elements)
    for _ in range(changes):
        place = chance.randrange(3, len(changed))
        changed.insert(place, (chance.choice(INNER), changed[place - 1][1]))
    return skeleton_of_names(changed)


def filled(seed: int, templates: int, pages: int) -> tuple[StructureIndex, dict[str, Skeleton], dict[str, int]]:
    chance = random.Random(seed)
    made = [template(chance) for _ in range(templates)]
    index, skeletons, origin = StructureIndex(), {}, {}
    for number in range(pages):
        which = chance.randrange(templates)
        key = f"page {number}"
        skeletons[key], origin[key] = page_of(made[which], chance), which
        index.add(key, skeletons[key])
    return index, skeletons, origin


def test_pages_of_a_template_are_found_with_their_exact_likeness_best_first() -> None:
    index, skeletons, origin = filled(1, templates=30, pages=600)
    for key in list(skeletons)[::40]:
        sketch = sketch_of(skeletons[key])
        found = index.like(skeletons[key], most=8)
        assert (key, 1.0) in found
        assert len(found) == 8
        assert [value for _, value in found] == sorted((value for _, value in found), reverse=True)
        assert {origin[other] for other, _ in found} == {origin[key]}
        for other, value in found:
            assert value == pytest.approx(likeness(sketch, sketch_of(skeletons[other])))


def test_the_likest_pages_of_all_are_found() -> None:
    index, skeletons, _ = filled(2, templates=20, pages=500)
    sketches = {key: sketch_of(skeleton) for key, skeleton in skeletons.items()}
    missed = 0
    for key in list(skeletons)[::25]:
        of_all = sorted((likeness(sketches[key], other) for other in sketches.values()), reverse=True)[:5]
        found = [value for _, value in index.like(skeletons[key], most=5)]
        missed += sum(abs(ours - theirs) > 1e-9 for ours, theirs in zip(found, of_all, strict=True))
    assert missed <= 2


def test_templates_are_what_the_pages_were_made_of() -> None:
    index, skeletons, origin = filled(3, templates=25, pages=700)
    templates = index.templates()
    assert len(templates) == 25
    assert [each.pages for each in templates] == sorted((each.pages for each in templates), reverse=True)
    for each in templates:
        keys = index.keys_of(each.number)
        assert len(keys) == each.pages
        assert {origin[key] for key in keys} == {origin[each.founder]}
        assert Skeleton.from_bytes(each.structure) == skeletons[each.founder]
    for key in list(skeletons)[::50]:
        assert index.count(skeletons[key]) == list(origin.values()).count(origin[key])


def test_a_structure_unlike_all_others_has_no_pages() -> None:
    index, _, _ = filled(4, templates=5, pages=20)
    stranger = Skeleton.written("html(frameset(frame frame(noframes)))")
    assert index.count(stranger) == 0
    assert index.template_of(stranger) is None
    assert index.like(stranger) == []
    assert StructureIndex().like(stranger) == []
    assert StructureIndex().templates() == []


def test_a_page_that_is_added_again_has_its_new_structure_only() -> None:
    index = StructureIndex()
    old, new = Skeleton.written("html(body(div(p p)))"), Skeleton.written("html(body(table(tr(td) tr(td))))")
    first = index.add("page", old)
    index.add("other", old)
    assert index.count(old) == 2
    second = index.add("page", new)
    assert second != first
    assert (index.count(old), index.count(new), len(index)) == (1, 1, 2)
    assert index.like(old) == [("other", 1.0)]
    assert index.remove("other")
    assert not index.remove("other")
    assert "other" not in index
    assert (index.count(old), index.like(old)) == (0, [])
    assert [each.number for each in index.templates()] == [second]


def test_a_saved_index_finds_the_same() -> None:
    index, skeletons, _ = filled(5, templates=15, pages=300)
    for key in list(skeletons)[::7]:
        index.remove(key)
    again = StructureIndex.from_bytes(index.to_bytes())
    assert len(again) == len(index)
    assert again.templates() == index.templates()
    for key in list(skeletons)[::11]:
        assert again.like(skeletons[key]) == index.like(skeletons[key])
    added = template(random.Random(6))
    assert again.add("new", skeleton_of_names(added)) == index.add("new", skeleton_of_names(added))
    assert again.to_bytes() == index.to_bytes()


def test_bytes_that_are_no_index_are_refused_in_one_sentence() -> None:
    good = filled(7, templates=2, pages=5)[0].to_bytes()
    for bad in (b"", b"\x93", good[:-1], good[:40], b"\x95\x02" + good[2:]):
        with pytest.raises(ValueError, match="build it anew from the pages"):
            StructureIndex.from_bytes(bad)


@settings(max_examples=60)
@given(st.lists(trees(), min_size=1, max_size=15))
def test_every_page_is_in_one_template_and_finds_itself(skeletons: list[Skeleton]) -> None:
    index = StructureIndex()
    for number, skeleton in enumerate(skeletons):
        index.add(str(number), skeleton)
    assert sum(each.pages for each in index.templates()) == len(skeletons)
    for number, skeleton in enumerate(skeletons):
        found = dict(index.like(skeleton, most=len(skeletons)))
        assert found[str(number)] == 1.0
        assert index.count(skeleton) >= skeletons.count(skeleton)


def test_signatures_estimate_likeness() -> None:
    _, skeletons, _ = filled(8, templates=3, pages=40)
    sketches = [sketch_of(skeleton) for skeleton in skeletons.values()]
    errors = [
        float((signature_of(a.features) == signature_of(b.features)).mean()) - likeness(a, b)
        for a in sketches[:10]
        for b in sketches[10:]
    ]
    assert abs(sum(errors) / len(errors)) < 0.05
    assert max(map(abs, errors)) < 0.3


@given(st.lists(st.lists(st.integers(0, 2), min_size=HASHES, max_size=HASHES), min_size=1, max_size=9))
def test_agreements_are_the_number_of_equal_places(rows: list[list[int]]) -> None:
    table = GlanceTable(np.array(rows, np.uint8))
    glance = np.array(rows[0], np.uint8)
    agreements = [sum(ours == theirs for ours, theirs in zip(rows[0], row, strict=True)) for row in rows]
    numbers = np.arange(len(rows))
    assert table.agreements(glance, numbers).tolist() == agreements
    assert table.estimates(glance, numbers).tolist() == [each / HASHES for each in agreements]


def test_neighbours_are_each_found_once_best_first_sorted_in_or_not() -> None:
    _, skeletons, _ = filled(12, templates=40, pages=600)
    signatures = [signature_of(features_of(skeleton)) for skeleton in skeletons.values()]
    neighbours = Neighbours()
    assert neighbours.near(signatures[0], 5, 0.5) == []
    assert [neighbours.add(signature) for signature in signatures] == list(range(600))
    for signature in signatures[::50]:
        likeness_of = [float((signature.astype(np.uint8) == each.astype(np.uint8)).mean()) for each in signatures]
        expected = [each for each in range(600) if likeness_of[each] >= 0.5]
        found = neighbours.near(signature, 600, 0.5)
        assert found == sorted(expected, key=lambda each: (-likeness_of[each], each))
        assert neighbours.near(signature, 3, 0.5) == found[:3]


def test_many_pages_are_ranked_by_exact_likeness_across_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    index, skeletons, _ = filled(13, templates=3, pages=200)
    few = {key: index.like(skeletons[key], most=30, at_least=0.0) for key in list(skeletons)[::20]}
    monkeypatch.setattr(structure_index, "CLOSER_LOOKS", 1_000)
    for key, found in few.items():
        assert len(found) == 30
        values = [value for _, value in found]
        of_all = index.like(skeletons[key], most=30, at_least=0.0)
        assert values == sorted(values, reverse=True)
        assert [value for _, value in of_all[:5]] == values[:5]
        assert dict(of_all).items() >= {(key, 1.0)}
        for other, value in of_all:
            assert value == pytest.approx(likeness(sketch_of(skeletons[key]), sketch_of(skeletons[other])))


def test_many_templates_are_found_after_they_were_sorted_in() -> None:
    chance = random.Random(9)
    made = [template(chance, 60) for _ in range(1_500)]
    index = StructureIndex()
    for number, elements in enumerate(made):
        index.add(f"page {number}", skeleton_of_names(elements))
    for number in range(0, 1_500, 37):
        changed = page_of(made[number], chance, changes=2)
        assert index.like(changed, most=1)[0][0] == f"page {number}"


def test_a_large_template_is_searched_in_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structure_index, "MOST_ENTRIES", 50)
    index, skeletons, _ = filled(10, templates=1, pages=400)
    found = index.like(skeletons["page 399"], most=100, at_least=ALIKE)
    assert 40 <= len(found) <= 60


def test_hostile_structures_are_kept_small() -> None:
    chance = random.Random(11)
    index = StructureIndex()
    began = time.process_time()
    for number in range(5):
        elements, depth = [("html", 1)], 1
        while len(elements) < MOST_ELEMENTS:
            depth = chance.randint(2, min(depth + 1, 100))
            elements.append((f"x{chance.randrange(60)}", depth))
        index.add(str(number), skeleton_of_names(elements))
    assert time.process_time() - began < 8
    assert len(index.to_bytes()) < 5 * (2 * MOST_ELEMENTS + 20_000)
