"""The sockets that libcurl waits for: watched, let go and watched again, closed and their numbers used anew."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Iterator

import pytest

from lycosa.fetching.sockets import READ, WRITE, EpollSockets, SelectorSockets, Sockets, sockets

KINDS = [kind for kind in (EpollSockets, SelectorSockets) if kind is not EpollSockets or hasattr(select, "epoll")]


@pytest.fixture(params=KINDS)
def watched(request: pytest.FixtureRequest) -> Iterator[Sockets]:
    made: Sockets = request.param()
    yield made
    made.close()


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def is_awake(watched: Sockets) -> bool:
    """Whether an event loop would be called."""
    return bool(select.select([watched.fileno()], [], [], 0)[0])


def test_this_platform_has_one() -> None:
    assert isinstance(sockets(), KINDS[0])


def test_what_happens_is_told_as_long_as_it_is_watched_for(watched: Sockets, pair: tuple[socket.socket, ...]) -> None:
    ours, theirs = pair
    watched.watch(ours.fileno(), READ)
    assert watched.ready() == []
    watched.watch(ours.fileno(), READ | WRITE)
    assert watched.ready() == [(ours.fileno(), WRITE)]
    theirs.send(b"x")
    assert watched.ready() == [(ours.fileno(), READ | WRITE)]
    watched.watch(ours.fileno(), READ)
    assert watched.ready() == watched.ready() == [(ours.fileno(), READ)]


def test_a_socket_that_is_let_go_is_silent_until_it_is_watched_again(
    watched: Sockets, pair: tuple[socket.socket, ...]
) -> None:
    ours, theirs = pair
    watched.watch(ours.fileno(), READ)
    watched.watch(ours.fileno(), 0)
    theirs.send(b"x")
    assert watched.ready() == []
    assert not is_awake(watched)
    watched.watch(ours.fileno(), READ)
    assert watched.ready() == [(ours.fileno(), READ)]
    watched.watch(ours.fileno(), 0)
    watched.watch(ours.fileno(), WRITE)
    assert watched.ready() == [(ours.fileno(), WRITE)]


def test_the_other_end_hangs_up_on_a_socket_that_was_let_go(watched: Sockets, pair: tuple[socket.socket, ...]) -> None:
    ours, theirs = pair
    watched.watch(ours.fileno(), READ)
    watched.watch(ours.fileno(), 0)
    theirs.close()
    assert watched.ready() == []
    assert not is_awake(watched)
    watched.watch(ours.fileno(), READ)
    assert watched.ready() == [(ours.fileno(), READ)]


def test_a_number_that_comes_back_is_another_socket(watched: Sockets) -> None:
    for events in (READ, READ | WRITE, WRITE, READ):
        ours, theirs = socket.socketpair()
        number = os.dup(ours.fileno())
        ours.close()
        watched.watch(number, events)
        theirs.send(b"x")
        assert watched.ready() == [(number, events)]
        watched.watch(number, 0)
        os.close(number)
        theirs.close()
        assert watched.ready() == []


def test_letting_go_of_a_socket_that_was_never_watched_changes_nothing(
    watched: Sockets, pair: tuple[socket.socket, ...]
) -> None:
    ours, theirs = pair
    theirs.send(b"x")
    watched.watch(ours.fileno(), 0)
    assert watched.ready() == []
    watched.watch(ours.fileno(), READ)
    assert watched.ready() == [(ours.fileno(), READ)]
