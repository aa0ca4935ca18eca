"""The command `lycosa follow`: results were not enough, so look for more pages built like them (M14)."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Sequence

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, Wish
from lycosa.follow_up import requests as following
from lycosa.follow_up.requests import PAGES, FollowUp
from lycosa.indexing.ranking_signals import ResultOrders
from lycosa.interface.commands.arguments import Commands, asked_crawl
from lycosa.interface.commands.progress import ProgressLine
from lycosa.interface.shared.wording import print_json, printable
from lycosa.preparation.readiness import check_ready
from lycosa.search.index import IndexReader
from lycosa.search.query import understand
from lycosa.supervision.supervisor import Fleet

STOPS_WITHIN = 90.0


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """Add `follow` to the command line."""
    told = "the results for a query were not enough: fetch more pages built like them"
    command = commands.add_parser("follow", help=told, parents=[shared])
    command.add_argument("name", help="the crawl's name")
    command.add_argument("query", nargs="*", help="what was searched for")
    command.add_argument("--pages", type=int, default=PAGES, help=f"fetch at most so many pages (default {PAGES})")
    command.add_argument("--number", type=int, help="go on with a follow-up that was asked for before")
    command.set_defaults(run=follow)


def follow(told: argparse.Namespace) -> int:
    """Ask for a follow-up, show what is there already, and look for more."""
    folder = asked_crawl(told)
    if told.number is not None:
        asked, similar = following.find(folder, told.number), []
    else:
        asked, results = _asked(folder, " ".join(told.query), told.pages)
        similar = following.similar_pages(folder, following.samples_of(folder, asked), results)
    if not told.json:
        for sample in asked.samples:
            print(f"like {printable(sample.url)}  ({sample.pages} pages are built so)")
        for page in similar:
            print(f"  {page.likeness:.2f}  {printable(page.url)}")
    run(folder, asked.number, quiet=told.json)
    found = following.progress(folder, following.find(folder, asked.number))
    if told.json:
        kept = [{"url": page.url, "title": page.title, "likeness": page.likeness} for page in found.pages]
        alike = [page.url for page in similar]
        samples = [{"url": sample.url, "pages": sample.pages} for sample in asked.samples]
        return print_json(
            {"number": asked.number, "samples": samples, "similar": alike, "looked": found.looked, "kept": kept}
        )
    print(f"{folder.name}: looked at {found.looked} pages, {found.kept} are built like the results")
    for each in found.pages:
        print(f"  {each.likeness:.2f}  {printable(each.title or each.url)}  {printable(each.url)}")
    return 0


def _asked(folder: CrawlFolder, query: str, pages: int) -> tuple[FollowUp, Sequence[str]]:
    wanted = understand(query)
    if not (wanted.words or wanted.phrases or wanted.filters):
        raise CrawlError("say which query was not enough: `lycosa follow NAME QUERY`")
    order = ResultOrders(folder).of(query)
    results = IndexReader(folder.index).ranking(wanted, following.MOST_RESULTS, order)
    if not results:
        raise CrawlError(f"nothing was found for {query!r}, so there is no page to go by; try other words")
    return following.ask(folder, query, results, pages), results


def run(folder: CrawlFolder, number: int, *, quiet: bool) -> None:
    """Work on a follow-up until it is done; a crawl that runs waits for it, and goes on afterwards."""
    check_ready(folder)
    was_running = _stopped(folder)
    following.begin(folder, number)
    line = ProgressLine(sys.stderr, quiet=quiet)
    try:
        asyncio.run(Fleet(folder, line.show, task="follow-up", about=[str(number)]).run())
    except CrawlError as error:
        following.end(folder, number, str(error))
        raise
    finally:
        line.leave()
    following.end(folder, number)
    if was_running:
        line.finish(asyncio.run(Fleet(folder, line.show).run()))


def _stopped(folder: CrawlFolder) -> bool:
    """Have a running crawl stop. Returns whether it ran."""
    if not folder.running():
        return False
    folder.want(Wish.STOP)
    deadline = time.monotonic() + STOPS_WITHIN
    while folder.running():
        if time.monotonic() > deadline:
            raise CrawlError(f"crawl {folder.name!r} does not stop; try again when it has")
        time.sleep(0.1)
    return True
