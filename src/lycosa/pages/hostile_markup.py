"""Markup that would make an HTML parser work for minutes, cut down before it is parsed.

Browsers' parsing rules cost time in the depth of open elements for every tag,
copy all open formatting elements (`<b>`, `<font>`) into every new block, and
compare each attribute with all earlier ones of its element. None of it shows on
a page a person wrote, so ordinary pages pay one count of `<` and a few looks
for `>`; only large or strange ones are scanned tag by tag.
"""

from __future__ import annotations

import re

from lycosa.text import occurrences

PLAIN_TAGS = 2_000
"""Up to so many tags no nesting can do harm."""
MANY_TAGS = 14_000
"""Up to so many tags only open formatting elements can do harm, and only if no two are equal."""
MOST_TAGS = 400_000
"""What comes after so many tags is not read."""
PLAIN_BYTES = 32_768
"""One element fills a document of this size with attributes, and still parses quickly."""
MANY_BYTES = 131_072
_WINDOW = 2_048

MOST_COPIES = 4_000_000
"""Open formatting elements times tags: elements that the parser might have to make up."""
MOST_STEPS = 200_000_000
"""Depth times tags: steps that the parser might take up and down the open elements."""

_FORMATTING = rb"b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
_FORMATTED = re.compile(rb"<(?:" + _FORMATTING + rb")[\s/]", re.IGNORECASE)
_FORMATTING_TAG = re.compile(rb"</?(?:" + _FORMATTING + rb")(?=[\s/>])[^>]*+>", re.IGNORECASE)
_LINK = re.compile(rb"<a\s", re.IGNORECASE)
_NESTING_TAG = re.compile(rb"</?(?!/?(?:a|p|h[1-6]|br|title|area|meta)[\s/>])[a-zA-Z][^>]*+>", re.IGNORECASE)
_ATTRIBUTE = rb"(?:=\s*+(?:\"[^\"]*+\"|'[^']*+')|=|[^>=]{1,24}+)"
_UNPARSED = rb"<!--(?:[^-]++|-(?!->))*+|<(?:script|style)\b(?:[^<]++|<(?!/s))*+"
_TAG = re.compile(_UNPARSED + rb"|<(/?)([a-zA-Z][^\s/>]*+)" + _ATTRIBUTE + rb"*+", re.IGNORECASE)
_ORDINARY = re.compile(
    rb"(?:[^<]++|<(?![a-zA-Z!])|<!(?!--)|" + _UNPARSED + rb"|<[a-zA-Z]" + _ATTRIBUTE + rb"{0,96}+>)*+",
    re.IGNORECASE,
)
_OVERLONG_TAG = re.compile(rb"<([a-zA-Z][a-zA-Z0-9]{0,15})" + _ATTRIBUTE + rb"{96}" + _ATTRIBUTE + rb"*+>?")
_CLOSE_THEMSELVES = frozenset(
    b"area base br col hr img input link meta param source wbr p li dt dd td th tr option colgroup tbody thead tfoot"
    b" rp rt html head body".split()
)
_DRAWN = frozenset(b"path circle rect line polyline polygon ellipse use stop g svg defs image symbol text".split())
"""Elements of drawings, which may really end in `/>`."""
_INLINE = frozenset(b"span label abbr cite q time var samp kbd sub sup mark dfn ins del bdi bdo data".split())
"""Elements that end with the block around them."""
_FENCES = frozenset(b"object applet marquee table caption template svg math select".split())
"""Elements that an end tag inside does not reach beyond."""
_FORMATS = frozenset(_FORMATTING.split(b"|"))
_FENCE = b"|"


def tamed(html: bytes) -> tuple[bytes, int]:
    """The markup, safe to parse, and how many links were cut off its end."""
    if len(html) > PLAIN_BYTES and (len(html) > MANY_BYTES or _monotonous(html)):
        html = _with_few_attributes(html)
    tags = occurrences(html, b"<")
    if tags <= PLAIN_TAGS:
        return html, 0
    if tags <= MANY_TAGS and len(_FORMATTED.findall(html)) * tags <= MOST_COPIES:
        return html, 0
    return _with_little_nesting(html, tags)


def _monotonous(html: bytes) -> bool:
    """Whether some stretch has no `>`: a very long tag, or just a long text."""
    return any(html.find(b">", at, at + _WINDOW) < 0 for at in range(0, len(html) - _WINDOW, _WINDOW))


def _with_few_attributes(html: bytes) -> bytes:
    whole = _ORDINARY.match(html)
    safe = whole.end() if whole else 0
    if safe == len(html):
        return html
    return html[:safe] + _OVERLONG_TAG.sub(rb"<\1>", html[safe:])


def _with_little_nesting(html: bytes, tags: int) -> tuple[bytes, int]:
    cut, depth, open_formats = _nesting(html)
    dropped = len(_LINK.findall(html, cut)) if cut < len(html) else 0
    html, tags = html[:cut], min(tags, MOST_TAGS)
    if open_formats * tags > MOST_COPIES:
        html = _FORMATTING_TAG.sub(b" ", html)
    if depth * tags > MOST_STEPS:
        html = _NESTING_TAG.sub(b" ", html)
    return html, dropped


def _nesting(html: bytes) -> tuple[int, int, int]:
    """Where the tags become too many, and the largest number of open elements and open formatting elements."""
    nest = _Nest()
    for number, tag in enumerate(_TAG.finditer(html)):
        if number >= MOST_TAGS:
            return tag.start(), nest.deepest, nest.most_formats
        if tag[2] is not None:
            name = tag[2].lower()
            if tag[1]:
                nest.end(name)
            else:
                nest.start(name, tag[0].endswith(b"/"))
    return len(html), nest.deepest, nest.most_formats


class _Nest:
    """The open elements as a parser would have them, or more: in doubt an element stays open."""

    def __init__(self) -> None:
        self.deepest = self.most_formats = 0
        self._open: list[bytes] = []
        self._formats: list[bytes] = []
        self._drawing = False

    def start(self, name: bytes, slashed: bool) -> None:
        """An element begins; only those of a drawing can end in their own tag."""
        self._drawing = name in _DRAWN and (self._drawing or name == b"svg")
        if name in _CLOSE_THEMSELVES or (slashed and self._drawing):
            return
        if name in _FORMATS:
            self._formats.append(name)
            self.most_formats = max(self.most_formats, len(self._formats))
        else:
            self._open.append(name)
            if name in _FENCES:
                self._formats.append(_FENCE)
        self.deepest = max(self.deepest, len(self._open) + len(self._formats))

    def end(self, name: bytes) -> None:
        """An end tag closes the nearest element of its name, if nothing but inline elements stands between."""
        if name in _FORMATS:
            self._forget_format(name)
            return
        for back in range(1, min(len(self._open), 16) + 1):
            above = self._open[-back]
            if above == name:
                del self._open[-back:]
                if name in _FENCES:
                    self._forget_formats()
                return
            if above not in _INLINE:
                return

    def _forget_format(self, name: bytes) -> None:
        for back in range(1, min(len(self._formats), 64) + 1):
            if self._formats[-back] == name:
                del self._formats[-back]
                return
            if self._formats[-back] == _FENCE:
                return

    def _forget_formats(self) -> None:
        while self._formats and self._formats.pop() != _FENCE:
            continue
