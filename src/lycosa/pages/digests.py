"""Digests of texts: equal for texts that differ only in case and white space."""

from __future__ import annotations

import string
from collections.abc import Callable

import xxhash

_WHITE = b" \t\n\r\x0b\x0c"
_LOWER = bytes.maketrans(string.ascii_uppercase.encode(), string.ascii_lowercase.encode())


def plain_letters(text: str) -> bytes:
    """A text in lower case without its white space, since markup inside a sentence decides where some of it appears."""
    letters = text if text.isascii() else text.lower()
    return letters.encode("utf-8", "replace").translate(_LOWER, _WHITE)


def _quickest() -> Callable[[str], bytes]:
    try:
        from lycosa.pages.compiled.tree import letters_of
    except ImportError:
        return plain_letters
    return letters_of


letters_of = _quickest()


def digest_of(text: str) -> bytes:
    """Sixteen bytes that are equal for texts that differ only in case and white space."""
    return xxhash.xxh3_128_digest(letters_of(text))
