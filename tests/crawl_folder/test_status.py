"""A crawl that ended by itself is finished; one that somebody stopped, or that died, is stopped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny_web import crawl_folder

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.status import crawl_status

HERE = "http://a.example/"


def told(folder: CrawlFolder, *states: str) -> str:
    for number, state in enumerate(states):
        path = folder.agent(number) / "status.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        said = {"state": state, "idle": True, "at": 0.0, "failed": {}, "refused": {}, "stages": {}}
        path.write_text(json.dumps(said | {"pages_per_second": 0.0, "fetched": 3, "relevant": 1, "waiting": 1}))
    return crawl_status(folder).state


@pytest.mark.parametrize(
    ("agents", "states", "state"),
    [
        (1, [], "stopped"),
        (1, ["finished"], "finished"),
        (1, ["stopped"], "stopped"),
        (1, ["run"], "stopped"),
        (2, ["finished"], "stopped"),
        (2, ["finished", "stopped"], "stopped"),
        (2, ["finished", "finished"], "finished"),
    ],
)
def test_a_crawl_is_finished_when_all_its_agents_are(
    tmp_path: Path, agents: int, states: list[str], state: str
) -> None:
    folder = crawl_folder(tmp_path, [HERE], agents=agents)
    assert told(folder, *states) == state
    assert crawl_status(folder).over
    with folder.owned():
        assert crawl_status(folder).state == "running"
        assert not crawl_status(folder).over
