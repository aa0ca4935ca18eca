"""Spellings of URLs are learned from what was seen: with evidence, never against it, and within bounds."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from random import Random
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st

from lycosa.duplicates.rewrite_evidence import MOST_REWRITES
from lycosa.duplicates.rewrite_rules import (
    FORGIVEN,
    MOST_PLACES,
    NEEDED,
    NEEDED_AGAIN,
    Kind,
    Rewrite,
    explanations,
)
from lycosa.duplicates.url_rewriter import LONGEST, SPARED, DustRules
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Page
from lycosa.urls import normalise, site_of

SITE = "https://a.example"


def digest(content: object) -> bytes:
    return blake2b(repr(content).encode(), digest_size=16).digest()


def learned(*pages: tuple[str, object], rules: DustRules | None = None) -> DustRules:
    """Rules that have seen these pages of the site, each with what it says."""
    rules = rules or DustRules()
    for path, content in pages:
        rules.see(SITE + path, digest(content))
    return rules


def applied(rules: DustRules, path: str) -> str:
    return rules.apply(SITE + path).removeprefix(SITE)


def spelled(forms: Iterable[str], numbers: Iterable[int]) -> list[tuple[str, object]]:
    """Pages, each under all of these forms."""
    return [(form.format(number), number) for number in numbers for form in forms]


# -- what is learned ---------------------------------------------------------------------------------------

EXAMPLES = [
    (("/list?n={}", "/list?n={}&print=1"), "/list?print=1&n=77", "/list?n=77"),
    (("/list?n={}&sid=aa", "/list?n={}&sid=bb", "/list?n={}"), "/list?sid=cc&n=77", "/list?n=77"),
    (("/list?n={}&sid=aa", "/list?n={}&sid=bb"), "/list?n=77&sid=cc", "/list?n=77&sid=aa"),
    (("/list?n={}&a=1", "/list?a=1&n={}"), "/list?z=3&n=77&b=2", "/list?b=2&n=77&z=3"),
    (("/{}/", "/{}/index.html"), "/77/index.html", "/77/"),
    (("/{}/", "/{}/Default.aspx"), "/77/Default.aspx?x=1", "/77/?x=1"),
    (("/docs/{}", "/docs/{}/"), "/docs/77/", "/docs/77"),
    (("/docs/p{}", "/docs/P{}"), "/docs/P77%2Fx", "/docs/p77%2Fx"),
]


@pytest.mark.parametrize(("forms", "typed", "expected"), EXAMPLES)
def test_a_rewrite_is_used_from_three_contents_on(forms: tuple[str, ...], typed: str, expected: str) -> None:
    few = learned(*spelled(forms, range(NEEDED - 1)))
    assert applied(few, typed) == typed
    enough = learned(*spelled(forms, range(NEEDED)))
    assert applied(enough, typed) == expected
    assert applied(enough, expected) == expected


@pytest.mark.parametrize(("forms", "typed", "expected"), EXAMPLES)
def test_one_contradiction_ends_a_rule_until_fifty_more_contents_agree(
    forms: tuple[str, ...], typed: str, expected: str
) -> None:
    rules = learned(*spelled(forms, range(NEEDED)))
    learned(*[(form.format(1000), form) for form in forms[:2]], rules=rules)
    assert applied(rules, typed) == typed
    learned(*spelled(forms, range(2000, 2000 + NEEDED_AGAIN - 1)), rules=rules)
    assert applied(rules, typed) == typed
    learned(*spelled(forms, range(3000, 3000 + 1)), rules=rules)
    assert applied(rules, typed) == expected


def test_a_rule_that_is_contradicted_too_often_is_not_used_again() -> None:
    rules = learned(*spelled(["/d/{}", "/d/{}/"], range(NEEDED)))
    for number in range(FORGIVEN + 1):
        rules.contradict(f"{SITE}/d/x{number}", f"{SITE}/d/x{number}/")
    learned(*spelled(["/d/{}", "/d/{}/"], range(100, 1100)), rules=rules)
    assert applied(rules, "/d/77/") == "/d/77/"
    assert "any more" not in "".join(rules.explain(f"{SITE}/d/77/"))


def test_addresses_that_change_together_are_no_contradiction_but_one_that_stays_behind_is() -> None:
    rules = learned(*spelled(["/d/{}", "/d/{}/"], range(NEEDED)))
    learned(("/d/0", "new"), ("/d/0/", "new"), rules=rules)
    assert applied(rules, "/d/77/") == "/d/77"
    learned(("/d/1", "newer"), ("/d/1/", 1), rules=rules)
    assert applied(rules, "/d/77/") == "/d/77/"


def test_many_addresses_of_one_content_prove_nothing() -> None:
    numbers = range(50)
    rules = learned(*[(f"/{number}", "not found") for number in numbers], *[(f"/{n}/", "not found") for n in numbers])
    learned(*[(f"/list?page={number}&a={number % 3}", "nothing here") for number in numbers], rules=rules)
    assert [rule for rule in rules.rules() if rule.used] == []


def test_what_speaks_against_a_rule_is_looked_for_before_it_is_used() -> None:
    other = [(f"/list?n={number}", f"page {number}") for number in range(20)]
    same = [(f"/list?n={100 + number}", f"page {number % 5}") for number in range(10)]
    assert [rule for rule in learned(*other, *same).rules() if rule.used] == []


def test_a_rule_holds_where_it_was_learned_and_beyond_only_if_several_places_agree() -> None:
    rules = learned(*spelled(["/shop?n={}", "/shop?n={}&id=5"], range(NEEDED)))
    assert applied(rules, "/shop?id=9") == "/shop"
    assert applied(rules, "/forum?id=9") == "/forum?id=9"
    for place in ("news", "blog"):
        learned(*spelled([f"/{place}?n={{}}", f"/{place}?n={{}}&id=5"], [NEEDED]), rules=rules)
        learned((f"/{place}?n=x", place), (f"/{place}?n=x&id=5", place), rules=rules)
    assert applied(rules, "/forum?id=9") == "/forum"
    learned(("/forum?id=1", "section 1"), ("/forum?id=2", "section 2"), rules=rules)
    assert applied(rules, "/forum?id=9") == "/forum?id=9"
    assert applied(rules, "/shop?id=9") == "/shop"


def test_what_a_place_has_against_a_rule_outweighs_the_rest_of_the_site() -> None:
    rules = learned(("/forum?id=1", "section 1"), ("/forum?id=2", "section 2"))
    rules.contradict(f"{SITE}/forum?id=1", f"{SITE}/forum?id=2")
    for number in range(NEEDED_AGAIN):
        learned((f"/{number}", number), (f"/{number}?id=5", number), rules=rules)
    assert applied(rules, "/elsewhere?id=9") == "/elsewhere"
    assert applied(rules, "/forum?id=9") == "/forum?id=9"


def test_sites_learn_for_themselves() -> None:
    rules = learned(*spelled(["/d/{}", "/d/{}/"], range(NEEDED)))
    assert rules.apply("https://b.example/d/1/") == "https://b.example/d/1/"
    assert rules.apply("http://a.example/d/1/") == "http://a.example/d/1/"
    rules.contradict(f"{SITE}/d/1/", "https://b.example/d/1")
    assert applied(rules, "/d/77/") == "/d/77"


def test_two_differences_are_understood_once_one_of_them_is() -> None:
    rules = learned(*spelled(["/d/{}", "/d/{}/"], range(NEEDED)))
    learned(*spelled(["/d/{}?sid=1", "/d/{}/?sid=2"], range(100, 100 + NEEDED)), rules=rules)
    assert len({applied(rules, path) for path in ("/d/100?sid=1", "/d/100/?sid=2", "/d/100/?sid=3")}) == 1


def test_rules_explain_themselves() -> None:
    rules = learned(*spelled(["/list?n={}&sid=aa", "/list?n={}&sid=bb"], range(NEEDED)))
    first, second = rules.explain(f"{SITE}/list?n=9&sid=cc")
    assert first == f"{SITE}/list?n=9&sid=cc is taken for {SITE}/list?n=9&sid=aa"
    assert second.startswith("drop parameter sid (always sid=aa): 3 contents agree, none differ, such as https://a.ex")
    assert rules.explain(f"{SITE}/other") == [f"{SITE}/other is written as it is: no rule of its site changes it"]
    (rule,) = [rule for rule in rules.rules(SITE) if rule.used]
    assert (rule.rewrite, rule.place, rule.agreements, rule.contradictions) == ("drop parameter sid", "/list", 3, 0)
    assert len(rule.examples) == 3
    assert rules.rules("https://b.example") == []
    learned(("/list?n=x&sid=aa", "this"), ("/list?n=x&sid=bb", "that"), rules=rules)
    (rule,) = [rule for rule in rules.rules() if rule.place]
    assert rule.against == ("/list?n=x&sid=bb", "/list?n=x&sid=aa")
    assert rule.plain()["used"] is False


def test_a_few_urls_are_spared_so_that_a_rule_can_still_be_contradicted() -> None:
    rules = learned(*spelled(["/d/{}", "/d/{}/"], range(NEEDED)))
    urls = [f"{SITE}/d/{number}/" for number in range(64 * SPARED)]
    spared = [url for url in urls if rules.spared(url)]
    assert 20 < len(spared) < 140
    assert spared == [url for url in urls if rules.spared(url)]
    assert not any(rules.spared(url.rstrip("/")) for url in urls)


# -- properties -----------------------------------------------------------------------------------------------

KEYS = ("a", "B", "sid", "n")
segments = st.sampled_from(["x", "X", "y", "index.html", "Index.HTML", "default.asp", "%2F", "a.b", "~"])
queries = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(["", "=1", "=2", "=%2B"])), max_size=4)


@st.composite
def addresses(draw: st.DrawFn) -> str:
    path = "/" + "/".join(draw(st.lists(segments, max_size=3))) + draw(st.sampled_from(["", "/"]))
    query = "&".join(name + value for name, value in draw(queries))
    url = normalise(SITE + path + (f"?{query}" if query else ""))
    assert url is not None
    return url


class TrueSite:
    """A site on which some rewrites never matter and all others always do."""

    def __init__(self, kinds: frozenset[Rewrite]) -> None:
        self._kinds = kinds

    def content(self, url: str) -> bytes:
        address = url.removeprefix(SITE)
        for _ in range(12):
            for rewrite in sorted(self._kinds):
                address = rewrite.form(address)
        return digest(address)


MATTERLESS = [
    Rewrite(Kind.CASE), Rewrite(Kind.SLASH), Rewrite(Kind.ORDER), Rewrite(Kind.PAGE, "index.html"),
    Rewrite(Kind.PAGE, "default.asp"), Rewrite(Kind.PARAMETER, "sid"), Rewrite(Kind.PARAMETER, "a"),
]  # fmt: skip


@trying(max_examples=150, deadline=None)
@given(
    st.frozensets(st.sampled_from(MATTERLESS)), st.lists(addresses(), max_size=80), st.lists(addresses(), max_size=40)
)
def test_urls_with_different_contents_are_never_taken_for_one_another(
    kinds: frozenset[Rewrite], seen: list[str], others: list[str]
) -> None:
    site, rules = TrueSite(kinds), DustRules()
    for url in seen:
        rules.see(url, site.content(url))
    contents = defaultdict(set)
    for url in (*seen, *others):
        contents[rules.apply(url)].add(site.content(url))
    assert all(len(found) == 1 for found in contents.values())


@trying(max_examples=40, deadline=None)
@given(st.frozensets(st.sampled_from(MATTERLESS), min_size=3), st.integers(0, 2**32), addresses())
def test_applying_rules_twice_changes_nothing_and_gives_a_normalised_url(
    kinds: frozenset[Rewrite], seed: int, url: str
) -> None:
    rules, site = _taught(kinds, seed)
    once = rules.apply(url)
    assert rules.apply(once) == once
    assert normalise(once) == once
    assert site_of(once) == SITE
    again = DustRules()
    again.recall(rules.statistics())
    assert again.apply(url) == once
    assert again.statistics() == rules.statistics()
    assert set(again.rules()) == set(rules.rules())
    assert site.content(once) == site.content(url)


def _taught(kinds: frozenset[Rewrite], seed: int) -> tuple[DustRules, TrueSite]:
    """Rules that have seen many pages of a site."""
    rng, site, rules = Random(seed), TrueSite(kinds), DustRules()
    names = ["x", "X", "y", "Y", "z", "index.html", "default.asp"]
    for _ in range(300):
        path = "/" + "/".join(rng.choices(names, k=rng.randrange(3))) + rng.choice(["", "/"])
        pairs = [f"{name}={rng.randrange(3)}" for name in rng.sample(KEYS, rng.randrange(4))]
        url = normalise(f"{SITE}{path}" + ("?" + "&".join(pairs) if pairs else ""))
        assert url is not None
        rules.see(url, site.content(url))
    return rules, site


def test_much_is_learned_of_a_site_on_which_little_matters() -> None:
    rules, _ = _taught(frozenset(MATTERLESS), 1)
    used = {rule.rewrite for rule in rules.rules() if rule.used}
    assert used >= {"lower-case path", "trailing slash", "drop parameter sid", "sort parameters"}


@given(addresses(), addresses())
def test_an_explanation_makes_both_the_same_and_changes_one(one: str, other: str) -> None:
    one, other = one.removeprefix(SITE), other.removeprefix(SITE)
    for rewrite in explanations(one, other):
        assert rewrite.form(one) == rewrite.form(other)
        assert rewrite.form(rewrite.form(one)) == rewrite.form(one) or rewrite.kind is Kind.PAGE
        assert rewrite in explanations(other, one)


def test_a_url_that_does_not_settle_is_left_alone() -> None:
    rules = learned(*spelled(["/{}/", "/{}/index.html"], range(NEEDED)), *spelled(["/{}", "/{}/"], range(NEEDED)))
    learned(*spelled(["/a{}/x", "/a{}/x/", "/a{}/x/index.html"], range(NEEDED)), rules=rules)
    assert applied(rules, "/index.html/index.html/index.html") == "/"
    endless = "/a1" + "/index.html" * 700
    assert applied(rules, applied(rules, endless)) == applied(rules, endless)


# -- on the simulated web ---------------------------------------------------------------------------------------


def said(web: SimulatedWeb, url: str) -> Page | None:
    """The page at a URL, or None where there is none."""
    response = web.respond(url, 0.0, 2)
    return read_page(Fetched(Link(url), response)) if response.status == 200 else None


def walked(web: SimulatedWeb, most: int) -> Iterator[tuple[str, bytes]]:
    """Every page of a web, its errors and private pages, and many pages of each trap, with what they say."""
    waiting = web.page_urls() + web.error_urls() + web.private_urls()
    known, more = set(waiting), Counter[str]()
    for url in waiting:
        page = said(web, url)
        if page is None:
            continue
        yield url, page.digest
        for link in page.links:
            if link.url not in known and more[site_of(link.url)] < most:
                more[site_of(link.url)] += 1
                known.add(link.url)
                waiting.append(link.url)


@pytest.mark.parametrize("seed", [3, 7])
def test_on_a_simulated_web_nothing_different_is_merged_and_sessions_are_learned(seed: int) -> None:
    web = SimulatedWeb.of(f"box:{seed}?hosts=8&pages=500&traps=8&duplicates=0.5&size=512&links=8&errors=0.1")
    rules, contents = DustRules(), {}
    for url, content in walked(web, 150):
        contents[url] = content
        rules.see(url, content)
        assert contents.get(rules.apply(url), content) == content
    merged = defaultdict(set)
    for url, content in contents.items():
        merged[rules.apply(url)].add(content)
    assert all(len(found) == 1 for found in merged.values())
    for site in [site for site, trap in web.trap_hosts().items() if trap == "session"]:
        sessions = [url for url in contents if url.startswith(f"{site}/catalogue")]
        unseen = [f"{site}/catalogue?item={number}&sid={seed:016x}" for number in range(10)]
        assert len(sessions) > 20
        assert len({rules.apply(url) for url in sessions + unseen}) == 10
        for url in sessions + unseen:
            asked, answered = said(web, url), said(web, rules.apply(url))
            assert asked is not None
            assert answered is not None
            assert asked.text == answered.text
    assert {rule.rewrite for rule in rules.rules() if rule.used} == {"drop parameter sid"}


# -- bounds -----------------------------------------------------------------------------------------------------------


def test_memory_is_bounded_per_site_and_altogether() -> None:
    rules = DustRules(urls_per_site=100, most_urls=1000, most_sites=50)
    for number in range(20_000):
        rules.see(f"https://s{number % 300}.example/{number}?k{number % 97}={number}", digest(number))
    kept = [sample for generation in (rules._young, rules._old) for sample in generation.values()]
    assert max(len(sample.contents) for sample in kept) <= 100
    assert sum(len(sample.contents) for sample in kept) <= 1100


def test_a_hostile_site_cannot_fill_the_evidence() -> None:
    rules = DustRules()
    for number in range(6_000):
        path, name = f"/{quote(str(number))}", f"p{number % 200}"
        learned((f"{path}?{name}=1", number), (f"{path}?{name}=2", number), rules=rules)
    (site,) = [site for _, site in rules._sites.items()]
    assert len(site.rules) <= MOST_REWRITES
    assert max(len(rule.places) for rule in site.rules.values()) <= MOST_PLACES
    assert len(rules.statistics()) < 300_000
    rules.see(SITE + "/" + "x" * LONGEST, digest(1))
    rules.see(SITE + "/empty", b"")
    assert "/empty" not in dict(rules._young[SITE].contents.items())


def test_evidence_of_too_many_sites_is_forgotten_oldest_first() -> None:
    rules = DustRules(most_sites=10)
    for number in range(30):
        for path, content in spelled(["/d/{}", "/d/{}/"], range(NEEDED)):
            rules.see(f"https://s{number}.example{path}", digest(content))
    known = {rule.site for rule in rules.rules()}
    assert 5 <= len(known) <= 10
    assert "https://s29.example" in known


def test_a_page_costs_microseconds() -> None:
    pages = [(f"https://s{number % 50}.example/page-{number}.html", digest(number)) for number in range(20_000)]
    rules, began = DustRules(), time.process_time()
    for url, content in pages:
        rules.see(url, content)
    assert (time.process_time() - began) / len(pages) < 50e-6
