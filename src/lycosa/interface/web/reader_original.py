"""The original look: a stored document with everything taken out that acts, leads away or loads something.

This is the second wall. The first one is the policy that goes with the answer (no
script, no request, no origin); behind it stands what is done here, so that a browser
has nothing to refuse, and nothing that a policy does not cover (a preconnection, a
click on a link, a refresh) is left.
"""

from __future__ import annotations

import html

from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.interface.views.reader.stored_page import StoredPage
from lycosa.pages.charsets import as_utf_8, decoded
from lycosa.pages.hostile_markup import tamed

LONGEST_HINT = 300
_ACTING = (
    "script,base,link,iframe,frame,frameset,object,embed,applet,portal,fencedframe,template,audio,video,source,track,"
    "animate,set,animatetransform,animatemotion,discard,noembed,noframes,bgsound,meta"
)
_LOADING = frozenset(
    ("src", "srcset", "imagesrcset", "lowsrc", "dynsrc", "poster", "background", "data", "srcdoc", "manifest",
     "archive", "codebase", "profile", "longdesc", "cite", "usemap", "xml:base", "ping", "attributionsrc", "action",
     "formaction", "target", "autofocus")
)  # fmt: skip
_LEADING = frozenset(("href", "xlink:href"))


def quiet_copy(stored: StoredPage) -> bytes:
    """A stored document that looks as it did, as far as its own markup goes, in UTF-8."""
    response = stored.response
    declared = response.header("content-type")
    if stored.kind == "text":
        text = decoded(response.body, declared)[0]
        return b"<!doctype html><meta charset=utf-8><pre>" + html.escape(text).encode("utf-8", "replace") + b"</pre>"
    markup, _ = tamed(as_utf_8(response.body, declared)[0])
    return quietened(markup)


def quietened(markup: bytes) -> bytes:
    """Markup without what acts, leads away or loads something. It is read as a browser that runs no script would."""
    tree = LexborHTMLParser(markup, scripting=False)
    for node in tree.css(_ACTING):
        if node.tag != "meta" or (node.attributes.get("name") or "").lower() != "viewport":
            node.decompose(recursive=False)
    for node in list(tree.root.traverse()) if tree.root is not None else []:
        _quieten(node)
    doctype = b"<!doctype html>" if b"<!doctype" in markup[:1000].lower() else b""
    written = (tree.root.html or "") if tree.root is not None else ""
    return doctype + written.encode("utf-8", "replace")


def _quieten(node: LexborNode) -> None:
    for name, value in list(node.attributes.items()):
        low = name.lower()
        if low.startswith("on"):
            del node.attrs[name]
        elif low in _LOADING:
            if not (value or "").strip().lower().startswith("data:image/"):
                del node.attrs[name]
        elif low in _LEADING and not (value or "").startswith("#"):
            _lead_nowhere(node, name, value or "")


def _lead_nowhere(node: LexborNode, name: str, address: str) -> None:
    """A link keeps its look and says where it led; anything else that refers elsewhere loses its reference."""
    if node.tag in ("a", "area"):
        node.attrs[name] = "#"
        if not node.attributes.get("title"):
            node.attrs["title"] = address[:LONGEST_HINT]
    elif not address.strip().lower().startswith("data:image/"):
        del node.attrs[name]
