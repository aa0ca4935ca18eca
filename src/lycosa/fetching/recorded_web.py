"""Webs that were recorded before: a folder of HTML (`dir:DIR`) or an archive (`warc:FILE`).

Both are indexed when they are opened and answer only with what they hold, so no request can
reach anything else. Nobody is bothered by reading a recording: there is no robots.txt to honour,
and every site of it is open.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import quote

from lycosa import urls
from lycosa.configuration.sections import Configuration, Fetching
from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.offline import OfflineJudge, conditions
from lycosa.fetching.warc_reader import Damaged, WarcIndex
from lycosa.plugins.plug_points import AT_ONCE, Fetcher, Known, Turns, checked_by
from lycosa.records import Failed, Link, Outcome, Response, SiteOpened, SiteShut

SUFFIX = "localhost"
_OPEN_FOR = 86_400.0
_AS_WRITTEN = "/!$&'()*+,;=:@[]|"
"""Characters of a file's name that stand in a URL as they are, as in links that people write."""
_INDEX_NAMES = ("index.html", "index.htm")
_TYPES = {
    ".html": "text/html", ".htm": "text/html", ".shtml": "text/html", ".xhtml": "application/xhtml+xml",
    ".txt": "text/plain", ".xml": "application/xml", ".css": "text/css", ".js": "text/javascript",
    ".json": "application/json", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
    ".gif": "image/gif", ".svg": "image/svg+xml", ".pdf": "application/pdf", ".gz": "application/gzip",
}  # fmt: skip


class Recording(Protocol):
    """A web that answers with what it holds."""

    def urls(self) -> list[str]:
        """Everything it holds, one URL each."""
        ...

    def respond(self, url: str) -> Response:
        """The recorded answer, or 404."""
        ...


class Notation(NamedTuple):
    """A recorded web as it is written: `dir:DIR[?sites&labels=FILE]` or `warc:FILE[?labels=FILE]`."""

    kind: str
    path: Path
    sites: bool = False
    labels: Path | None = None


def parse_recording(text: str) -> Notation:
    """What a notation says; anything else in it is refused."""
    kind, _, rest = text.partition(":")
    written, _, query = rest.partition("?")
    if kind not in ("dir", "warc") or not written:
        raise ConfigurationError(f"{text!r} is no recorded web; write dir:DIR, dir:DIR?sites or warc:FILE")
    path = Path(written).expanduser()
    sites, labels = False, None
    for pair in filter(None, query.split("&")):
        key, _, value = pair.partition("=")
        if key == "sites" and kind == "dir" and value in ("", "true", "1"):
            sites = True
        elif key == "labels" and value:
            labels = Path(value).expanduser()
        else:
            raise ConfigurationError(f"{text}: {pair!r} is not known; {kind}: takes {_KEYS[kind]}")
    if not (path.is_dir() if kind == "dir" else path.is_file()):
        raise ConfigurationError(f"{text}: there is no {'folder' if kind == 'dir' else 'file'} {path}")
    return Notation(kind, path, sites, labels)


_KEYS = {"dir": "sites and labels=FILE", "warc": "labels=FILE"}


class RecordedFolder:
    """A folder of files as a web: one site, or one for each folder in it.

    A folder's address shows its index page. Links out of the folder are not followed: a file is
    held only if it truly lies within.
    """

    def __init__(self, root: Path, sites: bool = False) -> None:
        self._root = root.resolve()
        self._files: dict[str, Path] = {}
        self._listed: list[str] = []
        taken: set[str] = set()
        for folder in self._site_folders(sites):
            site = f"http://{_label(folder.name, taken) if sites else 'web'}.{SUFFIX}"
            for path in _files_below(folder):
                self._hold(site, path.relative_to(folder), path)

    def urls(self) -> list[str]:
        """Everything the folder holds; an index page goes by its folder's address."""
        return self._listed

    def respond(self, url: str) -> Response:
        """A file, as a plain server would send it."""
        path = self._files.get(url.partition("?")[0])
        if path is None:
            return Response(url, 404, (("Content-Type", "text/plain"),), raw=b"not found\n")
        try:
            raw, facts = path.read_bytes(), path.stat()
        except OSError as error:
            return Response(url, 500, (("Content-Type", "text/plain"),), raw=str(error.strerror).encode())
        kind = _TYPES.get(path.suffix.lower()) or _guessed(raw)
        validators = (
            ("ETag", f'"{facts.st_mtime_ns:x}-{facts.st_size:x}"'),
            ("Last-Modified", formatdate(int(facts.st_mtime), usegmt=True)),
        )
        return Response(url, 200, (("Content-Type", kind), *validators), raw=raw)

    def _site_folders(self, sites: bool) -> list[Path]:
        if not sites:
            return [self._root]
        return sorted(one for one in self._root.iterdir() if one.is_dir() and self._is_within(one))

    def _is_within(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self._root)

    def _hold(self, site: str, name: Path, path: Path) -> None:
        """File a path under its URL, and an index page under its folder's address too."""
        spelled = urls.normalise(f"{site}/{quote(os.fsencode(name.as_posix()), safe=_AS_WRITTEN)}")
        if spelled is None or not self._is_within(path):
            return
        self._files[spelled] = path
        folder = spelled.rpartition("/")[0] + "/"
        if name.name in _INDEX_NAMES and folder not in self._files:
            self._files[folder] = path
            self._listed.append(folder)
        else:
            self._listed.append(spelled)


class RecordedArchive:
    """A WARC file as a web: the latest answer for each URL."""

    def __init__(self, path: Path) -> None:
        try:
            self._index = WarcIndex(path)
        except OSError as error:
            raise ConfigurationError(f"warc:{path}: cannot be read ({error.strerror})") from None
        self._written = {normal: url for url in self._index.places if (normal := urls.normalise(url))}
        self.torn = self._index.torn

    def urls(self) -> list[str]:
        """Everything the archive holds an answer for, in normal form."""
        return list(self._written)

    def respond(self, url: str) -> Response:
        """The recorded answer."""
        try:
            found = self._index.read(self._written[url]) if url in self._written else None
        except (Damaged, OSError) as error:
            return Response(url, 500, (("Content-Type", "text/plain"),), raw=str(error).encode())
        return found or Response(url, 404, (("Content-Type", "text/plain"),), raw=b"not found\n")


class RecordedFetcher:
    """Fetches from a recording; what it does not hold is answered with 404."""

    def __init__(self, recording: Recording, clock: Callable[[], float], fetching: Fetching | None = None) -> None:
        self.recording = recording
        self._clock = clock
        self._judge = OfflineJudge(fetching or Fetching())
        self._sites = {urls.site_of(url) for url in recording.urls()}

    def urls(self) -> list[str]:
        """Everything the recording holds."""
        return self.recording.urls()

    async def open(self, site: str, now: float, turns: Turns = AT_ONCE) -> SiteOpened | SiteShut:
        """Every site of the recording is open; of the others nothing is known."""
        if site not in self._sites:
            return SiteShut(site, "dns-failed", now + _OPEN_FOR, "not in this recording", requested=False)
        return SiteOpened(site, "127.0.0.1", None, now + _OPEN_FOR, requested=False)

    async def fetch(self, link: Link, known: Known | None = None) -> Outcome:
        """The recorded answer, judged like any other."""
        if urls.normalise(link.url) != link.url:
            return Failed(link, "bad-url", "not a normalised http(s) URL")
        response = _in_time(self.recording.respond(link.url), self._clock())
        if _is_current(response, conditions(known)):
            response = Response(link.url, 304, response.headers, began=response.began)
            return self._judge.outcome(link, response, conditional=True)
        return self._judge.outcome(link, response, conditional=False)

    async def close(self) -> None:
        """There is nothing to let go of."""


@checked_by(lambda configuration, _: parse_recording(configuration.fetching.web))
def recorded_fetcher(configuration: Configuration, clock: Callable[[], float]) -> Fetcher:
    """The fetcher for `fetching.web = "dir:…"` or `"warc:…"`."""
    return RecordedFetcher(recording_of(parse_recording(configuration.fetching.web)), clock, configuration.fetching)


def recording_of(notation: Notation) -> Recording:
    """The recording that a notation names."""
    if notation.kind == "dir":
        return RecordedFolder(notation.path, notation.sites)
    return RecordedArchive(notation.path)


def _files_below(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(where, name)
            if path.is_file():
                yield path


def _label(name: str, taken: set[str]) -> str:
    """A host label for a folder, told apart from those already taken."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:50].rstrip("-") or "site"
    label = next(one for k in range(1, len(taken) + 2) if (one := plain if k == 1 else f"{plain}-{k}") not in taken)
    taken.add(label)
    return label


def _guessed(raw: bytes) -> str:
    """The type of a file whose name does not tell."""
    begin = raw[:512].lstrip()
    if begin[:1] == b"<":
        return "text/html"
    return "application/octet-stream" if b"\0" in begin else "text/plain"


def _in_time(response: Response, now: float) -> Response:
    return Response(response.url, response.status, response.headers, response.body, response.raw, now, 0.0, "127.0.0.1",
                    response.truncated)  # fmt: skip


def _is_current(response: Response, offered: dict[str, str]) -> bool:
    if response.status != 200 or not offered:
        return False
    if "if-none-match" in offered:
        return bool(response.header("etag")) and response.header("etag") == offered["if-none-match"]
    return bool(response.header("last-modified")) and response.header("last-modified") == offered["if-modified-since"]
