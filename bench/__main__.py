"""`python -m bench [--only name,name]`: run the benches in a fixed order and keep what they found."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Callable, Sequence

from bench.rows import RESULTS, Row, merge_rows, missing, table

BENCHES = (
    "crawl",
    "page-reader",
    "frontier",
    "search",
    "paint",
    "lab",
    "ranks",
    "treasure",
    "structure",
    "logs",
    "collector",
    "apriori",
    "duplicates",
    "site-order",
    "ahp",
    "nuggets",
    "learner",
    "agents",
    "mapper",
    "inverted-list",
    "galaxy",
    "freshness",
    "host",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen benches; each one's rows are kept before the next begins."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--only", metavar="NAME,NAME", type=_names, default=BENCHES, help=", ".join(BENCHES))
    chosen = parser.parse_args(arguments).only
    found: list[Row] = []
    for name in (name for name in BENCHES if name in chosen):
        found += _measured(name)
    absent = [row for row in found if row.is_missing]
    print(f"{len(found) - len(absent)} rows, {len(absent)} missing; written to {RESULTS}")
    return 0


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in names if name not in BENCHES]
    if unknown or not names:
        raise argparse.ArgumentTypeError(f"no bench called {', '.join(unknown) or repr(text)}")
    return names


def _measured(name: str) -> list[Row]:
    print(f"== {name}", flush=True)
    began = time.perf_counter()
    rows = _rows_of(name)
    merge_rows(rows)
    print(table(rows))
    print(f"   {time.perf_counter() - began:.1f} s\n", flush=True)
    return rows


def _rows_of(name: str) -> list[Row]:
    module = f"bench.{name.replace('-', '_')}"
    try:
        run: Callable[[], list[Row]] = importlib.import_module(module).run
    except ModuleNotFoundError as absent:
        what = "there is no such bench here" if absent.name == module else f"needs the module {absent.name}"
        return [missing(name, name, what)]
    return run() or [missing(name, name, "found nothing to measure")]


if __name__ == "__main__":
    sys.exit(main())
