"""The page about the T-Graph of a crawl: the picture, its levels, and its nodes as a table."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.operations.t_graph import treasure_in, treasure_told
from lycosa.interface.shared.foreign_text import href, tidy
from lycosa.interface.shared.rendering import page
from lycosa.interface.views.t_graph import shares_told
from lycosa.interface.views.t_graph_picture import treasure_picture
from lycosa.interface.web.crawl_pages import crawl_asked_for, frame, goes_by_graph
from lycosa.interface.web.error_pages import asked_number, with_ways_on

PER_PAGE, MOST_NUMBER = 50, 100_000
MOST_CRAWLS = 100
MOST_DRAWN = 72
"""Nodes in the picture, so that the page stays small."""


def crawls_with_graphs(home: Path) -> list[str]:
    """The crawls that go by a T-Graph."""
    return [folder.name for folder in CrawlFolder.all(home)[:MOST_CRAWLS] if goes_by_graph(folder)]


@with_ways_on("topics", [("/topics", "The tree of topics"), ("/", "The crawls")])
def treasure_page(request: Request) -> Response:
    """`/crawl/NAME/treasure?page=N`: the T-Graph of a crawl."""
    library, folder = crawl_asked_for(request)
    found = treasure_in(folder)
    number = asked_number(request, "page", MOST_NUMBER)
    told = treasure_told(found, PER_PAGE, PER_PAGE * (number - 1))
    most = max(4, MOST_DRAWN // (len(told.levels) + 1))
    picture = treasure_picture(found.nodes, found.targets, f"T-Graph of {folder.name}", alone=False, most=most)
    return page(
        request, "treasure.html", **frame(library, folder, "/treasure"), told=told, picture=Markup(picture),
        number=number, last=-(-told.total // PER_PAGE), href=href, tidy=tidy,
        judged=shares_told(found.judged) if found.judged else "",
    )  # fmt: skip
