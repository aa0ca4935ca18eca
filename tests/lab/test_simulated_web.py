"""The simulated web keeps its promises: the same for everybody, reachable, honest about its truth."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from lycosa import text, urls
from lycosa.configuration.settings import ConfigurationError, build
from lycosa.fetching.robots import parse
from lycosa.lab.simulated_web.notation import BoxSettings, parse_box, written
from lycosa.lab.simulated_web.vocabulary import GENERAL_WORDS, TOPICS
from lycosa.lab.simulated_web.web import SimulatedFetcher, SimulatedWeb, simulated_fetcher
from lycosa.plugins.plug_points import Known
from lycosa.records import Failed, Fetched, Link, Outcome, Redirected, Refused, SiteOpened, SiteShut, Unchanged

DAY = 86400.0
SMALL = "box:3?hosts=12&pages=400&topics=4"


@pytest.fixture(scope="module")
def web() -> SimulatedWeb:
    return SimulatedWeb.of(SMALL)


def hrefs(web: SimulatedWeb, url: str) -> list[str]:
    tree = LexborHTMLParser(web.respond(url).body)
    found = [node.attributes.get("href") or "" for node in tree.css("a[href]")]
    return [one for one in urls.resolve(url, found) if one is not None]


def main_content(web: SimulatedWeb, url: str, now: float = 0.0) -> str:
    node = LexborHTMLParser(web.respond(url, now).body).css_first("#content")
    assert node is not None
    return " ".join(node.text(separator=" ").split())


# What a box may be


def test_settings_survive_being_written() -> None:
    settings = parse_box("box:9?hosts=7&pages=80&size=20KiB&changed=0.25&lastmod=now&tunnel=0&period=1h&begins=5")
    assert (settings.seed, settings.size, settings.period, settings.begins) == (9, 20480, 3600.0, 5.0)
    assert parse_box(written(settings)) == settings


@trying(deadline=None)
@given(st.integers(1, 500), st.floats(0, 0.9), st.floats(0, 0.9), st.sampled_from(["honest", "now", "never"]))
def test_any_settings_survive_being_written(hosts: int, unlinked: float, duplicates: float, lastmod: str) -> None:
    settings = BoxSettings(hosts=hosts, unlinked=round(unlinked, 6), duplicates=round(duplicates, 6), lastmod=lastmod)
    assert parse_box(written(settings)) == settings


@pytest.mark.parametrize(
    ("notation", "hint"),
    [
        ("box:1?host=3", "did you mean 'hosts'"),
        ("box:1?nonsense=3", "known: hosts"),
        ("box:1?hosts=many", "whole number"),
        ("box:1?size=4XB", "4KiB"),
        ("box:1?topics=99", "1 to"),
        ("box:1?hosts=50&pages=10", "one page per host"),
        ("box:1?tunnel=0.1&topics=1", "two topics"),
        ("box:1?tunnel=0.1&hosts=6&topics=6", "more hosts than topics"),
        ("box:1?lastmod=maybe", "honest, now or never"),
        ("box:x", "box:SEED"),
        ("dir:somewhere", "box:SEED"),
    ],
)
def test_impossible_boxes_are_refused_with_a_hint(notation: str, hint: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(hint)):
        parse_box(notation)


# The same for everybody


def test_the_same_bytes_in_another_process(web: SimulatedWeb) -> None:
    script = (
        "import hashlib; from lycosa.lab.simulated_web.web import SimulatedWeb\n"
        f"web = SimulatedWeb.of({SMALL!r})\n"
        "print(hashlib.sha256(b''.join(web.respond(u, 1e6).body for u in web.page_urls()[::5])).hexdigest())"
    )
    own = hashlib.sha256(b"".join(web.respond(url, 1e6).body for url in web.page_urls()[::5])).hexdigest()
    for hash_seed in ("0", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        other = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        assert other.stdout.strip() == own


def test_another_seed_is_another_web(web: SimulatedWeb) -> None:
    other = SimulatedWeb.of(SMALL.replace("box:3", "box:4"))
    assert set(other.page_urls()) != set(web.page_urls())
    assert other.respond(other.roots()[0]).body != web.respond(web.roots()[0]).body


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    pages = SimulatedWeb.of(SMALL).page_urls()[::17]
    forwards, backwards = SimulatedWeb.of(SMALL), SimulatedWeb.of(SMALL)
    there = [forwards.respond(url) for url in pages]
    assert there == [backwards.respond(url) for url in reversed(pages)][::-1]


def test_the_same_web_at_another_port(web: SimulatedWeb) -> None:
    moved = web.at_port(9)
    assert [url.replace(":9/", ":8080/") for url in moved.page_urls()] == web.page_urls()
    assert web.at_port(80).sites()[0] == "http://birds-1.localhost"


# What there is


def test_there_are_as_many_pages_as_asked_for(web: SimulatedWeb) -> None:
    pages = web.page_urls()
    per_host = Counter(map(urls.site_of, pages))
    assert len(set(pages)) == len(pages) == 400
    assert set(per_host) == set(web.sites())
    assert len(web.sites()) == 12
    assert max(per_host.values()) > 2 * min(per_host.values())


def test_urls_are_in_normal_form_and_answered(web: SimulatedWeb) -> None:
    for url in web.page_urls():
        assert urls.normalise(url) == url
        assert web.respond(url).status == 200


@pytest.mark.parametrize(
    "strange",
    [
        "",
        "x",
        "http://nobody.localhost:8080/",
        "http://birds-999.localhost:8080/",
        "http://birds-1.localhost:8080/nope",
        "http://birds-1.localhost:8080/view?page=" + "9" * 50,
    ],
)
def test_what_does_not_exist_is_404(web: SimulatedWeb, strange: str) -> None:
    assert web.respond(strange).status == 404
    assert web.truth(strange).kind == "nothing"
    assert web.topic_of(strange) == ""


def test_each_page_has_one_url_only(web: SimulatedWeb) -> None:
    for url in web.page_urls()[1::7]:
        assert web.respond(re.sub(r"(\d+)(\D*)$", r"0\1\2", url)).status == 404


def test_topics_keep_together(web: SimulatedWeb) -> None:
    labels = web.labels()
    at_home = sum(topic in url.partition(".")[0] for url, topic in labels.items()) / len(labels)
    assert 0.7 < at_home < 0.95
    assert set(labels.values()) == set(web.topics())
    pairs = [(labels[url], labels[to]) for url in labels for to in web.links_of(url)]
    assert sum(one == other for one, other in pairs) / len(pairs) > 0.45


def test_vocabularies_are_wide_enough() -> None:
    assert len(TOPICS) >= 10
    assert len(GENERAL_WORDS) >= 300
    assert all(len(set(words)) >= 60 for words in TOPICS.values())
    assert all(word.isascii() and word.isalpha() for words in (*TOPICS.values(), GENERAL_WORDS) for word in words)


def test_pages_speak_english_about_their_topic(web: SimulatedWeb) -> None:
    for url in web.page_urls()[::23]:
        words = text.words(main_content(web, url))
        assert text.language_of(words) == "en"
        own = set(TOPICS[web.topic_of(url)])
        assert sum(word in own for word in words) > 0.08 * len(words)


@pytest.mark.parametrize(("asked", "size"), [("4KiB", 4096), ("20KiB", 20480)])
def test_pages_are_about_as_large_as_asked(asked: str, size: int) -> None:
    web = SimulatedWeb.of(f"{SMALL}&size={asked}")
    sizes = [len(web.respond(url).body) for url in web.page_urls()]
    assert 0.75 * size < sum(sizes) / len(sizes) < 1.25 * size


def test_pages_have_headings_and_links_in_their_text(web: SimulatedWeb) -> None:
    tree = LexborHTMLParser(web.respond(web.page_urls()[3]).body)
    assert [one.text() for one in tree.css("title")] == [one.text() for one in tree.css("h1")]
    assert tree.css("h2")
    assert tree.css("#content p a")


def test_markup_does_not_tell_the_topic() -> None:
    """The tags used are the same whatever a page is about, and no page states its label."""
    web = SimulatedWeb.of("box:3?hosts=60&pages=1500&topics=3")
    by_topic: dict[str, set[str]] = {}
    for url, topic in web.labels().items():
        source = web.respond(url).body.decode("ascii")
        assert not re.search(r"keywords|description|category|topic", source, re.IGNORECASE)
        tags = {re.sub(r' href="[^"]*"', "", tag) for tag in re.findall(r"<[^>]*>", source)}
        by_topic.setdefault(topic, set()).update(tags)
    vocabulary = set.union(*by_topic.values())
    assert not any(word in tag for tag in vocabulary for word in TOPICS)
    assert all(tags == vocabulary for tags in by_topic.values())


def test_hosts_have_different_skeletons(web: SimulatedWeb) -> None:
    def skeleton(url: str) -> frozenset[str]:
        return frozenset(re.findall(r"<[a-z0-9]+", web.respond(url).body.decode()))

    assert len({skeleton(url) for url in web.roots()}) >= 3


# Links


def test_the_map_and_the_pages_agree_on_links(web: SimulatedWeb) -> None:
    pages = set(web.page_urls())
    for url in web.page_urls()[::11]:
        assert set(hrefs(web, url)) & pages == set(web.links_of(url))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(
    "more", ["", "&tunnel=0.3", "&links=0", "&unlinked=0", "&hosts=1&topics=1&tunnel=0", "&duplicates=0.5"]
)
def test_every_linked_page_is_reachable_from_any_seed(seed: int, more: str) -> None:
    web = SimulatedWeb.of(
        f"box:{seed}?hosts=15&pages=300&topics=3{more}".replace("hosts=15&", "" if "hosts" in more else "hosts=15&")
    )
    linked = {url for url in web.page_urls() if web.truth(url).linked}
    for topic in web.topics():
        seeds = web.seeds(topic, 1)
        assert web.reachable_from(seeds) == linked
    assert web.reachable_from([]) == set()


def test_a_crawl_by_real_links_finds_the_same_pages(web: SimulatedWeb) -> None:
    pages, found, waiting = set(web.page_urls()), set(web.roots()[:1]), web.roots()[:1]
    while waiting:
        new = (set(hrefs(web, waiting.pop())) & pages) - found
        found |= new
        waiting += new
    assert found == web.reachable_from(web.roots()[:1])


def test_unlinked_pages_are_as_many_as_asked_for() -> None:
    web = SimulatedWeb.of("box:5?hosts=30&pages=3000&unlinked=0.2")
    share = sum(not web.truth(url).linked for url in web.page_urls()) / 3000
    assert 0.17 < share < 0.23


@pytest.mark.parametrize("seed", range(6, 12))
def test_tunnelled_hosts_are_entered_only_through_foreign_topics(seed: int) -> None:
    web = SimulatedWeb.of(f"box:{seed}?hosts=24&pages=600&topics=4&tunnel=0.25")
    hidden = {urls.site_of(url) for url in web.page_urls() if web.truth(url).tunnelled}
    assert len(hidden) == 6
    entrances: Counter[str] = Counter()
    for url in web.page_urls():
        for target in hrefs(web, url):
            site = urls.site_of(target)
            if site in hidden and site != urls.site_of(url):
                topic = re.sub(r"http://([a-z]+)-.*", r"\1", site)
                assert web.topic_of(url) != topic
                assert web.topic_of(target) != topic
                entrances[site] += 1
    assert set(entrances) == hidden
    assert not any(urls.site_of(url) in hidden for topic in web.topics() for url in web.seeds(topic, 50))


def test_seeds_are_of_their_topic(web: SimulatedWeb) -> None:
    for topic in web.topics():
        seeds = web.seeds(topic, 5)
        assert len(set(seeds)) == 5
        assert all(web.topic_of(url) == topic and web.truth(url).linked for url in seeds)
    with pytest.raises(ValueError, match="there are birds"):
        web.seeds("nonsense")


def test_qualities_differ(web: SimulatedWeb) -> None:
    qualities = [web.truth(url).quality for url in web.page_urls()]
    assert all(0 <= quality < 1 for quality in qualities)
    assert sum(quality > 0.5 for quality in qualities) < 0.5 * len(qualities)
    assert len(set(qualities)) > 300


# Duplicates


def test_duplicates_repeat_the_content_of_another_page() -> None:
    web = SimulatedWeb.of("box:8?hosts=10&pages=1000&duplicates=0.1&topics=3")
    copies = {url: web.truth(url).duplicate_of for url in web.page_urls() if web.truth(url).duplicate_of}
    assert 60 < len(copies) < 140
    for url, original in list(copies.items())[:30]:
        assert url != original
        assert main_content(web, url, 3 * DAY) == main_content(web, original, 3 * DAY)
        assert web.topic_of(url) == web.topic_of(original)
        assert not web.truth(original).duplicate_of


def test_other_pages_differ(web: SimulatedWeb) -> None:
    originals = [url for url in web.page_urls() if not web.truth(url).duplicate_of]
    assert len({main_content(web, url) for url in originals}) == len(originals)


# Time


@pytest.mark.parametrize("asked", [0.0, 0.1, 0.5])
def test_the_share_of_pages_that_change_in_a_period(asked: float) -> None:
    web = SimulatedWeb.of(f"box:2?hosts=5&pages=2000&changed={asked}&duplicates=0&size=512B&links=3")
    changed = [url for url in web.page_urls() if web.version_of(url, DAY) != 0]
    assert abs(len(changed) / 2000 - asked) < 0.04
    for url in web.page_urls()[::20]:
        same = main_content(web, url) == main_content(web, url, DAY)
        assert same == (web.version_of(url, DAY) == 0)


def test_some_pages_change_far_more_often_than_most() -> None:
    web = SimulatedWeb.of("box:2?hosts=5&pages=500")
    rates = sorted(web.truth(url).changes_per_period for url in web.page_urls())
    assert rates[-1] > 20 * rates[len(rates) // 2]


def test_changes_come_at_the_stated_rate() -> None:
    web = SimulatedWeb.of("box:2?hosts=2&pages=50&changed=0.5&topics=1")
    url = max(web.page_urls(), key=lambda one: web.truth(one).changes_per_period)
    rate = web.truth(url).changes_per_period
    moments = {web.changed_at(url, step * DAY / rate / 8) for step in range(8 * 400)}
    assert 320 < len(moments) < 480


@trying(deadline=None)
@given(st.floats(0, 1e9), st.floats(0, 1e7))
def test_versions_only_grow(start: float, later: float) -> None:
    web = _EVOLVING
    for url in web.page_urls():
        before, after = web.version_of(url, start), web.version_of(url, start + later)
        assert before <= after
        assert web.changed_at(url, start) <= start or before == 0
        assert (before == after) == (web.changed_at(url, start) == web.changed_at(url, start + later))


_EVOLVING = SimulatedWeb.of("box:2?hosts=2&pages=6&changed=0.6&topics=2")


def test_conditional_requests() -> None:
    web = SimulatedWeb.of("box:2?hosts=2&pages=60&changed=0.6&topics=2")
    for url in web.page_urls():
        first = web.respond(url, DAY)
        for validator in (
            {"if-none-match": first.header("etag")},
            {"if-modified-since": first.header("last-modified")},
        ):
            again = web.respond(url, DAY, headers=validator)
            assert (again.status, again.body) == (304, b"")
            later = web.respond(url, 30 * DAY, headers=validator)
            assert (later.status == 304) == (web.version_of(url, DAY) == web.version_of(url, 30 * DAY))
    assert web.respond(url, headers={"if-modified-since": "no date"}).status == 200


# Notices, errors, traps


def sitemap_entries(web: SimulatedWeb, site: str, now: float) -> Iterator[tuple[str, str | None]]:
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    for entry in ElementTree.fromstring(web.respond(site + "/sitemap.xml", now).body):
        loc, lastmod = entry.find(space + "loc"), entry.find(space + "lastmod")
        assert loc is not None
        assert loc.text is not None
        yield loc.text, lastmod.text if lastmod is not None else None


def test_sitemaps_list_all_pages_with_honest_times(web: SimulatedWeb) -> None:
    listed = dict(entry for site in web.sites() for entry in sitemap_entries(web, site, 5 * DAY))
    assert set(listed) == set(web.page_urls())
    changed = [url for url, lastmod in listed.items() if lastmod and lastmod > "1970-01-01T00:00:00"]
    assert {url for url in listed if web.version_of(url, 5 * DAY)} == {u for u in changed if web.version_of(u, 5 * DAY)}
    assert len(changed) > 20


@pytest.mark.parametrize(("claim", "expected"), [("now", "1970-01-06T00:00:00+00:00"), ("never", None)])
def test_sitemaps_may_lie_or_be_silent(claim: str, expected: str | None) -> None:
    web = SimulatedWeb.of(f"{SMALL}&lastmod={claim}")
    assert {lastmod for _, lastmod in sitemap_entries(web, web.sites()[0], 5 * DAY)} == {expected}


def test_large_hosts_have_a_sitemap_index() -> None:
    web = SimulatedWeb.of("box:1?hosts=1&topics=1&pages=10100")
    site = web.sites()[0]
    parts = [url for url, _ in sitemap_entries(web, site, 0.0)]
    assert parts == [f"{site}/sitemap-0.xml", f"{site}/sitemap-1.xml"]
    assert sum(web.respond(part).body.count(b"<loc>") for part in parts) == 10100
    assert web.respond(f"{site}/sitemap-2.xml").status == 404


def test_robots_say_what_is_true() -> None:
    web = SimulatedWeb.of("box:1?hosts=60&pages=600")
    kinds: Counter[str] = Counter()
    for site in web.sites():
        answer, wishes = web.respond(site + "/robots.txt"), web.manners_of(site)
        rules = parse(answer.body).rules_for("lycosa")
        assert answer.status == (404 if wishes.silent else 200)
        if not wishes.silent:
            assert parse(answer.body).sitemaps == (site + "/sitemap.xml",)
            assert rules.allows("/private/3") == (not wishes.private)
            assert rules.crawl_delay == wishes.crawl_delay
        assert rules.allows("/")
        kinds.update(name for name, value in wishes._asdict().items() if value)
    assert set(kinds) == {"silent", "private", "crawl_delay"}
    assert kinds["private"] < 40


def test_private_pages_are_linked_and_forbidden() -> None:
    web = SimulatedWeb.of("box:1?hosts=20&pages=400")
    private = set(web.private_urls())
    linked = {target for url in web.page_urls() for target in hrefs(web, url)}
    assert private
    assert private <= linked
    assert all(web.truth(url).kind == "private" and web.respond(url).status == 200 for url in private)


def test_errors_are_linked_and_do_what_they_say() -> None:
    web = SimulatedWeb.of("box:1?hosts=10&pages=500&errors=0.1")
    errors = web.error_urls()
    linked = {target for url in web.page_urls() for target in hrefs(web, url)}
    assert set(errors) <= linked
    assert 30 <= len(errors) <= 50
    for url in errors:
        first, second = web.respond(url), web.respond(url, attempt=2)
        match web.truth(url).kind:
            case "gone":
                assert first.status == 404
            case "flaky":
                assert (first.status, second.status) == (500, 200)
            case "moved":
                assert first.status == 301
                assert web.truth(first.header("location")).linked
            case "soft-404":
                assert first.status == 200
                assert b"could not be found" in first.body
            case kind:
                raise AssertionError(kind)
    assert {web.truth(url).kind for url in errors} == {"gone", "flaky", "moved", "soft-404"}


def test_traps_are_endless_but_each_page_is_small() -> None:
    web = SimulatedWeb.of("box:1?hosts=10&pages=100&traps=4")
    assert sorted(web.trap_hosts().values()) == ["calendar", "facets", "growing", "session"]
    for site in web.trap_hosts():
        waiting = [url for url in hrefs(web, site + "/") if web.truth(url).kind == "trap"]
        assert waiting
        found = set(waiting)
        while waiting and len(found) < 400:
            url = waiting.pop(0)
            answer = web.respond(url)
            assert answer.status == 200
            assert len(answer.body) < 32768
            new = {one for one in hrefs(web, url) if web.truth(one).kind == "trap"} - found
            found |= new
            waiting += sorted(new)
        assert len(found) >= 400


def test_no_trap_unless_asked_for(web: SimulatedWeb) -> None:
    assert web.trap_hosts() == {}
    assert web.respond("http://birds-1.localhost:8080/calendar/2024/5").status == 404


@trying(deadline=None)
@given(
    st.text(max_size=80),
    st.sampled_from(["/calendar/", "/shop?", "/catalogue?", "/more/", "/archive/", "/private/", "/"]),
)
def test_no_path_upsets_the_web(tail: str, start: str) -> None:
    site = _TRAPPED.sites()[0]
    for host in [site, *_TRAPPED.trap_hosts()]:
        assert _TRAPPED.respond(f"{host}{start}{tail}").status in (200, 301, 404, 500)


_TRAPPED = SimulatedWeb.of("box:1?hosts=10&pages=100&traps=4")


# The fetcher


def fetched(fetcher: SimulatedFetcher, url: str, known: Known | None = None) -> Outcome:
    return asyncio.run(fetcher.fetch(Link(url), known))


def test_outcomes_of_the_fetcher() -> None:
    web = SimulatedWeb.of("box:1?hosts=20&pages=800&errors=0.1")
    fetcher = SimulatedFetcher(web, lambda: 0.0)
    page = fetched(fetcher, web.page_urls()[7])
    assert isinstance(page, Fetched)
    assert page.response.body == web.respond(web.page_urls()[7]).body
    known = Known(page.response.header("etag"), page.response.header("last-modified"))
    assert isinstance(fetched(fetcher, web.page_urls()[7], known), Unchanged)
    assert isinstance(fetched(fetcher, web.private_urls()[0]), Refused)
    by_kind = {web.truth(url).kind: url for url in web.error_urls()}
    gone, flaky = fetched(fetcher, by_kind["gone"]), fetched(fetcher, by_kind["flaky"])
    assert isinstance(gone, Failed)
    assert (gone.why, gone.again) == ("http-404", False)
    assert isinstance(flaky, Failed)
    assert (flaky.why, flaky.again) == ("http-500", True)
    assert isinstance(fetched(fetcher, by_kind["flaky"]), Fetched)
    moved = fetched(fetcher, by_kind["moved"])
    assert isinstance(moved, Redirected)
    assert web.truth(moved.target).kind == "page"
    assert isinstance(fetched(fetcher, "http://elsewhere.example/"), Failed)
    assert isinstance(fetched(fetcher, "garbage"), Failed)


def test_sites_open_with_their_robots() -> None:
    web = SimulatedWeb.of("box:1?hosts=60&pages=600")
    fetcher = SimulatedFetcher(web, lambda: 0.0)
    for site in web.sites():
        opened = asyncio.run(fetcher.open(site, 100.0))
        assert isinstance(opened, SiteOpened)
        assert opened.crawl_delay == web.manners_of(site).crawl_delay
        assert opened.until > 100.0
    assert isinstance(asyncio.run(fetcher.open("http://elsewhere.example", 100.0)), SiteShut)


def test_robots_can_be_switched_off() -> None:
    configuration = build({"fetching": {"web": "box:1?hosts=20&pages=800"}, "politeness": {"robots": False}})
    fetcher = simulated_fetcher(configuration, lambda: 1000.0)
    assert isinstance(fetcher, SimulatedFetcher)
    assert isinstance(fetched(fetcher, fetcher.web.private_urls()[0]), Fetched)


def test_the_web_of_a_fetcher_begins_with_it() -> None:
    configuration = build({"fetching": {"web": "box:1?hosts=20&pages=800"}})
    now = [1_800_000_000.0]
    fetcher = simulated_fetcher(configuration, lambda: now[0])
    assert isinstance(fetcher, SimulatedFetcher)
    pages = fetcher.web.page_urls()
    assert all(fetcher.web.version_of(url, now[0]) == 0 for url in pages)
    changing = max(pages, key=lambda url: fetcher.web.truth(url).changes_per_period)
    first = fetched(fetcher, changing)
    assert isinstance(first, Fetched)
    now[0] += 30 * DAY
    assert isinstance(fetched(fetcher, changing, Known(first.response.header("etag"))), Fetched)
