"""Signposts: lists of links under the name of a department instead of under words of the topic they lead to.

Every topic has a department, the same on all hosts, whose name has nothing to do with it. Anchors
say nothing either, so that where a link leads can be learnt from the heading above it and from the
words of its list, and from nowhere else on the page. Another number of `signposts` gives the same web
with the names handed on from topic to topic, as when a site is relaunched.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from lycosa.lab.simulated_web.link_map import PageLinks, Place, WebMap

DEPARTMENTS = (
    "harbour desk", "lantern bureau", "velvet counter", "copper parlour", "marble annexe", "amber lodge",
    "pewter chamber", "granite pavilion", "cobalt corridor", "ivory attic", "canvas cabinet", "indigo mezzanine",
)  # fmt: skip
"""One name for each topic there can be."""

_ANCHORS = ("Read more", "No. {}", "Continue", "Number {}", "Open")


class Board(NamedTuple):
    """How a template shows its lists: what encloses its list of links otherwise, a list with its name, an item."""

    enclosed: str
    named: str
    item: str


BOARDS = (
    Board("<ul>\n{items}</ul>", "<h3>{}</h3>\n<ul>\n{}</ul>\n", '<li><a href="{}">{}</a> {}</li>\n'),
    Board("{items}", "<h2>{}</h2>\n<ul>\n{}</ul>\n", '<li class="more"><a href="{}">{}</a> {}</li>\n'),
    Board("{items}", "<h2>{}</h2>\n<p>{}</p>\n", '<a href="{}">{}</a> {}<br>\n'),
    Board("<ol>\n{items}</ol>", "<h2>{}</h2>\n<ol>\n{}</ol>\n", '<li><p><a href="{}">{}</a> {}</p></li>\n'),
    Board("{items}", "<h3>{}</h3>\n<p>{}</p>\n", '<em><a href="{}">{}</a> {}</em>\n'),
)
"""In the order of the templates."""


@lru_cache(maxsize=1024)
def neutral(order: int) -> str:
    """The anchor of the link that is so many from the first: it tells nothing."""
    return _ANCHORS[order % len(_ANCHORS)].format(order + 1)


class Signposts:
    """The departments of a web and the lists of links to them."""

    def __init__(self, web: WebMap) -> None:
        self._map = web
        self._turn = web.settings.signposts - 1

    def department(self, topic: int) -> str:
        """The department of a topic."""
        return DEPARTMENTS[(topic + self._turn) % self._map.settings.topics]

    def heading(self, topic: int) -> str:
        """A department's name as it stands above a list."""
        return self.department(topic).capitalize()

    def lists(self, place: Place, links: PageLinks, template: int) -> str:
        """The links around a page, by department; which department comes first is each page's own affair."""
        groups: dict[int, list[Place]] = {}
        for one in {one.url: one for one in (*links.below, *links.related)}.values():
            groups.setdefault(self._map.towards(one), []).append(one)
        order = sorted(groups, key=lambda topic: self._map.draw(b"order", place.key, topic))
        board = BOARDS[template]
        lists = [(self.heading(topic), self._items(topic, groups[topic], board)) for topic in order]
        return "".join([board.named.format(heading, items) for heading, items in lists])

    def _items(self, topic: int, places: list[Place], board: Board) -> str:
        words = self.department(topic).split()
        return "".join([board.item.format(one.url, neutral(k), words[k % len(words)]) for k, one in enumerate(places)])
