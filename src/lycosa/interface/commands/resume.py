"""Commands that make a crawl go that is there already: go on with it, or look again at its pages."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, Wish
from lycosa.crawl_folder.status import Status, crawl_status
from lycosa.inspection.explanation import hindrance
from lycosa.interface.commands.arguments import Commands, asked_crawl, named
from lycosa.interface.commands.progress import ProgressLine
from lycosa.interface.shared import wording
from lycosa.preparation.readiness import check_ready
from lycosa.supervision.supervisor import Fleet

SEEDS_TOLD = 3
"""Seeds that are named where nothing came of any."""


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa resume` and `revisit`."""
    told = "go on with a paused or stopped crawl"
    named(commands, "resume", told, shared).set_defaults(run=resume)
    told = "look again at pages that may have changed"
    named(commands, "revisit", told, shared).set_defaults(run=revisit)


def run(folder: CrawlFolder, as_json: bool) -> int:
    """Run a crawl in the foreground until it ends."""
    has_topic = folder.configuration().has_topic
    line = ProgressLine(sys.stderr, quiet=as_json, before=crawl_status(folder).sums["fetched"])
    fleet = Fleet(folder, line.show)
    status = asyncio.run(fleet.run())
    line.leave()
    if as_json:
        print(json.dumps(status.plain()))
    _check_that_something_came(folder, status)
    if fleet.ran_out and not as_json:
        _tell_of_rest(folder, status)
    line.finish(status, has_topic=has_topic)
    return 0


def _tell_of_rest(folder: CrawlFolder, status: Status) -> None:
    """A crawl that ended by itself may have left links behind that it would have had to wait for."""
    waiting, spent = status.sums["waiting"], status.budget and status.sums["fetched"] >= status.budget
    if waiting and not spent:
        links = "1 link waits" if waiting == 1 else f"{waiting} links wait"
        patience = wording.span(folder.configuration().patience)
        print(
            f"{folder.name}: {links} still, for longer than the crawl's patience of {patience}: their sites rest, "
            f"or a ceiling holds them back; `lycosa resume {folder.name}` goes on with them later",
            file=sys.stderr,
        )


def revisit(told: argparse.Namespace) -> int:
    """Look again at all pages of a crawl that may have changed."""
    folder = asked_crawl(told)
    if folder.running():
        raise CrawlError(f"crawl {folder.name!r} is running; `lycosa stop {folder.name}` first, then look again")
    before = crawl_status(folder).sums
    if not before["fetched"]:
        raise CrawlError(f"crawl {folder.name!r} has no pages yet; `lycosa resume {folder.name}` fetches some")
    check_ready(folder)
    line = ProgressLine(sys.stderr, quiet=told.json)
    status = asyncio.run(Fleet(folder, line.show, task="revisit").run())
    line.leave()
    looked, changed, gone = (status.sums[name] - before[name] for name in ("looked_again", "changed", "gone"))
    if told.json:
        print(json.dumps({"pages": before["fetched"], "looked_again": looked, "changed": changed, "gone": gone}))
    else:
        found = f"looked again at {looked} of {before['fetched']} pages: {changed} had changed, {gone} were gone"
        print(f"{folder.name}: {found}")
    return 0


def _check_that_something_came(folder: CrawlFolder, status: Status) -> None:
    """A crawl without a page is an error where something hindered it: which seed, and what."""
    reasons = {**status.failed, **status.refused}
    if status.sums["fetched"] or not reasons:
        return
    seeds = folder.configuration().seeds[:SEEDS_TOLD]
    told = [f"the seed {seed} {why}" for seed in seeds if (why := hindrance(folder, seed))]
    counted = [f"{why} ({number})" for why, number in sorted(reasons.items(), key=lambda item: -item[1])]
    more = f"; `lycosa explain {folder.name} {seeds[0]}` says more" if seeds else ""
    raise CrawlError(f"no page could be fetched: {', '.join(told or counted)}{more}")


def resume(told: argparse.Namespace) -> int:
    """Go on with a paused crawl, or start a stopped one again."""
    folder = asked_crawl(told)
    if folder.running():
        folder.want(Wish.RUN)
        print(f"{folder.name}: going on")
        return 0
    check_ready(folder)
    return run(folder, told.json)
