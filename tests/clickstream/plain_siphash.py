"""SipHash-2-4 with 128 bits of one text, number by number, as its authors describe it."""

from __future__ import annotations

_WORD = (1 << 64) - 1


def plain_siphash(key: bytes, text: bytes) -> bytes:
    """The hash of a text with a key of sixteen bytes."""
    one, other = (int.from_bytes(key[at : at + 8], "little") for at in (0, 8))
    state = [
        one ^ 0x736F6D6570736575, other ^ 0x646F72616E646F6D ^ 0xEE,
        one ^ 0x6C7967656E657261, other ^ 0x7465646279746573,
    ]  # fmt: skip
    padded = text + bytes(7 - len(text) % 8) + bytes([len(text) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        state[3] ^= word
        _rounds(state, 2)
        state[0] ^= word
    found = b""
    for place, mark in ((2, 0xEE), (1, 0xDD)):
        state[place] ^= mark
        _rounds(state, 4)
        found += (state[0] ^ state[1] ^ state[2] ^ state[3]).to_bytes(8, "little")
    return found


def _rounds(state: list[int], number: int) -> None:
    a, b, c, d = state
    for _ in range(number):
        a = (a + b) & _WORD
        b = _turned(b, 13) ^ a
        a = _turned(a, 32)
        c = (c + d) & _WORD
        d = _turned(d, 16) ^ c
        a = (a + d) & _WORD
        d = _turned(d, 21) ^ a
        c = (c + b) & _WORD
        b = _turned(b, 17) ^ c
        c = _turned(c, 32)
    state[:] = a, b, c, d


def _turned(word: int, bits: int) -> int:
    return (word << bits | word >> 64 - bits) & _WORD
