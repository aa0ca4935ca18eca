"""The endless parts of a simulated web: each page of a trap is small, but there is always another one.

A trap is a function from a path to a page with links deeper into the trap; it draws
its session ids from the path, so that even a trap is the same for everybody.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

Draw = Callable[[bytes, int, int], int]

_LONGEST_PATH = 6000
_FACETS = {
    "colour": ("red", "green", "blue", "black", "white"),
    "size": ("small", "medium", "large"),
    "sort": ("price", "name", "newest"),
    "brand": ("north", "south", "east", "west"),
}
_CALENDAR = re.compile(r"/calendar/([0-9]{1,8})/(1[0-2]|[1-9])")
_SESSION = re.compile(r"/catalogue\?item=([0-9])&sid=([0-9a-f]{16})")
_GROWING = re.compile(r"/(?:(?:more|less)/)+")
_SHOP = re.compile(r"/shop(?:\?((?:[a-z]+=[a-z0-9]{1,9})(?:&[a-z]+=[a-z0-9]{1,9})*))?")


class TrapPage(NamedTuple):
    """A page of a trap: its title and the links it lures with."""

    title: str
    links: list[tuple[str, str]]


def _calendar(path: str, draw: Draw) -> TrapPage | None:
    match = _CALENDAR.fullmatch(path)
    if match is None:
        return None
    year, month = int(match[1]), int(match[2])
    after = (year, month + 1) if month < 12 else (year + 1, 1)
    before = (year, month - 1) if month > 1 else (max(0, year - 1), 12)
    near = [after, before, (year + 1, month)]
    return TrapPage(f"Events in month {month} of {year}", [(f"/calendar/{y}/{m}", f"Events {y}/{m}") for y, m in near])


def _session(path: str, draw: Draw) -> TrapPage | None:
    match = _SESSION.fullmatch(path)
    if match is None:
        return None
    item, session = int(match[1]), int(match[2], 16)
    items = [(item + step) % 10 for step in range(1, 4)]
    links = [(f"/catalogue?item={one}&sid={draw(b'session', session, one):016x}", f"Item {one}") for one in items]
    return TrapPage(f"Catalogue item {item}", links)


def _growing(path: str, draw: Draw) -> TrapPage | None:
    if len(path) > _LONGEST_PATH or not _GROWING.fullmatch(path):
        return None
    return TrapPage("More or less", [(path + "more/", "Still more"), (path + "less/", "Rather less")])


def _shop(path: str, draw: Draw) -> TrapPage | None:
    match = _SHOP.fullmatch(path)
    if match is None:
        return None
    chosen = dict(pair.split("=") for pair in (match[1] or "").split("&") if pair)
    if any(value not in _FACETS.get(key, (value,)) or key not in (*_FACETS, "page") for key, value in chosen.items()):
        return None
    links = []
    for key, values in _FACETS.items():
        others = {name: value for name, value in chosen.items() if name != key}
        links += [(_shop_path({**others, key: value}), f"{key} {value}") for value in values]
    page = int(chosen["page"]) if chosen.get("page", "").isdigit() else 1
    links.append((_shop_path({**chosen, "page": str(page % 10**8 + 1)}), "Next results"))
    return TrapPage("Results", links)


def _shop_path(chosen: dict[str, str]) -> str:
    return "/shop?" + "&".join(f"{key}={value}" for key, value in chosen.items())


class Trap(NamedTuple):
    """A kind of trap: its name, the link that leads in, and its pages."""

    name: str
    entrance: tuple[str, str]
    page: Callable[[str, Draw], TrapPage | None]


TRAPS = (
    Trap("calendar", ("/calendar/2024/5", "Calendar of events"), _calendar),
    Trap("session", ("/catalogue?item=0&sid=0123456789abcdef", "Our catalogue"), _session),
    Trap("growing", ("/more/less/", "More or less"), _growing),
    Trap("facets", ("/shop", "Shop"), _shop),
)
"""The traps there are; hosts with traps take turns."""
