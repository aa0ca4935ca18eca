"""The watchdog's log: in one order over restarts and agents, bounded, and taken back by several people at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, BrokenBarrierError

import msgspec
import pytest

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.t_graph_files import GraphFile, write_graph
from lycosa.crawl_folder.topic import topic_of
from lycosa.inspection.t_graph import crawl_treasure, take_back
from lycosa.interface.cli import main
from lycosa.link_graph.t_graph.graph import Node
from lycosa.link_graph.t_graph.passages import Passage
from lycosa.queue_records import Changes
from lycosa.records import Fetched, Headings, Link, Page, Response, Score, Visit
from lycosa.scoring.links.t_graph_state import CHANGES_TOLD, Kept
from lycosa.scoring.strategy import Strategy, strategy_of
from lycosa.storage.agent_store import AgentStore, Batch


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    made = CrawlFolder(tmp_path / "crawls" / "c")
    told = {"name": "c", "strategy": "treasure", "agents": 2, "topic": {"words": "birds"}}
    made.create(build(told | {"treasure": {"look_every": 2}}))
    return made


def strategy_in(folder: CrawlFolder, number: int) -> Strategy:
    """The strategy of an agent as it begins: with what it left in its store, if it was there before."""
    strategy = strategy_of(folder.configuration(), topic_of(folder.configuration(), folder.path))
    if (folder.agent(number) / "store" / "ready").exists():
        with AgentStore(folder.agent(number) / "store", readonly=True) as store:
            strategy.recall(store.mark("statistics"), [])
    return strategy


def left(folder: CrawlFolder, number: int, statistics: bytes) -> None:
    """What an agent leaves in its store."""
    store = AgentStore(folder.agent(number) / "store")
    store.commit(Batch(Changes(), marks={"statistics": statistics}))
    store.close()
    (folder.agent(number) / "store" / "ready").touch()


def visit(url: str, parent: str, relevance: float, at: float, *links: Link) -> Visit:
    link, page = Link(url, parent), Page(url, text="owls", links=links)
    scores = tuple(Score(0.5) for _ in links)
    return Visit(link, Fetched(link, Response(url, 200)), page, Score(relevance), scores, at)


def run_of(folder: CrawlFolder, number: int, places: Sequence[int], at: float) -> None:
    """One process of an agent: from each place a link leads to a relevant page, and the watchdog learns that."""
    strategy = strategy_in(folder, number)
    for step, place in enumerate(places):
        hub, leaf = f"http://hub.test/{place}", f"http://leaf.test/{place}"
        way = Link(leaf, hub, boundary=f"owls {place}", headings=Headings(nearest=f"Desk {place}"))
        strategy.learn([visit(hub, "", 0.0, at + step, way)])
        strategy.learn([visit(leaf, hub, 1.0, at + step + 0.5)])
    left(folder, number, strategy.statistics())


def headings(folder: CrawlFolder) -> list[str]:
    return [change.node.passage.nearest for _, change in crawl_treasure(folder).changes]


# -- the order --------------------------------------------------------------------------------------


def test_the_latest_change_is_the_last_after_a_restart_and_with_several_agents(folder: CrawlFolder) -> None:
    run_of(folder, 0, [1, 2, 3], at=1000.0)
    run_of(folder, 1, [4, 5, 6, 7, 8], at=1000.25)
    run_of(folder, 0, [9], at=2000.0)
    assert headings(folder) == [f"Desk {place}" for place in (1, 4, 2, 5, 3, 6, 7, 8, 9)]
    own = [change for agent, change in crawl_treasure(folder).changes if agent == 0]
    assert [change.pages for change in own] == [2, 4, 6, 8], "pages go on being counted"
    assert [change.node.passage.nearest for change in take_back(folder, ())] == ["Desk 9"]
    assert [change.node.passage.nearest for change in take_back(folder, ())] == ["Desk 8"]


def test_a_clock_that_was_set_back_does_not_change_the_order_of_an_agent(folder: CrawlFolder) -> None:
    run_of(folder, 0, [1, 2], at=1000.0)
    run_of(folder, 0, [3, 4], at=10.0)
    assert headings(folder) == ["Desk 1", "Desk 2", "Desk 3", "Desk 4"]


def test_a_log_without_times_is_read_and_keeps_the_order_in_which_it_was_written(folder: CrawlFolder) -> None:
    names = [f"{place:08}" for place in range(4)]
    changes = [
        [name, "new", pages, "a link in it led on", Node("http://a.test/", Passage(name), (), 1), None]
        for name, pages in zip(names, (50, 100, 5, 10), strict=True)
    ]
    kept = msgspec.msgpack.encode([[], changes, {}, b"", []])
    parts = msgspec.msgpack.decode(strategy_in(folder, 0).statistics(), type=list[bytes])
    left(folder, 0, msgspec.msgpack.encode([*parts[:-1], kept]))
    assert [change.name for _, change in crawl_treasure(folder).changes] == names
    run_of(folder, 0, [1], at=1000.0)
    after = [change for _, change in crawl_treasure(folder).changes]
    assert [change.name for change in after][:-1] == names
    assert (after[-1].node.passage.nearest, after[-1].pages) == ("Desk 1", 102)


def test_a_change_that_was_made_twice_is_as_late_as_the_second_time(folder: CrawlFolder) -> None:
    run_of(folder, 0, [1, 2], at=1000.0)
    first, second = (change for _, change in crawl_treasure(folder).changes)
    parts = msgspec.msgpack.decode(strategy_in(folder, 0).statistics(), type=list[bytes])
    again = msgspec.structs.replace(first, at=1500.0)
    left(folder, 0, msgspec.msgpack.encode([*parts[:-1], msgspec.msgpack.encode(Kept([], [first, second, again]))]))
    assert take_back(folder, ()) == [again]


# -- taking back together ---------------------------------------------------------------------------


class Overtaken(CrawlFolder):
    """A crawl where somebody else takes changes back after one has looked and before one has written."""

    others: Sequence[str] = ()

    def amend(self, amended: Callable[[Configuration], Configuration]) -> Configuration:
        take_back(CrawlFolder(self.path), self.others)
        return super().amend(amended)


def test_changes_that_are_taken_back_at_the_same_time_are_all_taken_back(folder: CrawlFolder) -> None:
    run_of(folder, 0, range(5), at=1000.0)
    names = [change.name for _, change in crawl_treasure(folder).changes]
    overtaken = Overtaken(folder.path)
    assert [change.name for change in take_back(overtaken, ())] == [names[3]], "the other one took the latest"
    overtaken.others = [names[0]]
    assert [change.name for change in take_back(overtaken, [names[1]])] == [names[1]]
    overtaken.others = [names[2]]
    with pytest.raises(CrawlError, match="all changes that could be taken back were taken back already"):
        take_back(overtaken, ())
    assert folder.configuration().treasure.undone == (names[4], names[3], names[0], names[1], names[2])
    with pytest.raises(CrawlError, match="nothing that could be taken back"):
        take_back(folder, ())


def test_nobody_reads_settings_that_another_is_about_to_write(folder: CrawlFolder) -> None:
    both = Barrier(2, timeout=0.2)

    def amended(current: Configuration) -> Configuration:
        with pytest.raises(BrokenBarrierError):
            both.wait()
        return msgspec.structs.replace(current, pages=current.pages + 1)

    with ThreadPoolExecutor(2) as people:
        for each in [people.submit(folder.amend, amended) for _ in range(2)]:
            each.result()
    assert folder.configuration().pages == build({}).pages + 2


# -- what is kept -----------------------------------------------------------------------------------


def test_changes_too_old_to_be_taken_back_are_counted_and_told(
    folder: CrawlFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_of(folder, 0, range(CHANGES_TOLD + 3), at=1000.0)
    run_of(folder, 0, [CHANGES_TOLD + 3], at=2000.0)
    home = ["--home", str(tmp_path), "treasure"]
    told = f"the latest {CHANGES_TOLD} of {CHANGES_TOLD + 4} changes"
    main([*home, "show", "c"])
    assert f"{told} by the watchdog; --log shows them" in capsys.readouterr().out
    main([*home, "show", "c", "--log"])
    log = capsys.readouterr().out
    assert log.startswith(f"{told}; older ones can no longer be taken back\n")
    assert log.splitlines()[-2].endswith(f"after {2 * (CHANGES_TOLD + 4)} pages")
    main([*home, "show", "c", "--json"])
    plain = json.loads(capsys.readouterr().out)
    assert (plain["changes_made"], len(plain["changes"])) == (CHANGES_TOLD + 4, CHANGES_TOLD)
    assert main([*home, "undo", "c", "unknown"]) == 2
    assert "no change is named 'unknown'" in (said := capsys.readouterr().err)
    assert f"of each agent the latest {CHANGES_TOLD}, older ones can no longer be taken back" in said


def test_one_change_of_one_node_is_told_in_the_singular(
    folder: CrawlFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run_of(folder, 0, [1], at=1000.0)
    main(["--home", str(tmp_path), "treasure", "show", "c"])
    said = capsys.readouterr().out
    assert said.startswith("c: 1 node\n")
    assert "1 change by the watchdog; --log shows it" in said


# -- files ------------------------------------------------------------------------------------------


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    write_graph(GraphFile(("http://t.test/",), (Node("http://a.test/", Passage("Desk"), (), 1),)), tmp_path / "g.json")
    return tmp_path / "g.json"


def test_a_picture_is_written_over_no_other_file(
    graph: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = tmp_path / "notes"
    notes.write_text("mine", "utf-8")
    for path in (graph, notes):
        before = path.read_bytes()
        assert main(["treasure", "show", str(graph), "--svg", str(path)]) == 2
        assert f"{path} is there already and is no SVG picture; choose another name" in capsys.readouterr().err
        assert path.read_bytes() == before


@pytest.mark.parametrize("before", ["<svg/>", '<?xml version="1.0"?><svg/>'])
def test_a_picture_is_written_over_another_in_one_step(graph: Path, tmp_path: Path, before: str) -> None:
    path, held = tmp_path / "t.svg", tmp_path / "held.svg"
    path.write_text(before, "utf-8")
    held.hardlink_to(path)
    assert main(["treasure", "show", str(graph), "--svg", str(path)]) == 0
    assert "T-Graph of" in path.read_text("utf-8")
    assert held.read_text("utf-8") == before, "the picture before was replaced, not emptied and filled"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["g.json", "held.svg", "t.svg"]


def test_a_file_has_no_log(graph: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["treasure", "show", str(graph), "--log"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "is a file, which has no watchdog and no log; --log wants the name of a crawl" in said.err


def test_a_topic_to_aim_at_must_be_there_and_have_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = ["--home", str(tmp_path)]
    order = [*home, "treasure", "build", str(tmp_path / "new.json"), "--topic"]
    assert main([*order, "birdz"]) == 2
    assert "no topic is called 'birdz'; did you mean 'Life sciences and nature.Birds'?" in capsys.readouterr().err
    assert main([*home, "topics", "edit", "add", "Night wading"]) == 0
    assert main([*order, "night wading"]) == 2
    assert "the topic 'night wading' has no exemplary pages to aim at" in capsys.readouterr().err


def test_one_node_is_written_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "owl.html"
    page.write_text("<h1>Owl</h1><p>Owls hunt. <a href=home.html>back</a></p>", "utf-8")
    order = ["treasure", "build", str(tmp_path / "new.json"), "--target", str(page), "--base", "http://a.test/"]
    assert main(order) == 0
    assert capsys.readouterr().out.startswith(f"1 node written to {tmp_path / 'new.json'}; 0 pages were fetched\n")
