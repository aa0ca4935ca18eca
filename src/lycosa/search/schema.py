"""How the index is laid out: its fields, how text becomes terms, and how a folder is opened.

Words are kept twice: as stems, by which pages are found, and of a page's beginning as they
are written, from which search suggests words and corrects spelling. What is counted or
sorted over all matches lies in columns that are read without the pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import tantivy

from lycosa.text import words
from lycosa.user_error import Mendable

TEXT = "body"
"""Holds everything that a page says and is called: its text, its title and the anchors of links to it."""
OLDER_TEXTS = (TEXT, "title", "anchors", "headings")
"""The fields that held it in an index of an older layout, which the crawl will build anew."""
SAMPLES = 64
"""Pages are parted into so many samples, so that what a great many matches have in common can be estimated."""
LONGEST_NAME = 80
_ANALYSER, _AS_WRITTEN = "lycosa", "lycosa_written"
_BEHIND_NAME = re.compile(r"(?<!\s)\s++(?:[-–—|·:»]++\s+|[|»]\s*)|[|»]\s*")


class IndexDamaged(Mendable):
    """The index cannot be opened; it can be built again from the archive."""


@contextmanager
def damage_told() -> Iterator[None]:
    """Damage that the index's native code meets while it reads is told like any other."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a class of its own that cannot be imported
            raise
        raise IndexDamaged(f"the index cannot be read: {error}") from error


def schema() -> Any:
    """All fields of the index."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("url", stored=True, tokenizer_name="raw")
    builder.add_text_field(TEXT, stored=True, tokenizer_name=_ANALYSER)
    builder.add_text_field("title", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("words", stored=False, tokenizer_name=_AS_WRITTEN, index_option="basic")
    builder.add_text_field("name", stored=False, tokenizer_name="raw", index_option="basic")
    for name, counted in (
        ("host", True), ("domain", False), ("language", True), ("topic", False), ("classes", True), ("within", False),
    ):  # fmt: skip
        builder.add_text_field(name, stored=name != "within", fast=counted, tokenizer_name="raw")
    builder.add_date_field("at", stored=True, indexed=True, fast=True)
    builder.add_float_field("relevance", stored=True, indexed=True, fast=True)
    builder.add_integer_field("key", stored=False, indexed=False, fast=True)
    builder.add_float_field("date", stored=False, indexed=True, fast=True)
    builder.add_integer_field("group", stored=False, indexed=True, fast=True)
    builder.add_integer_field("sample", stored=False, indexed=True, fast=False)
    return builder.build()


@damage_told()
def open_index(folder: Path, *, new: bool) -> Any:
    """The index in a folder: `new` makes it where there is none, and refuses one of an older layout."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        index = tantivy.Index(schema(), path=str(folder)) if new else tantivy.Index.open(str(folder))
    except (ValueError, OSError) as error:
        raise IndexDamaged(f"{folder}: {error}") from error
    index.register_tokenizer(_ANALYSER, _analyser())
    index.register_tokenizer(_AS_WRITTEN, _as_written())
    return index


@lru_cache(maxsize=1)
def _analyser() -> Any:
    analyser = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(60),
        tantivy.Filter.lowercase(),
        tantivy.Filter.stemmer("english"),
    ):
        analyser = analyser.filter(step)
    return analyser.build()


@lru_cache(maxsize=1)
def _as_written() -> Any:
    analyser = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    return analyser.filter(tantivy.Filter.remove_long(25)).filter(tantivy.Filter.lowercase()).build()


def index_terms(text: str) -> list[str]:
    """The terms of a text as the index has them."""
    return list(_analyser().analyze(text))


def name_of(title: str) -> str:
    """What a page is called, as somebody would type it: its title without the site's name, in plain words."""
    first = next((part for part in _BEHIND_NAME.split(title[: 4 * LONGEST_NAME]) if part.strip()), "")
    plain = " ".join(words(first))
    return plain if len(plain) <= LONGEST_NAME else plain[:LONGEST_NAME].rpartition(" ")[0]
