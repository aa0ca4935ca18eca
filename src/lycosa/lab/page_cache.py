"""Reading all pages of a web once, by the reader that crawls use, and keeping them on disk.

A trial asks for thousands of pages, and a comparison makes hundreds of trials: pages are
read the first time a web is opened and come from a file afterwards. The file counts only
while the web's files and the reader's source are what they were; a damaged one is read
anew, never trusted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Iterable, Sequence
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import platformdirs
import xxhash
import zstandard

from lycosa.pages.document import read_page
from lycosa.plugins.plug_points import Fetcher
from lycosa.records import Failed, Fetched, Link, Outcome, Page, Redirected

TRIES = 3
MOST_HOPS = 10
MOST_PAGES = 100_000
"""The lab holds all pages of a web in memory."""

_READERS = (
    "records.py", "urls.py", "text.py", "pages", "fetching/response_outcome.py", "fetching/content_coding.py",
    "fetching/offline.py", "fetching/recorded_web.py", "fetching/warc_reader.py", "lab/simulated_web",
    "lab/page_cache.py", "lab/wikispeedia.py",
)  # fmt: skip
_MARK = b"lycosa-lab-1\n"
_LEVEL = 1
_PAGES = msgspec.msgpack.Decoder(list[Page])
_replace = msgspec.structs.replace
_pack = msgspec.msgpack.Encoder(enc_hook=list).encode
"""Links are columns in memory, and a list on disk."""
_Result = TypeVar("_Result")


def cache_folder() -> Path:
    """Where the pages of webs are kept between runs."""
    return Path(platformdirs.user_cache_dir("lycosa")) / "lab"


class PageFile:
    """The pages of one web on disk, good as long as its key is."""

    def __init__(self, folder: Path, name: str, key: bytes) -> None:
        self.path = folder / f"{xxhash.xxh3_128_hexdigest(name.encode())}.pages"
        self._head = _MARK + xxhash.xxh3_128_digest(key)

    def load(self) -> list[Page] | None:
        """The pages, or None where they must be read anew."""
        try:
            kept = self.path.read_bytes()
            if not kept.startswith(self._head):
                return None
            packed = zstandard.ZstdDecompressor().decompress(memoryview(kept)[len(self._head) :])
            return [_replace(page, links=tuple(page.links)) for page in _PAGES.decode(packed)]
        except (OSError, zstandard.ZstdError, msgspec.MsgspecError, MemoryError):
            return None

    def save(self, pages: Sequence[Page]) -> str:
        """Keep the pages; says what went wrong, or ''."""
        packed = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True).compress(_pack(pages))
        partial = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(self._head + packed)
            partial.replace(self.path)
        except OSError as error:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
            return f"the pages could not be kept in {self.path.parent} ({error.strerror}); they are read anew next time"
        return ""


def files_key(root: Path) -> bytes:
    """What the files below a folder (or one file) look like from outside: their names, sizes and times."""
    seen = xxhash.xxh3_128()
    if root.is_file():
        facts = root.stat()
        seen.update(f"{facts.st_size} {facts.st_mtime_ns}".encode())
    for where, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            facts = os.stat(path) if os.path.exists(path) else os.lstat(path)
            seen.update(os.fsencode(path) + f" {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return seen.digest()


def reader_key() -> bytes:
    """The source of everything that has a part in how a page is read."""
    seen = xxhash.xxh3_128()
    package = resources.files("lycosa")
    for part in _READERS:
        place = package.joinpath(part)
        sources = [place] if place.is_file() else sorted(place.iterdir(), key=lambda each: each.name)
        for source in sources:
            if source.name.endswith(".py"):
                seen.update(source.name.encode() + b"\n" + source.read_bytes())
    return seen.digest()


def read_pages(
    fetcher: Fetcher,
    urls: Iterable[str],
    *,
    moved: Iterable[str] = (),
    hidden: Callable[[str], bool] | None = None,
    also_known_as: Callable[[str], str] | None = None,
) -> list[Page]:
    """The pages of a web. Links that lead to a redirect point to where it leads, `hidden` ones are taken out.

    `moved` are URLs that may be redirects without being pages; `also_known_as` tells the spelling that
    the web lists for a URL it answers in several.
    """
    pages: list[Page] = []
    targets: dict[str, str] = {}
    for url in urls:
        outcome = outcome_of(fetcher, url)
        if isinstance(outcome, Fetched):
            pages.append(read_page(outcome, structure=True))
        elif isinstance(outcome, Redirected):
            targets[url] = outcome.target
    for url in moved:
        outcome = outcome_of(fetcher, url)
        if isinstance(outcome, Redirected):
            targets[url] = outcome.target
    held = {page.url for page in pages}

    def arrival(url: str) -> str:
        for _ in range(MOST_HOPS):
            if url in held or url not in targets:
                break
            url = targets[url]
        return url if url in held or also_known_as is None else also_known_as(url)

    return [_with_links(page, arrival, hidden) for page in pages]


def _with_links(page: Page, arrival: Callable[[str], str], hidden: Callable[[str], bool] | None) -> Page:
    links: list[Link] = []
    for link in page.links:
        url = arrival(link.url)
        if hidden is None or not (hidden(link.url) or hidden(url)):
            links.append(link if url == link.url else _replace(link, url=url))
    return _replace(page, links=tuple(links))


def outcome_of(fetcher: Fetcher, url: str) -> Outcome:
    """What a fetcher without a network answers, asked again where it wants to be."""
    outcome = _at_once(fetcher.fetch(Link(url)))
    for _ in range(TRIES - 1):
        if not (isinstance(outcome, Failed) and outcome.again):
            break
        outcome = _at_once(fetcher.fetch(Link(url)))
    return outcome


def _at_once(answer: Coroutine[Any, Any, _Result]) -> _Result:
    """The result of a coroutine that never waits: fetchers without a network answer at once, in or out of a loop."""
    try:
        answer.send(None)
    except StopIteration as finished:
        result: _Result = finished.value
        return result
    answer.close()
    raise RuntimeError("this fetcher waits for something; the lab reads only recorded and simulated webs")
