"""One request and its answer, on one libcurl handle that is used again and again.

Whatever a server sends, an exchange holds at most its ceilings in memory, and
ends with an answer, a named fault, or both. It connects only to the address it
was given, whatever the name may mean by now.
"""

from __future__ import annotations

import asyncio
import io
import ipaddress
import re
import socket
import ssl
from collections.abc import Callable
from typing import Any, TypeAlias

import pycurl

from lycosa.fetching.content_coding import ACCEPTED
from lycosa.records import Record

Headers: TypeAlias = tuple[tuple[str, str], ...]
Plan: TypeAlias = Callable[[int, dict[str, str]], int]
"""Told the status and the headers by lower-case name, says how much of the body to read; UNWANTED ends all."""

UNWANTED = -1
MOST_HEADERS = 1000
MOST_CHUNKS = 64
_STOP = -1
_SHORTEST_LINE = 3
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_FOLD = re.compile(r"\r?\n[ \t]+")
_FIELD = re.compile(r"^([^:\n]+):[ \t]*([^\r\n]*)", re.MULTILINE)

_WEIRD_REPLY, _TOO_LARGE, _HTTP2_STREAM = 8, 100, 92
"""Error codes of libcurl that pycurl has no name for, or not in all versions."""

_TLS_ERRORS = frozenset((35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98))
"""All of libcurl's error codes that begin with SSL, and failed verification."""


class Fault(Record, frozen=True):
    """What went wrong, under a counted name, and whether trying again may help."""

    why: str
    detail: str = ""
    again: bool = False


class Limits(Record, frozen=True):
    """What exchanges may cost, and how they introduce themselves."""

    connections: int
    per_address: int
    keep_connections: bool
    connect_within: float
    first_byte_within: float
    total_within: float
    largest_headers: int
    user_agent: str
    accept: str
    verify_tls: bool


class Request(Record, frozen=True):
    """What to ask, and the checked address to ask it of."""

    url: str
    address: str
    headers: tuple[str, ...] = ()


class Transferred(Record, frozen=True):
    """What came over the wire: `raw` without chunking, but still encoded. Status 0 means that no answer came."""

    status: int
    headers: Headers
    fields: dict[str, str]
    raw: bytes
    began: float
    seconds: float
    address: str
    truncated: bool
    fault: Fault | None

    def header(self, name: str) -> str:
        """The first header of that (lower-case) name, or ''."""
        return self.fields.get(name, "")


class Exchange:
    """A handle, and the state of the exchange it is in. Callbacks run inside libcurl and must not raise.

    Header lines are only collected; they are looked at once, when the last of them has come, so that an answer nobody
    wants ends there. Until then libcurl's own ceiling (300 KiB with all interim answers) holds.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._standing_headers = [f"Accept: {limits.accept}", f"Accept-Encoding: {ACCEPTED}"]
        self._extra_headers: tuple[str, ...] = ()
        self._pinned = ""
        self._lines: list[bytes] = []
        self._chunks: list[bytes] = []
        self._body = io.BytesIO()
        self.curl = pycurl.Curl()
        self.curl.exchange = self
        self._set_up()

    def _set_up(self) -> None:
        limits, setopt = self._limits, self.curl.setopt
        setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        setopt(pycurl.FOLLOWLOCATION, 0)
        setopt(pycurl.HTTP09_ALLOWED, 0)
        setopt(pycurl.PROXY, "")
        setopt(pycurl.NOSIGNAL, 1)
        setopt(pycurl.PATH_AS_IS, 1)
        setopt(pycurl.CONNECTTIMEOUT_MS, max(1, int(limits.connect_within * 1000)))
        setopt(pycurl.TIMEOUT_MS, max(1, int(limits.total_within * 1000)))
        setopt(pycurl.BUFFERSIZE, 65536)
        setopt(pycurl.FORBID_REUSE, 0 if limits.keep_connections else 1)
        setopt(pycurl.DNS_CACHE_TIMEOUT, 0)  # addresses are given; libcurl would look through all it knows each time
        setopt(pycurl.USERAGENT, limits.user_agent)
        setopt(pycurl.HTTPHEADER, self._standing_headers)
        setopt(pycurl.HEADERFUNCTION, self._on_header)
        setopt(pycurl.WRITEFUNCTION, self._on_body)
        setopt(pycurl.OPENSOCKETFUNCTION, self._on_socket)
        setopt(pycurl.SSL_VERIFYPEER, 1 if limits.verify_tls else 0)
        setopt(pycurl.SSL_VERIFYHOST, 2 if limits.verify_tls else 0)
        trusted = ssl.get_default_verify_paths()
        if trusted.cafile:
            setopt(pycurl.CAINFO, trusted.cafile)
        elif trusted.capath:
            setopt(pycurl.CAPATH, trusted.capath)

    def begin(self, request: Request, plan: Plan, done: asyncio.Future[Transferred]) -> None:
        """Make ready for a request; the handle must not be in use."""
        self.done = done
        self.status = 0
        self._plan = plan
        self._headers: Headers = ()
        self._fields: dict[str, str] = {}
        self._size = 0
        self._ceiling = 0
        self._truncated = False
        self._stopped: Fault | None = None
        setopt = self.curl.setopt
        setopt(pycurl.URL, request.url)
        if request.address != self._pinned:
            self._pinned = request.address
            written = f"[{request.address}]" if ":" in request.address else request.address
            setopt(pycurl.CONNECT_TO, [f"::{written}:"])
        if request.headers != self._extra_headers:
            self._extra_headers = request.headers
            setopt(pycurl.HTTPHEADER, [*self._standing_headers, *request.headers])

    def finish(self, began: float, seconds: float, error: Fault | None) -> Transferred:
        """What came of it. A ceiling that we enforced ourselves is no fault of the transfer."""
        if not self.status:
            self._read_headers()
        fault = self._stopped or (None if self._truncated else error)
        truncated = self._truncated or fault is not None
        raw = self._whole_body()
        self._lines.clear()
        address = self._pinned
        return Transferred(self.status, self._headers, self._fields, raw, began, seconds, address, truncated, fault)

    def _whole_body(self) -> bytes:
        if self._body.tell():
            self._spill()
            raw = self._body.getvalue()
            self._body = io.BytesIO()
        else:
            raw = b"".join(self._chunks)
            self._chunks.clear()
        return raw

    def _spill(self) -> None:
        """Put pieces together before they are many: a server may send a body byte by byte."""
        self._body.write(b"".join(self._chunks))
        self._chunks.clear()

    def has_answer(self) -> bool:
        """Whether the headers are complete, those of interim answers not counting."""
        return bool(self.status) or _final_block(b"".join(self._lines)) is not None

    def _read_headers(self) -> None:
        """Look at the header lines and decide how much of the body to read."""
        head = b"".join(self._lines)
        if len(head) > self._limits.largest_headers or len(self._lines) > MOST_HEADERS:
            self._stopped = Fault("headers-too-large", f"{len(head)} bytes in {len(self._lines)} lines")
            return
        block = _final_block(head)
        if block is None:
            return
        self.status = _status(block)
        self._headers = _parsed(block)
        self._fields = {name.lower(): value for name, value in reversed(self._headers)}
        self._ceiling = self._plan(self.status, self._fields)
        if self._ceiling == UNWANTED:
            self._stopped = Fault("unwanted")

    def _on_header(self, line: bytes) -> int | None:
        self._lines.append(line)
        if len(line) < _SHORTEST_LINE and not self.status:  # it is empty: an answer, or an interim one, has its headers
            self._read_headers()
            if self._stopped is not None:
                return _STOP
        return None

    def _on_body(self, chunk: bytes) -> int | None:
        if not self.status:
            self._read_headers()
            if self._stopped is not None:
                return _STOP
        self._size += len(chunk)
        if self._size > self._ceiling:
            self._chunks.append(chunk[: len(chunk) - (self._size - self._ceiling)])
            self._truncated = True
            return _STOP
        self._chunks.append(chunk)
        if len(self._chunks) >= MOST_CHUNKS:
            self._spill()
        return None

    def _on_socket(self, _purpose: int, target: Any) -> socket.socket | int:
        """The last gate: libcurl may only connect to the address that was checked."""
        family, kind, protocol, where = target
        try:
            host = where[0].decode() if isinstance(where[0], bytes) else where[0]
            if ipaddress.ip_address(host) == ipaddress.ip_address(self._pinned):
                return socket.socket(family, kind, protocol)
            self._stopped = Fault("address-refused", f"{host} is not the address that was checked")
        except (OSError, ValueError, AttributeError) as error:
            self._stopped = Fault("connect-failed", str(error), again=True)
        return int(pycurl.SOCKET_BAD)


def _final_block(head: bytes) -> bytes | None:
    """The complete status line and headers of the answer proper, after any interim ones (1xx)."""
    begin = 0
    while end := _BLANK_LINE.search(head, begin):
        status = _status(head[begin : begin + 40])
        if not 100 <= status < 200 or status == 101:
            return head[begin : end.start()]
        begin = end.end()
    return None


def _status(block: bytes) -> int:
    code = block.split(None, 2)[1:2]
    return int(code[0]) if code and code[0].isdigit() else 0


def _parsed(block: bytes) -> Headers:
    """Names and values; a line that begins with a space continues the one before it."""
    text = block.partition(b"\n")[2].decode("latin-1")
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    return tuple(_FIELD.findall(text))


def fault_of(code: int, message: str) -> Fault:
    """The name under which a libcurl error is counted."""
    if code in _TLS_ERRORS:
        return Fault("tls", message)
    if code == pycurl.E_RECV_ERROR and "chunk" in message.lower():
        return Fault("protocol", message)
    why, again = _FAULTS.get(code, ("network", True))
    return Fault(why, message, again)


_FAULTS: dict[int, tuple[str, bool]] = {
    pycurl.E_OPERATION_TIMEDOUT: ("timeout", True),
    pycurl.E_COULDNT_CONNECT: ("connect-failed", True),
    pycurl.E_COULDNT_RESOLVE_HOST: ("dns-failed", True),
    pycurl.E_RECV_ERROR: ("reset", True),
    pycurl.E_SEND_ERROR: ("reset", True),
    pycurl.E_GOT_NOTHING: ("reset", True),
    pycurl.E_PARTIAL_FILE: ("cut-short", True),
    pycurl.E_UNSUPPORTED_PROTOCOL: ("protocol", False),
    _WEIRD_REPLY: ("protocol", False),
    pycurl.E_HTTP2: ("protocol", True),
    _HTTP2_STREAM: ("protocol", True),
    pycurl.E_BAD_CONTENT_ENCODING: ("protocol", False),
    pycurl.E_URL_MALFORMAT: ("bad-url", False),
    _TOO_LARGE: ("headers-too-large", False),
}
