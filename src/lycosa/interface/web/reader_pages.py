"""The reader: the stored copy of a page, as text, as it looked, and all that is known of it.

Every view is a page of its own, so tabs are links and need no script. Foreign text is
shown as text and nothing else; the original look comes from `/read/original`, which
answers with a policy of its own.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Callable
from typing import Any

import lmdb
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.interface.shared.foreign_text import href, tidy
from lycosa.interface.shared.rendering import page
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.interface.views.open_crawls import Library
from lycosa.interface.views.reader.stored_page import (
    LARGEST_SAVED,
    LONGEST_ADDRESS,
    NotStored,
    StoredPage,
    reader_address,
    stored_page,
)
from lycosa.interface.web.reader_original import quiet_copy
from lycosa.interface.web.reader_policies import FRAMING, ORIGINAL, SAVED
from lycosa.interface.web.reader_views import links_view, reading_view, scores_view, structure_view, versions_view
from lycosa.search.query import LONGEST
from lycosa.storage.catalogue import MissingExtra
from lycosa.urls import site_of

TABS = {
    "reading": "Reading",
    "original": "Original",
    "versions": "Versions",
    "links": "Links",
    "structure": "Structure",
    "scores": "Scores",
}
_Values = dict[str, Any]
_VIEWS: dict[str, Callable[[Request, CrawlFolder, StoredPage], _Values]] = {
    "reading": reading_view,
    "original": lambda request, folder, stored: {},
    "versions": versions_view,
    "links": links_view,
    "structure": structure_view,
    "scores": scores_view,
}
_LANGUAGE = re.compile(r"[a-zA-Z]{2,3}(-[a-zA-Z0-9]{2,8}){0,3}")
_MIME = re.compile(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,80}")


def read_page(request: Request) -> Response:
    """`/read?crawl=NAME&url=URL[&at=VERSION][&q=QUERY][&view=VIEW]`: a stored page."""
    try:
        folder, stored = _asked_for(request)
    except NotStored as error:
        return _missing(request, error)
    view = request.query_params.get("view", "reading")
    view = view if view in TABS else "reading"
    try:
        values, trouble = _VIEWS[view](request, folder, stored), ""
    except (CrawlError, ConfigurationError, MissingExtra, lmdb.Error, OSError) as error:
        values, trouble = {}, sentence_of(error)
    shown = page(request, "read.html", **_frame(request, folder, stored, view), **values, trouble=trouble)
    if view == "original":
        shown.headers["Content-Security-Policy"] = FRAMING
    return shown


def read_original(request: Request) -> Response:
    """`/read/original?crawl=NAME&url=URL[&at=VERSION]`: a stored document as it looked, unable to do anything."""
    try:
        _, stored = _asked_for(request)
    except NotStored as error:
        return PlainTextResponse(sentence_of(error), error.status, ORIGINAL)
    if stored.kind == "other":
        return PlainTextResponse(f"This is {stored.mime or 'no text'}, which cannot be shown here.", 200, ORIGINAL)
    return Response(quiet_copy(stored), 200, ORIGINAL, "text/html; charset=utf-8")


def save_page(request: Request) -> Response:
    """`/read/save?crawl=NAME&url=URL[&at=VERSION]&as=text|stored`: a stored page as a file."""
    try:
        _, stored = _asked_for(request, LARGEST_SAVED)
    except NotStored as error:
        return _missing(request, error)
    if request.query_params.get("as") == "text":
        body, kind, suffix = stored.page.text.encode("utf-8", "replace"), "text/plain; charset=utf-8", ".txt"
    else:
        body = stored.response.body
        kind = stored.mime if _MIME.fullmatch(stored.mime) else "application/octet-stream"
        suffix = ".html" if stored.kind == "html" else mimetypes.guess_extension(kind) or ".bin"
    named = {"Content-Disposition": f'attachment; filename="{_file_name(stored)}{suffix}"'}
    return Response(body, 200, SAVED | named, kind)


def favourites_page(request: Request) -> Response:
    """`/read/favourites`: the pages that somebody marked; only their browser knows them."""
    return page(request, "read_favourites.html")


def _asked_for(request: Request, largest: int = 0) -> tuple[CrawlFolder, StoredPage]:
    """The stored page that the address names."""
    asked, library = request.query_params, _library(request)
    folder = library.crawl(asked.get("crawl", ""))
    at = asked.get("at", "")
    version = int(at) if at.isascii() and at.isdigit() and len(at) < 10 else 0
    url = asked.get("url", "")
    return folder, stored_page(folder, url, version, largest) if largest else stored_page(folder, url, version)


def _library(request: Request) -> Library:
    library: Library = request.app.state.library
    return library


def _missing(request: Request, error: NotStored) -> Response:
    asked = request.query_params
    ways = [(told, href(place) if "://" in place.partition("?")[0] else place) for told, place in error.ways]
    return page(
        request,
        "read_missing.html",
        error.status,
        sentence=sentence_of(error),
        address=tidy(asked.get("url", "")[:LONGEST_ADDRESS]),
        crawl=asked.get("crawl", ""),
        ways=[(told, place) for told, place in ways if place],
    )


def _frame(request: Request, folder: CrawlFolder, stored: StoredPage, view: str) -> _Values:
    """What stands around every view: what the page is, and where else one can look."""
    query = request.query_params.get("q", "")[:LONGEST]
    latest = stored.version == len(stored.filed.versions)
    same: _Values = {"q": query, "at": 0 if latest else stored.version}
    language = stored.page.language if _LANGUAGE.fullmatch(stored.page.language) else ""

    def place(path: str, **more: Any) -> str:
        return path + reader_address(folder.name, stored.url, **(same | more)).removeprefix("/read")

    return {
        "crawl": folder.name,
        "url": stored.url,
        "query": query,
        "title": tidy(stored.page.title)[:300] or tidy(stored.url),
        "address": tidy(stored.url),
        "href": href(stored.url),
        "row": stored.row,
        "kind": stored.kind,
        "mime": tidy(stored.mime),
        "cut": stored.cut,
        "language": language,
        "charset": stored.page.charset,
        "noindex": stored.page.noindex or stored.row.noindex,
        "version": stored.version,
        "versions": len(stored.filed.versions),
        "at": same["at"],
        "view": view,
        "tabs": [(name, told, place("/read", view=name)) for name, told in TABS.items()],
        "original": place("/read/original", q=""),
        "save_text": place("/read/save", q="", **{"as": "text"}),
        "save_stored": place("/read/save", q="", **{"as": "stored"}),
        "latest": place("/read", at=0, view=view),
        "home": reader_address(folder.name, site_of(stored.url) + "/"),
    }


def _file_name(stored: StoredPage) -> str:
    plain = re.sub(r"[^A-Za-z0-9]+", "-", stored.page.title or stored.url.partition("://")[2])
    return plain.strip("-")[:80] or "page"
