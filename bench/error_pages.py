"""How well are error pages, empty pages and login walls recognised that nobody here wrote?

`python -m bench.error_pages collect VENV PAGES` saves what the servers and packages of `error_page_sources`
send; VENV is a Python with the packages from PyPI.
`python -m bench.error_pages measure PAGES` reads every page as if it had come with status 200. The sites are divided
into those that the rules were tuned on and those that were only measured.
"""

from __future__ import annotations

import http.client
import shlex
import socket
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from bench.error_page_sources import FILES, ORDINARY, SERVED, Files, Served
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Response

MOST_OF_A_SITE = 25
"""Pages that are no ordinary ones, and are taken of one site."""
MOST_ORDINARY = 400
PATIENCE = 20.0
_EXTENSIONS = ("mbstring", "iconv", "dom", "xml", "xmlreader", "tokenizer", "ctype", "pdo", "pdo_sqlite", "sqlite3",
               "mysqlnd", "mysqli", "fileinfo", "intl", "posix", "simplexml")  # fmt: skip


class Sample(NamedTuple):
    """A page with its site and what a person says it is."""

    site: str
    kind: str
    path: Path


# -- collecting ---------------------------------------------------------------------------------


def collect(venv: Path, pages: Path) -> None:
    """Save the pages of every source that there is on this machine."""
    for source in FILES:
        saved = sum(_save(pages, source.site, source.kind, body) for body in _bodies(source))
        print(f"{source.site}: {saved} pages of {source.pattern}")
    for served in SERVED:
        print(f"{served.site}: {_collect_served(served, venv, pages)}", flush=True)


def _bodies(source: Files) -> Iterator[bytes]:
    paths = sorted(path for path in Path("/").glob(source.pattern) if path.is_file())
    most = MOST_ORDINARY if source.kind == ORDINARY else MOST_OF_A_SITE
    for path in sorted(paths, key=lambda path: zlib.crc32(str(path).encode()))[:most]:
        body = path.read_bytes()
        if path.suffix == ".http":
            body = body.partition(b"\r\n\r\n")[2]
        elif body.startswith(b"#"):  # remarks of a template, which are not sent
            body = b"\n".join(line for line in body.splitlines() if not line.startswith(b"#"))
        yield body


def _save(pages: Path, site: str, kind: str, body: bytes, content_type: str = "text/html") -> bool:
    """Save a page beside those of its site and kind; not twice, and not more than are wanted."""
    folder = pages / site / kind
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{zlib.crc32(body):08x}.html"
    most = MOST_ORDINARY if kind == ORDINARY else MOST_OF_A_SITE
    if path.exists() or len(list(folder.iterdir())) >= 2 * most:
        return False
    path.write_bytes(body)
    path.with_suffix(".type").write_text(content_type)
    return True


def _collect_served(source: Served, venv: Path, pages: Path) -> str:
    """Start a source, ask it, and end it; what came of it in a word or two."""
    folder = pages.parent / "served" / source.site
    (folder / "empty").mkdir(parents=True, exist_ok=True)
    port, settings = _free_port(), folder / "settings"
    named = {"venv": venv, "folder": folder, "empty": folder / "empty", "port": port, "settings": settings}
    named["php"] = next(iter(Path("/usr/lib/php").glob("2*")), folder)
    named["extensions"] = " ".join(f"-d extension={name}" for name in _EXTENSIONS)
    python = "/bin/python" in source.command
    settings.write_text(source.settings if python else source.settings.format(**named))
    with (folder / "said").open("wb") as said:
        try:
            server = subprocess.Popen(shlex.split(source.command.format(**named)), cwd=folder, stdout=said, stderr=said)
        except OSError as error:
            return f"not here ({error.strerror})"
        try:
            return _ask(source, port, server, pages)
        finally:
            server.terminate()
            try:
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()


def _ask(source: Served, port: int, server: subprocess.Popen[bytes], pages: Path) -> str:
    until = time.monotonic() + PATIENCE
    while server.poll() is None and time.monotonic() < until:
        with socket.socket() as trial:
            if not trial.connect_ex(("127.0.0.1", port)):
                break
        time.sleep(0.1)
    if server.poll() is not None:
        return "ended at once; see what it said"
    saved: Counter[str] = Counter()
    for line in source.asked.splitlines():
        kind, path = line.split(" ", 1)
        try:
            body, content_type, status = _get(port, path)
        except (OSError, http.client.HTTPException) as error:
            saved[f"failed: {type(error).__name__}"] += 1
            continue
        saved[f"{kind} {status}"] += _save(pages, source.site, kind, body, content_type)
    return ", ".join(f"{number} {name}" for name, number in saved.items())


def _get(port: int, path: str) -> tuple[bytes, str, int]:
    """A page, redirects followed on the same server."""
    cookies: dict[str, str] = {}
    for _ in range(5):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        kept = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())} if cookies else {}
        connection.request("GET", path, headers={"Accept": "text/html", "Accept-Language": "en", **kept})
        answer = connection.getresponse()
        body, where = answer.read(), answer.headers.get("Location", "")
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            cookies[name] = value
        connection.close()
        if answer.status not in (301, 302, 303, 307, 308) or not where:
            break
        path = where.partition(f":{port}")[2] if "://" in where else where
    return body, answer.headers.get("Content-Type", ""), answer.status


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


# -- measuring ----------------------------------------------------------------------------------


def samples(pages: Path) -> Iterator[Sample]:
    """Every page that was collected."""
    for path in sorted(pages.glob("*/*/*.html")):
        yield Sample(path.parts[-3], path.parts[-2], path)


def only_measured(site: str) -> bool:
    """Whether a site is one of the half that nothing is tuned on; what comes from one program stays together."""
    return bool(zlib.crc32(site.partition("-")[0].encode()) & 1)


def verdict(sample: Sample) -> str:
    """What the rules take a page for."""
    content_type = sample.path.with_suffix(".type").read_text()
    link = Link(f"http://{sample.site}.example/{sample.path.stem}")
    response = Response(link.url, 200, (("Content-Type", content_type),), sample.path.read_bytes())
    return read_page(Fetched(link, response)).placeholder


def measure(pages: Path, *, tuned_on: bool = True) -> None:
    """Precision and recall of both halves; mistakes by name, those of the half that is only measured as numbers."""
    sums = {False: Counter[str](), True: Counter[str]()}
    sites: dict[tuple[bool, str], set[str]] = {}
    for sample in samples(pages):
        half, recognised, wrong = only_measured(sample.site), verdict(sample), sample.kind != ORDINARY
        sums[half][f"{'right' if wrong else 'false'} alarm" if recognised else "missed" if wrong else "left"] += 1
        sums[half][f"as {recognised}, is {sample.kind}"] += 1
        sites.setdefault((half, "wrong" if wrong else "ordinary"), set()).add(sample.site)
        if bool(recognised) != wrong and not half and tuned_on:
            print(f"{recognised or 'ordinary'}, but is {sample.kind}: {sample.path}")
    for half, name in ((False, "tuned on"), (True, "only measured")):
        told, right = sums[half], sums[half]["right alarm"]
        print(f"{name}: {len(sites.get((half, 'wrong'), ()))} sites with such pages, "
              f"{len(sites.get((half, 'ordinary'), ()))} with ordinary ones")  # fmt: skip
        print(f"  precision {right / max(1, right + told['false alarm']):.3f}, "
              f"recall {right / max(1, right + told['missed']):.3f}: {dict(sorted(told.items()))}")  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "collect":
        collect(*map(Path, sys.argv[2:]))
    elif len(sys.argv) == 3 and sys.argv[1] == "measure":
        measure(Path(sys.argv[2]))
    else:
        print(__doc__)
