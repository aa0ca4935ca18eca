"""`lycosa clicks import`: a site's server logs become what people did with its pages."""

from __future__ import annotations

import argparse
import ctypes
import fcntl
import gc
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from lycosa.clickstream.server_logs.log_files import log_files
from lycosa.clickstream.server_logs.log_import import Imported, LogImport, Progress
from lycosa.clickstream.server_logs.page_urls import LogSite
from lycosa.clickstream.server_logs.parsing.formats import NAMES, format_called
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import home
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.shared.wording import number, print_json, printable, rate, share, span
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

_SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|min|h)\s*")
_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_LARGE, _KEPT = 64 << 20, 256 << 20


def add_actions(actions: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa clicks` about logs."""
    told = "count what visitors did, from a web server's logs"
    reading = actions.add_parser("import", help=told, description=told, parents=[shared])
    reading.add_argument("log", nargs="+", metavar="LOG", help="files (plain, gz, zst), folders, globs, or - for input")
    reading.add_argument("--site", required=True, help="whose log it is: example.org, or https://example.org")
    reading.add_argument(
        "--format", default="", metavar="F", help=f"{', '.join(NAMES)}, or a format string (default: found out)"
    )
    reading.add_argument("--session", default="30min", metavar="SPAN", help="a session ends after so long (30min)")
    reading.add_argument("--host-field", action="store_true", help="each line names its host; others are left out")
    reading.set_defaults(run=run)


def run(told: argparse.Namespace) -> int:
    """Import logs."""
    site = LogSite(told.site, by_host=told.host_field)
    session = seconds(told.session)
    if told.format:
        format_called(told.format)
    files = log_files(told.log)
    folder = home(told.home) / "clicks"
    steady_memory()
    began = time.monotonic()
    with ClickStore(folder) as store, alone(folder):
        work = LogImport(site, store, DayKeys(folder), now=time.time(), session=session, told=told.format)
        line = ProgressLine(sys.stderr, quiet=told.json)
        found = work.run(files, line.show)
        line.finish()
    took = time.monotonic() - began
    if told.json:
        return print_json(plain(found, took))
    print("\n".join(map(printable, report_lines(found, took))))
    return 0


def seconds(text: str) -> float:
    """A span such as 30min."""
    found = _SPAN.fullmatch(text)
    if found is None or float(found[1]) <= 0:
        raise ConfigurationError(f"--session {text!r} is no span of time; write it like 30min, 90s or 1h")
    return float(found[1]) * _UNITS[found[2]]


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """One import at a time: two would not know of each other's lines."""
    with open(folder / "import.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ConfigurationError(f"another import into {folder} is running; wait until it ends") from error
        yield


def steady_memory() -> None:
    """Keep the room of one block of lines for the next, instead of giving it back to the system each time.

    What is loaded already stays, so nobody needs to look through it for garbage.
    """
    gc.freeze()
    adjust: Callable[[int, int], int] | None = getattr(ctypes.CDLL(None), "mallopt", None)
    if adjust is not None:
        adjust(-3, _LARGE)
        adjust(-1, _KEPT)


class ProgressLine:
    """Tells how an import is doing: lines, lines a second, and when it ends."""

    def __init__(self, stream: TextIO, *, quiet: bool) -> None:
        self._stream, self._quiet, self._live = stream, quiet, stream.isatty()
        self._began = time.monotonic()
        self._shown = self._began
        self._last: Progress | None = None

    def show(self, now: Progress) -> None:
        """Show how far it is, if it is time to."""
        self._last = now
        at = time.monotonic()
        if self._quiet or at - self._shown < (0.3 if self._live else 5.0):
            return
        self._shown = at
        self._stream.write(("\r\x1b[K" if self._live else "") + self._line(now, at) + ("" if self._live else "\n"))
        self._stream.flush()

    def finish(self) -> None:
        """Leave the line."""
        if self._live and not self._quiet and self._last is not None:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def _line(self, now: Progress, at: float) -> str:
        took = max(at - self._began, 0.001)
        parts = [f"{number(now.lines)} lines", rate(now.lines / took)]
        if now.total and now.taken:
            parts.append(share(min(1.0, now.taken / now.total)))
            parts.append(f"ETA {span(max(0.0, took * (now.total - now.taken) / now.taken))}")
        return " · ".join(parts)


def plain(found: Imported, took: float) -> dict[str, Any]:
    """What an import found, for programs."""
    counts = found.counts
    return {
        "site": found.site,
        "lines": counts.lines,
        "visits": found.visits,
        "visitors": found.visitors,
        "sessions": found.sessions,
        "open_sessions": found.open_sessions,
        "without_session": found.without_session,
        "clock_backwards": found.clock_backwards,
        "left_out": found.left_out,
        "bad": counts.bad,
        "bad_examples": [
            {"log": each.log, "line": each.number, "text": each.text.decode("utf-8", "backslashreplace")}
            for each in counts.examples
        ],
        "logs": [
            {
                "name": note.name, "format": note.format, "explained": note.explained, "looked_at": note.looked_at,
                "lines": note.lines, "known_bytes": note.skipped, "waiting_bytes": note.waiting, "said": note.said,
            }
            for note in found.logs
        ],
        "seconds": round(took, 3),
    }  # fmt: skip


def report_lines(found: Imported, took: float) -> list[str]:
    """What an import found, for people."""
    counts = found.counts
    lines = [f"{note.name}: {_of_log(note)}" for note in found.logs]
    lines.append(
        f"{found.site}: {number(counts.lines)} lines in {span(took)} ({rate(counts.lines / max(took, 1e-9))}), "
        f"{number(found.visits)} page views by people in {number(found.sessions)} new sessions"
    )
    if found.open_sessions:
        lines.append(f"  {number(found.open_sessions)} visitors may still go on; the next import looks after them")
    if found.without_session:
        lines.append(f"  {number(found.without_session)} views have no session: their day's key is destroyed")
    if found.clock_backwards:
        lines.append(f"  {number(found.clock_backwards)} times the clock went backwards; these gaps count as 0")
    if found.left_out:
        lines.append("  left out: " + ", ".join(f"{name} {number(each)}" for name, each in _largest(found.left_out)))
    if counts.bad:
        lines.append(f"  {number(counts.bad)} bad lines, such as")
        for each in counts.examples:
            lines.append(f"    {each.log}:{each.number}: {each.text.decode('utf-8', 'backslashreplace')}")
    return lines


def _largest(left_out: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(left_out.items(), key=lambda item: (-item[1], item[0]))


def _of_log(note: Any) -> str:
    parts = [note.format] if note.format else []
    if note.looked_at:
        parts[0] += f" (explains {note.explained} of its first {note.looked_at} lines)"
    if note.format:
        parts.append(f"{number(note.lines)} new lines" if note.lines else "nothing new")
    if note.waiting:
        parts.append("its last line has no end yet and waits for the next import")
    if note.said:
        parts.append(note.said)
    return ", ".join(parts)
