"""What pages say when something foreseen goes wrong: the error's own sentence, and ways on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from lycosa.interface.shared.errors import FORESEEN, problem
from lycosa.interface.shared.foreign_text import tidy
from lycosa.interface.shared.rendering import page
from lycosa.interface.shared.server_paths import sentence_of

LARGEST_FORM = 1 << 20
Way = tuple[str, str]
"""An address, and what it is called."""


def with_ways_on(here: str, ways: Sequence[Way]) -> Callable[[Callable[..., Response]], Callable[..., Response]]:
    """Let a page that cannot be made say why, and where to go instead."""

    def wrapped(make: Callable[..., Response]) -> Callable[..., Response]:
        @wraps(make)
        def made(request: Request, *more: Any) -> Response:
            try:
                return make(request, *more)
            except FORESEEN as error:
                status = problem(error).status_code
                return page(request, "topics_trouble.html", status, sentence=as_sentence(error), here=here, ways=ways)

        return made

    return wrapped


def as_sentence(error: Exception) -> str:
    """An error as a sentence that stands alone."""
    told = tidy(sentence_of(error))[:2000] or "Something went wrong"
    return told[:1].upper() + told[1:] + ("" if told.endswith((".", "?", "!")) else ".")


def asked_number(request: Request, name: str, most: int, usual: int = 1, least: int = 1) -> int:
    """A whole number from the address, within bounds; what is none counts as the usual."""
    typed = request.query_params.get(name, "")
    return min(most, max(least, int(typed))) if typed.isascii() and typed.isdigit() and len(typed) < 10 else usual


async def small_form(request: Request) -> dict[str, str]:
    """The fields of a form that was sent; nothing where it is too large."""
    sent = b""
    try:
        async for part in request.stream():
            sent += part
            if len(sent) > LARGEST_FORM:
                return {}
    except ClientDisconnect:
        return {}
    return dict(parse_qsl(sent.decode("utf-8", "replace"), max_num_fields=10))
