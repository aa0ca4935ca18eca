"""`crawl`: ours and the rivals over the same loopback web, on one core, in one run.

The server's log says what each crawler fetched: the same set of URLs, or there is
no comparison, and the row says why. Every page of ours is read back from the archive. Ours crawls right
before each rival, since machines are quicker at one time than at another; beside the rival
that is about as quick as ours it does so five times, and the best run of each counts.
Beside the rivals ours does what the spine of a crawl does; what knowledge classes and the index
add has rows of its own. LYCOSA_BENCH_PAGES sets the size of the web (default 20 000).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.big_web import BigWeb, big_web
from bench.cores import client_core, pinned
from bench.ours import folder_for
from bench.rivals.environments import Missing
from bench.rivals.runner import NAMES, Run, run_rival
from bench.rows import Row, less_is_better, missing, more_is_better
from lycosa.crawl_folder.stored_pages import page_at
from lycosa.crawl_folder.stores import reading
from lycosa.storage import catalogue
from lycosa.storage.archive import Place

BARS = {"scrapy_linkextractor": 8.0, "scrapy_tuned": 4.0, "crawlee_python": 5.0, "spider_rs": 0.8}
SPINE = ("topic.page_classes=false",)
ROUNDS = {"spider_rs": 5}
"""How often a rival crawls, in turns with ours; once, where the difference is beyond what a machine's moods make."""
STAGES = ("generate", "parse", "score", "archive", "update")


def size() -> int:
    """How many pages the web has."""
    return int(os.environ.get("LYCOSA_BENCH_PAGES", "20000"))


def run() -> list[Row]:
    """All rows of the bench."""
    with big_web(size()) as web:
        rows = [_against(name, web) for name in NAMES]
        ours = our_run(web, settings=SPINE)
        return [*rows, *_where_time_goes(ours), *_with_more(web, ours)]


def our_run(web: BigWeb, index: bool = False, settings: Sequence[str] = ()) -> dict[str, float | dict[str, float]]:
    """One crawl of ours; checked for completeness and read back."""
    with tempfile.TemporaryDirectory() as path:
        web.fetched()
        figures: dict[str, float | dict[str, float]] = _subprocess(web, path, settings)
        if difference := _difference(web):
            raise RuntimeError(f"ours: {difference}")
        if index:
            figures["index_seconds"] = _index(path)
        else:
            _read_back(Path(path), web)
    return figures


def _subprocess(web: BigWeb, path: str, settings: Sequence[str]) -> dict[str, float | dict[str, float]]:
    order = [sys.executable, "-m", "bench.ours", web.seed, path, *settings]
    done = subprocess.run(pinned(order, client_core()), capture_output=True, text=True, check=True)
    found: dict[str, float | dict[str, float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _read_back(path: Path, web: BigWeb) -> None:
    folder = folder_for(path, [web.seed], [])
    with reading(folder) as stores:
        rows = [row for store in stores for _, row in catalogue.history(store) if row.outcome == "fetched"]
    if {row.url for row in rows} != web.urls or len(rows) != len(web.urls):
        raise RuntimeError("the catalogue does not hold each page once")
    for row in rows:
        if page_at(folder.archive, Place(row.file, row.offset, row.size)).digest.hex() != row.digest:
            raise RuntimeError(f"{row.url} cannot be read back")


def _index(path: str) -> float:
    """CPU seconds that the indexer needs to follow a finished crawl."""
    order = [sys.executable, "-m", "bench.our_index", path]
    done = subprocess.run(pinned(order, client_core()), capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout)["cpu_seconds"])


def _against(name: str, web: BigWeb) -> Row:
    rounds = ROUNDS.get(name, 1)
    ours_each, rival_each = [], []
    for _ in range(rounds):
        ours_each.append(our_run(web, settings=SPINE))
        web.fetched()
        rival = run_rival(name, web)
        if isinstance(rival, Missing):
            return missing("crawl", name, rival.reason)
        if difference := _difference(web):
            return missing("crawl", name, difference)
        rival_each.append(rival)
    ours, rival = max(ours_each, key=_rate), min(rival_each, key=lambda run: run.seconds)
    bar = f"bar >= {BARS[name]:g}; " if name in BARS else ""
    note = f"{bar}{_cost(ours)} against {rival.cpu_per_1000:.2f} CPU s/1000, {rival.peak_mb:.0f} MB"
    note += f"; the best of {rounds} runs of each, in turns" if rounds > 1 else ""
    return more_is_better(
        "crawl",
        f"pages/s, {len(web.urls)} pages",
        _rate(ours),
        _rival_rate(rival, web),
        other_name=name,
        unit="pages/s",
        note=note,
    )


def _difference(web: BigWeb) -> str:
    """What the last crawler did not fetch of the web, or did beside it; '' where it fetched just that."""
    fetched = {url for url in web.fetched() if not url.endswith("/robots.txt")}
    lacking, strange = len(web.urls - fetched), len(fetched - web.urls)
    return f"it missed {lacking} pages and fetched {strange} that there are not" if lacking or strange else ""


def _rival_rate(rival: Run, web: BigWeb) -> float:
    return len(web.urls) / rival.seconds


def _rate(ours: dict[str, float | dict[str, float]]) -> float:
    return _figure(ours, "pages") / _figure(ours, "seconds")


def _figure(ours: dict[str, float | dict[str, float]], name: str) -> float:
    value = ours[name]
    assert not isinstance(value, dict)
    return value


def _cost(ours: dict[str, float | dict[str, float]]) -> str:
    cpu = 1000 * _figure(ours, "cpu_seconds") / _figure(ours, "pages")
    return f"ours {cpu:.2f} CPU s/1000, {_figure(ours, 'peak_mb'):.0f} MB"


def cost_beside(bench: str, strategy: str, settings: Sequence[str], pages: int, most: float) -> list[Row]:
    """CPU a page of a strategy beside best-first on the same web, in turns; the bar is so many times as much."""
    with big_web(pages) as web:
        costs: dict[str, list[float]] = {"plain": [], strategy: []}
        for _ in range(3):
            for name, chosen in (("plain", ()), (strategy, (f"strategy={strategy}", *settings))):
                ours = our_run(web, settings=chosen)
                costs[name].append(1e6 * _figure(ours, "cpu_seconds") / _figure(ours, "pages"))
    plain, own = min(costs["plain"]), min(costs[strategy])
    metric = f"CPU a page, {pages} pages"
    return [
        less_is_better(bench, metric, own, plain, other_name="best-first", unit="µs", note="the best of three runs"),
        less_is_better(bench, f"{metric}, at most {most:g} x best-first", own, most * plain, other_name="bar",
                       unit="µs", note="bar >= 1"),
    ]  # fmt: skip


def _where_time_goes(ours: dict[str, float | dict[str, float]]) -> list[Row]:
    stages, pages = ours["stages"], _figure(ours, "pages")
    assert isinstance(stages, dict)
    whole = 1e6 * _figure(ours, "cpu_seconds") / pages
    parts = {name: 1e6 * stages[name] / pages for name in STAGES}
    parts["fetch and the rest"] = whole - sum(parts.values())
    return [
        Row("crawl", f"stage {name}", each, whole, "all stages", None, "µs/page", f"{each / whole:.0%} of our CPU time")
        for name, each in parts.items()
    ]


def _with_more(web: BigWeb, spine: dict[str, float | dict[str, float]]) -> list[Row]:
    """What a page costs with knowledge classes, as by default, and with the index, too."""
    ours, indexed = our_run(web), our_run(web, index=True)
    bare, classed = (1e6 * _figure(run, "cpu_seconds") / _figure(run, "pages") for run in (spine, ours))
    index = 1e6 * _figure(indexed, "index_seconds") / _figure(indexed, "pages")
    return [
        less_is_better(
            "crawl", "CPU a page with knowledge classes", classed, bare, other_name="without them", unit="µs",
            note="the start of the classification included",
        ),
        less_is_better(
            "crawl", "CPU a page with classes and index", classed + index, bare, other_name="without them", unit="µs",
            note="the index is a second process",
        ),
    ]  # fmt: skip
