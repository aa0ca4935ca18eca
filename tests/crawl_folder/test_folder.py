"""The files by which a crawl is steered survive full disks, torn lines and power cuts."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import build, plain
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, Wish, said_of
from lycosa.durable import replace_file


@pytest.fixture
def folder(tmp_path: Path) -> CrawlFolder:
    made = CrawlFolder(tmp_path / "crawls" / "steered")
    made.create(Configuration(name="steered"))
    return made


def full_disk(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_an_order_that_could_not_be_written_leaves_nothing_behind(
    folder: CrawlFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.order(["http://a.org/1"])
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full_disk)
        with pytest.raises(OSError, match="No space"):
            folder.order([f"http://a.org/{number}" for number in range(2, 50)])
    folder.order(["http://a.org/50"])
    urls, place = folder.orders(0)
    assert urls == ["http://a.org/1", "http://a.org/50"]
    assert folder.orders(place) == ([], place)


@pytest.mark.parametrize("torn", [b'{"url": "http://a.o', b"\0\0\0\0", b"[1, 2]", b'{"url": 7}', b"\xff\xfe"])
def test_a_torn_line_among_orders_costs_only_itself(folder: CrawlFolder, torn: bytes) -> None:
    path = folder.path / "orders.jsonl"
    path.write_bytes(torn + b"\n" + json.dumps({"url": "http://a.org/1"}).encode() + b"\n" + torn)
    urls, place = folder.orders(0)
    assert urls == ["http://a.org/1"]
    assert place == path.stat().st_size - len(torn)


@pytest.mark.parametrize(
    ("settings", "strategy"),
    [
        ({"topic": {"words": "birds"}}, "treasure"),
        ({"topic": {"examples": ["examples/1.txt"]}}, "treasure"),
        ({}, "best-first"),
        ({"topic": {"words": "birds"}, "strategy": "best-first"}, "best-first"),
    ],
)
def test_a_crawl_is_written_down_with_the_strategy_that_it_begins_with(
    tmp_path: Path, settings: dict[str, Any], strategy: str
) -> None:
    folder = CrawlFolder(tmp_path / "crawl")
    folder.create(build(settings))
    assert folder.configuration().strategy == strategy
    folder.create(build({**plain(folder.configuration()), "topic": {"words": "", "examples": []}}))
    assert folder.configuration().strategy == strategy, "it keeps that, whatever would be chosen today"


@pytest.mark.parametrize("left", ["", "\n", "strategy = 'best-first'\n"])
def test_settings_that_were_cut_short_are_not_taken_for_settings(folder: CrawlFolder, left: str) -> None:
    (folder.path / "crawl.toml").write_text(left)
    with pytest.raises(CrawlError, match="empty or cut short; restore it from a copy"):
        folder.configuration()


@pytest.mark.parametrize("left", ["", "{", "[]", '{"wish": "dance"}'])
def test_a_wish_or_status_that_was_cut_short_says_nothing(folder: CrawlFolder, left: str) -> None:
    (folder.path / "wish.json").write_text(left)
    folder.agent(0).mkdir(parents=True)
    (folder.agent(0) / "status.json").write_text(left)
    assert folder.wish() is Wish.RUN
    assert folder.statuses(1) in ([], [{"wish": "dance"}])
    assert said_of(folder.path / "nothing.json") is None


def test_a_replaced_file_is_synced_before_it_takes_the_place_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    happened: list[str] = []
    replace = Path.replace

    def replaced(self: Path, target: Path) -> Path:
        happened.append("replaced")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", lambda handle: happened.append("synced"))
    monkeypatch.setattr(Path, "replace", replaced)
    replace_file(tmp_path / "wish.json", "{}")
    assert happened == ["synced", "replaced", "synced"]
    happened.clear()
    replace_file(tmp_path / "status.json", "{}", durable=False)
    assert happened == ["replaced"]


def test_an_order_is_lifted_however_the_opposite_is_spelled(folder: CrawlFolder) -> None:
    folder.add_pattern("block", "S.Test/two words")
    folder.add_pattern("block", "https://s.test/two%20words")
    assert folder.configuration().scope.block == ("https://s.test/two%20words",)
    folder.add_pattern("allow", "s.test/two words")
    assert (folder.configuration().scope.block, folder.configuration().scope.allow) == ((), ())
    with pytest.raises(CrawlError, match="no URL could match '/private'"):
        folder.add_pattern("block", "/private")
