"""Errors that a person can do something about, and the answer that each of them gets."""

from __future__ import annotations

import lmdb
import msgspec
from starlette.responses import Response

from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import CrawlError
from lycosa.crawl_folder.reading_apart import CrawlDamaged, NoMemory
from lycosa.interface.shared.access import Refusal
from lycosa.interface.shared.messages import Message
from lycosa.interface.shared.server_paths import sentence_of
from lycosa.plugins.registry import UnknownPlugin
from lycosa.search.schema import IndexDamaged
from lycosa.storage.agent_store import StoreFull
from lycosa.storage.catalogue import MissingExtra

JSON = "application/json"


class UnknownCrawl(CrawlError):
    """There is no crawl of that name."""


class UnreadableCrawl(CrawlError):
    """The crawl's folder is there, but what lies in it cannot be understood."""


class NotThere(CrawlError):
    """What was asked for does not exist; the sentence says what does."""


STATUS: tuple[tuple[type[Exception], int], ...] = (
    (UnknownCrawl, 404),
    (NotThere, 404),
    (UnreadableCrawl, 503),
    (IndexDamaged, 503),
    (CrawlDamaged, 503),
    (NoMemory, 503),
    (ConfigurationError, 422),
    (UnknownPlugin, 422),
    (StoreFull, 507),
    (MissingExtra, 501),
    (CrawlError, 409),
    (lmdb.Error, 503),
)


FORESEEN: tuple[type[Exception], ...] = (Refusal, *(kind for kind, _ in STATUS))
"""Everything else is a fault of ours, and is logged."""


class Problem(Message, frozen=True):
    """What went wrong, in a sentence."""

    error: str


def problem(error: Exception) -> Response:
    """A foreseen error as an answer."""
    if isinstance(error, Refusal):
        asks_for_token = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}
        return _problem(error.status, sentence_of(error), error.headers | asks_for_token)
    return _problem(next(status for kind, status in STATUS if isinstance(error, kind)), sentence_of(error))


def _problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    return Response(msgspec.json.encode(Problem(sentence)), status, headers, JSON)
