"""Closeness of words by a model of word vectors, for those who have one: the extra `vectors`.

The model is a folder on this machine; nothing is downloaded. Any other source of
closeness can be plugged in at `lycosa.closeness`: a callable that takes the text
after the colon of `--closeness NAME:TEXT` and returns an object with `close`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from lycosa.configuration.settings import ConfigurationError
from lycosa.plugins import registry
from lycosa.plugins.plug_points import Closeness
from lycosa.storage.catalogue import MissingExtra

REMEMBERED = 50_000


class WordVectors:
    """Cosine of two words' vectors, as far as it is above 0."""

    def __init__(self, encode: Callable[[Sequence[str]], Any]) -> None:
        self._encode = encode
        self._vector = lru_cache(maxsize=REMEMBERED)(self._unit)

    def _unit(self, word: str) -> Any:
        vector = np.asarray(self._encode([word])[0], np.float32)
        return vector / max(float(np.linalg.norm(vector)), 1e-9)

    def close(self, one: str, other: str, /) -> float:
        """1 for the same direction."""
        return max(0.0, float(self._vector(one) @ self._vector(other)))


def model2vec_closeness(model: str) -> Closeness:
    """Closeness by a static model of model2vec in a folder."""
    try:
        library = import_module("model2vec")
    except ImportError:
        raise MissingExtra("word vectors need the extra: pip install 'lycosa[vectors]'") from None
    if not Path(model).is_dir():
        raise ConfigurationError(f"--closeness model2vec:{model}: no such folder; name a folder with a model2vec model")
    return WordVectors(library.StaticModel.from_pretrained(model).encode)


def closeness(told: str) -> Closeness | None:
    """The source of closeness that `NAME:TEXT` names; none where nothing is said."""
    if not told:
        return None
    name, _, text = told.partition(":")
    if name not in registry.names("closeness"):
        there = ", ".join(registry.names("closeness")) or "none"
        raise ConfigurationError(f"--closeness {told}: no model is registered as {name!r}; there are: {there}")
    found: Closeness = registry.find("closeness", name)(text)
    return found
