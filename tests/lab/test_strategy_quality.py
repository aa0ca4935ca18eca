"""Harvest on real pages does not fall: areas relative to the oracle's on Wikispeedia stay above pinned floors."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import numpy as np
import pytest

from lycosa.lab.experiment import Plan, run_experiment
from lycosa.lab.webs import LabWeb, open_web

FLOORS = tomllib.loads((Path(__file__).parents[1] / "quality_floors.toml").read_text("utf-8"))["strategies-wikispeedia"]


@pytest.fixture(scope="module")
def web() -> LabWeb:
    data = Path(os.environ.get("LYCOSA_DATA") or Path.home() / ".cache" / "lycosa-data") / "wikispeedia"
    if not (data / "wpcd").is_dir():
        pytest.skip(f"no Wikispeedia data at {data}; set LYCOSA_DATA")
    return open_web(f"wikispeedia:{data}")


def test_strategies_stay_above_their_floors(web: LabWeb) -> None:
    strategies = tuple(FLOORS["areas"])
    plan = Plan(
        web=web.name,
        topics=tuple(FLOORS["topics"]),
        strategies=strategies,
        pages=FLOORS["pages"],
        kinds=("generic",),
        examples=5,
    )
    runs = run_experiment(web, plan, workers=2)
    areas = {name: float(np.mean([run.auc for run in runs if run.name == name])) for name in strategies}
    print({name: round(area, 3) for name, area in areas.items()})
    assert {name: area for name, area in areas.items() if area < FLOORS["areas"][name]} == {}


def test_treasure_beats_the_context_graph_crawler(web: LabWeb) -> None:
    asked = tomllib.loads((Path(__file__).parents[1] / "quality_floors.toml").read_text("utf-8"))[
        "treasure-wikispeedia"
    ]
    rivals = ("context-graph", "treasure")
    plan = Plan(web=web.name, topics=tuple(asked["topics"]), strategies=rivals, pages=asked["pages"], examples=5)
    found = {(run.name, run.seeds, run.topic): run.relevant for run in run_experiment(web, plan, workers=2)}
    gains = {
        kind: np.mean([found["treasure", kind, each] / found["context-graph", kind, each] for each in plan.topics]) - 1
        for kind in plan.kinds
    }
    print({kind: f"{gain:+.0%} relevant pages" for kind, gain in gains.items()})
    assert gains["generic"] > asked["generic"]
    assert gains["on"] > asked["on"]
