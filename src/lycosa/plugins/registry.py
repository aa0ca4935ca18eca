"""Finds plug-ins by name: ours and a user's alike, through entry points. `plug_points` says what they are.

Nothing in Lycosa reaches a built-in part by another door.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from lycosa.configuration.sections import Configuration
from lycosa.plugins.plug_points import POINTS
from lycosa.user_error import Mendable


class UnknownPlugin(Mendable):
    """No plug-in of that name; the message lists the choices."""


@lru_cache(maxsize=16)
def _registered(point: str) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=f"lycosa.{point}")}


def names(point: str) -> list[str]:
    """The plug-ins registered at a point."""
    return sorted(_registered(point))


def find(point: str, name: str) -> Any:
    """The factory of that name."""
    entry = _registered(point).get(name)
    if entry is None:
        near = difflib.get_close_matches(name, names(point), 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names(point)) or 'none'}"
        raise UnknownPlugin(f"no {POINTS[point].noun} named {name!r}; {hint}")
    return entry.load()


def check(point: str, name: str, configuration: Configuration, examples: Sequence[str] = ()) -> None:
    """Ask a plug-in to refuse settings it could not work with; one that brings no check accepts all of them."""
    asked = getattr(find(point, name), "check", None)
    if asked is not None:
        asked(configuration, examples)
