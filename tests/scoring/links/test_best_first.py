"""Best-first: links of a good page before links of a poor one, and none with nothing."""

from __future__ import annotations

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import Topic
from lycosa.records import Link, Page, Score
from lycosa.scoring.baselines.breadth_first import breadth_first_link_scorer
from lycosa.scoring.links.best_first import OFF_TOPIC, best_first_link_scorer

LINKS = [Link("http://a.org/1", depth=1), Link("http://a.org/2", depth=3)]


def test_a_link_is_as_promising_as_its_page() -> None:
    scorer = best_first_link_scorer(Configuration(), Topic("birds"))
    scores = scorer.priorities(Page("http://a.org/"), Score(0.7), LINKS)
    assert [score.value for score in scores] == [0.7, 0.7]
    assert "0.700" in scores[0].why


def test_an_off_topic_link_waits_with_little_but_never_with_nothing() -> None:
    scorer = best_first_link_scorer(Configuration(), Topic("birds"))
    assert [score.value for score in scorer.priorities(Page("http://a.org/"), Score(0.0), LINKS)] == [OFF_TOPIC] * 2


def test_breadth_first_goes_by_depth() -> None:
    scorer = breadth_first_link_scorer(Configuration(), Topic("birds"))
    near, far = scorer.priorities(Page("http://a.org/"), Score(0.7), LINKS)
    assert near.value > far.value
