"""Parts that can be swapped: found by name through entry points, ours and a user's alike.

A plug point is an entry-point group `lycosa.<point>`; a plug-in is any callable
registered there. Nothing in Lycosa reaches a built-in part by another door.
"""

from __future__ import annotations

import difflib
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from lycosa.user_error import Mendable

_CALLED = {
    "admission_rules": "admission rule",
    "fetchers": "fetcher",
    "page_scorers": "page scorer",
    "link_scorers": "strategy",
    "assigners": "assigner",
    "seed_engines": "seed engine",
    "closeness": "closeness",
    "rankings": "ranking",
}
"""The plug points, and what people call a plug-in there."""
POINTS = tuple(_CALLED)


class UnknownPlugin(Mendable):
    """No plug-in of that name; the message lists the choices."""


@lru_cache(maxsize=16)
def _registered(point: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=f"lycosa.{point}")}


def names(point: str) -> list[str]:
    """The plug-ins registered at a point."""
    return sorted(_registered(point))


def find(point: str, name: str) -> Any:
    """The plug-in of that name."""
    entry = _registered(point).get(name)
    if entry is None:
        near = difflib.get_close_matches(name, names(point), 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names(point)) or 'none'}"
        raise UnknownPlugin(f"no {_CALLED[point]} named {name!r}; {hint}")
    return entry.load()
