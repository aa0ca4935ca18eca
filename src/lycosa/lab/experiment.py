"""A comparison on equal terms: every strategy on every topic, from both kinds of seeds, several times over.

All strategies get the same pages, examples, seeds and budget. The examples of a topic are drawn
by a generator that knows only topic and repeat, so a strategy added later meets the very same
cases. A trial that fails is a result too; the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any, NamedTuple

import msgspec
import xxhash

from lycosa.configuration.settings import ConfigurationError
from lycosa.lab import metrics
from lycosa.lab.trial import TrialResult, run_trial, watches
from lycosa.lab.webs import LabWeb
from lycosa.lab.workers import Failure, results_of
from lycosa.plugins import registry
from lycosa.plugins.plug_points import Topic
from lycosa.text import terms, words
from lycosa.topics.vectors import vectors

TEXTS_REMEMBERED = 100_000
"""Texts around links whose terms a worker keeps from one trial to the next."""

KINDS = ("on", "generic")
"""Seeds on the topic, or one page that is on no particular topic."""
ON_TOPIC_SEEDS = 2

Trial = Callable[[LabWeb, str, Topic, Sequence[str], int, frozenset[str], int], TrialResult]
Progress = Callable[[int, int], None]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is compared."""

    web: str
    topics: tuple[str, ...]
    strategies: tuple[str, ...]
    pages: int
    kinds: tuple[str, ...] = KINDS
    examples: int = 5
    repeat: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        for name, value, least in (
            ("--pages", self.pages, 1), ("--examples", self.examples, 0), ("--repeat", self.repeat, 1),
        ):  # fmt: skip
            if value < least:
                raise ConfigurationError(f"{name} {value} is not possible; use {least} or more")
        for name, values in (("--topic", self.topics), ("--strategy", self.strategies), ("--seeds", self.kinds)):
            if not values:
                raise ConfigurationError(f"{name} is empty; name at least one")
            if len(set(values)) < len(values):
                raise ConfigurationError(f"{name} {','.join(values)} names something twice; name everything once")


class Case(NamedTuple):
    """One task, the same for all strategies; without examples, `about` is what the topic is called."""

    topic: str
    kind: str
    repeat: int
    about: Topic
    examples: tuple[str, ...]
    seeds: tuple[str, ...]
    relevant: frozenset[str]
    seed: int


class Run(msgspec.Struct, frozen=True):
    """How a strategy did at a case. `pages` were fetched and `relevant` of them belong to the topic.

    A failed run has found nothing and says why in `error`.
    """

    name: str
    topic: str
    seeds: str
    repeat: int
    pages: int = 0
    relevant: int = 0
    harvest_rate: float = 0.0
    recall: float = 0.0
    auc: float = 0.0
    curve: tuple[int, ...] = ()
    seconds: float = 0.0
    decisions_per_second: float = 0.0
    budget: int = 0
    web_pages: int = 0
    relevant_in_web: int = 0
    recall_at: dict[str, float | None] = {}
    pages_until: dict[str, int | None] = {}
    memory: int = 0
    examples: tuple[str, ...] = ()
    seed_urls: tuple[str, ...] = ()
    error: str = ""

    @property
    def case(self) -> tuple[str, str, int]:
        """What it can be compared on with other strategies."""
        return self.topic, self.seeds, self.repeat

    def plain(self) -> dict[str, Any]:
        """The run as JSON has it."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


def check_strategies(names: Sequence[str]) -> None:
    """Refuse names that nothing is registered for, before the first page is read."""
    for name in names:
        if name != metrics.ORACLE:
            registry.find("link_scorers", name)


def cases_of(web: LabWeb, plan: Plan) -> list[Case]:
    """The cases of a plan: topics by repeats, each with the wanted kinds of seeds."""
    found = []
    for topic, repeat in product(plan.topics, range(plan.repeat)):
        relevant = frozenset(url for url in web.topic(topic) if web.page(url) is not None)
        drawn = _drawn(web, topic, relevant, plan, repeat)
        examples = drawn[: plan.examples]
        about = _by_examples(web, examples) if examples else _by_words(web, topic)
        for kind in plan.kinds:
            seeds = drawn[:ON_TOPIC_SEEDS] if kind == "on" else (web.generic_seed_for(relevant),)
            seed = xxhash.xxh3_64_intdigest(f"{topic}/{kind}/{repeat}".encode(), plan.seed) >> 32
            found.append(Case(topic, kind, repeat, about, examples, seeds, relevant, seed))
    return found


def _by_examples(web: LabWeb, examples: Sequence[str]) -> Topic:
    return Topic(
        examples=tuple(_text_of(web, url) for url in examples),
        structures=tuple(page.structure for url in examples if (page := web.page(url)) and page.structure),
    )


def _by_words(web: LabWeb, topic: str) -> Topic:
    """A topic as somebody would type it: the last step of its path."""
    label = " ".join(words(web.topic_path(topic).rpartition(".")[2]))
    if not terms(label):
        raise ConfigurationError(f"topic {topic!r}: {label!r} has only stop words; use --examples 1 or more")
    return Topic(label)


def _drawn(web: LabWeb, topic: str, relevant: frozenset[str], plan: Plan, repeat: int) -> tuple[str, ...]:
    """Pages with words, drawn at random from the topic: as many as there are examples, or seeds without any."""
    able = [url for url in sorted(relevant) if (page := web.page(url)) is not None and page.text]
    if not able:
        raise ConfigurationError(f"topic {topic!r}: {web.name} has no page with text on it; choose another topic")
    drawing = Random(f"{plan.seed}/{web.topic_path(topic)}/{repeat}")
    return tuple(drawing.sample(able, min(plan.examples or ON_TOPIC_SEEDS, len(able))))


def _text_of(web: LabWeb, url: str) -> str:
    page = web.page(url)
    return f"{page.title}\n{page.text}" if page is not None else ""


def remember_terms(web: LabWeb) -> None:
    """Count the terms of every page once, before the work is shared out: all trials judge the same pages."""
    maker = vectors()
    maker.remembered = max(maker.remembered, len(web) + TEXTS_REMEMBERED)
    for url in web.urls():
        page = web.page(url)
        if page is not None:
            maker.of_page(page)


def remember_visitors(web: LabWeb, strategies: Sequence[str]) -> int:
    """Read what people did once, before the work is shared out, where a strategy asks; returns of how many pages."""
    return len(web.visitors) if any(map(watches, strategies)) else 0


def run_experiment(
    web: LabWeb, plan: Plan, *, workers: int = 1, progress: Progress | None = None, trial: Trial = run_trial
) -> list[Run]:
    """Run a plan; one result per strategy, topic, kind of seeds and repeat, in the order of the plan."""
    cases = cases_of(web, plan)
    remember_terms(web)
    remember_visitors(web, plan.strategies)
    names = list(dict.fromkeys([metrics.ORACLE, *plan.strategies]))
    jobs = [(name, case) for case in cases for name in names]

    def attempt(job: tuple[str, Case]) -> TrialResult:
        name, case = job
        return trial(web, name, case.about, case.seeds, plan.pages, case.relevant, case.seed)

    results: dict[tuple[str, int], TrialResult | Failure] = {}
    for done, (place, result) in enumerate(results_of(jobs, attempt, workers), 1):
        results[jobs[place][0], place // len(names)] = result
        if progress:
            progress(done, len(jobs))
    return list(_judged(web, plan, cases, results))


def _judged(
    web: LabWeb, plan: Plan, cases: Sequence[Case], results: dict[tuple[str, int], TrialResult | Failure]
) -> Iterator[Run]:
    for name in plan.strategies:
        for place, case in enumerate(cases):
            best, result = results[metrics.ORACLE, place], results[name, place]
            ideal: Sequence[int] = ()
            if isinstance(best, Failure):
                result = result if isinstance(result, Failure) else Failure(f"the oracle failed: {best.why}")
            else:
                ideal = metrics.harvest_curve(best.order[: plan.pages], case.relevant)
            yield _run_of(name, case, result, ideal, plan.pages, len(web))


def _run_of(name: str, case: Case, result: TrialResult | Failure, ideal: Sequence[int], budget: int, size: int) -> Run:
    number = len(case.relevant)
    run = Run(
        name,
        case.topic,
        case.kind,
        case.repeat,
        budget=budget,
        web_pages=size,
        relevant_in_web=number,
        examples=case.examples,
        seed_urls=case.seeds,
    )
    if isinstance(result, Failure):
        return msgspec.structs.replace(run, error=result.why)
    curve = metrics.harvest_curve(result.order[:budget], case.relevant)
    return msgspec.structs.replace(
        run,
        pages=len(curve),
        relevant=metrics.found_by(curve, budget),
        harvest_rate=metrics.harvest_rate(curve),
        recall=metrics.recall(curve, number),
        auc=metrics.relative_area(curve, ideal, budget),
        curve=tuple(curve),
        seconds=result.seconds,
        decisions_per_second=result.decisions / result.seconds if result.seconds > 0 else 0.0,
        recall_at=metrics.recall_at(curve, number, size, budget),
        pages_until=metrics.until_first(curve),
        memory=result.memory,
    )
