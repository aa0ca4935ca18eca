"""A command in a process of its own, so that what kills whoever reads a damaged file becomes a sentence."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

BROKEN = (signal.SIGBUS, signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)
"""What a process dies of that has read what was never written."""
FAILED = 2


def _end_with(run: Callable[[], int]) -> NoReturn:
    """Run a command and end this process, which must not go on as its parent would."""
    code: object = FAILED
    try:
        code = run()
        sys.stdout.flush()
    except SystemExit as ended:
        code = ended.code or 0
    except BaseException:  # noqa: BLE001 - told as Python would, which does not get to it
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else FAILED)


def apart(run: Callable[[], int], remedy: str) -> int:
    """The exit code of a command; `remedy` is what to do where a damaged file ended it."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _end_with(run)

    def pass_on(number: int, _: FrameType | None) -> None:
        os.kill(child, number)

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells all of its processes
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, pass_on)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if -code in BROKEN:
        print(f"lycosa: a file that was read is damaged ({signal.strsignal(-code)}); {remedy}", file=sys.stderr)
        return FAILED
    return code if code >= 0 else 128 - code
