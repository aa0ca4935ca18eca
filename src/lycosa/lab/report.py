"""What a comparison showed: a table of strategies, differences in pairs, curves, and how it was made.

A result file holds the runs and everything needed to make them again. The headline is the gain
over the best baseline, not over the weakest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from lycosa.configuration.settings import ConfigurationError
from lycosa.lab import metrics
from lycosa.lab.experiment import KINDS, Plan, Run
from lycosa.lab.metrics import Interval

MOST_POINTS = 120
"""Points of a drawn curve."""
KIND_WORDS = {"on": "on-topic seeds", "generic": "generic seed"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Results(msgspec.Struct, frozen=True):
    """A comparison as it is kept: how it was made, and its runs."""

    made: str
    command: str
    version: str
    plan: Plan
    seconds: float = 0.0
    workers: int = 1
    web_pages: int = 0
    warnings: tuple[str, ...] = ()
    runs: tuple[Run, ...] = ()


class StrategyFigures(msgspec.Struct, frozen=True):
    """A strategy over all its cases. Recall is None where the budget does not reach so far into the web."""

    name: str
    auc: Interval
    auc_by_kind: dict[str, Interval]
    harvest_rate: float
    recall: float
    recall_at: dict[str, float | None]
    pages_until: dict[str, float | None]
    decisions_per_second: float
    memory: int
    runs: int
    failed: int
    baseline: bool


class Difference(msgspec.Struct, frozen=True):
    """A strategy beside the best baseline: AUC in pairs, and the gain as a share of the baseline's."""

    name: str
    kind: str
    baseline: str
    auc: Interval
    gain: float | None


class Curve(msgspec.Struct, frozen=True):
    """A mean harvest curve as shares of the relevant pages: (page, mean, low, high)."""

    name: str
    points: tuple[tuple[int, float, float, float], ...]


class Summary(msgspec.Struct, frozen=True):
    """All that a report shows; strategies are in the order of their AUC, best first."""

    results: Results
    strategies: tuple[StrategyFigures, ...]
    differences: tuple[Difference, ...]
    failures: tuple[Run, ...]

    def plain(self) -> dict[str, Any]:
        """The report as JSON has it, without the single curves."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        found["results"].pop("runs")
        found["failures"] = [{key: run[key] for key in _FAILURE} for run in found["failures"]]
        return found


_FAILURE = ("name", "topic", "seeds", "repeat", "error")


def summary_of(results: Results) -> Summary:
    """The figures of a comparison."""
    names = list(dict.fromkeys(run.name for run in results.runs))
    figures = sorted((_figures(name, _runs(results, name)) for name in names), key=lambda each: -each.auc.mean)
    failures = tuple(run for run in results.runs if run.error)
    return Summary(results, tuple(figures), tuple(_differences(results, [each.name for each in figures])), failures)


def _runs(results: Results, name: str, kind: str = "", topic: str = "") -> list[Run]:
    return [
        run
        for run in results.runs
        if run.name == name and (not kind or run.seeds == kind) and (not topic or run.topic == topic)
    ]


def _figures(name: str, runs: Sequence[Run]) -> StrategyFigures:
    kinds = [kind for kind in KINDS if any(run.seeds == kind for run in runs)]
    sound = [run for run in runs if not run.error]
    return StrategyFigures(
        name,
        metrics.mean_interval([run.auc for run in runs]),
        {kind: metrics.mean_interval([run.auc for run in runs if run.seeds == kind]) for kind in kinds},
        _mean([run.harvest_rate for run in runs]) or 0.0,
        _mean([run.recall for run in runs]) or 0.0,
        {f"{share:.0%}": _mean([run.recall_at.get(f"{share:.0%}") for run in sound]) for share in metrics.SHARES},
        {str(number): _mean([run.pages_until.get(str(number)) for run in sound]) for number in metrics.FIRST},
        _mean([run.decisions_per_second for run in sound]) or 0.0,
        max((run.memory for run in runs), default=0),
        len(runs),
        len(runs) - len(sound),
        name in metrics.BASELINES,
    )


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean, or None where any value is missing: a mean of the rest would be of other cases."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known and len(known) == len(values) else None


def _differences(results: Results, names: Sequence[str]) -> list[Difference]:
    """Every strategy beside the best baseline of each kind of seeds; the best baseline beside the next one."""
    found = []
    for kind in ("", *dict.fromkeys(run.seeds for run in results.runs)):
        areas = {name: {run.case: run.auc for run in _runs(results, name, kind)} for name in names}
        means = {name: float(np.mean(list(values.values()))) for name, values in areas.items() if values}
        best = metrics.best_of(means)
        for name in means:
            if best and name not in (best, metrics.ORACLE):
                difference = metrics.paired_difference(areas[name], areas[best])
                found.append(Difference(name, kind or "all", best, difference, metrics.gain(means[name], means[best])))
    return found


def mean_curves(results: Results, kind: str, topic: str = "") -> list[Curve]:
    """The mean curve of each strategy over the topics (or for one), best area first."""
    names = list(dict.fromkeys(run.name for run in results.runs))
    found = []
    for name in names:
        runs = [run for run in _runs(results, name, kind, topic) if not run.error]
        if runs:
            found.append((-float(np.mean([run.auc for run in runs])), Curve(name, _points(runs, results.plan.pages))))
    return [curve for _, curve in sorted(found, key=lambda each: each[0])]


def _points(runs: Sequence[Run], budget: int) -> tuple[tuple[int, float, float, float], ...]:
    steps = sorted({0, *np.linspace(1, budget, min(budget, MOST_POINTS)).round().astype(int).tolist()})
    rows = np.array([[metrics.found_by(run.curve, step) for step in steps] for run in runs], dtype=np.float64)
    shares = rows / np.array([[max(1, run.relevant_in_web)] for run in runs])
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(runs), (400, len(runs)))
    low, high = np.percentile(shares[drawn].mean(axis=1), [2.5, 97.5], axis=0)
    return tuple(zip(steps, shares.mean(axis=0).tolist(), low.tolist(), high.tolist(), strict=True))


def text_lines(summary: Summary) -> list[str]:
    """The report for a terminal."""
    plan = summary.results.plan
    lines = [
        f"{plan.web}: {len(plan.strategies)} strategies, {len(plan.topics)} topics, {plan.repeat} × "
        f"{' and '.join(KIND_WORDS[kind] for kind in plan.kinds)}, {plan.pages} pages each "
        f"({summary.results.seconds:.0f} s)"
    ]
    lines += [f"  note: {warning}" for warning in summary.results.warnings]
    lines += ["", *_table(_strategy_rows(summary)), ""]
    lines += _difference_lines(summary)
    lines += [f"failed: {run.name} on {run.topic} ({run.seeds}, {run.repeat}): {run.error}" for run in summary.failures]
    return lines


def _strategy_rows(summary: Summary) -> list[list[str]]:
    kinds = summary.results.plan.kinds
    shares = [f"{share:.0%}" for share in metrics.SHARES]
    head = ["strategy", *(f"AUC {kind}" for kind in kinds), "harvest", "recall"]
    rows = [[*head, *(f"at {share}" for share in shares), "decisions/s"]]
    for each in summary.strategies:
        areas = [str(each.auc_by_kind[kind]) if kind in each.auc_by_kind else "" for kind in kinds]
        recalls = ["" if each.recall_at[share] is None else f"{each.recall_at[share]:.3f}" for share in shares]
        failed = f" ({each.failed} failed)" if each.failed else ""
        figures = [f"{each.harvest_rate:.3f}", f"{each.recall:.3f}", *recalls, f"{each.decisions_per_second:,.0f}"]
        rows.append([each.name + failed, *areas, *figures])
    return rows


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    justify: list[Callable[[str, int], str]] = [str.ljust, *([str.rjust] * (len(widths) - 1))]
    return [
        "  ".join(place(cell, width) for place, cell, width in zip(justify, row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _difference_lines(summary: Summary) -> list[str]:
    shown = [each for each in summary.differences if each.name not in metrics.BASELINES]
    if not shown:
        return []
    rows = [["against the best baseline", "seeds", "baseline", "AUC difference", "gain"]]
    for each in shown:
        rows.append([each.name, each.kind, each.baseline, signed(each.auc), worded_gain(each.gain)])
    return [*_table(rows), ""]


def signed(interval: Interval) -> str:
    """A difference with its interval."""
    return f"{interval.mean:+.3f} [{interval.low:+.3f}, {interval.high:+.3f}]"


def worded_gain(gain: float | None) -> str:
    """A gain in words."""
    return "–" if gain is None else f"{gain:+.1%}"


def save_results(results: Results, path: Path) -> None:
    """Keep results, replacing the file in one step."""
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(msgspec.json.encode(results))
        partial.replace(path)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be written ({error.strerror}); choose another place") from None


def results_path(folder: Path, name: str) -> Path:
    """The file of a comparison by its name."""
    if not _NAME.fullmatch(name):
        raise ConfigurationError(f"{name!r} is no name for a comparison; use letters, digits, '.', '_' and '-'")
    return folder / f"{name}.json"


def find_results(folder: Path, name: str = "") -> Path:
    """The file of a comparison: by name, by path, or the latest."""
    if name and (Path(name).is_file() or "/" in name):
        return Path(name)
    if name and (path := results_path(folder, name.removesuffix(".json"))).is_file():
        return path
    there = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    if there and not name:
        return there[-1]
    choices = ", ".join(path.stem for path in there) or "none yet; make one with `lycosa lab run`"
    wanted = f"no comparison named {name!r}" if name else "no comparison"
    raise ConfigurationError(f"{wanted} in {folder}; there are: {choices}")


def load_results(path: Path) -> Results:
    """Results as they were kept."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Results)
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read ({error.strerror}); name another comparison") from None
    except msgspec.MsgspecError as error:
        raise ConfigurationError(f"{path}: is no comparison of the lab ({error}); run it anew") from None
