"""Digests of texts: equal for texts that differ only in case and white space."""

from __future__ import annotations

import xxhash

from lycosa.text import letters_of


def digest_of(text: str) -> bytes:
    """Sixteen bytes that are equal for texts that differ only in case and white space."""
    return xxhash.xxh3_128_digest(letters_of(text))
