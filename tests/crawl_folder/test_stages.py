"""The stages of the cycle are counted over all runs of a crawl, with their cost and what waits for them (P7)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from time import process_time

import pytest
import whole_crawl

from lycosa.crawl_folder.stages import Stage, Stages
from lycosa.crawl_folder.status import crawl_status
from lycosa.indexing.index_process import run_indexer
from lycosa.search.index import IndexReader
from lycosa.supervision.control_channel import Desk


def busy(seconds: float) -> None:
    ends = process_time() + seconds
    while process_time() < ends:
        pass


def test_a_stage_knows_its_count_cost_queue_and_rate() -> None:
    stages = Stages({"parse": Stage(10, 2.0, 1.5)})
    with stages.timed("parse", 4):
        busy(0.02)
    busy(0.02)
    found = stages.plain({"parse": 7}, 2.0)
    parse, fetch = found["parse"], found["fetch"]
    assert (parse["count"], parse["queue"], parse["rate"]) == (14, 7, 2.0)
    assert parse["cpu"] == pytest.approx(1.52, abs=0.015)
    assert parse["seconds"] >= 2.015
    assert fetch["cpu"] >= 0.015, "fetching is all that no other stage took"


def test_what_was_indexed_is_counted_over_all_runs(tmp_path: Path) -> None:
    folder = whole_crawl.crawl_folder(tmp_path, pages=20)
    told = []
    for pages in (20, 30):
        folder.change(f"pages={pages}")
        whole_crawl.crawl(folder)
        asyncio.run(run_indexer(folder, lambda loop, finish: finish()))
        told.append(crawl_status(folder))
    assert 0 < told[0].indexed["indexed"] < told[1].indexed["indexed"] == len(IndexReader(folder.index).urls())
    assert told[0].stages["index"]["count"] < told[1].stages["index"]["count"]
    assert told[1].stages["index"]["queue"] == 0


def test_refusals_are_counted_over_all_runs(tmp_path: Path) -> None:
    folder = whole_crawl.crawl_folder(tmp_path, pages=10, scope={"block": ["*.localhost/*2*"]})
    told = []
    for pages in (10, 20):
        folder.change(f"pages={pages}")
        whole_crawl.crawl(folder)
        told.append(crawl_status(folder).refused)
    assert told[1]["blocked"] >= told[0]["blocked"] > 0


def test_the_speed_is_that_of_the_last_moments(tmp_path: Path) -> None:
    folder = whole_crawl.crawl_folder(tmp_path)
    desk = Desk(folder, 0)
    desk._began = (100.0, 0)
    told = [desk._pace(100.0 + second, min(1000, 100 * second) + second) for second in range(1, 41)]
    assert told[4] == 101
    assert told[-1] == 1


def test_stages_go_on_where_the_last_run_ended(tmp_path: Path) -> None:
    folder = whole_crawl.crawl_folder(tmp_path, pages=20)
    whole_crawl.run(folder)
    first = crawl_status(folder)
    folder.change("pages=35")
    whole_crawl.run(folder)
    second = crawl_status(folder)
    assert (first.sums["fetched"], second.sums["fetched"]) == (20, 35)
    assert (first.stages["parse"]["count"], second.stages["parse"]["count"]) == (20, 35)
    assert all(second.stages[name]["cpu"] > stage["cpu"] for name, stage in first.stages.items() if name != "exchange")
    assert second.stages["generate"]["queue"] == second.sums["waiting"]
