"""Reading what may be damaged in a process that may die: a memory-mapped file that is cut short kills whoever reads it.

Each place (a crawl, a click store) has a reading process, which is started when something is first asked of it and
again after it died. `ReadingProcesses.call` runs a function of a module there and hands back what it returns or raises.
Time and memory are bounded by the system, so nothing has to be asked of a process that hangs. A function marked `apart`
runs so wherever `begin` was called; elsewhere, and in the reading process itself, it runs as it is. See decision 14.
"""

from __future__ import annotations

import atexit
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import wraps
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from lycosa.user_error import Mendable

PATIENCE = 30.0
"""Seconds that a call may take, unless it asks for more."""
MOST_PROCESSES = 24
MOST_REMEMBERED = 1000
REST = 5.0
"""Seconds for which nobody asks again what a process died of."""
GRACE = 5.0
"""Seconds after which an answer is no longer expected of a process that the system should have ended."""
P = ParamSpec("P")
T = TypeVar("T")


class ReadingDied(Mendable):
    """The process that read a place died of it."""


class ReadingSlow(ReadingDied):
    """Reading took too long, and was ended."""


class Broken(Exception):
    """Something went wrong in a reading process that cannot be handed over as it is; the text is its traceback."""


class ReadingProcesses:
    """The reading processes of this process. `modules` are imported once, for all of them."""

    def __init__(self, modules: Iterable[str] = (), most: int = MOST_PROCESSES) -> None:
        self._modules, self._most = tuple(modules), most
        self._readers: OrderedDict[Path, _Reader] = OrderedDict()
        self._died: dict[tuple[Path, str], tuple[float, str]] = {}
        self._one_by_one = threading.Lock()
        self._parent: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    def call(
        self, place: Path, function: Callable[..., T], /, *args: Any, patience: float = PATIENCE, **named: Any
    ) -> T:
        """What a function of a module returns, or raises, when the process that reads a place runs it.

        Who was interrupted because that process died, perhaps of another call, is asked again alone.
        """
        what = f"{function.__module__}:{function.__qualname__}"
        died = self._died.get((place, what))
        if died is not None and monotonic() < died[0] + REST:
            raise ReadingDied(died[1])
        message = pickle.dumps((patience, what, args, named), pickle.HIGHEST_PROTOCOL)
        answer: T
        try:
            with self._reader(place) as reader:
                answer = reader.ask(message, patience)
        except ReadingSlow as error:
            self._note(place, what, str(error))
            raise
        except ReadingDied:
            answer = self._ask_alone(place, what, message, patience)
        self._died.pop((place, what), None)
        return answer

    def _ask_alone(self, place: Path, what: str, message: bytes, patience: float) -> Any:
        with self._one_by_one:
            reader = _Reader(self._forked())
        try:
            return reader.ask(message, patience)
        except ReadingDied as error:
            self._note(place, what, str(error))
            raise
        finally:
            reader.close()

    def _note(self, place: Path, what: str, why: str) -> None:
        self._died[place, what] = (monotonic(), why)
        while len(self._died) > MOST_REMEMBERED:
            self._died.pop(next(iter(self._died)), None)

    def start(self) -> None:
        """Have the modules imported ahead of need."""
        with self._one_by_one:
            self._started()

    def close(self) -> None:
        """End all reading processes; another call starts them again."""
        with self._one_by_one:
            for reader in self._readers.values():
                reader.close()
            self._readers.clear()
            self._end_parent()

    @contextmanager
    def _reader(self, place: Path) -> Iterator[_Reader]:
        """The process that reads a place; the one that was asked longest ago may have to end for it."""
        with self._one_by_one:
            reader = self._readers.get(place)
            if reader is None or reader.dead:
                reader = self._readers[place] = _Reader(self._forked())
            self._readers.move_to_end(place)
            reader.users += 1
            idle = [each for each, other in self._readers.items() if not other.users]
            for each in idle[: max(0, len(self._readers) - self._most)]:
                self._readers.pop(each).close()
        try:
            yield reader
        finally:
            with self._one_by_one:
                reader.users -= 1

    def _forked(self) -> Connection:
        """The connection to a new process, forked from one that has imported everything and does nothing else."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                socket.send_fds(self._started(), [b"f"], [theirs.fileno()])
            except OSError:
                self._end_parent()
                socket.send_fds(self._started(), [b"f"], [theirs.fileno()])
        return Connection(ours.detach())

    def _started(self) -> socket.socket:
        if self._control is None:
            self._control, theirs = socket.socketpair()
            with theirs:
                handed, command = theirs.fileno(), [sys.executable, "-m", "lycosa.reading_child"]
                self._parent = subprocess.Popen(
                    [*command, str(handed), *self._modules],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[handed],
                    env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
                )
        return self._control

    def _end_parent(self) -> None:
        """It ends when nobody is left to ask it."""
        if self._control is not None and self._parent is not None:
            self._control.close()
            self._parent.wait(GRACE)
            self._control = self._parent = None


class _Reader:
    """One reading process, with the calls that it has not answered yet."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._asked: dict[int, Future[Any]] = {}
        self._number, self._sending = 0, threading.Lock()
        self.users, self.dead = 0, False
        threading.Thread(target=self._listen, name="reading-process", daemon=True).start()

    def ask(self, message: bytes, patience: float) -> Any:
        """The answer to a call."""
        answer: Future[Any] = Future()
        began = monotonic()
        with self._sending:
            self._number += 1
            self._asked[self._number] = answer
            try:
                self._connection.send_bytes(self._number.to_bytes(8, "big") + message)
            except OSError:
                self.dead = True
        if self.dead:
            self._fail()
        try:
            return answer.result(patience + GRACE)
        except (ReadingDied, TimeoutError):
            if monotonic() - began < patience:
                raise
            raise ReadingSlow(f"reading took longer than {patience:g} s") from None

    def close(self) -> None:
        """Let the process end, which it does when nobody can ask it any more."""
        self.dead = True
        with self._sending:
            if not self._connection.closed:
                with socket.socket(fileno=os.dup(self._connection.fileno())) as both:
                    both.shutdown(socket.SHUT_RDWR)

    def _listen(self) -> None:
        try:
            while True:
                data = self._connection.recv_bytes()
                answer = self._asked.pop(int.from_bytes(data[:8], "big"), None)
                if answer is not None:
                    _settle(answer, data[8:])
        except (EOFError, OSError):
            self.dead = True
            self._fail()
            with self._sending:
                self._connection.close()

    def _fail(self) -> None:
        while self._asked:
            _, answer = self._asked.popitem()
            answer.set_exception(ReadingDied("the process that read it died"))


def _settle(answer: Future[Any], data: bytes) -> None:
    try:
        good, value = pickle.loads(data)
    except Exception as error:  # noqa: BLE001 - it is for the caller to hear of, not for the listener to die of
        good, value = False, error
    if good:
        answer.set_result(value)
    else:
        answer.set_exception(value)


# -- functions that run apart -------------------------------------------------------------------------

_processes: ReadingProcesses | None = None


def begin(modules: Iterable[str]) -> ReadingProcesses:
    """From here on functions marked `apart` run in reading processes."""
    global _processes
    if _processes is None:
        _processes = ReadingProcesses(modules)
        atexit.register(_processes.close)
    return _processes


def apart(place: Callable[[Any], Path], patience: float = PATIENCE) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Have a function run in the reading process of a place, which follows from its first argument."""

    def marked(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def called(*args: P.args, **named: P.kwargs) -> T:
            if _processes is None:
                return function(*args, **named)
            return _processes.call(place(args[0]), called, *args, patience=patience, **named)

        return called

    return marked
