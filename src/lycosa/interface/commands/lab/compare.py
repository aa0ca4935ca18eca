"""The commands of the lab: compare strategies on a web with labels, and look at what came of it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from lycosa import __version__
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import home
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.commands.lab import freshness as lab_freshness
from lycosa.interface.commands.lab import revisits as lab_revisits
from lycosa.interface.shared import wording
from lycosa.interface.shared.wording import print_json, printable
from lycosa.interface.views.lab_page import lab_page
from lycosa.lab.click_quality import click_quality
from lycosa.lab.cranfield import compare, compare_clicks, find_cranfield, read_collection
from lycosa.lab.experiment import KINDS, Plan, check_strategies, run_experiment
from lycosa.lab.report import (
    Results,
    find_results,
    load_results,
    results_path,
    save_results,
    summary_of,
    text_lines,
)
from lycosa.lab.webs import KINDS as WEBS
from lycosa.lab.webs import open_web

SEEDS = {"on": ("on",), "generic": ("generic",), "both": KINDS}
PLAIN_EVERY = 10.0


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa lab run`, `report`, `search`, `clicks`, `freshness` and `revisits`."""
    lab = commands.add_parser("lab", help="compare strategies on a web with labels")
    parts = lab.add_subparsers(dest="part", metavar="COMMAND", required=True)
    run_ = parts.add_parser("run", help="crawl a web with several strategies", parents=[shared])
    run_.add_argument("--web", required=True, metavar="WEB", help=WEBS)
    run_.add_argument("--topic", required=True, metavar="T,...", help="topics: paths of labels, or a part of them")
    run_.add_argument("--strategy", required=True, metavar="A,B,...", help="strategies to compare")
    run_.add_argument("--pages", required=True, type=int, metavar="N", help="the budget of each crawl")
    run_.add_argument("--seeds", choices=sorted(SEEDS), default="both", help="where crawls begin (default: both)")
    run_.add_argument("--examples", type=int, default=5, metavar="N", help="example pages of a topic (default: 5)")
    run_.add_argument("--repeat", type=int, default=1, metavar="R", help="drawings of examples (default: 1)")
    run_.add_argument("--draw", type=int, default=1, metavar="SEED", help="another number draws other examples")
    run_.add_argument("--workers", type=int, metavar="N", help="crawls at a time (default: one per core)")
    run_.add_argument("--name", help="what the results are called (default: the time)")
    run_.add_argument("--out", metavar="DIR", help="write results and report there, not at home")
    run_.set_defaults(run=run)
    report_ = parts.add_parser("report", help="what a comparison showed", parents=[shared])
    report_.add_argument("name", nargs="?", default="", help="a name or a result file (default: the latest)")
    report_.add_argument("--html", metavar="FILE", help="write a page with plots")
    report_.set_defaults(run=report)
    search_ = parts.add_parser("search", help="how good search is, beside plain BM25", parents=[shared])
    search_.add_argument("--collection", default="", metavar="DIR", help="the Cranfield collection's folder")
    search_.add_argument("--clicks", action="store_true", help="after simulated people chose among results")
    search_.set_defaults(run=search)
    clicks_ = parts.add_parser("clicks", help="does what people did tell what they will do?", parents=[shared])
    clicks_.add_argument("--web", default="wikispeedia:", metavar="WEB", help="wikispeedia:DIR (default: wikispeedia:)")
    clicks_.set_defaults(run=clicks)
    lab_freshness.add_lab_commands(parts, shared)
    lab_revisits.add_lab_commands(parts, shared)


def run(told: argparse.Namespace) -> int:
    """Compare strategies."""
    plan = Plan(
        web=told.web,
        topics=_listed(told.topic),
        strategies=_listed(told.strategy),
        pages=told.pages,
        kinds=SEEDS[told.seeds],
        examples=told.examples,
        repeat=told.repeat,
        seed=told.draw,
    )
    now = datetime.now(UTC)
    folder = Path(told.out) if told.out else home(told.home) / "lab"
    path = results_path(folder, told.name or f"{now:%Y-%m-%d-%H%M%S}")
    if told.name and path.exists():
        raise ConfigurationError(f"there is a comparison {told.name!r} already ({path}); choose another --name")
    workers = _workers(told.workers)
    check_strategies(plan.strategies)
    results = _compare(plan, workers, now)
    save_results(results, path)
    if told.out:
        _write_page(results, path.with_suffix(".html"))
    _say(f"results: {path}")
    if told.json:
        print_json([each.plain() for each in results.runs])
    else:
        print("\n".join(map(printable, text_lines(summary_of(results)))))
    return 1 if any(each.error for each in results.runs) else 0


def _compare(plan: Plan, workers: int, now: datetime) -> Results:
    web = open_web(plan.web, _say)
    for warning in web.warnings:
        _say(f"warning: {warning}")
    countdown = Countdown(sys.stderr)
    begin = time.monotonic()
    runs = run_experiment(web, plan, workers=workers, progress=countdown.show)
    spent = time.monotonic() - begin
    made, command = f"{now:%Y-%m-%d %H:%M} UTC", shlex.join(["lycosa", *sys.argv[1:]])
    return Results(made, command, __version__, plan, spent, workers, len(web), tuple(web.warnings), tuple(runs))


def report(told: argparse.Namespace) -> int:
    """Show what a comparison showed."""
    results = load_results(find_results(home(told.home) / "lab", told.name))
    if told.html:
        _write_page(results, Path(told.html))
    found = summary_of(results)
    if told.json:
        return print_json(found.plain())
    print("\n".join(map(printable, text_lines(found))))
    return 0


def search(told: argparse.Namespace) -> int:
    """Measure search by people's judgements."""
    collection = read_collection(find_cranfield(told.collection))
    if collection.ignored:
        _say(f"warning: {collection.ignored} lines of the judgements were ignored")
    found = compare_clicks(collection) if told.clicks else compare(collection)
    if told.json:
        return print_json(found.plain())
    print("\n".join(map(printable, found.lines())))
    return 0


def clicks(told: argparse.Namespace) -> int:
    """Measure importance by visits that came later."""
    found = click_quality(told.web)
    if told.json:
        return print_json(found.plain())
    print("\n".join(map(printable, found.lines())))
    return 0


def _write_page(results: Results, path: Path) -> None:
    try:
        path.write_text(lab_page(summary_of(results)), "utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written ({error.strerror}); choose another file") from None
    _say(f"written to {path}")


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _workers(wanted: int | None) -> int:
    if wanted is not None and wanted < 1:
        raise ConfigurationError(f"--workers {wanted} is not possible; use 1 or more")
    return wanted or len(os.sched_getaffinity(0))


class Countdown:
    """How many crawls are done and how long the rest will take."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._live = stream, stream.isatty()
        self._began = time.monotonic()
        self._written = float("-inf")

    def show(self, done: int, total: int) -> None:
        """Tell it, if it is time to; always at the end."""
        now = time.monotonic()
        if done < total and now - self._written < (0.3 if self._live else PLAIN_EVERY):
            return
        self._written = now
        left = (now - self._began) / done * (total - done)
        line = f"{done}/{total} crawls" + (f" · ETA {wording.span(left)}" if done < total else "")
        ending = "\n" if done == total or not self._live else ""
        self._stream.write(("\r\x1b[K" if self._live else "") + line + ending)
        self._stream.flush()


def _say(line: str) -> None:
    print(f"lycosa: {printable(line)}", file=sys.stderr)
