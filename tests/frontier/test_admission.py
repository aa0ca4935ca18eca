"""Every refusal has a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.sections import Configuration, Fetching, Scope, Traps
from lycosa.frontier.admission import Admission, admission
from lycosa.frontier.traps import _TOKEN, _has_token, pattern_of
from lycosa.records import SITEMAP, Link


def refusal(url: str, configuration: Configuration, depth: int = 0) -> str | None:
    return admission(configuration).refusal(Link(url, depth=depth))


def test_a_plain_link_is_let_in() -> None:
    assert refusal("http://a.org/x", Configuration()) is None


@pytest.mark.parametrize(
    ("url", "scope", "why"),
    [
        ("http://a.org/x", Scope(block=("a.org",)), "blocked: a.org"),
        ("http://www.a.org/x", Scope(block=("a.org",)), "blocked: a.org"),
        ("http://ba.org/x", Scope(block=("a.org",)), None),
        ("http://a.org/private/x", Scope(block=("a.org/private/*",)), "blocked: a.org/private/*"),
        ("http://a.org/public/x", Scope(block=("a.org/private/*",)), None),
        ("http://b.org/", Scope(allow=("a.org",)), "out-of-scope: matches no allowed pattern"),
        ("http://a.org/", Scope(allow=("a.org",)), None),
        ("http://a.org/x.pdf", Scope(block=("*/*.pdf",)), "blocked: */*.pdf"),
    ],
)
def test_patterns(url: str, scope: Scope, why: str | None) -> None:
    assert refusal(url, Configuration(scope=scope)) == why


def test_scope_of_the_seeds() -> None:
    configuration = Configuration(seeds=("http://www.a.co.uk/",), scope=Scope(sites="seeds"))
    assert refusal("http://blog.a.co.uk/x", configuration) is None
    assert refusal("http://b.co.uk/x", configuration) == "out-of-scope: b.co.uk is not a seed's domain"


@pytest.mark.parametrize("deepest", [0, 1, 2])
def test_the_depth_asked_for_is_let_in_and_one_link_more_is_not(deepest: int) -> None:
    configuration = Configuration(scope=Scope(depth=deepest))
    assert refusal("http://a.org/", configuration, depth=deepest) is None
    assert refusal("http://a.org/", configuration, depth=deepest + 1) == f"too-deep: {deepest + 1} > {deepest}"


@pytest.mark.parametrize(
    "url",
    [
        "http://a.org/a/b/a/b/a/b/a/b",
        "http://a.org/" + "x" * 2000,
        "http://a.org/" + "/".join(str(n) for n in range(20)),
        "http://a.org/?" + "&".join(f"p{n}=1" for n in range(11)),
    ],
)
def test_traps_by_their_shape(url: str) -> None:
    why = refusal(url, Configuration())
    assert why is not None
    assert why.startswith("trap")


@pytest.mark.parametrize(
    ("url", "scope", "why"),
    [
        ("http://a.org/sitemap.xml", Scope(), None),
        ("http://a.org/sitemap.xml", Scope(allow=("a.org/docs/*",), depth=1), None),
        ("http://a.org/sitemap.xml", Scope(block=("a.org",)), "blocked: a.org"),
        ("http://b.org/sitemap.xml", Scope(allow=("a.org/docs/*",)), "out-of-scope"),
        ("http://b.org/sitemap.xml", Scope(sites="seeds"), "out-of-scope"),
        ("http://cdn.a.org/sitemap.xml", Scope(sites="seeds"), None),
    ],
)
def test_sitemaps_keep_to_the_scope_though_they_are_no_pages(url: str, scope: Scope, why: str | None) -> None:
    rules = admission(Configuration(seeds=("http://a.org/",), scope=scope, traps=Traps(urls_per_pattern=1)))
    found = {rules.refusal(Link(url, parent="http://a.org/robots.txt", rel=SITEMAP, depth=5)) for _ in range(3)}
    assert found == {None} if why is None else {str(each)[: len(why)] for each in found} == {why}


def calendar_pages(begin: int, end: int) -> list[Link]:
    return [Link(f"http://a.org/calendar/{number:04d}") for number in range(begin, end)]


def let_in_by(rules: Admission, links: list[Link]) -> int:
    return sum(rules.refusal(link) is None for link in links)


def test_what_a_pattern_used_up_is_not_given_again_after_a_restart_or_a_change() -> None:
    told = Configuration(traps=Traps(urls_per_pattern=100))
    rules = admission(told)
    first = let_in_by(rules, calendar_pages(0, 500))
    assert 100 <= first <= 102
    changed = admission(Configuration(traps=Traps(urls_per_pattern=100, longest_url=500)))
    changed.take_over(rules)
    assert let_in_by(changed, calendar_pages(500, 600)) == 0
    after = admission(told)
    after.recall(rules.news(), ["http://a.org"])
    assert let_in_by(after, calendar_pages(600, 700)) == 0
    assert rules.news() == {}


def test_of_what_a_pattern_used_in_part_at_most_half_is_given_again_after_a_restart() -> None:
    told = Configuration(traps=Traps(urls_per_pattern=100))
    rules = admission(told)
    assert let_in_by(rules, calendar_pages(0, 90)) == 90
    after = admission(told)
    after.recall(rules.news(), ["http://a.org"])
    assert let_in_by(after, calendar_pages(100, 300)) <= 50


def test_hosts_of_a_domain_are_counted_over_a_restart() -> None:
    told = Configuration(traps=Traps(hosts_per_domain=3))
    after = admission(told)
    after.recall({}, [f"http://{name}.example.org" for name in "ab"])
    assert [after.refusal(Link(f"http://{name}.example.org/")) is None for name in "abcd"] == [True, True, True, False]


def let_in(urls: list[str], traps: Traps) -> int:
    rules = admission(Configuration(traps=traps))
    return sum(rules.refusal(Link(url)) is None for url in urls)


def test_an_endless_calendar_is_cut_off() -> None:
    days = [f"http://a.org/calendar/{year}/{month:02}" for year in range(1000, 3000) for month in range(12)]
    assert let_in(days, Traps(urls_per_pattern=100)) == 101


@pytest.mark.parametrize(
    ("address", "token"),
    [
        ("/news/announcing-the-release-of-version-1-19-of-the-stream-processor", False),
        ("/2024/Wolf_spiders_of_the_Northern_hemisphere_A_field_guide", False),
        ("/a/how-to-find-3d-models-with-v2-of-the-api-part-1st", False),
        ("/s/q7Zk2mP0vXc9LrT4yWb8Nd1HgJ5fSaEu/page", True),
        ("/s/0123456789abcdef0123456789abcdef", True),
        ("/s/dGhpcyBpc-0gYSB0b2tlbiBv_ZiBzb21lIGtpbmQ", True),
    ],
)
def test_long_titles_with_hyphens_are_no_session_ids(address: str, token: bool) -> None:
    assert pattern_of(f"https://a.example{address}")[1] is token


def test_session_ids_get_a_hundredth_of_the_budget() -> None:
    urls = [f"http://a.org/shop?sid={number:032x}" for number in range(1000)]
    assert let_in(urls, Traps(urls_per_pattern=1000)) == 20


def test_tokens_in_a_path_share_a_pattern_with_the_small_budget() -> None:
    urls = [f"http://a.org/cart/{number:032x}/show" for number in range(1000)]
    assert let_in(urls, Traps(urls_per_pattern=1000)) == 20


@given(st.text("af09GZ_-./é", max_size=80))
def test_a_token_is_told_as_the_regular_expression_tells_it(text: str) -> None:
    assert _has_token(text.encode()) == bool(_TOKEN.search(text.encode()))


def test_facets_share_a_pattern_whatever_their_order() -> None:
    assert pattern_of("http://a.org/s?b=1&a=2")[0] == pattern_of("http://a.org/s?a=7&b=9")[0]


def test_a_farm_of_subdomains_is_cut_off() -> None:
    hosts = [f"http://n{number}.farm.org/" for number in range(100)]
    assert let_in(hosts, Traps(hosts_per_domain=20)) == 20


HTML_ONLY = Fetching(types=("text/html",))


@pytest.mark.parametrize(
    ("url", "rel", "types", "named"),
    [
        ("http://a.org/x.PNG", "", ("text/html",), "image"),
        ("http://a.org/x.pdf?page=2", "", ("text/html",), "application/pdf"),
        ("http://a.org/x.tar.gz", "nofollow", ("text/html",), "application/zip"),
        ("http://a.org/get/7", "nofollow application/pdf", ("text/html",), "application/pdf"),
        ("http://a.org/get/7", "image/png", ("text/html",), "image/png"),
        ("http://a.org/x.pdf", "", ("text/html", "Application/PDF"), None),
        ("http://a.org/x.jpeg", "", ("image/jpeg",), None),
        ("http://a.org/x.pdf", "text/html", ("text/html",), None),
        ("http://a.org/x.html", "text/html", ("text/html",), None),
        ("http://a.org/wiki/File:Wolf.jpg", "", ("text/html",), None),
        ("http://a.org/get?file=x.pdf", "", ("text/html",), None),
        ("http://pdf/", "", ("text/html",), None),
        ("http://a.pdf/pdf", "", ("text/html",), None),
    ],
)
def test_links_to_files_that_are_no_pages_come_last(url: str, rel: str, types: tuple[str, ...], named: str) -> None:
    why = admission(Configuration(fetching=Fetching(types=types))).comes_last(Link(url, "http://a.org/", rel=rel))
    assert (why is None) if named is None else (why is not None and named in why)


def test_what_people_ask_for_does_not_come_last() -> None:
    rules = admission(Configuration(fetching=HTML_ONLY))
    assert rules.comes_last(Link("http://a.org/x.pdf")) is None
    assert rules.comes_last(Link("http://a.org/x.gz", "http://a.org/", rel=SITEMAP)) is None
