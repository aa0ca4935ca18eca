"""A process of a crawl that never gets done with some pages. Arguments: PIDS, then the usual ones.

What a page says decides who gets stuck, and where: in Python, or in a regular expression, which holds
the interpreter's lock.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from watched_process import main

from lycosa.crawling import agent as agent_module
from lycosa.indexing import page_reading
from lycosa.pages import document

IN_PYTHON, IN_C, IN_INDEXER = "planted-in-python", "planted-in-c", "planted-in-indexer"


def loop_in_python() -> None:
    while True:
        pass


def loop_in_c() -> None:
    re.match(r"(?:a|a)*c", "a" * 64)


TRAPS = {IN_PYTHON: loop_in_python, IN_C: loop_in_c}


def trapped(read: Callable[..., Any]) -> Callable[..., Any]:
    """Reading a page as an agent does."""

    def reading(fetched: Any, *arguments: Any, **named: Any) -> Any:
        for sign, trap in TRAPS.items():
            if sign.encode() in fetched.response.body:
                trap()
        return read(fetched, *arguments, **named)

    return reading


def trapped_in_index(read: Callable[..., Any]) -> Callable[..., Any]:
    """Reading an archived page as the indexer does."""

    def reading(*arguments: Any, **named: Any) -> Any:
        page = read(*arguments, **named)
        if IN_INDEXER in page.text:
            loop_in_c()
        return page

    return reading


if __name__ == "__main__":
    agent_module.read_page = trapped(document.read_page)
    if "indexer" in sys.argv:
        from lycosa.indexing import indexer, template_index

        for module in (page_reading, indexer, template_index):
            module.page_at = trapped_in_index(module.page_at)
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
