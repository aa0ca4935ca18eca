"""`lycosa clicks top` and `behaviour`: the lists, the picture, user stats, and clear words where there is nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_crawl import Crawled

from lycosa.click_records import ClickEvent, PageClicks, Source
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.inspection.page_bm25 import crawl_relevance
from lycosa.interface.cli import parser
from lycosa.interface.views.importance_plot import WIDTH, Bar, importance_plot
from lycosa.search.schema import IndexDamaged
from lycosa.storage.click_store import ClickStore

SVG = "{http://www.w3.org/2000/svg}"
KAKCHO = "http://blog.kakcho.com/"
DAY = 20_000
Clicks = Callable[..., Any]
PAGES = [
    PageClicks(KAKCHO, visits=73, visitors=60, duration=753898, ascii_sum=5634244, downloads=1, created=1e9),
    PageClicks("http://blog.kakcho.com/b", visits=10, visitors=9, duration=60000, ascii_sum=200000, length=40),
    PageClicks("http://blog.kakcho.com/c"),
]
VISITORS = [
    {8, 1, 5}, {10, 8, 1}, {6}, {7}, {9}, {11}, {12}, {1, 8, 10}, {4}, {2}, {8, 3}, {13}, {8, 10}, {8}, {1, 5},
]  # fmt: skip


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Clicks:
    """Runs an action of `lycosa clicks` and returns what it printed, parsed where it is JSON."""

    def typed(*arguments: str, home: Path = tmp_path) -> Any:
        told = parser(["clicks.actions"]).parse_args(["clicks", *arguments, "--home", str(home)])
        assert told.run(told) == 0
        printed = capsys.readouterr().out
        return json.loads(printed) if told.json else printed

    return typed


def event(url: str, visitor: int, actions: dict[int, int], **more: Any) -> ClickEvent:
    name = visitor.to_bytes(16, "big")
    return ClickEvent(
        "kakcho", url, DAY * 86_400.0 + visitor, DAY, name, name[8:] + url[-8:].encode(), 0, actions=actions, **more
    )


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    """A home whose click store has the pages of a log."""
    with ClickStore(tmp_path / "clicks") as store:
        store.add_pages("kakcho", Source.LOG, PAGES)
        store.add_pages("other", Source.LOG, [PageClicks("http://other.test/", visits=1, duration=500)])
    return tmp_path


@pytest.fixture
def watched(tmp_path: Path) -> Path:
    """A home whose beacon saw the fifteen visitors of M13 on one page, and one on another."""
    with ClickStore(tmp_path / "clicks") as store:
        store.add_events(
            [
                event(KAKCHO, place, dict.fromkeys(actions, 2), active=1000, dwell=4000, rating=3 if place < 3 else 0)
                for place, actions in enumerate(VISITORS, 1)
            ]
        )
        store.add_events([event("http://blog.kakcho.com/b", 99, {1: 1})])
    return tmp_path


# -- top --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("counted")
def test_the_final_list_is_ordered_by_iv_and_has_the_whole_record(run: Clicks) -> None:
    found = run("top", "--site", "kakcho", "--json")
    assert [page["url"] for page in found["pages"]] == [page.url for page in PAGES]
    assert sum(page["iv"] for page in found["pages"]) == pytest.approx(100)
    first = found["pages"][0]
    assert first["key"] == "aHR0cDovL2Jsb2cua2FrY2hvLmNvbS8="
    assert first["score"] == pytest.approx(159.808 - 60, abs=5e-4)
    record = {"visits": 73, "visitors": 60, "duration": 753898, "ascii_sum": 5634244, "downloadable_content_value": 1}
    assert {name: first[name] for name in record} == record
    assert first["created"] == "2001-09-09T01:46:40+00:00"
    assert sum(part["value"] for part in first["why"]["score"]) == pytest.approx(first["score"])
    assert "BM25 counts as 0" in found["notes"][0]


@pytest.mark.usefixtures("counted")
def test_the_list_for_people_has_a_line_per_page_and_says_what_is_missing(run: Clicks) -> None:
    lines = run("top", "--limit", "2").splitlines()
    assert lines[0] == "the first 2 of 4 pages by importance value IV (all pages together: 100)"
    assert lines[2].split()[0] == "1."
    assert lines[2].endswith(KAKCHO)
    assert lines[2].count("12 min 34 s") == 2
    assert lines[-1].startswith("the text of pages is not known without --crawl")


def test_views_without_an_end_are_told_as_estimated(run: Clicks, tmp_path: Path) -> None:
    page = PageClicks("http://a.test/", visits=3, duration=60_000, unended=2, spans={60: 1})
    with ClickStore(tmp_path / "clicks") as store:
        store.add_pages("a", Source.LOG, [page])
    assert "3 min 1 min + 2 min" in " ".join(run("top").split())
    (told,) = run("top", "--json")["pages"]
    assert (told["lr"], told["duration"], told["estimated"]) == (180_000, 60_000, 120_000)


@pytest.mark.usefixtures("counted")
def test_length_may_stand_for_duration_and_another_order_be_chosen(run: Clicks) -> None:
    by_length = {page["url"]: page["score"] for page in run("top", "--json", "--spent", "length")["pages"]}
    assert by_length[KAKCHO] == pytest.approx(73 + 5)
    assert run("top", "--json", "--by", "lr", "--limit", "1")["pages"][0]["lr"] == 753898


@pytest.mark.usefixtures("counted")
def test_the_picture_has_a_bar_per_page_as_long_as_its_value(run: Clicks, tmp_path: Path) -> None:
    run("top", "--site", "kakcho", "--plot", str(tmp_path / "top.svg"))
    svg = ElementTree.parse(tmp_path / "top.svg").getroot()
    bars = [float(bar.get("width", "")) for bar in svg.iter(f"{SVG}rect") if bar.get("class") == "bar"]
    values = [page["iv"] for page in run("top", "--site", "kakcho", "--json")["pages"]]
    assert [bar / bars[0] for bar in bars] == pytest.approx([value / values[0] for value in values], abs=1e-3)


@given(st.lists(st.tuples(st.text(max_size=90), st.floats()), max_size=25))
def test_a_picture_is_well_formed_and_stays_on_its_paper(bars: list[tuple[str, float]]) -> None:
    svg = ElementTree.fromstring(importance_plot([Bar(*each) for each in bars], "Top", "IV"))
    drawn = [bar for bar in svg.iter(f"{SVG}rect") if bar.get("class") == "bar"]
    assert len(drawn) == min(len(bars), 20)
    assert all(0 <= float(bar.get("width", "")) + float(bar.get("x", "")) <= WIDTH for bar in drawn)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--site", "kakch"], "no site named 'kakch' was counted; there are: kakcho, other"),
        (["--topic", "birds"], "--crawl NAME"),
        (["--limit", "0"], "use 1 or more"),
        (["--content", "0.5"], "E is 1 or more"),
        (["--plot", "top.png"], r"ends in \.svg"),
        (["--plot", "/nowhere/at/all.svg"], "is no folder"),
    ],
)
@pytest.mark.usefixtures("counted")
def test_what_cannot_be_is_refused_with_a_way_out(run: Clicks, arguments: list[str], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        run("top", *arguments)


@pytest.mark.parametrize("action", ["top", "behaviour"])
def test_where_nothing_was_counted_the_way_to_count_is_told(run: Clicks, tmp_path: Path, action: str) -> None:
    with pytest.raises(ConfigurationError, match="lycosa clicks import"):
        run(action)
    ClickStore(tmp_path / "clicks").close()
    with pytest.raises(ConfigurationError, match="lycosa clicks import"):
        run(action)
    with pytest.raises(CrawlError, match="no crawl named 'birds'"):
        run(action, "--crawl", "birds")


# -- top of a crawl ---------------------------------------------------------------------------------


@pytest.fixture
def crawl_home(crawled: Crawled, tmp_path: Path) -> Path:
    """A home of its own with the crawl that all tests share."""
    (tmp_path / "crawls").symlink_to(crawled.home / "crawls")
    return tmp_path


def test_the_raw_bm25_of_a_crawl_is_what_its_scorer_found(crawl_home: Path, crawled: Crawled) -> None:
    folder = CrawlFolder.find(crawl_home, "birds")
    found = crawl_relevance(folder)
    told = json.loads(crawled.run("explain", "birds", max(found.bm25, key=found.bm25.__getitem__), "--json").stdout)
    (line,) = [event["what"] for event in told["events"] if event["what"].startswith("relevance")]
    at_the_time = float(line.partition("okapi ")[2].split()[0])
    assert max(found.bm25.values()) == pytest.approx(at_the_time, rel=0.15)
    assert len({round(value, 6) for value in found.bm25.values()}) > 10


def test_the_lists_of_a_crawl_join_content_and_visits(run: Clicks, crawl_home: Path) -> None:
    first = run("top", "--crawl", "birds", "--list", "first", "--json", "--limit", "1000")
    raw = [page["bm25"] for page in first["pages"]]
    assert raw == sorted(raw, reverse=True)
    assert raw[0] > 0
    assert "content alone decides" in first["notes"][1]
    last = first["pages"][-1]["url"]
    with ClickStore(crawl_home / "clicks") as store:
        pages = [PageClicks(last, visits=10_000, duration=10**6), PageClicks("http://dark.test/", visits=5)]
        store.add_pages("box", Source.LOG, pages)
    final = run("top", "--crawl", "birds", "--json", "--limit", "1000")
    assert final["pages"][0]["url"] == last
    assert final["total"] == first["total"]
    assert sum(page["iv"] for page in final["pages"]) == pytest.approx(100)
    assert any(
        "1 page that people visit is not in the crawl; see `lycosa clicks dark birds`" in note
        for note in final["notes"]
    )


def test_another_topic_is_asked_of_the_index(run: Clicks, crawl_home: Path) -> None:
    own = run("top", "--crawl", "birds", "--list", "first", "--json", "--limit", "1000")
    same = run("top", "--crawl", "birds", "--topic", "birds feather wing nest", "--list", "first", "--json")
    other = run("top", "--crawl", "birds", "--topic", "qqqq", "--list", "first", "--json")
    matching = {page["url"] for page in own["pages"] if page["bm25"] > 0}
    assert {page["url"] for page in same["pages"] if page["bm25"] > 0} <= matching
    assert same["pages"][0]["bm25"] > 0
    assert all(page["bm25"] == 0 for page in other["pages"])
    with pytest.raises(ConfigurationError, match="has no words"):
        run("top", "--crawl", "birds", "--topic", "?!")


def test_clicks_of_a_crawl_s_own_search_are_no_second_count(run: Clicks, crawled: Crawled, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "crawls" / "birds").mkdir(parents=True)
    for part in ("crawl.toml", "agents", "index"):
        (home / "crawls" / "birds" / part).symlink_to(crawled.home / "crawls" / "birds" / part)
    url = run("top", "--crawl", "birds", "--json", home=home)["pages"][0]["url"]
    for folder, visits in ((home, 7), (home / "crawls" / "birds", 3)):
        with ClickStore(folder / "clicks") as store:
            store.add_pages("site", Source.LOG, [PageClicks(url, visits=visits)])
    found = {page["url"]: page["visits"] for page in run("top", "--crawl", "birds", "--json", home=home)["pages"]}
    assert found[url] == 7


def test_an_index_that_is_not_there_is_told(crawled: Crawled, tmp_path: Path) -> None:
    (tmp_path / "birds").mkdir()
    for part in ("crawl.toml", "agents"):
        (tmp_path / "birds" / part).symlink_to(crawled.home / "crawls" / "birds" / part)
    with pytest.raises(IndexDamaged, match="no index yet"):
        crawl_relevance(CrawlFolder(tmp_path / "birds"), "birds")


# -- behaviour --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("watched")
def test_the_weight_of_the_fifteen_visitors_stands_beside_hits_and_stars(run: Clicks) -> None:
    found = run("behaviour", "--json")
    first, second = found["pages"]
    assert (first["url"], first["visits"], first["visitors"]) == (KAKCHO, 15, 15)
    assert first["weight"] == pytest.approx(1.75)
    assert first["mean_rating"] == pytest.approx(3.0)
    assert (first["ratings"], second["mean_rating"], second["weight"]) == (2, None, 0)
    assert (first["active"], first["dwell"]) == (15_000, 60_000)
    assert first["sets"][0]["actions"] == ["favourite", "save"]
    assert run("behaviour", "--support", "0.1333", "--json")["pages"][0]["weight"] == pytest.approx(3.0)


@pytest.mark.usefixtures("watched")
def test_actions_that_a_script_sees_in_part_are_marked(run: Clicks) -> None:
    actions = run("behaviour", "--url", KAKCHO, "--json")["pages"][0]["actions"]
    assert actions["favourite"] == {"times": 12, "visitors": 6, "at_least": True}
    assert actions["scroll"] == {"times": 8, "visitors": 4, "at_least": False}
    printed = run("behaviour", "--url", KAKCHO).splitlines()
    assert [line.split() for line in printed if line.split()[:1] == ["favourite"]] == [
        ["favourite", "≥", "12", "≥", "6"]
    ]
    assert [line.split() for line in printed if line.split()[:1] == ["scroll"]] == [["scroll", "8", "4"]]
    assert any("weight 1.7500" in line for line in printed)


@pytest.mark.usefixtures("watched")
def test_the_latest_visitors_are_shown_with_day_and_six_digits(run: Clicks) -> None:
    found = run("behaviour", "--json")
    assert found["rows"] == 16
    assert found["latest"][0]["url"] == "http://blog.kakcho.com/b"
    assert found["latest"][0]["day"] == "2024-10-04"
    assert all(len(row["visitor"]) == 6 for row in found["latest"])
    assert found["latest"][1]["actions"] == {"scroll": 2, "direct": 2}
    assert "4 Oct 2024  000000  http://blog.kakcho.com/b: scroll 1" in run("behaviour")


def test_weights_for_a_query_are_shown_with_it(run: Clicks, watched: Path) -> None:
    with ClickStore(watched / "clicks") as store:
        store.add_shown("wolf spiders", [KAKCHO], day=DAY)
        events = [event(KAKCHO, 500 + place, {1: 1, 2: 1}, query="wolf spiders") for place in range(3)]
        store.add_events(events)
    found = run("behaviour", "--json")
    assert [(each["query"], each["url"], each["weight"]) for each in found["queries"]] == [
        ("wolf spiders", KAKCHO, 2.0)
    ]
    assert "2.000 'wolf spiders': http://blog.kakcho.com/" in run("behaviour")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--site", "kakch"], "no site named 'kakch' was counted; there are: kakcho"),
        (["--url", "http://blog.kakcho.com/none"], "`lycosa clicks behaviour` lists the pages"),
        (["--url", "ftp://example.org/"], r"is no http\(s\) URL"),
        (["--support", "0"], "use a share above 0"),
        (["--confidence", "1.5"], "use a share above 0"),
        (["--limit", "0"], "use 1 or more"),
    ],
)
@pytest.mark.usefixtures("watched")
def test_what_behaviour_cannot_show_is_told(run: Clicks, arguments: list[str], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        run("behaviour", *arguments)


def test_a_crawl_that_nobody_searched_is_told(run: Clicks, crawled: Crawled, tmp_path: Path) -> None:
    (tmp_path / "crawls" / "birds").mkdir(parents=True)
    (tmp_path / "crawls" / "birds" / "crawl.toml").symlink_to(crawled.home / "crawls" / "birds" / "crawl.toml")
    with pytest.raises(ConfigurationError, match="nobody has searched in crawl 'birds' yet"):
        run("behaviour", "--crawl", "birds")


@pytest.mark.usefixtures("counted")
def test_a_log_knows_no_actions_and_that_is_told(run: Clicks) -> None:
    assert "no action of a visitor is known; the beacon sees them" in run("behaviour", "--site", "kakcho")
