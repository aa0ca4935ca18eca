"""Groups of links that stand at like places of their pages, told by the path of tags above them.

A path is the bag of its neighbouring tags (n-grams), hashed; a path joins the group
whose middle it is closest to, or begins one where none is close. Pages of a site
are made by the same template, so groups soon hold "links of the list of articles"
or "links of the footer".
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import xxhash

from lycosa.scoring.bounded_memory import Remembered

NGRAM = 2
DIMENSIONS = 256
MOST_GROUPS = 512
PATHS_REMEMBERED = 100_000


def path_vector(tag_path: str) -> npt.NDArray[np.float32]:
    """The n-grams of a path, with its two ends marked, as a vector of length 1."""
    tags = ["^", *tag_path.split("/"), "$"]
    vector = np.zeros(DIMENSIONS, np.float32)
    for at in range(len(tags) - NGRAM + 1):
        gram = "/".join(tags[at : at + NGRAM]).encode()
        vector[xxhash.xxh32_intdigest(gram) % DIMENSIONS] += 1
    return vector / np.float32(np.sqrt(vector @ vector))


class TagPathGroups:
    """Groups numbered in the order they began."""

    def __init__(self, likeness: float, most: int = MOST_GROUPS) -> None:
        self._likeness, self._most = likeness, most
        self._sums = np.zeros((most, DIMENSIONS), np.float32)
        self._middles = np.zeros((most, DIMENSIONS), np.float32)
        self._names: list[str] = []
        self._known: Remembered[str, int] = Remembered(PATHS_REMEMBERED)

    def __len__(self) -> int:
        return len(self._names)

    def name(self, group: int) -> str:
        """The path that began a group."""
        return self._names[group]

    def find(self, tag_path: str) -> int | None:
        """The group of a path that was met before, or None."""
        return self._known.get(tag_path)

    def join(self, tag_path: str) -> int:
        """The group of a path, which becomes part of it. When there are no more groups to be had, the closest one."""
        group = self._known.get(tag_path)
        if group is None:
            group = self._enter(tag_path, path_vector(tag_path))
            self._known.put(tag_path, group)
        return group

    def _enter(self, tag_path: str, vector: npt.NDArray[np.float32]) -> int:
        number = len(self._names)
        likenesses = self._middles[:number] @ vector
        group = int(likenesses.argmax()) if number else 0
        if not number or (likenesses[group] < self._likeness and number < self._most):
            group = number
            self._names.append(tag_path)
        total = self._sums[group]
        total += vector
        self._middles[group] = total / np.float32(np.sqrt(total @ total))
        return group
