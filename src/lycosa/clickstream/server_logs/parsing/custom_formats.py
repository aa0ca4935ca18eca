"""A user's own log format: Apache's %-notation or nginx's $-notation as one regular expression over a line.

Every field ends where the whole text that follows it begins, and what was taken is never
given back, so a hostile line costs no more than its length. A format in which nobody could
tell where a field ends is refused.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lycosa.clickstream.server_logs.parsing import timestamps as log_times
from lycosa.configuration.settings import ConfigurationError

QUOTED = rb'[^"\\]*+(?:\\.[^"\\]*+)*+'
"""The inside of a quoted field; servers write a quote in it with a backslash."""

_APACHE = re.compile(r"%(%|[<>!0-9,]*(?:\{([^{}]*)\})?(\^FB|\^FU|\^ti|\^to|[aAbBcCDefhHiIklLmnoOpPqrRsStTuUvVxX]))")
_NGINX = re.compile(r"\$(?:\{([a-z0-9_]+)\}|([a-z0-9_]+))")

_APACHE_FIELDS = {
    "h": "address", "a": "address", "v": "host", "V": "host", "C": "session", "r": "request", "s": "status",
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
_SINCE_1970 = {"sec", "msec", "usec", "%s"}
_FRACTIONS = {"msec_frac", "usec_frac"}

_TYPICAL = {
    "request": "GET / HTTP/1.1", "time": "17/May/2015:10:05:03 +0000", "forwarded": "10.0.0.1, 10.0.0.2",
    "agent": "Mozilla/5.0 (X11; Linux x86_64; rv:9.0) AppleWebKit/9.0 (KHTML, like Gecko)",
}  # fmt: skip
"""Fields of several words: a text that such a field holds cannot be where it ends ..."""
_BEFORE_A_SPACE = {
    "request": rb"(?>[^ ]*+(?:(?! HTTP/) [^ ]*+)*+ HTTP/[0-9.]++|[^ ]*+)",
    "time": rb"[^ ]*+(?: [+-]\d{4}(?= ))?+",
    "forwarded": rb"[^ ,]*+(?:, ?[^ ,]*+)*+",
}
"""... unless it is a space, and the words show by themselves which is the last one."""


class Part(NamedTuple):
    """A piece of a format string: text as it is, or a field by its name, which is empty where nobody needs it.

    Of a time, `pattern` says how to read it; `inside` is what a field looks like, where that is known.
    """

    text: str
    is_field: bool = True
    pattern: str = ""
    inside: bytes = b""


_NOTHING = Part("", is_field=False)


class Notation:
    """What a format string says: where each field is, and how its time is written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts = _joined(self._apache() if "%" in text else self._nginx())
        fields = [part for part in self.parts if part.is_field]
        self.fields = {field.text for field in fields}
        self.time_pattern = next((field.pattern for field in fields if field.text == "time"), "")
        self._check()
        self.pattern = re.compile(self._expression(), re.DOTALL)

    def _apache(self) -> list[Part]:
        parts: list[Part] = []
        place = 0
        for found in _APACHE.finditer(self.text):
            parts.append(self._between(self.text[place : found.start()]))
            place = found.end()
            told, letter = found[2] or "", found[3]
            if found[1] == "%":
                parts.append(Part("%", is_field=False))
            elif letter == "t" and not told:
                parts += [Part("[", is_field=False), Part("time"), Part("]", is_field=False)]
            elif letter == "t":
                parts.append(self._time(told.removeprefix("begin:").removeprefix("end:")))
            else:
                parts.append(Part(_HEADERS.get(told.lower(), "") if letter == "i" else _APACHE_FIELDS.get(letter, "")))
        return [*parts, self._between(self.text[place:])]

    def _between(self, text: str) -> Part:
        if "%" in text:
            raise self._refused(f"Apache has no field {text[text.index('%') :]!r}; a percent sign is written %%")
        return Part(text, is_field=False)

    def _time(self, told: str) -> Part:
        if told in _FRACTIONS or told in _SINCE_1970:
            return Part("time" if told in _SINCE_1970 else "", inside=rb"\d+")
        try:
            pattern = log_times.plain_pattern(told)
        except ValueError as error:
            raise self._refused(str(error)) from error
        return Part("time", pattern=pattern, inside=log_times.expression(pattern))

    def _nginx(self) -> list[Part]:
        parts: list[Part] = []
        place = 0
        for found in _NGINX.finditer(self.text):
            name = found[1] or found[2]
            field = "session" if name.startswith("cookie_") else _NGINX_FIELDS.get(name, "")
            parts += [Part(self.text[place : found.start()], is_field=False), Part(field)]
            place = found.end()
        return [*parts, Part(self.text[place:], is_field=False)]

    def _check(self) -> None:
        for part, following in zip(self.parts, self.parts[1:], strict=False):
            if part.is_field and following.is_field and (part.text, following.text) != ("path", "query"):
                raise self._refused("two fields stand side by side, nobody could tell where one ends")
        if not self.fields & {"request", "target", "path"}:
            raise self._refused("it has no request; put %r or $request in it")
        if "time" not in self.fields:
            raise self._refused("it has no time; put %t or $time_local in it")
        if self.time_pattern and not log_times.is_whole(self.time_pattern):
            raise self._refused("its time must say year, day and hour, each once, such as %{%Y-%m-%d %H:%M:%S}t")
        if "status" not in self.fields:
            raise self._refused("it has no status; put %>s or $status in it")
        if not self.fields & {"address", "forwarded", "session"}:
            raise self._refused("it has nothing to tell visitors apart; put %h or $remote_addr in it")

    def _refused(self, why: str) -> ConfigurationError:
        return ConfigurationError(f"the log format {self.text!r} cannot be read: {why}")

    def _expression(self) -> bytes:
        """All parts in a row; of a field that comes twice, be it a time, the first one counts."""
        made, named = b"", {""}
        for place, part in enumerate(self.parts):
            if not part.is_field:
                made += re.escape(part.text.encode())
                continue
            following, then, *_ = (*self.parts[place + 1 :], _NOTHING, _NOTHING)
            inside = part.inside or self._inside(part.text, following, then)
            if part.text not in named:
                named.add(part.text)
                inside = b"(?P<" + part.text.encode() + b">" + inside + b")"
            made += inside
        return made

    def _inside(self, field: str, following: Part, then: Part) -> bytes:
        """What a field may hold, by what follows it."""
        if field == "status":
            return rb"\d{3}"
        if following.is_field:
            return _until("?", then.text) if then.text else _until("?")
        if not following.text:
            return rb".*"
        if following.text.startswith('"'):
            return QUOTED
        typical = _TYPICAL.get(field, "")
        if following.text not in typical:
            return _until(following.text)
        if following.text == " " and field in _BEFORE_A_SPACE:
            return _BEFORE_A_SPACE[field]
        raise self._refused(f"nobody could tell where {typical!r} ends before {following.text!r} but in quotes")


def _until(*ends: str) -> bytes:
    """All up to where one of some texts begins."""
    firsts = b"".join(re.escape(end.encode()[:1]) for end in ends)
    wholes = b"|".join(re.escape(end.encode()) for end in ends)
    return b"[^%b]*+(?:(?!%b)[%b][^%b]*+)*+" % (firsts, wholes, firsts, firsts)


def _joined(parts: list[Part]) -> list[Part]:
    """Neighbouring texts as one; empty ones left out."""
    found: list[Part] = []
    for part in parts:
        if not part.is_field and found and not found[-1].is_field:
            found[-1] = Part(found[-1].text + part.text, is_field=False)
        elif part.is_field or part.text:
            found.append(part)
    return found
