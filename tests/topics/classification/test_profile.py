import re

import numpy as np
import pytest

from lycosa.lexicon import running
from lycosa.records import Page
from lycosa.text import END, words
from lycosa.topics.classification.profile import Profiles, closeness, profiles
from lycosa.topics.classification.scheme_file import scheme_of

OWN = "5\tNature\tnature\n59\tAnimals\tanimal\n598\tBirds\towl; hawk; birds of prey\n78\tMusic\tsong; owl\n"


def made() -> Profiles:
    return Profiles(scheme_of([("own", OWN)]), ["owl", "song", "nothing"])


def test_texts_without_a_common_word_are_close_when_their_classes_are() -> None:
    maker = made()
    hawk, prey, song = (maker.of_text(text) for text in ("a hawk", "birds of prey", "a song"))
    assert closeness(hawk, prey) == pytest.approx(1.0)
    assert closeness(hawk, song) == 0.0
    assert 0 < closeness(hawk, maker.of_text("an animal")) < 1, "a class is near to the one above it"


def test_a_word_of_several_classes_is_parted_among_them() -> None:
    maker = made()
    owl = maker.of_text("owl")
    assert 0 < closeness(owl, maker.of_text("hawk")) < 1
    assert 0 < closeness(owl, maker.of_text("song")) < 1


def test_many_texts_at_once_are_as_close_as_one_by_one() -> None:
    maker = profiles()
    topic = maker.of_topic(["Owls and eagles are birds of prey that build nests."])
    texts = ["the owl", "", "a steam locomotive on rails", "xyzzy", "nest of the eagle and its eggs", "the owl"]
    one_by_one = [closeness(maker.of_text(text), topic) for text in texts]
    assert maker.closeness_of(running(texts), topic) == pytest.approx(one_by_one, abs=1e-6)
    assert one_by_one[0] > one_by_one[2]
    assert maker.closeness_of(running([]), topic).tolist() == []


def test_phrases_do_not_reach_from_one_text_into_the_next() -> None:
    maker = made()
    apart = maker.closeness_of(running(["birds", "of prey"]), maker.of_text("hawk"))
    assert apart.tolist() == [0.0, 0.0]
    told = running(["birds of", "prey"])
    assert [told.lexicon.words[number] for number in told.numbers] == ["birds", "of", END, "prey", END]
    assert told.owners.tolist() == [0, 0, 0, 1, 1]


def test_classes_that_a_person_named_count_as_much_as_the_texts() -> None:
    maker = made()
    both = maker.of_topic(["a song"], ["598"])
    assert closeness(maker.of_text("hawk"), both) > 0.5
    assert closeness(maker.of_text("song"), both) > 0.5
    assert maker.of_topic([], []).sum() == 0
    assert maker.shared(maker.of_text("hawk"), both)[0] in ("598", "59", "5")


def test_a_page_has_one_profile_however_often_it_is_asked_for() -> None:
    maker = made()
    page = Page("http://a.test/", "Owl", text="hawk", digest=b"x")
    assert maker.of_page(page) is maker.of_page(page)
    assert np.allclose(maker.of_page(page), maker.of_text("Owl hawk"))


@pytest.mark.parametrize(
    "text", ["Größe und Maß", "naïve owls—hawks", "plain ascii_text x2", "ÅÄÖ/İstanbul", "a\u0301b"]
)
def test_words_of_mixed_text_are_those_of_the_plain_rule(text: str) -> None:
    assert words(text) == re.findall(r"[^\W_]+", text.lower())
