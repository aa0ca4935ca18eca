"""The program of a reading process: imports modules once, then is forked for each place that is to be read.

`python -m lycosa.reading_child FD MODULE...` gets a socket on which sockets arrive. Each of these becomes the
connection of a new process, which answers calls until nobody can ask it any more. See `reading_processes`.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import socket
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from multiprocessing.connection import Connection
from operator import attrgetter
from threading import Lock
from time import monotonic
from typing import Any

from lycosa.reading_processes import Broken

MOST_AT_ONCE = 8
LARGEST = 4 << 30
"""Bytes that a process may take for itself; files that it maps do not count."""
SOON = 0.001


class _Clock:
    """Has the system end this process when a call takes too long, whatever it does then."""

    def __init__(self) -> None:
        self._until: dict[int, float] = {}
        self._lock = Lock()

    def begin(self, number: int, patience: float) -> None:
        with self._lock:
            self._until[number] = monotonic() + patience
            self._set()

    def end(self, number: int) -> None:
        with self._lock:
            del self._until[number]
            self._set()

    def _set(self) -> None:
        left = max(SOON, min(self._until.values()) - monotonic()) if self._until else 0.0
        signal.setitimer(signal.ITIMER_REAL, left)


def _answer_calls(connection: Connection) -> None:
    clock, sending = _Clock(), Lock()

    def answer(number: int, data: bytes) -> None:
        told = _outcome(data)
        clock.end(number)
        with sending:
            connection.send_bytes(number.to_bytes(8, "big") + told)

    pool = ThreadPoolExecutor(MOST_AT_ONCE)
    while True:
        try:
            data = connection.recv_bytes()
        except (EOFError, OSError):
            return
        number = int.from_bytes(data[:8], "big")
        clock.begin(number, pickle.loads(data[8:])[0])
        pool.submit(answer, number, data[8:])


def _outcome(data: bytes) -> bytes:
    """Whether a call went well, and what it returned or raised. A panic of a compiled library is no Exception."""
    try:
        _, what, args, named = pickle.loads(data)
        module, _, name = what.partition(":")
        function = attrgetter(name)(import_module(module))
        return pickle.dumps((True, function(*args, **named)), pickle.HIGHEST_PROTOCOL)
    except BaseException as error:  # noqa: BLE001
        return _raised(error)


def _raised(error: BaseException) -> bytes:
    trace = "".join(traceback.format_exception(error))
    try:
        told: Any = pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)
        if isinstance(error, Exception) and type(pickle.loads(told)[1]) is type(error):
            error.add_note(trace)
            return pickle.dumps((False, error), pickle.HIGHEST_PROTOCOL)
    except Exception as odd:  # noqa: BLE001 - an error that cannot be pickled or made again is handed over as text
        trace += f"\n{odd!r}"
    return pickle.dumps((False, Broken(trace)), pickle.HIGHEST_PROTOCOL)


def main() -> None:
    """Fork a process for each socket that comes, until none can come any more."""
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (LARGEST, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    for name in sys.argv[2:]:
        import_module(name)
    gc.freeze()
    while True:
        _, handed, _, _ = socket.recv_fds(control, 1, 1)
        if not handed:
            return
        if os.fork() == 0:
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer_calls(Connection(handed[0]))
            os._exit(0)
        os.close(handed[0])


if __name__ == "__main__":
    main()
