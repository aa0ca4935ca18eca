"""`lab`: how fast the lab's loop is for cheap strategies, and how long a whole comparison takes.

The bars are for Wikispeedia with its pages and their terms in memory: 2 000 pages a second on one core, and
15 strategies on 12 topics from both kinds of seeds in 20 minutes on all cores. A few strategies
are run and the time is scaled to 15 of their kind. LYCOSA_BENCH_TOPICS says how many topics are
crawled (default 3). Without the data the simulated web stands in, and says so.
"""

from __future__ import annotations

import os
import time

from bench.rows import Row, less_is_better, missing, more_is_better
from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.experiment import KINDS, Plan, Run, run_experiment
from lycosa.lab.metrics import ORACLE
from lycosa.lab.webs import LabWeb, open_web
from lycosa.plugins import registry

WIKISPEEDIA = "wikispeedia:"
BOX = "box:7?hosts=20&pages=2000&size=20KiB"
TOPICS = (
    "Birds", "Chemical_elements", "Health_and_medicine", "Space_Astronomy", "Food_and_agriculture",
    "Railway_transport", "Ancient_History_Classical_History_and_Mythology", "Music", "Mathematics", "Religion", "IT",
    "Everyday_life.Sports",
)  # fmt: skip
CHEAP = ("random", "breadth-first", "best-first")
"""Strategies whose own work is small, so that the loop is what is measured."""
MOVING = ("depth-first", "indegree")
"""As cheap themselves, but every link found again moves in its queue."""
PAGES = 1000
STRATEGIES, SCALED_TOPICS = 15, 12
PAGES_PER_SECOND, MINUTES = 2000, 20
CACHED_SECONDS = 1.5


def run() -> list[Row]:
    """All rows of the bench."""
    try:
        web = open_web(WIKISPEEDIA)
    except ConfigurationError as error:
        return [missing("lab", "wikispeedia", str(error)), *_rows(open_web(BOX), open_web(BOX).topics())]
    begin = time.process_time()
    open_web(WIKISPEEDIA)
    spent = time.process_time() - begin
    cached = less_is_better(
        "lab", f"opening {len(web)} cached pages", spent, CACHED_SECONDS, other_name="aim", unit="s of CPU"
    )
    return [*_rows(web, TOPICS), cached]


def _rows(web: LabWeb, topics: tuple[str, ...] | list[str]) -> list[Row]:
    known = registry.names("link_scorers")
    crawled = tuple(topics[: int(os.environ.get("LYCOSA_BENCH_TOPICS", "3"))])
    cheap = tuple(name for name in (*CHEAP, *MOVING) if name in known)
    plan = Plan(web=web.name, topics=crawled, strategies=(*cheap, ORACLE), pages=PAGES)
    run_experiment(web, plan, workers=1)  # every page these crawls meet is in memory afterwards, with its terms
    loop = run_experiment(web, plan, workers=1)
    rows = [_speed(web, name, [run for run in loop if run.name == name]) for name in plan.strategies]
    return [*rows, _comparison(web, known, crawled)]


def _speed(web: LabWeb, name: str, runs: list[Run]) -> Row:
    failed = [run.error for run in runs if run.error]
    if failed:
        return missing("lab", name, failed[0])
    rate = sum(run.pages for run in runs) / sum(run.seconds for run in runs)
    what = f"{name} on {web.name.partition('?')[0]}, one core"
    if name == ORACLE:
        return Row("lab", what, rate, None, "", None, "pages/s", "no bar: it knows all labels")
    if name in MOVING:
        return Row("lab", what, rate, None, "", None, "pages/s", "no bar: it moves waiting links all the time")
    return more_is_better("lab", what, rate, PAGES_PER_SECOND, other_name="bar", unit="pages/s", note="bar >= 1")


def _comparison(web: LabWeb, known: list[str], topics: tuple[str, ...]) -> Row:
    """All strategies there are on a few topics, scaled to the size of the bar."""
    workers = len(os.sched_getaffinity(0))
    plan = Plan(web=web.name, topics=topics, strategies=tuple(known), pages=PAGES)
    begin = time.monotonic()
    runs = run_experiment(web, plan, workers=workers)
    spent = time.monotonic() - begin
    sound = [run for run in runs if not run.error]
    done = len({run.name for run in sound}) * len(topics) * len(KINDS)
    scaled = spent / 60 * STRATEGIES * SCALED_TOPICS * len(KINDS) / max(1, done)
    note = f"bar >= 1; {done} crawls with {len(known)} strategies in {spent:.0f} s, {workers} at a time, scaled"
    return less_is_better(
        "lab",
        f"{STRATEGIES} strategies x {SCALED_TOPICS} topics x 2 seeds on {web.name.partition('?')[0]}",
        scaled,
        MINUTES,
        other_name="bar",
        unit="min",
        note=note,
    )
