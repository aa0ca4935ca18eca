"""Where a crawl learns what people do: a click store, or a server's logs (`clicks.source`).

`store` is the click store of the home, where `lycosa clicks` and `lycosa collect` count;
a folder may be a click store of its own. A log, or a folder of logs, is read into the
click store of the crawl's folder, when the crawl begins and whenever the log has grown;
several agents take turns, and what was read once is not counted again. A log is of the
site of the first seed, unless its lines name a host.
"""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

from lycosa.click_records import PageClicks
from lycosa.clickstream.server_logs.log_files import log_files
from lycosa.clickstream.server_logs.log_import import Imported, LogImport
from lycosa.clickstream.server_logs.page_urls import LogSite
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.folder import alone_in
from lycosa.storage.click_store import ClickStore
from lycosa.storage.day_keys import DayKeys
from lycosa.urls import normalise, site_of

HOME_STORE = "store"


class ClickSource:
    """What people did, as far as it is known by now."""

    def __init__(self, store: Path, logs: Path | None, configuration: Configuration) -> None:
        self._logs, self._configuration = logs, configuration
        self._files_seen: tuple[tuple[str, int, int], ...] | None = None
        self._stamp: int | None = None
        self._folder = store
        self._import()
        self._store = ClickStore(store, readonly=True)

    def news(self) -> list[PageClicks] | None:
        """All that people did, or None where nothing changed since it was last asked."""
        self._import()
        stamp = self._store.stamp()
        if stamp == self._stamp:
            return None
        self._stamp = stamp
        return self.pages()

    def pages(self) -> list[PageClicks]:
        """All that people did."""
        return list(self._store.pages())

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def _import(self) -> None:
        """Read what is new in the logs."""
        if self._logs is None:
            return
        there = _files(self._logs)
        if there != self._files_seen:
            self._files_seen = there
            with alone_in(self._folder), ClickStore(self._folder) as store:
                import_logs(self._logs, store, self._configuration)


def click_source(configuration: Configuration, folder: Path) -> ClickSource | None:
    """The clickstream of the crawl in a folder; None where nobody is watched."""
    if not configuration.clicks.source:
        return None
    store, logs = _places(configuration.clicks.source, folder)
    return ClickSource(store, logs, configuration)


def check_source(configuration: Configuration, folder: Path) -> None:
    """Refuse a clickstream that is not there, before the crawl begins."""
    if configuration.clicks.source:
        store, logs = _places(configuration.clicks.source, folder)
        if logs is None:
            ClickStore(store, readonly=True).close()
        else:
            _log_site(configuration)


def _places(named: str, folder: Path) -> tuple[Path, Path | None]:
    """The click store that a source means, and the logs that are to be read into it."""
    if named == HOME_STORE:
        return home_store(folder), None
    path = folder / named if (folder / named).exists() else Path(named).expanduser()
    if (path / "data.mdb").exists():
        return path, None
    if not path.exists():
        raise ConfigurationError(
            f"clicks.source: there is no {named!r}; name a log, a folder of logs or a click store, or write "
            f"{HOME_STORE!r} for what `lycosa clicks import` and `lycosa collect` counted"
        )
    return folder / "clicks", path


def import_logs(logs: Path, store: ClickStore, configuration: Configuration) -> Imported:
    """Count what is new in logs; lines that do not say of which host they are belong to the site of the first seed."""
    site, session = _log_site(configuration), float(configuration.clicks.session)
    counting = LogImport(site, store, DayKeys(store.folder), now=time.time(), session=session)
    return counting.run(log_files([str(logs)]))


def _log_site(configuration: Configuration) -> LogSite:
    first = normalise(configuration.seeds[0]) if configuration.seeds else None
    if first is None:
        raise ConfigurationError("clicks.source: a log needs a site; name a seed, whose site the log is of")
    return LogSite(site_of(first), by_host=True)


def home_store(folder: Path) -> Path:
    """The click store of the home that a crawl's folder lies in."""
    return folder.parent.parent / "clicks"


def counted_pages(configuration: Configuration, folder: Path) -> list[PageClicks]:
    """What people did, for a crawl to be looked at: by its source, else all that was counted at home and in it."""
    source = click_source(configuration, folder)
    if source is not None:
        with closing(source):
            return source.pages()
    stores = [place for place in (home_store(folder), folder / "clicks") if (place / "data.mdb").exists()]
    if not stores:
        raise ConfigurationError(
            "nobody's visits were counted yet; import a log with `lycosa clicks import`, or receive events with "
            "`lycosa collect`"
        )
    pages: list[PageClicks] = []
    for place in stores:
        with ClickStore(place, readonly=True) as store:
            pages += store.pages()
    return pages


def _files(logs: Path) -> tuple[tuple[str, int, int], ...]:
    """The log files with their sizes and times: what tells whether something is new."""
    files = sorted(path for path in logs.rglob("*") if path.is_file()) if logs.is_dir() else [logs]
    return tuple((str(path), told.st_size, told.st_mtime_ns) for path in files for told in (path.stat(),))
