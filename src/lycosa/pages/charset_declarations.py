"""What a document and its server declare about its charset: header, `<meta>`, XML declaration.

The document is scanned as browsers do before they parse it: comments and texts of scripts,
styles and titles are passed over, and only a `<meta>` with a `charset`, or one that stands for
the header `Content-Type`, declares anything. One match goes over all that is not of interest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lycosa.pages.charset_labels import codec_of

PRESCAN = 1024
"""Declarations inside the document count within this many first bytes (WHATWG)."""

_IN_HEADER = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([^\s\"';,]{1,40})", re.IGNORECASE)
_IN_CONTENT = re.compile(rb"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;\"'][^\s;]*))", re.IGNORECASE)
_IN_XML = re.compile(rb"<\?xml(?>[^>]*?encoding\s*=\s*(?:\"([^\"]*)\"|'([^']*)'))[^>]*>")
_ATTRIBUTE = re.compile(rb"([^\s/>][^\s/>=]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]*)))?")

_INSIDE_TAG = rb"(?:=\s*+(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))|[^>=]++|=)*+"
_COMMENT = rb"<!(?=--)(?:[^-]++|-(?!->))*+(?:-->|\Z)"
_RAW_TEXT = rb"|".join(
    rb"<%b(?=[\s/>])%b(?:>|\Z)(?:[^<]++|<(?!/%b[\s/>]))*+" % (name, _INSIDE_TAG, name)
    for name in (b"script", b"style", b"title", b"textarea", b"xmp", b"iframe", b"noembed", b"noframes")
)
_TAG = rb"</?(?!meta[\s/])[a-z]" + _INSIDE_TAG + rb"(?:>|\Z)"
_ELSE = rb"<[!/?][^>]*+|<(?!meta[\s/])|[^<]++"
_NO_META = re.compile(rb"(?:" + rb"|".join((_COMMENT, _RAW_TEXT, _TAG, _ELSE)) + rb")*+", re.IGNORECASE)
_META = re.compile(rb"<meta" + _INSIDE_TAG + rb">", re.IGNORECASE)


def by_header(content_type: str) -> str:
    """The codec that a `Content-Type` names, or ''."""
    found = _IN_HEADER.search(content_type[:1000])
    return codec_of(found[1]) if found else ""


def by_document(body: bytes) -> str:
    """The codec that a document declares, or ''; a document that can be read so far is not UTF-16."""
    head = body[:PRESCAN]
    if b"charset" in head.lower():
        for attributes in _metas(head):
            codec = codec_of(_declared_by(attributes).decode("ascii", "replace"))
            if codec:
                return _without_wide(codec)
    found = _IN_XML.match(head)
    return _without_wide(codec_of(_value(found, 1).decode("ascii", "replace"))) if found else ""


def _without_wide(codec: str) -> str:
    return "utf-8" if codec.startswith("utf-16") else codec


def _metas(head: bytes) -> Iterator[dict[bytes, bytes]]:
    """The attributes of each `<meta>`; of two with one name the first counts."""
    at = 0
    while (passed := _NO_META.match(head, at)) and (meta := _META.match(head, passed.end())):
        at = meta.end()
        attributes: dict[bytes, bytes] = {}
        for attribute in _ATTRIBUTE.finditer(head, meta.start() + len("<meta"), at - 1):
            attributes.setdefault(attribute[1].lower(), _value(attribute, 2))
        yield attributes


def _declared_by(attributes: dict[bytes, bytes]) -> bytes:
    if b"charset" in attributes:
        return attributes[b"charset"]
    if attributes.get(b"http-equiv", b"").lower() != b"content-type":
        return b""
    found = _IN_CONTENT.search(attributes.get(b"content", b""))
    return _value(found, 1) if found else b""


def _value(found: re.Match[bytes], first: int) -> bytes:
    """What was matched in one of the groups, quoted or not."""
    return next((group for group in found.groups()[first - 1 :] if group is not None), b"")
