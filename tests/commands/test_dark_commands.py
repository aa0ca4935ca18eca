"""`lycosa clicks dark`, and what status and report say of pages that only people know (C13)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from real_crawl import Lycosa

from lycosa.click_records import PageClicks, Source
from lycosa.interface.cli import main
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.storage.click_store import ClickStore

BOX = "box:5?hosts=4&pages=60&topics=2&size=1KiB&links=8&unlinked=0.2&errors=0&duplicates=0&begins=0"
JOB = """
seeds = {seeds}
agents = 2
patience = "1s"
[topic]
words = "{topic}"
[politeness]
delay = "0s"
address_delay = "0s"
adaptive = 0.0
robots = false
[fetching]
fetcher = "simulated"
web = "{web}"
contact = "https://localhost/"
[index]
enabled = false
[sitemaps]
read = false
[clicks]
source = "store"
"""


def told(home: Path, *typed: str) -> int:
    """Run `lycosa clicks dark …` in this process."""
    return main(["clicks", "dark", *typed, "--home", str(home)])


def test_dark_pages_are_found_fetched_and_told(
    tmp_path: Path, lycosa: Lycosa, capsys: pytest.CaptureFixture[str]
) -> None:
    web = SimulatedWeb.of(BOX)
    unlinked = sorted(url for url in web.page_urls() if not web.truth(url).linked)
    with ClickStore(tmp_path / "clicks") as store:
        visits = [PageClicks(url, place) for place, url in enumerate(unlinked, 1)]
        store.add_pages("box", Source.BEACON, [*visits, *(PageClicks(url, 99) for url in web.roots())])
    job = tmp_path / "job.toml"
    job.write_text(JOB.format(seeds=web.roots()[:1], topic=web.topics()[0], web=BOX), "utf-8")
    lycosa("crawl", str(job), "--name", "seen")
    assert told(tmp_path, "seen", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert {page["url"] for page in found["pages"]} == set(unlinked)
    assert found["found"] == found["fetched"] == len(unlinked)
    assert found["visited"] == len(unlinked) + len(web.roots())
    assert 0 < found["relevant"] == sum(page["listed"] for page in found["pages"]) < len(unlinked)
    assert found["pages"][0]["visits"] == len(unlinked)
    counted = {name: found[name] for name in ("found", "fetched", "relevant")}
    assert json.loads(lycosa("status", "seen", "--json").stdout)["dark"] == counted
    assert json.loads(lycosa("report", "seen", "--json").stdout)["dark"] == counted
    line = f"dark pages: {len(unlinked)} that people visit and no crawled page links to, {len(unlinked)} fetched"
    assert line in lycosa("report", "seen").stdout
    assert told(tmp_path, "seen", "--limit", "1") == 0
    shown = capsys.readouterr().out.splitlines()
    assert line in shown[1]
    assert shown[2].split()[2] == unlinked[-1]
    assert "and" in shown[3]
    assert len(shown) == 4


@pytest.mark.parametrize("source", ["store", "no-such.log"])
def test_a_clickstream_that_is_not_there_is_refused_before_the_crawl_begins(
    tmp_path: Path, lycosa: Lycosa, source: str
) -> None:
    web = SimulatedWeb.of(BOX)
    job = tmp_path / "job.toml"
    job.write_text(JOB.format(seeds=web.roots(), topic="birds", web=BOX).replace('"store"', f'"{source}"'), "utf-8")
    refused = lycosa("crawl", str(job), "--name", "refused", check=False)
    assert refused.returncode == 2
    assert "lycosa clicks import" in refused.stderr
    assert not (tmp_path / "crawls" / "refused").exists()
