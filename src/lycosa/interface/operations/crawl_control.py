"""What people can make a crawl do, from the command line and from the browser alike."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import reduce
from operator import attrgetter
from pathlib import Path

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, Wish
from lycosa.fetching.contact import check_contact
from lycosa.frontier.admission import admission
from lycosa.records import Link
from lycosa.urls import normalise

STARTS_WITHIN = 20.0
_FIXED_ONCE_BEGUN = ("agents", "partition")
_FIXED_WHILE_RUNNING = ("mode", "fetching.contact")
"""What agents take up only when they begin, and which must not seem to hold before."""


def pause(folder: CrawlFolder) -> None:
    """Let a running crawl wait."""
    if not folder.running():
        raise CrawlError(f"crawl {folder.name!r} is not running")
    folder.want(Wish.PAUSE)


def stop(folder: CrawlFolder) -> bool:
    """End a running crawl after the pages under way. Returns whether there was anything to end."""
    if not folder.running():
        return False
    folder.want(Wish.STOP)
    return True


def check_begun(folder: CrawlFolder, wanted: Configuration) -> None:
    """Refuse settings that a crawl cannot take up once it has begun: who owns what, and files that it has copies of."""
    if not (folder.exists and folder.agent(0).exists()):
        return
    begun = folder.configuration()
    if (begun.agents, begun.partition) != (wanted.agents, wanted.partition):
        raise CrawlError(
            f"crawl {folder.name!r} began with {begun.agents} agents by {begun.partition}; that decides who owns "
            "which site and cannot be changed; go on with those, or choose another --name"
        )
    for key, before, now in (
        ("treasure.graph", begun.treasure.graph, wanted.treasure.graph),
        ("topic.scheme", begun.topic.scheme, wanted.topic.scheme),
    ):
        if before not in ("", now):
            raise CrawlError(
                f"crawl {folder.name!r} keeps a copy of {before}, with which it began; {key} cannot be changed; "
                "go on with that, or choose another --name"
            )


def change(folder: CrawlFolder, wanted: Sequence[str]) -> None:
    """Change settings (`KEY=VALUE`), also while the crawl runs: all of them or none."""

    def amended(before: Configuration) -> Configuration:
        after = reduce(settings.changed, wanted, before)
        _check_change(folder, before, after)
        return after

    folder.amend(amended)


def _check_change(folder: CrawlFolder, before: Configuration, after: Configuration) -> None:
    """Refuse what cannot be changed any more, and what the crawl could not go by."""
    from lycosa.preparation.readiness import check_a_seed_is_let_in, check_settings

    for key in (*_FIXED_ONCE_BEGUN, *_FIXED_WHILE_RUNNING):
        if attrgetter(key)(before) == attrgetter(key)(after):
            continue
        if key in _FIXED_ONCE_BEGUN and folder.agent(0).exists():
            raise CrawlError(f"{key} decides who owns which site; it cannot be changed once a crawl has begun")
        if folder.running():
            raise CrawlError(f"{key} cannot be changed while the crawl runs; stop it first")
    if before.name != after.name:
        raise CrawlError(f"a crawl is called what its folder is called; to rename it, stop it and move {folder.path}")
    if before.seeds and not after.seeds:
        raise CrawlError("a crawl needs at least one page to begin with; name one in seeds")
    check_begun(folder, after)
    check_settings(after, folder)
    if not folder.agent(0).exists():
        check_a_seed_is_let_in(after)


def add(folder: CrawlFolder, typed: Sequence[str]) -> int:
    """Add URLs to a crawl. Returns how many."""
    configuration = folder.configuration()
    rules, drop_tracking = admission(configuration), configuration.urls.drop_tracking
    urls = [normalise(web_address(url), drop_tracking=drop_tracking) for url in typed]
    for each, url in zip(typed, urls, strict=True):
        if url is None:
            raise CrawlError(f"{each!r} is no http(s) URL; nothing was added")
        why = rules.refusal(Link(url))
        if why is not None:
            raise CrawlError(f"{url} would be refused: {why}; nothing was added")
    check_contact(configuration, filter(None, urls))
    folder.order([url for url in urls if url])
    return len(urls)


def remove(folder: CrawlFolder) -> None:
    """Delete a crawl and everything it collected."""
    if folder.running():
        raise CrawlError(f"crawl {folder.name!r} is running; stop it first, then delete it")
    leaving = Path(tempfile.mkdtemp(prefix=f".{folder.name}.deleted-", dir=folder.path.parent))
    folder.path.rename(leaving / folder.name)
    shutil.rmtree(leaving)


def web_address(text: str) -> str:
    """What was typed as an address; https where it says nothing else."""
    return text if "://" in text else f"https://{text}"


class Launcher:
    """Starts crawls in processes of their own, which go on when whoever started them ends."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def launch(self, folder: CrawlFolder, command: str = "resume") -> None:
        """Run `lycosa resume NAME` (or `revisit`) beside this process, and wait until it has begun."""
        if folder.running():
            raise CrawlError(f"crawl {folder.name!r} is running already")
        self._start(folder, command, folder.name)

    def follow(self, folder: CrawlFolder, number: int) -> None:
        """Work on a follow-up beside this process; a crawl that runs lets it go first."""
        self._start(folder, "follow", folder.name, "--number", str(number))

    def _start(self, folder: CrawlFolder, *command: str) -> None:
        log = folder.path / "logs" / "crawl.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        begun = log.stat().st_size if log.exists() else 0
        with log.open("ab") as output:
            child = subprocess.Popen(
                [sys.executable, "-m", "lycosa.interface.cli", "--home", str(self._home), *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._reap()
        self._children[folder.name] = child
        deadline = time.monotonic() + STARTS_WITHIN
        while not folder.running():
            if child.poll() not in (None, 0):
                raise CrawlError(_last_words(log, begun) or f"crawl {folder.name!r} could not be started; see {log}")
            if child.poll() == 0 or time.monotonic() > deadline:
                return
            time.sleep(0.02)

    def _reap(self) -> None:
        self._children = {name: child for name, child in self._children.items() if child.poll() is None}


def _last_words(log: Path, begun: int) -> str:
    """The sentence with which a command ended."""
    with log.open("rb") as file:
        file.seek(begun)
        lines = file.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("lycosa: ") if lines else ""
