"""How operations are answered over HTTP: requests are checked, errors become one sentence of JSON.

Operations run in threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from lycosa.interface.operations.calls import Call, Office
from lycosa.interface.shared.access import Refusal
from lycosa.interface.shared.errors import FORESEEN, JSON, problem

ROOT = "/api/v1"
LARGEST_BODY = 1 << 20
Body = TypeVar("Body")


def routes(calls: Sequence[Call]) -> list[Route]:
    """The routes of calls; those of one path together, so that a wrong method is told what is allowed."""
    by_path: dict[str, dict[str, Call]] = {}
    for each in calls:
        by_path.setdefault(each.path, {})[each.method] = each
    return [_route(path, by_method) for path, by_method in by_path.items()]


def _route(path: str, by_method: dict[str, Call]) -> Route:
    async def reply(request: Request) -> Response:
        return await _reply(by_method["GET" if request.method == "HEAD" else request.method], request)

    return Route(ROOT + path, reply, methods=list(by_method), name=next(iter(by_method.values())).name)


async def _reply(call: Call, request: Request) -> Response:
    office: Office = request.app.state.office
    try:
        office.access.check(request, call.role, changes=call.changes)
        told: dict[str, Any] = {}
        if call.asked is not None:
            told["asked"] = _converted(request.path_params | dict(request.query_params), call.asked)
        elif request.query_params:
            raise Refusal(422, f"“{next(iter(request.query_params))}” is nothing that can be asked here.")
        if call.body is not None:
            told["body"] = await sent(request, call.body)
        return await run_in_threadpool(_answer, call, office, told)
    except FORESEEN as error:
        return problem(error)


def _answer(call: Call, office: Office, told: dict[str, Any]) -> Response:
    """What a call answers, written here too: a long answer would keep all others waiting."""
    answer = call.act(office, **told)
    if call.answer is type(None):
        return Response(status_code=204)
    return Response(msgspec.json.encode(answer), call.status, media_type=JSON)


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
