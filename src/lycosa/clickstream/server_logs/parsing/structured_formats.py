"""Logs that say what their fields are called: W3C extended (IIS and others) and JSON lines."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from lycosa.clickstream.server_logs.parsing import timestamps as log_times
from lycosa.clickstream.server_logs.parsing.byte_slices import Places
from lycosa.clickstream.server_logs.parsing.columns import LineBlock
from lycosa.clickstream.server_logs.parsing.entries import Entry, request_parts
from lycosa.clickstream.server_logs.parsing.json_columns import JsonColumns
from lycosa.clickstream.server_logs.parsing.w3c_lines import W3cLines, can_be_cut

LONGEST_DIRECTIVE = 4096
MOST_FIELDS = 256


class W3cExtended:
    """Columns named by a `#Fields:` line, which may come again with other names."""

    name, quotes = "w3c", 0

    def __init__(self, directive: str = "") -> None:
        self.directive = ""
        self._columns: dict[str, int] = {}
        self._date = b""
        if directive:
            self.ignores(directive.encode())

    def ignores(self, line: bytes) -> bool:
        if not line.strip():
            return True
        if not line.startswith(b"#"):
            return False
        columns = _columns(line)
        if columns is not None:
            self.directive = line.decode("latin-1").strip()
            self._columns = columns
        elif line.startswith(b"#Date:"):
            self._date = line[6:].strip()[:10]
        return True

    def entry(self, line: bytes) -> Entry | None:
        if self.ignores(line):
            return None
        said = _fields(line, len(self._columns))
        if len(said) < len(self._columns) or not self._columns:
            return None
        return self._entry(said)

    def together(self, data: bytes, starts: Places, ends: Places) -> LineBlock | None:
        """The longest stretch of lines with the same fields, those of them that can be read at once."""
        starting = np.frombuffer(data, np.uint8).take(starts) == ord("#")
        stretches, columns, first = list[tuple[int, int, dict[str, int]]](), self._columns, 0
        for row in np.flatnonzero(starting).tolist():
            named = _columns(data[starts[row] : ends[row]])
            if named is not None and named != columns:
                stretches.append((first, row, columns))
                columns, first = named, row + 1
        stretches.append((first, len(starts), columns))
        first, last, columns = max(stretches, key=lambda stretch: stretch[1] - stretch[0])
        if first == last or not can_be_cut(columns):
            return None
        part = slice(first, last)
        return W3cLines(data, columns, first, starts[part], ends[part], ~starting[part]).block()

    def _entry(self, said: list[bytes]) -> Entry | None:
        columns = self._columns

        def field(*names: str) -> bytes:
            for name in names:
                place = columns.get(name)
                if place is not None and said[place] not in (b"-", b""):
                    return said[place]
            return b""

        time = field("time")
        at = log_times.milliseconds((field("date") or self._date) + b" " + time if b":" in time else time)
        status = field("sc-status")
        if at is None or len(status) != 3 or not status.isdigit():
            return None
        query = field("cs-uri-query")
        target = field("cs-uri-stem") + (b"?" + query if query else b"") or field("cs-uri")
        method = field("cs-method") if "cs-method" in columns else b"GET"
        agent = field("cs(user-agent)").replace(b"+", b" ")
        return Entry(
            at, int(status), method, target, field("cs(referer)"), agent,
            field("c-ip", "x-forwarded-for"), field("cs-host", "cs(host)"), field("x-session", "session-id"),
        )  # fmt: skip


def _columns(line: bytes) -> dict[str, int] | None:
    """The places of the fields that a line names; None where it names none."""
    if not line.startswith(b"#Fields:") or len(line) > LONGEST_DIRECTIVE:
        return None
    names = line[8:].decode("latin-1").lower().split()
    return {name: place for place, name in enumerate(names[:MOST_FIELDS])}


def _fields(line: bytes, most: int) -> list[bytes]:
    """The fields of a line. Those between quotes may hold spaces, unless too few fields were left then."""
    if b'"' not in line:
        return line.split(b"\t") if b"\t" in line else line.split()
    pieces = line.split(b'"')
    if b"\t" in line:
        pieces[1::2] = [piece.replace(b"\t", b"\n") for piece in pieces[1::2]]
        said = [field.replace(b"\n", b"\t") for field in b'"'.join(pieces).split(b"\t")]
    else:
        pieces[1::2] = [piece.replace(b" ", b"\n") for piece in pieces[1::2]]
        said = [field.replace(b"\n", b" ") for field in b'"'.join(pieces).split(b" ") if field]
    if len(said) < most:
        said = line.split(b"\t") if b"\t" in line else line.split()
    return list(map(_unquoted, said))


def _unquoted(field: bytes) -> bytes:
    quoted = len(field) > 1 and field.startswith(b'"') and field.endswith(b'"')
    return field[1:-1].replace(b'""', b'"') if quoted else field


_NAMES: dict[str, tuple[str, ...]] = {
    "time": ("time", "timestamp", "@timestamp", "ts", "time_iso8601", "time_local", "msec", "date", "start_time"),
    "status": ("status", "status_code", "response", "response_code", "sc-status", "downstreamstatus"),
    "method": ("method", "request_method", "verb", "http_method", "cs-method", "requestmethod"),
    "target": ("request_uri", "uri", "target", "url", "path", "requestpath", "cs-uri-stem"),
    "query": ("query", "query_string", "args", "cs-uri-query"),
    "referrer": ("http_referer", "referer", "referrer", "http_referrer", "request_referer"),
    "agent": ("http_user_agent", "user_agent", "useragent", "user-agent", "agent", "request_user-agent"),
    "address": ("remote_addr", "remote_ip", "client_ip", "clientip", "ip", "client", "address", "clienthost"),
    "host": ("http_host", "host", "vhost", "server_name", "requesthost"),
    "session": ("session", "session_id", "sid"),
}  # fmt: skip


class JsonLines:
    """One JSON object a line, with the field names of nginx, Apache, Caddy, Traefik and the like."""

    name, quotes, directive = "json", 0, ""

    def __init__(self) -> None:
        self._decoder = msgspec.json.Decoder()
        self._at_once = JsonColumns(_NAMES)

    def together(self, data: bytes, starts: Places, ends: Places) -> LineBlock | None:
        """Those lines that can be read at once."""
        return self._at_once.block(data, starts, ends)

    def ignores(self, line: bytes) -> bool:
        return not line.strip()

    def entry(self, line: bytes) -> Entry | None:
        try:
            decoded = self._decoder.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return None
        if not isinstance(decoded, dict):
            return None
        said = _flat(decoded)
        at = log_times.milliseconds(_first(said, "time"))
        status = _first(said, "status").partition(b".")[0]
        if at is None or len(status) != 3 or not status.isdigit():
            return None
        method, target = _request(said)
        rest = (_first(said, name) for name in ("referrer", "agent", "address", "host", "session"))
        return Entry(at, int(status), method, target, *rest)


def _request(said: dict[str, Any]) -> tuple[bytes, bytes]:
    whole = said.get("request")
    if isinstance(whole, str) and " " in whole:
        return request_parts(_bytes(whole))
    target = _first(said, "target")
    query = _first(said, "query")
    if query and b"?" not in target:
        target += b"?" + query.lstrip(b"?")
    return _first(said, "method") or b"GET", target


def _flat(decoded: dict[str, Any]) -> dict[str, Any]:
    """The object with the fields of its request and that one's headers beside its own, names in lower case."""
    found = {key.lower(): value for key, value in decoded.items()}
    request = found.get("request")
    if isinstance(request, dict):
        headers = request.get("headers")
        inner = {**(headers if isinstance(headers, dict) else {}), **request}
        for key, value in inner.items():
            found.setdefault(key.lower(), value)
    return found


def _first(said: dict[str, Any], field: str) -> bytes:
    for name in _NAMES[field]:
        value = said.get(name)
        if isinstance(value, list) and value:
            value = value[0]
        if isinstance(value, str | int | float) and value != "-" and not isinstance(value, bool):
            return _bytes(value)
    return b""


def _bytes(value: str | float) -> bytes:
    text = value if isinstance(value, str) else str(value) if isinstance(value, int) else f"{value:.3f}"
    return text.encode("utf-8", "surrogatepass")
