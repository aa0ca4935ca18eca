"""Markup that would make an HTML parser work for minutes, cut down before it is parsed.

Browsers' parsing rules cost time in the depth of open elements for every tag,
copy all open formatting elements (`<b>`, `<font>`) into every new block, and
compare each attribute with all earlier ones of its element. None of it shows on
a page a person wrote, so ordinary pages pay one count of `<` and a few looks
for `>`; only large or strange ones are scanned tag by tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

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
_FORMATTING_TAG = re.compile(rb"</?(?:" + _FORMATTING + rb")(?=[\s/>])[^>]*+>?", re.IGNORECASE)
_LINK = re.compile(rb"<a\s", re.IGNORECASE)
_NESTING_TAG = re.compile(rb"</?(?!/?(?:a|p|h[1-6]|br|title|area|meta)[\s/>])[a-zA-Z][^>]*+>?", re.IGNORECASE)
"""A tag that never ends takes the rest of the text with it, here as in a parser: to try again from each `<` would take
for ever."""
_ATTRIBUTE = rb"(?:=\s*+(?:\"[^\"]*+\"|'[^']*+')|=|[^>=]{1,24}+)"
_UNPARSED = rb"<!--(?:[^-]++|-(?!->))*+|<(?:script|style)\b(?:[^<]++|<(?!/s))*+"
_TAG = re.compile(_UNPARSED + rb"|<(/?)([a-zA-Z][^\s/>]*+)" + _ATTRIBUTE + rb"*+(?:(?<=(/)))?", re.IGNORECASE)
_ORDINARY = re.compile(
    rb"(?:[^<]++|<(?![a-zA-Z!])|<!(?!--)|" + _UNPARSED + rb"|<[a-zA-Z]" + _ATTRIBUTE + rb"{0,96}+>)*+",
    re.IGNORECASE,
)
_ANY_TAG = re.compile(rb"<([a-zA-Z][a-zA-Z0-9]{0,15}+)" + _ATTRIBUTE + rb"{0,96}+(" + _ATTRIBUTE + rb"*+)>?")
_CLOSE_THEMSELVES = frozenset(
    b"area base br col hr img input link meta param source wbr p li dt dd td th tr option colgroup tbody thead tfoot"
    b" rp rt html head body".split()
)
_DRAWN = frozenset(b"path circle rect line polyline polygon ellipse use stop g svg defs image symbol text".split())
"""Elements of drawings: only they can end in their own tag, with `/>`."""
_INLINE = frozenset(b"span label abbr cite q time var samp kbd sub sup mark dfn ins del bdi bdo data".split())
"""Elements that end with the block around them."""
_FENCES = frozenset(b"object applet marquee table caption template svg math select".split())
"""Elements that an end tag inside does not reach beyond."""
_FORMATS = frozenset(_FORMATTING.split(b"|"))
_FENCE = b"|"


_SETS = (_CLOSE_THEMSELVES, _FORMATS, _FENCES, _DRAWN, _INLINE)
_SPECIAL = sorted(frozenset().union(*_SETS), key=lambda name: name != b"svg")
_NUMBERS = {name: number for number, name in enumerate(_SPECIAL)}
_KINDS = bytes(sum((name in names) << place for place, names in enumerate(_SETS)) for name in _SPECIAL)
"""For each special element a bit for each of the sets that it is in."""


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
    return html[:safe] + _ANY_TAG.sub(lambda tag: b"<%b>" % tag[1] if tag[2] else tag[0], html[safe:])


def _with_little_nesting(html: bytes, tags: int) -> tuple[bytes, int]:
    cut, depth, open_formats = nesting(html, MOST_TAGS)
    dropped = len(_LINK.findall(html, cut)) if cut < len(html) else 0
    html, tags = html[:cut], min(tags, MOST_TAGS)
    if open_formats * tags > MOST_COPIES:
        html = _FORMATTING_TAG.sub(b" ", html)
    if depth * tags > MOST_STEPS:
        html = _NESTING_TAG.sub(b" ", html)
    return html, dropped


def plain_nesting(html: bytes, most_tags: int) -> tuple[int, int, int]:
    """Where the tags become too many, and the largest number of open elements and open formatting elements."""
    tags = _TAG.finditer(html)
    deepest, most_formats = _depths(islice(tags, most_tags))
    beyond = next(tags, None)
    return beyond.start() if beyond else len(html), deepest, most_formats


def _depths(tags: Iterable[re.Match[bytes]]) -> tuple[int, int]:
    """The open elements as a parser would have them, or more: in doubt an element stays open.

    A page with many tags spends most of its time here, so the usual cases come first and call nothing.
    """
    deepest = most_formats = 0
    opened: list[bytes] = []
    formats: list[bytes] = []
    drawing = False
    for ending, name, slash in map(re.Match.groups, tags):
        if name is None:
            continue
        name = name.lower()
        if name in _CLOSE_THEMSELVES:
            drawing = drawing and bool(ending)
            continue
        if ending:
            if opened and opened[-1] == name and name not in _FENCES:
                opened.pop()
            elif name in _FORMATS:
                _end_format(name, formats)
            else:
                _end(name, opened, formats)
            continue
        if name in _FORMATS:
            drawing = False
            formats.append(name)
            most_formats = max(most_formats, len(formats))
        else:
            drawing = name in _DRAWN and (drawing or name == b"svg")
            if slash and drawing:
                continue
            opened.append(name)
            if name in _FENCES:
                formats.append(_FENCE)
        depth = len(opened) + len(formats)
        if depth > deepest:
            deepest = depth
    return deepest, most_formats


def _end(name: bytes, opened: list[bytes], formats: list[bytes]) -> None:
    """An end tag closes the nearest element of its name, if nothing but inline elements stands between."""
    for back in range(1, min(len(opened), 16) + 1):
        above = opened[-back]
        if above == name:
            del opened[-back:]
            if name in _FENCES:
                _end_formats(formats)
            return
        if above not in _INLINE:
            return


def _end_format(name: bytes, formats: list[bytes]) -> None:
    for back in range(1, min(len(formats), 64) + 1):
        if formats[-back] == name:
            del formats[-back]
            return
        if formats[-back] == _FENCE:
            return


def _end_formats(formats: list[bytes]) -> None:
    while formats and formats.pop() != _FENCE:
        continue


def _compiled_nesting(html: bytes, most_tags: int) -> tuple[int, int, int]:
    return compiled.nesting(html, most_tags, _NUMBERS, _KINDS)


try:
    from lycosa.pages.compiled import nesting as compiled

    nesting = _compiled_nesting
except ImportError:
    nesting = plain_nesting
