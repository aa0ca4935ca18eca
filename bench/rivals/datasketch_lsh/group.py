"""Near-duplicates by datasketch: reads texts from a file, prints what each costs and where variants are put.

`group.py FILE THRESHOLD`; the file is JSON: pages to add, then variants to look up. A page costs its word pairs,
its MinHash of 128 numbers, a look-up and an insertion. A candidate is near if its estimate reaches the threshold.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path

from datasketch import MinHash, MinHashLSH

NUMBERS = 128


def main() -> None:
    told = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    threshold = float(sys.argv[2])
    index, sketches = MinHashLSH(threshold=threshold, num_perm=NUMBERS), []
    began = time.process_time()
    for number, text in enumerate(told["pages"]):
        sketch = sketch_of(text)
        index.query(sketch)
        index.insert(number, sketch)
        sketches.append(sketch)
    taken = time.process_time() - began
    found = [nearest(sketch_of(text), index, sketches, threshold) for text in told["variants"]]
    print(json.dumps({"us": taken / len(told["pages"]) * 1e6, "found": found}))


def sketch_of(text: str) -> MinHash:
    words = text.lower().split()
    sketch = MinHash(num_perm=NUMBERS)
    sketch.update_batch([f"{a} {b}".encode() for a, b in pairwise(words)])
    return sketch


def nearest(sketch: MinHash, index: MinHashLSH, sketches: list[MinHash], threshold: float) -> int | None:
    likely = [(sketch.jaccard(sketches[number]), -number) for number in index.query(sketch)]
    best = max(likely, default=(0.0, 0))
    return -best[1] if best[0] >= threshold else None


if __name__ == "__main__":
    main()
