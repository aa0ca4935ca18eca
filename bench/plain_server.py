"""A small static server for machines without nginx: `python -m bench.plain_server ROOT PORT LOG HOST...`.

It answers GET with keep-alive from memory, and on SIGUSR1 writes its log to
the given path anew, as nginx does when its log has been moved away.
"""

from __future__ import annotations

import asyncio
import functools
import signal
import sys
from pathlib import Path

HEAD = b"HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"


class StaticSite(asyncio.Protocol):
    """One connection; requests are answered in the order they come."""

    def __init__(self, root: Path, lines: list[str]) -> None:
        self._root = root
        self._lines = lines
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        *requests, self._waiting = (self._waiting + data).split(b"\r\n\r\n")
        for request in requests:
            self._transport.write(self._answer(request.decode("latin-1")))

    def _answer(self, request: str) -> bytes:
        target = request.split(" ", 2)[1]
        headers = dict(line.lower().split(": ", 1) for line in request.split("\r\n")[1:] if ": " in line)
        host = headers.get("host", "")
        self._lines.append(f"http://{host}{target}")
        return _response(self._root, host.partition(":")[0], target.partition("?")[0])


@functools.cache
def _response(root: Path, host: str, path: str) -> bytes:
    file = root / "robots.txt" if path == "/robots.txt" else root / host / (path.strip("/") or "index.html")
    if not file.resolve().is_relative_to(root.resolve()) or not file.is_file():
        return HEAD % (404, b"Not Found", b"text/plain", 0)
    body = file.read_bytes()
    kind = b"text/plain" if file.suffix == ".txt" else b"text/html; charset=utf-8"
    return HEAD % (200, b"OK", kind, len(body)) + body


async def serve(root: Path, port: int, log: Path | None, hosts: list[str]) -> None:
    """Listen on every host until somebody ends the process."""
    loop = asyncio.get_running_loop()
    lines: list[str] = []
    moved_away = log.with_suffix(".drained") if log else None

    def write_log() -> None:
        if log and moved_away:
            moved_away.write_text("".join(f"{line}\n" for line in lines))
            lines.clear()
            log.touch()

    write_log()
    loop.add_signal_handler(signal.SIGUSR1, write_log)
    await loop.create_server(lambda: StaticSite(root, lines), hosts, port, backlog=1024)
    await asyncio.Event().wait()


if __name__ == "__main__":
    _, root_name, port_text, log_name, *host_names = sys.argv
    asyncio.run(serve(Path(root_name), int(port_text), Path(log_name) if log_name else None, host_names))
