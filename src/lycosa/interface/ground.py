"""The ground before a crawl: `doctor` looks at the machine, `demo` shows everything on a web of its own."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import resource
import shutil
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from lycosa import configuration as settings
from lycosa.agents.fleet import Fleet
from lycosa.agents.folder import CrawlError, CrawlFolder, home
from lycosa.fetching.simulated_web import SimulatedWeb
from lycosa.fetching.web_server import serve_in_process
from lycosa.interface import wording
from lycosa.interface.looking import search_lines
from lycosa.interface.progress import ProgressLine
from lycosa.records import Record
from lycosa.search.index import IndexReader
from lycosa.search.query import understand

DEMO_BOX = "box:7?hosts=12&pages=900&topics=4&size=6KiB&links=16&unlinked=0&errors=0.02&duplicates=0.03"
DEMO_TOPIC = "birds feather wing nest plumage"
DEMO_QUERY = "nest of a bird"
DEMO_PAGES = 300


class Finding(Record, frozen=True):
    """What the doctor says of one thing: `good`, `warning` or `bad`, and what to do about it."""

    what: str
    state: str
    told: str


def doctor(told: argparse.Namespace) -> int:
    """Is this machine ready?"""
    base = home(told.home)
    findings = [check(base) for check in _CHECKS]
    if told.json:
        print(json.dumps([{"what": f.what, "state": f.state, "told": f.told} for f in findings]))
    else:
        signs = {"good": "ok  ", "warning": "warn", "bad": "BAD "}
        print("\n".join(f"{signs[f.state]}  {f.what}: {f.told}" for f in findings))
    return 1 if any(finding.state == "bad" for finding in findings) else 0


def _python(base: Path) -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("Python", "good" if sys.version_info >= (3, 11) else "bad", version)


def _files(base: Path) -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    state = "good" if soft >= 1024 else "warning"
    advice = "" if state == "good" else "; raise it with `ulimit -n 4096`"
    return Finding("open files", state, f"{soft} (at most {hard}){advice}")


def _disk(base: Path) -> Finding:
    existing = next(path for path in (base, *base.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    state = "good" if free > 5 * 1024**3 else "warning" if free > 512 * 1024**2 else "bad"
    return Finding("disk", state, f"{wording.size(free)} free at {existing}")


def _writable(base: Path) -> Finding:
    try:
        base.mkdir(parents=True, exist_ok=True)
        probe = base / ".probe"
        probe.write_text("x", "utf-8")
        probe.unlink()
    except OSError as error:
        return Finding("home", "bad", f"{base} cannot be written ({error}); choose another with --home")
    return Finding("home", "good", str(base))


def _memory(base: Path) -> Finding:
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return Finding("memory", "good" if pages * size > 1024**3 else "warning", wording.size(pages * size))


def _names(base: Path) -> Finding:
    try:
        socket.getaddrinfo("localhost", 80)
    except OSError as error:
        return Finding("names", "bad", f"not even localhost can be resolved ({error})")
    servers = Path("/etc/resolv.conf")
    known = servers.exists() and "nameserver" in servers.read_text("utf-8", "replace")
    told = "nameservers are configured" if known else "no nameserver is configured; only local names will resolve"
    return Finding("names", "good" if known else "warning", told)


def _clock(base: Path) -> Finding:
    sane = time.time() > 1_700_000_000
    return Finding("clock", "good" if sane else "bad", time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()))


def _port(base: Path) -> Finding:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", 8017))
        except OSError:
            return Finding("port", "warning", "8017 is in use; `lycosa serve --port 0` takes a free one")
    return Finding("port", "good", "8017 is free for `lycosa serve`")


def _extras(base: Path) -> Finding:
    if importlib.util.find_spec("pyarrow") is None:
        return Finding("extras", "warning", "Parquet is missing: pip install 'lycosa[parquet]'")
    return Finding("extras", "good", "Parquet is installed")


def _contact(base: Path) -> Finding:
    path = base / "contact.txt"
    if path.exists():
        return Finding("contact", "good", path.read_text("utf-8").strip())
    return Finding("contact", "warning", "none yet; the public web needs one: lycosa crawl --contact URL")


_CHECKS: tuple[Callable[[Path], Finding], ...] = (
    _python, _files, _memory, _disk, _writable, _names, _clock, _port, _extras, _contact,
)  # fmt: skip


def demo(told: argparse.Namespace) -> int:
    """A small web on loopback, a crawl of it for a topic with two agents, search and status."""
    base = home(told.home)
    folder = CrawlFolder(base / "crawls" / "demo")
    if folder.running():
        raise CrawlError("a demo is running already; end it first")
    shutil.rmtree(folder.path, ignore_errors=True)
    with serve_in_process(DEMO_BOX, cached=1000) as web:
        say = print if not told.json else (lambda *_: None)
        sites = SimulatedWeb.of(f"{DEMO_BOX}&port={web.port}")
        say(f"A web of {len(sites.sites())} sites is up on loopback, port {web.port}. Crawling it for: {DEMO_TOPIC}")
        _demo_crawl(folder, sites.roots(), web.port, quiet=told.json)
        reader = IndexReader(folder.index)
        found = reader.search(understand(DEMO_QUERY), 3)
        if told.json:
            print(json.dumps({"query": DEMO_QUERY, "total": found.total, "urls": [hit.url for hit in found.hits]}))
        else:
            print("\n".join(search_lines(DEMO_QUERY, found)))
        if told.once:
            return 0 if found.total else 1
        from lycosa.interface.web import serve

        serve(base, "127.0.0.1", told.port, lambda at: say(f"\nSearch and status: {at}   (Ctrl-C ends the demo)"))
    return 0


def _demo_crawl(folder: CrawlFolder, roots: list[str], port: int, quiet: bool) -> None:
    configuration = settings.build(
        {
            "name": "demo",
            "seeds": [roots[0], roots[-1]],
            "agents": 2,
            "pages": DEMO_PAGES,
            "patience": "5s",
            "topic": {"words": DEMO_TOPIC},
            "politeness": {"delay": "30ms", "address_delay": "0s", "per_address": 64, "longest_delay": "100ms"},
            "fetching": {"allow_addresses": [f"127.0.0.0/8:{port}"], "contact": "https://localhost/demo"},
            "index": {"commit_every": "1s"},
        },
        origin="demo",
    )
    folder.create(configuration)
    line = ProgressLine(sys.stderr, quiet=quiet)
    line.finish(asyncio.run(Fleet(folder, line.show).run()))
