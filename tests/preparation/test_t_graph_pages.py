"""T-Graphs are gathered top-down and bottom-up within bounds, kept as files, and changed back in running crawls."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError, build, changed
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.t_graph_files import OWN_COPY, GraphFile, keep_treasure, read_graph, treasure_of, write_graph
from lycosa.crawl_folder.topic import topic_of
from lycosa.crawling.assembly import build_agent
from lycosa.inspection.t_graph import crawl_treasure
from lycosa.link_graph.t_graph.graph import Node, TreasureGraph
from lycosa.link_graph.t_graph.passages import Passage
from lycosa.link_graph.t_graph.watchdog import Seen, change_name
from lycosa.plugins.plug_points import EngineFailed, Found, Topic
from lycosa.preparation.backlinks import EngineBacklinks, backlink_sources, fairly
from lycosa.preparation.page_fetching import LATE, NotHad, PageVisitor
from lycosa.preparation.t_graph_pages import Bounds, Built, Wanted, build_treasure
from lycosa.queue_records import Changes
from lycosa.records import Page
from lycosa.scoring.links.t_graph_state import TreasureKeeper
from lycosa.scoring.strategy import Strategy, strategy_of
from lycosa.storage.agent_store import AgentStore, Batch
from lycosa.supervision.control_channel import Desk

SITE = "http://web.localhost/"
PAGES = {
    "home.html": "<h1>Nature</h1><h2>Animals</h2><p>All about animals: <a href=guide.html>guide</a></p>",
    "guide.html": "<h1>Guide</h1><h2>Birds</h2><p>Birds of the night: <a href=owl.html>owl</a></p>"
    "<h2>Trains</h2><p>Railways: <a href=train.html>trains</a></p>",
    "owl.html": "<h1>Owl</h1><p>Owls hunt at night. <a href=home.html>back</a></p>",
    "train.html": "<h1>Train</h1><p>A locomotive. <a href=home.html>back</a></p>",
    "lonely.html": "<h1>Heron</h1><p>Herons wade.</p>",
    "bare.html": "<html></html>",
}


@pytest.fixture
def web(tmp_path: Path) -> Path:
    folder = tmp_path / "web"
    folder.mkdir()
    for name, body in PAGES.items():
        (folder / name).write_text(f"<title>{name}</title>{body}", "utf-8")
    return folder


def by(web: Path) -> Configuration:
    told = {"fetcher": "recorded", "web": f"dir:{web}"}
    return build({"fetching": told, "politeness": {"delay": "0s"}})


class Parents:
    """Knows who links to whom, and counts what it was asked."""

    name, trouble = "parents", ""

    def __init__(self, known: dict[str, list[str]]) -> None:
        self.known = {SITE + child: [SITE + each for each in parents] for child, parents in known.items()}
        self.asked: list[list[str]] = []

    async def parents(self, urls: Sequence[str], number: int, until: float) -> list[str]:
        self.asked.append(list(urls))
        return fairly([self.known.get(url, []) for url in urls], number)

    def page(self, _url: str) -> Page | None:
        return None


def built(web: Path, *targets: str, pages: tuple[str, ...] = (), sources: Sequence[Parents] = (), **told: int) -> Built:
    levels = told.pop("levels", 4)
    wanted = Wanted(tuple(SITE + each for each in targets), tuple(SITE + each for each in pages), levels)
    return asyncio.run(build_treasure(wanted, sources, by(web), Bounds(**told)))


def distances(found: Built) -> dict[str, int]:
    return {
        f"{node.page.removeprefix(SITE)} {node.passage.nearest}".strip(): node.distance for node in found.graph.nodes
    }


# -- gathering ----------------------------------------------------------------------------------


def test_top_down_gives_each_passage_its_distance_and_leaves_out_what_leads_nowhere(web: Path) -> None:
    found = built(web, "owl.html", pages=("home.html", "guide.html", "train.html"))
    told = distances(found)
    assert told == {
        "owl.html Owl": 0,
        "guide.html Birds": 1,
        "home.html Animals": 2,
        "guide.html Trains": 4,
        "train.html Train": 3,
    }
    assert (found.unreached, found.notes) == ((), ())
    assert found.fetched == 4


def test_levels_are_an_end(web: Path) -> None:
    found = built(web, "owl.html", pages=("home.html", "guide.html", "train.html"), levels=1)
    assert distances(found) == {"owl.html Owl": 0, "guide.html Birds": 1}


def test_bottom_up_asks_for_parents_level_by_level(web: Path) -> None:
    source = Parents({"owl.html": ["guide.html"], "guide.html": ["home.html"], "home.html": ["train.html"]})
    found = built(web, "owl.html", sources=[source], levels=2)
    assert source.asked == [[SITE + "owl.html"], [SITE + "guide.html"]]
    assert distances(found) == {"owl.html Owl": 0, "guide.html Birds": 1, "home.html Animals": 2}


def test_no_page_is_fetched_twice(web: Path) -> None:
    source = Parents({"owl.html": ["guide.html", "owl.html"], "guide.html": ["owl.html", "home.html"]})
    assert built(web, "owl.html", sources=[source]).fetched == 3


def test_a_target_that_moved_is_known_by_both_addresses(web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = PageVisitor.page

    async def moved(visitor: PageVisitor, name: str) -> Page | NotHad:
        return await fetched(visitor, name.replace("old", "owl"))

    monkeypatch.setattr(PageVisitor, "page", moved)
    (web / "home.html").write_text("<h1>Old</h1><p>An old link: <a href=old.html>owl</a></p>", "utf-8")
    found = built(web, "old.html", pages=("home.html", "guide.html"))
    assert set(found.graph.targets) == {SITE + "old.html", SITE + "owl.html"}
    assert distances(found) == {"owl.html Owl": 0, "guide.html Birds": 1, "home.html Old": 1}
    assert found.unreached == ()


def test_a_parent_that_does_not_link_is_no_node(web: Path) -> None:
    found = built(web, "owl.html", sources=[Parents({"owl.html": ["train.html", "guide.html"]})], levels=1)
    assert distances(found) == {"owl.html Owl": 0, "guide.html Birds": 1}


def test_bounds_of_a_level_and_of_all_fetches_hold(web: Path) -> None:
    source = Parents({"owl.html": ["guide.html", "train.html", "home.html", "gone.html"]})
    assert built(web, "owl.html", sources=[source], levels=1, per_level=1).fetched == 2
    few = built(web, "owl.html", sources=[source], levels=1, fetches=2)
    assert few.fetched == 2
    assert "stopped after 2 fetches; --fetches allows more" in few.notes
    assert "3 parents are left out: not fetched any more" in few.notes


def test_time_is_an_end(web: Path) -> None:
    with pytest.raises(CrawlError, match="no page has a paragraph or list with links to a target"):
        built(web, "lonely.html", sources=[Parents({"lonely.html": ["guide.html"]})], within=0)


def test_a_target_without_parents_is_told(web: Path) -> None:
    found = built(web, "owl.html", "lonely.html", pages=("guide.html",))
    assert found.unreached == (SITE + "lonely.html",)
    assert found.graph.targets == (SITE + "owl.html", SITE + "lonely.html")


def test_an_unreachable_target_is_aimed_at_by_its_address(web: Path) -> None:
    (web / "owl.html").unlink()
    found = built(web, "owl.html", pages=("guide.html", "gone.html", "bare.html"))
    assert distances(found) == {"guide.html Birds": 1}
    assert f"{SITE}owl.html could not be fetched (http-404); only its address is known" in found.notes
    assert f"{SITE}gone.html could not be fetched (http-404); it is left out" in found.notes
    assert f"{SITE}bare.html has no links; it leads nowhere" in found.notes


def test_targets_alone_are_told_to_know_no_way(web: Path) -> None:
    assert "nothing is known of the way to the targets" in built(web, "owl.html").notes[0]


def test_an_empty_graph_is_refused_with_what_to_do(web: Path) -> None:
    with pytest.raises(CrawlError, match=r"--page.*--backlinks"):
        built(web, "lonely.html", "bare.html")
    with pytest.raises(ConfigurationError, match="no targets; name at least one"):
        built(web)


def test_files_are_read_as_if_they_came_from_their_base(web: Path, tmp_path: Path) -> None:
    names = [str(web / each) for each in ("owl.html", "guide.html")]
    wanted = Wanted((names[0],), (names[1],), base="https://birds.example/night/")
    found = asyncio.run(build_treasure(wanted, (), by(web), Bounds()))
    assert found.graph.targets == ("https://birds.example/night/owl.html",)
    assert {node.page for node in found.graph.nodes if node.distance == 1} == {"https://birds.example/night/guide.html"}
    assert found.fetched == 0
    with pytest.raises(ConfigurationError, match="--base 'x' is no"):
        asyncio.run(build_treasure(Wanted((names[0],), base="x"), (), by(web), Bounds()))
    with pytest.raises(ConfigurationError, match="no such file"):
        asyncio.run(build_treasure(Wanted((str(tmp_path / "none"),)), (), by(web), Bounds()))
    with pytest.raises(ConfigurationError, match="is no http"):
        asyncio.run(build_treasure(Wanted(("ftp://x/",)), (), by(web), Bounds()))


def test_a_file_that_says_where_it_is_from_is_from_there(web: Path) -> None:
    said = "https://other.example/owl"
    (web / "owl.html").write_text(f"<link rel=canonical href={said}><p>Owls <a href=/x>hunt</a></p>", "utf-8")
    found = asyncio.run(build_treasure(Wanted((str(web / "owl.html"),)), (), by(web), Bounds()))
    assert found.graph.targets == (said,)


@given(st.lists(st.lists(st.sampled_from("abcdef"))), st.integers(0, 10))
def test_sharing_is_fair_each_once_and_never_too_many(lists: list[list[str]], number: int) -> None:
    shared = fairly(lists, number)
    assert len(shared) == len(set(shared)) == min(number, len({each for held in lists for each in held}))
    firsts = list(dict.fromkeys(held[0] for held in lists if held))
    assert shared[: len(firsts)] == firsts[:number]


# -- who knows parents --------------------------------------------------------------------------


class Engine:
    """A search engine by table; '!' breaks it."""

    name = "engine"

    def __init__(self, answers: dict[str, list[str]]) -> None:
        self.answers, self.asked = answers, []

    async def search(self, query: str, number: int) -> Sequence[Found]:
        self.asked.append(query)
        if "!" in query:
            raise EngineFailed("engine: broken; repair it")
        return [Found(url) for url in self.answers.get(query, [])][:number]


def test_an_engine_is_asked_for_links_and_not_again_once_it_failed() -> None:
    engine = Engine({"link:http://a/x": ["http://p/1", "http://p/2"], "link:http://a/y": ["http://p/2", "http://p/3"]})
    source = EngineBacklinks(engine, build({}))

    async def parents(*urls: str, seconds: float = 60.0) -> list[str]:
        return await source.parents(urls, 10, asyncio.get_running_loop().time() + seconds)

    assert asyncio.run(parents("http://a/x", "http://a/y")) == ["http://p/1", "http://p/2", "http://p/3"]
    assert asyncio.run(parents("http://a/x", seconds=0)) == []
    assert asyncio.run(parents("http://a/" + "x" * 600)) == []
    assert len(engine.asked) == 2
    assert asyncio.run(parents("http://a/!", "http://a/x")) == []
    assert "engine: broken; repair it" in source.trouble
    assert asyncio.run(parents("http://a/x")) == []
    assert len(engine.asked) == 3


def test_sources_are_checked_before_anything_is_asked(tmp_path: Path) -> None:
    CrawlFolder(tmp_path / "crawls" / "young").create(build({"name": "young"}))
    for name, told in {
        "nobody": "no crawl named 'nobody'",
        "index:nobody": "no crawl named 'nobody'",
        "young": "has fetched nothing yet",
    }.items():
        with pytest.raises(CrawlError, match=told):
            backlink_sources([name], tmp_path, build({}))


# -- visiting -----------------------------------------------------------------------------------


def test_pages_that_cannot_be_had_are_answers_with_a_reason(web: Path) -> None:
    async def scene(delay: str, within: float, *urls: str) -> list[Page | NotHad]:
        async with PageVisitor(changed(by(web), f"politeness.delay={delay}")) as visitor:
            return list((await visitor.pages(urls, within)).values())

    owl, gone, odd = asyncio.run(scene("0s", 30, SITE + "owl.html", SITE + "gone.html", "mailto:x"))
    assert isinstance(owl, Page)
    assert owl.title == "owl.html"
    assert gone == NotHad("could not be fetched (http-404)")
    assert odd == NotHad("leads nowhere")
    in_time, late = asyncio.run(scene("60s", 0.2, SITE + "owl.html", SITE + "home.html"))
    assert isinstance(in_time, Page)
    assert late == LATE


# -- files --------------------------------------------------------------------------------------


def a_node(number: int = 1, distance: int = 1, **told: float) -> Node:
    passage = Passage(f"Birds {number}", "Animals", "Nature", f"owls hunt {number}")
    return Node(f"http://a/{number}", passage, ("http://a/0",), distance, **told)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
nodes = st.builds(
    Node,
    texts,
    st.builds(Passage, texts, texts, texts, texts.filter(lambda text: bool(text.strip()))),
    st.lists(texts, max_size=3).map(tuple),
    st.integers(0, 20),
    st.floats(0, 1),
    st.floats(0, 1e6),
    st.floats(0, 1e6),
)


@given(st.lists(nodes, min_size=1, max_size=5, unique_by=lambda node: node.key), st.lists(texts, max_size=3).map(tuple))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, held: list[Node], aims: tuple[str, ...]
) -> None:
    path = tmp_path_factory.mktemp("t") / "graph.json"
    write_graph(GraphFile(aims, tuple(held)), path)
    found = read_graph(path)
    assert found.targets == aims
    assert set(found.nodes) == set(held)
    assert [each.name for each in path.parent.iterdir()] == ["graph.json"]


def wrong(**told: object) -> str:
    entry = {"distance": 1, "page": "http://a/", "boundary": "words"} | told
    return json.dumps({"format": "lycosa T-Graph", "version": 1, "targets": [], "nodes": [entry]})


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"\x00\xff\x93binary", "no T-Graph file"),
        (b"", "no T-Graph file"),
        (b"[" * 100_000, "no T-Graph file"),
        (b'{"nodes": []}', "no T-Graph file"),
        (b'{"format": "lycosa T-Graph", "version": 7}', "version 7, and this Lycosa reads version 1"),
        (b'{"format": "lycosa T-Graph", "version": 1, "nodes": []}', "without nodes"),
        (b'{"format": "lycosa T-Graph", "version": 1}', "missing required field `nodes`"),
        (wrong(distance=-1).encode(), r"`int` >= 0 at `nodes\[0\].distance`"),
        (wrong(distance=99).encode(), r"<= 20 at `nodes\[0\].distance`"),
        (wrong(weight=3).encode(), "<= 1"),
        (wrong(colour="red").encode(), "unknown field `colour`"),
        (wrong(boundary=" ").encode(), r"nodes\[0\] has no text"),
        (wrong(page="x" * 30_000).encode(), "length <= 20000"),
        (wrong()[:-3].encode(), "line 1, column .* ends too soon"),
        (wrong(page="\ud800").encode(), "half of a character"),
    ],
)  # fmt: skip
def test_what_is_no_t_graph_is_refused_in_one_sentence(tmp_path: Path, data: bytes, told: str) -> None:
    path = tmp_path / "graph.json"
    path.write_bytes(data)
    with pytest.raises(ConfigurationError, match=told) as error:
        read_graph(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_a_passage_named_twice_counts_at_its_nearest(tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    write_graph(GraphFile((), (a_node(1, 3), a_node(1, 2))), path)
    assert [node.distance for node in read_graph(path).nodes] == [2]


def test_a_crawl_keeps_its_own_copy(tmp_path: Path) -> None:
    path, folder = tmp_path / "graph.json", tmp_path / "crawl"
    folder.mkdir()
    write_graph(GraphFile(("http://t/",), (a_node(1),)), path)
    configuration = build({"treasure": {"graph": str(path)}})
    assert topic_of(configuration, folder).treasure == treasure_of(configuration, folder) != b""
    keep_treasure(configuration, folder)
    write_graph(GraphFile((), (a_node(2), a_node(3))), path)
    keep_treasure(configuration, folder)
    assert read_graph(folder / OWN_COPY) == GraphFile(("http://t/",), (a_node(1),))
    path.unlink()
    assert set(TreasureGraph.decoded(treasure_of(configuration, folder)).nodes) == {a_node(1).key}
    assert treasure_of(build({}), tmp_path) == b""
    with pytest.raises(ConfigurationError, match="no such file"):
        topic_of(configuration, tmp_path)


# -- taking back --------------------------------------------------------------------------------


def keeper_of(strategy: Strategy) -> TreasureKeeper:
    keeper: TreasureKeeper = strategy._sharers[-1].keeper  # type: ignore[attr-defined]
    return keeper


def learnt(keeper: TreasureKeeper, number: int = 7) -> Node:
    """Let the watchdog see that a passage leads to a relevant page."""
    node = a_node(number)
    hub, leaf = f"http://hub/{number}", f"http://leaf/{number}"
    keeper.watchdog.saw(hub, Seen("", 0.0, {node.passage: (leaf,)}))
    keeper.watchdog.saw(leaf, Seen(hub, 1.0, {}))
    keeper.watchdog.look()
    keeper._told = None
    assert node.key in keeper.graph
    return node


@pytest.mark.parametrize("exact", [False, True])
def test_a_strategy_takes_back_what_was_undone_and_may_do_it_again_when_that_is_lifted(exact: bool) -> None:
    told = {"strategy": "treasure", "treasure": {"exact": exact}}
    strategy = strategy_of(build(told), Topic("birds"))
    keeper = keeper_of(strategy)
    node = learnt(keeper)
    told["treasure"] = {"exact": exact, "undone": [change_name("new", node)]}
    before = strategy.statistics()
    strategy.adjust(build(told))
    assert node.key not in keeper.graph
    assert strategy.statistics() != before
    told["treasure"] = {"exact": exact}
    strategy.adjust(build(told))
    learnt(keeper)


def test_a_strategy_that_has_nothing_to_adjust_goes_on() -> None:
    strategy_of(build({}), Topic("birds")).adjust(build({"strategy": "treasure"}))


def test_what_one_agent_learnt_is_taken_back_by_those_it_was_told_to() -> None:
    settings = build({"strategy": "treasure"})
    one, other = (keeper_of(strategy_of(settings, Topic("birds"))) for _ in range(2))
    node = learnt(one)
    told = one.statistics()
    other.recall(None, [told])
    assert node.key in other.graph
    undone = msgspec.structs.replace(settings.treasure, undone=(change_name("new", node),))
    other.adjust(undone)
    assert node.key not in other.graph
    other.recall(None, [told])
    assert node.key not in other.graph


def test_a_running_agent_finds_at_its_desk_what_was_undone(tmp_path: Path, web: Path) -> None:
    folder = CrawlFolder(tmp_path / "crawls" / "c")
    told = {"fetcher": "recorded", "web": f"dir:{web}"}
    folder.create(build({"name": "c", "strategy": "treasure", "topic": {"words": "birds"}, "fetching": told}))
    desk = Desk(folder, 0)
    agent = build_agent(folder, 0, desk, time.time)
    keeper = keeper_of(agent._strategy)
    node = learnt(keeper)
    name = change_name("new", node)
    folder.change(f'treasure.undone=["{name}"]')
    assert node.key in keeper.graph
    desk.look(agent, time.time())
    assert node.key not in keeper.graph
    agent.crawl.close()
    asyncio.run(agent._fetcher.close())


def test_the_graph_of_a_crawl_is_that_of_its_agents_joined(tmp_path: Path) -> None:
    folder = CrawlFolder(tmp_path / "crawls" / "c")
    write_graph(GraphFile(("http://t/",), (a_node(1, 2), a_node(2))), tmp_path / "graph.json")
    told = {"name": "c", "strategy": "treasure", "agents": 2, "topic": {"words": "birds"}}
    folder.create(build(told | {"treasure": {"graph": str(tmp_path / "graph.json")}}))
    fresh = crawl_treasure(folder)
    assert (fresh.targets, len(fresh.nodes), fresh.changes) == (("http://t/",), 2, ())
    for number in range(2):
        strategy = strategy_of(folder.configuration(), topic_of(folder.configuration(), folder.path))
        keeper = keeper_of(strategy)
        new = learnt(keeper, 8 + number)
        keeper.graph.put([a_node(1, 2, weight=(1.0, 0.25)[number], tried=(0.0, 2.0)[number], led=1.0)])
        store = AgentStore(folder.agent(number) / "store")
        store.commit(Batch(Changes(), marks={"statistics": strategy.statistics()}))
        store.close()
        (folder.agent(number) / "store" / "ready").touch()
    found = crawl_treasure(folder)
    assert {node.page for node in found.nodes} == {"http://a/1", "http://a/2", "http://hub/8", "http://hub/9"}
    shared = next(node for node in found.nodes if node.page == "http://a/1")
    assert (shared.tried, shared.led, shared.weight) == (2.0, 2.0, (1.0 + 3 * 0.25) / 4)
    assert [(agent, change.kind) for agent, change in found.changes] == [(0, "new"), (1, "new")]
    folder.change(f'treasure.undone=["{change_name("new", new)}"]')
    assert [agent for agent, _ in crawl_treasure(folder).changes] == [0]
    folder.change("strategy=best-first")
    with pytest.raises(CrawlError, match="'best-first', which has no T-Graph"):
        crawl_treasure(folder)
