"""Templates into responses. Everything is escaped unless it was made here and says so."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from lycosa import __version__
from lycosa.interface.shared import charts, wording


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("lycosa.interface"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(wording.FILTERS)
    environment.globals.update(lycosa_version=__version__, share_bar=charts.share_bar)
    return environment


_templates = _environment()


def rendered(template: str, **values: Any) -> str:
    """A template with its values filled in."""
    return _templates.get_template(template).render(values)


def page(request: Request, template: str, http_status: int = 200, /, **values: Any) -> Response:
    """A whole page, for whoever asked for it: `visitor` and `page_key` go into every one."""
    known = {"visitor": getattr(request.state, "visitor", None), "page_key": getattr(request.state, "page_key", "")}
    return HTMLResponse(rendered(template, **(known | values)), http_status)
