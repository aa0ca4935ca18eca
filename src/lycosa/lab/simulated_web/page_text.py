"""The looks of the simulated web: text drawn from a page's vocabulary, set in its host's template.

A template is a skeleton of its own with the same parts, so that structure tells hosts apart and
never topics: no markup depends on what a page is about. Text is made of sentences of words drawn
from prepared tables by random bits; a page costs tens of microseconds.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from random import Random
from typing import NamedTuple

from lycosa.lab.simulated_web.link_map import PageLinks, Place
from lycosa.lab.simulated_web.page_kinds import ARTICLE, LISTING
from lycosa.lab.simulated_web.page_templates import row_count, shape_of, shaped
from lycosa.lab.simulated_web.signposts import BOARDS, Signposts, neutral
from lycosa.lab.simulated_web.vocabulary import PHRASE, TABLE_SIZE, PhraseTable, phrase_table

_MASK = TABLE_SIZE - 1
_SENTENCES_PER_PARAGRAPH = 4
_PARAGRAPHS_PER_SECTION = 3
_BYTES_PER_WORD = 6.4
_BYTES_PER_LINK = 92
_BYTES_OF_FRAME = 950
_FEWEST_WORDS = 90


class Template(NamedTuple):
    """One way to build a page: the whole, and its repeated parts."""

    page: str
    menu: str
    section: str
    subsection: str
    paragraph: str
    item: str


TEMPLATES = (
    Template(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n<body>\n'
        '<header><nav><ul>{menu}</ul></nav></header>\n<main id="content">\n<article>\n<h1>{title}</h1>\n{text}'
        "</article>\n</main>\n<aside><h2>See also</h2>\n<ul>\n{items}</ul>\n</aside>\n"
        "<footer><p>{footer}</p></footer>\n</body>\n</html>\n",
        '<li><a href="{}">{}</a></li>',
        "<section>\n<h2>{}</h2>\n{}</section>\n",
        "<section>\n<h3>{}</h3>\n{}</section>\n",
        "<p>{}</p>\n",
        '<li><a href="{}">{}</a></li>\n',
    ),
    Template(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"></head>\n<body class="site">\n<div id="top">'
        '<div class="menu">{menu}</div></div>\n<div class="columns">\n<div id="content" class="wide">\n'
        '<h1>{title}</h1>\n{text}</div>\n<div class="side">\n'
        '<div class="box"><h3>Related pages</h3>\n{items}</div>\n</div>\n</div>\n'
        '<div id="bottom">{footer}</div>\n</body></html>\n',
        '<span class="entry"><a href="{}">{}</a></span>',
        '<div class="block">\n<h2>{}</h2>\n{}</div>\n',
        '<div class="block small">\n<h3>{}</h3>\n{}</div>\n',
        '<div class="text"><p>{}</p></div>\n',
        '<div class="more"><a href="{}">{}</a></div>\n',
    ),
    Template(
        '<html>\n<head><title>{title}</title></head>\n<body bgcolor="white">\n<table width="100%"><tr>'
        '<td valign="top" width="150">{menu}</td>\n<td valign="top" id="content">\n<center><h1>{title}</h1></center>\n'
        "{text}</td></tr>\n<tr><td></td><td><b>Links</b><br>\n{items}</td></tr></table>\n<hr>\n"
        "<address>{footer}</address>\n</body>\n</html>\n",
        '<a href="{}">{}</a><br>',
        "<h2>{}</h2>\n{}",
        "<h3>{}</h3>\n{}",
        "<p>{}\n",
        '<a href="{}">{}</a><br>\n',
    ),
    Template(
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>\n</head>\n<body>\n'
        '<div class="container">\n<div class="row"><div class="col-12"><ul class="nav">{menu}</ul></div></div>\n'
        '<div class="row">\n<div class="col-8">\n<div class="card" id="content"><div class="card-header">'
        '<h1>{title}</h1></div>\n<div class="card-body">\n{text}</div></div>\n</div>\n<div class="col-4">'
        '<h4>Read next</h4><ol>\n{items}</ol></div>\n</div>\n<div class="row footer">'
        "<small>{footer}</small></div>\n</div>\n</body>\n</html>\n",
        '<li class="nav-item"><a class="nav-link" href="{}">{}</a></li>',
        '<div class="panel"><h2 class="panel-title">{}</h2>\n{}</div>\n',
        '<div class="panel"><h3 class="panel-title">{}</h3>\n{}</div>\n',
        '<p class="lead">{}</p>\n',
        '<li><p><a href="{}">{}</a></p></li>\n',
    ),
    Template(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n<body>\n'
        '<p class="path">{menu}</p>\n<div role="main" id="content">\n<h1>{title}</h1>\n<dl>\n{text}</dl>\n</div>\n'
        '<blockquote>\n<h2>Elsewhere</h2>\n{items}</blockquote>\n<p class="end">{footer}</p>\n</body>\n</html>\n',
        '<a href="{}">{}</a> / ',
        "<dt><h2>{}</h2></dt>\n<dd>\n{}</dd>\n",
        "<dt><h3>{}</h3></dt>\n<dd>\n{}</dd>\n",
        "<p>{}</p>\n",
        '<p><em><a href="{}">{}</a></em></p>\n',
    ),
)


SIGNPOSTED = tuple(
    look._replace(page=look.page.replace(board.enclosed, "{items}"))
    for look, board in zip(TEMPLATES, BOARDS, strict=True)
)
"""The templates with room for several lists of links."""


class Wording(NamedTuple):
    """What a page's text is drawn from. `aside` is another topic it touches, or '' for none."""

    topic: str
    strength: int
    aside: str
    words: int


def wording(place: Place, topics: Sequence[str], size: int, links: int) -> Wording:
    """How a page is worded: some concentrate on their topic, some touch it, some wander off to another."""
    key = place.key
    aside = topics[(key >> 8) % len(topics)] if (key >> 4 & 0xF) < 3 else ""
    room = size * (0.75 + 0.5 * (key >> 12 & 0xFFFF) / 65536) - links * _BYTES_PER_LINK - _BYTES_OF_FRAME
    return Wording(topics[place.topic], (key >> 2 & 3) % 3, aside, max(_FEWEST_WORDS, int(room / _BYTES_PER_WORD)))


def page_html(
    place: Place,
    links: PageLinks,
    worded: Wording,
    version: int,
    template: int,
    extras: Iterable[tuple[str, str]],
    signposts: Signposts | None = None,
) -> bytes:
    """A page as its host's template shows it."""
    look = TEMPLATES[template]
    said = draft(place, links.inline, worded, version)
    is_article = place.kind == ARTICLE
    text = article(place, said, look) if is_article else other_kind(place, said, links.listed, template, signposts)
    more = "".join([look.item.format(url, anchor) for url, anchor in extras])
    if signposts is not None:
        items = BOARDS[template].enclosed.replace("{items}", more) + "\n" + signposts.lists(place, links, template)
        return _frame(SIGNPOSTED[template], place.title, links.menu, text, items)
    around = [*links.below, *links.related]
    items = "".join([look.item.format(one.url, one.title) for one in around]) + more
    return _frame(look, place.title, links.menu, text, items)


def plain_html(
    title: str, menu: Sequence[Place], text: Sequence[str], links: Iterable[tuple[str, str]], template: int
) -> bytes:
    """A page that is no part of the collection, such as an error page, in its host's looks."""
    look = TEMPLATES[template]
    paragraphs = "".join([look.paragraph.format(one) for one in text])
    return _frame(look, title, menu, paragraphs, "".join([look.item.format(url, anchor) for url, anchor in links]))


def _frame(look: Template, title: str, menu: Sequence[Place], text: str, items: str) -> bytes:
    entries = "".join([look.menu.format(one.path, one.words[0].capitalize() if one.number else "Home") for one in menu])
    footer = 'All rights reserved. Please ask before you copy. <a href="/">Back to the start</a>'
    return look.page.format(title=title, menu=entries, text=text, items=items, footer=footer).encode("ascii")


class Draft(NamedTuple):
    """What a page says before it is laid out, and what else of its words may be drawn from."""

    lines: list[str]
    rng: Random
    table: PhraseTable

    def heading(self, word: str) -> str:
        """A word of the page and another one that follows by chance."""
        follows = self.table.plain[self.rng.getrandbits(16) & _MASK].partition(" ")[0]
        return f"{word.capitalize()} {follows}"


def draft(place: Place, inline: Sequence[Place], worded: Wording, version: int) -> Draft:
    """The sentences of a page with links among the words."""
    rng = Random(place.key ^ 0x5EED)
    table = phrase_table(worded.topic, worded.strength)
    lines = sentences(rng, table, worded.words, place.words)
    if worded.aside:
        lines += sentences(rng, phrase_table(worded.aside, 1), worded.words // 4, ())
    if version:
        again = Random(place.key + version)
        lines[:_SENTENCES_PER_PARAGRAPH] = sentences(again, table, 100, place.words)[:_SENTENCES_PER_PARAGRAPH]
    for order, target in enumerate(inline):
        spot = (order * 3 + 1) % len(lines)
        head, _, tail = lines[spot].partition(" ")
        lines[spot] = f'{head} <a href="{target.url}">{target.title.lower()}</a> {tail}'
    return Draft(lines, rng, table)


def article(place: Place, said: Draft, look: Template) -> str:
    """Paragraphs under headings: every third section is part of the one before."""
    lines, step = said.lines, _SENTENCES_PER_PARAGRAPH
    paragraphs = [look.paragraph.format(" ".join(lines[k : k + step])) for k in range(0, len(lines), step)]
    parts = []
    for order, first in enumerate(range(0, len(paragraphs), _PARAGRAPHS_PER_SECTION)):
        body = "".join(paragraphs[first : first + _PARAGRAPHS_PER_SECTION])
        shape = look.subsection if order % 3 == 2 else look.section
        parts.append(shape.format(said.heading(place.words[order % 3]), body))
    return "".join(parts)


def other_kind(place: Place, said: Draft, listed: Sequence[Place], template: int, signposts: Signposts | None) -> str:
    """The content of a page that is no article; the rows of a listing are its links."""
    first, second = said.heading(place.words[0]), said.heading(place.words[1])
    if place.kind != LISTING:
        rows = row_count(len(said.lines), said.rng)
        names = [word.capitalize() for word in _drawn_words(said, rows)]
    elif signposts is None:
        names = [f'<a href="{one.url}">{one.title}</a>' for one in listed]
    else:
        names = [f'<a href="{one.url}">{neutral(order)}</a>' for order, one in enumerate(listed)]
        second = signposts.heading(place.topic)
    return shaped(shape_of(template, place.kind), said.lines, names, (first, second), said.rng)


def _drawn_words(said: Draft, count: int) -> list[str]:
    bits = struct.unpack(f"<{count}H", said.rng.randbytes(2 * count))
    return [said.table.plain[bit & _MASK].partition(" ")[0] for bit in bits]


def sentences(rng: Random, table: PhraseTable, count: int, keywords: Sequence[str]) -> list[str]:
    """Sentences of about that many words in all; the keywords come back now and then."""
    runs = max(4, count // PHRASE)
    bits = struct.unpack(f"<{runs}H", rng.randbytes(2 * runs))
    plain, opening = table.plain, table.opening
    phrases = [plain[bit & _MASK] for bit in bits]
    if keywords:
        phrases[2::6] = [keywords[k % len(keywords)] for k in range(len(range(2, runs, 6)))]
    found, start = [], 0
    for bit in bits:
        end = start + 3 + (bit >> 14)
        found.append(f"{opening[bit & _MASK]} {' '.join(phrases[start + 1 : end])}.")
        if end >= runs - 1:
            break
        start = end
    return found
