"""A comparison of strategies as one HTML file that needs nothing else: style, plots and tables inside."""

from __future__ import annotations

from importlib.resources import files
from typing import NamedTuple

from markupsafe import Markup

from lycosa.interface.shared.charts import Axis, Series, key_mark, line_chart
from lycosa.interface.shared.rendering import rendered
from lycosa.lab.metrics import SHARES
from lycosa.lab.report import KIND_WORDS, Curve, Summary, mean_curves, signed, worded_gain

BANDS = 3
"""So many of the best curves show how sure they are; more bands would hide each other."""


class Key(NamedTuple):
    """A line of the legend."""

    mark: Markup
    name: str


def lab_page(summary: Summary) -> str:
    """The report of a comparison."""
    style = files("lycosa.interface").joinpath("static/lycosa.css").read_text("utf-8")
    styles = {each.name: place for place, each in enumerate(summary.strategies)}
    plan = summary.results.plan
    return rendered(
        "lab_report.html",
        style=Markup(style),
        summary=summary,
        results=summary.results,
        plan=plan,
        kinds={kind: KIND_WORDS[kind] for kind in plan.kinds} | {"all": "all seeds"},
        shares=[f"{share:.0%}" for share in SHARES],
        keys=[Key(key_mark(place), name) for name, place in styles.items()],
        overall=[(KIND_WORDS[kind], _overall(summary, kind, styles)) for kind in plan.kinds],
        topics=[
            (topic, [(KIND_WORDS[kind], _of_topic(summary, kind, topic, styles)) for kind in plan.kinds])
            for topic in plan.topics
        ],
        signed=signed,
        worded_gain=worded_gain,
    )


def _overall(summary: Summary, kind: str, styles: dict[str, int]) -> Markup:
    curves = mean_curves(summary.results, kind)
    series = [_series(curve, styles, place < BANDS) for place, curve in enumerate(curves)]
    words = f"Mean over {len(summary.results.plan.topics)} topics with {KIND_WORDS[kind]}; best to worst: " + ", ".join(
        curve.name for curve in curves
    )
    return _chart(series, f"Relevant pages found, {KIND_WORDS[kind]}", words)


def _of_topic(summary: Summary, kind: str, topic: str, styles: dict[str, int]) -> Markup:
    series = [_series(curve, styles, False) for curve in mean_curves(summary.results, kind, topic)]
    return _chart(series, f"{topic}, {KIND_WORDS[kind]}", "best to worst: " + ", ".join(one.label for one in series))


def _chart(series: list[Series], title: str, words: str) -> Markup:
    return line_chart(series, title, Axis("pages fetched"), Axis("found", percent=True), words, legend=False)


def _series(curve: Curve, styles: dict[str, int], banded: bool) -> Series:
    points = tuple((float(page), mean) for page, mean, _, _ in curve.points)
    band = tuple((float(page), low, high) for page, _, low, high in curve.points) if banded else ()
    return Series(curve.name, points, band, styles[curve.name])
