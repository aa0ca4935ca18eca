"""The class of a topic in words means something only where the words are known and agree."""

from __future__ import annotations

import pytest

from lycosa.configuration.sections import Configuration, Topic
from lycosa.crawl_folder.class_scheme import classes_told
from lycosa.plugins.plug_points import Topic as LookedFor
from lycosa.scoring.links.treasure_exact import _classes_of
from lycosa.topics.classification.scheme_file import scheme_in
from lycosa.topics.classification.topic_class import topic_class

OWN = (("own.tsv", "1\tMind\tdreams\n5\tNature\tanimal\n59\tFeathered\tbird; wing; bill\n6\tTrade\tbill; law\n"
        "63\tTimber\tlog\n64\tKitchens\tpan; stove\n"),)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "known", "classes"),
    [
        ("write-ahead log", False, ()),
        ("the log of a", True, ("63",)),
        ("log files", True, ("63",)),
        ("log files online", False, ()),
        ("bird wing", True, ("59",)),
        ("bird dreams", True, ()),
        ("bird wing dreams", True, ("59",)),
        ("bird dreams pan", True, ()),
        ("bird bill", True, ("59",)),
        ("bill", True, ("59",)),
        ("of the", False, ()),
        ("", False, ()),
    ],
)
def test_a_class_is_gone_by_where_words_are_known_and_agree_or_most_speak_for_it(
    words: str, known: bool, classes: tuple[str, ...]
) -> None:
    found = topic_class(scheme_in(OWN), words)
    assert (found.known, found.classes) == (known, classes)


def test_of_the_shipped_classes_a_log_is_no_forest_and_birds_are_birds() -> None:
    assert not topic_class(scheme_in(), "write-ahead log").known
    assert topic_class(scheme_in(), "wolf spiders").classes == ("595",)


def test_what_is_told_is_nothing_a_question_or_a_sentence() -> None:
    def told(words: str, *examples: str) -> str:
        return classes_told(Configuration(topic=Topic(words=words)), OWN, [words, *examples])

    assert told("write-ahead log") == ""
    assert told("bird dreams").endswith("Its words disagree, so no class is gone by; name one with --class")
    assert told("bird dreams").startswith("is the topic's class ")
    assert told("bird wing") == "the topic's class, by its words, is 59 Feathered; name others with --class"
    assert "by its words, is 59" in told("bird dreams", "A bird has a wing and a wing. " * 3)


def test_the_exact_strategy_goes_by_sure_classes_alone() -> None:
    scheme = scheme_in(OWN)
    assert _classes_of(LookedFor("bird dreams"), scheme) == ()
    assert _classes_of(LookedFor("bird wing"), scheme) == ("59",)
    assert _classes_of(LookedFor("bird dreams", ("A bird and its wing",)), scheme) == ("59",)
