"""Notes of what people do with a stored page (M12), made only of those who said yes.

What the reader's script sends is claimed by a stranger, like all the collector gets: it
is bounded, rate-limited and believed only as far as it can be true. It is kept as the
beacon's events are, in the click store of the crawl: a visitor is a hash with the key of
the day, no address and no browser is kept, and who asks not to be watched is not.
"""

from __future__ import annotations

import logging
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import lmdb
import msgspec
import numpy as np
from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from lycosa.click_records import Action, ClickEvent, Source, day_of
from lycosa.clickstream.rate_limits import Rates
from lycosa.clickstream.visitors import ViewTimes, Visitors
from lycosa.configuration.sections import Collector
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.interface.operations.calls import Office
from lycosa.interface.operations.search_feedback import Asker
from lycosa.interface.shared.access import Refusal
from lycosa.interface.shared.errors import FORESEEN, problem
from lycosa.interface.shared.open_click_stores import ClicksDamaged, in_new_store
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.reader.stored_page import stored_page
from lycosa.records import Page, Record
from lycosa.search.query import LONGEST
from lycosa.storage.agent_store import StoreFull
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys
from lycosa.storage.shown_results import plain_query
from lycosa.urls import host_of, path_of, site_of

LARGEST = 8 * 1024
PER_MINUTE, PER_SECOND = 120, 200
"""So many notes of one client, and of all together."""
MOST_OF_AN_ACTION = 1000
LONGEST_BEGINNING = 60.0
"""Seconds that the first note of a view can tell of: the script sends one when it begins, and every 15 seconds."""
MOST_PAGES_KNOWN = 5_000
DAY = 86_400
_DOWNLOAD = re.compile(
    r"\.(7z|apk|bz2|csv|deb|dmg|docx?|epub|exe|gz|iso|msi|od[pst]|pdf|pptx?|rar|rpm|tar|tgz|xlsx?|xz|zip)$",
    re.IGNORECASE,
)
_log = logging.getLogger("lycosa.reader")


class Noted(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Of which page a note is: `view` names the view of it, `number` counts the view's notes from 0."""

    crawl: Annotated[str, Meta(min_length=1, max_length=64)]
    url: Annotated[str, Meta(min_length=1, max_length=4096)]
    view: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}\Z")]
    number: Annotated[int, Meta(ge=0, lt=100_000)]
    query: Annotated[str, Meta(max_length=LONGEST)] = ""


class Behaved(Noted, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What somebody did since the last note: times in milliseconds, actions by their numbers, how often."""

    active: Annotated[float, Meta(ge=0)] = 0
    dwell: Annotated[float, Meta(ge=0)] = 0
    actions: dict[Annotated[int, Meta(ge=1, le=len(Action))], Annotated[int, Meta(ge=1)]] = {}


class Rated(Noted, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How many stars somebody gave a page."""

    rating: Annotated[int, Meta(ge=1, le=5)]


class Document(Record, frozen=True):
    """What P5 wants to know of a document."""

    length: int
    ascii_sum: int
    downloads: int


class ReaderNotes:
    """Writes what people do with stored pages into the click stores of crawls."""

    def __init__(self, clock: Callable[[], float] = time.time, steady: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._steady = clock, steady
        self._rates, self._views = Rates(PER_MINUTE, PER_SECOND), ViewTimes()
        self._visitors: dict[Path, tuple[int, Visitors]] = {}
        self._documents: OrderedDict[tuple[Path, str], Document] = OrderedDict()
        self._one_by_one = threading.Lock()

    def take(self, folder: CrawlFolder, asker: Asker, said: Behaved | Rated) -> None:
        """Keep a note of somebody who may be watched; of others nothing is kept. It is on disk on return."""
        with self._one_by_one:
            wait = self._rates.wait(asker.address, 1, now := self._steady()) or self._rates.wait_of_all(1, now)
        if wait:
            raise Refusal(429, f"These are too many notes; wait {int(wait) + 1} seconds.")
        if not asker.watched:
            return
        url, document = self._document(folder, said.url)
        with self._one_by_one:
            try:
                self._keep(folder, self._event(folder, asker, said, url, document))
            except (lmdb.Error, OSError, StoreFull, ClicksDamaged) as error:
                _log.warning("what was done with a page of %s could not be noted: %s", folder.name, error)
                raise Refusal(503, "This could not be kept just now; try again later.") from error

    def _event(self, folder: CrawlFolder, asker: Asker, said: Behaved | Rated, url: str, it: Document) -> ClickEvent:
        now = self._clock()
        day, visitor = self._tidy(folder, now).name(asker.address, asker.agent, now)
        dwell = active = rating = 0
        actions: dict[int, int] = {}
        if isinstance(said, Behaved):
            view = f"{folder.name}/{said.view}"
            dwell = int(min(said.dwell, 1000 * self._views.left(view, now, LONGEST_BEGINNING)))
            self._views.claim(view, now, dwell / 1000)
            active = int(min(said.active, dwell))
            actions = {action: min(times, MOST_OF_AN_ACTION) for action, times in said.actions.items()}
        else:
            rating = said.rating
        first = said.number == 0 and isinstance(said, Behaved)
        return ClickEvent(
            host_of(site_of(url)), url, now, day, visitor, bytes.fromhex(said.view), said.number, Source.SEARCH,
            active, dwell, it.length if first else 0, it.ascii_sum if first else 0, it.downloads if first else 0,
            actions, rating, "", plain_query(said.query),
        )  # fmt: skip

    def _keep(self, folder: CrawlFolder, event: ClickEvent) -> None:
        in_new_store(folder.path / "clicks", ClickStore.add_events, [event])

    def _tidy(self, folder: CrawlFolder, now: float) -> Visitors:
        """The names of a crawl's visitors; once a day what has been kept long enough is destroyed."""
        today = day_of(now)
        kept = self._visitors.get(folder.path)
        if kept is not None and kept[0] == today:
            return kept[1]
        keys = DayKeys(folder.path / "clicks")
        keys.destroy(now - Collector().keys_kept)
        in_new_store(folder.path / "clicks", ClickStore.forget, today - int(Collector().kept // DAY))
        visitors = kept[1] if kept is not None else Visitors(keys)
        visitors.forget_keys()
        self._visitors[folder.path] = (today, visitors)
        return visitors

    def _document(self, folder: CrawlFolder, url: str) -> tuple[str, Document]:
        """A page that the crawl has stored; of others nothing can be noted."""
        known = self._documents.get((folder.path, url))
        if known is not None:
            return url, known
        stored = stored_page(folder, url)
        found = document_of(stored.page)
        with self._one_by_one:
            self._documents[folder.path, stored.url] = found
            if len(self._documents) > MOST_PAGES_KNOWN:
                self._documents.popitem(last=False)
        return stored.url, found


def document_of(page: Page) -> Document:
    """A page's length, the sum of its character codes as a browser counts them, and its files to download."""
    codes = np.frombuffer(page.text.encode("utf-16-le", "surrogatepass"), "<u2")
    files = sum(bool(_DOWNLOAD.search(path_of(link.url).partition("?")[0])) for link in page.links)
    return Document(len(codes), int(codes.sum(dtype=np.int64)), files)


# -- what the script sends ----------------------------------------------------------------------------


async def note_behaviour(request: Request) -> Response:
    """`POST /notes/behaviour`: the reader tells what somebody did with a page, who said that it may."""
    return await _noted(request, Behaved)


async def note_rating(request: Request) -> Response:
    """`POST /notes/rating`: somebody gave a page some stars."""
    return await _noted(request, Rated)


async def _noted(request: Request, kind: type[Behaved] | type[Rated]) -> Response:
    office: Office = request.app.state.office
    notes: ReaderNotes = request.app.state.reader_notes
    try:
        office.access.check(request, Role.READ, changes=True)
        said = _understood(await _body(request), kind)
        folder = await run_in_threadpool(office.library.crawl, said.crawl)
        await run_in_threadpool(notes.take, folder, Asker.of(request), said)
    except FORESEEN as error:
        answer = problem(error)
        if answer.status_code == 429:
            answer.headers["Retry-After"] = "5"
        return answer
    return Response(status_code=204)


def _understood(body: bytes, kind: type[Behaved] | type[Rated]) -> Behaved | Rated:
    try:
        said: Behaved | Rated = msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refusal(400, f"This note cannot be understood: {error}.") from None
    if isinstance(said, Rated) and said.number == 0:
        raise Refusal(400, "The first note of a view is that it began; a rating comes later.")
    return said


async def _body(request: Request) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "Notes are sent as application/json.")
    found = b""
    try:
        async for part in request.stream():
            found += part
            if len(found) > LARGEST:
                raise Refusal(413, f"More than {LARGEST} bytes are too many for a note.")
    except ClientDisconnect:
        raise Refusal(400, "The note ended early.") from None
    return found
