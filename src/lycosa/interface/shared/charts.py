"""Small charts as SVG text: no script, no style sheet needed, readable on light and dark ground.

Axes and words take the colour of the text around them; lines have a colour that
is clear on both grounds. A page may restyle them by class. Every chart says in
words what it shows, for those who cannot see it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

from lycosa.records import Record

WIDTH, HEIGHT = 480, 240
LEFT, RIGHT, TOP, BOTTOM = 54, 28, 30, 44
COLOURS = ("#b3541e", "#2f7f86", "#7a6bb0", "#6d8a2f", "#c2568b", "#3f78c4", "#a0792a", "#7d7d7d")
DASHES = ("", "7 4", "2 4", "9 4 2 4")
"""Lines beyond the number of colours are told apart by their dashes."""
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_SMALLEST, _LARGEST = 1e-9, 1e15
"""Beyond these, figures are mistakes, and ticks would drown in digits."""


class Series(Record, frozen=True):
    """A named line. `band` is the ground it may lie on: (across, low, high). `style` keeps its looks in every chart."""

    label: str
    points: tuple[tuple[float, float], ...] = ()
    band: tuple[tuple[float, float, float], ...] = ()
    style: int | None = None


class Axis(Record, frozen=True):
    """What an axis measures. `top` fixes its end; `percent` words its ticks as percentages."""

    label: str
    top: float | None = None
    percent: bool = False


class _Scale(Record, frozen=True):
    """How values become places on the paper, and the values worth a tick."""

    top: float
    ticks: tuple[float, ...]

    def across(self, value: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * min(max(value / self.top, 0.0), 1.0)

    def up(self, value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * min(max(value / self.top, 0.0), 1.0)


def line_chart(
    series: Sequence[Series], title: str, across: Axis, up: Axis, summary: str = "", *, legend: bool = True
) -> Markup:
    """Lines over two axes that begin at zero. `summary` tells in words what can be seen."""
    shown = [_drawable(each, place) for place, each in enumerate(series)]
    every = [point for each in shown for point in each.points]
    x = _scale(across.top or max((point[0] for point in every), default=0.0), whole=not across.percent)
    y = _scale(up.top or max((point[1] for point in every), default=0.0), whole=False)
    drawn = [_frame(x, y, across, up)]
    drawn += [_band(each, x, y) for each in shown]
    drawn += [_line(each, x, y) for each in shown]
    if legend and len(shown) > 1:
        drawn.append(_legend(shown))
    if not every:
        middle = (LEFT + WIDTH - RIGHT) / 2
        drawn.append(_words(middle, HEIGHT / 2 - BOTTOM / 2, "nothing to show yet", "middle"))
    return Markup(
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="currentColor">'
        f"<title>{escape(title)}</title><desc>{escape(summary)}</desc>{''.join(drawn)}</svg>"
    )


def share_bar(value: float, label: str) -> Markup:
    """A part of a whole as a little bar."""
    filled = 40 * min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0
    return Markup(
        f'<svg class="bar" viewBox="0 0 40 6" width="40" height="6" role="img" aria-label="{escape(label)}">'
        f'<rect class="bar-ground" width="40" height="6" rx="3" fill="currentColor" fill-opacity="0.18"/>'
        f'<rect class="bar-filled" width="{filled:.1f}" height="6" rx="3" fill="{COLOURS[0]}"/></svg>'
    )


def key_mark(style: int) -> Markup:
    """A short piece of a line, for a legend outside of the chart."""
    return Markup(
        f'<svg class="key" viewBox="0 0 26 8" width="26" height="8" aria-hidden="true">'
        f'<path d="M1 4H25" fill="none" stroke="{_colour(style)}" stroke-width="3"{_dashes(style)}/></svg>'
    )


def _drawable(series: Series, place: int) -> Series:
    """A series without figures that are mistakes, and with a style."""
    points = tuple(point for point in series.points if all(abs(value) <= _LARGEST for value in point))
    band = tuple(point for point in series.band if all(abs(value) <= _LARGEST for value in point))
    return Series(series.label, points, band, place if series.style is None else series.style)


def _colour(style: int | None) -> str:
    return COLOURS[(style or 0) % len(COLOURS)]


def _dashes(style: int | None) -> str:
    dashes = DASHES[(style or 0) // len(COLOURS) % len(DASHES)]
    return f' stroke-dasharray="{dashes}"' if dashes else ""


def _scale(highest: float, *, whole: bool) -> _Scale:
    """A scale from zero to a round number at or above the highest value, with at most six ticks."""
    highest = highest if highest > _SMALLEST else 1.0
    rough = highest / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * each for each in _STEPS if unit * each >= rough * (1 - 1e-9))
    if whole:
        step = float(max(1, math.ceil(step)))
    number = math.ceil(highest / step - 1e-8)
    return _Scale(number * step, tuple(place * step for place in range(number + 1)))


def _frame(x: _Scale, y: _Scale, across: Axis, up: Axis) -> str:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    drawn = []
    for value in y.ticks:
        place = y.up(value)
        faint = f'<line class="grid" x1="{LEFT}" x2="{right}" y1="{place:.1f}" y2="{place:.1f}" '
        drawn.append(faint + 'stroke="currentColor" stroke-opacity="0.15"/>')
        drawn.append(_words(LEFT - 7, place + 4, _wording(up)(value), "end"))
    for value in x.ticks:
        drawn.append(_words(x.across(value), bottom + 18, _wording(across)(value), "middle"))
    axis = f'<path class="axis" d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="currentColor" '
    drawn.append(axis + 'stroke-opacity="0.55"/>')
    drawn.append(_words((LEFT + right) / 2, HEIGHT - 6, across.label, "middle"))
    drawn.append(_words(2, 13, up.label, "start"))
    return "".join(drawn)


def _band(series: Series, x: _Scale, y: _Scale) -> str:
    if len(series.band) < 2:
        return ""
    upper = [f"{x.across(place):.1f} {y.up(high):.1f}" for place, _, high in series.band]
    lower = [f"{x.across(place):.1f} {y.up(low):.1f}" for place, low, _ in reversed(series.band)]
    return f'<path class="band" d="M{"L".join(upper + lower)}Z" fill="{_colour(series.style)}" fill-opacity="0.16"/>'


def _line(series: Series, x: _Scale, y: _Scale) -> str:
    if not series.points:
        return ""
    colour = _colour(series.style)
    places = [f"{x.across(first):.1f} {y.up(second):.1f}" for first, second in series.points]
    if len(places) == 1:
        left, top = places[0].split()
        return f'<circle class="line" cx="{left}" cy="{top}" r="3" fill="{colour}"/>'
    return (
        f'<path class="line" d="M{"L".join(places)}" fill="none" stroke="{colour}" '
        f'stroke-width="2" stroke-linejoin="round" stroke-linecap="round"{_dashes(series.style)}/>'
    )


def _legend(series: Sequence[Series]) -> str:
    drawn = []
    for place, each in enumerate(series):
        top = 13 + 17 * place
        drawn.append(f'<rect x="{WIDTH - RIGHT - 12}" y="{top - 8}" width="10" height="10" rx="2" ')
        drawn.append(f'fill="{_colour(each.style)}"/>')
        drawn.append(_words(WIDTH - RIGHT - 18, top + 2, each.label, "end"))
    return "".join(drawn)


def _words(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _wording(axis: Axis) -> Callable[[float], str]:
    return _percent if axis.percent else _brief


def _percent(value: float) -> str:
    return f"{value * 100:.3g}%"


def _brief(value: float) -> str:
    """A number short enough for a tick."""
    for unit, length in (("G", 1e9), ("M", 1e6), ("k", 1e4)):
        if value >= length:
            return f"{value / (1e3 if unit == 'k' else length):.3g}{unit}"
    return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
