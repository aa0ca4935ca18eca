"""Page scorers beside Okapi: cosine, and a classifier that the crawl trains for itself."""

from __future__ import annotations

import pytest

from lycosa.configuration.sections import Configuration
from lycosa.configuration.sections import Topic as TopicSection
from lycosa.configuration.settings import build
from lycosa.plugins.plug_points import Learner, Topic
from lycosa.records import Fetched, Link, Page, Response, Visit
from lycosa.scoring.pages.classifier import FIRST_TRAINING, classifier_page_scorer
from lycosa.scoring.pages.cosine import cosine_page_scorer
from lycosa.topics.taxonomy_file import shipped

TEXTS = {node.id: node.texts for node in shipped()}
BIRDS = Topic("", TEXTS["birds"][:2])


def page(number: int, text: str) -> Page:
    return Page(f"http://a.org/{number}", text=text, language="en", digest=number.to_bytes(16, "big"))


def visit(number: int, text: str) -> Visit:
    link = Link(f"http://a.org/{number}")
    return Visit(link, Fetched(link, Response(link.url, 200)), page(number, text))


def test_the_cosine_of_a_page_names_its_terms() -> None:
    score = cosine_page_scorer(Configuration(), BIRDS).relevance(page(1, TEXTS["birds"][2]))
    assert 0.05 < score.value <= 1
    assert "bird" in score.why


@pytest.mark.parametrize("maker", [cosine_page_scorer, classifier_page_scorer])
def test_a_page_on_the_topic_is_above_all_others(maker: type) -> None:
    scorer = maker(Configuration(), BIRDS)
    on_topic = scorer.relevance(page(1, TEXTS["birds"][2])).value
    others = [scorer.relevance(page(number, texts[0])).value for number, texts in enumerate(TEXTS.values(), 2)]
    names = list(TEXTS)
    better = [names[place] for place, value in enumerate(others) if value >= on_topic]
    assert set(better) <= {"birds", "life"}


def test_the_classifier_learns_what_the_rest_of_the_web_is_like() -> None:
    scorer = classifier_page_scorer(Configuration(), BIRDS)
    assert isinstance(scorer, Learner)
    others = [text for node, texts in TEXTS.items() if node not in ("birds", "life") for text in texts]
    on_topic = page(1, TEXTS["birds"][2])
    assert "classifier" not in scorer.relevance(on_topic).why
    scorer.learn([visit(number, text) for number, text in enumerate(others[:FIRST_TRAINING], 10)])
    judged = scorer.relevance(on_topic)
    assert "classifier" in judged.why
    assert judged.parts[0].why.startswith("cosine")
    unseen = [scorer.relevance(page(900 + number, text)).value for number, text in enumerate(others[FIRST_TRAINING:])]
    assert sum(value < judged.value for value in unseen) > 0.95 * len(unseen)
    assert judged.value > 0.5


def test_without_examples_the_classifier_stays_with_the_cosine() -> None:
    scorer = classifier_page_scorer(Configuration(), Topic("birds"))
    scorer.learn([visit(number, f"text {number} about trains") for number in range(2 * FIRST_TRAINING)])
    assert "cosine" in scorer.relevance(page(1, "birds")).why


def test_the_page_scorer_suits_what_is_known_of_the_topic() -> None:
    assert Configuration().page_scorer == "okapi"
    assert Configuration(topic=TopicSection(examples=("a.txt",))).page_scorer == "cosine"
    assert build({"relevance": {"scorer": "classifier"}}).page_scorer == "classifier"
