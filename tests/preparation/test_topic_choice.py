"""Words, a node of the taxonomy, or documents: what a crawl is to look for, and where it begins."""

from __future__ import annotations

import pytest

from lycosa.preparation.topic_choice import choose_topic
from lycosa.topics.taxonomy import AmbiguousName, Node, Taxonomy, TaxonomyError
from lycosa.topics.taxonomy_file import shipped

SMALL = Taxonomy(
    [
        Node("life", "Life", description="living things", texts=("cells and genes",), pages=("https://life.example/",)),
        Node("birds", "Birds", "life", "feathered animals", texts=("a heron",), pages=("https://birds.example/",)),
        Node("games", "Games", description="play", texts=("chess",)),
        Node("card-birds", "Birds", "games", "a card game", texts=("cards with birds",)),
    ]
)


def test_words_that_name_no_node_are_just_words() -> None:
    choice = choose_topic(SMALL, "wolf spiders", ())
    assert (choice.words, choice.texts, choice.pages) == ("wolf spiders", (), ())


@pytest.mark.parametrize(
    "words",
    ["U.S. history", "birds of Lake A/B", "wolves. Spiders", "bears and / or wolves", "and/or " * 21, ".net 4.8"],
)
def test_dots_and_slashes_alone_make_no_path(words: str) -> None:
    assert choose_topic(SMALL, words, ()).words == words


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("subject.Science.Nonexistent", "see `lycosa topics show`"),
        ("subject.Science.Birds", "did you mean 'Life.Birds' or 'Games.Birds'?"),
        ("Life/Brids", "did you mean 'Life.Birds'"),
        ("Life.Sea birds", "did you mean 'Life.Birds'"),
    ],
)
def test_the_path_of_no_topic_is_refused_with_those_like_it(path: str, near: str) -> None:
    with pytest.raises(TaxonomyError) as told:
        choose_topic(SMALL, path, ())
    words = path.replace(".", " ").replace("/", " ")
    assert str(told.value).startswith(f"no topic is called {path!r}; {near}")
    assert str(told.value).endswith(f"(to look for words, write them apart: {words!r})")
    assert choose_topic(SMALL, words, ()).words == words


def test_a_node_stands_for_itself_and_all_below_it() -> None:
    choice = choose_topic(SMALL, "life", ())
    assert choice.words == "Life. living things"
    assert choice.texts == ("cells and genes", "a heron")
    assert choice.pages == ("https://life.example/", "https://birds.example/")


def test_a_name_of_two_nodes_is_refused_with_the_choices() -> None:
    with pytest.raises(AmbiguousName, match=r"Life\.Birds.*Games\.Birds"):
        choose_topic(SMALL, "Birds", ())


def test_documents_bring_the_pages_of_the_node_they_fit() -> None:
    taxonomy = shipped().with_page("birds", "https://birds.example/")
    document = shipped()["birds"].texts[0]
    choice = choose_topic(taxonomy, "", [document])
    assert "https://birds.example/" in choice.pages
    assert "Birds" in choice.told


def test_documents_that_fit_nothing_bring_nothing() -> None:
    choice = choose_topic(shipped(), "", ["zxqv wklt brrn " * 30])
    assert choice.pages == ()
    assert "no topic" in choice.told
