"""The list of crawls, the page of one crawl, and the tabs beside it: why (not) a page, and the logs."""

from __future__ import annotations

from typing import Any

import lmdb
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder
from lycosa.crawl_folder.reading_apart import CrawlDamaged, NoMemory
from lycosa.inspection.explanation import Explanation, explain
from lycosa.interface.shared.errors import UnreadableCrawl
from lycosa.interface.shared.rendering import page
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.interface.views.open_crawls import Library
from lycosa.interface.views.process_logs import log_names, log_part, log_process
from lycosa.interface.web.crawl_panels import COLUMNS, PLOTS, console_values, drawings, sparkline
from lycosa.storage.catalogue import MissingExtra

LONGEST_ADDRESS = 4096
TABS = (("", "Overview"), ("/settings", "Settings"), ("/why", "Why?"), ("/logs", "Logs"))


def crawls_page(request: Request) -> Response:
    """`/`: every crawl, and a search box."""
    library: Library = request.app.state.library
    shelves = library.shelves()
    choices = [shelved.name for shelved in shelves if shelved.searchable]
    going = any(shelved.status and not shelved.status.over for shelved in shelves)
    chosen = choices[0] if choices else ""
    return page(request, "crawls.html", shelves=shelves, choices=choices, typed="", chosen=chosen, going=going)


def crawl_page(request: Request) -> Response:
    """`/crawl/NAME`: how a crawl stands."""
    library, folder = crawl_asked_for(request)
    choices = [folder.name] if folder.name in library.searchable() else []
    values = console_values(library, request.app.state.pulses, folder)
    drawn = drawings(values)
    more = {"columns": COLUMNS, "plots": PLOTS, "drawn": drawn, "choices": choices, "chosen": folder.name, "typed": ""}
    return page(request, "crawl.html", **frame(library, folder, ""), **more, **values)


def why_page(request: Request) -> Response:
    """`/crawl/NAME/why?url=URL`: why (not) this page, and why now."""
    library, folder = crawl_asked_for(request)
    url = request.query_params.get("url", "").strip()[:LONGEST_ADDRESS]
    found, trouble = _explained(folder, url) if url else (None, "")
    status = 422 if trouble else 200
    values = frame(library, folder, "/why")
    return page(request, "crawl_why.html", status, url=url, found=found, trouble=trouble, **values)


def _explained(folder: CrawlFolder, url: str) -> tuple[Explanation | None, str]:
    try:
        return explain(folder, url), ""
    except (CrawlDamaged, NoMemory):
        raise
    except (CrawlError, ConfigurationError, MissingExtra, lmdb.Error) as error:
        return None, sentence_of(error)


def logs_page(request: Request) -> Response:
    """`/crawl/NAME/logs?process=P`: what the processes of a crawl wrote."""
    library, folder = crawl_asked_for(request)
    process = log_process(request.query_params.get("process"))
    part = log_part(folder, process)
    names = list(dict.fromkeys([*log_names(folder), process]))
    return page(request, "crawl_logs.html", part=part, processes=names, **frame(library, folder, "/logs"))


def crawl_asked_for(request: Request) -> tuple[Library, CrawlFolder]:
    """The crawl that the address names."""
    library: Library = request.app.state.library
    return library, library.crawl(request.path_params["name"])


def frame(library: Library, folder: CrawlFolder, tab: str) -> dict[str, Any]:
    """What stands around every tab of a crawl: its name, its state, what else there is."""
    state = library.status(folder).state
    tabs = (*TABS, ("/treasure", "T-Graph")) if goes_by_graph(folder) else TABS
    return {"name": folder.name, "state": state, "tabs": tabs, "tab": tab}


def goes_by_graph(folder: CrawlFolder) -> bool:
    """Whether a crawl goes by a T-Graph."""
    try:
        return bool(folder.configuration().link_scorer == "treasure")
    except (ConfigurationError, OSError):
        return False


def readable_configuration(folder: CrawlFolder) -> Any:
    """The settings of a crawl, or an error with a way on."""
    try:
        return folder.configuration()
    except (ConfigurationError, OSError) as error:
        raise UnreadableCrawl(f"The settings of “{folder.name}” cannot be read: {error}") from error


def sparkline_svg(request: Request) -> Response:
    """`/crawl/NAME/sparkline.svg`: how a crawl grew, as a small picture."""
    library, folder = crawl_asked_for(request)
    return Response(sparkline(library.overview(folder).growth), media_type="image/svg+xml")


def status_json(request: Request) -> Response:
    """`/crawl/NAME/status.json`: how a crawl stands, for programs."""
    library, folder = crawl_asked_for(request)
    return JSONResponse(library.status(folder).plain())


async def health(request: Request) -> Response:
    """`/health`: whether the server answers."""
    return JSONResponse({"status": "ok"})
