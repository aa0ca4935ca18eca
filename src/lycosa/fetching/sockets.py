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
    """Linux: without the bookkeeping of `selectors`, which costs more than the kernel does.

    A kept connection is let go after every answer and watched again for the next, so a socket that is let go stays
    registered until something happens at it unasked. One that is closed meanwhile the kernel forgets by itself; its
    number may come back with another socket.
    """

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._registered: set[int] = set()
        self._let_go: set[int] = set()
        self.fileno = self._epoll.fileno
        self.close = self._epoll.close

    def watch(self, descriptor: int, events: int) -> None:
        """Watch a socket from now on for these events only; 0 lets go of it."""
        if not events:
            self._let_go.add(descriptor)
            return
        self._let_go.discard(descriptor)
        wanted = (select.EPOLLIN if events & READ else 0) | (select.EPOLLOUT if events & WRITE else 0)
        if descriptor in self._registered:
            try:
                self._epoll.modify(descriptor, wanted)
                return
            except FileNotFoundError:
                self._registered.remove(descriptor)
        self._epoll.register(descriptor, wanted)
        self._registered.add(descriptor)

    def ready(self) -> list[tuple[int, int]]:
        """The sockets at which something happened; an error or a hang-up shows when they are read."""
        found = []
        for descriptor, events in self._epoll.poll(0):
            if descriptor in self._let_go:
                self._let_go.remove(descriptor)
                self._registered.remove(descriptor)
                self._epoll.unregister(descriptor)
            else:
                reading = READ if events & ~select.EPOLLOUT else 0
                found.append((descriptor, (WRITE if events & select.EPOLLOUT else 0) | reading))
        return found


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
