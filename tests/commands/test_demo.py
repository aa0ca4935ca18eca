"""The demo ends when it is told to, and touches nothing that is not its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.cli import main
from lycosa.interface.commands.demo.demo import DEMO_CONTACT, DEMO_TOPIC, _is_of_the_demo

SEED = "http://birds-1.localhost:8080/"


def a_crawl(home: Path, contact: str, words: str, seed: str) -> CrawlFolder:
    folder = CrawlFolder(home / "crawls" / "demo")
    told = {"name": "demo", "seeds": [seed], "topic": {"words": words}, "fetching": {"contact": contact}}
    folder.create(build(told))
    return folder


def test_only_what_the_demo_made_is_of_the_demo(tmp_path: Path) -> None:
    assert _is_of_the_demo(a_crawl(tmp_path, DEMO_CONTACT, DEMO_TOPIC, SEED))
    assert not _is_of_the_demo(a_crawl(tmp_path, "me@example.org", DEMO_TOPIC, SEED))
    assert not _is_of_the_demo(a_crawl(tmp_path, DEMO_CONTACT, "spiders", SEED))
    taken_up = a_crawl(tmp_path, DEMO_CONTACT, DEMO_TOPIC, "https://birds.example/")
    assert not _is_of_the_demo(taken_up)
    (taken_up.path / "crawl.toml").write_text("no toml [")
    assert not _is_of_the_demo(taken_up)


def test_the_demo_leaves_a_crawl_alone_that_it_did_not_make(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = a_crawl(tmp_path, "", "birds", SEED)
    assert main(["--home", str(tmp_path), "demo", "--once"]) == 2
    assert "named 'demo' that no demo made" in capsys.readouterr().err
    assert mine.exists


def test_ctrl_c_during_its_crawl_ends_the_demo(tmp_path: Path) -> None:
    order = [sys.executable, "-m", "lycosa.interface.cli", "--home", str(tmp_path), "demo"]
    with subprocess.Popen(order, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        ends = time.monotonic() + 30
        while not (tmp_path / "crawls/demo/agents/0/status.json").exists():
            assert time.monotonic() < ends, "the crawl did not begin"
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=30)[1]
    assert running.returncode == 0, said
    assert "The demo was ended during its crawl" in said
