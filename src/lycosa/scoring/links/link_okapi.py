"""Okapi of the words around links (C10): all links of a page at once, since a page has dozens.

The texts of a page's links are looked through as one; most of them hold none of the
topic's terms and cost nothing more. How rare terms are comes from the
shipped background, so two agents judge a link alike.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from urllib.parse import unquote

from lycosa.records import Link, Score
from lycosa.text import lower_of
from lycosa.topics.okapi import NOTHING, Okapi
from lycosa.urls import path_of

LONGEST_TEXT = 2_000
"""Longer texts are judged by their beginning."""
_LETTERS = re.compile(r"[^\W\d_]{2,}")


class LinkOkapi:
    """How much the words around links are about the topic."""

    def __init__(self, okapi: Okapi) -> None:
        self.okapi = okapi

    def of(self, links: Sequence[Link], language: str = "") -> list[Score]:
        """Okapi of each link's anchor and boundary; an anchor that the boundary repeats counts twice."""
        around = [(link.anchor, link.boundary[:LONGEST_TEXT]) for link in links]
        held = self._held(list(dict.fromkeys(text for texts in around for text in texts)), language)
        judged = {texts: self._score(texts, held) for texts in set(around)} if held else {}
        return [judged.get(texts, NOTHING) for texts in around]

    def of_address(self, url: str) -> Score:
        """Okapi of the words in a URL's path: all that there is where no page links to it."""
        words = " ".join(_LETTERS.findall(unquote(path_of(url))))[:LONGEST_TEXT]
        return self._score((words,), self._held([words], ""))

    def _score(self, texts: Sequence[str], held: Mapping[str, dict[str, int]]) -> Score:
        """Okapi of some texts as one."""
        counts: dict[str, int] = {}
        for text in texts:
            for term, number in held[text].items() if text in held else ():
                counts[term] = counts.get(term, 0) + number
        return self.okapi.score(counts, sum([text.count(" ") + 1 for text in texts if text])) if counts else NOTHING

    def _held(self, texts: list[str], language: str) -> dict[str, dict[str, int]]:
        """How often each term occurs in the texts that hold any."""
        if not self.okapi.roots.serve(language):
            counted = ((text, self.okapi.count(text, language)[0]) for text in texts)
            return {text: counts for text, counts in counted if counts}
        whole = "\n".join(texts)
        lower = lower_of(whole)
        if len(lower) == len(whole):
            return self._found(lower, texts, texts)
        lowered = [text.lower() for text in texts]
        return self._found("\n".join(lowered), lowered, texts)

    def _found(self, whole: str, lowered: Sequence[str], texts: Sequence[str]) -> dict[str, dict[str, int]]:
        """What all texts, one to a line, hold."""
        starts = list(accumulate((len(text) + 1 for text in lowered), initial=0))
        found: dict[str, dict[str, int]] = {}
        for at, term in self.okapi.roots.found(whole):
            counts = found.setdefault(texts[bisect_right(starts, at) - 1], {})
            counts[term] = counts.get(term, 0) + 1
        return found
