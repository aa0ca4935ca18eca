"""Visits over time as a chart: drawn by the server, and as points for the browser's own."""

from __future__ import annotations

import json
from collections.abc import Sequence

from markupsafe import Markup

from lycosa.interface.shared.charts import Axis, Series, line_chart
from lycosa.interface.shared.wording import day, number
from lycosa.interface.views.clicks import DayCount, moment_of


def visits_chart(days: Sequence[DayCount]) -> Markup:
    """Visits and visitors by day."""
    begin = days[0].day if days else 0
    visits = tuple((float(each.day - begin), float(each.visits)) for each in days)
    visitors = tuple((float(each.day - begin), float(each.visitors)) for each in days)
    across = Axis(f"days since {day(moment_of(begin))}" if days else "days")
    series = [Series("visits", visits), Series("visitors", visitors)]
    return line_chart(series, "Visits over time", across, Axis("a day"), summary(days))


def summary(days: Sequence[DayCount]) -> str:
    """What the chart shows, in words."""
    if not days:
        return "No visit of a single day is known."
    total, most = sum(each.visits for each in days), max(days, key=lambda each: each.visits)
    told = f"{number(total)} visits in {number(len(days))} days"
    return f"{told}, most of them ({number(most.visits)}) on {day(moment_of(most.day))}."


def chart_points(days: Sequence[DayCount]) -> str:
    """The same as JSON: when, visits, visitors."""
    return json.dumps([[moment_of(each.day), each.visits, each.visitors] for each in days], separators=(",", ":"))
