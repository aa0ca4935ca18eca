"""A served web as a process: an interrupt ends it at a terminal, and is its parent's business otherwise."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

COMMAND = [sys.executable, "-m", "lycosa.lab.web_server", "box:3?hosts=2&pages=20"]


@contextmanager
def served(stdin: int) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(COMMAND, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline().strip().isdigit()
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_child_leaves_interrupts_to_its_parent_which_closes_its_input() -> None:
    with served(subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.send_signal(signal.SIGINT)
        process.stdin.write("advance 5\n")
        process.stdin.flush()
        assert process.stdout.readline() == "advanced\n"
        _, told = process.communicate(timeout=20)
    assert (process.returncode, told) == (0, "")


def test_at_a_terminal_one_interrupt_ends_it_without_a_traceback() -> None:
    own, its = pty.openpty()
    try:
        with served(its) as process:
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=20)
        assert process.returncode == 0
        assert told.count("\n") == 1
        assert told.endswith("Ctrl-C ends it\n")
    finally:
        os.close(own)
        os.close(its)
