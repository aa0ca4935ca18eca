"""A decimal classification reads, finds its numbers, knows its phrases, and says what is wrong with a file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.settings import ConfigurationError
from lycosa.text import stems, stop_words, words
from lycosa.topics.classification.scheme import ClassLine, Scheme, digits_of, written
from lycosa.topics.classification.scheme_file import read_classes, scheme_of, shipped_classes

SMALL = """\
# A few classes, in no order.
7\tArts\tart; painting
746.92\tClothes as an art\tfashion; haute couture
746\tTextile arts
5\tScience\tscience
59\tAnimals\tanimal

598\tBirds\tbird; bird of prey; owl; prey bird park; goose; geese; the owl of fog; a prey
6\tApplied science\tbird of prey centre
599\tMammals\twhale; animal; of a whale; of; the of
0\tKnowledge and computing
004\tComputing\tcomputer; open-source software
"""


@pytest.fixture(scope="module")
def small() -> Scheme:
    return scheme_of([("small.tsv", SMALL)])


def found(scheme: Scheme, text: str) -> list[tuple[str, str]]:
    return [(point.word, point.number) for point in scheme.points(words(text))]


# -- numbers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "digits"), [("5", "5"), ("004", "004"), ("746.92", "74692"), (" 598 ", "598")])
def test_the_digits_count_and_the_dot_is_for_people(number: str, digits: str) -> None:
    assert digits_of(number) == digits
    assert written(digits) == number.strip()


def test_a_class_is_found_with_and_without_its_dot(small: Scheme) -> None:
    assert small.find("746.92") is small.find("74692")
    assert small.find("746.92").written == "746.92"
    assert len(small.find("746.92").number) == 5
    assert "746.92" in small
    assert "747" not in small
    assert len(small) == 10


def test_the_caption_of_an_unknown_number_is_that_of_the_nearest_above(small: Scheme) -> None:
    assert small.caption("598") == "Birds"
    assert small.caption("598.97") == "Birds"
    assert small.caption("593") == "Animals"
    assert small.caption("3") == ""


def test_the_path_leads_from_the_main_class_down(small: Scheme) -> None:
    assert small.path("598") == "5 Science > 59 Animals > 598 Birds"
    assert small.path("746.92") == "7 Arts > 746 Textile arts > 746.92 Clothes as an art"
    assert small.path("593") == "5 Science > 59 Animals > 593 Animals"


def test_an_unknown_class_is_refused_with_those_near_it(small: Scheme) -> None:
    with pytest.raises(ConfigurationError) as error:
        small.find("597")
    assert str(error.value) == "there is no class 597; near it are 59 Animals, 598 Birds, 599 Mammals"
    with pytest.raises(ConfigurationError, match=r"there is no class 746\.93; near it are 746 Textile arts"):
        small.find("746.93")
    with pytest.raises(ConfigurationError, match="there is no class 3; near it are 5 Science"):
        small.find("3")


@pytest.mark.parametrize("number", ["", "birds", "5-9", "٥", "5 9", "."])
def test_what_is_no_number_is_refused_with_an_example(small: Scheme, number: str) -> None:
    with pytest.raises(ConfigurationError, match=r"is no class number; write its digits, such as 598 or 746\.92"):
        small.find(number)


# -- words ------------------------------------------------------------------------------------------


def test_words_are_matched_by_their_stems(small: Scheme) -> None:
    assert found(small, "Two OWLS, three geese; a Painting.") == [("owls", "598"), ("geese", "598"), ("painting", "7")]


def test_a_word_has_a_point_for_each_of_its_classes(small: Scheme) -> None:
    assert found(small, "animals") == [("animals", "59"), ("animals", "599")]
    assert small.numbers("Animals") == ("59", "599")


def test_the_longest_phrase_wins_over_shorter_ones_and_over_its_words(small: Scheme) -> None:
    assert found(small, "birds of prey") == [("birds of prey", "598")]
    assert found(small, "a bird of prey centre") == [("bird of prey centre", "6")]
    assert found(small, "a bird for paradise") == [("bird", "598")]
    assert found(small, "birds of prey bird park") == [("birds of prey", "598"), ("bird", "598")]


def test_a_word_that_only_begins_a_phrase_has_no_class_alone(small: Scheme) -> None:
    assert found(small, "haute cuisine, prey owls")[:-1] == []
    assert found(small, "haute") == []
    assert found(small, "prey bird park") == [("prey bird park", "598")]


def test_a_phrase_may_begin_with_a_word_of_every_sentence(small: Scheme) -> None:
    assert found(small, "The owl of fog") == [("the owl of fog", "598")]
    assert found(small, "the owl; of a whale") == [("owl", "598"), ("of a whale", "599")]
    assert found(small, "bird of a whale") == [("bird", "598"), ("of a whale", "599")]
    assert found(small, "bird of prey of the") == [("bird of prey", "598"), ("of", "599")]


def test_hyphens_are_word_borders(small: Scheme) -> None:
    assert found(small, "open source software, open-source-software") == [
        ("open source software", "004"),
        ("open source software", "004"),
    ]


def test_a_phrase_that_touches_the_anchor_counts_as_anchor(small: Scheme) -> None:
    told = words("an owl is a bird of prey and no whale")
    assert [point.anchor for point in small.points(told, (6, 7))] == [False, True, False]
    assert [point.anchor for point in small.points(told, (7, 8))] == [False, False, False]
    assert [point.anchor for point in small.points(told, (0, 5))] == [True, True, False]
    assert not any(point.anchor for point in small.points(told))


def test_the_share_of_known_words_counts_the_words_of_phrases(small: Scheme) -> None:
    assert small.share_known("The owl is a bird of prey") == pytest.approx(4 / 7)
    assert small.share_known("") == 0.0


def test_another_language_has_its_own_stems() -> None:
    scheme = scheme_of([("tiere.tsv", "59\tTiere\tVogel; Vögel; Hunde")], language="de")
    assert found(scheme, "Hund und Vögeln") == [("hund", "59"), ("vögeln", "59")]


VOCABULARY = [
    "the",
    "a",
    "owl",
    "owls",
    "bird",
    "of",
    "prey",
    "centre",
    "park",
    "fog",
    "whale",
    "animal",
    "haute",
    "couture",
]


@given(st.lists(st.sampled_from(VOCABULARY), max_size=30))
def test_matching_agrees_with_trying_every_phrase_at_every_place(told: list[str]) -> None:
    scheme = scheme_of([("small.tsv", SMALL)])
    stem = stems()
    index: dict[tuple[str, ...], set[str]] = {}
    for line in scheme:
        for phrase in line.phrases:
            index.setdefault(tuple(map(stem, words(phrase))), set()).add(line.number)
    expected: list[tuple[str, str]] = []
    at = 0
    while at < len(told):
        sizes = [size for size in range(6, 0, -1) if tuple(map(stem, told[at : at + size])) in index]
        size = min(sizes[0], len(told) - at) if sizes else 1
        known = index.get(tuple(map(stem, told[at : at + size])), set())
        expected += [(" ".join(told[at : at + size]), number) for number in sorted(known)]
        at += size
    assert [(point.word, point.number) for point in scheme.points(told)] == expected


def test_huge_words_are_not_remembered() -> None:
    scheme = scheme_of([("small.tsv", SMALL)])
    assert scheme.points(["owl", "x" * 10_000, "bird", "of", "y" * 10_000]) == scheme.points(["owl", "", "bird", "of"])
    assert max(map(len, scheme._phrases._stems)) < 100


# -- files ------------------------------------------------------------------------------------------


def test_a_file_reads_line_by_line() -> None:
    lines = read_classes("\ufeff598\tBirds\tbird; owl;\r\n\n# no class\n746.92\tClothes\n", "own.tsv")
    assert lines == [
        ClassLine("598", "Birds", ("bird", "owl"), "own.tsv:1"),
        ClassLine("74692", "Clothes", (), "own.tsv:4"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("598 Birds", r"own.tsv:2: there is no tab behind '598 Birds'; write NUMBER, a tab, CAPTION"),
        ("598\tBirds\towl\teagle", r"own.tsv:2: there are 4 fields instead of three; write NUMBER"),
        ("B98\tBirds", r"own.tsv:2: the number 'B98' is not possible; write one to three digits"),
        ("5982\tBirds", r"the number '5982' is not possible; .* dot behind the third"),
        ("59.82\tBirds", r"the number '59.82' is not possible"),
        ("598.\tBirds", r"the number '598.' is not possible"),
        ("٥٩٨\tBirds", r"is not possible"),
        ("598.1234567890\tBirds", r"is not possible; .* up to 12 in all"),
        ("\tBirds", r"the number '' is not possible"),
        ("598\t \towl", r"own.tsv:2: class 598 has an empty caption; say"),
        ("598\tBirds\towl; --; eagle", r"own.tsv:2: words: '--' has no letter or digit; remove it"),
        ("598\tBirds\towl;; eagle", r"own.tsv:2: words: '' has no letter or digit; remove it"),
        ("598\tBirds\ta b c d e f g h i", r"own.tsv:2: words: 'a b c d e f g h i' is too long; use at most 8 words"),
        ("598\tBirds\t" + "x" * 61, r"is too long; use at most 8 words of 60 letters"),
        ("5\tScience again", r"class 5 is there twice, at own.tsv:1 and at own.tsv:2; join the two lines into one"),
    ],
)
def test_a_wrong_line_is_refused_with_its_place_and_what_to_do(line: str, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        scheme_of([("own.tsv", f"5\tScience\n{line}\n")])


def test_a_class_in_two_files_is_refused_with_both_places() -> None:
    with pytest.raises(ConfigurationError, match=r"class 746\.92 is there twice, at a\.tsv:1 and at b\.tsv:2; join"):
        scheme_of([("a.tsv", "746.92\tClothes"), ("b.tsv", "7\tArts\n746.92\tFashion")])


@pytest.mark.parametrize("sources", [[], [("empty.tsv", "# nothing\n\n")]])
def test_a_file_without_a_class_is_refused(sources: list[tuple[str, str]]) -> None:
    with pytest.raises(ConfigurationError, match="there is no class in it; write NUMBER"):
        scheme_of(sources)


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("\t\n;59. #"), max_size=80))
def test_any_text_is_read_or_refused_with_its_place(text: str) -> None:
    reason, lines = "", []
    try:
        lines = read_classes(text, "any.tsv")
    except ConfigurationError as error:
        reason = str(error)
    assert not reason or reason.startswith("any.tsv:")
    assert all(line.caption and digits_of(line.written) == line.number for line in lines)


# -- the classification that is shipped ---------------------------------------------------------------


def test_the_shipped_classes_are_complete_and_every_section_has_words() -> None:
    scheme = shipped_classes()
    wanted = {f"{number:0{size}d}" for size in (1, 2, 3) for number in range(10**size)}
    assert wanted <= {line.number for line in scheme}
    speaking = {line.number[:3] for line in scheme if line.phrases}
    assert sum(f"{number:03d}" in speaking for number in range(1000)) >= 900
    assert len({line.caption for line in scheme}) >= 0.9 * len(scheme)


def test_no_stop_word_of_english_is_an_entry_of_the_shipped_index() -> None:
    scheme = shipped_classes()
    assert [word for word in sorted(stop_words()["en"]) if scheme.numbers(word)] == []


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("computer", "00"), ("psychology", "15"), ("church", "2"), ("parliament", "32"), ("grammar", "4"),
        ("theorem", "51"), ("galaxy", "52"), ("owl", "598"), ("surgeon", "61"), ("locomotive", "6"),
        ("symphony", "78"), ("novel", "8"), ("napoleon", "9"), ("football", "79"),
    ],
)  # fmt: skip
def test_common_words_have_the_class_that_a_librarian_would_give(word: str, number: str) -> None:
    assert any(each.startswith(number) for each in shipped_classes().numbers(word))
