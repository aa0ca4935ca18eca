"""Text and addresses from crawled pages, made harmless for our own pages."""

from __future__ import annotations

import html
import re

from markupsafe import Markup, escape

_MARK = re.compile(r"(</?b>)")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_WEB = re.compile(r"https?://[^\s\x00-\x1f\x7f]+", re.IGNORECASE)


def href(url: str) -> str | None:
    """The address to link to, or None where it is none of the web."""
    return url if _WEB.fullmatch(url) else None


def tidy(text: str) -> str:
    """Foreign text on one line, without control characters and orders to change the direction of writing."""
    return " ".join(_CONTROL.sub(" ", text).split())


def marked(snippet: str) -> Markup:
    """A snippet with its hits marked, and nothing else of what may look like markup in it."""
    parts, inside = [], False
    for part in _MARK.split(snippet):
        if part in ("<b>", "</b>"):
            if inside != (part == "<b>"):
                inside = not inside
                parts.append(Markup("<mark>") if inside else Markup("</mark>"))
        else:
            parts.append(escape(_CONTROL.sub(" ", html.unescape(part))))
    return Markup("").join(parts) + (Markup("</mark>") if inside else "")
