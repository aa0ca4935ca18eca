"""What a link says of the document it leads to, before anybody asked for that."""

from __future__ import annotations

import re

_MEDIA_TYPE = re.compile(r"[a-z]{1,20}/[a-z0-9.+-]{1,80}")


def rel_with_type(rel: str | None, kind: str | None) -> str:
    """A link's `rel` in lower case, followed by the media type that its `type` attribute declares."""
    declared = (kind or "").partition(";")[0].strip().lower()
    return f"{(rel or '').lower()} {declared if _MEDIA_TYPE.fullmatch(declared) else ''}".strip()
