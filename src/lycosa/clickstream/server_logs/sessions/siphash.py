"""A keyed hash of many short texts at once: SipHash-2-4 with 128 bits, each text with a key of its own.

Whoever has the hashes but not the keys cannot tell whether a given text is among them.
A hash for one text at a time is in the standard library; this one adds, turns and
mixes whole arrays, so naming a visitor costs a tenth of that.
"""

from __future__ import annotations

import numpy as np

from lycosa.clickstream.server_logs.parsing.byte_slices import Bytes, Places, Words, slices, windows

KEY = 16
"""Bytes of a key."""
_WORD = 8
_AT_ONCE = 4096
"""Texts whose state fits into a core's cache."""
_BEGIN = np.array([[0x736F6D6570736575], [0x646F72616E646F6D], [0x6C7967656E657261], [0x7465646279746573]], np.uint64)
_LONG, _SECOND, _LAST = np.uint64(0xEE), np.uint64(0xDD), np.uint64(0xFF)
_LENGTH = np.uint64(56)


def keyed_hashes(keys: Words, data: Bytes, starts: Places, lengths: Places) -> Words:
    """The hash of each slice of `data` with its key, a row of two words; PADDING bytes follow the last slice."""
    found = np.empty((len(starts), 2), np.uint64)
    for place in range(0, len(starts), _AT_ONCE):
        some = slice(place, place + _AT_ONCE)
        found[some] = _hashes(keys[some], data, starts[some], lengths[some])
    return found


def _hashes(keys: Words, data: Bytes, starts: Places, lengths: Places) -> Words:
    state = _BEGIN ^ np.tile(keys.T, (2, 1))
    state[1] ^= _LONG
    whole = lengths // _WORD
    for place in range(int(whole.max())):
        longer = np.flatnonzero(whole > place)
        part = np.ascontiguousarray(state[:, longer])
        _take_in(part, windows(data, _WORD, starts.take(longer) + _WORD * place)[:, 0])
        state[:, longer] = part
    last = slices(data, _WORD, starts + _WORD * whole, lengths % _WORD)[:, 0]
    _take_in(state, last | (lengths.astype(np.uint64) & _LAST) << _LENGTH)
    state[2] ^= _LONG
    first = _mixed(state)
    state[1] ^= _SECOND
    return np.stack((first, _mixed(state)), axis=1)


def _take_in(state: Words, words: Words) -> None:
    state[3] ^= words
    _stir(state, 2)
    state[0] ^= words


def _mixed(state: Words) -> Words:
    _stir(state, 4)
    found: Words = np.bitwise_xor.reduce(state, axis=0)
    return found


def _stir(state: Words, rounds: int) -> None:
    a, b, c, d = state
    room = np.empty_like(a)
    for _ in range(rounds):
        for one, other, turn in ((a, b, 13), (c, d, 16)):
            one += other
            _turn(other, turn, room)
            other ^= one
        _turn(a, 32, room)
        for one, other, turn in ((a, d, 21), (c, b, 17)):
            one += other
            _turn(other, turn, room)
            other ^= one
        _turn(c, 32, room)


def _turn(words: Words, bits: int, room: Words) -> None:
    """Turn the bits of words to the left, in place."""
    np.right_shift(words, np.uint64(64 - bits), out=room)
    words <<= np.uint64(bits)
    words |= room
