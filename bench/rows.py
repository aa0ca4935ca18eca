"""What a benchmark found out: one row per comparison, printed for people and kept for programs.

The ratio is always turned so that more than 1 means ours is better, whichever
way the metric itself points; a rival that could not take part has a row too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results" / "latest.json"
MISSING = "missing: "


@dataclass(frozen=True, slots=True)
class Row:
    """Ours against one other on one metric."""

    bench: str
    metric: str
    ours: float | None
    other: float | None
    other_name: str
    ratio: float | None
    unit: str
    note: str = ""

    @property
    def is_missing(self) -> bool:
        return self.note.startswith(MISSING)


def more_is_better(
    bench: str, metric: str, ours: float, other: float, *, other_name: str, unit: str, note: str = ""
) -> Row:
    """A row for a rate or a quality."""
    return Row(bench, metric, ours, other, other_name, _quotient(ours, other), unit, note)


def less_is_better(
    bench: str, metric: str, ours: float, other: float, *, other_name: str, unit: str, note: str = ""
) -> Row:
    """A row for a cost: seconds, bytes, errors."""
    return Row(bench, metric, ours, other, other_name, _quotient(other, ours), unit, note)


def missing(bench: str, other_name: str, reason: str) -> Row:
    """A row for a rival, or a whole bench, that could not take part."""
    return Row(bench, "", None, None, other_name, None, "", MISSING + reason)


def _quotient(above: float, below: float) -> float | None:
    return above / below if below else None


def table(rows: Sequence[Row]) -> str:
    """The rows as aligned text."""
    head = ("bench", "metric", "ours", "other", "against", "ratio", "unit", "note")
    cells = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(head) - 1)]
    return "\n".join(_aligned(line, widths) for line in cells)


def _cells(row: Row) -> tuple[str, ...]:
    figures = (_figure(row.ours), _figure(row.other), row.other_name, _figure(row.ratio))
    return (row.bench, row.metric, *figures, row.unit, row.note)


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _aligned(line: tuple[str, ...], widths: list[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=False))
    return "  ".join((*padded, line[-1])).rstrip()


def read_rows(path: Path = RESULTS) -> list[Row]:
    """The rows of earlier runs, none if there were none."""
    if not path.exists():
        return []
    return [Row(**fields) for fields in json.loads(path.read_text())]


def merge_rows(new: Iterable[Row], path: Path = RESULTS) -> list[Row]:
    """Put the new rows in the place of their benches' older ones; other benches keep theirs."""
    fresh = list(new)
    renewed = {row.bench for row in fresh}
    rows = [row for row in read_rows(path) if row.bench not in renewed] + fresh
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return rows
