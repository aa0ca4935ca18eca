"""Pages with the same text: which of them counts as the original."""

from __future__ import annotations

from pathlib import Path

from tiny_web import TinyWeb, crawl_folder, page, rows, run

START, COPY, ORIGINAL = "http://start.example/", "http://copy.example/", "http://original.example/"


def duplicates(home: Path, copy: str) -> dict[str, str]:
    """What the copy, which is fetched first, and its original are duplicates of."""
    pages = {START: page("start", [COPY]), COPY: copy, ORIGINAL: page("of herons", [])}
    folder = crawl_folder(home, [START], strategy="breadth-first")
    run(folder, TinyWeb(pages.get))
    return {row.url: row.duplicate_of for row in rows(folder) if row.outcome == "fetched"}


def test_the_page_that_was_fetched_first_is_the_original(tmp_path: Path) -> None:
    assert duplicates(tmp_path, page("of herons", [ORIGINAL]))[ORIGINAL] == COPY


def test_a_copy_that_must_not_be_indexed_hides_no_original(tmp_path: Path) -> None:
    hidden = page("of herons", [ORIGINAL]).replace("<head>", '<head><meta name="robots" content="noindex">')
    assert "noindex" in hidden
    assert duplicates(tmp_path, hidden) == {START: "", COPY: "", ORIGINAL: ""}
