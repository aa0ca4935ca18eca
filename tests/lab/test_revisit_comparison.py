"""What sitemaps save beside a conventional crawler, and that nothing is lost by them."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from page_trees import NEW, SITE, lastmods, linked, urlset, write
from test_lab_commands import typed

from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.commands.lab.revisits import lines
from lycosa.lab.changing_webs import ChangingBox, open_versions
from lycosa.lab.revisit_comparison import CONVENTIONAL, Crawler, FirstCrawl, LookedAgain, Revisits, Spent, compare


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def compared(home: Path, web: str, *then: str, rounds: int = 1) -> Revisits:
    return compare(open_versions(web, then), rounds, home / "crawls")


def asked(found: LookedAgain) -> int:
    return found.spent.bodies + found.spent.not_modified


def test_honest_sitemaps_find_all_pages_and_fetch_again_what_changed(tmp_path: Path) -> None:
    found = compared(tmp_path, "box:7?pages=2000&unlinked=0.2&changed=0.1&lastmod=honest")
    usual, ours = found.first
    assert found.unlinked > 350
    assert (ours.pages, ours.unlinked) == (2000, found.unlinked), "all pages, also those that no links lead to"
    assert (usual.pages, usual.unlinked) == (2000 - found.unlinked, 0), "the conventional crawler has links alone"
    ((before, after),) = found.pairs()
    assert after.changed > 150
    assert (after.found, after.missed) == (after.changed, 0)
    assert asked(after) <= 1.15 * after.changed
    assert asked(before) >= usual.pages, "the conventional crawler asks for everything"
    assert before.missed == 0
    assert after.spent.requests < 0.35 * before.spent.requests
    assert after.spent.polite_seconds < 0.35 * before.spent.polite_seconds
    assert (after.sites, after.believed) == (20, 20)


@pytest.mark.parametrize("lastmod", ["now", "never"])
def test_false_claims_cost_no_more_than_no_sitemaps_once_they_are_known(tmp_path: Path, lastmod: str) -> None:
    found = compared(tmp_path, f"box:7?hosts=4&pages=160&unlinked=0&changed=0.1&lastmod={lastmod}", rounds=2)
    assert [each.pages for each in found.first] == [160, 160]
    usual, ours = found.pairs()[-1]
    assert ours.changed == usual.changed > 8
    assert (ours.missed, usual.missed) == (0, 0)
    assert asked(ours) <= asked(usual)
    assert ours.spent.bodies <= usual.spent.bodies
    assert ours.spent.requests <= usual.spent.requests + ours.spent.sitemaps
    assert ours.believed == 0, "whoever always says now is not believed, and who says nothing has made no claim"


def test_the_truth_about_a_simulated_web_is_the_generators(tmp_path: Path) -> None:
    box = ChangingBox("box:7?hosts=2&pages=60&changed=0.3")
    first, second = box.moment(0), box.moment(1)
    url = next(url for url in sorted(box.pages(0)) if box.web.version_of(url, second) > box.web.version_of(url, first))
    before, after = (box.web.respond(url, at).body for at in (first, second))
    assert before != after
    assert box.state(url, first) != box.state(url, second)
    still = next(url for url in sorted(box.pages(0)) if box.state(url, first) == box.state(url, second))
    assert box.web.respond(still, first).body == box.web.respond(still, second).body


# -- folders in two versions ----------------------------------------------------------------------


def two_versions(tmp_path: Path) -> tuple[str, str]:
    """Of twelve pages and one that only the sitemap names, two change, one goes, and one more comes."""
    before = linked(12) | {"alone.html": "Nobody links to this page of the spiders."}
    after = {name: text for name, text in before.items() if name != "p11.html"}
    after |= {"p3.html": "A story that was told anew.", "alone.html": "Still alone, but with another story."}
    after |= {"fresh.html": "This page is new and only the sitemap names it."}
    news = dict.fromkeys(("p3.html", "alone.html", "fresh.html"), NEW)
    old = write(tmp_path / "old", before, urlset(lastmods(before)))
    return old, write(tmp_path / "new", after, urlset(lastmods(after, news)))


def test_a_folder_in_two_versions_is_judged_by_its_files(tmp_path: Path) -> None:
    found = compared(tmp_path, *two_versions(tmp_path))
    assert (found.pages, found.unlinked) == (14, 1)
    usual, ours = found.first
    assert (usual.pages, usual.unlinked) == (13, 0)
    assert (ours.pages, ours.unlinked) == (14, 1)
    ((before, after),) = found.pairs()
    assert (before.changed, before.found, before.missed, before.gone, before.noticed) == (1, 1, 0, 1, 1)
    assert (after.changed, after.found, after.missed, after.gone, after.noticed) == (2, 2, 0, 1, 1)
    assert (after.pages, after.held, before.held) == (14, 14, 12), "only the sitemap tells of the new page"
    assert asked(after) == 4, "two that changed, the new one, and a sample; the one that is gone is no page"
    assert asked(before) == 12


def test_a_frame_that_changes_everywhere_is_no_change_of_text(tmp_path: Path) -> None:
    pages = linked(8)
    said = urlset(lastmods(pages, dict.fromkeys(pages, NEW)))
    old = write(tmp_path / "old", pages, urlset(lastmods(pages)))
    ((before, after),) = compared(tmp_path, old, write(tmp_path / "new", pages, said, "second")).pairs()
    assert (before.touched, before.changed, before.missed) == (9, 0, 0)
    assert (after.touched, after.changed, after.missed) == (9, 0, 0)
    assert (after.sites, after.believed) == (1, 0), "it claimed nine changes and there was none"


def silently(tmp_path: Path, changed: int, rounds: int) -> Revisits:
    """Nine pages of which some change, but the sitemap says that all are as they were."""
    pages = linked(8)
    later = pages | {f"p{place}.html": f"Changed, and nobody was told of {place}." for place in range(changed)}
    claims = urlset(lastmods(pages))
    old, new = write(tmp_path / "old", pages, claims), write(tmp_path / "new", later, claims)
    return compared(tmp_path, old, new, rounds=rounds)


def test_a_change_that_a_sitemap_keeps_silent_about_is_missed_until_a_sample_finds_it(tmp_path: Path) -> None:
    found = silently(tmp_path, changed=1, rounds=6)
    assert [each.missed for each in found.rounds if each.name == "conventional"] == [0] * 6
    ours = [after for _, after in found.pairs()]
    assert [each.changed for each in ours] == sorted((each.changed for each in ours), reverse=True)
    assert ours[0].changed == 1, "a copy stays stale until it is fetched"
    assert sum(each.found for each in ours) == 1, "found once, after a few rounds"
    assert ours[-1].changed == 0


def test_a_site_that_keeps_silent_about_many_changes_is_looked_at_as_a_whole(tmp_path: Path) -> None:
    found = silently(tmp_path, changed=8, rounds=2)
    (_, first), (_, second) = found.pairs()
    assert first.missed + second.missed <= 8, "the first sample that finds a change has all others looked at"
    assert first.found + second.found == 8
    assert (second.sites, second.believed) == (1, 0)


def test_after_the_last_version_nothing_changes_any_more(tmp_path: Path) -> None:
    found = compared(tmp_path, *two_versions(tmp_path), rounds=2)
    usual, ours = found.pairs()[1]
    assert (usual.touched, usual.gone, ours.touched, ours.gone) == (0, 0, 0, 0)
    assert asked(ours) == 1, "a sample of what is called unchanged"
    assert (usual.spent.bodies, usual.spent.not_modified) == (0, 12)


@pytest.mark.parametrize(
    "entries",
    [{}, {f"{SITE}/sitemap.xml": NEW}, {"http://other.localhost/a": NEW, "http://192.0.2.1/": NEW}],
    ids=["lists nothing", "lists itself", "lists other hosts"],
)
def test_a_sitemap_that_says_nothing_of_its_pages_changes_nothing(tmp_path: Path, entries: dict[str, str]) -> None:
    pages = linked(6)
    later = pages | {"p1.html": "Another story.", "p2.html": "Another one."}
    old, new = (write(tmp_path / str(len(each["p1.html"])), each, urlset(entries)) for each in (pages, later))
    found = compared(tmp_path, old, new)
    usual, ours = found.first
    assert (usual.pages, ours.pages) == (7, 7)
    ((before, after),) = found.pairs()
    assert (after.changed, after.found, after.missed) == (2, 2, 0)
    assert asked(after) == asked(before) == 7
    assert after.spent.requests == before.spent.requests + 1, "the sitemap, once"


def test_addresses_that_look_like_tokens_are_pages_of_a_recording_all_the_same(tmp_path: Path) -> None:
    names = [f"{place}-a-long-title-of-a-story-about-spiders-and-their-burrows.html" for place in range(130)]
    links = " ".join(f'<a href="{name}">a story</a>' for name in names)
    pages = {"index.html": f"All stories. {links}"} | {name: f"This is {name}." for name in names}
    tree = write(tmp_path / "old", pages)
    assert [each.pages for each in compared(tmp_path, tree, tree).first] == [131, 131]


def test_archives_are_versions_too(tmp_path: Path) -> None:
    archives = []
    for version in two_versions(tmp_path):
        name = version.rpartition("/")[2]
        crawler = Crawler(CONVENTIONAL, open_versions(version, [version]), tmp_path / "crawled" / name)
        crawler.crawl()
        (archive,) = crawler.folder.archive.glob("*.warc*")
        archives.append(f"warc:{archive}")
    ((before, after),) = compared(tmp_path, *archives).pairs()
    for found in (before, after):
        assert (found.changed, found.found, found.missed, found.gone, found.noticed) == (1, 1, 0, 1, 1)


@pytest.mark.parametrize("lastmod", ["9999-12-31T23:59:59Z", "0001-01-01", "soon"])
def test_times_that_cannot_be_do_not_set_the_clock(tmp_path: Path, lastmod: str) -> None:
    pages = linked(2)
    old = write(tmp_path / "old", pages, urlset(dict.fromkeys(lastmods(pages), lastmod)))
    web = open_versions(old, [old])
    assert abs(web.moment(0) - time.time()) < 600, "the files' own times decide"
    assert web.moment(1) >= web.moment(0) + 86_400


# -- what people type ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("box:7", "--then", "box:8"), "box:7 changes by itself; leave --then out"),
        (("box:x",), "is no simulated web"),
        (("dir:OLD",), "say what becomes of it, with --then"),
        (("wikispeedia:",), "cannot be looked at twice"),
        (("dir:OLD", "--then", "dir:OTHER"), "has no page in common with"),
        (("dir:OLD", "--then", "dir:MISSING"), "there is no folder"),
        (("dir:EMPTY", "--then", "dir:OLD"), "there is no page in it"),
        (("dir:OLD", "--then", "dir:OLD", "--rounds", "0"), "--rounds 0 is not possible; use 1 to 100"),
    ],
)
def test_what_cannot_be_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "OLD", linked(2))
    write(tmp_path / "OTHER", {"elsewhere.html": "A page of another site."})
    (tmp_path / "EMPTY").mkdir()
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        typed(tmp_path, "revisits", "--web", *words)


def test_a_web_of_which_nothing_can_be_fetched_is_no_web_to_look_at_again(tmp_path: Path) -> None:
    web = open_versions(write(tmp_path / "old", linked(2)), [write(tmp_path / "new", linked(2))])
    web.seeds = (f"{SITE}/nowhere.html",)
    with pytest.raises(
        ConfigurationError, match=r"no page could be fetched \(http-404\), so there is nothing to look at"
    ):
        compare(web, 1, tmp_path / "crawls")


def test_the_figures_are_printed_for_people_and_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = two_versions(tmp_path)
    assert typed(tmp_path, "revisits", "--web", old, "--then", new, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found["first"]] == ["conventional", "with sitemaps"]
    read = Revisits(
        found["web"],
        found["pages"],
        found["unlinked"],
        tuple(FirstCrawl(**each | {"spent": Spent(**each["spent"])}) for each in found["first"]),
        tuple(LookedAgain(**each | {"spent": Spent(**each["spent"])}) for each in found["rounds"]),
    )
    table = "\n".join(lines(read))
    assert re.search(r"pages found +13 +14 +\+7\.7%", table)
    assert re.search(r"pages asked for +12 +4 +-66\.7%", table)
    assert re.search(r"missed +0 +0", table)
    assert re.search(r"held pages that are gone +1 +1", table)
