"""What the tests of the commands share: a way to run `lycosa`, and a crawl that was really made."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from lycosa.lab.simulated_web.web import SimulatedWeb

Lycosa = Callable[..., subprocess.CompletedProcess[str]]


class Crawled(NamedTuple):
    home: Path
    web: SimulatedWeb
    run: Lycosa
    job: Path


def quick(box: str, *more: str) -> tuple[str, ...]:
    """Options of a crawl of a simulated web without waiting, with more settings where they are wanted."""
    told = ("fetching.fetcher=simulated", f"fetching.web={box}", "politeness.delay=0s", "politeness.address_delay=0s")
    return tuple(option for setting in (*told, "patience=1s", *more) for option in ("--set", setting))


def runner(home: Path) -> Lycosa:
    def run(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        order = [sys.executable, "-m", "lycosa.interface.cli", "--home", str(home), *arguments]
        done = subprocess.run(order, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL, check=False)
        assert not check or done.returncode == 0, done.stderr + done.stdout
        return done

    return run
