"""Begins a crawl: what was typed and a job file become settings, which are checked before anything is written."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.asked import Asked, keep_asked
from lycosa.crawl_folder.class_scheme import classes_told, keep_scheme, scheme_of_crawl
from lycosa.crawl_folder.folder import CrawlError, CrawlFolder, home
from lycosa.crawl_folder.structure_samples import keep_samples
from lycosa.interface.operations import crawl_control as controls
from lycosa.interface.operations.contact import remember_contact, with_contact
from lycosa.interface.operations.crawl_names import check_same, unnamed
from lycosa.preparation.examples import example_names, gather_examples, keep_examples
from lycosa.preparation.readiness import check_a_seed_is_let_in, check_parts, check_seeds, check_settings
from lycosa.preparation.seed_addresses import check_addresses
from lycosa.preparation.seeds import second_level_seeds
from lycosa.preparation.structure_samples import with_samples
from lycosa.preparation.taxonomy_files import OwnTaxonomy
from lycosa.preparation.topic_choice import TopicChoice, choose_topic
from lycosa.topics.classification.scheme_file import scheme_in

_OPTIONS = ("strategy", "agents", "partition", "mode", "pages", "name")


@contextmanager
def begin(told: argparse.Namespace) -> Iterator[CrawlFolder]:
    """Make the folder of a crawl, or take up the one that is there, after everything was checked; then own it."""
    raw, origin = _read_job(told.job) if told.job else ({}, "command line")
    asked = _asked(told, raw)
    folder = _folder(told, raw, origin, asked)
    before = folder.stamp()
    if folder.running():
        raise CrawlError(f"crawl {folder.name!r} is running already; `lycosa status {folder.name}` shows it")
    if folder.exists:
        check_same(folder, asked)
    if folder.exists and not told.job:
        told = _without_what_is_known(told)
    configuration, texts = prepare(told, folder, raw, origin)
    check_settings(configuration, folder, texts=texts, samples=told.example_structure)
    check_a_seed_is_let_in(configuration)
    if not folder.agent(0).exists():
        check_addresses(configuration)
    configuration, samples = with_samples(told.example_structure, configuration)
    if not told.json:
        _tell_name(told, folder, asked)
        _tell_classes(configuration, texts, folder)
    with folder.owned():
        if folder.stamp() != before:
            raise CrawlError(f"crawl {folder.name!r} was changed by somebody else just now; look at it, then try again")
        controls.check_begun(folder, configuration)
        keep_examples(texts, folder.path)
        keep_samples(samples, folder.path)
        keep_scheme(configuration, folder.path)
        folder.create(configuration)
        keep_asked(asked, folder.path)
        yield folder


def _tell_classes(configuration: Configuration, texts: Sequence[str], folder: CrawlFolder) -> None:
    """Say which classes the topic has, so that they can be corrected before much is crawled."""
    scheme = scheme_of_crawl(configuration, folder.path)
    told = classes_told(configuration, scheme, [configuration.topic.words, *texts])
    if told:
        print(told, file=sys.stderr)


def _asked(told: argparse.Namespace, raw: dict[str, Any]) -> Asked:
    """What the command line and a job file ask for."""
    topic = raw.get("topic", {})
    return Asked(
        told.topic or topic.get("words", ""),
        tuple(map(controls.web_address, told.seed)) or tuple(raw.get("seeds", ())),
        (*told.example, *(topic.get("examples", ()))),
        tuple(told.example_structure),
        tuple(told.classes or topic.get("classes", ())),
    )


def _folder(told: argparse.Namespace, raw: dict[str, Any], origin: str, asked: Asked) -> CrawlFolder:
    name = told.name or raw.get("name") or (Path(told.job).stem if told.job else "")
    if not name:
        return unnamed(home(told.home), asked)
    settings.build({"name": name}, origin=origin)
    return CrawlFolder(home(told.home) / "crawls" / str(name))


def _without_what_is_known(told: argparse.Namespace) -> argparse.Namespace:
    """What was told but for what a crawl was asked for before: it keeps the topic and the pages that it has by now."""
    topic = told.topic if told.example else None  # examples are gathered again, as one of them may be lost
    return argparse.Namespace(**{**vars(told), "topic": topic, "seed": []})


def _tell_name(told: argparse.Namespace, folder: CrawlFolder, asked: Asked) -> None:
    """Say what a crawl is called that nobody named, or that it is there already."""
    if folder.exists and asked.for_anything:
        print(f"{folder.name}: it is there already, with this topic and these pages, and goes on", file=sys.stderr)
    elif not (folder.exists or told.name or told.job):
        print(f"the crawl is called {folder.name}", file=sys.stderr)


def prepare(
    told: argparse.Namespace, folder: CrawlFolder, raw: dict[str, Any], origin: str
) -> tuple[Configuration, list[str]]:
    """The effective configuration and new example texts that the command line asks for; of crawls, it writes none."""
    base = home(told.home)
    if folder.exists and not told.job:
        raw, origin = settings.plain(folder.configuration()), str(folder.path / "crawl.toml")
    raw["name"] = folder.name
    for option in _OPTIONS:
        if getattr(told, option) is not None:
            raw[option] = getattr(told, option)
    if told.example_structure:
        raw["structure"] = {**raw.get("structure", {}), "samples": []}
        if _by_structure_alone(told, raw, begun=folder.exists):
            raw["strategy"] = "structure"
    if told.seed:
        raw["seeds"] = [controls.web_address(seed) for seed in told.seed]
    shown = [*told.example, *([] if told.seed else told.example_structure)]
    raw["seeds"] = list(dict.fromkeys([*raw.get("seeds", ()), *(page for page in shown if "://" in page)]))
    raw.setdefault("fetching", {})["contact"] = told.contact or raw.get("fetching", {}).get("contact") or ""
    named = choose_topic(OwnTaxonomy(base).load(), told.topic, ()) if told.topic else TopicChoice()
    if told.topic:
        raw["topic"] = {**raw.get("topic", {}), "words": named.words, "examples": [], "classes": list(named.classes)}
    if told.continuous:
        raw["revisit"] = {**raw.get("revisit", {}), "continuous": True}
    if told.classes:
        raw["topic"] = {**raw.get("topic", {}), "classes": told.classes}
    if told.allow_address:
        fetching = raw["fetching"]
        fetching["allow_addresses"] = list(dict.fromkeys([*fetching.get("allow_addresses", ()), *told.allow_address]))
    configuration = settings.build(raw, told.set, origin)
    check_parts(configuration)
    if configuration.seeds or not (told.example or named.pages):
        _check_seeds(configuration, origin)
    pages = [page for page in told.example_structure if "://" in page]
    configuration = with_contact(base, configuration, urls=pages, ask=not told.json)
    if told.contact:
        remember_contact(base, told.contact)
    configuration, texts = _with_examples(told, base, configuration, named)
    _check_seeds(configuration, origin)
    _check_samples_count(told, configuration, folder)
    return configuration if texts else _with_words_of_classes(configuration, folder), texts


def _by_structure_alone(told: argparse.Namespace, raw: dict[str, Any], *, begun: bool) -> bool:
    """Whether sample pages are all that says what to look for; a strategy or topic said before says more."""
    if told.strategy or told.topic or told.example or told.classes:
        return False
    return not ((told.job or begun) and (raw.get("strategy") or raw.get("topic")))


def _check_samples_count(told: argparse.Namespace, configuration: Configuration, folder: CrawlFolder) -> None:
    """Sample pages for a crawl that looks at no structure would change nothing."""
    if told.example_structure and folder.exists and not configuration.reads_structure:
        raise CrawlError(
            f"crawl {folder.name!r} goes by {configuration.link_scorer}, which looks at no sample pages; "
            "add --strategy structure, or choose another --name"
        )


def _with_words_of_classes(configuration: Configuration, folder: CrawlFolder) -> Configuration:
    """A topic that is named by its classes alone is looked for by what these are called."""
    topic = configuration.topic
    if not topic.classes or topic.words or topic.examples:
        return configuration
    scheme = scheme_in(scheme_of_crawl(configuration, folder.path))
    captions = dict.fromkeys(map(scheme.caption, topic.classes))
    topic = msgspec.structs.replace(topic, words=", ".join(filter(None, captions)))
    return msgspec.structs.replace(configuration, topic=topic)


def _with_examples(
    told: argparse.Namespace, base: Path, configuration: Configuration, named: TopicChoice
) -> tuple[Configuration, list[str]]:
    """The configuration with the example texts' names; where no topic was named, with the seeds of the one they fit."""
    texts = asyncio.run(gather_examples(told.example, configuration)) if told.example else []
    if texts and not configuration.topic.words:
        named = choose_topic(OwnTaxonomy(base).load(), "", texts)
    seeds = second_level_seeds(configuration.seeds, named.pages)
    configuration = msgspec.structs.replace(configuration, seeds=seeds)
    if named.told and not told.json:
        print(named.told, file=sys.stderr)
    kept = [*texts, *named.texts]
    if not kept:
        return configuration, []
    topic = msgspec.structs.replace(configuration.topic, examples=example_names(len(kept)))
    return msgspec.structs.replace(configuration, topic=topic), kept


def _read_job(path: str) -> tuple[dict[str, Any], str]:
    settings.load(Path(path))
    return settings.read_toml(Path(path)), path


def _check_seeds(configuration: Configuration, origin: str) -> None:
    if not configuration.seeds:
        raise ConfigurationError(f"{origin}: no seeds; name at least one page to begin with: --seed URL")
    check_seeds(configuration, origin)
