"""The decimal classification of a crawl: a person's own file or folder, kept with the crawl, or the shipped one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from lycosa.configuration import Configuration, ConfigurationError
from lycosa.topics.classes_file import SchemeFiles, scheme_in
from lycosa.topics.galaxy import Galaxy, galaxy_of_texts

KEPT = "classes"
MOST_FILES = 100
LARGEST_FILE = 20 * 1024**2


def scheme_files(path: Path) -> SchemeFiles:
    """The texts of a classification that lies in a file, or in the `.tsv` files of a folder."""
    paths = sorted(path.glob("*.tsv")) if path.is_dir() else [path]
    if not paths:
        raise ConfigurationError(f"{path}: there is no .tsv file in it; name a file of classes, or a folder of them")
    if len(paths) > MOST_FILES:
        raise ConfigurationError(f"{path}: has {len(paths)} files; a classification has {MOST_FILES} at most")
    return tuple((each.name, _text(each)) for each in paths)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ConfigurationError(f"{path}: is larger than {LARGEST_FILE >> 20} MiB; a class is one line of text")
        return path.read_text("utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read ({error.strerror}); name a file of classes") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path}: is no UTF-8 text; write one class per line, see docs/classes.md") from None


def scheme_of_crawl(configuration: Configuration, folder: Path) -> SchemeFiles:
    """The classification that a crawl was given: its own copy, else where its settings say; () for the shipped one."""
    if not configuration.topic.scheme:
        return ()
    kept = folder / KEPT
    return scheme_files(kept if kept.is_dir() else Path(configuration.topic.scheme))


def keep_scheme(configuration: Configuration, folder: Path) -> None:
    """Copy a crawl's own classification into its folder, so that the crawl can be moved."""
    if configuration.topic.scheme and not (folder / KEPT).is_dir():
        partial = folder / f"{KEPT}.partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for name, text in scheme_files(Path(configuration.topic.scheme)):
            (partial / name).with_suffix(".tsv").write_text(text, "utf-8")
        partial.replace(folder / KEPT)


def checked_classes(configuration: Configuration, scheme: SchemeFiles) -> None:
    """Refuse classes that the classification does not know; finer ones than it has are as good as those they lie in."""
    for number in configuration.topic.classes:
        scheme_in(scheme).find(number if number in scheme_in(scheme) else number[:3])


def classes_told(configuration: Configuration, scheme: SchemeFiles, texts: Sequence[str]) -> str:
    """One line for the person: the classes of the topic, those named or those its words and examples speak of."""
    known = scheme_in(scheme)
    if configuration.topic.classes:
        return f"classes: {', '.join(map(known.named, configuration.topic.classes))}"
    found: Galaxy = galaxy_of_texts(known, texts)
    if not found.classes:
        return ""
    named = " or ".join(map(known.named, found.classes))
    return f"the topic's class, by its words, is {named}; name others with --class"
