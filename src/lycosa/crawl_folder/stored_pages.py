"""A page as it was fetched, read again from the archive."""

from __future__ import annotations

from pathlib import Path

from lycosa.crawl_folder.costly_pages import refuse_costly
from lycosa.fetching.content_coding import codings, decode
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Page, Response
from lycosa.storage.archive import Place, read

LARGEST_BODY = 64 * 1024**2


def page_at(archive: Path, place: Place, structure: bool = False) -> Page:
    """A page read again from the archive, with its structure where that is wanted.

    The only way to a stored page for whatever follows a crawl, so that none of it reads a page that is too costly.
    """
    refuse_costly(archive.parent, place)
    _, response = read(archive, place)
    body, _ = decode(response.raw, codings(response.header("content-encoding")), LARGEST_BODY)
    whole = Response(response.url, response.status, response.headers, body, response.raw, response.began)
    return read_page(Fetched(Link(response.url), whole), structure=structure)
