"""Arrays that grow at their end: numpy's own are fixed in size, and a list takes eight times the memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_FEWEST = 1024


class Growing:
    """A numpy array with room to spare; new room is zero. `filled` and `room` hold until the next growth."""

    def __init__(self, kind: type[np.generic]) -> None:
        self.room: NDArray[Any] = np.zeros(_FEWEST, kind)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def filled(self) -> NDArray[Any]:
        """The part in use, not a copy."""
        return self.room[: self._size]

    @property
    def nbytes(self) -> int:
        """Memory with the room to spare."""
        return self.room.nbytes

    def extend(self, values: NDArray[Any]) -> None:
        """Append values."""
        begin = self._size
        size = begin + len(values)
        self.lengthen(size)
        self.room[begin:size] = values

    def extend_with(self, value: int, number: int) -> None:
        """Append one value so many times."""
        begin = self._size
        self.lengthen(begin + number)
        self.room[begin : begin + number] = value

    def lengthen(self, size: int) -> None:
        """Be at least so long; what is new is zero."""
        if size > len(self.room):
            room = np.zeros(max(size, len(self.room) * 5 // 4), self.room.dtype)
            room[: self._size] = self.filled
            self.room = room
        self._size = max(self._size, size)

    def replace(self, values: NDArray[Any]) -> None:
        """Hold these values and no others, without room to spare."""
        self.room, self._size = values, len(values)
