"""The doors of the server: who asks is found out once, for every page, and people can sign in."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lycosa.interface.api.http import ROOT
from lycosa.interface.operations.calls import Office
from lycosa.interface.shared.access import SESSION_LASTS, Access, Refusal, Visitor, cookie_name
from lycosa.interface.shared.rendering import page
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.interface.shared.tokens import Role
from lycosa.interface.web.error_pages import small_form

SIGN_IN = "/sign-in"
_OPEN = (SIGN_IN, "/static/", "/health", "/beacon.js", f"{ROOT}/")
"""Who may ask for these is nobody's business, or decided call by call."""
LONGEST_SECRET = 200
OLD_KEY = (
    "This address belongs to an earlier start of the server, or was opened on another machine before. "
    "The server prints the present one when it starts."
)
_PLACE_HERE = re.compile(r"/(?!/)[^\\\x00-\x20\x7f]*")
"""Browsers read a backslash as a slash, skip white space, and take whatever follows two slashes for a host."""


class Doorkeeper:
    """Finds out who asks for a page, and sends those to the door who may not look."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its visitor, or answer it here."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            visitor = self._access.visitor(request)
        except Refusal as error:
            visitor = Visitor(Role.NOBODY)
            if not request.url.path.startswith(f"{ROOT}/"):
                await JSONResponse({"error": sentence_of(error)}, error.status)(scope, receive, send)
                return
        scope.setdefault("state", {}).update(visitor=visitor, page_key=self._access.page_key(visitor))
        if visitor.role < Role.READ and not request.url.path.startswith(_OPEN):
            await _to_the_door(request)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _to_the_door(request: Request) -> Response:
    if request.method != "GET" or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": "Sign in, or send a token; `lycosa tokens add` makes one."}, 401)
    onward = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return RedirectResponse(f"{SIGN_IN}?to={quote(onward, safe='')}", 303)


def sign_in_page(request: Request) -> Response:
    """`GET /sign-in`: asks for a token; with `key`, the console's own key, it asks nothing."""
    office: Office = request.app.state.office
    key = request.query_params.get("key")
    here = request.client is not None and is_loopback(request.client.host)
    cookie = office.access.sign_in(key[:LONGEST_SECRET], here=here) if key else None
    if cookie:
        return _signed_in(request, cookie, "/")
    sentence = OLD_KEY if key else ""
    return page(request, "sign_in.html", to=_onward(request.query_params.get("to")), sentence=sentence)


async def sign_in(request: Request) -> Response:
    """`POST /sign-in`: a token, typed into the page."""
    office: Office = request.app.state.office
    form = await small_form(request)
    typed, to = form.get("token", "").strip(), _onward(form.get("to"))
    ours = request.headers.get("sec-fetch-site", "same-origin") == "same-origin"
    cookie = office.access.sign_in(typed[:LONGEST_SECRET]) if typed and ours else None
    if cookie is None:
        sentence = "This token is not known here. `lycosa tokens list` shows those there are."
        return page(request, "sign_in.html", 403, to=to, sentence=sentence)
    return _signed_in(request, cookie, to)


async def sign_out(request: Request) -> Response:
    """`POST /sign-out`: forget the browser's session."""
    answer = RedirectResponse("/", 303)
    if request.headers.get("sec-fetch-site", "same-origin") == "same-origin":
        answer.delete_cookie(cookie_name(request), httponly=True, samesite="strict")
    return answer


def _signed_in(request: Request, cookie: str, to: str) -> Response:
    answer = RedirectResponse(to, 303)
    answer.set_cookie(
        cookie_name(request),
        cookie,
        max_age=SESSION_LASTS,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


def is_loopback(host: str) -> bool:
    """Whether an address or name is this machine's own."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _onward(to: str | None) -> str:
    """Where to go after signing in: a place here, never elsewhere."""
    return to if to and _PLACE_HERE.fullmatch(to) else "/"
