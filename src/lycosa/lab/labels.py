"""Which pages belong to which topic, by somebody's word that no scorer has a part in.

A label is a path such as `subject.Science.Biology.Birds`. People name a topic by its
path or by any part of it that ends a step: `Birds`, `Biology.Birds`, and `Science`
for everything below it.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lycosa.configuration.settings import ConfigurationError

Labels = dict[str, frozenset[str]]
"""The topic paths of each labelled URL."""

MOST_CHOICES = 12
_ALIKE = re.compile(r"[\s_/.]+")


def read_labels(path: Path, url_of: Callable[[str], str | None]) -> tuple[Labels, list[str]]:
    """A file of lines `path or URL<TAB>topic`, and a warning where it names pages the web does not have.

    `url_of` finds the page that a path or URL means. Empty lines and those that begin with `#` say nothing.
    """
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError(f"labels {path}: not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise ConfigurationError(f"labels {path}: cannot be read ({error.strerror}); name a file") from None
    found: dict[str, set[str]] = {}
    unknown: list[str] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, topic = _pair(path, number, line)
        url = url_of(name)
        if url is None:
            unknown.append(name)
        else:
            found.setdefault(url, set()).add(topic)
    return _frozen(found), _warning(path, unknown)


def _pair(path: Path, number: int, line: str) -> tuple[str, str]:
    name, tab, topic = line.partition("\t")
    name, topic = name.strip(), topic.strip()
    if not tab or not name or not topic or "\t" in topic:
        raise ConfigurationError(
            f"labels {path}, line {number}: {line.strip()[:80]!r} is no label; write a path or URL, a tab and a topic"
        )
    return name, topic


def _warning(path: Path, unknown: list[str]) -> list[str]:
    if not unknown:
        return []
    lines = "1 line names a page" if len(unknown) == 1 else f"{len(unknown)} lines name pages"
    return [f"labels {path}: {lines} that this web does not have, such as {unknown[0][:120]!r}"]


def _frozen(found: Mapping[str, Iterable[str]]) -> Labels:
    return {url: frozenset(topics) for url, topics in found.items()}


class Topics:
    """All topics of a web, found by name."""

    def __init__(self, labels: Mapping[str, frozenset[str]]) -> None:
        self._pages: dict[str, set[str]] = {}
        for url, paths in labels.items():
            for path in paths:
                for above in _upwards(path):
                    self._pages.setdefault(above, set()).add(url)
        self._named: dict[str, set[str]] = {}
        for path in self._pages:
            for name in _names(path):
                self._named.setdefault(name, set()).add(path)

    def paths(self) -> list[str]:
        """Every topic, inner ones too."""
        return sorted(self._pages)

    def path(self, name: str) -> str:
        """The one topic that a name means. One above all others of the name is meant: it holds them."""
        wanted = _alike(name)
        choices = sorted(self._named.get(wanted, ()))
        for path in choices:
            if all(other == path or other.startswith(path + ".") for other in choices):
                return path
        if choices:
            raise ConfigurationError(f"topic {name!r} is ambiguous; use one of: {_listed(choices)}")
        raise ConfigurationError(f"no topic {name!r} in this web; {self._suggestion(wanted)}")

    def pages(self, name: str) -> frozenset[str]:
        """The pages of a topic and of all topics below it."""
        return frozenset(self._pages[self.path(name)])

    def _suggestion(self, wanted: str) -> str:
        near = difflib.get_close_matches(wanted, self._named, 3, 0.75)
        if near:
            return f"did you mean {_listed(sorted({path for name in near for path in self._named[name]}))}?"
        if not self._pages:
            return "it has no labels at all; give them with labels=FILE"
        leaves = [path for path in self.paths() if not any(other.startswith(path + ".") for other in self._pages)]
        return f"there are: {_listed(leaves)}"


def _upwards(path: str) -> list[str]:
    """A path and all that it lies below."""
    steps = path.split(".")
    return [".".join(steps[:length]) for length in range(len(steps), 0, -1)]


def _names(path: str) -> list[str]:
    """What a topic may be called: its last step, with any number of the steps above."""
    steps = path.split(".")
    return [_alike(".".join(steps[first:])) for first in range(len(steps))]


def _alike(name: str) -> str:
    return _ALIKE.sub("_", name.strip().casefold()).strip("_")


def _listed(paths: list[str]) -> str:
    more = f" and {len(paths) - MOST_CHOICES} more" if len(paths) > MOST_CHOICES else ""
    return ", ".join(paths[:MOST_CHOICES]) + more
