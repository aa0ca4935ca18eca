"""The third step of a page's way: a fetched document becomes a Page.

Start reading here. The document is decoded, tamed, parsed once and walked once;
links are read before the main text, because that takes the frame out of the
parsed document. Nothing a server sends makes this raise.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from lycosa import text as language
from lycosa.pages.charset_labels import query_codec
from lycosa.pages.charsets import as_utf_8, decoded, looks_binary
from lycosa.pages.digests import digest_of
from lycosa.pages.head import header_wishes, read_head
from lycosa.pages.hostile_markup import tamed
from lycosa.pages.html.elements import folded
from lycosa.pages.html.links import with_refresh
from lycosa.pages.html.main_text import LONGEST_TEXT
from lycosa.pages.parsed_document import parsed
from lycosa.pages.placeholders import placeholder_of
from lycosa.pages.structure.skeleton import Skeleton
from lycosa.records import Fetched, Page

SAMPLE = 700
"""Characters that the language is told from."""
GLANCE = 250
"""Characters that are looked at first."""
COMMONEST = "en"
AGREEMENT = 0.2
"""Share of a language's stop words among the words of a text that leaves no doubt."""
CLEAR_AGREEMENT = 0.3
"""The same for the few words of a glance."""
LONGEST_FIRST_LINE = 200


def read_page(fetched: Fetched, most_links: int = 5000, structure: bool = False, *, drop_tracking: bool = True) -> Page:
    """What a fetched document says and where it points; its structure too where that is wanted and it has one.

    The addresses it names lose their tracking parameters, unless these are to be kept.
    """
    page = _read(fetched, Reading(most_links, structure, drop_tracking))
    placeholder = placeholder_of(page, fetched.response.body)
    return msgspec.structs.replace(page, placeholder=placeholder) if placeholder else page


def _read(fetched: Fetched, how: Reading) -> Page:
    response = fetched.response
    content_type = response.header("content-type")
    kind = content_type.partition(";")[0].strip().lower()
    if not response.body or looks_binary(response.body, content_type) or not _readable(kind):
        return _wordless(fetched)
    if kind.startswith("text/") and kind != "text/html":
        return _plain_page(fetched, *decoded(response.body, content_type))
    html, charset = as_utf_8(response.body, content_type)
    return _html_page(fetched, html, charset, how)


def read_structure(html: bytes, content_type: str = "") -> Skeleton:
    """The structure of an HTML document alone, as the structure of its Page has it."""
    markup, _ = tamed(as_utf_8(html, content_type)[0])
    return Skeleton.from_bytes(parsed(markup, structure=True).structure)


def _readable(kind: str) -> bool:
    return not kind or kind.startswith("text/") or kind.endswith(("html", "xhtml+xml"))


def _wordless(fetched: Fetched) -> Page:
    wishes = header_wishes(fetched.response)
    return Page(fetched.link.url, noindex="noindex" in wishes, nofollow="nofollow" in wishes, digest=digest_of(""))


def _plain_page(fetched: Fetched, text: str, charset: str) -> Page:
    text = text[:LONGEST_TEXT].replace("\0", " ").strip()
    wishes = header_wishes(fetched.response)
    return Page(
        fetched.link.url,
        title=folded(text[: LONGEST_FIRST_LINE * 4].partition("\n")[0])[:LONGEST_FIRST_LINE].strip(),
        text=text,
        language=language_of_text(text, ""),
        charset=charset,
        noindex="noindex" in wishes,
        nofollow="nofollow" in wishes,
        digest=digest_of(text),
    )


class Reading(NamedTuple):
    """How an HTML document is read."""

    most_links: int
    structure: bool
    drop_tracking: bool


def _html_page(fetched: Fetched, html: bytes, charset: str, how: Reading) -> Page:
    markup, cut_off = tamed(html)
    tree = parsed(markup, how.structure)
    codec = query_codec(charset)
    head = read_head(tree.said, fetched.link.url, fetched.response, how.drop_tracking, codec)
    links = tree.links(fetched.link, head.base, head.title, how.most_links, how.drop_tracking, codec)
    text = tree.main_text()
    return Page(
        fetched.link.url,
        head.title,
        tree.headings,
        text,
        language_of_text(text, head.language),
        charset,
        head.canonical,
        "noindex" in head.wishes,
        "nofollow" in head.wishes,
        digest_of(text),
        with_refresh(links, head.refresh, how.most_links),
        tree.dropped + cut_off,
        head.published,
        tree.structure,
    )


def language_of_text(text: str, declared: str) -> str:
    """What the page declares, where its words agree; else what its words say.

    The sample is taken past the beginning, where names and dates stand. A glance at a few
    words mostly settles it; where nothing is declared, the glance is for the commonest language.
    """
    begin = len(text) // 4
    likely = declared or COMMONEST
    common = language.stop_words().get(likely, frozenset())
    glance = language.words(text[begin : begin + GLANCE])
    enough = declared or len(glance) >= language.FEWEST_WORDS
    if enough and sum(map(common.__contains__, glance)) > CLEAR_AGREEMENT * len(glance):
        return likely
    sample = language.words(text[begin : begin + SAMPLE])
    if declared and sum(map(common.__contains__, sample)) > AGREEMENT * len(sample):
        return declared
    return language.language_of(sample, declared)
