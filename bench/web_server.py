"""Serves a folder of hosts on loopback addresses from one core: nginx where it is installed, else a plain server.

The access log is kept in memory and written in large pieces, so keeping it
costs every crawler the same; `drain_log` has it written out and starts afresh.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.cores import pinned, server_core

PATIENCE = 10.0
PAUSE = 0.01

_NGINX = """daemon off;
master_process off;
{user}pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
events {{ worker_connections 4096; multi_accept on; }}
http {{
 types {{ text/html html; text/plain txt; }}
 charset utf-8;
 sendfile on;
 tcp_nopush on;
 keepalive_timeout 60s;
 keepalive_requests 1000000;
 log_format url 'http://$http_host$request_uri';
 access_log {log};
 client_body_temp_path {folder}/body;
 proxy_temp_path {folder}/proxy;
 fastcgi_temp_path {folder}/fastcgi;
 uwsgi_temp_path {folder}/uwsgi;
 scgi_temp_path {folder}/scgi;
 server {{
{listen}
  root {root}/$host;
  index index.html;
  location = /robots.txt {{ root {root}; }}
 }}
}}
"""


class WebServer:
    """A running server and its log."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path | None) -> None:
        self.process = process
        self._log = log

    def drain_log(self) -> Counter[str]:
        """How often each URL was asked for since the start or the last drain."""
        if self._log is None:
            raise RuntimeError("the web was started without an access log")
        drained = self._log.with_suffix(".drained")
        self._log.rename(drained)
        self.process.send_signal(signal.SIGUSR1)
        _wait_for(self._log.exists, self.process)
        return Counter(drained.read_text().splitlines())


def free_port(hosts: list[str], candidates: Iterator[int]) -> int:
    """The first candidate on which every host can listen."""
    for port in candidates:
        if all(_is_free(host, port) for host in hosts):
            return port
    raise RuntimeError("no free port for the loopback web")


def _is_free(host: str, port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


@contextmanager
def serving(root: Path, hosts: list[str], port: int, *, log: bool) -> Iterator[WebServer]:
    """Serve root/<host>/… until the context ends; only the process started here is ended."""
    with TemporaryDirectory(prefix="lycosa-bench-") as name:
        folder = Path(name)
        access_log = folder / "access.log" if log else None
        command = _command(folder, root, hosts, port, access_log)
        process = subprocess.Popen(pinned(command, server_core()), stderr=subprocess.DEVNULL)
        try:
            _wait_for(lambda: all(_answers(host, port) for host in hosts), process)
            yield WebServer(process, access_log)
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _command(folder: Path, root: Path, hosts: list[str], port: int, log: Path | None) -> list[str]:
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if nginx is None:
        return [sys.executable, "-m", "bench.plain_server", str(root), str(port), str(log or ""), *hosts]
    configuration = folder / "nginx.conf"
    configuration.write_text(
        _NGINX.format(
            user=f"user {pwd.getpwuid(0).pw_name};\n" if os.geteuid() == 0 else "",
            folder=folder,
            root=root,
            log=f"{log} url buffer=1m" if log else "off",
            listen="\n".join(f"  listen {host}:{port} backlog=1024;" for host in hosts),
        )
    )
    return [nginx, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(configuration)]


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True


def _wait_for(is_so: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait, but not for ever, and not for a server that has ended."""
    give_up = time.monotonic() + PATIENCE
    while not is_so():
        if process.poll() is not None:
            raise RuntimeError(f"the server of the loopback web ended with status {process.returncode}")
        if time.monotonic() > give_up:
            raise TimeoutError("the server of the loopback web did not answer in time")
        time.sleep(PAUSE)
