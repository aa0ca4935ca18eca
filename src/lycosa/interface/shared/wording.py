"""How figures and foreign text are worded for people and programs: one spelling everywhere, and never a raw float."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import Any

_SIZES = ("B", "KiB", "MiB", "GiB", "TiB")


def number(value: float) -> str:
    """A count with its thousands set apart."""
    return f"{value:,.0f}"


def counted(value: int, thing: str) -> str:
    """So many of something, such as 1 page or 2 pages."""
    return f"{number(value)} {thing}{'' if value == 1 else 's'}"


def share(value: float) -> str:
    """A part of a whole as a percentage, with a decimal where it is small enough to matter."""
    return f"{value:.1%}" if 0 < value < 0.1 else f"{value:.0%}"


def rate(value: float) -> str:
    """Something per second."""
    return f"{value:,.0f}/s" if value >= 100 else f"{value:.1f}/s"


def size(value: float) -> str:
    """An amount of data in the largest unit that leaves it above one."""
    left = float(value)
    for unit in _SIZES[:-1]:
        if left < 1024:
            return f"{left:.0f} {unit}" if left >= 10 or unit == "B" else f"{left:.1f} {unit}"
        left /= 1024
    return f"{left:,.1f} {_SIZES[-1]}"


def span(seconds: float) -> str:
    """A span of time in its two largest units."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for unit, length, smaller, part in (("d", 86400, "h", 3600), ("h", 3600, "min", 60), ("min", 60, "s", 1)):
        if whole >= length:
            rest = whole % length // part
            return f"{whole // length} {unit} {rest} {smaller}" if rest else f"{whole // length} {unit}"
    return f"{whole} s"


def day(at: float) -> str:
    """A day, or '' for a moment that is not known."""
    moment = _moment(at)
    return f"{moment.day} {moment:%b %Y}" if moment else ""


def iso(at: float) -> str | None:
    """A moment for machines."""
    moment = _moment(at)
    return moment.isoformat(timespec="seconds") if moment else None


def _moment(at: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(at, UTC) if at > 0 else None
    except (OverflowError, ValueError, OSError):
        return None


FILTERS = {"number": number, "share": share, "rate": rate, "size": size, "span": span, "day": day, "iso": iso}


def printable(text: str) -> str:
    """Foreign text cannot send commands to a terminal."""
    return "".join(char if char.isprintable() else " " for char in text)


def print_json(value: Any) -> int:
    """Print figures for programs; returns the exit code of a command that went well."""
    print(json.dumps(value, ensure_ascii=not speaks_unicode()))
    return 0


def speaks_unicode() -> bool:
    """Whether every letter can be printed as it is; where it cannot, JSON has escapes for the others."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
