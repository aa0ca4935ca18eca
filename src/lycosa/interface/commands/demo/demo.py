"""`lycosa demo`: everything at once, on a small web of its own."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections import Counter

from lycosa.configuration import settings
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, home
from lycosa.crawl_folder.stores import reading
from lycosa.fetching.contact import is_public
from lycosa.indexing.template_index import Structures
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.commands.demo.revisits import demo_revisits, revisits_lines
from lycosa.interface.commands.demo.visitors import demo_visits, visits_lines
from lycosa.interface.commands.open_browser import open_browser
from lycosa.interface.commands.progress import ProgressLine
from lycosa.interface.commands.search import search_lines
from lycosa.interface.operations import crawl_control as controls
from lycosa.lab.simulated_web.web import SimulatedWeb
from lycosa.lab.trial import ORACLE, run_trial
from lycosa.lab.web_server import serve_in_process
from lycosa.lab.webs import open_web
from lycosa.plugins.plug_points import Topic
from lycosa.search.index import IndexReader
from lycosa.search.query import understand
from lycosa.storage import catalogue
from lycosa.supervision.supervisor import Fleet
from lycosa.topics.classification.scheme_file import scheme_in

DEMO_BOX = "box:7?hosts=12&pages=900&topics=4&size=6KiB&links=16&unlinked=0&errors=0.02&duplicates=0.03"
DEMO_TOPIC = "birds feather wing nest plumage"
DEMO_CONTACT = "https://localhost/demo"
DEMO_QUERY = "nest of a bird"
DEMO_PAGES = 300
SHOWN = 4
DEMO_LABEL = "birds"
DEMO_STRATEGIES = ("breadth-first", "best-first", "shark-search", "parent-mean", "treasure", ORACLE)


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa demo`."""
    shown = commands.add_parser("demo", help="a small web, a crawl of it, search and status", parents=[shared])
    shown.add_argument("--once", action="store_true", help="crawl, print a search result and exit")
    shown.add_argument("--port", type=int, default=0)
    shown.add_argument("--no-browser", action="store_true", help="open no browser, only print the address")
    shown.set_defaults(run=demo)


def demo(told: argparse.Namespace) -> int:
    """A small web on loopback, a crawl of it for a topic with two agents, search and status."""
    base = home(told.home)
    folder = CrawlFolder(base / "crawls" / "demo")
    if folder.running():
        raise CrawlError("a demo is running already; end it first")
    _make_room(folder)
    with serve_in_process(DEMO_BOX, cached=1000) as web:
        say = print if not told.json else (lambda *_: None)
        sites = SimulatedWeb.of(f"{DEMO_BOX}&port={web.port}")
        say(f"A web of {len(sites.sites())} sites is up on loopback, port {web.port}. Crawling it for: {DEMO_TOPIC}")
        if not _demo_crawl(folder, sites.roots(), web.port, quiet=told.json):
            print("The demo was ended during its crawl; `lycosa demo` begins it anew.", file=sys.stderr)
            return 0
        reader = IndexReader(folder.index)
        found = reader.search(understand(DEMO_QUERY), 3)
        known = collection_known(folder)
        visits = demo_visits(folder, sites)
        again = demo_revisits()
        compared = compare_strategies()
        if told.json:
            urls = [hit.url for hit in found.hits]
            shown = {"query": DEMO_QUERY, "total": found.total, "urls": urls, **known, "compared": compared}
            shown["clicks"] = {"lines": visits.lines, "visits": visits.visits, "top": visits.top}
            shown["revisits"] = again.plain()
            print(json.dumps(shown))
        else:
            about = [*search_lines(DEMO_QUERY, found), *known_lines(known), *visits_lines(visits)]
            print("\n".join([*about, *revisits_lines(again), *compared_lines(compared)]))
        if told.once:
            return 0 if found.total else 1
        from lycosa.interface.server.app import serve

        def ready(_: str, signed_in: str) -> None:
            say(f"\nSearch, and steer crawls, in the browser: {signed_in}   (Ctrl-C ends the demo)")
            if not (told.no_browser or told.json):
                open_browser(signed_in)

        serve(base, "127.0.0.1", told.port, ready)
    return 0


def _make_room(folder: CrawlFolder) -> None:
    """Delete the crawl of an earlier demo; one that a person made is left alone."""
    if not folder.exists:
        return
    if not _is_of_the_demo(folder):
        raise CrawlError(
            f"there is a crawl named 'demo' that no demo made, and it is left alone; move {folder.path} elsewhere, "
            "or have the demo elsewhere: `lycosa --home FOLDER demo`"
        )
    controls.remove(folder)


def _is_of_the_demo(folder: CrawlFolder) -> bool:
    """Whether a crawl began as a demo and still is one: its contact, its topic, seeds that no other web has."""
    try:
        found = folder.configuration()
    except ConfigurationError:
        return False
    told = (found.fetching.contact, found.topic.words) == (DEMO_CONTACT, DEMO_TOPIC)
    return told and not any(map(is_public, found.seeds))


def _demo_crawl(folder: CrawlFolder, roots: list[str], port: int, quiet: bool) -> bool:
    """Crawl the small web. Returns whether nobody ended it before."""
    configuration = settings.build(
        {
            "name": "demo",
            "seeds": [roots[0], roots[-1]],
            "agents": 2,
            "pages": DEMO_PAGES,
            "patience": "5s",
            "topic": {"words": DEMO_TOPIC},
            "politeness": {
                "delay": "30ms",
                "address_delay": "0s",
                "per_address": 64,
                "longest_delay": "100ms",
                "longest_crawl_delay": "100ms",
            },
            "fetching": {"allow_addresses": [f"127.0.0.0/8:{port}"], "contact": DEMO_CONTACT},
            "index": {"commit_every": "1s"},
        },
        origin="demo",
    )
    line = ProgressLine(sys.stderr, quiet=quiet)
    with folder.owned():
        folder.create(configuration)
        fleet = Fleet(folder, line.show)
        line.finish(asyncio.run(fleet.run()))
    return not fleet.interrupted


def collection_known(folder: CrawlFolder) -> dict[str, dict[str, int]]:
    """The commonest knowledge classes of the pages, and the templates that they are built by, with their pages."""
    scheme, classes = scheme_in(), Counter[str]()
    with reading(folder) as stores:
        for store in stores:
            for _, row in catalogue.history(store, columns=("url", "at", "agent", "outcome", "classes")):
                classes.update(row.classes.split()[:1])
    structures = Structures.open(folder)
    structures.update()
    return {
        "classes": {scheme.named(number): pages for number, pages in classes.most_common(SHOWN)},
        "templates": {cluster.founder: cluster.pages for cluster in structures.templates(SHOWN)},
    }


def known_lines(known: dict[str, dict[str, int]]) -> list[str]:
    """What the pages are about and how they are built, for a terminal."""
    lines = ["", "What they are about: " + ", ".join(f"{name} ({n})" for name, n in known["classes"].items())]
    return [*lines, "How they are built: " + ", ".join(f"like {url} ({n})" for url, n in known["templates"].items())]


def compare_strategies() -> dict[str, int]:
    """How many pages on the topic, by the labels of the web's maker, each strategy finds with the same budget."""
    web = open_web(DEMO_BOX)
    relevant = web.topic(DEMO_LABEL)
    seeds, topic = [web.generic_seed_for(relevant)], Topic(DEMO_TOPIC)
    orders = {name: run_trial(web, name, topic, seeds, DEMO_PAGES, relevant).order for name in DEMO_STRATEGIES}
    return {name: sum(url in relevant for url in order) for name, order in orders.items()}


def compared_lines(compared: dict[str, int]) -> list[str]:
    """The comparison as bars."""
    most = max(1, *compared.values())
    bars = [f"  {name:14} {number:4}  {'█' * round(30 * number / most)}" for name, number in compared.items()]
    return ["", f"The same web in the lab: pages about {DEMO_LABEL} among the first {DEMO_PAGES}, by strategy", *bars]
