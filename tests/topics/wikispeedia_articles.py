"""Articles with known categories, read as the crawler reads pages, without the line that names the category."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import pytest

from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Response
from lycosa.topics.taxonomy import Node, Taxonomy

FEWEST = 10
BEGINNING = 12_000
"""Characters of markup that are read: the beginning of an article says what it is about."""
_NAMES_CATEGORY = re.compile(rb'<h3 id="siteSub">.*?</h3>', re.DOTALL)


class Articles:
    """Which articles there are, their categories and texts."""

    def __init__(self, folder: Path) -> None:
        files = (folder / "wpcd/wp").glob("?/*.htm")
        self.paths = {path.name.removesuffix(".htm"): path for path in files}
        every: dict[str, set[str]] = {}
        for line in (folder / "paths-and-graph/categories.tsv").read_text("utf-8").splitlines():
            name, _, category = line.partition("\t")
            if category and not line.startswith("#") and name in self.paths:
                every.setdefault(category, set()).add(name)
        self._every = every
        self.paths = {name: self.paths[name] for held in every.values() for name in held}
        self.categories = {name: held for name, held in sorted(every.items()) if len(held) >= FEWEST}
        self.text = lru_cache(maxsize=None)(self._text)

    def _text(self, name: str) -> str:
        body = _NAMES_CATEGORY.sub(b"", self.paths[name].read_bytes(), count=1)[:BEGINNING]
        link = Link("http://example.invalid/")
        answer = Response(link.url, 200, (("Content-Type", "text/html; charset=utf-8"),), body, body)
        return read_page(Fetched(link, answer)).text

    def under(self, part: str) -> list[str]:
        """The articles of all categories that hold a part of a path."""
        wanted = f".{part}."
        return sorted({name for path, held in self._every.items() if wanted in f".{path}." for name in held})

    def taxonomy(self, hidden: set[str], most: int, chance: random.Random) -> Taxonomy:
        """A node per category, made of articles that are not hidden."""
        nodes = []
        for category, held in self.categories.items():
            shown = sorted(held - hidden)
            texts = tuple(self.text(name) for name in chance.sample(shown, min(most, len(shown))))
            label = category.rpartition(".")[2].replace("_", " ")
            nodes.append(Node(node_id(category), label, self._parent(category), texts=texts))
        return Taxonomy(nodes)

    def _parent(self, category: str) -> str:
        above = category.rpartition(".")[0]
        while above and above not in self.categories:
            above = above.rpartition(".")[0]
        return node_id(above)


def node_id(category: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", category.lower()).strip("-")


def holders(data: Articles, category: str, sample: Iterable[str]) -> set[str]:
    """The nodes that are right for a sample: its category, those above and below, and any that holds three of it."""
    names = set(sample)
    return {
        node_id(other)
        for other, held in data.categories.items()
        if f"{other}.".startswith(f"{category}.") or f"{category}.".startswith(f"{other}.") or len(names & held) >= 3
    }


@lru_cache(maxsize=1)
def articles() -> Articles:
    """The articles, or a skip that says where they belong."""
    folder = Path(os.environ.get("LYCOSA_DATA", Path.home() / ".cache/lycosa-data")).expanduser() / "wikispeedia"
    if not (folder / "paths-and-graph/categories.tsv").exists():
        pytest.skip(f"no Wikispeedia articles under {folder}; set LYCOSA_DATA")
    return Articles(folder)
