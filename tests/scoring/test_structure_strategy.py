"""The strategy `structure`: pages built like the samples match, and links that lead to such pages go first."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from lycosa.configuration import settings
from lycosa.configuration.settings import ConfigurationError
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.plugins.plug_points import Topic
from lycosa.records import Failed, Fetched, Link, Page, Response, Score, Visit
from lycosa.scoring.links.hit_rates import LinkRates, address_kinds, place_kinds
from lycosa.scoring.links.structure import StructureLinkScorer
from lycosa.scoring.pages.match_threshold import between_heaps
from lycosa.scoring.pages.sample_template import one_template_each
from lycosa.scoring.pages.structure import MATCHES, stretched, structure_of
from lycosa.scoring.strategy import Strategy, strategy_of

SITE = "http://site.test"
FRAME = "html(head(title link link) body(header(nav(ul(li(a) li(a) li(a)))) main({}) footer(p(a) p)))"
ITEM, LIST = "li(h3 p)", "ul({})"
SETTINGS = settings.build({"strategy": "structure"})


def article(parts: int) -> bytes:
    """A page of paragraphs and notes, longer or shorter."""
    return _code("article(h1 " + "section(h2 p(a) p aside(p)) " * parts + ")")


def entry(rows: int) -> bytes:
    """A page with a table and a definition list."""
    return _code("h1 table(tbody(" + "tr(th td) " * rows + ")) dl(" + "dt dd(p) " * rows + ") figure(img figcaption)")


def listing(items: int) -> bytes:
    return _code("h1 ol(" + "li(a strong) " * items + ")")


def _code(content: str) -> bytes:
    return Skeleton.written(FRAME.format(content)).to_bytes()


def strategy(*samples: bytes, **structure: object) -> Strategy:
    found = settings.build({"strategy": "structure", "structure": structure})
    return strategy_of(found, Topic(structures=samples))


def page(name: str, structure: bytes = b"", links: tuple[Link, ...] = ()) -> Page:
    return Page(f"{SITE}/{name}", links=links, structure=structure)


def visited(judge: Strategy, found: Page, link: Link | None = None) -> Visit:
    relevance, priorities = judge.judge(found)
    link = link or Link(found.url)
    visit = Visit(link, Fetched(link, Response(found.url, 200)), found, relevance, priorities)
    judge.learn([visit])
    return visit


def test_the_strategy_brings_its_page_scorer_and_has_pages_read_with_their_structure() -> None:
    assert SETTINGS.page_scorer == "structure"
    assert SETTINGS.reads_structure
    assert not settings.build({}).reads_structure
    chosen = settings.build({"strategy": "structure", "relevance": {"scorer": "okapi"}})
    assert chosen.page_scorer == "okapi"
    assert chosen.reads_structure


def test_without_samples_it_says_what_is_missing() -> None:
    with pytest.raises(ConfigurationError, match=r"structure\.samples"):
        strategy_of(SETTINGS, Topic())
    with pytest.raises(ConfigurationError, match=r"structure\.threshold"):
        settings.build({"structure": {"threshold": 1.5}})


def test_pages_of_the_template_match_at_any_length_once_others_were_met() -> None:
    judge = strategy(entry(3), entry(6), entry(12))
    for number in range(1, 15):
        visited(judge, page(f"a{number}", article(number)))
        visited(judge, page(f"l{number}", listing(3 * number)))
    matching = [judge.judge(page("e", entry(rows)))[0].value for rows in (2, 4, 9, 20, 60)]
    others = [judge.judge(page("o", code))[0].value for code in (article(4), article(30), listing(2), listing(90))]
    assert min(matching) >= MATCHES > max(others)


def test_what_other_pages_have_too_stops_counting() -> None:
    """A sparse article shares the frame of the site with the samples, and little else."""
    judge = strategy(entry(3), entry(6), entry(12))
    first = judge.judge(page("a", article(1)))[0]
    for number in range(2, 20):
        visited(judge, page(f"a{number}", article(number)))
    later = judge.judge(page("a", article(1)))[0]
    assert "from 0 pages" in first.why
    assert "from 18 pages" in later.why
    assert later.value < first.value / 2


def test_relevance_says_likeness_limit_and_nearest_sample() -> None:
    why = strategy(entry(3), entry(6), entry(40)).judge(page("e", entry(41)))[0].why
    assert "likeness" in why
    assert "limit" in why
    assert "nearest is sample 3" in why


def test_samples_of_two_templates_are_two_wishes() -> None:
    samples = [
        _code("table(" + "tr(td) " * 40 + ")"),
        Skeleton.written("html(body(center(font(b i u) tt)))").to_bytes(),
    ]
    sketches = [structure_of(code) for code in samples]
    assert one_template_each([sketch[1].features for sketch in sketches if sketch]) == [[0], [1]]
    judge = strategy(*samples)
    assert all(judge.judge(page("x", code))[0].value >= MATCHES for code in samples)


def test_a_page_without_structure_does_not_match() -> None:
    judge = strategy(entry(3))
    assert judge.judge(page("x"))[0].value == 0
    assert judge.judge(page("x", b"no code at all"))[0].value == 0


def test_a_given_threshold_is_the_similarity_by_tree_matching() -> None:
    first = Skeleton.written("html(head(title) body(div(p p) div(ul(li li))))").to_bytes()
    second = Skeleton.written("html(head(title) body(div(p) div(ul(li li li))))").to_bytes()
    below, above = (strategy(first, threshold=limit).judge(page("x", second))[0] for limit in (0.92, 0.9))
    assert below.value < MATCHES <= above.value
    assert "0.91" in above.why
    assert "exact" in above.why


@given(some.floats(0, 1), some.floats(0.01, 1))
def test_a_page_is_relevant_from_one_half_on_wherever_the_limit_is(found: float, limit: float) -> None:
    assert 0 <= stretched(found, limit) <= 1
    assert (stretched(found, limit) >= MATCHES) == (found >= limit)


@given(some.lists(some.floats(0.0, 0.4), min_size=20), some.lists(some.floats(0.8, 1.0), min_size=20))
def test_the_limit_lies_between_the_heaps(low: list[float], high: list[float]) -> None:
    assert 0.25 < between_heaps(np.array(low + high)) < 0.91


def links_of_a_list(first: int, count: int) -> tuple[Link, ...]:
    """Links in the content to entries, and as many in the footer to articles, in addresses that look alike."""
    places = ("html/body/main/ul/li/a", "html/body/footer/p/a")
    return tuple(
        Link(f"{SITE}/p{first + number}", f"{SITE}/list", tag_path=places[number % 2], depth=1)
        for number in range(2 * count)
    )


def test_links_at_a_place_that_led_to_matching_pages_go_first_and_say_so() -> None:
    judge = strategy(entry(3), entry(6), entry(12))
    found = links_of_a_list(0, 10)
    visited(judge, page("list", listing(20), found))
    for number, link in enumerate(found[:8]):
        visited(judge, Page(link.url, structure=article(number + 1) if number % 2 else entry(number + 2)), link)
    _, (content, footer) = judge.judge(page("list", listing(20), links_of_a_list(100, 1)))
    assert content.value > 2 * footer.value
    assert "4 of 4 links at html/body/main/ul/li/a of such pages led to matching pages" in content.why
    waiting = dict(judge.revised())
    assert waiting[found[8].url].value > waiting[found[9].url].value


def test_what_was_visited_before_a_restart_teaches_without_structures() -> None:
    scorer = StructureLinkScorer(MATCHES)
    links = tuple(Link(f"{SITE}/{folder}/{n}", f"{SITE}/", tag_path="html/body/a") for n in range(6) for folder in "ab")
    for url, found, relevance in (
        (f"{SITE}/", links, 0.1),
        *((link.url, (), 0.9 if "/a/" in link.url else 0.1) for link in links[:8]),
    ):
        link = Link(url)
        scorer.learn([Visit(link, Fetched(link, Response(url, 200)), Page(url, links=found), Score(relevance))])
    revised = dict(scorer.revised())
    assert revised[f"{SITE}/a/5"].value > 2 * revised[f"{SITE}/b/5"].value


def test_dead_links_make_links_like_them_less_promising() -> None:
    scorer = StructureLinkScorer(MATCHES)
    links = tuple(Link(f"{SITE}/{folder}/{n}", f"{SITE}/", tag_path="html/body/a") for n in range(5) for folder in "ab")
    seed = Link(f"{SITE}/")
    scorer.learn([Visit(seed, Fetched(seed, Response(seed.url, 200)), Page(seed.url, links=links), Score(0.1))])
    scorer.learn([Visit(link, Failed(link, "http-404")) for link in links if "/b/" in link.url][:4])
    home = Page(seed.url, links=links)
    scores = scorer.priorities(home, Score(0.1), (links[-2], links[-1]))
    assert scores[0].value > scores[1].value


def test_memory_is_bounded_however_many_links_are_found() -> None:
    scorer = StructureLinkScorer(MATCHES, most_waiting=100)
    random = Random(1)
    for number in range(50):
        links = tuple(
            Link(f"{SITE}/{random.random()}/{n}", f"{SITE}/{number}", tag_path=f"html/x{random.random()}/a")
            for n in range(20)
        )
        seed = Link(f"{SITE}/{number}")
        scorer.learn([Visit(seed, Fetched(seed, Response(seed.url, 200)), Page(seed.url, links=links), Score(0.1))])
    assert scorer.groups_waiting <= 100


def test_kinds_of_addresses_go_from_the_site_to_how_the_last_part_begins_and_ends() -> None:
    plain, dressed = address_kinds(f"{SITE}/mod/mod_alias.html"), address_kinds(f"{SITE}/mod/mod_ssl.html?b=1&a=2")
    assert [kind[0] for kind in plain[:2]] == [SITE, f"{SITE}/mod/"]
    assert plain[:2] == dressed[:2]
    assert plain[2] != dressed[2]
    assert address_kinds(f"{SITE}/mod/mod_ssl.html")[3] == plain[3]
    assert place_kinds(SITE, 4, "html/a", "next")[:2] == place_kinds(SITE, -1, "html/a", "next")


def test_rates_of_what_was_never_tried_are_those_of_what_is_more_general() -> None:
    rates = LinkRates()
    for number in range(20):
        rates.note([rates.lineage((("folder",),))], 1.0, True)
        rates.note([rates.lineage((("other",),))], float(number < 2), number < 2)
    tried, untried = (rates.lineage(kinds) for kinds in ((("folder",), ("folder", "shape")), (("new",),)))
    rates.judge(tried)
    rates.judge(untried)
    assert tried.expected > 0.9 > untried.expected == rates.overall
    assert tried.telling is not None
    assert (tried.tried, tried.telling.told) == (0, "20 of 20 links to addresses like folder led to matching pages")
    assert untried.telling is None


def test_a_kind_that_is_met_again_and_again_keeps_its_rate_among_many_others() -> None:
    rates = LinkRates(most=20)
    for number in range(100):
        rates.note([rates.lineage((("site",), ("site", str(number))))], 1.0, True)
    often, once = rates.lineage((("site",),)), rates.lineage((("site",), ("site", "0")))
    assert (often.rate.tried, once.rate.tried) == (100, 0)
