"""`apriori`: a page's weight from a million visitors' actions, beside libraries that find the same frequent sets.

Everybody gets the transactions as lists of actions in memory, and the clock (CPU time) runs
from there to the result, the best of three rounds for all. What the libraries find is compared
with ours too. The plain Apriori, which needs nothing installed, is measured beside ours on a
tenth of the visitors.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bench.rivals.environments import Missing, prepared
from bench.rows import Row, less_is_better, missing
from lycosa.click_records import actions_of, bits_of
from lycosa.clickstream.behaviour import LEAST_SUPPORT, counted, counted_bits, page_weight, supports

TRANSACTIONS = 1_000_000
PLAIN = 100_000
ROUNDS = 3
BAR = 2.0
TIME_LIMIT = 300.0
CHANCES = np.array([0.85, 0.2, 0.1, 0.35, 0.3, 0.1, 0.02, 0.05, 0.06, 0.04, 0.5, 0.05, 0.7, 0.15, 0.25])
"""How likely each action is; readers who copy or print also scroll, as people do."""
RIVALS = ("mlxtend fpgrowth", "efficient-apriori")
Transactions = list[tuple[int, ...]]
Bits = NDArray[Any]
Found = TypeVar("Found")
Frequent = dict[tuple[int, ...], int]


def run() -> list[Row]:
    """Seconds for a million transactions: from lists of actions, and from the counts that the store keeps."""
    bits = visitors(TRANSACTIONS)
    transactions = as_actions(bits)
    ours, weight = _best(lambda: page_weight(counted(transactions)))
    sets = counted_bits(bits)
    kept, _ = _best(lambda: page_weight(sets))
    told = f"{TRANSACTIONS:,} transactions, {weight.size} actions in the largest sets, weight {weight.value:.3f}"
    rows = [
        less_is_better("apriori", "a weight", ours, BAR, other_name="bar", unit="s", note=f"bar >= 1; {told}"),
        less_is_better("apriori", "from kept counts", kept, BAR, other_name="bar", unit="s", note="bar >= 1"),
    ]
    wanted = frequent(supports(sets), LEAST_SUPPORT)
    rows += [_beside(name, bits, ours, wanted) for name in RIVALS]
    return [*rows, _beside_plain(bits)]


def visitors(number: int) -> Bits:
    """Sets of actions as bits, always the same ones."""
    chance = np.random.default_rng(5)
    done = chance.random((number, len(CHANCES))) < CHANCES
    done[:, 0] |= done[:, 1] | done[:, 8]
    return (done @ (1 << np.arange(len(CHANCES)))).astype(np.uint16)


def as_actions(bits: Bits) -> Transactions:
    """The same as lists of actions."""
    named = [tuple(map(int, actions_of(number))) for number in range(1 << len(CHANCES))]
    return [named[number] for number in bits.tolist()]


def frequent(numbers: Bits, share: float) -> Frequent:
    """The frequent sets by all supports."""
    places = np.flatnonzero(numbers >= share * int(numbers[0]))
    return {tuple(map(int, actions_of(int(place)))): int(numbers[place]) for place in places if place}


def _best(work: Callable[[], Found]) -> tuple[float, Found]:
    """The shortest of several times, and what was found."""
    taken = []
    for _ in range(ROUNDS):
        began = time.process_time()
        found = work()
        taken.append(time.process_time() - began)
    return min(taken), found


def _beside(name: str, bits: Bits, ours: float, wanted: Frequent) -> Row:
    environment = prepared("mlxtend_fpgrowth")
    if isinstance(environment, Missing):
        return missing("apriori", name, environment.reason)
    script = Path(__file__).parent / "rivals" / "mlxtend_fpgrowth" / "mine.py"
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with tempfile.NamedTemporaryFile(suffix=".bits") as file:
        bits.tofile(file.name)
        command = [environment.command[0], str(script), file.name, str(LEAST_SUPPORT), name]
        try:
            done = subprocess.run(
                command, env=variables, capture_output=True, text=True, timeout=TIME_LIMIT, check=True
            )
        except subprocess.SubprocessError as failure:
            return missing("apriori", name, str(failure))
    told = json.loads(done.stdout)
    same = {tuple(each): number for each, number in told["sets"]} == wanted
    note = f"{len(wanted)} frequent sets, the same" if same else "IT FOUND OTHER SETS"
    return less_is_better("apriori", "a weight", ours, told["seconds"], other_name=name, unit="s", note=note)


def _beside_plain(bits: Bits) -> Row:
    """Beside Apriori as the textbook has it, in plain Python."""
    transactions = as_actions(bits[:PLAIN])
    other, found = _best(lambda: plain_apriori(transactions, LEAST_SUPPORT))
    ours, _ = _best(lambda: page_weight(counted(transactions)))
    same = found == frequent(supports(counted(transactions)), LEAST_SUPPORT)
    note = f"{PLAIN:,} transactions" + ("" if same else "; IT FOUND OTHER SETS")
    return less_is_better("apriori", "a weight", ours, other, other_name="plain Apriori", unit="s", note=note)


def plain_apriori(transactions: Sequence[tuple[int, ...]], share: float) -> Frequent:
    """Level by level: count candidates, keep the frequent ones, join them to larger ones."""
    baskets = [bits_of(each) for each in transactions]
    least = share * len(baskets)
    candidates: Transactions = [(action,) for action in sorted({action for each in transactions for action in each})]
    found: Frequent = {}
    while candidates:
        masks = [(each, bits_of(each)) for each in candidates]
        level = {each: sum(basket & mask == mask for basket in baskets) for each, mask in masks}
        level = {each: number for each, number in level.items() if number >= least}
        found |= level
        joined = {(*one, other[-1]) for one in level for other in level if one[:-1] == other[:-1] and one < other}
        candidates = sorted(each for each in joined if all(part in level for part in combinations(each, len(each) - 1)))
    return found
