"""The words of a crawl's index, for suggestions and spelling: read beside the searches, and again after commits.

Nobody waits longer than a moment for them; until they are there, nothing is suggested.
"""

from __future__ import annotations

import threading
import time

from lycosa.search.index import IndexReader
from lycosa.search.schema import IndexDamaged
from lycosa.search.suggestions import MOST_WORDS, WordList

REST = 30.0
"""Seconds between two readings at least, while a crawl adds to its index."""
PATIENCE = 0.03
_NO_WORDS = WordList()


class IndexWords:
    """The list of words of one index."""

    def __init__(self, rest: float = REST) -> None:
        self._rest = rest
        self._words: WordList | None = None
        self._stamp, self._next = -1, 0.0
        self._reading: threading.Thread | None = None
        self._looking = threading.Lock()

    def of(self, reader: IndexReader, stamp: int, patience: float = PATIENCE) -> WordList:
        """The words as they were read last; a new reading is begun when the index has changed."""
        with self._looking:
            if stamp != self._stamp and time.monotonic() >= self._next and self._reading is None:
                self._stamp = stamp
                self._reading = threading.Thread(target=self._read, args=(reader,), name="index-words", daemon=True)
                self._reading.start()
            reading = self._reading
        if self._words is None and reading is not None:
            reading.join(patience)
        return self._words or _NO_WORDS

    def _read(self, reader: IndexReader) -> None:
        try:
            self._words = WordList(reader.words(MOST_WORDS))
        except (IndexDamaged, ValueError):
            self._words = None
        finally:
            with self._looking:
                self._next, self._reading = time.monotonic() + self._rest, None
