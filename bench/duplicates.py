"""What near-duplicates cost and how well they are told: CPU and memory up to a million pages, precision and recall.

Pages are the articles of Wikispeedia, at their full length. A page costs the sketch of its main text,
from the text on, and its way into the index; reading the page is not counted. Of each sketch the quickest
of several counts, which leaves out what other programs did to the machine meanwhile; the index is filled
with random sketches, as good as all of them different, and grows while it is measured. Quality is that of
variants of every other article in an index of all, made and read as `tests/pages/page_variants.py` says.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from tests.pages.page_variants import Article, Disguise, articles, grouped_apart, indexed, judged, same_article, why_not

from bench.rivals.environments import Missing, prepared
from bench.rows import Row, less_is_better, missing, more_is_better
from lycosa.duplicates.groups_file import Kept, to_bytes
from lycosa.duplicates.near_duplicates import NearDuplicates
from lycosa.duplicates.text_sketch import BINS, NEAR, SKETCH_BYTES, sketch_of

BENCH = "duplicates"
SIZES = (10_000, 100_000, 1_000_000)
ADDED = 20_000
"""Pages added to each index while the time is taken; at the largest size two of its tables grow meanwhile."""
SKETCHED = 600
READINGS = 5
MICROSECONDS_ALLOWED = 250.0
MEGABYTES_ALLOWED = 150.0
PRECISION_ALLOWED = 0.99
RECALL_ALLOWED = {"edits of 5-10 %": 0.9}
"""All other kinds of variants have 0.99."""
EVERY = 2
"""Variants are made of every second article, some 2 600."""
BESIDE = 1_000
TIME_LIMIT = 900


def run() -> list[Row]:
    """Rows for cost, memory and quality, and a rival beside."""
    if why := why_not():
        return [missing(BENCH, "bar", why)]
    found = articles(1_000_000)
    return [*_cost(found), *_quality(found), *_beside(found)]


def _cost(found: list[Article]) -> Iterator[Row]:
    texts = [article.text for article in found[:: max(1, len(found) // SKETCHED)]]
    sketch = mean(min(_spent_sketching(text) for _ in range(READINGS)) for text in texts) * 1e6
    length = mean(len(text.split()) for text in texts)
    for size in SIZES:
        index = _random_index(size)
        look = _spent_adding(index) / ADDED * 1e6
        note = f"bar >= 1; sketch {sketch:.0f} of {length:.0f} words, index {look:.0f}"
        yield _bar(f"CPU a page at {size:,} pages", sketch + look, MICROSECONDS_ALLOWED, "us", note)
    megabytes = index.bytes_held / len(index)
    note = f"bar >= 1; a sketch on disk is {SKETCH_BYTES} bytes"
    yield _bar("memory a million pages", megabytes, MEGABYTES_ALLOWED, "MB", note)


def _bar(metric: str, ours: float, allowed: float, unit: str, note: str) -> Row:
    return less_is_better(BENCH, metric, ours, allowed, other_name="bar", unit=unit, note=note)


def _spent_sketching(text: str) -> float:
    began = time.perf_counter()
    sketch_of(text)
    return time.perf_counter() - began


def _spent_adding(index: NearDuplicates) -> float:
    chance = np.random.default_rng(2)
    pages = [(1 << 63 | number, bytes([BINS]) + chance.bytes(SKETCH_BYTES - 1)) for number in range(ADDED)]
    began = time.process_time()
    for key, sketch in pages:
        index.add(key, sketch)
    return time.process_time() - began


def _random_index(size: int) -> NearDuplicates:
    """An index of pages that are all different, made at once."""
    chance, rows = np.random.default_rng(1), np.arange(size, dtype=np.uint32)
    sketches = chance.integers(0, 1 << 64, (size, 8), np.uint64)
    filled, alone = np.full(size, BINS, np.uint8), np.full(size, -1, np.int32)
    return NearDuplicates.from_bytes(to_bytes(Kept(rows.astype(np.uint64), sketches, filled, alone, rows, rows)))


def _quality(found: list[Article]) -> Iterator[Row]:
    index = indexed(found)
    for kind, variant in Disguise(found).kinds().items():
        judgement = judged(index, found, variant, EVERY)
        note = f"bar >= 1; {judgement.found} of {judgement.variants} found, {judgement.wrong} wrong"
        for name, value, allowed in (
            ("precision", judgement.precision, PRECISION_ALLOWED),
            ("recall", judgement.recall, RECALL_ALLOWED.get(kind, 0.99)),
        ):
            yield more_is_better(BENCH, f"{name}, {kind}", value, allowed, other_name="bar", unit="share", note=note)
    together, different = grouped_apart(index, found)
    note = f"bar >= 1; {together} of {len(found)} articles joined another, {different} of them a different one"
    precision = 1 - different / together if together else 1.0
    yield more_is_better(
        BENCH,
        "precision, articles among themselves",
        precision,
        PRECISION_ALLOWED,
        other_name="bar",
        unit="share",
        note=note,
    )


def _beside(found: list[Article]) -> list[Row]:
    """Beside datasketch's MinHashLSH: the same pages, the same variants, the same threshold."""
    chosen = found[:: max(1, len(found) // BESIDE)][:BESIDE]
    disguise = Disguise(chosen)
    variants = [disguise.edited(article, 0.05) for article in chosen]
    told = _told_by_rival({"pages": [article.text for article in chosen], "variants": variants})
    if isinstance(told, Missing):
        return [missing(BENCH, "datasketch MinHashLSH", told.reason)]
    took, index = _spent_grouping(chosen)
    ours = [index.near(sketch_of(text)) for text in variants]
    found_by_us, found_by_them = _share_found(ours, chosen), _share_found(told["found"], chosen)
    name, note = "datasketch MinHashLSH", f"{len(chosen)} articles, edits of 5 %"
    return [
        less_is_better(
            BENCH, "CPU a page", took, told["us"], other_name=name, unit="us", note=f"{len(chosen)} articles"
        ),
        more_is_better(BENCH, "recall", found_by_us, found_by_them, other_name=name, unit="share", note=note),
    ]


def _told_by_rival(texts: dict[str, list[str]]) -> dict[str, Any] | Missing:
    environment = prepared("datasketch_lsh")
    if isinstance(environment, Missing):
        return environment
    script = Path(__file__).parent / "rivals" / "datasketch_lsh" / "group.py"
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(texts, file)
        file.flush()
        command = [environment.command[0], str(script), file.name, str(NEAR)]
        try:
            done = subprocess.run(
                command, env=variables, capture_output=True, text=True, timeout=TIME_LIMIT, check=True
            )
        except subprocess.SubprocessError as failure:
            return Missing("datasketch_lsh", str(failure))
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _spent_grouping(chosen: list[Article]) -> tuple[float, NearDuplicates]:
    began = time.process_time()
    index = indexed(chosen)
    return (time.process_time() - began) / len(chosen) * 1e6, index


def _share_found(places: list[int | None], chosen: list[Article]) -> float:
    right = (
        place == number or same_article(chosen[place], chosen[number])
        for number, place in enumerate(places)
        if place is not None
    )
    return sum(right) / len(places)
