"""What each tab of the reader shows of a stored page."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request

from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.inspection.page_versions import Difference, PageVersions, difference, versions_of
from lycosa.interface.shared.foreign_text import href, tidy
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.interface.views.reader.links import PER_PAGE, links_told
from lycosa.interface.views.reader.scores import scores_told
from lycosa.interface.views.reader.stored_page import StoredPage, reader_address
from lycosa.interface.views.reader.structure import structure_told
from lycosa.interface.views.reader.text import Block, blocks_of, parts_of
from lycosa.interface.web.reader_highlights import LONGEST_FIND, Marker, shown_blocks
from lycosa.search.query import LONGEST

MOST_VISITS = 200
_Values = dict[str, Any]


def reading_view(request: Request, folder: CrawlFolder, stored: StoredPage) -> _Values:
    """The page as text, a part of it at a time; what is looked for on the page is marked."""
    asked = request.query_params
    query, find = asked.get("q", "")[:LONGEST], " ".join(asked.get("find", "")[:LONGEST_FIND].split())
    parts = parts_of(blocks_of(stored))
    holding = [number for number, part in enumerate(parts, 1) if _holds(part, find)] if find else []
    number = _number(asked.get("part", ""), len(parts)) or (holding[0] if holding else 1)
    marker = Marker(query, find)
    blocks = shown_blocks(parts[number - 1], marker, folder.name, query)
    at = 0 if stored.version == len(stored.filed.versions) else stored.version

    def way(part: int) -> str:
        return reader_address(folder.name, stored.url, q=query, at=at, find=find, part=part)

    return {
        "blocks": blocks,
        "find": find,
        "found": marker.found,
        "elsewhere": [(each, way(each)) for each in holding if each != number],
        "part": number,
        "parts": len(parts),
        "earlier": way(number - 1) if number > 1 else "",
        "later": way(number + 1) if number < len(parts) else "",
    }


def _holds(blocks: list[Block], find: str) -> bool:
    wanted = re.compile(re.escape(find), re.IGNORECASE)
    return any(wanted.search(run.text) for block in blocks for run in block.runs)


def _number(typed: str, most: int) -> int:
    """A number from 1 to `most`, or 0 where nothing of the kind was typed."""
    if not (typed.isascii() and typed.isdigit() and len(typed) < 10):
        return 0
    return min(int(typed), most)


def versions_view(request: Request, folder: CrawlFolder, stored: StoredPage) -> _Values:
    """The visits of a page, and what changed between two versions of its text."""
    asked = request.query_params
    known = versions_of(folder, stored.url)
    total = len(known.places)
    newer = _number(asked.get("newer", ""), total) or total
    older = _number(asked.get("older", ""), total) or max(1, newer - 1)
    found, trouble = _difference(folder, known, older, newer) if total > 1 and older != newer else (None, "")
    begun = {number: known.beginning_of(number) for number in range(1, total + 1)}
    return {
        "visits": known.visits[-MOST_VISITS:][::-1],
        "more_visits": max(0, len(known.visits) - MOST_VISITS),
        "begun": begun,
        "older": older,
        "newer": newer,
        "difference": found,
        "difference_trouble": trouble,
        "readers": {number: reader_address(folder.name, stored.url, at=number) for number in begun},
    }


def _difference(folder: CrawlFolder, known: PageVersions, older: int, newer: int) -> tuple[Difference | None, str]:
    try:
        return difference(folder, known, older, newer), ""
    except CrawlError as error:
        return None, sentence_of(error)


def links_view(request: Request, folder: CrawlFolder, stored: StoredPage) -> _Values:
    """The links of the page, and what is known of links that lead to it."""
    asked = request.query_params
    number = max(1, _number(asked.get("part", ""), max(1, -(-len(stored.page.links) // PER_PAGE))))
    told = links_told(folder, stored, (number - 1) * PER_PAGE)
    last = max(1, -(-told.total // PER_PAGE))
    same: _Values = {"view": "links", "q": asked.get("q", "")[:LONGEST], "at": asked.get("at", "")[:10]}

    def way(part: int) -> str:
        return reader_address(folder.name, stored.url, **same, part=part)

    links = [
        {
            "anchor": tidy(each.anchor)[:200],
            "address": tidy(each.url),
            "href": href(each.url),
            "reader": reader_address(folder.name, each.url, q=same["q"]) if each.stored else "",
            "priority": each.priority,
            "state": each.state,
            "why": tidy(each.why),
        }
        for each in told.links
    ]
    return {
        "links": links,
        "told": told,
        "parent": (tidy(told.parent), reader_address(folder.name, told.parent)) if told.parent else None,
        "anchors": [tidy(each) for each in told.anchors if tidy(each)],
        "part": number,
        "parts": last,
        "earlier": way(number - 1) if number > 1 else "",
        "later": way(number + 1) if number < last else "",
    }


def structure_view(request: Request, folder: CrawlFolder, stored: StoredPage) -> _Values:
    """How the page is built, and which pages are built like it."""
    told = structure_told(folder, stored)
    alike = told.alike if told else ()
    return {
        "structure": told,
        "alike": [(tidy(each.url), reader_address(folder.name, each.url), each) for each in alike],
    }


def scores_view(request: Request, folder: CrawlFolder, stored: StoredPage) -> _Values:
    """What the page is worth, and why."""
    query = request.query_params.get("q", "")[:LONGEST]
    return {"scores": scores_told(request.app.state.library, folder, stored, query)}
