"""Logs written by hand for tests, and an import of them into a store of its own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from lycosa.click_records import PageClicks, Source
from lycosa.clickstream.server_logs.log_files import log_files
from lycosa.clickstream.server_logs.log_import import Imported, LogImport
from lycosa.clickstream.server_logs.page_urls import LogSite
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0"
NOON = 1_700_000_000 // 86_400 * 86_400 + 43_200


def line(
    at: float,
    target: str = "/",
    *,
    address: str = "10.0.0.1",
    agent: str = BROWSER,
    status: int = 200,
    method: str = "GET",
    referrer: str = "-",
) -> str:
    """A line of the combined format."""
    time = datetime.fromtimestamp(at, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000")
    return f'{address} - - [{time}] "{method} {target} HTTP/1.1" {status} 512 "{referrer}" "{agent}"\n'


def import_logs(
    folder: Path,
    logs: Sequence[Path | str],
    *,
    now: float = NOON + 3600,
    site: str = "example.org",
    told: str = "",
    session: float = 1800.0,
    by_host: bool = False,
) -> Imported:
    """Import logs into the store of a folder."""
    with ClickStore(folder) as store:
        work = LogImport(LogSite(site, by_host=by_host), store, DayKeys(folder), now=now, session=session, told=told)
        return work.run(log_files([str(log) for log in logs]))


def pages(folder: Path, site: str = "example.org") -> dict[str, PageClicks]:
    """What is in the store of a folder."""
    with ClickStore(folder) as store:
        return {page.url: page for page in store.pages(site, Source.LOG)}
