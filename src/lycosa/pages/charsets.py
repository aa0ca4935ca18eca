"""Bytes to text: which charset a document really has.

Declarations are hints, not facts: a byte order mark wins, then the HTTP header,
then the document's own `<meta>`; each is believed only as far as the bytes bear
it out. Decoding never fails: what cannot be read becomes U+FFFD.
"""

from __future__ import annotations

import codecs
import re
from encodings.aliases import aliases
from functools import lru_cache

PRESCAN = 1024
"""Declarations inside the document count within this many first bytes (WHATWG)."""

_CODECS = {
    "utf-8": "utf-8", "utf-16": "utf-16-le", "utf-16-le": "utf-16-le", "utf-16-be": "utf-16-be", "cp866": "cp866",
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "shift_jis": "cp932", "cp932": "cp932", "euc_jp": "euc_jp", "iso2022_jp": "iso2022_jp",
    "euc_kr": "cp949", "cp949": "cp949", "gb2312": "gb18030", "gbk": "gb18030", "gb18030": "gb18030",
    "big5": "big5hkscs", "big5hkscs": "big5hkscs", "koi8-r": "koi8-r", "koi8-u": "koi8-u",
    "mac-roman": "mac-roman", "mac-cyrillic": "mac-cyrillic", "cp874": "cp874",
    **{f"cp{page}": f"cp{page}" for page in range(1250, 1259)},
    **{f"iso8859-{part}": f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
}  # fmt: skip
"""The charsets of the web and the codec that browsers really use for each."""

_NAMES = {
    "cp932": "shift_jis", "cp949": "euc-kr", "big5hkscs": "big5", "euc_jp": "euc-jp", "iso2022_jp": "iso-2022-jp",
    "cp866": "ibm866", "mac-roman": "macintosh", "mac-cyrillic": "x-mac-cyrillic", "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
}  # fmt: skip
_MANY_BYTES = frozenset(("cp932", "euc_jp", "iso2022_jp", "cp949", "gb18030", "big5hkscs"))
_ODD_LABELS = {"unicode-1-1-utf-8": "utf-8", "x-sjis": "shift_jis", "x-gbk": "gbk", "x-cp1252": "cp1252",
               "x-cp1251": "cp1251", "x-cp1250": "cp1250", "dos-874": "cp874", "windows-874": "cp874",
               "ks_c_5601-1987": "euc_kr", "macintosh": "mac-roman", "x-mac-cyrillic": "mac-cyrillic"}  # fmt: skip

_MODULES = frozenset(aliases.values())

_IN_HEADER = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([^\s\"';,]{1,40})", re.IGNORECASE)
_IN_DOCUMENT = re.compile(rb"<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.I)
_SIGNATURES = (b"%PDF-", b"PK\x03\x04", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x1f\x8b", b"\x7fELF", b"OggS", b"RIFF")
_TEXT_BYTES = bytes(code for code in range(256) if code in b"\t\n\r\x0c\x1b" or code >= 32)


def codec_of(label: str) -> str:
    """The codec for a charset label of the web, or '' where it names none."""
    return _codec_of(label.strip().lower()[:40])


@lru_cache(maxsize=512)
def _codec_of(label: str) -> str:
    """Only labels that Python knows are looked up: it would remember each unknown one for ever."""
    written = re.sub(r"[^a-z0-9]+", "_", _ODD_LABELS.get(label, label))
    if written not in aliases and written not in _MODULES:
        return ""
    try:
        return _CODECS.get(codecs.lookup(written).name, "")
    except LookupError:
        return ""


def looks_binary(body: bytes) -> bool:
    """Whether these bytes are no text in any charset, such as a PDF sent as HTML."""
    if body.startswith(_SIGNATURES):
        return True
    sample = body[:PRESCAN]
    controls = len(sample.translate(None, _TEXT_BYTES))
    return controls * 20 > len(sample) and not _utf_16(body)


def as_utf_8(body: bytes, content_type: str) -> tuple[bytes, str]:
    """The document in UTF-8, without a mark, and the name of its charset; mostly it is UTF-8 as it came."""
    declared = "utf-8" in content_type.lower() and b"\0" not in body[:PRESCAN] and not _by_mark(body)
    if declared and (body.isascii() or _readable(body, "utf-8")):
        return body, "utf-8"
    text, charset = decoded(body, content_type)
    return text.encode("utf-8", "replace"), charset


def decoded(body: bytes, content_type: str) -> tuple[str, str]:
    """The text of a document and the name of its charset."""
    marked = _by_mark(body)
    if marked:
        return body[3 if marked == "utf-8" else 2 :].decode(marked, "replace"), name_of(marked)
    if "utf-8" in content_type.lower() and b"\0" not in body[:PRESCAN]:
        try:
            return body.decode(), "utf-8"
        except UnicodeDecodeError:
            codec = _least_damage(body, "utf-8")
    else:
        codec = _believed(body, content_type)
    return body.decode(codec, "replace"), name_of(codec)


def name_of(codec: str) -> str:
    """How the web calls what Python calls `codec`."""
    if codec in _NAMES:
        return _NAMES[codec]
    return codec.replace("cp12", "windows-12").replace("cp874", "windows-874").replace("iso8859", "iso-8859")


def _by_mark(body: bytes) -> str:
    if body.startswith(codecs.BOM_UTF8):
        return "utf-8"
    if body.startswith(codecs.BOM_UTF16_LE):
        return "utf-16-le"
    return "utf-16-be" if body.startswith(codecs.BOM_UTF16_BE) else ""


def _believed(body: bytes, content_type: str) -> str:
    """The declared codec where the bytes bear it out, else what they look like."""
    zeros = _utf_16(body)
    if zeros:
        return zeros
    declared = _declared(body, content_type)
    if declared in _MANY_BYTES and _readable(body, declared):
        return declared
    if not body.isascii() and _readable(body, "utf-8"):
        return "utf-8"
    if declared in ("", "utf-8") or declared in _MANY_BYTES:
        return _least_damage(body, declared or "utf-8")
    return declared


def _declared(body: bytes, content_type: str) -> str:
    """UTF-16 without a zero byte is a lie, wherever it is told."""
    header = _IN_HEADER.search(content_type[:1000])
    codec = codec_of(header[1]) if header else ""
    if not codec:
        meta = _IN_DOCUMENT.search(body, 0, PRESCAN)
        codec = codec_of(meta[1].decode("ascii", "replace")) if meta else ""
    return "" if codec.startswith("utf-16") else codec


def _readable(body: bytes, codec: str) -> bool:
    try:
        body.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _least_damage(body: bytes, codec: str) -> str:
    """A few bad bytes (a cut, a pasted word) do not change the charset; many mean that it is another one."""
    if body.isascii():
        return codec
    sample = body[: 1 << 20].decode(codec, "replace")
    foreign = len(sample) - len(sample.encode("ascii", "ignore"))
    return codec if sample.count("\ufffd") * 4 < foreign else "cp1252"


def _utf_16(body: bytes) -> str:
    """UTF-16 without a mark: every other byte of its markup is zero."""
    sample = body[: PRESCAN // 4 * 2]
    if b"\0" not in sample:
        return ""
    half = max(1, len(sample) // 2)
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if odd * 5 > half * 2 and even * 20 < half:
        return "utf-16-le"
    return "utf-16-be" if even * 5 > half * 2 and odd * 20 < half else ""
