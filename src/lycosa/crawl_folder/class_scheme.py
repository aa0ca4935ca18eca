"""The decimal classification of a crawl: a person's own file or folder, kept with the crawl, or the shipped one."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.input_files import bytes_of_file
from lycosa.topics.classification.classifier import galaxy_of_texts
from lycosa.topics.classification.scheme_file import SchemeFiles, scheme_in
from lycosa.topics.classification.topic_class import TopicClass, topic_class

KEPT = "classes"
MOST_FILES = 100
LARGEST_FILE = 20 * 1024**2
LARGEST_SCHEME = 40 * 1024**2
"""All files of a classification together; the shipped one has less than one MiB."""


def scheme_files(path: Path) -> SchemeFiles:
    """The texts of a classification that lies in a file, or in the `.tsv` files of a folder."""
    paths = sorted(path.glob("*.tsv")) if path.is_dir() else [path]
    if not paths:
        raise ConfigurationError(f"{path}: there is no .tsv file in it; name a file of classes, or a folder of them")
    if len(paths) > MOST_FILES:
        raise ConfigurationError(f"{path}: has {len(paths)} files; a classification has {MOST_FILES} at most")
    found, size = [], 0
    for each in paths:
        data = bytes_of_file(each, LARGEST_FILE, "name a file of classes, one line of text for each")
        size += len(data)
        if size > LARGEST_SCHEME:
            told = f"with it the files of {path} have more than {LARGEST_SCHEME >> 20} MiB together"
            raise ConfigurationError(f"{each}: {told}; a class is one line of text, remove some")
        found.append((each.name, _text(data, each)))
    return tuple(found)


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
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
    if len(texts) > 1:
        found = TopicClass(galaxy_of_texts(known, texts), known=True, sure=True)
    else:
        found = topic_class(known, texts[0] if texts else "")
    named = " or ".join(map(known.named, found.galaxy.classes))
    if not (named and found.known):
        return ""
    if found.sure:
        return f"the topic's class, by its words, is {named}; name others with --class"
    return f"is the topic's class {named}? Its words disagree, so no class is gone by; name one with --class"
