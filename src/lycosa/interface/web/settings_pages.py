"""The tab with a crawl's settings: what can be changed while it runs, and everything it was told."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from lycosa.interface.shared.rendering import page
from lycosa.interface.views.settings import groups, tables
from lycosa.interface.web.crawl_pages import crawl_asked_for, frame, readable_configuration


def settings_page(request: Request) -> Response:
    """`/crawl/NAME/settings`: weights, ceilings, patterns, seeds."""
    library, folder = crawl_asked_for(request)
    values = frame(library, folder, "/settings")
    configuration = readable_configuration(folder)
    scope = configuration.scope
    return page(
        request,
        "crawl_settings.html",
        groups=groups(configuration),
        tables=tables(configuration),
        patterns=[("block", each) for each in scope.block] + [("allow", each) for each in scope.allow],
        **values,
    )
