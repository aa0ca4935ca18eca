"""What following a link is worth in the long run: a linear model learnt from rewards as they come.

The worth is the reward of the page behind and, discounted, that of the best link
found there. Recursive least squares with a little forgetting: each sample is used
once, and counts in full. The weights begin where the one who asks believes them to
be, so the first choices are no worse than his own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

DISCOUNT = 0.2
FORGETTING = 0.999
CAUTION = 1.0
"""How strongly weights are held to where they began."""
WIDEST = 1e4
"""Directions never met keep their uncertainty; without this bound forgetting would blow it up."""


class Worth:
    """Weights of features."""

    def __init__(self, believed: Sequence[float]) -> None:
        self._weights = np.array(believed, np.float64)
        self._unsure = np.eye(len(believed)) / CAUTION

    def of(self, rows: npt.NDArray[np.float32]) -> list[float]:
        """What links with these rows of features are worth."""
        worths: list[float] = (rows @ self._weights).tolist()
        return worths

    def learn(self, row: npt.NDArray[np.float32], reward: float, ahead: float) -> None:
        """A link with these features brought a reward, and links of which the best is worth `ahead`."""
        target = (reward + DISCOUNT * min(1.0, ahead)) / (1 + DISCOUNT)
        features = row.astype(np.float64)
        towards = self._unsure @ features
        gain = towards / (FORGETTING + features @ towards)
        self._weights += gain * (target - features @ self._weights)
        unsure = (self._unsure - np.outer(gain, towards)) / FORGETTING
        if np.trace(unsure) < WIDEST:
            self._unsure = (unsure + unsure.T) / 2
