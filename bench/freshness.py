"""`freshness`: time-averaged weighted freshness of our plan of revisits, beside other policies and the optimum."""

from __future__ import annotations

from bench.rows import Row, more_is_better
from lycosa.lab.revisit_policies import ChangingWeb, compare

PAGES, DAYS, LOOKS = 5_000, 120, 1_000
BAR = 0.95


def run() -> list[Row]:
    """All on one web with heavy-tailed rates, the same number of looks each, after learning."""
    found = compare(ChangingWeb.drawn(PAGES, DAYS, LOOKS))
    ours, *others = found.policies
    told = f"{PAGES} pages, {LOOKS} looks a day, second half of {DAYS} days"
    rows = [
        more_is_better(
            "freshness", "share of the optimum", ours.of_optimum, BAR, other_name="bar", unit="", note="bar >= 1"
        )
    ]
    for other in others:
        rows.append(
            more_is_better("freshness", "freshness", ours.mean, other.mean, other_name=other.name, unit="", note=told)
        )
    return rows
