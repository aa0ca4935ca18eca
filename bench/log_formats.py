"""Logs in every format: CPU time of the command against GoAccess, and a log of eight years against one of a day."""

from __future__ import annotations

import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from bench.cores import client_core, pinned
from bench.rows import Row, less_is_better, missing, more_is_better

BENCH = "logs"
URLS, VISITORS = 30_000, 20_000
LINES, MANY_LINES = 300_000, 1_000_000
ROUNDS = 3
YEARS = 8 * 365
_W3C = "date time s-ip cs-method cs-uri-stem cs-uri-query c-ip cs(User-Agent) cs(Referer) sc-status sc-bytes"
_DATES = ("--date-format=%Y-%m-%d", "--time-format=%H:%M:%S")
_JSON = {
    "time": "%dT%t+00:00", "remote_addr": "%h", "request_method": "%m", "request_uri": "%U", "status": "%s",
    "body_bytes_sent": "%b", "http_referer": "%R", "http_user_agent": "%u",
}  # fmt: skip
_SYSTEMS = ("X11; Linux x86_64", "Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7")


class Request(NamedTuple):
    """A line before it is written in a format."""

    at: datetime
    address: str
    agent: str
    target: str
    referrer: str
    status: int
    size: int


def requests(number: int, days: float) -> Iterator[Request]:
    """Requests over some days, for pages and their assets; some pages and visitors are much more frequent."""
    chance, begin = random.Random(5), datetime(2016, 3, 1, tzinfo=UTC)
    agents = [
        f"Mozilla/5.0 ({system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/{version}.0.0.0 Safari/537.36"
        for system in _SYSTEMS
        for version in range(60, 140)
    ]
    endings = ("", ".html", "?page=3", "/")
    targets = [f"/part-{each % 97}/page-{each}{endings[each % 4]}" for each in range(URLS)]
    addresses = [".".join(str(chance.randrange(1, 255)) for _ in range(4)) for _ in range(VISITORS)]
    people = [(address, chance.choice(agents)) for address in addresses]
    for place in range(number):
        asset = chance.random() < 0.35
        target = chance.choice(("/s.css", "/a.js", "/logo.png")) if asset else targets[int(chance.random() ** 2 * URLS)]
        referrer = chance.choice(("-", "https://www.google.com/", f"https://example.org{targets[place % 500]}"))
        address, agent = people[int(chance.random() ** 1.5 * VISITORS)]
        at = begin + timedelta(days=days * place / number)
        yield Request(at, address, agent, target, referrer, chance.choice((200,) * 9 + (404,)), 500 + place % 60_000)


def combined(asked: Request) -> str:
    """A line of the combined format."""
    return (
        f'{asked.address} - - [{asked.at:%d/%b/%Y:%H:%M:%S} +0000] "GET {asked.target} HTTP/1.1" {asked.status}'
        f' {asked.size} "{asked.referrer}" "{asked.agent}"'
    )


def w3c(asked: Request) -> str:
    """A line as IIS writes it."""
    stem, _, query = asked.target.partition("?")
    return (
        f"{asked.at:%Y-%m-%d %H:%M:%S} 10.0.0.1 GET {stem} {query or '-'} {asked.address}"
        f" {asked.agent.replace(' ', '+')} {asked.referrer} {asked.status} {asked.size}"
    )


def json_line(asked: Request) -> str:
    """A line as nginx writes it with a JSON log format."""
    at, address, agent, target, referrer, status, size = asked
    values = (f"{at:%Y-%m-%dT%H:%M:%S}+00:00", address, "GET", target, status, size, referrer, agent)
    return json.dumps(dict(zip(_JSON, values, strict=True)))


class Format(NamedTuple):
    """How a format is written, and read by GoAccess."""

    write: Callable[[Request], str]
    goaccess: Sequence[str]
    head: str = ""
    bar: int = 3
    lines: int = LINES


FORMATS = {
    f"combined, {URLS} URLs and {VISITORS} visitors": Format(
        combined, ("--log-format=COMBINED",), bar=8, lines=MANY_LINES
    ),
    "JSON": Format(json_line, (f"--log-format={json.dumps(_JSON)}", *_DATES)),
    "W3C": Format(w3c, ("--log-format=%d %t %^ %m %U %q %h %u %R %s %b", *_DATES), head=f"#Fields: {_W3C}\n"),
    "a host column": Format(lambda asked: f"example.org:80 {combined(asked)}", ("--log-format=VCOMBINED",)),
}


def against_goaccess(real: Path, lines: int, folder: Path) -> list[Row]:
    """The real log, generated ones in every format, and one of many years."""
    log = folder / "generated.log"
    rows = [_years(log)]
    if shutil.which("goaccess") is None:
        return [*rows, missing(BENCH, "GoAccess", "goaccess is not installed")]
    rows.append(_row("the real log", real, "semicomplete.com", ("--log-format=COMBINED",), lines, 10))
    for name, form in FORMATS.items():
        log.write_text(form.head + "".join(f"{form.write(each)}\n" for each in requests(form.lines, 7)))
        rows.append(_row(name, log, "example.org", form.goaccess, form.lines, form.bar))
    return rows


def _row(name: str, log: Path, site: str, options: Sequence[str], lines: int, bar: int) -> Row:
    pairs = [(imported(log, site)[0], goaccess(log, options)) for _ in range(ROUNDS)]
    ours, theirs = (min(each) for each in zip(*pairs, strict=True))
    note = f"CPU time of the whole command; bar >= {bar}"
    return more_is_better(
        BENCH, f"lines a second, {name}", lines / ours, lines / theirs, other_name="GoAccess", unit="lines/s", note=note
    )


def _years(log: Path) -> Row:
    """The wall time of the command on a log of eight years against one of a day, in turns."""
    logs = {days: log.with_suffix(f".{days}") for days in (YEARS, 1)}
    for days, path in logs.items():
        path.write_text("".join(f"{combined(each)}\n" for each in requests(LINES, days)))
    pairs = [[imported(path, "example.org")[1] for path in logs.values()] for _ in range(ROUNDS)]
    years, day = (min(each) for each in zip(*pairs, strict=True))
    for path in logs.values():
        path.unlink()
    return less_is_better(
        BENCH, "wall time, eight years", years, day, other_name="the same lines on a day", unit="s",
        note="bar >= 0.67: at most 1.5 times as long",
    )  # fmt: skip


def imported(log: Path, site: str) -> tuple[float, float]:
    """CPU and wall seconds of `lycosa clicks import` into a new home."""
    with tempfile.TemporaryDirectory() as home:
        return _measured([sys.executable, "-m", "lycosa", "clicks", "import", str(log), "--site", site, "--home", home])


def goaccess(log: Path, options: Sequence[str]) -> float:
    """CPU seconds of GoAccess on a log."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["goaccess", str(log), "-o", f"{folder}/report.json", "--no-global-config", *options]
        return _measured(command)[0]


def _measured(command: Sequence[str]) -> tuple[float, float]:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(pinned(list(command), client_core()), check=True, capture_output=True)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - began
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall
