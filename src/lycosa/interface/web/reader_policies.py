"""What a browser may do with a stored page: show it, and nothing else.

A stored page is foreign to the bone. It is shown in a frame that has no origin, runs no
script and may load nothing, and only the page around it may frame it; where it is saved
it is never opened here. Every answer below `/read` that differs from the server's usual
policy takes its headers from this module.
"""

from __future__ import annotations

FRAMING = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; frame-src 'self'"
)
"""The server's usual policy, and leave to frame what comes from here: so a frame cannot be led elsewhere either."""

ORIGINAL = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox",
    "X-Frame-Options": "SAMEORIGIN",
    "X-DNS-Prefetch-Control": "off",
    "Cross-Origin-Opener-Policy": "unsafe-none",
    "Cache-Control": "no-store",
}
"""A document without an origin cannot ask for an opener policy, so that one is let go."""

SAVED = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Opener-Policy": "unsafe-none",
    "Cache-Control": "no-store",
}
