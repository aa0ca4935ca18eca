"""What a document says: its text without the frame around it (navigation, headers, footers, banners, link lists)."""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from lycosa.pages.html.elements import Elements, text_of
from lycosa.pages.html.link_context import Block

ENOUGH = 200
"""Characters that make `<main>` or `<article>` the content of a page."""
NEXT_TO_NOTHING = 80
"""With fewer characters left, the parts taken for frame are given back: a page of links is about its links."""
LONGEST_TEXT = 2_000_000
LARGE_FORM = 1000
"""Some sites put the whole page into a form; with so much text it is content."""

KEPT = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "body", "html", "main", "article"))


def main_text(elements: Elements, framing: list[LexborNode], blocks: list[Block]) -> str:
    """The text of the content of a page; the text of all of it where there is no content to be found.

    Takes the frame out of the parsed document, so links must have been read before.
    """
    body = elements.tree.body
    if body is None:
        return ""
    removed = _removable(elements, framing, blocks)
    for node in removed:
        node.decompose(recursive=False)
    text = _content(elements) or text_of(body)
    if len(text) < NEXT_TO_NOTHING:
        text = " ".join(filter(None, [text_of(body), *map(text_of, removed)]))
    return cleaned(text)


def _removable(elements: Elements, framing: list[LexborNode], blocks: list[Block]) -> list[LexborNode]:
    found = {node.mem_id: node for node in framing}
    for node in elements.frame:
        if node.mem_id not in found and _is_frame(node):
            found[node.mem_id] = node
    for block in blocks:
        if len(block.anchors) > 1 and block.tag not in KEPT and block.mostly_links():
            found[block.node.mem_id] = block.node
    return list(found.values())


def _is_frame(node: LexborNode) -> bool:
    """The header of an article is content; a form with much text is the page itself."""
    tag = node.tag
    if tag == "form":
        return len(text_of(node)) < LARGE_FORM
    return tag not in ("header", "footer") or not _inside_content(node)


def _inside_content(node: LexborNode) -> bool:
    parent = node.parent
    for _ in range(20):
        if parent is None:
            return False
        if parent.tag in ("main", "article"):
            return True
        parent = parent.parent
    return False


def _content(elements: Elements) -> str:
    """The text of `<main>`, or of the only `<article>`, where it holds enough."""
    candidates = elements.mains[:1] or (elements.articles if len(elements.articles) == 1 else [])
    for node in candidates:
        text = text_of(node)
        if len(text) >= ENOUGH:
            return text
    return ""


def cleaned(text: str) -> str:
    """Text with its white space as spaces, no longer than any page needs."""
    text = text[:LONGEST_TEXT]
    for white in "\n\t\r\xa0\0":
        if white in text:
            text = text.replace(white, " ")
    return text.strip()
