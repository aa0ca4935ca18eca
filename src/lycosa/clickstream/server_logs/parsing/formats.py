"""How servers write their logs: common, combined, W3C extended, JSON lines, and a format of the user's own.

A format turns one line into one entry, or says that it cannot. Lines are
independent: whatever a visitor puts into a field, it spoils his own line at most.
Which format a log has is found by trying them on its first lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import numpy as np

from lycosa.clickstream.server_logs.parsing import timestamps as log_times
from lycosa.clickstream.server_logs.parsing.byte_slices import Places, SliceHash, Understood
from lycosa.clickstream.server_logs.parsing.columns import ADDRESS, HOST, LineBlock
from lycosa.clickstream.server_logs.parsing.custom_formats import QUOTED, Notation
from lycosa.clickstream.server_logs.parsing.entries import Entry, request_parts
from lycosa.clickstream.server_logs.parsing.notation_lines import NotationLines, can_be_cut
from lycosa.clickstream.server_logs.parsing.structured_formats import JsonLines, W3cExtended
from lycosa.configuration.settings import ConfigurationError
from lycosa.records import Record

LEAST_SHARE = 0.1
"""A format is believed when it explains at least this share of a log's first lines."""
COMMON, COMBINED = 2, 6
"""How many quotes a line of these formats has at least."""

_SERVER_LINE = re.compile(
    rb'(?P<address>\S+) [^"]*(?:"" [^"]*)?\[(?P<time>[^\[\]"]{1,40})\] "(?P<request>'
    + QUOTED
    + rb')" (?P<status>\d{3})(?: [^"]*)?'
    rb'(?:"(?P<referrer>' + QUOTED + rb')" "(?P<agent>' + QUOTED + rb')(?:"(?: .*)?)?)?',
    re.DOTALL,
)
_HOST, _ADDRESS = re.compile(rb"[A-Za-z0-9.-]+(?::\d{1,5})?"), re.compile(rb"[0-9A-Fa-f.:]+")
_USUAL_HOST_LINE = '%v %h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-agent}i"'
_HOST_LINE = re.compile(
    rb"(?P<host>[A-Za-z0-9.-]+(?::\d{1,5})?) (?P<line>[0-9A-Fa-f.:]+ [^\"]*(?:\"\" [^\"]*)?\[.*)", re.DOTALL
)


class LogFormat(Protocol):
    """A way to write requests into lines. `quotes` is above 0 where blocks of lines can be read at once."""

    name: str
    quotes: int
    directive: str

    def entry(self, line: bytes) -> Entry | None:
        """What a line says; None where it says nothing in this format."""
        ...

    def ignores(self, line: bytes) -> bool:
        """Whether a line is no request and no mistake either."""
        ...

    def together(self, data: bytes, starts: Places, ends: Places) -> LineBlock | None:
        """Those lines of a block that can be read at once, as columns; the others are read one by one."""
        ...


class ServerLine:
    """The common format, with or without the referrer and the browser of the combined one."""

    directive = ""

    def __init__(self, name: str, quotes: int) -> None:
        self.name, self.quotes = name, quotes

    def entry(self, line: bytes) -> Entry | None:
        found = _SERVER_LINE.fullmatch(line)
        at = log_times.milliseconds(found["time"]) if found else None
        if found is None or at is None:
            return None
        method, target = request_parts(found["request"])
        return Entry(
            at, int(found["status"]), method, target, found["referrer"] or b"", found["agent"] or b"", found["address"]
        )

    def ignores(self, line: bytes) -> bool:
        return not line.strip()

    def together(self, data: bytes, starts: Places, ends: Places) -> LineBlock | None:
        """Blocks of these lines are cut at their quotes (`common_formats`)."""
        return None


class HostLine:
    """The combined format with the name of the host before it, as in `other_vhosts_access.log`."""

    name, quotes, directive = "vhost-combined", 0, ""

    def __init__(self) -> None:
        self._rest = ServerLine("combined", COMBINED)
        self._usual = NotationLines(Notation(_USUAL_HOST_LINE).parts)
        self._hash = SliceHash()
        self._hosts = Understood(lambda text: _HOST.fullmatch(text) is not None)
        self._addresses = Understood(lambda text: _ADDRESS.fullmatch(text) is not None)

    def together(self, data: bytes, starts: Places, ends: Places) -> LineBlock | None:
        block = self._usual.block(data, starts, ends)
        fits = np.ones(len(block.rows), bool)
        for column, known in ((HOST, self._hosts), (ADDRESS, self._addresses)):
            hashes = self._hash.of(data, block.starts[column], block.ends[column])
            fits &= known.numbers(hashes, partial(block.text, column)) > 0
            if known.is_full:
                known.clear()
        return block if fits.all() else block.only(np.flatnonzero(fits))

    def entry(self, line: bytes) -> Entry | None:
        found = _HOST_LINE.fullmatch(line)
        rest = self._rest.entry(found["line"]) if found else None
        return rest._replace(host=found["host"]) if found and rest else None

    def ignores(self, line: bytes) -> bool:
        return not line.strip()


class OwnFormat:
    """A format string of the user's own."""

    quotes, directive = 0, ""

    def __init__(self, notation: Notation) -> None:
        self.name = notation.text
        self._notation = notation
        self._cuts = NotationLines(notation.parts) if can_be_cut(notation.parts) else None

    def together(self, data: bytes, starts: Places, ends: Places) -> LineBlock | None:
        return self._cuts.block(data, starts, ends) if self._cuts else None

    def entry(self, line: bytes) -> Entry | None:
        match = self._notation.pattern.fullmatch(line)
        if match is None:
            return None
        found = match.groupdict(b"")
        pattern = self._notation.time_pattern
        at = log_times.by_pattern(found["time"], pattern) if pattern else log_times.milliseconds(found["time"])
        if at is None:
            return None
        method, target = request_parts(found["request"]) if "request" in found else _parts(found)
        address = found.get("address") or found.get("forwarded", b"").partition(b",")[0].strip()
        said = (found.get(name, b"") for name in ("host", "session"))
        return Entry(
            at,
            int(found["status"]),
            method,
            target,
            found.get("referrer", b""),
            found.get("agent", b""),
            address,
            *said,
        )

    def ignores(self, line: bytes) -> bool:
        return not line.strip()


def _parts(found: dict[str, bytes]) -> tuple[bytes, bytes]:
    target = found.get("target") or found.get("path", b"") + found.get("query", b"")
    bare = found.get("bare_query", b"")
    if "target" not in found and bare not in (b"", b"-"):
        target += b"?" + bare
    return found.get("method", b"GET"), target


class Detected(Record, frozen=True):
    """Which format a log has, and how many of its first lines it explains."""

    format: str
    explained: int
    looked_at: int


_KNOWN: dict[str, Callable[[], LogFormat]] = {
    "common": lambda: ServerLine("common", COMMON),
    "combined": lambda: ServerLine("combined", COMBINED),
    "vhost-combined": HostLine,
    "w3c": W3cExtended,
    "json": JsonLines,
}
NAMES = tuple(_KNOWN)


def format_called(told: str, directive: str = "") -> LogFormat:
    """The format of a name, or of a format string; `directive` is what a log said of its fields so far."""
    if told.startswith("#Fields:"):
        return W3cExtended(directive or told)
    if told == "w3c":
        return W3cExtended(directive)
    if told in _KNOWN:
        return _KNOWN[told]()
    if "%" in told or "$" in told:
        return OwnFormat(Notation(told))
    raise ConfigurationError(
        f"there is no log format {told!r}; use one of {', '.join(NAMES)}, "
        "or a format string such as '%h %l %u %t \"%r\" %>s %b'"
    )


def detect(lines: Sequence[bytes]) -> Detected | None:
    """The format that explains most of a log's first lines; None where no format does."""
    names = ["json", "vhost-combined", "combined"]
    if any(line.startswith(b"#Fields:") for line in lines):
        names.insert(0, "w3c")
    tried = [_tried(name, lines) for name in names]
    believed = [each for each in tried if each.explained >= max(1, LEAST_SHARE * each.looked_at)]
    best = max(believed, key=lambda each: each.explained, default=None)
    return _narrowed(best, believed, lines) if best is not None and best.format == "combined" else best


def _tried(name: str, lines: Sequence[bytes]) -> Detected:
    form = format_called(name)
    said = [line for line in lines if not form.ignores(line)]
    return Detected(name, sum(form.entry(line) is not None for line in lines), len(said))


def _narrowed(best: Detected, believed: Sequence[Detected], lines: Sequence[bytes]) -> Detected:
    """What most lines have that the combined format explains: hosts before them, referrers and browsers, or neither.

    A few torn or foreign lines among the first ones do not decide for all that follow.
    """
    hosts = [each for each in believed if each.format == "vhost-combined" and 2 * each.explained > best.explained]
    if hosts:
        return hosts[0]
    whole = _tried("combined", [line for line in lines if line.count(b'"') >= COMBINED])
    return best if 2 * whole.explained > best.explained else Detected("common", best.explained, best.looked_at)
