"""A comparison of one trial by one worker, which prints a line and is then stuck in C code that hears no signal."""

from __future__ import annotations

from collections import deque
from itertools import repeat

from lycosa.lab.workers import results_of


def stuck(number: int) -> None:
    print("begun", flush=True)
    deque(repeat(number), maxlen=0)


if __name__ == "__main__":
    for _ in results_of([1], stuck, 1):
        print("it came to an end")
