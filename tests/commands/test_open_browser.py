"""The browser opens for a person at a terminal with a display, and for nobody else."""

from __future__ import annotations

import threading

import pytest

from lycosa.interface.commands import open_browser as opening

ADDRESS = "http://127.0.0.1:1/sign-in?key=x"


@pytest.mark.parametrize(
    ("platform", "environment", "shown"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
        ("darwin", {"SSH_CONNECTION": "a b"}, False),
    ],
)
def test_who_has_a_display(platform: str, environment: dict[str, str], shown: bool) -> None:
    assert opening.has_display(platform, environment) is shown


@pytest.mark.parametrize("terminal", [True, False])
def test_the_browser_opens_on_a_terminal_with_a_display(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    opened, done = [], threading.Event()

    def shown(address: str) -> bool:
        opened.append(address)
        done.set()
        return True

    monkeypatch.setattr(opening.webbrowser, "open", shown)
    monkeypatch.setattr(opening, "has_display", lambda *_: True)
    monkeypatch.setattr(opening.sys.stdout, "isatty", lambda: terminal, raising=False)
    opening.open_browser(ADDRESS)
    assert done.wait(5) is terminal if terminal else not opened
    assert opened == ([ADDRESS] if terminal else [])
