"""Small trees of HTML files with a sitemap, written in several versions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

SITE = "http://web.localhost"
OLD, NEW = "2024-03-01T10:00:00+00:00", "2024-03-05T10:00:00+00:00"
FILLER = (
    "Wolf spiders hunt by sight, carry their young on their back and live in burrows that they dig themselves. " * 6
)
FRAME = "<footer>{} version of the site, all rights reserved</footer>"


def write(root: Path, pages: Mapping[str, str], sitemap: str = "", frame: str = "first") -> str:
    """Write a tree: the text of each page by its name; returns how it is asked for as a web."""
    for name, text in pages.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        told = f"<article><p>{text}</p><p>{FILLER}</p></article>{FRAME.format(frame)}"
        body = f"<html><title>{name}</title><body>{told}</body></html>"
        path.write_text(body, "utf-8")
    if sitemap:
        (root / "sitemap.xml").write_text(sitemap, "utf-8")
    return f"dir:{root}"


def urlset(entries: Mapping[str, str]) -> str:
    """A sitemap of addresses with the time of their last change, or '' for none."""
    lines = [f"<url><loc>{url}</loc>{at and f'<lastmod>{at}</lastmod>'}</url>" for url, at in entries.items()]
    return f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(lines)}</urlset>'


def linked(number: int) -> dict[str, str]:
    """An index page and so many pages that it links to, each with a text of its own."""
    links = " ".join(f'<a href="p{place}.html">page {place}</a>' for place in range(number))
    pages = {f"p{place}.html": f"The story number {place} tells of a spider and its burrow." for place in range(number)}
    return {"index.html": f"Welcome to all the stories of the spiders. {links}", **pages}


def lastmods(pages: Mapping[str, str], changed: Mapping[str, str] | None = None) -> dict[str, str]:
    """What an honest sitemap says of pages, by their addresses."""
    times = dict.fromkeys(pages, OLD) | dict(changed or {})
    return {f"{SITE}/{name.removesuffix('index.html')}": at for name, at in times.items()}
