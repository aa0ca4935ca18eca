"""The site: the reference says what the code says, links and anchors resolve, it builds and loads nothing from afar."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from markdown.extensions.toc import slugify, unique
from selectolax.lexbor import LexborHTMLParser

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
DOCUMENTS = [*ROOT.glob("*.md"), *sorted(DOCS.rglob("*.md"))]
FENCE = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#\s]*)#([^)\s]+)\)")
LOADED = "script[src], link[rel=stylesheet], link[rel=preload], link[rel=icon], link[rel=preconnect], img[src], iframe"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_reference_pages_are_up_to_date(reference: ModuleType) -> None:
    assert reference.outdated() == [], "run scripts/reference.py (or make docs)"


def test_every_setting_has_a_sentence(reference: ModuleType) -> None:
    assert reference.undescribed() == [], "src/lycosa/data/settings.toml and lycosa.configuration.sections differ"


def test_the_reference_names_every_command_and_every_default(reference: ModuleType) -> None:
    commands, settings = reference.commands_page(), reference.configuration_page()
    assert "## lycosa treasure build" in commands
    assert "| `--limit LIMIT` |" in commands
    assert '| `delay` | time | `"1s"` |' in settings
    assert '| `largest_body` | size | `"10MiB"` |' in settings


@cache
def anchors(path: Path) -> frozenset[str]:
    """The anchors of a document's headings, as the site makes them."""
    made: set[str] = set()
    for heading in re.findall(r"^#+ +(.*?) *#*$", FENCE.sub("", path.read_text("utf-8")), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        unique(slugify(re.sub(r"[`*]", "", plain), "-"), made)
    return frozenset(made)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_to_parts_of_documents_lead_somewhere(path: Path) -> None:
    for target, anchor in LINK.findall(FENCE.sub("", path.read_text("utf-8"))):
        if "://" not in target:
            document = (path.parent / target).resolve() if target else path
            assert document.exists(), f"{target}#{anchor}"
            assert anchor in anchors(document), f"{target}#{anchor}"


def test_a_wrong_anchor_would_be_noticed() -> None:
    assert "the-same-on-the-real-web" in anchors(DOCS / "tutorial.md")
    assert "nowhere" not in anchors(DOCS / "tutorial.md")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with every warning an error."""
    folder = tmp_path_factory.mktemp("site")
    order = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(order, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return folder


def test_every_document_is_a_page_of_the_site(site: Path) -> None:
    expected = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert {path for path in expected if not (site / path).exists()} == set()
    assert (site / "search" / "search_index.json").stat().st_size > 100_000
    assert not (site / "site_hooks.py").exists()


def test_every_page_can_be_reached_from_the_navigation(site: Path) -> None:
    home = LexborHTMLParser((site / "index.html").read_bytes())
    reached = {str(link.attributes.get("href") or "") for link in home.css("nav.md-nav a")}
    pages = {path.relative_to(DOCS).with_suffix(".html").as_posix() for path in DOCS.rglob("*.md")} - {"index.html"}
    assert {page for page in pages if page not in reached} == set()


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        for node in LexborHTMLParser(page.read_bytes()).css(LOADED):
            loaded = node.attributes.get("src") or node.attributes.get("href") or ""
            assert "//" not in loaded, f"{page.name}: {loaded}"
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import", style.read_text("utf-8")), style.name
