"""The beacon: the script that site owners paste into their pages, and the lines to paste (P1).

The script is served as it lies here; docs/beacon.md says what it measures and how. This
module only reads it and writes the lines, so that whoever serves it and whoever shows a
site owner what to do say the same.
"""

from __future__ import annotations

from functools import cache
from html import escape
from importlib.resources import files
from urllib.parse import quote, urlsplit

from lycosa.configuration.settings import ConfigurationError


@cache
def beacon_script() -> bytes:
    """The script, in UTF-8."""
    return files(__package__).joinpath("beacon.js").read_bytes()


def snippet(address: str, key: str) -> str:
    """The HTML to paste before the end of a page's body: the script, and a pixel where scripts are off.

    `address` is where the collector is reached from outside, `key` the site's. The pixel asks for the whole Referer,
    because by default browsers tell another site only the origin and the visited page would stay unknown.
    """
    base = _base(address)
    if not key:
        raise ConfigurationError("The beacon needs the key of its site; `lycosa clicks sites list` shows it.")
    pixel = f"{base}pixel.gif?k={quote(key, safe='')}"
    return (
        f'<script async src="{escape(base)}beacon.js" data-key="{escape(key)}"></script>\n'
        f'<noscript><img src="{escape(pixel)}" alt="" width="1" height="1" '
        'referrerpolicy="no-referrer-when-downgrade"></noscript>\n'
    )


def _base(address: str) -> str:
    """The collector's address with a slash at its end."""
    try:
        parts = urlsplit(address)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        known = False
    if not known:
        raise ConfigurationError(
            f"{address!r} is no address of a collector; give one like https://collector.example or https://example.org/clicks."
        )
    return address.rstrip("/") + "/"
