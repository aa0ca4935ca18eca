"""Shark-Search: inherited scores that fade, and words with as much say."""

from __future__ import annotations

import pytest
from scored_pages import BIRDS, GOOD, SEQUENTIAL, arrived, link_to, page_of

from lycosa.plugins.plug_points import OFF_TOPIC
from lycosa.records import Link, Score
from lycosa.scoring.baselines.shark_search import ANCHOR_SHARE, DECAY, INHERITED_SHARE, shark_search_link_scorer

NOTHING = Score(0.0, "off topic")


def value_of(link: Link, relevance: Score = GOOD) -> float:
    page = page_of("seed", [link])
    return shark_search_link_scorer(SEQUENTIAL, BIRDS).priorities(page, relevance, page.links)[0].value


def test_an_anchor_about_the_topic_goes_before_one_about_nothing() -> None:
    assert value_of(link_to("a", anchor="eagle and falcon")) > value_of(link_to("a", anchor="click here"))


def test_where_the_anchor_says_nothing_the_words_around_it_count() -> None:
    plain = value_of(link_to("a", anchor="here"))
    assert plain == pytest.approx(INHERITED_SHARE * DECAY * GOOD.value)
    near = value_of(link_to("a", anchor="here", boundary="more about the falcon and the owl here"))
    assert plain < near <= plain + (1 - INHERITED_SHARE) * (1 - ANCHOR_SHARE)


def test_the_formula_of_the_paper_holds() -> None:
    scorer = shark_search_link_scorer(SEQUENTIAL, BIRDS)
    page = page_of("seed", [link_to("a", anchor="falcon")])
    (score,) = scorer.priorities(page, GOOD, page.links)
    anchor = scorer._closeness.of("falcon")
    around = ANCHOR_SHARE * anchor + (1 - ANCHOR_SHARE) * anchor
    assert anchor > 0
    assert score.value == pytest.approx(INHERITED_SHARE * DECAY * GOOD.value + (1 - INHERITED_SHARE) * around)
    assert "anchor" in score.why
    assert "inherited" in score.why


def test_what_is_inherited_fades_with_every_page_that_has_nothing() -> None:
    scorer = shark_search_link_scorer(SEQUENTIAL, BIRDS)
    values = []
    for step in range(3):
        visit = arrived(
            scorer, page_of(str(step), [link_to(str(step + 1), anchor="x")]), GOOD if step == 0 else NOTHING
        )
        values.append(visit.priorities[0].value)
        scorer.learn([visit])
    assert values == pytest.approx([INHERITED_SHARE * GOOD.value * DECAY**power for power in (1, 2, 3)])


def test_of_two_pages_a_link_inherits_from_the_better_one() -> None:
    scorer = shark_search_link_scorer(SEQUENTIAL, BIRDS)
    for name, relevance in (("rich", GOOD), ("poor", NOTHING)):
        scorer.learn([arrived(scorer, page_of(name, [link_to("1")]), relevance)])
    page = page_of("1", [link_to("2")])
    assert scorer.priorities(page, NOTHING, page.links)[0].value == pytest.approx(
        INHERITED_SHARE * GOOD.value * DECAY**2
    )


def test_a_link_without_any_promise_still_waits_with_something() -> None:
    assert value_of(link_to("a"), Score(0.0)) == OFF_TOPIC
