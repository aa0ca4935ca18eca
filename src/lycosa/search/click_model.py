"""Choices among search results, freed of the place they were shown at.

People choose what stands first because it stands first. So choices are counted against
those that were to be expected: a result is good where it was chosen more often than others
are at the same places. How likely each place is looked at is learned from all choices;
a usual curve stands in until there are enough. As better results stand higher, the curve is
somewhat too steep, which is to the cost of those that stand first already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from lycosa.click_records import ShownResult
from lycosa.records import Record
from lycosa.search.ranking import page_key

PLACES = 20
"""Places that are learned about; further down nobody looks."""
USUAL_BIAS = 1.0
"""The usual curve: place p is looked at 1/p as often as the first."""
EVIDENCE_OF_PLACE = 50.0
"""The usual curve counts as much as so many choices at a place."""
EVIDENCE_OF_RESULT = 2.0
"""A result is taken for an ordinary one with the weight of so many expected choices."""
SMALLEST = 0.005
AT_ONCE = 100_000

Numbers = npt.NDArray[np.float64]


class Choice(Record, frozen=True):
    """How often a result was chosen, how often an ordinary one would have been, and how good that makes it (0 to 1)."""

    chosen: int
    expected: float
    value: float


@dataclass(frozen=True, slots=True)
class ClickModel:
    """How likely each place is looked at (the first: 1), and how often an ordinary result is chosen if looked at."""

    looked_at: Numbers
    ordinary: float

    @classmethod
    def learned(cls, results: Iterable[ShownResult]) -> ClickModel:
        """From what was shown and chosen."""
        return cls.of_counts(*counts(list(results)))

    @classmethod
    def of_counts(cls, shown: Numbers, chosen: Numbers) -> ClickModel:
        """From how often each result (a row) was shown and chosen at each place (a column)."""
        looked_at = _looked_at(shown, chosen)
        examined = float((shown @ looked_at).sum())
        return cls(looked_at, float(chosen.sum()) / examined if examined else 0.0)

    def choices(self, shown: Numbers, chosen: Numbers) -> list[Choice]:
        """Of each result (a row) how much better than an ordinary one it is."""
        expected = self.ordinary * (shown @ self.looked_at)
        times = chosen.sum(axis=1)
        ratio = (times + EVIDENCE_OF_RESULT) / (expected + EVIDENCE_OF_RESULT)
        lift = np.maximum(0.0, ratio - 1.0)
        columns = (times.astype(np.int64).tolist(), expected.tolist(), (lift / (1.0 + lift)).tolist())
        return [Choice(*row) for row in zip(*columns, strict=True)]


def chosen_results(results: Iterable[ShownResult]) -> dict[str, dict[int, Choice]]:
    """By query and page what choices say for it, where they say anything; the model is learned from the first ones.

    The first are as good as any, as they come in the order of hashes, and so it takes no more memory for more results.
    """
    found: dict[str, dict[int, Choice]] = {}
    model, waiting = None, iter(results)
    while some := list(islice(waiting, AT_ONCE)):
        shown, chosen = counts(some)
        model = model or ClickModel.of_counts(shown, chosen)
        for result, choice in zip(some, model.choices(shown, chosen), strict=True):
            if choice.value > 0.0:
                found.setdefault(result.query, {})[page_key(result.url)] = choice
    return found


def counts(results: Sequence[ShownResult]) -> tuple[Numbers, Numbers]:
    """How often each result was shown, and chosen, at each place; never chosen more often than shown."""
    shown, chosen = np.zeros((len(results), PLACES)), np.zeros((len(results), PLACES))
    for row, result in enumerate(results):
        for column, numbers in ((shown, result.shown), (chosen, result.chosen)):
            first = numbers[:PLACES]
            column[row, : len(first)] = first
    np.maximum(shown, 0.0, out=shown)
    return shown, np.clip(chosen, 0.0, shown)


def _looked_at(shown: Numbers, chosen: Numbers) -> Numbers:
    """By how often anything was chosen at each place, drawn towards the usual curve; the first place is 1.

    Results that changed their places are not compared with themselves: those that rose did so because they were
    chosen further down, so they would tell of luck, not of places.
    """
    usual = np.arange(1, PLACES + 1, dtype=np.float64) ** -USUAL_BIAS
    examined = float(shown.sum(axis=0) @ usual)
    ordinary = float(chosen.sum()) / examined if examined else 0.0
    expected = ordinary * shown.sum(axis=0)
    found = (chosen.sum(axis=0) + EVIDENCE_OF_PLACE * usual) / (expected + EVIDENCE_OF_PLACE)
    looked_at: Numbers = np.clip(found / max(float(found[0]), SMALLEST), SMALLEST, 1.0)
    return looked_at
