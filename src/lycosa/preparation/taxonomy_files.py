"""Taxonomies on disk: written by hand, gathered from folders of example pages, and a person's own with undo.

A person's own taxonomy lies in `taxonomy/` of the home folder as TOML; where there
is none, it is the shipped one. Every edit first keeps the files as they were under
`taxonomy/history`, then replaces them in one step, so a crash loses nothing and
`undo` goes back as often as there were edits.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from lycosa.crawl_folder.folder import alone_in
from lycosa.durable import replace_file
from lycosa.pages.document import read_page
from lycosa.records import Fetched, Link, Page, Record, Response
from lycosa.topics.taxonomy import Node, Taxonomy, TaxonomyError, id_of
from lycosa.topics.taxonomy_file import joined, shipped, written

HTML = (".htm", ".html", ".xhtml")
TEXT = (".txt",)
MOST_TOPICS = 20_000
LARGEST_FILE = 50 * 1024**2
MOST_KEPT = 100
"""Edits that can be undone."""


def load_taxonomy(path: Path) -> Taxonomy:
    """The taxonomy in a TOML file, in a folder of them, or in a folder tree of example pages."""
    if path.is_file():
        return joined([(str(path), _text(path))])
    if not path.is_dir():
        raise TaxonomyError(f"{path}: no such file or folder; give a .toml file, a folder of them, or one of examples")
    files = sorted(each for each in path.iterdir() if each.suffix == ".toml" and each.is_file())
    if files:
        return joined((str(file), _text(file)) for file in files)
    return _walked(path)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise TaxonomyError(f"{path}: larger than {LARGEST_FILE // 1024**2} MiB; cut it into several files")
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TaxonomyError(f"{path}: cannot be read ({error}); a taxonomy is UTF-8 text") from None


# -- a folder of examples ---------------------------------------------------------------------------


def _walked(folder: Path) -> Taxonomy:
    """Each folder a node, its files the exemplary pages, its folders the nodes below."""
    nodes: list[Node] = []
    places: list[str] = []
    taken: set[str] = set()
    waiting = [(child, "") for child in reversed(_folders(folder))]
    while waiting:
        place, parent = waiting.pop()
        node = _folder_node(place, id_of(place.name, taken), parent)
        taken.add(node.id)
        nodes.append(node)
        places.append(str(place))
        if len(nodes) > MOST_TOPICS:
            raise TaxonomyError(f"{folder}: more than {MOST_TOPICS} folders; give a smaller part of it")
        waiting += [(child, node.id) for child in reversed(_folders(place))]
    if not nodes:
        raise TaxonomyError(f"{folder}: neither .toml files nor folders of examples in it; make a folder per topic")
    return Taxonomy(nodes, places)


def _folders(folder: Path) -> list[Path]:
    """The folders in one; links are not followed, so the walk ends."""
    found = (each for each in folder.iterdir() if not each.name.startswith("."))
    return sorted(each for each in found if each.is_dir() and not each.is_symlink())


def _folder_node(folder: Path, id: str, parent: str) -> Node:
    label = _told(folder / "label.txt") or " ".join(folder.name.replace("_", " ").split())
    texts = []
    for file in sorted(folder.iterdir()):
        known = file.suffix.lower() in (*HTML, *TEXT) and file.name not in ("label.txt", "description.txt")
        if known and file.is_file() and (text := page_text(read_file(file))):
            texts.append(text)
    description = _told(folder / "description.txt")
    if not texts and not description:
        description = label
    return Node(id, label, parent, description, texts=tuple(dict.fromkeys(texts)))


def _told(path: Path) -> str:
    return " ".join(_text(path).split()) if path.is_file() else ""


def read_file(path: Path) -> Page:
    """A file of HTML or text, read as the crawler reads pages."""
    kind = "text/html" if path.suffix.lower() in HTML else "text/plain"
    try:
        with path.open("rb") as file:
            body = file.read(LARGEST_FILE)
    except OSError as error:
        raise TaxonomyError(f"{path}: cannot be read ({error.strerror}); give a file or an http(s) URL") from None
    link = Link("http://example.invalid/")
    return read_page(Fetched(link, Response(link.url, 200, (("Content-Type", kind),), body, body)))


def page_text(page: Page) -> str:
    """What a page says, under its title."""
    told = page.text if page.text.startswith(page.title) else f"{page.title}\n{page.text}"
    return told.strip() if page.text.strip() else ""


# -- a person's own ---------------------------------------------------------------------------------


class Edit(Record, frozen=True):
    """An edit that can be undone."""

    number: int
    what: str


class OwnTaxonomy:
    """The taxonomy of a home folder."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "taxonomy"
        self._history = self.folder / "history"

    def load(self) -> Taxonomy:
        """The person's own taxonomy, or the shipped one."""
        files = self._files()
        return joined((str(file), _text(file)) for file in files) if files else shipped()

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("*.toml"))

    def change(self, edit: Callable[[Taxonomy], Taxonomy], what: str) -> Taxonomy:
        """Edit the taxonomy as it is now; `what` says it in words, for undo."""
        with alone_in(self.folder):
            edited = edit(self.load())
            text = written(edited)
            self._keep(what, text)
            replace_file(self.folder / "topics.toml", text)
            for file in self._files():
                if file.name != "topics.toml":
                    file.unlink()
        return edited

    def _keep(self, what: str, after: str) -> None:
        edits = self.history()
        number = edits[-1].number + 1 if edits else 1
        partial = self._history / f"{number:06d}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for file in self._files():
            shutil.copy2(file, partial / file.name)
        (partial / "what.txt").write_text(what, "utf-8")
        (partial / "after.txt").write_text(after, "utf-8")
        partial.rename(self._history / f"{number:06d}")
        for edit in edits[: max(0, len(edits) - MOST_KEPT + 1)]:
            shutil.rmtree(self._history / f"{edit.number:06d}")

    def history(self) -> list[Edit]:
        """The edits that can be undone, the oldest first."""
        found = sorted(each for each in self._history.glob("*") if each.name.isdigit())
        return [Edit(int(each.name), (each / "what.txt").read_text("utf-8")) for each in found]

    def undo(self) -> str:
        """Take the last edit back; says which."""
        with alone_in(self.folder):
            edits = self.history()
            if not edits:
                raise TaxonomyError("there is no edit of the topics to undo")
            kept = self._history / f"{edits[-1].number:06d}"
            self._check_untouched(kept)
            for file in sorted(kept.glob("*.toml")):
                replace_file(self.folder / file.name, file.read_text("utf-8"))
            for file in self._files():
                if not (kept / file.name).exists():
                    file.unlink()
            shutil.rmtree(kept)
        return edits[-1].what

    def _check_untouched(self, kept: Path) -> None:
        """Refuse to undo an edit after which somebody wrote into the files: that would be lost."""
        files = self._files()
        if [file.name for file in files] != ["topics.toml"] or _text(files[0]) != _text(kept / "after.txt"):
            raise TaxonomyError(
                f"the files in {self.folder} were changed by hand since the last edit, and undoing it would lose that; "
                "put your changes aside first, or make them with `lycosa topics edit`"
            )
