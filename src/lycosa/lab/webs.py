"""Webs to compare strategies on: every page read once, every label known to us and to no crawler.

`open_web` understands the notations `box:`, `dir:`, `warc:` and `wikispeedia:`. What comes of
them is the same thing: pages by URL, topics by name, and a page to begin at that is not on topic.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from urllib.parse import quote, unquote

from lycosa.click_records import PageClicks
from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.recorded_web import RecordedFetcher, RecordedFolder, Recording, parse_recording, recording_of
from lycosa.lab import wikispeedia
from lycosa.lab.labels import Topics, read_labels
from lycosa.lab.page_cache import MOST_PAGES, PageFile, cache_folder, files_key, outcome_of, read_pages, reader_key
from lycosa.lab.simulated_web.web import SimulatedFetcher, SimulatedWeb
from lycosa.lab.visitors import read_games, simulated_visits, visits_of
from lycosa.pages.document import read_page
from lycosa.plugins.plug_points import Fetcher
from lycosa.records import Fetched, Page
from lycosa.urls import normalise, site_of

_INDEX_PAGE = re.compile(r"index\.html?")
KINDS = "box:SEED, dir:DIR, warc:FILE or wikispeedia:DIR"
Tell = Callable[[str], None]


class LabWeb:
    """A web with labels.

    `beyond` answers for URLs outside of the listed pages, such as the endless pages of a trap; `visits` tells what
    people did on it.
    """

    def __init__(
        self,
        name: str,
        pages: Sequence[Page],
        labels: Mapping[str, frozenset[str]],
        *,
        generic_seed: str = "",
        warnings: Sequence[str] = (),
        beyond: Callable[[str], Page | None] | None = None,
        visits: Callable[[], Sequence[PageClicks]] = tuple,
    ) -> None:
        self.name = name
        self.labels = labels
        self.warnings = list(warnings)
        self._pages = {page.url: page for page in pages}
        self._beyond = beyond
        self._visits = visits
        self._given_seed = generic_seed
        self._topics = Topics(labels)

    def urls(self) -> list[str]:
        """All pages it holds."""
        return list(self._pages)

    def __len__(self) -> int:
        return len(self._pages)

    def page(self, url: str) -> Page | None:
        """The page as the crawler's reader reads it, or None where the web has no such page."""
        found = self._pages.get(url)
        return found if found is not None or self._beyond is None else self._beyond(url)

    def topic(self, name: str) -> frozenset[str]:
        """The pages of a topic, by its path or a part of it."""
        return self._topics.pages(name)

    def topic_path(self, name: str) -> str:
        """The whole path of the topic that a name means."""
        return self._topics.path(name)

    def topics(self) -> list[str]:
        """The paths of all topics."""
        return self._topics.paths()

    @cached_property
    def visitors(self) -> Sequence[PageClicks]:
        """What people did with its pages; nothing where nobody was watched."""
        return self._visits()

    @property
    def generic_seed(self) -> str:
        """A page to begin at that is on no particular topic: the one the web names, else its foremost hub."""
        return self._given_seed or self._hubs[0]

    def generic_seed_for(self, relevant: frozenset[str]) -> str:
        """The generic seed; where that is a hub, one that is not itself relevant, if there is any."""
        if self._given_seed:
            return self._given_seed
        return next((url for url in self._hubs if url not in relevant), self.generic_seed)

    @cached_property
    def _hubs(self) -> list[str]:
        """Pages by how many others of this web they link to; those without a label go first."""
        counts = {
            page.url: len({link.url for link in page.links if link.url in self._pages} - {page.url})
            for page in self._pages.values()
        }
        return sorted(counts, key=lambda url: (not counts[url], bool(self.labels.get(url)), -counts[url], url))


def open_web(notation: str, tell: Tell | None = None, cache: Path | None = None) -> LabWeb:
    """The web that a notation names. `tell` hears about work that takes a while, `cache` is where pages are kept."""
    kind, colon, rest = notation.partition(":")
    opener = _OPENERS.get(kind)
    if opener is None or not colon:
        raise ConfigurationError(f"{notation!r} is no web; write {KINDS}")
    web = opener(notation, rest, _Pages(notation, tell, cache or cache_folder()))
    if not len(web):
        raise ConfigurationError(f"{notation}: there is no page in it; name a web that holds HTML")
    return web


class _Pages:
    """The pages of a web, from the cache or read now."""

    def __init__(self, notation: str, tell: Tell | None, cache: Path) -> None:
        self._notation, self._tell, self._cache = notation, tell, cache
        self.warnings: list[str] = []

    def get(self, name: str, files: bytes, number: Callable[[], int], read: Callable[[], list[Page]]) -> list[Page]:
        """The pages of the web called `name` whose files look like `files`."""
        kept = PageFile(self._cache, name, files + reader_key())
        pages = kept.load()
        if pages is not None:
            return pages
        wanted = number()
        if wanted > MOST_PAGES:
            raise ConfigurationError(
                f"{self._notation}: has {wanted} pages, more than the {MOST_PAGES} that the lab holds in memory; "
                "use a smaller web"
            )
        if self._tell:
            self._tell(f"reading {wanted} pages of {self._notation}; they are kept in {self._cache}")
        pages = read()
        trouble = kept.save(pages)
        self.warnings += [trouble] if trouble else []
        return pages


def _open_box(notation: str, _: str, pages: _Pages) -> LabWeb:
    web = SimulatedWeb.of(notation, begins=0.0)
    fetcher = SimulatedFetcher(web, lambda: web.begins)

    def beyond(url: str) -> Page | None:
        outcome = outcome_of(fetcher, url) if normalise(url) == url else None
        return read_page(outcome, structure=True) if isinstance(outcome, Fetched) else None

    held = pages.get(
        notation,
        b"",
        lambda: web.settings.pages,
        lambda: read_pages(fetcher, web.page_urls(), moved=web.error_urls()),
    )
    kinds = web.kind_labels() if web.settings.kinds > 1 else {}
    labels = {
        url: frozenset((topic, f"kind.{kinds[url]}") if kinds else (topic,)) for url, topic in web.labels().items()
    }
    visits = partial(simulated_visits, web)
    return LabWeb(notation, held, labels, warnings=pages.warnings, beyond=beyond, visits=visits)


def _open_recording(notation: str, _: str, pages: _Pages) -> LabWeb:
    told = parse_recording(notation)
    name = f"{told.kind}:{told.path.resolve()}{'?sites' if told.sites else ''}"
    held = _recorded(pages, name, told.path, lambda: recording_of(told))
    if told.labels is None:
        return LabWeb(notation, held, {}, warnings=pages.warnings)
    folders = _site_folders(told.path) if told.sites else {}
    labels, warnings = read_labels(told.labels, _Addresses(held, folders).find)
    return LabWeb(notation, held, labels, warnings=[*pages.warnings, *warnings])


def _open_wikispeedia(notation: str, rest: str, pages: _Pages) -> LabWeb:
    root = wikispeedia.find_wikispeedia(rest)
    html = wikispeedia.html_folder(root)
    name = f"wikispeedia:{root.resolve()}"
    held = _recorded(pages, name, html, lambda: wikispeedia.SchoolsWikipedia(root), wikispeedia.gives_labels_away)
    urls = [page.url for page in held]
    labels, warnings = wikispeedia.category_labels(root, urls)
    seed = wikispeedia.generic_article(urls)

    def visits() -> Sequence[PageClicks]:
        return visits_of(read_games(wikispeedia.paths_folder(root), wikispeedia.article_urls(urls)))

    return LabWeb(notation, held, labels, generic_seed=seed, warnings=[*pages.warnings, *warnings], visits=visits)


_OPENERS: dict[str, Callable[[str, str, _Pages], LabWeb]] = {
    "box": _open_box,
    "dir": _open_recording,
    "warc": _open_recording,
    "wikispeedia": _open_wikispeedia,
}


def _recorded(
    pages: _Pages,
    name: str,
    files: Path,
    record: Callable[[], Recording],
    hidden: Callable[[str], bool] | None = None,
) -> list[Page]:
    """The pages of a recording, which is opened only where the cache does not have them."""
    opened: list[Recording] = []

    def recording() -> Recording:
        opened[:] = opened or [record()]
        return opened[0]

    def read() -> list[Page]:
        urls = recording().urls()
        fetcher: Fetcher = RecordedFetcher(recording(), lambda: 0.0)
        return read_pages(fetcher, urls, hidden=hidden, also_known_as=listed_spelling(urls))

    return pages.get(name, files_key(files), lambda: len(recording().urls()), read)


def listed_spelling(listed: Iterable[str]) -> Callable[[str], str]:
    """How a recording lists the page that a URL means: escaped its way, without query, by its folder's address."""
    spelled = {unquote(url): url for url in listed}

    def spelling(url: str) -> str:
        bare = unquote(url.partition("?")[0])
        folder, _, name = bare.rpartition("/")
        found = spelled.get(unquote(url)) or spelled.get(bare)
        return found or (spelled.get(f"{folder}/") if _INDEX_PAGE.fullmatch(name) else None) or url

    return spelling


class _Addresses:
    """The pages that the lines of a label file mean."""

    def __init__(self, pages: Sequence[Page], folders: Mapping[str, str]) -> None:
        self._held = frozenset(page.url for page in pages)
        self._sites = list(dict.fromkeys(site_of(page.url) for page in pages))
        self._folders = folders
        self._spelling = listed_spelling(self._held)

    def find(self, name: str) -> str | None:
        """The page of a URL, or of a path as it lies in the folder (in an archive: on any of its sites)."""
        for url in [name] if "://" in name else self._spelled(name):
            normal = normalise(url)
            if normal is not None and (spelled := self._spelling(normal)) in self._held:
                return spelled
        return None

    def _spelled(self, path: str) -> list[str]:
        path = path.removeprefix("./").lstrip("/")
        first, _, rest = path.partition("/")
        if self._folders:
            return [f"{self._folders[first]}/{quote(os.fsencode(rest))}"] if first in self._folders else []
        return [f"{site}/{written}" for site in self._sites for written in (quote(os.fsencode(path)), path)]


def _site_folders(root: Path) -> dict[str, str]:
    """The site of each first-level folder: both come in the same order, and a folder that holds nothing has no site."""
    folders = [one for one in sorted(root.iterdir()) if one.is_dir() and RecordedFolder(one).urls()]
    sites = list(dict.fromkeys(site_of(url) for url in RecordedFolder(root, sites=True).urls()))
    if len(folders) != len(sites):
        raise ConfigurationError(
            f"dir:{root}?sites: links between its folders hide which is which; label URLs, not paths"
        )
    return {folder.name: site for folder, site in zip(folders, sites, strict=True)}
