"""Whether a crawl can go by its settings: found out where they are made, not where they are needed.

Whoever begins a crawl or goes on with one, changes its settings or finds them changed asks
the same question here. Nothing is written and nobody is asked for a page.
"""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.configuration.sections import Configuration, Scope
from lycosa.configuration.settings import ConfigurationError
from lycosa.crawl_folder.class_scheme import checked_classes, scheme_of_crawl
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.t_graph_files import treasure_of
from lycosa.crawl_folder.topic import label_of, topic_of
from lycosa.crawling.click_source import check_source
from lycosa.fetching.address_guard import AddressGuard
from lycosa.fetching.contact import check_contact
from lycosa.frontier.admission import admission
from lycosa.frontier.url_patterns import meant_for_paths, odd_pattern
from lycosa.plugins import registry
from lycosa.preparation.structure_samples import check_samples
from lycosa.records import Link
from lycosa.urls import normalise


def check_ready(folder: CrawlFolder) -> None:
    """Refuse to begin or go on with a crawl that could not go by its settings."""
    check_settings(folder.configuration(), folder)


def check_settings(
    configuration: Configuration, folder: CrawlFolder, *, texts: Sequence[str] = (), samples: Sequence[str] = ()
) -> None:
    """Refuse settings that the crawl in this folder could not go by.

    `texts` are examples and `samples` the names of sample pages that the folder will have.
    """
    check_parts(configuration)
    check_seeds(configuration, folder.name)
    check_contact(configuration, (*configuration.seeds, *folder.orders(0)[0]))
    _check_topic(configuration, folder, texts)
    check_samples(samples, configuration)
    check_source(configuration, folder.path)
    AddressGuard(configuration.fetching.allow_addresses)
    registry.check("fetchers", configuration.fetching.fetcher, configuration)
    _check_patterns(configuration, folder)
    admission(configuration)


def _check_patterns(configuration: Configuration, folder: CrawlFolder) -> None:
    """Refuse patterns that match nothing; a crawl keeps those that it has and that only seem to mean something else."""
    patterns = {*configuration.scope.block, *configuration.scope.allow}
    known = folder.configuration().scope if folder.exists else Scope()
    new = patterns.difference(known.block, known.allow)
    odd = (*map(odd_pattern, sorted(patterns)), *map(meant_for_paths, sorted(new)))
    for why in filter(None, odd):
        raise ConfigurationError(f"scope: {why}")


def check_parts(configuration: Configuration) -> None:
    """Refuse names of parts that nobody has."""
    for point, name in (
        ("link_scorers", configuration.link_scorer),
        ("page_scorers", configuration.page_scorer),
        ("assigners", configuration.partition),
        ("fetchers", configuration.fetching.fetcher),
        ("rankings", configuration.ranking.name),
        *(("admission_rules", rule) for rule in configuration.scope.rules),
    ):
        registry.find(point, name)


def check_seeds(configuration: Configuration, origin: str) -> None:
    """Refuse seeds that are no URLs; `origin` is where they come from."""
    for seed in configuration.seeds:
        if normalise(seed) is None:
            raise ConfigurationError(f"{origin}: seed {seed!r} is no http(s) URL")


def check_a_seed_is_let_in(configuration: Configuration) -> None:
    """Refuse a crawl that would end where it begins."""
    rules = admission(configuration)
    refused = {seed: rules.refusal(Link(normalise(seed) or seed)) for seed in configuration.seeds}
    if refused and all(refused.values()):
        seed, why = next(iter(refused.items()))
        raise ConfigurationError(f"no seed is let in; {seed} is refused: {why}")


def _check_topic(configuration: Configuration, folder: CrawlFolder, texts: Sequence[str]) -> None:
    registry.check("link_scorers", configuration.link_scorer, configuration, (*texts, *configuration.topic.examples))
    checked_classes(configuration, scheme_of_crawl(configuration, folder.path))
    if texts:
        label_of(configuration)
        treasure_of(configuration, folder.path)
    else:
        topic_of(configuration, folder.path)
