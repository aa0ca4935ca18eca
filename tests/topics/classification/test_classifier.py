"""Points flock by their digits, the heaviest group wins, and the quick way gives what the explaining way gives."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.records import Page
from lycosa.text import words
from lycosa.topics.classification.class_words import LONGEST_TEXT
from lycosa.topics.classification.classifier import (
    Galaxy,
    Predictor,
    anchor_span,
    complies,
    galaxy,
    galaxy_of_link,
    galaxy_of_page,
    galaxy_of_pages,
    galaxy_of_texts,
)
from lycosa.topics.classification.scheme import NO_ANCHOR, Point, Scheme
from lycosa.topics.classification.scheme_file import scheme_of

SCHEME = scheme_of(
    [
        (
            "small.tsv",
            "0\tKnowledge\tlist\n004\tComputing\tcomputer; silicon chip\n2\tReligion\tgod\n29\tOther religions\taltar\n"
            "291\tComparing religions\ttemple; rite\n294\tReligions of India\tveda; temple\n299\tOthers\tshaman\n"
            "5\tScience\tscience\n510\tNumbers and shapes\tnumber\n598\tBirds\towl; bird; bird of prey; prey bird\n"
            "599.7\tCats and dogs\tcat; wild cat\n6\tTechnology\tengine\n746.92\tClothes\tfashion; silk",
        )
    ]
)
VOCABULARY = sorted({word for line in SCHEME for phrase in line.phrases for word in words(phrase)})
NOISE = ["the", "of", "house", "stone", "xylo", "7", "café"]
points = st.lists(
    st.builds(
        Point,
        st.sampled_from(["2", "29", "291", "294", "299", "5", "51", "510", "598", "5997", "59974", "004", "74692"]),
        st.sampled_from(["a", "b"]),
        st.booleans(),
    ),
    max_size=14,
)
PHRASES = sorted({phrase for line in SCHEME for phrase in line.phrases})
texts = st.lists(st.sampled_from(PHRASES) | st.sampled_from(VOCABULARY + NOISE), max_size=25).map(" ".join)


def plainly(every: list[Point]) -> set[str]:
    """T3 as it is written down, with fractions of ten."""

    def weight(group: list[Point]) -> int:
        return len(group) * sum(len(point.number) * (14 if point.anchor else 10) for point in group)

    def below(begun: str, group: list[Point]) -> set[str]:
        further = [point for point in group if len(point.number) > len(begun)]
        if len(begun) == 3 or not further:
            return {begun} if begun else set()
        starts = {point.number[: len(begun) + 1] for point in further}
        parted = {start: [point for point in further if point.number.startswith(start)] for start in starts}
        largest = max(map(weight, parted.values()))
        return set().union(*(below(start, part) for start, part in parted.items() if weight(part) == largest))

    return below("", every)


# -- the vector of T3, and what it says ----------------------------------------------------------------

VECTOR = [Point("291", "temple", True), Point("294"), Point("299"), Point("29"), Point("510", "", True), Point("004")]


def steps(found: Galaxy) -> list[tuple[str, list[tuple[str, int, float]]]]:
    return [(step.inside, [(group.number, group.n, group.weight) for group in step.groups]) for step in found.steps]


def test_the_vector_of_the_paper_is_met() -> None:
    found = galaxy(VECTOR)
    assert found.classes == ("291",)
    assert steps(found) == [
        ("", [("2", 4, 48.8), ("5", 1, 4.2), ("0", 1, 3.0)]),
        ("2", [("29", 4, 48.8)]),
        ("29", [("291", 1, 4.2), ("294", 1, 3.0), ("299", 1, 3.0)]),
    ]
    assert found.points == tuple(VECTOR)


def test_the_reason_names_weights_and_words() -> None:
    assert galaxy(VECTOR).why == "W 2 (48.8), 29 (48.8), 291 (4.2); words: temple"
    many = galaxy(Point("5", f"word{number}") for number in range(20))
    assert many.why.endswith("word6, word7, …")
    assert galaxy([Point("5", "word")] * 10_000).why == "W 5 (100000000); words: word"
    assert galaxy([Point("5", "a"), Point("7", "b")]).why == "W 5 (1) or 7 (1); words: a, b"


def test_nothing_predicts_nothing() -> None:
    assert galaxy([]) == Galaxy()
    assert galaxy([]).why == "no word that the classification knows"


def test_points_without_a_further_digit_drop_out_and_alone_they_are_the_answer() -> None:
    assert galaxy([Point("5"), Point("5"), Point("59")]).classes == ("59",)
    assert galaxy([Point("5"), Point("5")]).classes == ("5",)
    assert galaxy([Point("59"), Point("59"), Point("598")]).classes == ("598",)


def test_ties_keep_all_and_each_goes_its_own_way_down() -> None:
    assert galaxy([Point("510"), Point("291")]).classes == ("291", "510")
    assert galaxy([Point("510"), Point("520"), Point("29"), Point("2923")]).classes == ("292", "510", "520")
    assert galaxy([Point("510"), Point("29"), Point("2")]).classes == ("29",)


def test_digits_behind_the_third_give_weight_but_are_not_predicted() -> None:
    assert galaxy([Point("74692"), Point("510")]).classes == ("746",)
    assert galaxy([Point("59974"), Point("598")]).classes == ("599",)


@given(points, st.randoms(use_true_random=False))
def test_the_order_of_points_does_not_matter(every: list[Point], chance: random.Random) -> None:
    before = galaxy(every)
    chance.shuffle(every)
    after = galaxy(every)
    assert (after.classes, after.steps) == (before.classes, before.steps)


@given(points)
def test_the_galaxy_is_the_formula_done_plainly(every: list[Point]) -> None:
    assert set(galaxy(every).classes) == plainly(every)


@given(points, st.booleans())
def test_one_more_point_of_the_winning_class_never_changes_the_first_digit(every: list[Point], anchor: bool) -> None:
    for number in galaxy(every).classes:
        assert {each[0] for each in galaxy([*every, Point(number, "", anchor)]).classes} == {number[0]}


@given(points)
def test_groups_come_heaviest_first_and_inside_their_step(every: list[Point]) -> None:
    found = galaxy(every)
    for step in found.steps:
        assert all(group.number[:-1] == step.inside and group.n >= 1 for group in step.groups)
        assert [group.weight for group in step.groups] == sorted((group.weight for group in step.groups), reverse=True)
    assert all(0 < len(number) <= 3 for number in found.classes)
    assert bool(found.classes) == bool(every)


# -- compliance --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("predicted", "wanted", "depth", "answer"),
    [
        (["598"], ["598"], 3, True),
        (["598"], ["59"], 3, True),
        (["5"], ["598"], 3, True),
        (["599"], ["598"], 3, False),
        (["599"], ["598"], 2, True),
        (["746"], ["746.92"], 3, True),
        (["746"], ["746.92"], 5, True),
        (["747"], ["746.92"], 2, True),
        (["291", "510"], ["51"], 3, True),
        (["291"], ["3", "2"], 3, True),
        ([], ["5"], 3, False),
        (["5"], [], 3, False),
        ([], [], 3, False),
        ([""], ["5"], 3, False),
        (["5"], [""], 3, False),
    ],
)
def test_one_class_of_which_another_is_a_beginning_complies(
    predicted: list[str], wanted: list[str], depth: int, answer: bool
) -> None:
    assert complies(predicted, wanted, depth) is answer


numbers = st.lists(st.text("0129", min_size=1, max_size=5), max_size=4)


@given(numbers, numbers, st.integers(1, 5))
def test_complying_works_both_ways_and_is_easier_with_fewer_digits(
    some: list[str], others: list[str], depth: int
) -> None:
    assert complies(some, others, depth) == complies(others, some, depth)
    assert complies(some, others, depth) <= complies(some, others, depth - 1 or 1)
    assert complies(some, some, depth) == bool(some)


# -- links -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "spoken", "span"),
    [
        ("the owl and the bird", "the bird", (3, 5)),
        ("the owl and the owl", "the owl", (0, 2)),
        ("owl", "owl", (0, 1)),
        ("the owl", "the owl sat", NO_ANCHOR),
        ("a a a b", "a b", (2, 4)),
        ("", "owl", NO_ANCHOR),
        ("owl", "", NO_ANCHOR),
    ],
)
def test_the_anchor_is_its_first_run_of_words_in_the_boundary(told: str, spoken: str, span: tuple[int, int]) -> None:
    assert anchor_span(told.split(), spoken.split()) == span


def test_the_words_of_the_anchor_weigh_more() -> None:
    boundary = "A temple, a number."
    assert galaxy_of_link(SCHEME, boundary, "temple").classes == ("291", "294")
    assert galaxy_of_link(SCHEME, "A shaman, a number.", "").classes == ("299", "510")
    assert galaxy_of_link(SCHEME, "A shaman, a number.", "Number").classes == ("510",)
    assert galaxy_of_link(SCHEME, "A shaman, a number.", "the shaman").classes == ("299",)


def test_a_phrase_that_touches_the_anchor_is_anchor_as_a_whole() -> None:
    found = galaxy_of_link(SCHEME, "a bird of prey; an owl", "prey")
    assert [(point.word, point.anchor) for point in found.points] == [("bird of prey", True), ("owl", False)]


def test_an_anchor_that_its_boundary_lacks_counts_in_addition() -> None:
    found = galaxy_of_link(SCHEME, "an owl", "a computer")
    assert [(point.word, point.anchor) for point in found.points] == [("owl", False), ("computer", True)]
    assert found.classes == ("004",)


def test_other_languages_say_nothing_to_an_english_scheme() -> None:
    assert galaxy_of_link(SCHEME, "Die Eule saß auf dem Dach.", "Eule").classes == ()


# -- pages -------------------------------------------------------------------------------------------


def test_title_and_headings_count_as_anchor() -> None:
    page = Page("http://a/", "Owl", ("The wild", "cat"), "A bird and a cat", "en")
    found = galaxy_of_page(SCHEME, page)
    assert [(point.word, point.anchor) for point in found.points] == [
        ("owl", True), ("cat", True), ("bird", False), ("cat", False),
    ]  # fmt: skip
    assert found.classes == ("599",)


def test_several_pages_or_texts_are_one_galaxy() -> None:
    assert galaxy_of_texts(SCHEME, ["an owl", "a temple", "a bird of prey", "birds"]).classes == ("598",)
    assert galaxy_of_texts(SCHEME, []).classes == ()
    pages = [Page("", "Owl", text="bird"), Page("", "God", text="altar")]
    assert len(galaxy_of_pages(SCHEME, pages).points) == 4


def test_only_the_beginning_of_a_huge_page_is_read() -> None:
    page = Page("", "Owl", text="stone " * (LONGEST_TEXT // 6) + " cat" * 1000)
    assert [point.word for point in galaxy_of_page(SCHEME, page).points] == ["owl"]
    huge = Page("", "", ("cat " * 100,) * 10_000, "owl")
    assert len(galaxy_of_page(SCHEME, huge).points) == LONGEST_TEXT // 4 + 1
    assert Predictor(SCHEME).of_page(huge) == ("599",)


# -- the quick way -----------------------------------------------------------------------------------


@given(texts, texts, st.booleans(), st.data())
def test_the_quick_way_gives_the_classes_of_the_explaining_way_for_links(
    boundary: str, other: str, inside: bool, data: st.DataObject
) -> None:
    told = boundary.split()
    first = data.draw(st.integers(0, len(told)))
    anchor = " ".join(told[first : first + data.draw(st.integers(0, 4))]) if inside else other
    quick = Predictor(SCHEME)
    for _ in range(2):
        assert quick.of_link(boundary, anchor) == galaxy_of_link(SCHEME, boundary, anchor).classes
        assert quick.of_link(boundary, "") == galaxy_of_link(SCHEME, boundary, "").classes


@given(texts, st.lists(texts, max_size=3), texts)
def test_the_quick_way_gives_the_classes_of_the_explaining_way_for_pages(
    title: str, headings: list[str], text: str
) -> None:
    page = Page("http://a/", title, tuple(headings), text)
    assert Predictor(SCHEME).of_page(page) == galaxy_of_page(SCHEME, page).classes


@pytest.mark.parametrize(
    ("boundary", "anchor", "classes"),
    [
        ("A bird of prey, a number", "prey", ("598",)),
        ("A bird of prey, a number", "number", ("510",)),
        ("A bird of prey, a number", "a", ("510", "598")),
        ("a rite, a shaman, an owl, a cat", "shaman", ("299",)),
        ("a rite, a shaman, an owl, a cat", "", ("599",)),
    ],
)
def test_the_quick_way_weighs_what_touches_the_anchor(boundary: str, anchor: str, classes: tuple[str, ...]) -> None:
    assert Predictor(SCHEME).of_link(boundary, anchor) == classes
    assert galaxy_of_link(SCHEME, boundary, anchor).classes == classes


class CountingScheme(Scheme):
    """Counts how often it is asked."""

    asked = 0

    def matches(self, told):  # type: ignore[no-untyped-def]
        self.asked += 1
        return super().matches(told)


def test_pages_and_boundaries_are_read_once_and_forgotten_in_the_end() -> None:
    scheme = CountingScheme(SCHEME)
    quick = Predictor(scheme)
    quick.remembered = 3
    pages = [Page("", text=f"owl {number}", digest=b"%d" % number) for number in range(20)]
    for _ in range(3):
        assert quick.of_page(pages[0]) == ("598",)
    once = scheme.asked
    assert quick.of_page(Page("http://elsewhere/", text="owl 0", digest=b"0")) == ("598",)
    assert scheme.asked == once
    for page in pages:
        quick.of_page(page)
    assert len(quick._young) + len(quick._old) <= 6
    asked = scheme.asked
    quick.of_link("an owl", "owl")
    quick.of_link("an owl", "an owl")
    assert scheme.asked == asked + 1
    for number in range(2000):
        quick.of_link(f"an owl {number}", "owl")
    assert len(quick._boundaries) <= 500


def test_a_page_without_digest_is_told_from_others() -> None:
    quick = Predictor(SCHEME)
    assert quick.of_page(Page("", text="owl")) == ("598",)
    assert quick.of_page(Page("", text="cat")) == ("599",)
    assert quick.of_page(Page("", "cat cat", text="owl")) == ("599",)
