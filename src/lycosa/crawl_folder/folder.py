"""A crawl is a folder: where everything of it lies, and what people want it to do.

`crawl.toml` is the effective configuration, `wish.json` the wanted state (run,
pause, stop), `orders.jsonl` the URLs that people added, `agents/N` what each agent
owns, `archive` the WARC files, `index` the search index. Copy the folder and you
have moved the crawl. All control is by these files, so it survives any crash.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import reduce
from pathlib import Path
from typing import IO, Any

import msgspec
import platformdirs

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.durable import replace_file, write_all
from lycosa.frontier.url_patterns import meant_for_paths, odd_pattern, same_pattern
from lycosa.user_error import Mendable

OWNING_TRIES = 10


class CrawlError(Mendable):
    """Something about a crawl that a person can mend; the message says how."""


class Wish(Enum):
    """What people want a crawl to do."""

    RUN = "run"
    PAUSE = "pause"
    STOP = "stop"


def home(given: str | None = None) -> Path:
    """Where crawls live."""
    return Path(given or os.environ.get("LYCOSA_HOME") or platformdirs.user_data_dir("lycosa"))


class CrawlFolder:
    """The folder of one crawl."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        self._lock: IO[str] | None = None

    @classmethod
    def find(cls, base: Path, name: str) -> CrawlFolder:
        """An existing crawl, or an error that lists those there are."""
        folder = cls(base / "crawls" / name)
        if name != folder.name or not folder.exists:
            there = ", ".join(found.name for found in cls.all(base)) or "none yet; start one with `lycosa crawl`"
            raise CrawlError(f"no crawl named {name!r} in {base}; there are: {there}")
        return folder

    @classmethod
    def all(cls, base: Path) -> list[CrawlFolder]:
        """All crawls of a home."""
        return [cls(path.parent) for path in sorted((base / "crawls").glob("*/crawl.toml"))]

    @property
    def exists(self) -> bool:
        """Whether there is a crawl here."""
        return (self.path / "crawl.toml").exists()

    @property
    def archive(self) -> Path:
        """Where the WARC files lie."""
        return self.path / "archive"

    @property
    def index(self) -> Path:
        """Where the search index lies."""
        return self.path / "index"

    def agent(self, number: int) -> Path:
        """What one agent owns."""
        return self.path / "agents" / str(number)

    def agent_lock(self, number: int) -> Path:
        """What an agent keeps locked while it lives."""
        return self.agent(number) / "lock"

    def agents(self, number: int) -> list[Path]:
        """The folders of so many agents."""
        return [self.agent(each) for each in range(number)]

    def create(self, configuration: Configuration) -> None:
        """Make the folder, or take up the crawl in it with this configuration.

        Its strategy is written by name, so that a crawl goes on by it whatever a later version has for a default.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with self._changing():
            self.save(msgspec.structs.replace(configuration, strategy=configuration.link_scorer))

    def save(self, configuration: Configuration) -> None:
        """Write the effective configuration."""
        settings.write(configuration, self.path / "crawl.toml")

    def stamp(self) -> int:
        """A number that changes when settings are written; 0 before there are any."""
        try:
            return (self.path / "crawl.toml").stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def configuration(self) -> Configuration:
        """The effective configuration; one without a name was cut short, and nothing may go by what is left of it."""
        path = self.path / "crawl.toml"
        raw = settings.read_toml(path)
        if "name" not in raw:
            raise CrawlError(f"{path} is empty or cut short; restore it from a copy, or start the crawl anew elsewhere")
        return settings.build(raw, origin=str(path))

    def change(self, *overrides: str) -> Configuration:
        """Change settings of a crawl that may be running."""
        return self.amend(lambda current: reduce(settings.changed, overrides, current))

    def amend(self, amended: Callable[[Configuration], Configuration]) -> Configuration:
        """Change settings by what they are at that moment: nobody else changes them between reading and writing."""
        with self._changing():
            current = amended(self.configuration())
            self.save(current)
            return current

    def add_pattern(self, kind: str, pattern: str) -> None:
        """Block or allow a pattern (and lift the opposite order for the same pattern)."""
        if odd := odd_pattern(pattern) or meant_for_paths(pattern):
            raise CrawlError(odd)
        other = "allow" if kind == "block" else "block"
        with self._changing():
            plain = settings.plain(self.configuration())
            scope: dict[str, Any] = plain["scope"]
            opposite = [each for each in scope[other] if same_pattern(each, pattern)]
            scope[other] = [each for each in scope[other] if each not in opposite]
            if not (opposite and kind == "allow"):
                scope[kind] = [*(each for each in scope[kind] if not same_pattern(each, pattern)), pattern]
            self.save(settings.build(plain, origin=kind))

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with (self.path / "crawl.toml.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    # -- wishes and orders ----------------------------------------------------------------------

    def wish(self) -> Wish:
        """What people want the crawl to do."""
        wish = (said_of(self.path / "wish.json") or {}).get("wish")
        return Wish(wish) if wish in {each.value for each in Wish} else Wish.RUN

    def want(self, wish: Wish) -> None:
        """Say what the crawl should do."""
        replace_file(self.path / "wish.json", json.dumps({"wish": wish.value}))

    def order(self, urls: list[str]) -> None:
        """Add URLs to a crawl that may be running; each agent takes its own."""
        with (self.path / "orders.jsonl").open("ab", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            before = file.seek(0, os.SEEK_END)
            try:
                write_all(file, "".join(json.dumps({"url": url}) + "\n" for url in urls).encode())
                os.fsync(file.fileno())
            except OSError:
                file.truncate(before)
                raise

    def orders(self, after: int) -> tuple[list[str], int]:
        """URLs that were added after a place in the file, and the new place."""
        try:
            with (self.path / "orders.jsonl").open("rb") as file:
                file.seek(after)
                data = file.read()
        except FileNotFoundError:
            return [], after
        whole = data[: data.rfind(b"\n") + 1]
        urls = (_ordered(line) for line in whole.splitlines())
        return [url for url in urls if url is not None], after + len(whole)

    # -- who is here ----------------------------------------------------------------------------

    @contextmanager
    def owned(self) -> Iterator[None]:
        """Own the crawl, as one process at a time does; what people wished of an earlier run no longer counts.

        Whoever owns the same folder again within takes it over: nobody else comes between, and it is free at that end.
        """
        if self._lock is None:
            self._lock = own(self.path / "lock", f"crawl {self.name!r}")
            self.want(Wish.RUN)
        try:
            yield
        finally:
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    def running(self) -> bool:
        """Whether a process owns the crawl now."""
        return owned_by_somebody(self.path / "lock")

    def statuses(self, number: int) -> list[dict[str, Any]]:
        """What each agent last said of itself."""
        said = [said_of(folder / "status.json") for folder in self.agents(number)]
        return [each for each in said if each is not None]


def _ordered(line: bytes) -> str | None:
    """The URL of an order; None where its line was cut short, as by a crash."""
    try:
        url = json.loads(line)["url"]
    except (ValueError, KeyError, TypeError):
        return None
    return url if isinstance(url, str) else None


def own(path: Path, what: str) -> IO[str]:
    """Own something as long as the returned file is open, or say that somebody else does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a", encoding="utf-8")
    for _ in range(OWNING_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.01)  # somebody may only be looking whether it is owned
        else:
            return file
    file.close()
    raise CrawlError(f"{what} is in use by another process; stop that one first")


def owned_by_somebody(path: Path) -> bool:
    """Whether a process owns something now."""
    try:
        with path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until nobody else changes what lies in a folder, and keep others waiting meanwhile."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def said_of(path: Path) -> dict[str, Any] | None:
    """What a process last said in a status file; None where there is none, or one that the power cut short."""
    try:
        said = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return said if isinstance(said, dict) else None
