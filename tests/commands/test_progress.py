"""The last line belongs to success: what came of a crawl, and what to do next."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from tiny_web import crawl_folder

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.status import crawl_status
from lycosa.interface.commands.progress import ending_of, line_of


def told(folder: CrawlFolder, *states: str) -> str:
    for number, state in enumerate(states):
        path = folder.agent(number) / "status.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        said = {"state": state, "idle": True, "at": 0.0, "failed": {}, "refused": {}, "stages": {}}
        path.write_text(json.dumps(said | {"pages_per_second": 0.0, "fetched": 3, "relevant": 1, "waiting": 1}))
    return crawl_status(folder).state


def test_the_last_line_says_what_came_of_it_and_what_to_do_next(tmp_path: Path) -> None:
    folder = crawl_folder(tmp_path, ["http://a.example/"])
    told(folder, "finished")
    (folder.path / "index.status.json").write_text('{"indexed": 3}')
    finished = crawl_status(folder)
    assert ending_of(finished, 3.0) == (
        "tiny finished: 3 pages in 3.0 s, 33% on topic, 1 link left. Search it: lycosa search tiny WORDS"
    )
    assert ending_of(finished, 3.0, 2, has_topic=False).startswith("tiny finished: 3 pages, 1 of them in 3.0 s, 1 link")
    spent = msgspec.structs.replace(finished, budget=3)
    assert ending_of(spent, 3.0, 3).endswith("For more pages: lycosa set tiny pages=6, then lycosa resume tiny")
    told(folder, "stopped")
    assert ending_of(crawl_status(folder), 3.0).endswith("1 link left. Go on with it: lycosa resume tiny")
    assert "/s" not in line_of(finished)
