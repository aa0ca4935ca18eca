"""How a simulated web is asked for: `box:SEED?hosts=20&pages=2000&…`.

The text names the web completely, so a web can be made again from a line in a report.
Keys, defaults and limits are stated once, here; anything else is refused with a suggestion.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any

import msgspec

from lycosa.configuration.sections import Bytes, Seconds
from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.simulated_web.page_kinds import KINDS
from lycosa.lab.simulated_web.vocabulary import TOPICS

_SIZES = {"": 1, "B": 1, "kB": 1000, "KiB": 1024, "MB": 1000**2, "MiB": 1024**2}
_TIMES = {"": 1.0, "ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)([A-Za-z]*)")
_SUFFIX = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
LARGEST_SEED = 2**64 - 1


class BoxSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a simulated web is like. Shares are parts of 1.

    `changed` is the share of pages that differ after one `period`; `begins` is the time at
    which every page is as first written, or None where whoever runs the web decides it.
    """

    seed: int = 1
    hosts: int = 20
    pages: int = 2000
    topics: int = 6
    links: int = 20
    size: Bytes = Bytes(4096)
    unlinked: float = 0.2
    changed: float = 0.1
    lastmod: str = "honest"
    tunnel: float = 0.0
    traps: int = 0
    errors: float = 0.02
    duplicates: float = 0.05
    kinds: int = 1
    signposts: int = 0
    port: int = 8080
    suffix: str = "localhost"
    period: Seconds = Seconds(86400.0)
    begins: float | None = None

    def __post_init__(self) -> None:
        for key, (holds, allowed) in self._limits().items():
            if not holds:
                raise ConfigurationError(f"box: {key} = {getattr(self, key)!r} is not possible; use {allowed}")

    def _limits(self) -> dict[str, tuple[bool, str]]:
        return {
            "seed": (0 <= self.seed <= LARGEST_SEED, "a number of at most 64 bits"),
            "hosts": (1 <= self.hosts <= 10**6, "1 to 1000000"),
            "pages": (self.hosts <= self.pages <= 10**9, "at least one page per host, at most 1000000000"),
            "topics": (1 <= self.topics <= len(TOPICS), f"1 to {len(TOPICS)}"),
            "links": (0 <= self.links <= 1000, "0 to 1000"),
            "size": (512 <= self.size <= 2**24, "512B to 16MiB"),
            "unlinked": (0 <= self.unlinked <= 0.9, "0 to 0.9"),
            "changed": (0 <= self.changed <= 0.99, "0 to 0.99"),
            "lastmod": (self.lastmod in ("honest", "now", "never"), "honest, now or never"),
            "tunnel": (self._tunnel_fits(), "0 to 0.9, and more hosts than topics, and two topics or more"),
            "traps": (0 <= self.traps <= self.hosts, "0 to the number of hosts"),
            "errors": (0 <= self.errors <= 1, "0 to 1"),
            "duplicates": (0 <= self.duplicates <= 0.9, "0 to 0.9"),
            "kinds": (1 <= self.kinds <= len(KINDS), f"1 to {len(KINDS)}"),
            "signposts": (0 <= self.signposts <= self.topics, "0 to the number of topics"),
            "port": (1 <= self.port <= 65535, "1 to 65535"),
            "suffix": (_SUFFIX.fullmatch(self.suffix) is not None, "a domain name in lower case"),
            "period": (self.period > 0, "a span of time above zero"),
        }

    def _tunnel_fits(self) -> bool:
        return self.tunnel == 0 or (0 < self.tunnel <= 0.9 and self.hosts > self.topics >= 2)


def parse_box(text: str) -> BoxSettings:
    """The settings written as `box:SEED[?key=value&…]`."""
    scheme, _, rest = text.partition(":")
    seed, _, query = rest.partition("?")
    if scheme != "box" or not re.fullmatch(r"[0-9]{1,20}", seed):
        raise ConfigurationError(f"{text!r} is no simulated web; write box:SEED, such as box:7?hosts=20&pages=2000")
    values: dict[str, Any] = {"seed": int(seed)}
    for pair in filter(None, query.split("&")):
        key, _, value = pair.partition("=")
        reader = _READERS.get(key)
        if reader is None:
            raise ConfigurationError(f"{text}: {_unknown(key)}")
        try:
            values[key] = reader(value)
        except ValueError:
            raise ConfigurationError(f"{text}: {key} = {value!r} is no {_EXPECTED[reader]}") from None
    return BoxSettings(**values)


def written(settings: BoxSettings) -> str:
    """The text that gives these settings; what is left at its default is left out."""
    usual = BoxSettings()
    pairs = [
        f"{key}={_value(getattr(settings, key))}"
        for key in _READERS
        if getattr(settings, key) != getattr(usual, key) and getattr(settings, key) is not None
    ]
    return f"box:{settings.seed}" + ("?" + "&".join(pairs) if pairs else "")


def _value(value: object) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)


def _unknown(key: str) -> str:
    near = difflib.get_close_matches(key, _READERS, 1)
    return f"unknown key {key!r}; " + (f"did you mean {near[0]!r}?" if near else f"known: {', '.join(_READERS)}")


def _whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise ValueError(text)
    return int(text)


def _share(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,18})?(e-[0-9]{1,2})?", text):
        raise ValueError(text)
    return float(text)


def _size(text: str) -> Bytes:
    return Bytes(_quantity(text, _SIZES))


def _time(text: str) -> Seconds:
    return Seconds(_quantity(text, _TIMES))


def _quantity(text: str, units: dict[str, Any]) -> float:
    match = _QUANTITY.fullmatch(text)
    if match is None or match[2] not in units:
        raise ValueError(text)
    return float(match[1]) * float(units[match[2]])


_READERS: dict[str, Callable[[str], Any]] = {
    "hosts": _whole, "pages": _whole, "topics": _whole, "links": _whole, "size": _size, "unlinked": _share,
    "changed": _share, "lastmod": str, "tunnel": _share, "traps": _whole, "errors": _share, "duplicates": _share,
    "kinds": _whole, "signposts": _whole, "port": _whole, "suffix": str, "period": _time, "begins": _share,
}  # fmt: skip
_EXPECTED: dict[Callable[[str], Any], str] = {
    _whole: "whole number", _share: "number", _size: "size, such as 4KiB", _time: "span of time, such as 1d",
}  # fmt: skip
