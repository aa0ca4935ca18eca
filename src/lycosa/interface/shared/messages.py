"""What travels over the API: records that are objects in JSON."""

from __future__ import annotations

import msgspec


class Message(msgspec.Struct, frozen=True):
    """A request or an answer; its fields are the names in JSON."""
