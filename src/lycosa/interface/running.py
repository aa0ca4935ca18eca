"""Commands that make a crawl go, or change it while it goes."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tomllib
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
from lycosa.agents.fleet import Fleet
from lycosa.agents.folder import CrawlError, CrawlFolder, Wish, home
from lycosa.agents.seeds import second_level_seeds
from lycosa.agents.status import Status, crawl_status
from lycosa.agents.structure_samples import keep_samples, with_samples
from lycosa.agents.taxonomy_folder import OwnTaxonomy
from lycosa.agents.topic_choice import TopicChoice, choose_topic
from lycosa.agents.treasure_folder import treasure_of
from lycosa.configuration import Configuration, ConfigurationError
from lycosa.frontier.admission import admission
from lycosa.interface.progress import ProgressLine
from lycosa.records import Link
from lycosa.urls import host_of, normalise, site_of

_OPTIONS = ("strategy", "agents", "partition", "mode", "pages", "name")


def crawl(told: argparse.Namespace) -> int:
    """Start a crawl, or go on with one."""
    base = home(told.home)
    folder, configuration, texts = prepare(told, base)
    if folder.running():
        raise CrawlError(f"crawl {folder.name!r} is running already; `lycosa status {folder.name}` shows it")
    check_ready(configuration, texts, folder)
    _check_owners(folder, configuration)
    configuration, samples = with_samples(told.example_structure, configuration)
    if not told.json:
        _tell_classes(configuration, texts, folder)
    keep_examples(texts, folder.path)
    keep_samples(samples, folder.path)
    keep_scheme(configuration, folder.path)
    folder.create(configuration)
    return run(folder, told.json)


def _tell_classes(configuration: Configuration, texts: Sequence[str], folder: CrawlFolder) -> None:
    """Say which classes the topic has, so that they can be corrected before much is crawled."""
    scheme = scheme_of_crawl(configuration, folder.path)
    told = classes_told(configuration, scheme, [configuration.topic.words, *texts])
    if told:
        print(told, file=sys.stderr)


def _check_owners(folder: CrawlFolder, wanted: Configuration) -> None:
    """Who owns which site was decided when the crawl began."""
    if folder.exists and folder.agent(0).exists():
        begun = folder.configuration()
        if (begun.agents, begun.partition) != (wanted.agents, wanted.partition):
            raise CrawlError(
                f"crawl {folder.name!r} began with {begun.agents} agents by {begun.partition}; that decides who owns "
                "which site and cannot be changed; go on with those, or choose another --name"
            )


def prepare(told: argparse.Namespace, base: Path) -> tuple[CrawlFolder, Configuration, list[str]]:
    """The folder, the effective configuration and new example texts that the command line asks for; writes nothing."""
    raw, origin = _read_job(told.job) if told.job else ({}, "command line")
    name = told.name or raw.get("name") or (Path(told.job).stem if told.job else "crawl")
    folder = CrawlFolder(base / "crawls" / str(name))
    if folder.exists and not told.job:
        raw, origin = settings.plain(folder.configuration()), str(folder.path / "crawl.toml")
    raw["name"] = name
    for option in _OPTIONS:
        if getattr(told, option) is not None:
            raw[option] = getattr(told, option)
    if _by_structure_alone(told, raw):
        raw["strategy"] = "structure"
    if told.seed:
        raw["seeds"] = [_web_address(seed) for seed in told.seed]
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
    if configuration.seeds or not (told.example or named.pages):
        _check_seeds(configuration, origin)
    if not configuration.fetching.contact:
        pages = [page for page in told.example_structure if "://" in page]
        contact = known_contact(base, msgspec.structs.replace(configuration, seeds=(*configuration.seeds, *pages)))
        configuration = settings.changed(configuration, f"fetching.contact={contact}")
    elif told.contact:
        _remember_contact(base, told.contact)
    configuration, texts = _with_examples(told, base, configuration, named)
    _check_seeds(configuration, origin)
    return folder, configuration, texts


def _by_structure_alone(told: argparse.Namespace, raw: dict[str, Any]) -> bool:
    """Whether sample pages are all that says what to look for; a job file's own strategy or topic says more."""
    if not told.example_structure or told.strategy or told.topic or told.example or told.classes:
        return False
    return not (told.job and (raw.get("strategy") or raw.get("topic")))


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
    return tomllib.loads(Path(path).read_text("utf-8")), path


def _web_address(text: str) -> str:
    return text if "://" in text else f"https://{text}"


def _check_seeds(configuration: Configuration, origin: str) -> None:
    if not configuration.seeds:
        raise ConfigurationError(f"{origin}: no seeds; name at least one page to begin with: --seed URL")
    for seed in configuration.seeds:
        if normalise(seed) is None:
            raise ConfigurationError(f"{origin}: seed {seed!r} is no http(s) URL")


def check_ready(configuration: Configuration, texts: Sequence[str], folder: CrawlFolder) -> None:
    """Find out now what would go wrong later."""
    label_of(configuration)
    scheme = scheme_of_crawl(configuration, folder.path)
    checked_classes(configuration, scheme)
    treasure_of(configuration, folder.path)
    check_source(configuration, folder.path)
    if not texts:
        topic_of(configuration, folder.path)
    for point, name in (
        ("link_scorers", configuration.strategy),
        ("page_scorers", configuration.page_scorer),
        ("assigners", configuration.partition),
        ("fetchers", configuration.fetching.fetcher),
    ):
        plugins.find(point, name)
    rules = admission(configuration)
    refused = {seed: rules.refusal(Link(normalise(seed) or seed)) for seed in configuration.seeds}
    if all(refused.values()):
        seed, why = next(iter(refused.items()))
        raise ConfigurationError(f"no seed is let in; {seed} is refused: {why}")


def known_contact(base: Path, configuration: Configuration) -> str:
    """The contact that was given once; a crawl of the public web without one is refused."""
    path = base / "contact.txt"
    if path.exists():
        return path.read_text("utf-8").strip()
    if not _is_public(configuration):
        return ""
    if sys.stdin.isatty():
        print("Site owners must be able to reach you. A contact URL or mail address, asked for once:", file=sys.stderr)
        contact = input("> ").strip()
        if contact:
            _remember_contact(base, contact)
            return contact
    raise CrawlError("a crawl of the public web needs a contact for site owners: --contact https://you.example/bot")


def _remember_contact(base: Path, contact: str) -> None:
    base.mkdir(parents=True, exist_ok=True)
    (base / "contact.txt").write_text(contact + "\n", "utf-8")


def _is_public(configuration: Configuration) -> bool:
    if configuration.fetching.fetcher != "http":
        return False
    hosts = {host_of(site_of(normalise(seed) or "http://unknown/")) for seed in configuration.seeds}
    return not all(host.endswith("localhost") or host.startswith(("127.", "[::1]")) for host in hosts)


def run(folder: CrawlFolder, as_json: bool) -> int:
    """Run a crawl in the foreground until it ends."""
    line = ProgressLine(sys.stderr, quiet=as_json)
    status = asyncio.run(Fleet(folder, line.show).run())
    line.finish(status)
    if as_json:
        print(json.dumps(status.plain()))
    return _verdict(folder, status)


def revisit(told: argparse.Namespace) -> int:
    """Look again at all pages of a crawl that may have changed."""
    folder = _find(told)
    if folder.running():
        raise CrawlError(f"crawl {folder.name!r} is running; `lycosa stop {folder.name}` first, then look again")
    before = crawl_status(folder).sums
    if not before["fetched"]:
        raise CrawlError(f"crawl {folder.name!r} has no pages yet; `lycosa resume {folder.name}` fetches some")
    line = ProgressLine(sys.stderr, quiet=told.json)
    status = asyncio.run(Fleet(folder, line.show, task="revisit").run())
    line.finish(status)
    looked, changed, gone = (status.sums[name] - before[name] for name in ("looked_again", "changed", "gone"))
    if told.json:
        print(json.dumps({"pages": before["fetched"], "looked_again": looked, "changed": changed, "gone": gone}))
    else:
        found = f"looked again at {looked} of {before['fetched']} pages: {changed} had changed, {gone} were gone"
        print(f"{folder.name}: {found}")
    return 0


def _verdict(folder: CrawlFolder, status: Status) -> int:
    if status.sums["fetched"]:
        return 0
    reasons = {**status.failed, **status.refused}
    if reasons:
        told = ", ".join(f"{why} ({number})" for why, number in sorted(reasons.items(), key=lambda item: -item[1]))
        seed = folder.configuration().seeds[0]
        raise CrawlError(f"no page could be fetched: {told}; `lycosa explain {folder.name} {seed}` says more")
    return 0


def _find(told: argparse.Namespace) -> CrawlFolder:
    return CrawlFolder.find(home(told.home), told.name)


def pause(told: argparse.Namespace) -> int:
    """Let a running crawl wait."""
    folder = _find(told)
    if not folder.running():
        raise CrawlError(f"crawl {folder.name!r} is not running")
    folder.want(Wish.PAUSE)
    print(f"{folder.name}: pausing; `lycosa resume {folder.name}` goes on")
    return 0


def resume(told: argparse.Namespace) -> int:
    """Go on with a paused crawl, or start a stopped one again."""
    folder = _find(told)
    if folder.running():
        folder.want(Wish.RUN)
        print(f"{folder.name}: going on")
        return 0
    return run(folder, told.json)


def stop(told: argparse.Namespace) -> int:
    """End a running crawl after the pages under way."""
    folder = _find(told)
    if not folder.running():
        print(f"{folder.name}: not running")
        return 0
    folder.want(Wish.STOP)
    print(f"{folder.name}: stopping")
    return 0


def change(told: argparse.Namespace) -> int:
    """Change settings, also while running."""
    folder = _find(told)
    before = folder.configuration()
    for setting in told.setting:
        key = setting.partition("=")[0].strip()
        if key in ("agents", "partition", "name", "mode") and folder.running():
            raise CrawlError(f"{key} cannot be changed while the crawl runs; stop it first")
        if key in ("agents", "partition", "name") and folder.agent(0).exists():
            raise CrawlError(f"{key} decides who owns which site; it cannot be changed once a crawl has begun")
        settings.changed(before, setting)
    folder.change(*told.setting)
    print(f"{folder.name}: {', '.join(told.setting)}")
    return 0


def pattern(told: argparse.Namespace) -> int:
    """Block or allow a pattern."""
    folder = _find(told)
    folder.add_pattern(told.kind, told.pattern)
    print(f"{folder.name}: {told.kind} {told.pattern}")
    return 0


def add(told: argparse.Namespace) -> int:
    """Add URLs to a crawl."""
    folder = _find(told)
    urls = [normalise(_web_address(url)) for url in told.url]
    for typed, url in zip(told.url, urls, strict=True):
        if url is None:
            raise CrawlError(f"{typed!r} is no http(s) URL; nothing was added")
    folder.order([url for url in urls if url])
    told_when = "" if folder.running() else f"; `lycosa resume {folder.name}` fetches them"
    print(f"{folder.name}: {len(urls)} URLs added{told_when}")
    return 0
