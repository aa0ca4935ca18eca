"""A T-Graph as a picture: levels as columns, the targets first, nodes as dots, links as curves between them.

It stands alone as an SVG file and is readable on light and dark ground. Dots are as
large as their weight and coloured by how often they led on as promised. Of a large
graph the strongest nodes of each level are drawn and the others counted. All words
come from foreign pages and are escaped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple
from unicodedata import east_asian_width

from markupsafe import escape

from lycosa.interface.shared.charts import COLOURS
from lycosa.interface.shared.wording import number, printable
from lycosa.link_graph.t_graph.graph import Node
from lycosa.records import Record

MOST_PER_LEVEL = 40
MOST_EDGES = 600
EDGES_OF_A_NODE = 4
LONGEST_LABEL = 27
COLUMN, ROW, LEFT, TOP, BOTTOM = 250, 24, 28, 96, 58
CHARACTER = 6.2
"""How wide a letter is, about; what comes after words is placed by it."""
POOR, MIDDLING, GOOD, UNTRIED = (0xB3, 0x54, 0x1E), (0xB0, 0x8A, 0x2A), (0x2F, 0x7F, 0x86), COLOURS[7]
TARGET = COLOURS[4]

STYLE = """
svg{--ground:#fff;--ink:#22262b;--faint:#6b7280;background:var(--ground);color:var(--ink)}
@media (prefers-color-scheme:dark){svg{--ground:#15181c;--ink:#e4e7eb;--faint:#98a2b3}}
.ground{fill:var(--ground)}text{fill:var(--ink);paint-order:stroke;stroke:var(--ground);stroke-width:3px}
.faint{fill:var(--faint)}.head{font-weight:600}.edge{fill:none;stroke:var(--faint);stroke-opacity:.32}
.dot{stroke:var(--ground);stroke-width:1}.lane{stroke:var(--faint);stroke-opacity:.25}
"""


class _Item(Record, frozen=True):
    """Something drawn: a target, or a node."""

    name: str
    label: str
    told: str
    leads_to: tuple[str, ...] = ()
    page: str = ""
    weight: float = 1.0
    colour: str = TARGET
    target: bool = False


class _Column(Record, frozen=True):
    """A level."""

    head: str
    items: tuple[_Item, ...]
    others: int


class _Place(NamedTuple):
    """Where an item was drawn: its dot, and the end of its words."""

    x: float
    y: float
    end: float


def treasure_picture(
    nodes: Sequence[Node], targets: Sequence[str], title: str, *, alone: bool = True, most: int = MOST_PER_LEVEL
) -> str:
    """The SVG text, with so many nodes of each level at most.

    Where it does not stand alone, a page's style sheet has to say how it looks.
    """
    columns = [_targets(targets, most), *_levels(nodes, most)]
    columns = [column for column in columns if column.items]
    places = _placed(columns)
    rows = max((len(column.items) + (column.others > 0) for column in columns), default=1)
    width, height = LEFT + COLUMN * max(3, len(columns)), TOP + ROW * rows + BOTTOM
    drawn = _edges(columns, places)[: MOST_EDGES * most // MOST_PER_LEVEL]
    drawn += [_column(column, place) for place, column in enumerate(columns)]
    drawn += [_item(item, places[item.name]) for column in columns for item in column.items]
    levels = len({node.distance for node in nodes})
    summary = f"{number(len(nodes))} nodes on {levels} levels, {number(len(targets))} targets"
    style = f"<style>{STYLE}</style>" if alone else ""
    return (
        f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="12"><title>{_safe(title)}</title>'
        f'<desc>{_safe(summary)}</desc>{style}<rect class="ground" width="100%" height="100%"/>'
        f"{_words(LEFT, 28, title, 'head', size=16)}{_words(LEFT, 48, summary, 'faint')}"
        f"{''.join(drawn)}{_legend(height - 22)}</svg>\n"
    )


# -- what is drawn ----------------------------------------------------------------------------------


def _targets(targets: Sequence[str], most: int) -> _Column:
    targets = list(dict.fromkeys(targets))
    shown = targets[:most]
    items = [_Item(f"target {url}", _short_url(url), url, page=url, target=True) for url in shown]
    return _Column("targets", tuple(items), len(targets) - len(shown))


def _levels(nodes: Sequence[Node], most: int) -> list[_Column]:
    """The strongest nodes of each level."""
    columns = []
    for distance, level in groupby(sorted(nodes, key=lambda node: node.distance), key=lambda node: node.distance):
        ranked = sorted(level, key=lambda node: (-node.weight, -node.led, -len(node.leads_to), node.page))
        shown = ranked[:most]
        columns.append(_Column(_head(distance), tuple(map(_of_node, shown)), len(ranked) - len(shown)))
    return columns


def _head(distance: int) -> str:
    if not distance:
        return "on the targets"
    return f"{distance} download{'s' if distance > 1 else ''} away"


def _of_node(node: Node) -> _Item:
    nearest, _, main, boundary = node.passage.parts
    headings = " · ".join(dict.fromkeys(text for text in (nearest, main) if text.strip()))
    label = headings or boundary.strip() or _short_url(node.page)
    experience = f"{node.led:.1f} of {node.tried:.1f} links it decided led on" if node.tried else "not tried yet"
    told = f"{node.key}: {node.page}\n{main} / {nearest}\n{boundary[:160]}\nweight {node.weight:.2f}; {experience}"
    return _Item(node.key, label, told, node.leads_to, node.page, node.weight, _colour(node))


def _colour(node: Node) -> str:
    """From rust for what led nowhere to teal for what always led on."""
    if not node.tried:
        return UNTRIED
    share = min(1.0, node.led / node.tried)
    one, other, part = (POOR, MIDDLING, share * 2) if share < 0.5 else (MIDDLING, GOOD, share * 2 - 1)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in zip(one, other, strict=True))


def _short_url(url: str) -> str:
    """A URL without its scheme and, where it is long, with its end rather than its beginning."""
    bare = url.partition("://")[2].rstrip("/") or url
    return bare if len(bare) <= LONGEST_LABEL else "…" + bare[1 - LONGEST_LABEL :]


# -- where it is drawn ------------------------------------------------------------------------------


def _placed(columns: Sequence[_Column]) -> dict[str, _Place]:
    """Each item near the middle of those to its left that it leads to, so that few curves cross."""
    places: dict[str, _Place] = {}
    rows: dict[str, list[float]] = {}
    for at, column in enumerate(columns):
        x = LEFT + COLUMN * at + 10
        middles = {item.name: _middle(item, rows) for item in column.items}
        for row, item in enumerate(sorted(column.items, key=lambda item: middles[item.name])):
            y = TOP + ROW * row + ROW / 2
            places[item.name] = _Place(x, y, x + 14 + CHARACTER * _cells(_shortened(item.label)))
        for item in column.items:
            rows.setdefault(item.page, []).append(places[item.name].y)
    return places


def _middle(item: _Item, rows: Mapping[str, Sequence[float]]) -> float:
    found = [y for url in item.leads_to for y in rows.get(url, ())]
    return sum(found) / len(found) if found else float("inf")


def _edges(columns: Sequence[_Column], places: Mapping[str, _Place]) -> list[str]:
    """Curves to what lies nearer to a target, the nearest first; they may skip levels."""
    found: list[str] = []
    held: dict[str, str] = {}
    for column in columns:
        for item in column.items:
            ends = [held[url] for url in item.leads_to if url in held and url != item.page]
            found += [_edge(places[item.name], places[end]) for end in dict.fromkeys(ends[:EDGES_OF_A_NODE])]
        for item in column.items:
            held.setdefault(item.page, item.name)
    return found


def _edge(begin: _Place, end: _Place) -> str:
    bend = max(30.0, (begin.x - end.end) / 2)
    return (
        f'<path class="edge" d="M{begin.x - 7:.0f} {begin.y:.0f}C{begin.x - bend:.0f} {begin.y:.0f} '
        f'{end.end + bend:.0f} {end.y:.0f} {end.end:.0f} {end.y:.0f}"/>'
    )


# -- drawing ----------------------------------------------------------------------------------------


def _column(column: _Column, at: int) -> str:
    x, whole = LEFT + COLUMN * at, len(column.items) + column.others
    drawn = [_words(x, TOP - 20, column.head, "head"), _words(x, TOP - 6, number(whole), "faint")]
    if column.others:
        y = TOP + ROW * len(column.items) + ROW / 2 + 4
        drawn.append(_words(x + 10, y, f"and {number(column.others)} others", "faint"))
    return "".join(drawn)


def _item(item: _Item, place: _Place) -> str:
    x, y, _ = place
    if item.target:
        mark = f'<path class="dot" d="M{x:.0f} {y - 7:.0f}l7 7l-7 7l-7 -7z" fill="{item.colour}"/>'
    else:
        radius = 2.5 + 4 * min(1.0, max(0.0, item.weight)) ** 0.5
        mark = f'<circle class="dot" cx="{x:.0f}" cy="{y:.0f}" r="{radius:.1f}" fill="{item.colour}"/>'
    return f"<g><title>{_safe(item.told)}</title>{mark}{_words(x + 11, y + 4, item.label)}</g>"


def _legend(y: float) -> str:
    drawn, x = [], float(LEFT)
    marks = [
        ("a target", TARGET, 0.0),
        ("never led on as promised", _hex(POOR), 6.5),
        ("did half of the time", _hex(MIDDLING), 6.5),
    ]
    marks += [("always did", _hex(GOOD), 6.5), ("not tried yet", UNTRIED, 6.5), ("little weight left", UNTRIED, 3.5)]
    for told, colour, radius in marks:
        if radius:
            drawn.append(f'<circle class="dot" cx="{x + 7:.0f}" cy="{y - 4:.0f}" r="{radius}" fill="{colour}"/>')
        else:
            drawn.append(f'<path class="dot" d="M{x + 7:.0f} {y - 11:.0f}l7 7l-7 7l-7 -7z" fill="{colour}"/>')
        drawn.append(_words(x + 18, y, told, "faint", size=11))
        x += 34 + 5.6 * len(told)
    return "".join(drawn)


def _hex(colour: tuple[int, int, int]) -> str:
    return "#" + "".join(f"{part:02x}" for part in colour)


def _words(x: float, y: float, text: str, kind: str = "", size: int = 0) -> str:
    named = f' class="{kind}"' if kind else ""
    sized = f' font-size="{size}"' if size else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{named}{sized}>{_safe(text if kind else _shortened(text))}</text>'


def _shortened(text: str) -> str:
    """Foreign words on one line, no longer than there is room."""
    words = " ".join(printable(text[: LONGEST_LABEL * 4]).split())
    if _cells(words) <= LONGEST_LABEL:
        return words
    while _cells(words) >= LONGEST_LABEL:
        words = words[:-1]
    return words.rstrip() + "…"


def _cells(text: str) -> int:
    """How many letters wide a text is; those of East Asia count twice."""
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


def _safe(text: str) -> str:
    return str(escape("\n".join(printable(line) for line in text.split("\n"))))
