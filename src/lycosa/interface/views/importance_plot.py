"""The most important pages as a picture: bars with the pages' names, as SVG that stands alone (P6).

It is readable on light and dark ground and says in words what it shows. The names are
foreign text and are escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import escape

from lycosa.interface.shared.charts import COLOURS
from lycosa.interface.shared.wording import printable
from lycosa.records import Record

MOST_BARS = 20
LONGEST_LABEL = 46
WIDTH, ROW, TOP, BOTTOM = 760, 26, 52, 16
LABELS, FIGURES = 370, 64
STYLE = """
svg{--ground:#fff;--ink:#22262b;--faint:#6b7280;background:var(--ground)}
@media (prefers-color-scheme:dark){svg{--ground:#15181c;--ink:#e4e7eb;--faint:#98a2b3}}
.ground{fill:var(--ground)}text{fill:var(--ink)}.faint{fill:var(--faint)}.head{font-weight:600}
"""


class Bar(Record, frozen=True):
    """A named value. `told` appears when somebody points at the bar."""

    label: str
    value: float
    told: str = ""


def importance_plot(bars: Sequence[Bar], title: str, measure: str, *, alone: bool = True) -> str:
    """The SVG text: one bar per page, the first on top, at most twenty. Where it does not stand alone, a page's style
    sheet has to say how it looks."""
    shown = bars[:MOST_BARS]
    highest = max((each.value for each in shown if math.isfinite(each.value)), default=0.0)
    height = TOP + ROW * max(1, len(shown)) + BOTTOM
    drawn = [_row(each, place, highest) for place, each in enumerate(shown)]
    if not shown:
        drawn.append(_words(16, TOP + 16, "nothing to show yet", "faint"))
    summary = "; ".join(f"{place}. {printable(each.label)} {each.value:.3g}" for place, each in enumerate(shown, 1))
    style = f"<style>{STYLE}</style>" if alone else ""
    return (
        f'<svg class="drawing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" '
        f'role="img" font-family="system-ui, sans-serif" font-size="13"><title>{escape(printable(title))}</title>'
        f'<desc>{escape(summary)}</desc>{style}<rect class="ground" width="{WIDTH}" height="{height}"/>'
        f"{_words(16, 22, title, 'head')}{_words(LABELS, 42, measure, 'faint')}{''.join(drawn)}</svg>\n"
    )


def _row(bar: Bar, place: int, highest: float) -> str:
    top = TOP + ROW * place
    value = bar.value if math.isfinite(bar.value) else 0.0
    figure = f"{value:.4g}" if abs(value) < 1000 or abs(value) > 1e12 else f"{value:,.0f}"
    length = (WIDTH - LABELS - FIGURES) * (max(0.0, value) / highest) if highest > 0 else 0.0
    return (
        f"<g><title>{escape(printable(bar.told or bar.label))}</title>"
        f"{_words(16, top + 16, f'{place + 1}.', 'faint')}{_words(44, top + 16, shortened(bar.label))}"
        f'<rect class="bar" x="{LABELS}" y="{top + 4}" width="{length:.1f}" height="{ROW - 10}" rx="2" '
        f'fill="{COLOURS[0]}"/>{_words(LABELS + length + 6, top + 16, figure, "faint")}</g>'
    )


def shortened(label: str) -> str:
    """A name short enough for its column; of a long URL beginning and end are worth most."""
    plain = printable(label).removeprefix("https://").removeprefix("http://")
    if len(plain) <= LONGEST_LABEL:
        return plain
    kept = (LONGEST_LABEL - 1) // 2
    return f"{plain[:kept]}…{plain[-kept:]}"


def _words(x: float, y: float, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}"{named}>{escape(printable(text))}</text>'
