"""Opens the browser of whoever sits at this machine."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Mapping


def open_browser(address: str) -> None:
    """Show an address in the browser, where a person watches a terminal and has a display; wait for nothing."""
    if sys.stdout.isatty() and has_display(sys.platform, os.environ):
        threading.Thread(target=webbrowser.open, args=[address], daemon=True).start()


def has_display(platform: str, environment: Mapping[str, str]) -> bool:
    """Whether windows can be shown: on another machine, reached by ssh, they would be shown to nobody."""
    if platform in ("darwin", "win32"):
        return "SSH_CONNECTION" not in environment
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))
