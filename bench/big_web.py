"""The same big web for all crawlers: generated once, kept in a cache folder, served on loopback.

    with big_web(pages=20_000) as web:
        web.seed, web.port, web.urls, web.fetched()

A finished folder never changes: it is written beside its place and moved in
whole, and its name holds everything it depends on, the port included, since
the links between hosts name it. `python -m bench.big_web` serves it for a look.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from bench.web_pages import WebPages
from bench.web_server import WebServer, free_port, serving

EDITION = 1
PORTS = range(18_080, 18_100)
ROBOTS = "User-agent: *\nAllow: /\n"


def cache_folder() -> Path:
    """Where the benches keep what is costly to make again."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "lycosa-bench"


@dataclass(frozen=True)
class BigWeb:
    """A web being served."""

    seed: str
    urls: frozenset[str]
    hosts: int
    port: int
    server: WebServer

    def fetched(self) -> Counter[str]:
        """How often each URL was asked for since the start or the last call (robots.txt and misses included)."""
        return self.server.drain_log()


@contextmanager
def big_web(pages: int = 20_000, hosts: int = 200, *, log: bool = True) -> Iterator[BigWeb]:
    """Serve a web of so many pages on so many hosts until the context ends."""
    hosts = min(hosts, pages)
    addresses = [f"127.0.0.{number + 1}" for number in range(hosts)]
    port = free_port(addresses, iter(PORTS))
    folder = written(WebPages(pages, hosts, port))
    urls = (folder / "urls.txt").read_text().split()
    with serving(folder, addresses, port, log=log) as server:
        yield BigWeb(urls[0], frozenset(urls), hosts, port, server)


def written(web: WebPages) -> Path:
    """The folder with the web's files, written now unless an earlier run did."""
    folder = cache_folder() / "webs" / f"{EDITION}-{web.pages}-pages-{web.hosts}-hosts-port-{web.port}-seed-{web.seed}"
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(mkdtemp(prefix="draft-", dir=folder.parent))
    draft.chmod(0o755)
    try:
        _write(web, draft)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft)
        raise
    return folder


def _write(web: WebPages, folder: Path) -> None:
    for number in range(web.pages):
        file = folder / web.host(number) / (web.paths[number].strip("/") or "index.html")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(web.html(number))
    (folder / "robots.txt").write_text(ROBOTS)
    (folder / "urls.txt").write_text("\n".join(web.url(number) for number in range(web.pages)))


def main() -> None:
    """Serve a web until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m bench.big_web", description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--hosts", type=int, default=200)
    options = parser.parse_args()
    with big_web(options.pages, options.hosts) as web:
        print(f"{len(web.urls)} pages from {web.seed}; interrupt to end", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
