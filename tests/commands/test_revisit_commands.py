"""`lycosa revisit` and `--continuous`: pages are looked at again, once or for ever, and the checker runs in between."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_crawl import Lycosa, runner

from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.web_server import serve_in_process

BOX = "box:9?hosts=2&pages=24&errors=0&duplicates=0&unlinked=0.2&changed=0.5&period=2s"
JOB = """
seeds = {seeds}
patience = "500ms"
[topic]
words = "birds"
page_classes = false
[politeness]
delay = "1ms"
longest_delay = "10ms"
longest_crawl_delay = "10ms"
address_delay = "0s"
per_address = 100
[fetching]
allow_addresses = ["127.0.0.0/8:{port}"]
[revisit]
rounds_apart = "100ms"
soonest = "100ms"
check_every = "100ms"
looks_per_day = 1000000.0
"""
SOON = 60.0


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Path]:
    with serve_in_process(BOX) as served:
        web = SimulatedWeb.of(f"{BOX}&port={served.port}")
        path = tmp_path / "fresh.toml"
        path.write_text(JOB.format(seeds=web.roots(), port=served.port), "utf-8")
        yield path


def test_a_crawl_is_looked_at_again_and_its_pages_have_a_history(job: Path, tmp_path: Path) -> None:
    lycosa = runner(tmp_path)
    lycosa("crawl", str(job))
    found = json.loads(lycosa("revisit", "fresh", "--json").stdout)
    assert found["pages"] >= 20
    assert 0 <= found["changed"] <= found["looked_again"] <= found["pages"]
    status = json.loads(lycosa("status", "fresh", "--json").stdout)
    assert (status["looked_again"], status["changed"]) == (found["looked_again"], found["changed"])
    assert lycosa("check", "fresh").returncode == 0


def test_revisiting_what_is_not_there_says_so(lycosa: Lycosa) -> None:
    refused = lycosa("revisit", "nothing", check=False)
    assert refused.returncode == 2
    assert "no crawl named" in refused.stderr


def test_a_continuous_crawl_goes_on_until_it_is_stopped(job: Path, tmp_path: Path) -> None:
    lycosa = runner(tmp_path)
    order = [sys.executable, "-m", "lycosa.interface.cli", "--home", str(tmp_path), "crawl", str(job), "--continuous"]
    order += ["--set", "sitemaps.read=false"]
    with subprocess.Popen(order, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as going:
        status, check = tmp_path / "crawls/fresh/agents/0/status.json", tmp_path / "crawls/fresh/report/check.txt"
        until = time.monotonic() + SOON
        while not (check.exists() and json.loads(status.read_text("utf-8"))["looked_again"] > 0):
            assert going.poll() is None, going.stderr.read() if going.stderr else ""
            assert time.monotonic() < until, status.read_text("utf-8")
            time.sleep(0.1)
        lycosa("stop", "fresh")
        assert going.wait(SOON) == 0
    assert "pages" in check.read_text("utf-8")
