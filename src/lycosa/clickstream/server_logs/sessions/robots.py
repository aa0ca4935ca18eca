"""Who asked: people, robots that say so, and what looks after the server."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from importlib import resources

from lycosa.clickstream.server_logs.parsing.entries import unescaped


class Asker(IntEnum):
    """What a browser's name says of who uses it."""

    PERSON = 0
    NAMELESS = 1
    ROBOT = 2
    MONITORING = 3


LOOPBACK = (b"127.0.0.1", b"::1", b"localhost", b"::ffff:127.0.0.1")
"""Where requests of the server to itself come from; with a person's browser they came through a proxy."""


def asker(agent: bytes) -> int:
    """Who uses a browser of that name."""
    name = unescaped(agent).decode("latin-1").lower()
    robots, monitoring = known_agents()
    if any(map(name.__contains__, monitoring)):
        return Asker.MONITORING
    if any(map(name.__contains__, robots)):
        return Asker.ROBOT
    return Asker.PERSON if name.startswith(("mozilla/", "opera/")) else Asker.NAMELESS


@cache
def known_agents() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Parts of the names of robots, and of what looks after servers."""
    sections: dict[str, list[str]] = {"[robots]": [], "[monitoring]": []}
    into: list[str] = []
    text = resources.files("lycosa").joinpath("data/robot_agents.txt").read_text("utf-8")
    for line in text.splitlines():
        if line in sections:
            into = sections[line]
        elif line and not line.startswith("#"):
            into.append(line)
    return tuple(sections["[robots]"]), tuple(sections["[monitoring]"])
