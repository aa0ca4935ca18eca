"""Kinds of pages and signposts of the simulated web: off unless asked for, the same for everybody, as labelled."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa import text, urls
from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.simulated_web.notation import BoxSettings, parse_box, written
from lycosa.lab.simulated_web.page_kinds import KINDS, Kinds
from lycosa.lab.simulated_web.page_text import SIGNPOSTED, TEMPLATES
from lycosa.lab.simulated_web.signposts import BOARDS, DEPARTMENTS, neutral
from lycosa.lab.simulated_web.vocabulary import FUNCTION_WORDS, GENERAL_WORDS, TOPICS
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Page

SMALL = "box:3?hosts=12&pages=400&topics=4"
KINDRED = f"{SMALL}&kinds=4"
SIGNED = "box:7?hosts=20&pages=400&tunnel=0.25&signposts=1"
OPTIONS = ["&kinds=2", "&kinds=4", "&signposts=1", "&kinds=4&signposts=2"]
FORMER = {
    "box:3?hosts=12&pages=400&topics=4": "2cddddf524dba9bb",
    "box:7?hosts=20&pages=600&tunnel=0.25&traps=4&errors=0.1&duplicates=0.2&size=8KiB": "57e8c4644a67eb54",
    "box:9?hosts=40&pages=700&topics=12&links=40&port=80": "15af7f39863c791d",
}
"""What webs without these options were before there were any."""


@pytest.fixture(scope="module")
def kindred() -> SimulatedWeb:
    return SimulatedWeb.of(KINDRED)


@pytest.fixture(scope="module")
def signed() -> SimulatedWeb:
    return SimulatedWeb.of(SIGNED)


def digest(web: SimulatedWeb, now: float = 432000.0) -> str:
    seen = hashlib.sha256()
    for url in [*web.page_urls(), *web.error_urls()]:
        answer = web.respond(url, now)
        seen.update(f"{url} {answer.status} {answer.header('etag')}\n".encode() + answer.body)
    return seen.hexdigest()[:16]


def tree(web: SimulatedWeb, url: str) -> LexborHTMLParser:
    return LexborHTMLParser(web.respond(url).body)


def content(web: SimulatedWeb, url: str) -> LexborNode:
    node = tree(web, url).css_first("#content")
    assert node is not None
    return node


def tag_paths(node: LexborNode, above: str = "") -> set[str]:
    found, child = set(), node.child
    while child is not None:
        if child.tag and not child.tag.startswith("-"):
            path = f"{above}/{child.tag}"
            found |= {path} | tag_paths(child, path)
        child = child.next
    return found


def skeleton(page: LexborHTMLParser) -> set[str]:
    assert page.root is not None
    return tag_paths(page.root)


def whole(web: SimulatedWeb, url: str) -> str:
    source = tree(web, url).html
    assert source is not None
    return source


def hrefs(web: SimulatedWeb, url: str) -> list[str]:
    found = [node.attributes.get("href") or "" for node in tree(web, url).css("a[href]")]
    return [one for one in urls.resolve(url, found) if one is not None]


def read(web: SimulatedWeb, url: str) -> Page:
    return read_page(Fetched(Link(url), web.respond(url)))


def alike(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other)


# What they leave alone


@pytest.mark.parametrize("notation", FORMER)
def test_webs_without_the_options_are_what_they_were(notation: str) -> None:
    assert digest(SimulatedWeb.of(notation)) == FORMER[notation]
    assert digest(SimulatedWeb.of(notation + "&kinds=1&signposts=0")) == FORMER[notation]


@trying(deadline=None)
@given(st.integers(1, 4), st.integers(0, 5))
def test_the_options_survive_being_written(kinds: int, signposts: int) -> None:
    settings = BoxSettings(kinds=kinds, signposts=signposts)
    assert parse_box(written(settings)) == settings


@pytest.mark.parametrize(
    ("notation", "hint"),
    [
        ("box:1?kinds=0", "use 1 to 4"),
        ("box:1?kinds=5", "use 1 to 4"),
        ("box:1?kinds=all", "whole number"),
        ("box:1?topics=3&signposts=4", "the number of topics"),
        ("box:1?signpost=1", "did you mean 'signposts'"),
    ],
)
def test_impossible_options_are_refused_with_a_hint(notation: str, hint: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(hint)):
        parse_box(notation)


@pytest.mark.parametrize("more", OPTIONS)
def test_the_same_bytes_in_another_process_and_another_order(more: str) -> None:
    web = SimulatedWeb.of(SMALL + more)
    backwards = {url: web.respond(url).body for url in reversed(web.page_urls()[::7])}
    own = hashlib.sha256(b"".join(backwards[url] for url in web.page_urls()[::7])).hexdigest()
    script = (
        "import hashlib; from lycosa.lab.simulated_web.web import SimulatedWeb\n"
        f"web = SimulatedWeb.of({SMALL + more!r})\n"
        "print(hashlib.sha256(b''.join(web.respond(u).body for u in web.page_urls()[::7])).hexdigest())"
    )
    other = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONHASHSEED": "99"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert other.stdout.strip() == own


@pytest.mark.parametrize("more", OPTIONS)
def test_every_promise_of_the_map_holds(more: str) -> None:
    web = SimulatedWeb.of(f"box:5?hosts=15&pages=400&topics=3&tunnel=0.3{more}")
    pages = web.page_urls()
    assert len(set(pages)) == 400
    for url in pages:
        assert urls.normalise(url) == url
        assert web.respond(url).status == 200
        assert set(hrefs(web, url)) & set(pages) == set(web.links_of(url)) | {urls.site_of(url) + "/"}
    linked = {url for url in pages if web.truth(url).linked}
    assert web.reachable_from(web.seeds(web.topics()[0], 1)) == linked
    hidden = {urls.site_of(url) for url in pages if web.truth(url).tunnelled}
    entrances = {
        (urls.site_of(to), web.topic_of(url) != web.signposted_topic_of(urls.site_of(to) + "/"))
        for url in pages
        for to in web.links_of(url)
        if urls.site_of(to) in hidden and urls.site_of(url) != urls.site_of(to)
    }
    assert entrances == {(site, True) for site in hidden}


@pytest.mark.parametrize("more", OPTIONS)
def test_copies_say_what_their_original_says(more: str) -> None:
    web = SimulatedWeb.of(f"box:8?hosts=10&pages=600&duplicates=0.1&topics=3{more}")
    copies = {url: web.truth(url).duplicate_of for url in web.page_urls() if web.truth(url).duplicate_of}
    assert len(copies) > 30
    for url, original in copies.items():
        here, there = content(web, url).text(separator=" "), content(web, original).text(separator=" ")
        assert here.split() == there.split()
        assert web.kind_of(url) == web.kind_of(original)


@pytest.mark.parametrize("more", OPTIONS)
def test_pages_stay_about_as_large_as_asked(more: str) -> None:
    web = SimulatedWeb.of(f"{SMALL}&size=6KiB{more}")
    sizes = [len(web.respond(url).body) for url in web.page_urls()]
    assert 0.75 * 6144 < sum(sizes) / len(sizes) < 1.25 * 6144


@pytest.mark.parametrize("more", OPTIONS)
def test_no_path_upsets_the_web(more: str) -> None:
    web = SimulatedWeb.of(f"{SMALL}{more}")
    tails = ["/", "/k/", "/k/k/1", "/x/view?page=1", "/p/0", "/p/999999999", "/kk/p/1", "//p/1", "/k/item-1.html"]
    for site, tail in product([*web.sites(), "http://site-0.localhost:8080", "http://site-99.localhost:8080"], tails):
        assert web.respond(site + tail).status in (200, 404)
        assert bool(web.kind_of(site + tail)) == (site + tail in web.page_urls())


# Kinds


def test_labels_say_the_kind_of_every_page(kindred: SimulatedWeb) -> None:
    labels = kindred.kind_labels()
    assert list(labels) == kindred.page_urls()
    assert all(kindred.kind_of(url) == kind for url, kind in labels.items())
    shares = Counter(labels.values())
    assert set(shares) == set(kindred.kinds()) == set(KINDS)
    assert all(80 < share < 120 for share in shares.values())
    assert kindred.kind_of("http://birds-1.localhost:8080/nope") == ""
    assert set(SimulatedWeb.of(SMALL).kind_labels().values()) == {"article"}


def test_pages_of_a_kind_on_a_host_share_a_skeleton_and_kinds_do_not(kindred: SimulatedWeb) -> None:
    found: dict[str, dict[str, list[set[str]]]] = defaultdict(lambda: defaultdict(list))
    for url in kindred.page_urls():
        if len(found[urls.site_of(url)][kindred.kind_of(url)]) < 5:
            found[urls.site_of(url)][kindred.kind_of(url)].append(tag_paths(content(kindred, url)))
    for kinds in found.values():
        for pages in kinds.values():
            assert all(alike(one, other) > 0.7 for one, other in combinations(pages, 2))
        for here, there in combinations(kinds.values(), 2):
            assert all(alike(one, other) < 0.5 for one, other in product(here, there))


def test_kinds_share_their_hosts_frame(kindred: SimulatedWeb) -> None:
    frames: dict[str, set[frozenset[str]]] = defaultdict(set)
    for url in kindred.page_urls():
        inside = content(kindred, url).html or ""
        around = LexborHTMLParser(whole(kindred, url).replace(inside, ""))
        frames[urls.site_of(url)].add(frozenset(skeleton(around)))
    assert all(alike(set(one), set(other)) > 0.75 for kept in frames.values() for one, other in combinations(kept, 2))


def test_a_kind_looks_different_in_every_template() -> None:
    web = SimulatedWeb.of("box:3?hosts=40&pages=800&kinds=4")
    skeletons: dict[str, set[frozenset[str]]] = defaultdict(set)
    for url, kind in web.kind_labels().items():
        inside = re.sub(r"<a .*?</a>", "", content(web, url).html or "")
        skeletons[kind].add(frozenset(skeleton(LexborHTMLParser(inside))))
    assert all(len(found) >= len(TEMPLATES) for found in skeletons.values())


def test_pages_of_a_kind_differ_in_length(kindred: SimulatedWeb) -> None:
    for kind, part in [("listing", "li, tr"), ("entry", "tr, dd"), ("profile", "li"), ("article", "p")]:
        counts = {len(content(kindred, url).css(part)) for url, of in kindred.kind_labels().items() if of == kind}
        assert len(counts) >= 4


def test_markup_still_does_not_tell_the_topic() -> None:
    web = SimulatedWeb.of("box:3?hosts=60&pages=2000&topics=3&kinds=4&size=10KiB")
    by_topic: dict[str, set[str]] = defaultdict(set)
    for url, topic in web.labels().items():
        source = re.sub(r' href="[^"]*"', "", web.respond(url).body.decode("ascii"))
        by_topic[topic].update(re.findall(r"<[^>]*>", source))
    everywhere = set.union(*by_topic.values())
    assert all(tags == everywhere for tags in by_topic.values())
    assert not any(kind in tag for tag in everywhere for kind in ("listing", "profile", *TOPICS))


def test_kind_and_topic_are_independent() -> None:
    web = SimulatedWeb.of("box:3?hosts=20&pages=4000&topics=4&kinds=4&duplicates=0")
    pairs = Counter(zip(web.labels().values(), web.kind_labels().values(), strict=True))
    topics = Counter(web.labels().values())
    assert all(abs(count / topics[topic] - 0.25) < 0.05 for (topic, _), count in pairs.items())


def test_half_of_the_hosts_keep_kinds_in_directories_that_mean_something_else_elsewhere() -> None:
    web = SimulatedWeb.of("box:3?hosts=40&pages=2000&kinds=4")
    directories: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for url, kind in web.kind_labels().items():
        directory = re.match(r"http://[^/]+/([a-z])/", url)
        if directory:
            directories[urls.site_of(url)][directory[1]].add(kind)
    assert 12 < len(directories) < 28
    assert all(len(kinds) == 1 for kept in directories.values() for kinds in kept.values())
    meant: dict[str, set[str]] = defaultdict(set)
    for kept in directories.values():
        for name, kinds in kept.items():
            meant[name] |= kinds
    assert sum(len(kinds) > 1 for kinds in meant.values()) > len(meant) / 2
    assert all(url.endswith("/") for url in web.roots())


def test_listings_lead_mostly_to_one_kind_by_a_tag_path_of_their_own() -> None:
    web = SimulatedWeb.of("box:6?hosts=16&pages=800&topics=3&kinds=4&duplicates=0")
    labels = web.kind_labels()
    block_paths: dict[str, set[str]] = defaultdict(set)
    other_paths: dict[str, set[str]] = defaultdict(set)
    targets: dict[str, Counter[str]] = defaultdict(Counter)
    for url, kind in labels.items():
        site = urls.site_of(url)
        for link in read(web, url).links:
            path = link.tag_path
            if kind == "listing" and path.endswith(("strong/a", "/b/a", "font/a")):
                block_paths[site].add(path)
                targets[site][labels[link.url]] += 1
            else:
                other_paths[site].add(path)
    for site, counts in targets.items():
        assert len(block_paths[site]) == 1
        assert not block_paths[site] & other_paths[site]
        assert counts.most_common(1)[0][1] > 0.85 * counts.total()
    assert len(targets) == 16
    assert len({counts.most_common(1)[0][0] for counts in targets.values()}) == 3


@trying(deadline=None)
@given(st.integers(2, 4), st.integers(0, 10**6), st.integers(0, 10**9), st.integers(0, 3))
def test_a_page_of_each_kind_is_near_every_page(count: int, host: int, number: int, kind: int) -> None:
    kinds = Kinds(count, lambda what, first, second: hash((what[0], first, second)) & (2**64 - 1))
    wanted = kind % count
    near = kinds.near(host, number, wanted)
    assert kinds.of(host, near) == wanted
    assert abs(near - number) < count
    assert kinds.listed(host) != KINDS.index("listing")
    assert len(set(kinds.directories(host))) in (1, count)


# Signposts


def test_department_names_are_outside_of_all_vocabularies() -> None:
    topical = set(text.terms(" ".join(word for words in TOPICS.values() for word in words)))
    known = topical | set(text.terms(" ".join((*FUNCTION_WORDS, *GENERAL_WORDS))))
    named = text.terms(" ".join(DEPARTMENTS))
    assert len(DEPARTMENTS) == len(TOPICS)
    assert len(set(named)) == len(named) == len(" ".join(DEPARTMENTS).split())
    assert not set(named) & known
    assert not set(text.terms(" ".join(map(neutral, range(40))))) & topical


def test_templates_have_room_for_lists() -> None:
    for look, roomy, board in zip(TEMPLATES, SIGNPOSTED, BOARDS, strict=True):
        assert board.enclosed in look.page
        assert roomy.page.count("{items}") == 1


def test_links_stand_under_the_department_of_the_topic_they_lead_towards(signed: SimulatedWeb) -> None:
    headings = {signed.department_of(topic).capitalize(): topic for topic in signed.topics()}
    pages, departments, own, links = set(signed.page_urls()), list[int](), 0, 0
    for url in signed.page_urls():
        elsewhere = pages - {urls.site_of(url) + "/"}
        named = [
            link for link in read(signed, url).links if link.headings.nearest in headings and link.url in elsewhere
        ]
        for link in named:
            topic = headings[link.headings.nearest]
            assert topic == signed.signposted_topic_of(link.url)
            assert set(link.boundary.lower().split()) & set(signed.department_of(topic).split())
            own += topic == signed.topic_of(url)
        links += len(named)
        departments.append(len({link.headings.nearest for link in named}))
        assert {link.url for link in named} | {urls.site_of(url) + "/", url} >= set(signed.links_of(url))
    assert sum(count >= 3 for count in departments) > 0.9 * len(departments)
    assert 0.25 < own / links < 0.6


@pytest.mark.parametrize("more", ["", "&kinds=4"])
def test_neither_anchors_nor_urls_tell_the_topic(more: str) -> None:
    web = SimulatedWeb.of(SIGNED + more)
    topical = {word for topic in web.topics() for word in (topic, *TOPICS[topic])}
    for url in web.page_urls():
        assert not set(re.findall(r"[a-z]+", url)) & topical
        for node in tree(web, url).css("a"):
            assert not set(re.findall(r"[a-z]+", node.text().lower())) & topical


def test_the_way_to_a_tunnel_is_signposted(signed: SimulatedWeb) -> None:
    """The gate's link to an island and the pages that lead down to the gate stand under the island's department."""
    hidden = [url for url in signed.page_urls() if signed.truth(url).tunnelled and url.endswith("80/")]
    for home in hidden:
        topics = Counter(signed.topic_of(url) for url in signed.page_urls() if urls.site_of(url) == urls.site_of(home))
        assert signed.signposted_topic_of(home) == topics.most_common(1)[0][0] != signed.topic_of(home)
    on_the_way = [
        url
        for url in signed.page_urls()
        if url not in hidden and signed.signposted_topic_of(url) != signed.topic_of(url)
    ]
    assert len(hidden) == 5
    assert on_the_way
    assert not any(signed.truth(url).tunnelled for url in on_the_way)


@pytest.mark.parametrize("more", ["", "&kinds=4"])
def test_other_signposts_are_the_same_web_with_other_names_above_the_links(more: str) -> None:
    one, two = SimulatedWeb.of(SIGNED + more), SimulatedWeb.of(SIGNED.replace("signposts=1", "signposts=2") + more)
    assert one.page_urls() == two.page_urls()
    assert one.labels() == two.labels()
    assert one.kind_labels() == two.kind_labels()
    names = [one.department_of(topic) for topic in one.topics()]
    assert [two.department_of(topic) for topic in two.topics()] == names[1:] + names[:1]
    renamed = {
        word: other
        for a, b in zip(names, names[1:] + names[:1], strict=True)
        for word, other in zip(a.split(), b.split(), strict=True)
    }
    renamed |= {word.capitalize(): other.capitalize() for word, other in renamed.items()}
    pattern = re.compile(r"\b(?:" + "|".join(renamed) + r")\b")
    for url in one.page_urls():
        here, there = one.respond(url), two.respond(url)
        assert here.body != there.body
        assert hrefs(one, url) == hrefs(two, url)
        assert pattern.sub(lambda found: renamed[found[0]], here.body.decode()) == there.body.decode()
        assert here.header("etag") != there.header("etag")


def test_lists_come_in_no_fixed_order(signed: SimulatedWeb) -> None:
    names = {signed.department_of(topic).capitalize() for topic in signed.topics()}
    firsts = Counter(
        next(link.headings.nearest for link in read(signed, url).links if link.headings.nearest in names)
        for url in signed.page_urls()
    )
    assert set(firsts) == names
    assert max(firsts.values()) < 0.4 * firsts.total()


def test_a_web_without_signposts_has_no_departments() -> None:
    web = SimulatedWeb.of(SMALL)
    assert web.department_of("birds") == ""
    with pytest.raises(ValueError, match="there are birds"):
        SimulatedWeb.of(f"{SMALL}&signposts=1").department_of("nonsense")


# Cost


def test_pages_cost_about_what_they_cost_without() -> None:
    """Prints the ratios; only a cost out of all proportion fails, since machines are busy."""
    webs = {more: SimulatedWeb.of(f"box:7?hosts=20&pages=600{more}") for more in ("", *OPTIONS)}
    listed = {more: web.page_urls() for more, web in webs.items()}
    best = dict.fromkeys(webs, float("inf"))
    for _, (more, web) in product(range(3), webs.items()):
        begin = time.process_time()
        for url in listed[more]:
            web.respond(url)
        best[more] = min(best[more], time.process_time() - begin)
    for more, seconds in best.items():
        print(f"{more or 'default'}: {seconds / 600 * 1e6:.0f} us a page, {seconds / best['']:.2f} times the default")
    assert max(best.values()) < 4 * best[""]
