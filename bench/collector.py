"""`collector`: events of the beacon received on one core, every one acknowledged when it is on disk.

The collector is a process of its own on one core; browsers behind a trusted proxy, each
with its own address, are simulated on the other core by connections that stay open and
send the next request when the last one was acknowledged. Afterwards the store must hold
every acknowledged view. LYCOSA_BENCH_REQUESTS sets the number of requests (default
20 000).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from bench.cores import client_core, pinned, server_core
from bench.rivals.stopwatch import peak_mb
from bench.rows import Row, less_is_better, more_is_better
from lycosa.click_records import WatchedSite
from lycosa.interface.commands.clicks import collect
from lycosa.storage.click_store import ClickStore

REQUESTS = int(os.environ.get("LYCOSA_BENCH_REQUESTS", "20000"))
EVENTS_IN_ONE = 3
CONNECTIONS = 32
PAGES = 2_000
VISITORS = 5_000
SITE = WatchedSite("example.org", "the-key", created=1.0)
LEAST_EVENTS, LEAST_REQUESTS, MOST_MS = 3_000, 1_000, 50.0
AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0 Safari/537.36"


def run() -> list[Row]:
    """All rows of the bench."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("LYCOSA_BENCH_FOLDER")) as home:
        folder = Path(home) / "clicks"
        with ClickStore(folder) as store:
            store.put_site(SITE)
        command = [sys.executable, "-m", "bench.collector", "serve", home]
        with subprocess.Popen(pinned(command, server_core()), stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            try:
                port = int(process.stdout.readline().partition("127.0.0.1:")[2].partition("/")[0])
                load = [sys.executable, "-m", "bench.collector", "load", str(port)]
                done = subprocess.run(pinned(load, client_core()), capture_output=True, text=True, check=True)
            finally:
                process.send_signal(signal.SIGTERM)
            cost = json.loads(process.stdout.read().splitlines()[-1])
        figures = json.loads(done.stdout)
        _check(folder, figures["acknowledged"])
    return _rows(figures, cost)


def _check(folder: Path, acknowledged: int) -> None:
    with ClickStore(folder) as store:
        counted, refused = sum(page.visits for page in store.pages(SITE.name)), store.refusals()
    if counted != acknowledged * EVENTS_IN_ONE or refused:
        raise RuntimeError(f"{acknowledged} requests were acknowledged, {counted} views counted, refused: {refused}")


def _rows(figures: dict[str, float], cost: dict[str, float]) -> list[Row]:
    requests = figures["acknowledged"] / figures["seconds"]
    each = 1e6 * cost["cpu_seconds"] / (figures["acknowledged"] * EVENTS_IN_ONE)
    note = f"bar >= 1; {each:.0f} µs CPU an event, {cost['peak_mb']:.0f} MB, p50 {figures['p50']:.1f} ms, "
    note += f"{CONNECTIONS} connections, synced before each acknowledgement"
    return [
        more_is_better("collector", f"events/s, {EVENTS_IN_ONE} a request, one core", EVENTS_IN_ONE * requests,
                       LEAST_EVENTS, other_name="bar", unit="events/s", note=note),
        more_is_better("collector", "requests/s, one core", requests, LEAST_REQUESTS, other_name="bar",
                       unit="requests/s", note="bar >= 1; the same run"),
        less_is_better("collector", "p99 of an acknowledgement", figures["p99"], MOST_MS, other_name="bar", unit="ms",
                       note="bar >= 1; the same run"),
    ]  # fmt: skip


def _body(chance: random.Random) -> bytes:
    views = [
        {"v": 1, "k": SITE.key, "i": f"{chance.getrandbits(64):016x}", "n": 0,
         "u": f"https://example.org/page/{chance.randrange(PAGES)}", "r": "https://search.example/results?q=x",
         "t": int(time.time() * 1000), "a": 4000, "d": 9000, "l": 4000, "s": 380_000, "o": 1,
         "e": {"1": 4, "13": 2, str(chance.randrange(1, 16)): 1}}
        for _ in range(EVENTS_IN_ONE)
    ]  # fmt: skip
    return json.dumps(views, separators=(",", ":")).encode()


def _request(chance: random.Random) -> bytes:
    body, visitor = _body(chance), chance.randrange(VISITORS)
    head = (
        "POST /collect HTTP/1.1\r\nHost: collector.example\r\nOrigin: https://example.org\r\n"
        f"User-Agent: {AGENT}\r\nX-Forwarded-For: 198.51.{visitor >> 8}.{visitor & 255}\r\n"
        "Accept: */*\r\nAccept-Language: en\r\nAccept-Encoding: gzip, deflate, br\r\nReferer: https://example.org/\r\n"
        f"Content-Type: text/plain;charset=UTF-8\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class _Browser(asyncio.Protocol):
    """One connection: the next request when the last one was acknowledged."""

    def __init__(self, waiting: list[bytes], times: list[float], done: asyncio.Event) -> None:
        self._waiting, self._times, self._done = waiting, times, done
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._next()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if b"\r\n\r\n" in self._buffer:
            if not self._buffer.startswith(b"HTTP/1.1 204"):
                raise RuntimeError(self._buffer.decode("latin-1"))
            self._times.append(time.perf_counter() - self._began)
            self._buffer = b""
            self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        self._done.set()

    def _next(self) -> None:
        if not self._waiting:
            self._transport.close()
            return
        self._began = time.perf_counter()
        self._transport.write(self._waiting.pop())


async def _load(port: int) -> dict[str, float]:
    chance = random.Random(5)
    waiting = [_request(chance) for _ in range(REQUESTS)]
    times: list[float] = []
    ends = [asyncio.Event() for _ in range(CONNECTIONS)]
    began = time.perf_counter()
    for end in ends:
        await asyncio.get_running_loop().create_connection(partial(_Browser, waiting, times, end), "127.0.0.1", port)
    for end in ends:
        await end.wait()
    seconds = time.perf_counter() - began
    times.sort()
    p50, p99 = (1000 * times[int(len(times) * part)] for part in (0.5, 0.99))
    return {"acknowledged": len(times), "seconds": seconds, "p50": p50, "p99": p99}


def _serve(home: str) -> None:
    """The command `lycosa collect` behind a proxy on this machine; at its end it says what it cost."""
    settings = ['trusted_proxies=["127.0.0.1"]']
    collect.collect(argparse.Namespace(home=home, host="127.0.0.1", port=0, set=settings, json=False))
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"cpu_seconds": used.ru_utime + used.ru_stime, "peak_mb": peak_mb()}))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        _serve(sys.argv[2])
    else:
        print(json.dumps(asyncio.run(_load(int(sys.argv[2])))))
