"""A part of the demo: looking again at pages, beside a conventional crawler."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lycosa.lab.changing_webs import open_versions
from lycosa.lab.revisit_comparison import LookedAgain, Revisits, compare

DEMO_CHANGING = "box:7?hosts=3&pages=150&unlinked=0.2&changed=0.1&lastmod=honest&errors=0"


def demo_revisits() -> Revisits:
    """Both crawlers on a small web of which one page in ten changes."""
    with tempfile.TemporaryDirectory() as folder:
        return compare(open_versions(DEMO_CHANGING), 1, Path(folder))


def revisits_lines(found: Revisits) -> list[str]:
    """What it saves, in two sentences."""
    usual, ours = found.pairs()[0]
    first = {each.name: each.pages for each in found.first}
    return [
        "",
        f"Looking again, on a web of {found.pages} pages ({found.unlinked} of them only in sitemaps):",
        f"  a conventional crawler knew {first[usual.name]} pages, asked for {_asked(usual)} again, "
        f"and found {usual.found} of {usual.changed} that had changed",
        f"  Lycosa knew {first[ours.name]} pages, asked for {_asked(ours)} again, "
        f"and found {ours.found} of {ours.changed} that had changed",
    ]


def _asked(round_: LookedAgain) -> int:
    """Pages that were asked for again, whole or not."""
    return round_.spent.bodies + round_.spent.not_modified
