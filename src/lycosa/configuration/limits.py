"""What settings can be: a value that no crawl could go by is refused before the first request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isfinite
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from lycosa.configuration.sections import Configuration

MOST = 2**53
"""No count is larger: beyond this, numbers are no longer exact everywhere."""
NAMES = "up to 64 letters, digits, . _ -, beginning with a letter or digit"
_AT_LEAST_ONE = (
    "fetching.connections", "treasure.look_every", "politeness.per_address", "frontier.heads_per_site",
    "storage.batch_visits",
)  # fmt: skip
_SPANS = ("fetching.connect_within", "fetching.first_byte_within", "fetching.total_within", "reading.within")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TIME_OF_DAY = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d|24:00")


def impossible(found: Configuration) -> str:
    """Why a configuration cannot be used, as `key = value is not possible; use ...`; '' where it can."""
    for key, value in _numbers(found):
        if not (isfinite(value) and 0 <= value <= MOST) and key != "random_seed":
            return f"{key} = {value!r:.40} is not possible; use a number from 0 on"
    return _broken_rule(found) or _odd_text(found)


def _numbers(found: msgspec.Struct, above: str = "") -> Iterator[tuple[str, float]]:
    """Every number in a configuration with its key."""
    for name in found.__struct_fields__:
        value, key = getattr(found, name), f"{above}{name}"
        for each in value if isinstance(value, tuple) else (value,):
            if isinstance(each, msgspec.Struct):
                yield from _numbers(each, f"{key}.")
            elif isinstance(each, int | float) and not isinstance(each, bool):
                yield key, each


def _broken_rule(found: Configuration) -> str:
    rules = {
        "agents": (1 <= found.agents <= 256, "between 1 and 256"),
        "mode": (found.mode in ("exchange", "firewall", "cross-over"), "exchange, firewall or cross-over"),
        "scope.sites": (found.scope.sites in ("any", "seeds"), '"any" or "seeds"'),
        "relevance.idf": (found.relevance.idf in ("smooth", "paper"), '"smooth" or "paper"'),
        "topic.threshold": (0 <= found.topic.threshold <= 1, "between 0 and 1"),
        "parents.relevancy_gate": (0 <= found.parents.relevancy_gate <= 1, "between 0 and 1"),
        "parents.relevancy_weight": (0 <= found.parents.relevancy_weight <= 1, "between 0 and 1"),
        "treasure.levels": (1 <= found.treasure.levels <= 20, "between 1 and 20"),
        "treasure.class_digits": (1 <= found.treasure.class_digits <= 3, "1, 2 or 3"),
        "treasure.mentions": (0 <= found.treasure.mentions <= 1000, "between 0 and 1000"),
        **{
            f"treasure.{name}": (0 <= getattr(found.treasure, name) <= 1000, "between 0 and 1000")
            for name in found.treasure.__struct_fields__
            if name.startswith("by_")
        },
        "structure.threshold": (0 <= found.structure.threshold <= 1, "between 0 (taken from the samples) and 1"),
        "clicks.spent": (found.clicks.spent in ("duration", "length"), '"duration" or "length"'),
        "clicks.content": (found.clicks.content >= 1, "1 or more"),
        "clicks.session": (found.clicks.session > 0, 'a span of time, such as "30min"'),
        "clicks.least_support": (0 < found.clicks.least_support <= 1, "more than 0, at most 1"),
        "clicks.least_confidence": (0 < found.clicks.least_confidence <= 1, "more than 0, at most 1"),
        "ranking.half_life": (found.ranking.half_life > 0, 'a span of time, such as "180d"'),
        **{
            f"ranking.{name}": (0 <= getattr(found.ranking, name) <= 1, "between 0 and 1")
            for name in ("by_importance", "by_behaviour", "by_clicks", "by_freshness")
        },
        "ranking.cap": (0 <= found.ranking.cap <= 1, "between 0 and 1"),
        "ranking.depth": (1 <= found.ranking.depth <= 1000, "between 1 and 1000"),
        "revisit.looks_per_day": (found.revisit.looks_per_day > 0, "more than 0"),
        **{key: (attrgetter(key)(found) >= 1, "at least 1") for key in _AT_LEAST_ONE},
        **{key: (attrgetter(key)(found) > 0, 'a span of time, such as "20s"') for key in _SPANS},
        "reading.memory": (found.reading.memory >= 64 * 1024**2, "64MiB or more"),
        "index.memory": (15_000_000 <= found.index.memory <= 4_000_000_000, "from 15MB to 4GB"),
        "name": (bool(_NAME.fullmatch(found.name)), NAMES),
    }
    for key, (holds, allowed) in rules.items():
        if not holds:
            value: Any = found
            for part in key.split("."):
                value = getattr(value, part)
            return f"{key} = {value!r} is not possible; use {allowed}"
    return ""


def _odd_text(found: Configuration) -> str:
    """Patterns and times of day that say nothing."""
    for pattern in (*found.scope.allow, *found.scope.block):
        if not pattern.strip():
            return "scope has an empty pattern; remove it"
        if not pattern.isprintable():
            return f"scope has the pattern {pattern!r} with characters that no URL has; remove it"
    for text in (text for window in found.ceilings.windows for text in (window.begins, window.ends)):
        if not _TIME_OF_DAY.fullmatch(text):
            return f"ceilings.windows: {text!r} is no time of day; write it as HH:MM"
    return ""
