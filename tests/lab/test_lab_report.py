"""A report tells what the runs say, to people and to programs, whatever a topic is called."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hand_made import a_chain, in_order_of_finding

from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.views.lab_page import lab_page
from lycosa.lab.experiment import Plan, Run, run_experiment
from lycosa.lab.report import (
    Results,
    find_results,
    load_results,
    mean_curves,
    results_path,
    save_results,
    summary_of,
    text_lines,
)

AREAS = {
    "breadth-first": {("a", "on"): 0.2, ("b", "on"): 0.3, ("a", "generic"): 0.1, ("b", "generic"): 0.2},
    "best-first": {("a", "on"): 0.5, ("b", "on"): 0.3, ("a", "generic"): 0.2, ("b", "generic"): 0.1},
    "lycosa": {("a", "on"): 0.6, ("b", "on"): 0.5, ("a", "generic"): 0.3, ("b", "generic"): 0.3},
    "oracle": {("a", "on"): 1.0, ("b", "on"): 1.0, ("a", "generic"): 1.0, ("b", "generic"): 1.0},
}


def some_results(**settings: Any) -> Results:
    runs = [
        Run(name, topic, kind, 0, 2, 1, 0.5, 0.5, area, (0, 1), 1.0, 10.0, 2, 4, 2, {"50%": 0.5}, {"1": 2})
        for name, areas in AREAS.items()
        for (topic, kind), area in areas.items()
    ]
    plan = Plan(web="hand", topics=("a", "b"), strategies=tuple(AREAS), pages=2)
    return msgspec.structs.replace(Results("today", "lycosa lab run", "1", plan, runs=tuple(runs)), **settings)


def test_strategies_are_in_the_order_of_their_area() -> None:
    summary = summary_of(some_results())
    assert [each.name for each in summary.strategies] == ["oracle", "lycosa", "best-first", "breadth-first"]
    lycosa = summary.strategies[1]
    assert lycosa.auc.mean == pytest.approx(0.425)
    assert {kind: round(each.mean, 3) for kind, each in lycosa.auc_by_kind.items()} == {"on": 0.55, "generic": 0.3}
    assert lycosa.recall_at["50%"] == 0.5
    assert lycosa.recall_at["5%"] is None


def test_the_difference_is_to_the_best_baseline_of_each_kind_of_seeds() -> None:
    found = {(each.name, each.kind): each for each in summary_of(some_results()).differences}
    assert {each.baseline for each in found.values() if each.kind == "on"} == {"best-first"}
    on = found["lycosa", "on"]
    assert on.auc.mean == pytest.approx(0.15)
    assert on.gain == pytest.approx(0.55 / 0.4 - 1)
    assert found["lycosa", "all"].baseline == "best-first"
    assert not any(name == "oracle" or name == each.baseline for (name, _), each in found.items())


def test_failed_runs_count_as_nothing_found_and_are_named() -> None:
    results = some_results()
    broken = msgspec.structs.replace(results.runs[0], auc=0.0, curve=(), error="ValueError: cannot")
    summary = summary_of(msgspec.structs.replace(results, runs=(broken, *results.runs[1:])))
    figures = next(each for each in summary.strategies if each.name == "breadth-first")
    assert (figures.failed, figures.runs) == (1, 4)
    assert figures.auc.mean == pytest.approx(0.15)
    assert any("failed: breadth-first on a (on, 0): ValueError: cannot" in line for line in text_lines(summary))
    assert "ValueError: cannot" in lab_page(summary)


def test_a_mean_curve_is_of_shares_and_goes_on_flat_to_the_budget() -> None:
    web = a_chain(40, 4)
    plan = Plan(web="x", topics=("thing",), strategies=("plain", "still"), pages=30, repeat=3)
    results = Results("", "", "", plan, runs=tuple(run_experiment(web, plan, trial=in_order_of_finding)))
    best, worst = mean_curves(results, "on")
    assert (best.name, worst.name) == ("plain", "still")
    assert worst.points[0] == (0, 0.0, 0.0, 0.0)
    assert worst.points[-1][:2] == (30, pytest.approx(0.2))
    for _, mean, low, high in best.points:
        assert 0 <= low <= mean + 1e-12
        assert mean - 1e-12 <= high <= 1


def test_the_text_names_all_strategies_with_their_intervals() -> None:
    lines = text_lines(summary_of(some_results(warnings=("labels: 2 lines",))))
    table = "\n".join(lines)
    assert all(name in table for name in AREAS)
    assert re.search(r"lycosa +0\.550 \[0\.500, 0\.600\]", table)
    assert re.search(r"lycosa +on +best-first +\+0\.150 \[.*\] +\+37\.5%", table)
    assert "note: labels: 2 lines" in table


class Seen(HTMLParser):
    """What a browser would load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]


def seen(page: str) -> Seen:
    found = Seen()
    found.feed(page)
    return found


def test_the_page_needs_nothing_but_itself_and_has_a_chart_for_every_topic() -> None:
    page = lab_page(summary_of(some_results()))
    found = seen(page)
    assert found.loaded == []
    assert not {"script", "link", "img", "iframe"} & set(found.tags)
    assert "url(" not in page
    assert "@import" not in page
    assert page.count('class="chart"') == 2 + 2 * 2
    assert page.count('class="key"') == 4
    assert "prefers-color-scheme: dark" in page


def test_foreign_names_stay_text() -> None:
    results = some_results()
    evil = '<script>alert("x")</script>'
    runs = tuple(msgspec.structs.replace(run, topic=evil) if run.topic == "a" else run for run in results.runs)
    plan = msgspec.structs.replace(results.plan, web=evil, topics=(evil, "b"))
    page = lab_page(summary_of(msgspec.structs.replace(results, runs=runs, plan=plan, command=evil, warnings=(evil,))))
    assert "script" not in seen(page).tags
    assert "&lt;script&gt;" in page


def test_results_are_kept_and_found_by_name_by_path_or_as_the_latest(tmp_path: Path) -> None:
    results = some_results()
    first, second = results_path(tmp_path / "lab", "first"), results_path(tmp_path / "lab", "second")
    save_results(results, first)
    save_results(msgspec.structs.replace(results, made="later"), second)
    assert load_results(find_results(tmp_path / "lab", "first")) == results
    assert load_results(find_results(tmp_path / "lab", str(second))).made == "later"
    assert find_results(tmp_path / "lab") in (first, second)
    assert sorted(path.name for path in (tmp_path / "lab").iterdir()) == ["first.json", "second.json"]


def test_what_is_not_there_or_no_result_is_told_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"no comparison in .*; there are: none yet"):
        find_results(tmp_path / "lab")
    save_results(some_results(), results_path(tmp_path / "lab", "first"))
    with pytest.raises(ConfigurationError, match=r"no comparison named 'other' in .*; there are: first"):
        find_results(tmp_path / "lab", "other")
    with pytest.raises(ConfigurationError, match="is no name for a comparison"):
        results_path(tmp_path, "../x")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        load_results(tmp_path / "none.json")
    (tmp_path / "odd.json").write_text('{"made": 1}')
    with pytest.raises(ConfigurationError, match="is no comparison of the lab"):
        load_results(tmp_path / "odd.json")


def test_the_report_as_json_has_figures_but_not_every_curve() -> None:
    plain = json.loads(json.dumps(summary_of(some_results()).plain()))
    assert [each["name"] for each in plain["strategies"]] == ["oracle", "lycosa", "best-first", "breadth-first"]
    assert "runs" not in plain["results"]
    assert plain["results"]["plan"]["pages"] == 2
