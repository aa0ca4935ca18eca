"""`lycosa lab freshness`: how fresh the plan of revisits keeps a collection, beside other policies and the optimum."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.shared.charts import Axis, Series, line_chart
from lycosa.interface.shared.wording import print_json, printable
from lycosa.lab.revisit_policies import PARTS, ChangingWeb, Comparison, compare


def add_lab_commands(parts: Commands, shared: argparse.ArgumentParser) -> None:
    """What can be typed after `lycosa lab freshness`."""
    fresh = parts.add_parser("freshness", help="how fresh looking again keeps a collection", parents=[shared])
    fresh.add_argument("--pages", type=int, default=5000, metavar="N", help="pages of the changing web (5000)")
    fresh.add_argument("--days", type=float, default=120.0, metavar="D", help="how long it is watched (120)")
    fresh.add_argument("--looks", type=float, default=1000.0, metavar="N", help="looks a day (1000)")
    fresh.add_argument("--draw", type=int, default=1, metavar="SEED", help="another number draws another web")
    fresh.add_argument("--plot", metavar="FILE", help="write a picture (SVG)")
    fresh.set_defaults(run=freshness)


def freshness(told: argparse.Namespace) -> int:
    """Compare policies of looking again."""
    for name, value in (("--pages", told.pages), ("--days", told.days), ("--looks", told.looks)):
        if value <= 0:
            raise ConfigurationError(f"{name} {value} is not possible; use more than 0")
    found = compare(ChangingWeb.drawn(told.pages, told.days, told.looks, told.draw))
    if told.plot:
        Path(told.plot).write_text(freshness_plot(found), "utf-8")
        print(f"written to {told.plot}", file=sys.stderr)
    if told.json:
        return print_json(found.plain())
    print("\n".join(map(printable, found.lines())))
    return 0


def freshness_plot(found: Comparison) -> str:
    """The freshness of all policies over time, below the optimum."""
    part = found.days / PARTS
    lines = [
        Series(each.name, tuple(((place + 0.5) * part, value) for place, value in enumerate(each.curve)))
        for each in found.policies
    ]
    best = Series("optimum", ((0.0, found.optimum), (found.days, found.optimum)))
    summary = "; ".join(f"{each.name} {each.of_optimum:.1%} of the optimum" for each in found.policies)
    axes = Axis("days"), Axis("share of the weight that is fresh", top=1.0, percent=True)
    return str(line_chart([best, *lines], "Freshness by policy", *axes, summary))
