"""One real crawl of a small web on loopback, shared by the tests of the commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from real_crawl import Crawled, Lycosa, runner

from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.web_server import serve_in_process

BOX = "box:9?hosts=8&pages=160&topics=4&size=3KiB&links=8&unlinked=0.1&errors=0.1&duplicates=0.2&traps=2"
LAST_LINE = re.compile(
    r"birds finished: \d+ pages in [\d.]+ (ms|s), \d+% on topic, \d+ links? left\. "
    r"Search it: lycosa search birds WORDS"
)
JOB = """
seeds = {seeds}
agents = 2
patience = "2s"
[topic]
words = "birds feather wing nest"
[politeness]
delay = "5ms"
longest_delay = "50ms"
longest_crawl_delay = "50ms"
address_delay = "0s"
per_address = 100
retry_after = "50ms"
[traps]
urls_per_pattern = 40
[fetching]
allow_addresses = ["127.0.0.0/8:{port}"]
[index]
commit_every = "200ms"
[scope]
block = ["{blocked}"]
"""


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    home = tmp_path_factory.mktemp("home")
    with serve_in_process(BOX) as served:
        web = SimulatedWeb.of(f"{BOX}&port={served.port}")
        job = home / "job.toml"
        roots = web.roots()
        blocked = roots[-1].partition("://")[2].partition("/")[0].partition(":")[0]
        job.write_text(JOB.format(seeds=roots[:3], port=served.port, blocked=blocked), "utf-8")
        run = runner(home)
        done = run("crawl", str(job), "--name", "birds")
        assert LAST_LINE.fullmatch(done.stderr.splitlines()[-1]), done.stderr
        yield Crawled(home, web, run, job)


@pytest.fixture
def lycosa(tmp_path: Path) -> Lycosa:
    return runner(tmp_path)
