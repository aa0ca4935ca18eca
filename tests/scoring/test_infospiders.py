"""InfoSpiders: they follow words that proved good, divide where there is food and die where there is none."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from scored_pages import BIRDS, GOOD, POOR, SEQUENTIAL, arrived, failed, link_to, page_of
from small_web import SETTINGS, SmallWeb, crawl

from lycosa.records import Score
from lycosa.scoring.baselines.chosen_links import ABOVE_ALL
from lycosa.scoring.baselines.infospiders import (
    DIVIDING_ENERGY,
    MOST_SPIDERS,
    InfoSpidersLinkScorer,
    infospiders_link_scorer,
)
from lycosa.scoring.baselines.spider import LOCAL_LINKS, MOST_KEYWORDS, Prospect, Spider, prospects_of


def test_terms_count_the_more_the_nearer_they_stand_to_a_link() -> None:
    link = link_to("a", anchor="eagle", boundary="nest falcon eagle wing")
    (prospect,) = prospects_of(page_of("seed"), 1.0, [link])
    assert prospect.near["eagl"] == 1.0
    assert prospect.near["falcon"] == prospect.near["wing"] == pytest.approx(1 / 2)
    assert prospect.near["nest"] == pytest.approx(1 / 3)


def test_a_spider_picks_appealing_links_more_often() -> None:
    random, picked = Random(1), Counter()
    for _ in range(200):
        spider = Spider({"eagl": 1.0}, 1.0, 3.0)
        spider.see([Prospect("good", 0.5, {"eagl": 1.0}), Prospect("poor", 0.5, {"bread": 1.0})])
        picked[spider.pick(random).url] += 1
    assert picked["good"] > 2 * picked["poor"] > 0


def test_tasting_brings_the_estimate_closer_to_what_was_found() -> None:
    spider, near = Spider({"eagl": 0.5, "owl": 0.5}, 1.0, 1.0), {"eagl": 1.0, "bread": 1.0}
    for _ in range(100):
        spider.taste(near, 0.0)
    assert spider.estimate(near) == pytest.approx(0.0, abs=0.01)
    assert spider.weights["owl"] == 0.5


def test_a_young_spider_has_half_the_energy_and_one_more_word() -> None:
    spider = Spider({"eagl": 0.5}, 3.0, 1.0)
    young = spider.offspring(page_of("seed", text="kestrel kestrel kestrel hovering"), Random(1))
    assert young.energy == spider.energy == 1.5
    assert set(young.weights) - set(spider.weights) == {"kestrel"}


def test_the_choice_of_a_spider_waits_above_all_and_says_why() -> None:
    scorer = infospiders_link_scorer(SEQUENTIAL, BIRDS)
    page = page_of("seed", [link_to("a", anchor="eagle"), link_to("b", anchor="tax forms")])
    visit = arrived(scorer, page, GOOD)
    assert all(score.value < ABOVE_ALL for score in visit.priorities)
    scorer.learn([visit])
    ((url, score),) = scorer.revised()
    assert url in {link.url for link in page.links}
    assert score.value >= ABOVE_ALL
    assert "spider" in score.why
    assert not list(scorer.revised())


def test_spiders_multiply_on_food_within_bounds_and_starve_without() -> None:
    scorer = InfoSpidersLinkScorer(BIRDS, 0.5, ahead=8)
    wanted: list[str] = ["seed"]
    number = 0
    for relevance, steps in ((GOOD, 400), (Score(0.0), 1500)):
        for _ in range(steps):
            if not wanted:
                break
            name, number = wanted.pop(), number + 1
            links = [link_to(f"{number}-{child}", anchor="eagle") for child in range(3)]
            scorer.learn([arrived(scorer, page_of(name, links), relevance)])
            wanted = [url.removeprefix("http://a.org/") for url, score in scorer.revised() if score.value > 1] + wanted
        if relevance is GOOD:
            assert 8 < scorer.population <= MOST_SPIDERS
    assert scorer.population < 8


def test_a_spider_keeps_few_links_and_words_in_mind() -> None:
    spider = Spider({"eagl": 0.5}, 1.0, 1.0)
    spider.see([Prospect(str(number), 0.0, {"eagl": number / 1000}) for number in range(1000)])
    assert len(spider.links) == LOCAL_LINKS
    assert "999" in spider.links
    for number in range(50):
        spider = spider.offspring(page_of("seed", text=f"word{number}"), Random(number))
    assert len(spider.weights) <= MOST_KEYWORDS


def test_a_choice_that_leads_nowhere_leaves_the_spider_alive_to_choose_again() -> None:
    scorer = infospiders_link_scorer(SEQUENTIAL, BIRDS)
    scorer.learn([arrived(scorer, page_of("seed", [link_to("a"), link_to("b")]), GOOD)])
    ((first, _),) = scorer.revised()
    scorer.learn([failed(first.removeprefix("http://a.org/"))])
    ((second, _),) = scorer.revised()
    assert second != first
    assert DIVIDING_ENERGY > 1


def test_links_that_wait_unchosen_go_by_their_page() -> None:
    scorer = infospiders_link_scorer(SEQUENTIAL, BIRDS)
    page = page_of("seed", [link_to("a")])
    assert scorer.priorities(page, POOR, page.links)[0].value == pytest.approx(POOR.value)


def test_two_crawls_with_the_same_topic_are_the_same() -> None:
    web = SmallWeb(3)
    first, second = (crawl(web, infospiders_link_scorer(SETTINGS, BIRDS), web.urls[:2], 120).urls for _ in range(2))
    assert first == second
