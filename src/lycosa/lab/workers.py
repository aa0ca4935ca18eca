"""Many trials on all cores: processes forked after the web is read, so that its pages are shared.

What fails fails alone. An exception is the result of its trial; when a process dies (out of
memory, a crash in native code), the trials it leaves behind get a process each, so that only the
guilty one is lost.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple, TypeVar

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


class Failure(NamedTuple):
    """A trial that came to nothing, and why."""

    why: str


DIED = Failure("its process died; there may be too little memory for this web and budget")
_inherited: list[Any] = []
"""Jobs and what to do with them, as a forked process finds them."""


def results_of(
    jobs: Sequence[_Job], attempt: Callable[[_Job], _Result], workers: int
) -> Iterator[tuple[int, _Result | Failure]]:
    """The place and result of each job, as they get done.

    A single worker is a process too: this one stays free to hear Ctrl-C, and can end what does not.
    """
    left = set(range(len(jobs)))
    for place, result in _pooled(jobs, attempt, sorted(left), workers):
        left.discard(place)
        yield place, result
    for place in sorted(left):
        yield next(_pooled(jobs, attempt, [place], 1), (place, DIED))


def _pooled(
    jobs: Sequence[_Job], attempt: Callable[[_Job], _Result], places: Sequence[int], workers: int
) -> Iterator[tuple[int, _Result | Failure]]:
    """Results from a pool, up to the end or to a death in it."""
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(max(1, min(workers, len(places))), context, _inherit, (jobs, attempt)) as pool:
        try:
            waiting = {pool.submit(_attempt_at, place): place for place in places}
            for future in as_completed(waiting):
                yield waiting[future], future.result()
        except BrokenProcessPool:
            return
        except BaseException:
            for worker in multiprocessing.active_children():
                worker.kill()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _inherit(jobs: Sequence[Any], attempt: Callable[[Any], Any]) -> None:
    _inherited[:] = [jobs, attempt]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the parent, which says so to all at once


def _attempt_at(place: int) -> Any:
    jobs, attempt = _inherited
    return _attempted(jobs[place], attempt)


def _attempted(job: _Job, attempt: Callable[[_Job], _Result]) -> _Result | Failure:
    try:
        return attempt(job)
    except Exception as error:  # noqa: BLE001 - whatever a strategy raises is the result of its trial
        return Failure(f"{type(error).__name__}: {error}")
