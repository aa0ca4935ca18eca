"""`lycosa crawl`: everything is checked before a crawl begins."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from lycosa import configuration as settings
from lycosa import plugins
from lycosa.agents.assembly import label_of, topic_of
from lycosa.agents.class_schemes import checked_classes, classes_told, keep_scheme, scheme_of_crawl
from lycosa.agents.click_source import check_source
from lycosa.agents.examples import example_names, gather_examples, keep_examples
from lycosa.agents.folder import CrawlError, CrawlFolder, home
from lycosa.agents.seeds import second_level_seeds
from lycosa.agents.structure_samples import keep_samples, with_samples
from lycosa.agents.taxonomy_folder import OwnTaxonomy
from lycosa.agents.topic_choice import TopicChoice, choose_topic
from lycosa.agents.treasure_folder import treasure_of
from lycosa.configuration import Configuration, ConfigurationError
from lycosa.fetching.address_guard import AddressGuard
from lycosa.frontier.admission import admission
from lycosa.frontier.patterns import odd_pattern
from lycosa.interface import controls
from lycosa.interface.commands.arguments import Commands
from lycosa.interface.commands.contact import known_contact, remember_contact
from lycosa.interface.commands.running import run
from lycosa.records import Link
from lycosa.topics.classes_file import scheme_in
from lycosa.urls import normalise

_OPTIONS = ("strategy", "agents", "partition", "mode", "pages", "name")


def add_commands(commands: Commands, shared: argparse.ArgumentParser) -> None:
    """`lycosa crawl`."""
    command = commands.add_parser("crawl", help="start a crawl, or go on with one", parents=[shared])
    command.add_argument("job", nargs="?", help="a job file (TOML)")
    command.add_argument("--topic", help="what to look for: words, or a topic of the taxonomy (`lycosa topics show`)")
    command.add_argument("--example", action="append", default=[], metavar="URL|FILE", help="a page on the topic")
    command.add_argument(
        "--example-structure", action="append", default=[], metavar="URL|FILE", help="a page built like those wanted"
    )
    command.add_argument(
        "--class", action="append", default=[], dest="classes", metavar="N", help="a knowledge class of the topic: 598"
    )
    command.add_argument("--seed", action="append", default=[], metavar="URL", help="where to begin")
    command.add_argument("--strategy", help=f"one of: {', '.join(plugins.names('link_scorers'))}")
    command.add_argument("--agents", type=int, help="how many processes crawl together")
    command.add_argument("--partition", help=f"who owns a URL: {', '.join(plugins.names('assigners'))}")
    command.add_argument("--mode", help="what happens to another agent's links: exchange, firewall, cross-over")
    command.add_argument("--pages", type=int, help="stop after so many pages")
    command.add_argument("--continuous", action="store_true", help="go on for ever, and look again at pages when due")
    command.add_argument("--contact", help="a URL or address where site owners can reach you; asked for once")
    command.add_argument("--name", help="the crawl's name (default: the job file's, else 'crawl')")
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="any setting of a job file")
    command.set_defaults(run=crawl)


def crawl(told: argparse.Namespace) -> int:
    """Start a crawl, or go on with one."""
    return run(begin(told), told.json)


def begin(told: argparse.Namespace) -> CrawlFolder:
    """Make the folder of a crawl, or take up the one that is there, after everything was checked."""
    folder, configuration, texts = prepare(told, home(told.home))
    if folder.running():
        raise CrawlError(f"crawl {folder.name!r} is running already; `lycosa status {folder.name}` shows it")
    check_ready(configuration, texts, folder)
    controls.check_begun(folder, configuration)
    configuration, samples = with_samples(told.example_structure, configuration)
    if not told.json:
        _tell_classes(configuration, texts, folder)
    keep_examples(texts, folder.path)
    keep_samples(samples, folder.path)
    keep_scheme(configuration, folder.path)
    folder.create(configuration)
    return folder


def _tell_classes(configuration: Configuration, texts: Sequence[str], folder: CrawlFolder) -> None:
    """Say which classes the topic has, so that they can be corrected before much is crawled."""
    scheme = scheme_of_crawl(configuration, folder.path)
    told = classes_told(configuration, scheme, [configuration.topic.words, *texts])
    if told:
        print(told, file=sys.stderr)


def prepare(told: argparse.Namespace, base: Path) -> tuple[CrawlFolder, Configuration, list[str]]:
    """The folder, the effective configuration and new example texts that the command line asks for; writes nothing."""
    raw, origin = _read_job(told.job) if told.job else ({}, "command line")
    name = told.name or raw.get("name") or (Path(told.job).stem if told.job else "crawl")
    settings.build({"name": name}, origin=origin)
    folder = CrawlFolder(base / "crawls" / str(name))
    if folder.exists and not told.job:
        raw, origin = settings.plain(folder.configuration()), str(folder.path / "crawl.toml")
    raw["name"] = name
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
    configuration = settings.build(raw, told.set, origin)
    _check_parts(configuration)
    if configuration.seeds or not (told.example or named.pages):
        _check_seeds(configuration, origin)
    if not configuration.fetching.contact:
        pages = [page for page in told.example_structure if "://" in page]
        contact = known_contact(
            base, msgspec.structs.replace(configuration, seeds=(*configuration.seeds, *pages)), ask=not told.json
        )
        configuration = settings.changed(configuration, f"fetching.contact={contact}")
    elif told.contact:
        remember_contact(base, told.contact)
    configuration, texts = _with_examples(told, base, configuration, named)
    _check_seeds(configuration, origin)
    _check_samples_count(told, configuration, folder)
    return folder, configuration if texts else _with_words_of_classes(configuration, folder), texts


def _by_structure_alone(told: argparse.Namespace, raw: dict[str, Any], *, begun: bool) -> bool:
    """Whether sample pages are all that says what to look for; a strategy or topic said before says more."""
    if told.strategy or told.topic or told.example or told.classes:
        return False
    return not ((told.job or begun) and (raw.get("strategy") or raw.get("topic")))


def _check_samples_count(told: argparse.Namespace, configuration: Configuration, folder: CrawlFolder) -> None:
    """Sample pages for a crawl that looks at no structure would change nothing."""
    if told.example_structure and folder.exists and not configuration.reads_structure:
        raise CrawlError(
            f"crawl {folder.name!r} goes by {configuration.strategy}, which looks at no sample pages; "
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
    for seed in configuration.seeds:
        if normalise(seed) is None:
            raise ConfigurationError(f"{origin}: seed {seed!r} is no http(s) URL")


def _check_parts(configuration: Configuration) -> None:
    """Refuse names of parts that nobody has."""
    for point, name in (
        ("link_scorers", configuration.strategy),
        ("page_scorers", configuration.page_scorer),
        ("assigners", configuration.partition),
        ("fetchers", configuration.fetching.fetcher),
    ):
        plugins.find(point, name)


def check_ready(configuration: Configuration, texts: Sequence[str], folder: CrawlFolder) -> None:
    """Find out now what would go wrong later."""
    if configuration.strategy == "treasure" and not (label_of(configuration) or texts or configuration.topic.examples):
        raise ConfigurationError(
            "the strategy treasure needs to know what to look for: --topic WORDS, --example URL|FILE or --class N"
        )
    scheme = scheme_of_crawl(configuration, folder.path)
    checked_classes(configuration, scheme)
    treasure_of(configuration, folder.path)
    check_source(configuration, folder.path)
    AddressGuard(configuration.fetching.allow_addresses)
    if not texts:
        topic_of(configuration, folder.path)
    for odd in filter(None, map(odd_pattern, (*configuration.scope.block, *configuration.scope.allow))):
        raise ConfigurationError(f"scope: {odd}")
    rules = admission(configuration)
    refused = {seed: rules.refusal(Link(normalise(seed) or seed)) for seed in configuration.seeds}
    if all(refused.values()):
        seed, why = next(iter(refused.items()))
        raise ConfigurationError(f"no seed is let in; {seed} is refused: {why}")
