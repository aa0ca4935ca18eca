"""The collector as an operator runs it: the command, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

COLLECT = """
import argparse, sys
from lycosa.interface.commands.clicks import collect
told = argparse.Namespace(home=sys.argv[1], host="127.0.0.1", port=0, set=sys.argv[2:], json=False)
sys.exit(collect.collect(told))
"""


@contextmanager
def collector_process(home: Path, *settings: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """A collector over a home: its port and its process, which is ended if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-c", COLLECT, str(home), *settings],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    try:
        told = process.stdout.readline()
        assert "127.0.0.1:" in told, f"the collector did not start: {process.stderr.read() if process.stderr else ''}"
        yield int(told.partition("127.0.0.1:")[2].partition("/")[0]), process
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=30)
