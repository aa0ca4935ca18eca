"""People at a result page, simulated: they look from the top down, and choose what is relevant, mostly.

What they do is known, so it can be measured what a ranking makes of it: from people
who judge, it must learn; from people who click anywhere, it must not.
"""

from __future__ import annotations

import msgspec
import numpy as np
import numpy.typing as npt

from lycosa.click_records import ShownResult
from lycosa.lab.search_quality import Judgements, Rankings

Numbers = npt.NDArray[np.int64]
PER_PAGE = 10
PLACES = 20


class Visitors(msgspec.Struct, frozen=True):
    """How simulated people behave: place p is looked at with probability 1/p^bias.

    What is looked at is chosen with the probability for relevant or for other results; in the share `noise` of cases
    they take one for the other. Every third goes on to the second page of results.
    """

    bias: float = 1.0
    relevant: float = 0.8
    other: float = 0.05
    noise: float = 0.1
    go_on: float = 0.33


CAREFUL = Visitors()
RANDOM = Visitors(relevant=0.3, other=0.3)
"""They click anywhere, though mostly at the top."""


class Notes:
    """What was shown and chosen so far."""

    def __init__(self, seed: int = 0) -> None:
        self._chance = np.random.default_rng(seed)
        self._counts: dict[tuple[str, str], tuple[list[int], list[int]]] = {}

    def visit(self, rankings: Rankings, judgements: Judgements, visitors: Visitors, times: int) -> None:
        """Let so many people ask each query and look at what it found."""
        places = np.arange(1, PLACES + 1, dtype=np.float64)
        for query, ranking in rankings.items():
            shown = list(ranking[:PLACES])
            relevant = np.array([name in judgements[query] for name in shown], dtype=bool)
            taken = self._chance.random((times, len(shown))) < visitors.noise
            attracted = np.where(relevant ^ taken, visitors.relevant, visitors.other)
            looked = self._chance.random(taken.shape) < places[: len(shown)] ** -visitors.bias
            there = np.ones(taken.shape, dtype=bool)
            there[:, PER_PAGE:] = self._chance.random((times, 1)) < visitors.go_on
            chosen = there & looked & (self._chance.random(taken.shape) < attracted)
            self._note(query, shown, there.sum(axis=0), chosen.sum(axis=0))

    def _note(self, query: str, urls: list[str], shown: Numbers, chosen: Numbers) -> None:
        for place, url in enumerate(urls):
            seen, taken = self._counts.setdefault((query, url), ([0] * PLACES, [0] * PLACES))
            seen[place] += int(shown[place])
            taken[place] += int(chosen[place])

    def results(self) -> list[ShownResult]:
        """As the search keeps them."""
        return [ShownResult(*key, tuple(shown), tuple(chosen)) for key, (shown, chosen) in self._counts.items()]
