"""A user's own log format: Apache's %-notation or nginx's $-notation as one regular expression over a line.

Every field ends at the literal that follows it, so matching never tries a second
way and a hostile line costs no more than its length.
"""

from __future__ import annotations

import re

from lycosa.configuration import ConfigurationError

QUOTED = rb'[^"\\]*(?:\\.[^"\\]*)*'
"""The inside of a quoted field; servers write a quote in it with a backslash."""

_APACHE = re.compile(r"%(%|[<>!0-9,]*(?:\{([^}]*)\})?(\^?[A-Za-z]{1,3}))")
_NGINX = re.compile(r"\$(?:\{([a-z0-9_]+)\}|([a-z0-9_]+))")

_APACHE_FIELDS = {
    "h": "address", "a": "address", "v": "host", "V": "host", "t": "time", "r": "request", "s": "status",
    "m": "method", "U": "path", "q": "query",
}  # fmt: skip
_HEADERS = {
    "referer": "referrer", "referrer": "referrer", "user-agent": "agent", "host": "host",
    "x-forwarded-for": "forwarded", "x-real-ip": "forwarded",
}  # fmt: skip
_NGINX_FIELDS = {
    "remote_addr": "address", "time_local": "time", "time_iso8601": "time", "msec": "time", "request": "request",
    "status": "status", "request_method": "method", "request_uri": "target", "uri": "path", "document_uri": "path",
    "args": "bare_query", "query_string": "bare_query", "host": "host", "http_host": "host", "server_name": "host",
    "http_referer": "referrer", "http_user_agent": "agent", "http_x_forwarded_for": "forwarded",
    "http_x_real_ip": "forwarded",
}  # fmt: skip
_SINCE_1970 = {"sec", "msec", "usec", "begin:sec", "begin:msec", "begin:usec", "end:sec", "end:msec", "end:usec"}


class Notation:
    """What a format string says: where each field is, and how its time is written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.time_pattern = ""
        self._parts = self._apache(text) if "%" in text else self._nginx(text)
        self.fields = {part for kind, part in self._parts if kind == "field"}
        self._check()
        self.pattern = re.compile(self._expression(), re.DOTALL)

    def _apache(self, text: str) -> list[tuple[str, str]]:
        parts: list[tuple[str, str]] = []
        place = 0
        for found in _APACHE.finditer(text):
            parts.append(("text", text[place : found.start()]))
            place = found.end()
            if found[1] == "%":
                parts.append(("text", "%"))
            elif found[3] == "t" and not found[2]:
                parts += [("text", "["), ("field", "time"), ("text", "]")]
            else:
                parts.append(("field", self._apache_field(found[2] or "", found[3])))
        return _joined([*parts, ("text", text[place:])])

    def _apache_field(self, name: str, letter: str) -> str:
        if letter == "i":
            return _HEADERS.get(name.lower(), "")
        if letter == "C":
            return "session"
        if letter == "t":
            self.time_pattern = "" if name in _SINCE_1970 else name.removeprefix("begin:").removeprefix("end:")
        return _APACHE_FIELDS.get(letter, "")

    @staticmethod
    def _nginx(text: str) -> list[tuple[str, str]]:
        parts: list[tuple[str, str]] = []
        place = 0
        for found in _NGINX.finditer(text):
            name = found[1] or found[2]
            field = "session" if name.startswith("cookie_") else _NGINX_FIELDS.get(name, "")
            parts += [("text", text[place : found.start()]), ("field", field)]
            place = found.end()
        return _joined([*parts, ("text", text[place:])])

    def _check(self) -> None:
        for (kind, field), (next_kind, following) in zip(self._parts, self._parts[1:], strict=False):
            if kind == next_kind == "field" and (field, following) != ("path", "query"):
                raise self._refused("two fields stand side by side, nobody could tell where one ends")
        if not self.fields & {"request", "target", "path"}:
            raise self._refused("it has no request; put %r or $request in it")
        if "time" not in self.fields:
            raise self._refused("it has no time; put %t or $time_local in it")
        if "status" not in self.fields:
            raise self._refused("it has no status; put %>s or $status in it")
        if not self.fields & {"address", "forwarded", "session"}:
            raise self._refused("it has nothing to tell visitors apart; put %h or $remote_addr in it")

    def _refused(self, why: str) -> ConfigurationError:
        return ConfigurationError(f"the log format {self.text!r} cannot be read: {why}")

    def _expression(self) -> bytes:
        made, named = b"", set[str]()
        for place, (kind, part) in enumerate(self._parts):
            if kind == "text":
                made += re.escape(part.encode())
                continue
            before = self._parts[place - 1][1] if place and self._parts[place - 1][0] == "text" else ""
            after = self._parts[place + 1] if place + 1 < len(self._parts) else ("text", "")
            inside = _inside(part, before, after, self.time_pattern if part == "time" else "")
            if part and part not in named:
                named.add(part)
                inside = b"(?P<" + part.encode() + b">" + inside + b")"
            made += inside
        return made


def _inside(field: str, before: str, after: tuple[str, str], pattern: str) -> bytes:
    """What a field may hold: all but what ends it; a time may hold that as often as its pattern does."""
    kind, following = after
    if field == "status":
        return rb"\d{3}"
    if kind == "field":
        return rb"[^ ?\"]*"
    if not following:
        return rb".*"
    if before.endswith('"') and following.startswith('"'):
        return QUOTED
    end = re.escape(following[0].encode()[:1])
    again = pattern.count(following[0])
    return b"[^%b]*" % end + (b"(?:%b[^%b]*){%d}" % (end, end, again) if again else b"")


def _joined(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Neighbouring literals as one; empty ones left out."""
    found: list[tuple[str, str]] = []
    for kind, part in parts:
        if kind == "text" and not part:
            continue
        if kind == "text" and found and found[-1][0] == "text":
            found[-1] = ("text", found[-1][1] + part)
        else:
            found.append((kind, part))
    return found
