"""Link classifier: it learns which words of links lead to relevant pages, and judges the waiting ones again."""

from __future__ import annotations

import numpy as np
import pytest
from scored_pages import BIRDS, GOOD, POOR, SEQUENTIAL, arrived, failed, link_to, page_of

from lycosa.records import Link
from lycosa.scoring.baselines.link_classifier import (
    FIRST_TRAINING,
    SAMPLES_PER_CLASS,
    LinkClassifier,
    LinkClassifierLinkScorer,
    link_classifier_link_scorer,
)
from lycosa.scoring.baselines.link_features import LinkFeatures


def eagle(number: int) -> Link:
    return link_to(f"birds/{number}", parent="http://a.org/", anchor="eagle", boundary="about the eagle in the hills")


def tax(number: int) -> Link:
    return link_to(f"money/{number}", parent="http://a.org/", anchor="tax form", boundary="fill in the tax form here")


def trained() -> LinkClassifierLinkScorer:
    scorer = link_classifier_link_scorer(SEQUENTIAL, BIRDS)
    scorer.learn([arrived(scorer, page_of("seed", [eagle(1000), tax(1000)]), POOR)])
    for number in range(FIRST_TRAINING // 2):
        for link, relevance in ((eagle(number), GOOD), (tax(number), POOR)):
            scorer.learn([arrived(scorer, page_of(link.url.removeprefix("http://a.org/")), relevance, link)])
    return scorer


def test_the_same_word_is_another_feature_in_url_anchor_and_paragraph() -> None:
    features = LinkFeatures()
    found = [
        features.of(link)
        for link in (link_to("falcon"), link_to("1", anchor="falcon"), link_to("1", boundary="the falcon"))
    ]
    shared = set(found[0].tolist()) & set(found[1].tolist()) & set(found[2].tolist())
    assert shared == set(features.of(link_to("")).tolist())
    assert len({tuple(each.tolist()) for each in found}) == 3


def test_of_a_long_paragraph_the_words_nearest_to_the_anchor_count() -> None:
    features = LinkFeatures()
    filler = " ".join(f"word{number}" for number in range(100))
    link = link_to("a", anchor="eagle", boundary=f"falcon {filler} owl eagle wing")
    around = set(features.of(link).tolist())
    assert set(features.of(link_to("a", boundary="owl wing")).tolist()) <= around
    assert not set(features.of(link_to("a", boundary="falcon")).tolist()) <= around


def test_before_training_links_go_by_their_page() -> None:
    scorer = link_classifier_link_scorer(SEQUENTIAL, BIRDS)
    page = page_of("seed", [eagle(1)])
    (score,) = scorer.priorities(page, POOR, page.links)
    assert score.value == pytest.approx(POOR.value)
    assert "no classifier yet" in score.why


def test_after_training_links_go_by_their_words() -> None:
    scorer = trained()
    page = page_of("x", [tax(7777), eagle(7777)])
    poor, good = scorer.priorities(page, POOR, page.links)
    assert good.value > 0.5 > poor.value
    assert "classifier" in good.why


def test_waiting_links_are_judged_again_once_after_a_training() -> None:
    scorer = trained()
    again = dict(scorer.revised())
    assert set(again) == {eagle(1000).url, tax(1000).url}
    assert again[eagle(1000).url].value > again[tax(1000).url].value
    assert not list(scorer.revised())


def test_without_samples_of_both_kinds_there_is_nothing_to_learn() -> None:
    scorer = link_classifier_link_scorer(SEQUENTIAL, BIRDS)
    for number in range(FIRST_TRAINING * 2):
        scorer.learn([arrived(scorer, page_of(f"birds/{number}"), GOOD, eagle(number)), failed(str(number))])
    assert not list(scorer.revised())


def test_samples_and_waiting_links_are_bounded() -> None:
    classifier = LinkClassifier()
    for number in range(SAMPLES_PER_CLASS + 100):
        classifier.note(np.array([number], np.int32), relevant=True)
    assert len(classifier._samples[1]) == SAMPLES_PER_CLASS
    scorer = LinkClassifierLinkScorer(0.5, most_waiting=50)
    scorer.learn([arrived(scorer, page_of("seed", [eagle(number) for number in range(500)]), GOOD)])
    assert len(scorer._waiting) <= 50
