"""What the site needs besides docs/: pages from the root of the repository, and links that lead out of docs/.

Documents are read in two places, in the repository and on the site. There a link to a test or a source file leads
nowhere, so it becomes the file's name; ARCHITECTURE, CONTRIBUTING and CHANGELOG become pages. Decisions, the API's
reference and pages that the navigation does not name are added to it, so that nothing is lost.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
FROM_ROOT = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
MARK = ROOT / "src" / "lycosa" / "interface" / "static" / "mark.svg"
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """The navigation with all decisions, the API where it is described, and whatever it forgot."""
    sections = {name: below for item in config.nav for name, below in item.items()}
    sections["Decisions"] += [f"decisions/{path.name}" for path in sorted((DOCS / "decisions").glob("*.md"))]
    if (DOCS / "reference" / "api.md").exists():
        sections["Reference"].append({"API": "reference/api.md"})
    forgotten = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")} - set(_named(config.nav))
    if forgotten:
        sections["Explanations"].append({"More": sorted(forgotten)})
    return config


def _named(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    below = nav.values() if isinstance(nav, dict) else nav
    return [name for item in below for name in _named(item)]


def on_files(files: Files, config: Any) -> Files:
    """The pages from the root, and the mark."""
    for name in FROM_ROOT:
        files.append(File.generated(config, name, content=(ROOT / name).read_text("utf-8")))
    files.append(File.generated(config, "images/mark.svg", abs_src_path=str(MARK)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links as they hold on the site."""
    name = page.file.src_uri
    written_in = ROOT if name in FROM_ROOT else (DOCS / name).parent
    shown_in = (DOCS / name).parent

    def on_site(found: re.Match[str]) -> str:
        text, target, anchor = found[1], found[2], found[3] or ""
        path = (written_in / target).resolve()
        if "://" in target or not path.exists():
            return found[0]
        if path.parent == ROOT and path.name in FROM_ROOT:
            path = DOCS / path.name
        if path.is_relative_to(DOCS):
            return f"[{text}]({os.path.relpath(path, shown_in)}{anchor})"
        named = path.relative_to(ROOT).as_posix()
        return f"`{named}`" if Path(named).name in text else f"{text} (`{named}`)"

    return _LINK.sub(on_site, markdown)
