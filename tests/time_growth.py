"""How the time of some work grows with the text it is given."""

from __future__ import annotations

import time
from collections.abc import Callable

SHORTEST = 0.005
"""Seconds of the processor; less is not measured, but doubled."""
LARGEST = 2**19
MOST_GROWTH = 2.5
"""Per doubling: in proportion is 2, quadratic is 4."""


def best_time(work: Callable[[], object], turns: int) -> float:
    """The least time of the processor that some turns of the work take."""
    times = []
    for _ in range(turns):
        began = time.thread_time()
        work()
        times.append(time.thread_time() - began)
    return min(times)


def may_grow_too_fast(work: Callable[[int], Callable[[], object]], size: int) -> bool:
    """Whether eight times the text takes so much more time that a closer look is worth it; mostly it does not."""
    long = best_time(work(8 * size), 1)
    return long >= SHORTEST / 10 and long > 14 * best_time(work(size), 1)


def growth(work: Callable[[int], Callable[[], object]], size: int) -> float:
    """By how much the time grows when the size doubles, from the first size that can be measured; 0 where none can.

    Of two doublings the lesser counts: where other work begins, as it does for many tags, the time makes one step.
    `work` prepares the work for a size, which takes no part in the time.
    """
    while size <= LARGEST:
        if best_time(work(size), 1) >= SHORTEST:
            once, twice = best_time(work(size), 5), best_time(work(2 * size), 5)
            return min(twice / once, best_time(work(4 * size), 2) / twice)
        size *= 2
    return 0.0


def grows_too_fast(work: Callable[[int], Callable[[], object]], size: int) -> bool:
    """Whether work takes much more than twice the time for twice the text; where the machine was busy, asked again."""
    return may_grow_too_fast(work, size) and all(growth(work, size) > MOST_GROWTH for _ in range(2))
