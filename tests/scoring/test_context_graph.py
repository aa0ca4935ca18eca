"""Context graph: layers by distance, a classifier that finds them again, queues that do not overlap."""

from __future__ import annotations

import numpy as np
import pytest
from scored_pages import BIRDS, GOOD, POOR, SEQUENTIAL, arrived, link_to, page_of

from lycosa.records import Page, Score
from lycosa.scoring.baselines.context_graph import FIRST_TRAINING, ContextGraphLinkScorer, context_graph_link_scorer
from lycosa.scoring.baselines.link_distances import LAYERS, CrawledPage, layers_of, trained_on
from lycosa.scoring.naive_bayes import Bags

TEXTS = (
    "eagle falcon owl feather",
    "forest reserve valley lake",
    "travel region hotel map",
    "bulletin weather sport column",
)


def a_page(layer: int, number: int) -> Page:
    """Page `number` of a layer links to the page of the same number one layer nearer."""
    links = [link_to(f"{layer - 1}-{number}")] if layer else [link_to(f"new-{number}")]
    return page_of(f"{layer}-{number}", links, text=f"{TEXTS[layer]} {TEXTS[layer]} w{number}")


def test_layers_are_distances_to_the_nearest_relevant_page() -> None:
    pages = [CrawledPage.of(a_page(layer, 1), GOOD.value if layer == 0 else 0.0) for layer in (3, 1, 0, 2)]
    far = CrawledPage.of(page_of("far", [link_to("3-1")]), 0.0)
    lost = CrawledPage.of(page_of("lost"), 0.0)
    assert layers_of([*pages, far, lost], 0.5).tolist() == [3, 1, 0, 2, LAYERS, LAYERS]


def test_the_nearest_of_several_relevant_pages_counts() -> None:
    both = page_of("both", [link_to("0-1"), link_to("2-1")])
    pages = [CrawledPage.of(a_page(layer, 1), GOOD.value if layer == 0 else 0.0) for layer in (0, 1, 2)]
    assert layers_of([*pages, CrawledPage.of(both, 0.0)], 0.5)[-1] == 1


def test_a_classifier_finds_the_layer_of_a_page_by_its_words() -> None:
    pages = [CrawledPage.of(a_page(layer, number), 0.0) for layer in range(LAYERS) for number in range(5)]
    bayes = trained_on(pages, np.repeat(np.arange(LAYERS), 5))
    new = [CrawledPage.of(page_of("new", text=text), 0.0) for text in TEXTS]
    posteriors = bayes.posteriors(Bags([page.places for page in new], [page.weights for page in new]))
    assert posteriors.argmax(axis=1).tolist() == list(range(LAYERS))
    assert posteriors.sum(axis=1) == pytest.approx(np.ones(LAYERS))


def trained() -> ContextGraphLinkScorer:
    scorer = context_graph_link_scorer(SEQUENTIAL, BIRDS)
    for number in range(FIRST_TRAINING // LAYERS):
        for layer in range(LAYERS):
            scorer.learn([arrived(scorer, a_page(layer, number), GOOD if layer == 0 else Score(0.05))])
    return scorer


def test_before_training_links_go_by_their_page() -> None:
    scorer = context_graph_link_scorer(SEQUENTIAL, BIRDS)
    page = page_of("seed", [link_to("a")])
    (score,) = scorer.priorities(page, POOR, page.links)
    assert score.value == pytest.approx(POOR.value)
    assert "no layers yet" in score.why


def test_links_of_nearer_layers_go_first_and_unknown_pages_last() -> None:
    scorer = trained()
    texts = [*TEXTS[1:], "zither quark yonder"]
    scores = [scorer.priorities(page_of("new", [link_to("x")], text), Score(0.05), [link_to("x")])[0] for text in texts]
    values = [scorer.priorities(page_of("new", [link_to("x")]), GOOD, [link_to("x")])[0].value]
    values += [score.value for score in scores]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == len(values)
    assert "queue 1" in scores[0].why
    assert "no layer" in scores[-1].why


def test_after_training_waiting_links_move_to_the_queue_of_their_page() -> None:
    moved = dict(trained().revised())
    fresh = [url for url in moved if "new-" in url]
    assert len(fresh) == FIRST_TRAINING // LAYERS
    assert all("queue 0" in moved[url].why for url in fresh)
    assert not [url for url in moved if "/1-" in url]


def test_nothing_is_trained_without_relevant_pages() -> None:
    scorer = context_graph_link_scorer(SEQUENTIAL, BIRDS)
    scorer.learn([arrived(scorer, a_page(1, number), POOR) for number in range(FIRST_TRAINING + 1)])
    assert not list(scorer.revised())


def test_pages_and_links_are_remembered_within_bounds() -> None:
    scorer = ContextGraphLinkScorer(0.5, most_pages=20, most_waiting=30)
    for number in range(150):
        links = [link_to(f"{number}/{child}") for child in range(5)]
        scorer.learn([arrived(scorer, page_of(str(number), links, "eagle"), GOOD)])
        list(scorer.revised())
    assert len(scorer._pages) == 20
    assert len(scorer._waiting) <= 30
