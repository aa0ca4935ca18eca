"""Words of eight bytes that are written in a certain way, many at once: digits between other signs, such as clocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lycosa.clickstream.server_logs.parsing.byte_slices import Places, Words, number_of

_BYTE, _TEN = np.uint64(8), np.uint64(10)


def shape(text: bytes) -> tuple[np.uint64, np.uint64]:
    """A mask, and what it leaves of a word that is written so: `_` is any byte, `0` one of 16, digits among them."""
    mask = bytes({ord("_"): 0, ord("0"): 0xF0}.get(byte, 0xFF) for byte in text)
    return np.uint64(number_of(mask)), np.uint64(number_of(bytes(map(int.__and__, text, mask))))


def _each(text: bytes, digit: int) -> np.uint64:
    """A word with a number where a text has digits."""
    return np.uint64(number_of(bytes(digit if byte == ord("0") else 0 for byte in text)))


def is_written(words: Words, form: tuple[np.uint64, np.uint64]) -> NDArray[np.bool_]:
    """Which words have that shape."""
    found: NDArray[np.bool_] = words & form[0] == form[1]
    return found


class Digits:
    """Words in which certain bytes are digits."""

    def __init__(self, text: bytes) -> None:
        self._shape = shape(text)
        self._low, self._six, self._over = (_each(text, number) for number in (0x0F, 0x06, 0xF0))

    def read(self, words: Words) -> tuple[Words, NDArray[np.bool_]]:
        """The digits as numbers, each in its byte, and which words are written so."""
        digits = words & self._low
        fits = is_written(words, self._shape)
        fits &= (digits + self._six) & self._over == 0
        return digits, fits


_clock = Digits(b"00:00:00")


def clocks(words: Words, last_second: int) -> tuple[Places, NDArray[np.bool_]]:
    """The seconds since midnight of clocks such as `10:05:03`, and which words are clocks."""
    digits, fits = _clock.read(words)
    numbers = digits * _TEN
    numbers += digits >> _BYTE
    hours, minutes, seconds = (byte_at(numbers, place) for place in (0, 24, 48))
    fits &= (hours < 24) & (minutes < 60) & (seconds <= last_second)
    return hours * 3600 + minutes * 60 + seconds, fits


def byte_at(words: Words, place: int) -> Places:
    """The byte that begins at a bit of each word."""
    return (words >> np.uint64(place) & np.uint64(255)).view(np.int64)


def digit_at(words: Words, place: int) -> Places:
    """The digit that begins at a bit of each word."""
    return (words >> np.uint64(place) & np.uint64(15)).view(np.int64)
