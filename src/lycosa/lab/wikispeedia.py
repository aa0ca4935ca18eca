"""Wikipedia for Schools of 2007 as a web with labels, its answers hidden from the crawler.

Every article names its subjects in its head and links their index pages, so a crawler
could read the label off the page. Both are taken away: the element `siteSub` before a
page is read, the links below `wp/index/` afterwards. The labels come from the categories
of the Wikispeedia game, which no scorer sees.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from lycosa.configuration.settings import ConfigurationError
from lycosa.fetching.recorded_web import RecordedFolder
from lycosa.records import Response
from lycosa.urls import path_of

GENERIC = "Bread"
"""The article that crawls begin at when they are not to begin on their topic."""

_SUBJECTS = re.compile(
    rb"""<h3\b[^<>]*\bid\s*=\s*["']?siteSub\b[^<>]*>(?:(?!<h3\b).)*?</h3\s*>""", re.DOTALL | re.IGNORECASE
)


def data_folder() -> Path:
    """Where unpacked data lies: LYCOSA_DATA, or a folder of the user's cache."""
    return Path(os.environ.get("LYCOSA_DATA") or Path.home() / ".cache" / "lycosa-data")


def find_wikispeedia(written: str) -> Path:
    """The folder that `wikispeedia:DIR` means, known to hold pages and categories."""
    root = Path(written).expanduser() if written else data_folder() / "wikispeedia"
    for part in (html_folder(root), categories_file(root)):
        if not part.exists():
            raise ConfigurationError(
                f"wikispeedia:{root}: there is no {part}; unpack the data and name its folder, or set LYCOSA_DATA"
            )
    return root


def html_folder(root: Path) -> Path:
    """Where the pages lie."""
    return root / "wpcd"


def paths_folder(root: Path) -> Path:
    """Where the paths of the players lie."""
    return root / "paths-and-graph"


def categories_file(root: Path) -> Path:
    """Where the labels lie."""
    return paths_folder(root) / "categories.tsv"


class SchoolsWikipedia:
    """The recording without what gives the labels away."""

    def __init__(self, root: Path) -> None:
        self._folder = RecordedFolder(html_folder(root))

    def urls(self) -> list[str]:
        """Every page but the subject indexes."""
        return [url for url in self._folder.urls() if not gives_labels_away(url)]

    def respond(self, url: str) -> Response:
        """A page without the line that names its subjects."""
        found = self._folder.respond(url)
        return Response(found.url, found.status, found.headers, raw=_SUBJECTS.sub(b"", found.raw))


def gives_labels_away(url: str) -> bool:
    """Whether a URL is a subject index."""
    return path_of(url).startswith("/wp/index/")


def article_urls(urls: Iterable[str]) -> dict[str, str]:
    """The page of each article, by its plain name. File names are %-encoded themselves, so URLs are so twice."""
    return {plain_name(unquote(name)): url for url in urls if (name := _article_file(url))}


def _article_file(url: str) -> str:
    match = re.fullmatch(r"/wp/[^/]+/([^/]+)\.htm", path_of(url))
    return match[1] if match else ""


def plain_name(article: str) -> str:
    """An article's name, whatever is encoded in it."""
    return unquote(article)


def category_labels(root: Path, urls: Iterable[str]) -> tuple[dict[str, frozenset[str]], list[str]]:
    """The categories of each article's page, and a warning where articles have no page."""
    pages = article_urls(urls)
    found: dict[str, set[str]] = {}
    missing: set[str] = set()
    for article, category in _categories(categories_file(root)):
        url = pages.get(plain_name(article))
        if url is None:
            missing.add(article)
        else:
            found.setdefault(url, set()).add(category)
    warnings = [f"wikispeedia: {len(missing)} articles have no page, such as {min(missing)!r}"] if missing else []
    return {url: frozenset(categories) for url, categories in found.items()}, warnings


def _categories(path: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"wikispeedia: {path} cannot be read ({error}); unpack the data anew") from None
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        article, tab, category = line.strip().partition("\t")
        if not tab:
            raise ConfigurationError(f"wikispeedia: {path}, line {number} has no tab; unpack the data anew")
        yield article, category


def generic_article(urls: Iterable[str]) -> str:
    """The page of the generic article, or '' where it is missing."""
    return article_urls(urls).get(GENERIC, "")
