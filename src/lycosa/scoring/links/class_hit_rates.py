"""Where pages of each knowledge class have led so far: learnt while crawling, from every page that is fetched.

A linear guess, over the class profile of the page that a link stands on, of how
relevant the page behind the link is; corrected a little by each page that comes in.
Examples say which classes a topic has; experience says from which classes one gets
there, and generalises where the examples were too few.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lycosa.scoring.bounded_memory import Remembered
from lycosa.topics.classification.profile import Profile

AT_FIRST = 0.2
"""What is expected of a page before anything was learnt."""
STEP = 0.3
STEP_OF_ALL = 0.02
"""How far a page corrects the guess for its parent's classes, and for pages of any class."""
PAGES_REMEMBERED = 20_000


class ClassExperience:
    """What links on pages of each class led to."""

    def __init__(self, classes: int) -> None:
        self._weights: npt.NDArray[np.float32] = np.zeros(classes, np.float32)
        self._usual = AT_FIRST
        self._pages: Remembered[str, Profile] = Remembered(PAGES_REMEMBERED)

    def expected(self, profile: Profile) -> float:
        """How relevant the pages are that a page of this profile links to, between 0 and 1; 0 for one of no class."""
        return min(1.0, max(0.0, self._usual + float(self._weights @ profile))) if profile.any() else 0.0

    def saw(self, url: str, profile: Profile) -> None:
        """A page was fetched; its links will be judged by it."""
        self._pages.put(url, profile)

    def led(self, parent: str, relevance: float) -> None:
        """A link on a page led to another of this relevance."""
        profile = self._pages.get(parent)
        if profile is not None:
            error = relevance - self._usual - float(self._weights @ profile)
            self._weights += np.float32(STEP * error) * profile
            self._usual += STEP_OF_ALL * error

    def encoded(self) -> bytes:
        """What was learnt, as bytes."""
        return np.concatenate(([self._usual], self._weights)).astype("<f4").tobytes()

    def take_up(self, data: bytes) -> None:
        """Go on with what was learnt before; of another scheme's classes nothing can be used."""
        learnt = np.frombuffer(data, "<f4")
        if len(learnt) == len(self._weights) + 1:
            self._usual, self._weights = float(learnt[0]), learnt[1:].astype(np.float32)
