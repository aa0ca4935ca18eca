"""The pages of the loopback web: which there are, whom they link to, and their HTML.

Everything follows from (pages, hosts, port, seed), so every crawler on every
machine meets the same web. Page k links to the pages 10k+1 … 10k+10, which
makes each page reachable from page 0; the other links are drawn, half of them
favouring the early pages, as real webs have their famous ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from bench.web_text import Prose, vocabulary

VOCABULARY = 8_000
LINKS_PER_PAGE = 62
DRAWS = 66
CHILDREN = 10
WORDS_MEAN, WORDS_SPREAD = 1_510, 0.45
SECTIONS = ("news", "guides", "people", "places", "science", "arts", "archive", "notes")


@dataclass(frozen=True)
class WebPages:
    """A web as a function of its four numbers."""

    pages: int
    hosts: int
    port: int
    seed: int = 1

    @cached_property
    def prose(self) -> Prose:
        return Prose(vocabulary(VOCABULARY, self.seed))

    @cached_property
    def titles(self) -> list[list[str]]:
        rng = np.random.default_rng([self.seed, 0])
        return [self.prose.rare(int(length), rng) for length in rng.integers(2, 6, self.pages)]

    @cached_property
    def paths(self) -> list[str]:
        """Where each page lies on its host; the first page of a host is its home page."""
        return [self._path(number) for number in range(self.pages)]

    def _path(self, number: int) -> str:
        if number < self.hosts:
            return "/"
        section = SECTIONS[number // self.hosts % len(SECTIONS)]
        return f"/{section}/{'-'.join(self.titles[number][:3])}-{number}.html"

    def host(self, number: int) -> str:
        """Hosts are loopback addresses, so that no crawler needs name resolution."""
        return f"127.0.0.{number % self.hosts + 1}"

    def url(self, number: int) -> str:
        return f"http://{self.host(number)}:{self.port}{self.paths[number]}"

    def links(self, number: int, rng: np.random.Generator) -> list[int]:
        """The pages a page links to: its children first, then drawn ones."""
        children = range(CHILDREN * number + 1, min(CHILDREN * (number + 1) + 1, self.pages))
        draws = rng.random(DRAWS)
        draws[::2] **= 3
        drawn = (draws * self.pages).astype(int)
        site_mates = drawn[::3] // self.hosts * self.hosts + number % self.hosts
        drawn[::3] = np.where(site_mates < self.pages, site_mates, drawn[::3])
        distinct = dict.fromkeys([*children, *drawn.tolist()])
        distinct.pop(number, None)
        return list(distinct)[:LINKS_PER_PAGE]

    def html(self, number: int) -> str:
        """One page, written out."""
        rng = np.random.default_rng([self.seed, 1, number])
        links = self.links(number, rng)
        anchors = [self._anchor(number, target) for target in links]
        menu, inline, related, foot = _portions(anchors)
        paragraphs = self.prose.paragraphs(max(120, int(rng.lognormal(0, WORDS_SPREAD) * WORDS_MEAN)), rng)
        title = " ".join(self.titles[number]).title()
        body = "\n".join(_body(paragraphs, inline, self.prose, rng))
        return _PAGE.format(
            title=title, summary=paragraphs[0][0], menu=_items(menu), body=body, related=_items(related), foot=foot
        )

    def _anchor(self, number: int, target: int) -> str:
        """Links within a host are written without it, as people do."""
        same = target % self.hosts == number % self.hosts
        return f'<a href="{self.paths[target] if same else self.url(target)}">{" ".join(self.titles[target])}</a>'


def _portions(anchors: list[str]) -> tuple[list[str], list[str], list[str], str]:
    """Children and the rest are spread over menu, text, related list and foot."""
    return anchors[0::5], anchors[1::5] + anchors[2::5], anchors[3::5], " | ".join(anchors[4::5])


def _items(anchors: list[str]) -> str:
    return "\n".join(f'   <li class="entry">{anchor}</li>' for anchor in anchors)


def _body(paragraphs: list[list[str]], anchors: list[str], prose: Prose, rng: np.random.Generator) -> Iterator[str]:
    """Paragraphs with links in their text and a heading before every fourth; no link is lost in a short text."""
    each = -(-len(anchors) // len(paragraphs))
    waiting = iter(anchors)
    for place, sentences in enumerate(paragraphs):
        if place % 4 == 0:
            yield f"  <h2>{' '.join(prose.rare(4, rng)).capitalize()}</h2>"
        woven = [f"See {anchor} for more." for anchor in islice(waiting, each)]
        yield f'  <p class="text">{" ".join([sentences[0], *woven, *sentences[1:]])}</p>'


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
 <meta charset="utf-8">
 <meta name="viewport" content="width=device-width, initial-scale=1">
 <meta name="description" content="{summary}">
 <title>{title}</title>
 <style>body {{ font: 16px/1.5 serif; max-width: 60em; margin: auto }} .entry {{ list-style: square }}</style>
</head>
<body>
 <nav class="menu">
  <ul>
{menu}
  </ul>
 </nav>
 <main id="content">
  <h1>{title}</h1>
{body}
 </main>
 <aside class="related">
  <h3>Related pages</h3>
  <ul>
{related}
  </ul>
 </aside>
 <footer>
  <p>{foot}</p>
  <p>All text on this page was invented.</p>
 </footer>
</body>
</html>
"""
