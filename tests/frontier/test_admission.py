"""Every refusal has a reason."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.sections import Configuration, Fetching, Scope, Traps
from lycosa.frontier import traps
from lycosa.frontier.admission import Admission, admission
from lycosa.frontier.traps import _TOKEN, _has_token, pattern_of
from lycosa.records import SITEMAP, Fetched, Link, Page, Response, Visit


@pytest.fixture(autouse=True)
def known_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures of these tests are those of one sample."""
    monkeypatch.setattr(traps, "token_bytes", bytes)


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


SAME = "the heron waits in the water for a fish that comes to it at dawn"
SMALL = Traps(urls_per_pattern=100)


def came(urls: Iterable[str], text: Callable[[str], str] = lambda url: SAME) -> list[Visit]:
    """Visits of pages with texts by URL."""
    return [Visit(Link(url), Fetched(Link(url), Response(url, 200)), Page(url, text=text(url))) for url in urls]


def new_words(url: str) -> str:
    drawn = random.Random(url)
    return " ".join("".join(drawn.choices("abcdefghij", k=5)) for _ in range(30))


def shuffled(url: str) -> str:
    words = SAME.split()
    random.Random(url).shuffle(words)
    return " ".join(words) + f" {len(url)}:{url[-4:]}"


def learned(rules: Admission, visits: Sequence[Visit]) -> int:
    """How many visits are made before the next one is not worth its turn."""
    for number, visit in enumerate(visits):
        if rules.spent(visit.link):
            return number
        rules.learn([visit], lambda url: False)
    return len(visits)


def days(begin: int, end: int) -> list[str]:
    return [f"http://a.org/calendar/{number:05d}" for number in range(begin, end)]


@pytest.mark.parametrize("text", [lambda url: SAME, shuffled, lambda url: ""])
def test_a_site_that_repeats_itself_is_cut_off_whatever_its_addresses(text: Callable[[str], str]) -> None:
    rules = admission(Configuration(traps=SMALL))
    maze = [f"http://a.org/{new_words(str(number)).replace(' ', '-')[:40]}" for number in range(3000)]
    assert 60 <= learned(rules, came(maze, text)) < 250
    link = Link("http://a.org/another")
    assert str(rules.spent(link)).startswith("trap: of ")
    assert rules.refusal(link) == rules.spent(link)
    assert rules.refusal(Link("http://b.org/another")) is None
    assert rules.spent(Link("http://a.org/sitemap.xml", rel=SITEMAP)) is None


def test_a_pattern_that_repeats_itself_is_cut_off_and_the_rest_of_its_site_is_not() -> None:
    rules = admission(Configuration(traps=SMALL))
    pages = [visit for n in range(800) for visit in (*came([f"http://a.org/{new_words(str(n))[:5]}-{n}"], new_words),
                                                     *came([f"http://a.org/calendar/{n}"]))]  # fmt: skip
    for visit in pages:
        rules.learn([visit], lambda url: False)
    assert "pattern http://a.org/calendar/###" in str(rules.refusal(Link("http://a.org/calendar/999")))
    assert rules.refusal(Link("http://a.org/herons")) is None


@pytest.mark.parametrize("address", ["/items/{:032x}", "/src/info/{:040x}", "/page?sid={:016x}", "/{}"])
def test_a_site_with_new_text_is_never_cut_off(address: str) -> None:
    rules = admission(Configuration(traps=SMALL))
    urls = [f"http://a.org{address.format(number)}" for number in range(3000)]
    assert learned(rules, came(urls, new_words)) == 3000
    assert all(rules.refusal(Link(url)) is None for url in urls)


def test_links_of_a_site_are_refused_while_it_is_doubted() -> None:
    rules = admission(Configuration(traps=Traps(urls_per_pattern=1000)))
    rules.learn(came(days(0, 600)), lambda url: False)
    assert rules.spent(Link("http://a.org/more")) is None
    refused = [rules.refusal(Link(url)) for url in days(600, 2200)]
    assert refused.count(None) == 1000
    assert str(refused[-1]).startswith("trap: 1 of ")


def test_what_was_used_up_is_not_given_again_after_a_restart_or_a_change() -> None:
    told = Configuration(traps=SMALL)
    rules = admission(told)
    assert learned(rules, came(days(0, 500))) < 250
    changed = admission(Configuration(traps=Traps(urls_per_pattern=100, longest_url=500)))
    changed.take_over(rules)
    assert learned(changed, came(days(500, 600))) == 0
    after = admission(told)
    after.recall(rules.news(), ["http://a.org"])
    assert learned(after, came(days(600, 700))) < 40
    assert rules.news() == {}


def test_a_site_with_new_text_is_not_cut_off_by_a_restart() -> None:
    told = Configuration(traps=SMALL)
    kept: dict[str, dict[bytes, int]] = {"trap": {}}
    for run in range(6):
        rules = admission(told)
        rules.recall(kept, ["http://a.org"])
        assert learned(rules, came(days(run * 700, run * 700 + 700), new_words)) == 700
        kept["trap"].update(rules.news().get("trap", {}))


def test_a_site_whose_links_all_lead_to_new_pages_waits_for_others() -> None:
    rules = admission(Configuration(traps=SMALL))
    for endless in (True, False):
        site = f"http://{endless}.org".lower()
        visits = [
            Visit(visit.link, visit.outcome, Page(visit.link.url, text=new_words(visit.link.url), links=tuple(
                Link(f"{site}/{path}") for path in ("menu", f"{number}/x", f"{number}/y")
            )))
            for number, visit in enumerate(came([f"{site}/{number}" for number in range(400)]))
        ]  # fmt: skip
        rules.learn(visits, lambda url, endless=endless: not endless)  # type: ignore[misc]
    assert [rules.holds_back("http://true.org", requests) for requests in (400, 401, 415, 416)] == [
        False, True, True, False,
    ]  # fmt: skip
    assert not rules.holds_back("http://false.org", 400)
    assert not rules.holds_back("http://nobody.org", 400)


def test_hosts_of_a_domain_are_counted_over_a_restart() -> None:
    told = Configuration(traps=Traps(hosts_per_domain=3))
    after = admission(told)
    after.recall({}, [f"http://{name}.example.org" for name in "ab"])
    assert [after.refusal(Link(f"http://{name}.example.org/")) is None for name in "abcd"] == [True, True, True, False]


def let_in(urls: list[str], traps: Traps) -> int:
    rules = admission(Configuration(traps=traps))
    return sum(rules.refusal(Link(url)) is None for url in urls)


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


@pytest.mark.parametrize("address", ["/shop?sid={:032x}", "/cart/{:032x}/show"])
def test_session_ids_get_a_tenth_of_the_budget(address: str) -> None:
    rules = admission(Configuration(traps=Traps(urls_per_pattern=1000)))
    urls = [f"http://a.org{address.format(number)}" for number in range(1000)]
    assert 100 < learned(rules, came(urls)) < 400


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
