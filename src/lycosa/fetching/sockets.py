"""The sockets that libcurl waits for, gathered in one file that an event loop can watch.

A whole batch of ready sockets then costs the loop one callback. Events are
bits: 1 for reading, 2 for writing, as libcurl and `selectors` both have them.
"""

from __future__ import annotations

import select
import selectors
from typing import Protocol

READ, WRITE = 1, 2


class Sockets(Protocol):
    """Sockets, and what each of them is watched for."""

    def fileno(self) -> int:
        """The file that becomes readable when something happens."""
        ...

    def watch(self, descriptor: int, events: int) -> None:
        """Watch a socket from now on for these events only; 0 lets go of it."""
        ...

    def ready(self) -> list[tuple[int, int]]:
        """The sockets at which something happened, and what."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


def sockets() -> Sockets:
    """The quickest kind this platform has."""
    return EpollSockets() if hasattr(select, "epoll") else SelectorSockets()


class EpollSockets:
    """Linux: without the bookkeeping of `selectors`, which costs more than the kernel does."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watched: set[int] = set()
        self.fileno = self._epoll.fileno
        self.close = self._epoll.close

    def watch(self, descriptor: int, events: int) -> None:
        """Watch a socket from now on for these events only; 0 lets go of it."""
        known = descriptor in self._watched
        if not events:
            if known:
                self._watched.remove(descriptor)
                self._epoll.unregister(descriptor)
            return
        wanted = (select.EPOLLIN if events & READ else 0) | (select.EPOLLOUT if events & WRITE else 0)
        if known:
            self._epoll.modify(descriptor, wanted)
        else:
            self._watched.add(descriptor)
            self._epoll.register(descriptor, wanted)

    def ready(self) -> list[tuple[int, int]]:
        """The sockets at which something happened; an error or a hang-up shows when they are read."""
        return [
            (descriptor, (WRITE if events & select.EPOLLOUT else 0) | (READ if events & ~select.EPOLLOUT else 0))
            for descriptor, events in self._epoll.poll(0)
        ]


class SelectorSockets:
    """Elsewhere: the platform's selector, which must be a file itself, as kqueue is."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self.fileno = self._selector.fileno
        self.close = self._selector.close

    def watch(self, descriptor: int, events: int) -> None:
        """Watch a socket from now on for these events only; 0 lets go of it."""
        known = descriptor in self._selector.get_map()
        if events and known:
            self._selector.modify(descriptor, events)
        elif events:
            self._selector.register(descriptor, events)
        elif known:
            self._selector.unregister(descriptor)

    def ready(self) -> list[tuple[int, int]]:
        """The sockets at which something happened."""
        return [(key.fd, events) for key, events in self._selector.select(0)]
