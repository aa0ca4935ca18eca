"""How a call of the API is declared, and how it is answered.

A call is a function with a docstring and types: `asked` is a record of what stands in
the path and the query, `body` one of what is sent, and what it returns is the answer.
From these the request is checked and the description (OpenAPI) is made, so that the
two cannot differ. Calls run in threads; errors become one sentence of JSON.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import lmdb
import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError
from lycosa.interface.operations.crawl_control import Launcher
from lycosa.interface.operations.search_feedback import SearchNotes
from lycosa.interface.shared.access import Access, Refusal
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.open_crawls import Library, UnknownCrawl, UnreadableCrawl
from lycosa.plugins import UnknownPlugin
from lycosa.search.index import IndexDamaged
from lycosa.storage.agent_store import StoreFull
from lycosa.storage.catalogue import MissingExtra

ROOT = "/api/v1"
LARGEST_BODY = 1 << 20
JSON = "application/json"
Body = TypeVar("Body")


@dataclass(slots=True)
class Office:
    """What calls and pages work with."""

    home: Path
    library: Library
    access: Access
    notes: SearchNotes
    launcher: Launcher


class NotThere(CrawlError):
    """What was asked for does not exist; the sentence says what does."""


class Problem(Message, frozen=True):
    """What went wrong, in a sentence."""

    error: str


@dataclass(slots=True, frozen=True)
class Call:
    """One call: what may be asked, by whom, and who answers."""

    method: str
    path: str
    role: Role
    act: Callable[..., Any]
    asked: type | None
    body: type | None
    answer: Any
    status: int

    @property
    def name(self) -> str:
        """What programs call it."""
        return self.act.__name__

    @property
    def told(self) -> str:
        """What it does."""
        return inspect.getdoc(self.act) or ""

    @property
    def changes(self) -> bool:
        """Whether something is different afterwards."""
        return self.role > Role.READ

    def route(self) -> Route:
        """Where the server finds it."""
        return Route(ROOT + self.path, self.reply, methods=[self.method], name=self.name)

    async def reply(self, request: Request) -> Response:
        """Answer a request."""
        office: Office = request.app.state.office
        try:
            office.access.check(request, self.role, changes=self.changes)
            told: dict[str, Any] = {}
            if self.asked is not None:
                told["asked"] = _converted(request.path_params | dict(request.query_params), self.asked)
            elif request.query_params:
                raise Refusal(422, f"“{next(iter(request.query_params))}” is nothing that can be asked here.")
            if self.body is not None:
                told["body"] = await sent(request, self.body)
            answer = await run_in_threadpool(self.act, office, **told)
        except FORESEEN as error:
            return problem(error)
        if self.answer is type(None):
            return Response(status_code=204)
        return Response(msgspec.json.encode(answer), self.status, media_type=JSON)


def call(method: str, path: str, role: Role, *, status: int = 200) -> Callable[[Callable[..., Any]], Call]:
    """Declare a call: `@call("GET", "/crawls/{name}", Role.READ)` above its function."""

    def declared(act: Callable[..., Any]) -> Call:
        hints = get_type_hints(act, include_extras=True)
        answer = hints.get("return", type(None))
        return Call(method, path, role, act, hints.get("asked"), hints.get("body"), answer, status)

    return declared


def routes(calls: Sequence[Call]) -> list[Route]:
    """The routes of calls; those of one path together, so that a wrong method is told what is allowed."""
    by_path: dict[str, list[Call]] = {}
    for each in calls:
        by_path.setdefault(each.path, []).append(each)
    return [_joined(path, several) if len(several) > 1 else several[0].route() for path, several in by_path.items()]


def _joined(path: str, calls: list[Call]) -> Route:
    answers = {each.method: each.reply for each in calls}

    async def reply(request: Request) -> Response:
        return await answers["GET" if request.method == "HEAD" else request.method](request)

    return Route(ROOT + path, reply, methods=list(answers), name=calls[0].name)


_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (UnknownCrawl, 404),
    (NotThere, 404),
    (UnreadableCrawl, 503),
    (IndexDamaged, 503),
    (ConfigurationError, 422),
    (UnknownPlugin, 422),
    (StoreFull, 507),
    (MissingExtra, 501),
    (CrawlError, 409),
    (lmdb.Error, 503),
)


FORESEEN: tuple[type[Exception], ...] = (Refusal, *(kind for kind, _ in _STATUS))


def problem(error: Exception) -> Response:
    """A foreseen error as an answer."""
    if isinstance(error, Refusal):
        asks_for_token = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}
        return _problem(error.status, str(error), error.headers | asks_for_token)
    return _problem(next(status for kind, status in _STATUS if isinstance(error, kind)), str(error))


def _problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(Problem(sentence)), status, headers, JSON)


async def sent(request: Request, kind: type[Body], largest: int = LARGEST_BODY) -> Body:
    """What a request sends, checked; a refusal where it does not fit."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        raise Refusal(415, f"What is sent here must be {JSON}.")
    found = b""
    try:
        async for part in request.stream():
            found += part
            if len(found) > largest:
                raise Refusal(413, f"More than {largest} bytes are too many.")
        return msgspec.json.decode(found, type=kind)
    except ClientDisconnect:
        raise Refusal(400, "The request ended early.") from None
    except msgspec.ValidationError as error:
        raise Refusal(422, f"What was sent does not fit: {error}.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refusal(400, f"What was sent is no JSON: {error}.") from None


def _converted(given: dict[str, str], kind: type) -> Any:
    unknown = given.keys() - {field.encode_name for field in msgspec.structs.fields(kind)}
    if unknown:
        raise Refusal(422, f"“{min(unknown)}” is nothing that can be asked here.")
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal(422, f"What was asked does not fit: {error}.") from None
