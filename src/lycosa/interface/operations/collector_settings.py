"""What the collector is told: `collect.toml` beside its store, and `--set` on top, refused at the door where wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lycosa.clickstream.collector.trusted_proxies import TrustedProxies
from lycosa.configuration.sections import Collector
from lycosa.configuration.settings import ConfigurationError, read_toml, table

FILE = "collect.toml"


def collector_settings(folder: Path, overrides: Sequence[str] = ()) -> Collector:
    """The settings in a click store's folder, with `key=value` on top."""
    path = folder / FILE
    raw = read_toml(path) if path.exists() else {}
    found = table(Collector, raw, overrides, str(path) if path.exists() else "command line")
    _check(found, str(path) if path.exists() else "command line")
    return found


def _check(found: Collector, origin: str) -> None:
    rules = {
        "largest_request": (1024 <= found.largest_request <= 1024**2, "between 1KiB and 1MiB"),
        "events_per_minute": (found.events_per_minute >= 1, "at least 1"),
        "events_per_second": (found.events_per_second >= 1, "at least 1"),
        "batch_seconds": (found.batch_seconds <= 0.5, "at most 500ms, so that totals are seen within a second"),
        "connections": (1 <= found.connections <= 100_000, "between 1 and 100000"),
        "request_within": (found.request_within > 0, 'a span of time, such as "10s"'),
        "keys_kept": (found.keys_kept >= 86400, "at least 1d: visitors of a day need its key"),
        "kept": (found.kept >= 2 * 86400, "at least 2d: replays are known by what is kept"),
    }
    for key, (holds, allowed) in rules.items():
        if not holds:
            raise ConfigurationError(f"{origin}: {key} = {getattr(found, key)!r} is not possible; use {allowed}")
    TrustedProxies(found.trusted_proxies)
