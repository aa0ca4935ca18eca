"""The topic of a crawl, in text form, from its settings and the files in its folder."""

from __future__ import annotations

from pathlib import Path

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.class_scheme import scheme_of_crawl
from lycosa.crawl_folder.input_files import LARGEST_FILE, bytes_of_file
from lycosa.crawl_folder.structure_samples import samples_of
from lycosa.crawl_folder.t_graph_files import treasure_of
from lycosa.plugins.plug_points import Topic
from lycosa.text import terms


def label_of(configuration: Configuration) -> str:
    """The topic's words; an empty topic is refused."""
    label = configuration.topic.words
    if label and not terms(label):
        raise ConfigurationError(f"topic.words: {label!r} has only stop words; name what the crawl is about")
    return label


def topic_of(configuration: Configuration, folder: Path) -> Topic:
    """The topic of a crawl in text form; its examples lie in the crawl's folder, or where a job file says."""
    examples = []
    for name in configuration.topic.examples:
        path = folder / name
        if not path.is_file():
            path = Path(name)
        text = bytes_of_file(path, LARGEST_FILE, "name a page on the topic with --example", f"topic.examples: {name!r}")
        examples.append(text.decode("utf-8", "replace"))
    return Topic(
        label_of(configuration),
        tuple(examples),
        configuration.topic.classes,
        treasure=treasure_of(configuration, folder),
        structures=samples_of(configuration, folder),
        scheme=scheme_of_crawl(configuration, folder),
    )
