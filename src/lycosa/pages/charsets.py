"""Bytes to text: which charset a document really has.

Declarations are hints, not facts: a byte order mark wins, then the HTTP header,
then the document's own `<meta>`; each is believed only as far as the bytes bear
it out. Where none of them decides, the bytes themselves are asked. Decoding never
fails: what cannot be read becomes U+FFFD.
"""

from __future__ import annotations

import codecs

from chardetng_py import EncodingDetector

from lycosa.pages.charset_declarations import PRESCAN, by_document, by_header
from lycosa.pages.charset_labels import codec_of, name_of

DETECTED_FROM = 16_384
"""Bytes that a charset is told from, counted from the first that is not ASCII."""
FEW_BYTES = 8
"""So few bytes outside ASCII are names and punctuation: they make no page Polish or Estonian."""

_WESTERN = "cp1252"
_NEAR_WESTERN = frozenset(
    ("cp1250", "cp1254", "cp1257", "cp1258", "iso8859-2", "iso8859-3", "iso8859-4", "iso8859-10", "iso8859-13",
     "iso8859-14", "iso8859-15", "iso8859-16")
)  # fmt: skip
"""The other charsets of the Latin alphabet."""
_MANY_BYTES = frozenset(("utf-8", "cp932", "euc_jp", "iso2022_jp", "cp949", "gb18030", "big5hkscs"))
"""Charsets that bytes can disprove: to them, most texts in other charsets are full of errors."""
_WIDE = frozenset(("utf-16-le", "utf-16-be"))
"""Whoever declares these lies, unless the bytes look like it."""
_SIGNATURES = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"\x7fELF", b"OggS", b"RIFF")
_TEXT_BYTES = bytes(code for code in range(256) if code in b"\t\n\r\x0c\x1b" or code >= 32)
_ASCII = bytes(range(128))


def looks_binary(body: bytes, content_type: str = "") -> bool:
    """Whether these bytes are no text in any charset, such as a PDF sent as HTML."""
    if body.startswith(_SIGNATURES):
        return True
    sample = body[:PRESCAN]
    controls = len(sample.translate(None, _TEXT_BYTES))
    return controls * 20 > len(sample) and not _by_mark(body) and not _utf_16(body, content_type)


def as_utf_8(body: bytes, content_type: str) -> tuple[bytes, str]:
    """The document in UTF-8, without a mark, and the name of its charset; mostly it is UTF-8 as it came."""
    marked = _by_mark(body)
    declared = "utf-8" in content_type.lower() and b"\0" not in body[:PRESCAN] and not marked
    if declared and (body.isascii() or _readable(body, "utf-8")):
        return body, "utf-8"
    codec = marked or _codec(body, content_type)
    if codec == "utf-8" and not marked and (body.isascii() or _readable(body, "utf-8")):
        return body, "utf-8"
    return _text(body, codec, marked).encode("utf-8", "replace"), name_of(codec)


def decoded(body: bytes, content_type: str) -> tuple[str, str]:
    """The text of a document and the name of its charset."""
    marked = _by_mark(body)
    codec = marked or _codec(body, content_type)
    return _text(body, codec, marked), name_of(codec)


def _text(body: bytes, codec: str, marked: str) -> str:
    if marked:
        body = body[3 if marked == "utf-8" else 2 :]
    return body.decode(codec, "replace")


def _by_mark(body: bytes) -> str:
    if body.startswith(codecs.BOM_UTF8):
        return "utf-8"
    if body.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    return "utf-16-be" if body.startswith(codecs.BOM_UTF16_BE) else ""


def _codec(body: bytes, content_type: str) -> str:
    """Of a document without a mark: the declared codec where the bytes bear it out, else what they look like.

    A few bad bytes (a cut, a pasted word) do not change the charset; many mean that it is another one.
    """
    wide = _utf_16(body, content_type)
    if wide:
        return wide
    header = by_header(content_type)
    if not header and _calls_itself_utf_8(body):
        return "utf-8"
    declared = [codec for codec in (header, by_document(body)) if codec and codec not in _WIDE]
    for codec in declared:
        if codec not in _MANY_BYTES:
            break
        if _readable(body, codec):
            return codec
    if not body.isascii() and _readable(body, "utf-8"):
        return "utf-8"
    for codec in declared:
        if codec not in _MANY_BYTES or _little_damage(body, codec):
            return codec
    return _seen(body)


def _calls_itself_utf_8(body: bytes) -> bool:
    """Whether a page can be read as UTF-8 and names it somewhere: most do, and need no closer look."""
    return b"utf-8" in body[:PRESCAN].lower() and b"\x1b" not in body and _readable(body, "utf-8")


def _readable(body: bytes, codec: str) -> bool:
    try:
        body.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _little_damage(body: bytes, codec: str) -> bool:
    sample = body[: 1 << 20].decode(codec, "replace")
    foreign = len(sample) - len(sample.encode("ascii", "ignore"))
    return sample.count("\ufffd") * 4 < foreign


def _seen(body: bytes) -> str:
    """What bytes look like that nothing true is said of."""
    first = _first_foreign(body)
    if first < 0 or _little_damage(body, "utf-8"):
        return "utf-8"
    begin = max(0, first - 1)
    sample = body[begin : begin + DETECTED_FROM]
    detector = EncodingDetector()
    detector.feed(sample, last=begin + len(sample) == len(body))
    guess = detector.guess(tld=None, allow_utf8=False)
    codec = codec_of("windows-874" if guess == "cp874" else guess) or _WESTERN
    few = codec in _NEAR_WESTERN and len(sample.translate(None, _ASCII)) < FEW_BYTES
    return _WESTERN if few else codec


def _first_foreign(body: bytes) -> int:
    """Where something stands that is not plain ASCII, or -1."""
    try:
        body.decode("ascii")
    except UnicodeDecodeError as error:
        return error.start
    return body.find(b"\x1b")


def _utf_16(body: bytes, content_type: str) -> str:
    """UTF-16 without a mark: every other byte of its markup is zero."""
    sample = body[: PRESCAN // 4 * 2]
    if b"\0" not in sample:
        return ""
    half = max(1, len(sample) // 2)
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd * 5 > half * 2 and even * 20 < half:
        return "utf-16-le"
    if even * 5 > half * 2 and odd * 20 < half:
        return "utf-16-be"
    declared = by_header(content_type)
    if declared.startswith("utf-16") and _readable(sample, declared):
        zeros, stray = (odd, even) if declared == "utf-16-le" else (even, odd)
        return declared if zeros * 50 > half and stray * 4 < zeros else ""
    return ""
