"""What the page of a crawl shows, part by part: figures, charts, queues, stages, sites, agents, errors, disk.

A part is a template `part_NAME.html`, drawn by the server for the page and again for
every event that follows the crawl. A further part is a template, and its name in `COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.status import Status
from lycosa.interface.shared.charts import Axis, Series, line_chart
from lycosa.interface.shared.rendering import rendered
from lycosa.interface.shared.wording import number, rate, share
from lycosa.interface.views.crawl_statistics import Overview
from lycosa.interface.views.open_crawls import Library
from lycosa.interface.views.queue_history import Moment, Pulses

COLUMNS = (("figures",), ("speed", "harvest", "sites", "agents"), ("queues", "stages", "troubles", "machine"))
PLOTS = {"speed": "Speed", "harvest": "Harvest", "queues": "Queues"}
"""Parts that begin with a chart, and what they are called."""
MOST_PACES = 90
LONGEST_GAP = 600.0
SHORTEST_STRETCH = 1.0
LEAST_POINTS = 5
FEWEST_STEPS = 10
"""A step of a speed is a second long, or shorter in a crawl that took only a few."""
MOST_FILES = 5_000
Growth = Sequence[tuple[float, int, int]]


def console_values(library: Library, pulses: Pulses, folder: CrawlFolder) -> dict[str, Any]:
    """Everything the parts need."""
    status = library.status(folder)
    overview = library.overview(folder)
    return {
        "status": status,
        "overview": overview,
        "speeds": pace(overview.growth),
        "moments": pulses.note(status),
        "phases": _site_phases(status),
        "sizes": disk_use(folder),
        "memory": sum(agent.get("memory", 0) for agent in status.agents),
        "stages_total": sum(stage["cpu"] for stage in status.stages.values()),
        "failed": _ranked(status.failed),
        "refused": _ranked(status.refused),
        "placeholders": _ranked(status.placeholders),
    }


def console_parts(values: dict[str, Any]) -> dict[str, str]:
    """Every part, drawn."""
    return {name: rendered(f"part_{name}.html", **values) for column in COLUMNS for name in column}


def drawings(values: dict[str, Any]) -> dict[str, Markup]:
    """The charts for browsers that run no scripts, and until the first event comes."""
    return {
        "speed": speed_chart(values["speeds"]),
        "harvest": harvest_chart(values["overview"]),
        "queues": queues_chart(values["moments"]),
    }


# -- speed --------------------------------------------------------------------------------------


def pace(growth: Growth, most: int = MOST_PACES) -> tuple[tuple[float, float], ...]:
    """Pages a second over time, since the crawl last stood still: (when, speed) in equal steps."""
    stretch = _latest_stretch(growth)
    if len(stretch) < 2 or stretch[-1][0] - stretch[0][0] < SHORTEST_STRETCH:
        return ()
    times, pages = [float(at) for at, _, _ in stretch], [float(fetched) for _, fetched, _ in stretch]
    steps = max(1, min(most, len(stretch) - 1, max(FEWEST_STEPS, int(times[-1] - times[0]))))
    edges = np.linspace(times[0], times[-1], steps + 1)
    had = np.interp(edges, times, pages)
    had[0], had[-1] = pages[0], pages[-1]
    speeds = np.diff(had) / (edges[1] - edges[0])
    return tuple((float(at), round(float(speed), 3)) for at, speed in zip(edges[1:], speeds, strict=True))


def _latest_stretch(growth: Growth) -> Growth:
    for place in range(len(growth) - 1, 0, -1):
        if growth[place][0] - growth[place - 1][0] > LONGEST_GAP:
            return growth[place:] if len(growth) - place >= LEAST_POINTS else growth
    return growth


def speed_chart(speeds: Sequence[tuple[float, float]]) -> Markup:
    """Pages a second, drawn."""
    begin = speeds[0][0] if speeds else 0.0
    unit, length = ("minutes", 60.0) if speeds and speeds[-1][0] - begin > 180 else ("seconds", 1.0)
    points = tuple(((at - begin) / length, speed) for at, speed in speeds)
    summary = f"{rate(speeds[-1][1])} at last." if speeds else "Too few pages were fetched to tell a speed."
    return line_chart([Series("pages a second", points)], "Speed", Axis(unit), Axis("pages a second"), summary)


def harvest_chart(overview: Overview) -> Markup:
    """The harvest curve, drawn."""
    summary = "No page has been fetched yet."
    if overview.curve:
        pages, harvest = overview.curve[-1]
        summary = f"After {number(pages)} pages, {share(harvest)} of them are relevant."
    series = [Series("harvest", overview.curve)]
    up = Axis("share of relevant pages", 1.0, percent=True)
    return line_chart(series, "Harvest curve", Axis("pages fetched"), up, summary)


def queues_chart(moments: Sequence[Moment]) -> Markup:
    """What was waiting over time, drawn where that is known."""
    if len(moments) < 2:
        return Markup()
    begin = moments[0].at
    waiting = tuple((moment.at - begin, float(moment.waiting)) for moment in moments)
    summary = f"{number(moments[-1].waiting)} links wait."
    return line_chart([Series("waiting", waiting)], "Links that wait", Axis("seconds"), Axis("links"), summary)


def sparkline(growth: Growth) -> str:
    """A small picture of how a crawl grew: all pages, and the relevant ones below them."""
    width, height = 120, 28
    first, last = (growth[0][0], growth[-1][0]) if growth else (0.0, 0.0)
    most, long = max((pages for _, pages, _ in growth), default=0) or 1, (last - first) or 1.0

    def line(place: int, colour: str) -> str:
        points = [f"{(point[0] - first) / long * width:.1f} {height - 2 - point[place] / most * (height - 4):.1f}"
                  for point in growth]  # fmt: skip
        drawn = f"M{'L'.join(points)}" if len(points) > 1 else f"M0 {height - 2}H{width}"
        return f'<path d="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>'

    lines = line(1, "#8d8375") + line(2, "#b3541e")
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} preserveAspectRatio="none">{lines}</svg>'


# -- sums ---------------------------------------------------------------------------------------


def _ranked(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def _site_phases(status: Status) -> list[tuple[str, int]]:
    """How many sites do what, over all agents."""
    summed: dict[str, int] = {}
    for agent in status.agents:
        for phase, sites in agent.get("site_phases", {}).items():
            summed[phase] = summed.get(phase, 0) + sites
    return _ranked(summed)


def disk_use(folder: CrawlFolder) -> list[tuple[str, int]]:
    """What the crawl takes up on the disk, in bytes."""
    return [
        ("Archive", _taken(folder.archive)),
        ("Index", _taken(folder.index)),
        ("Queues and catalogue", _taken(folder.path / "agents")),
    ]


def _taken(path: Path) -> int:
    total = 0
    for each in islice(path.rglob("*"), MOST_FILES):
        try:
            total += each.stat().st_blocks * 512
        except FileNotFoundError:
            continue
    return total
