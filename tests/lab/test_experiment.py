"""All strategies meet the same cases, results are judged alike, and what fails fails alone."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hand_made import a_chain, a_page, a_web, address, in_order_of_finding

from lycosa.configuration.settings import ConfigurationError
from lycosa.lab.experiment import Case, Plan, Run, cases_of, check_strategies, run_experiment
from lycosa.lab.trial import TrialResult
from lycosa.lab.webs import LabWeb
from lycosa.lab.workers import Failure, results_of
from lycosa.plugins.registry import UnknownPlugin

KEYS = ["name", "topic", "seeds", "repeat", "pages", "relevant", "harvest_rate", "recall", "auc", "curve", "seconds",
        "decisions_per_second"]  # fmt: skip


def a_plan(**settings: Any) -> Plan:
    return Plan(**{"web": "x", "topics": ("thing",), "strategies": ("plain",), "pages": 20, **settings})


def compared(web: LabWeb, plan: Plan, workers: int = 1) -> list[Run]:
    return run_experiment(web, plan, workers=workers, trial=in_order_of_finding)


def test_there_is_one_run_for_each_strategy_topic_kind_and_repeat() -> None:
    web = a_chain(40, 4)
    plan = a_plan(strategies=("plain", "still"), topics=("thing", "all"), repeat=3)
    runs = compared(web, plan)
    assert len({(run.name, *run.case) for run in runs}) == len(runs) == 2 * 2 * 2 * 3
    assert [run.name for run in runs] == ["plain"] * 12 + ["still"] * 12


def test_the_figures_of_a_run_follow_from_what_it_fetched() -> None:
    web = a_chain(40, 4)
    (run,) = compared(web, a_plan(kinds=("generic",)))
    assert run.seed_urls == (address("hub"),)
    assert run.curve == (0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5)
    assert (run.pages, run.relevant, run.relevant_in_web, run.web_pages) == (20, 5, 10, 41)
    assert (run.harvest_rate, run.recall) == (0.25, 0.5)
    ideal = sum(min(10, step) for step in range(20))
    assert run.auc == pytest.approx(sum(run.curve) / ideal)
    assert run.decisions_per_second == 40.0
    assert run.recall_at == {"5%": 0.1, "10%": 0.1, "20%": 0.2, "50%": None}


def test_the_plain_form_has_the_promised_keys_first() -> None:
    (run,) = compared(a_chain(10, 2), a_plan(kinds=("on",)))
    plain = run.plain()
    assert list(plain)[: len(KEYS)] == KEYS
    assert isinstance(plain["curve"], tuple | list)
    assert msgspec.json.decode(msgspec.json.encode(run), type=Run) == run


def test_a_topic_by_words_alone_is_called_by_the_last_step_of_its_path() -> None:
    names = [f"p{number}" for number in range(6)]
    web = a_web([a_page(name) for name in names], dict.fromkeys(names, "subject.Wolf_spiders"))
    by_words, by_examples = (cases_of(web, a_plan(topics=("Wolf spiders",), examples=number)) for number in (0, 5))
    assert [case.about.label for case in by_words] == ["wolf spiders"] * 2
    assert [(*case.about.examples, *case.examples) for case in by_words] == [()] * 2
    assert by_words[0].seeds == by_examples[0].seeds, "both crawls begin at the same pages"
    assert by_examples[0].about.label == ""


def test_examples_are_drawn_per_topic_and_repeat_and_are_the_same_for_all() -> None:
    web = a_chain(400, 4)
    cases = cases_of(web, a_plan(repeat=4, examples=7))
    drawn = {case.repeat: case.examples for case in cases}
    assert len(set(drawn.values())) == 4
    for case in cases:
        assert len(case.examples) == len(set(case.examples)) == 7
        assert set(case.examples) <= web.topic("thing")
        assert drawn[case.repeat] == case.examples
        assert case.seeds == (case.examples[:2] if case.kind == "on" else (address("hub"),))
    assert cases == cases_of(web, a_plan(repeat=4, examples=7, strategies=("other",)))
    assert cases[0].examples != cases_of(web, a_plan(seed=2, examples=7))[0].examples


def test_an_example_is_the_title_and_text_of_its_page() -> None:
    web = a_web([a_page("owl", "sun", text="hunts"), a_page("sun")], {"owl": "birds"})
    case: Case = cases_of(web, a_plan(topics=("birds",)))[0]
    assert case.about.examples == ("Owl\nhunts",)


def test_a_topic_without_readable_pages_is_refused() -> None:
    web = a_web([a_page("owl", text=""), a_page("sun")], {"owl": "birds"})
    with pytest.raises(ConfigurationError, match="'birds': hand-made has no page with text on it"):
        cases_of(web, a_plan(topics=("birds",)))


def test_a_broken_strategy_is_a_result_and_the_others_go_on() -> None:
    runs = compared(a_chain(40, 4), a_plan(strategies=("plain", "broken", "still")))
    failed = {run.name: run.error for run in runs if run.error}
    assert failed == {"broken": "ValueError: this one cannot"}
    assert all(run.auc > 0 for run in runs if run.name == "plain")
    assert all((run.auc, run.pages, run.curve) == (0.0, 0, ()) for run in runs if run.name == "broken")


def test_without_an_oracle_there_is_nothing_to_measure_by() -> None:
    def without(web: LabWeb, strategy: str, *rest: Any) -> TrialResult:
        return in_order_of_finding(web, "broken" if strategy == "oracle" else strategy, *rest)

    runs = run_experiment(a_chain(40, 4), a_plan(), trial=without)
    assert {run.error for run in runs} == {"the oracle failed: ValueError: this one cannot"}


def test_the_oracle_is_reported_only_where_it_was_asked_for() -> None:
    web = a_chain(40, 4)
    assert {run.name for run in compared(web, a_plan())} == {"plain"}
    asked = compared(web, a_plan(strategies=("plain", "oracle")))
    assert {run.auc for run in asked if run.name == "oracle"} == {1.0}


def test_several_processes_find_what_one_finds() -> None:
    web, plan = a_chain(60, 3), a_plan(strategies=("plain", "broken", "oracle"), repeat=2)
    assert compared(web, plan, workers=2) == compared(web, plan)


def test_progress_counts_every_crawl_up_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    run_experiment(
        a_chain(10, 2), a_plan(), trial=in_order_of_finding, progress=lambda done, total: told.append((done, total))
    )
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def _at(job: int) -> int:
    if job == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    if job == 5:
        raise RuntimeError("five")
    return job * job


def test_a_process_that_dies_takes_only_its_own_job_along() -> None:
    found = dict(results_of(list(range(8)), _at, 2))
    assert {place: result for place, result in found.items() if not isinstance(result, Failure)} == {
        job: job * job for job in (0, 1, 2, 4, 6, 7)
    }
    assert "its process died" in str(found[3])
    assert found[5] == Failure("RuntimeError: five")


def test_unknown_strategies_are_refused_before_anything_is_read() -> None:
    check_strategies(["oracle", "best-first", "breadth-first"])
    with pytest.raises(UnknownPlugin, match="did you mean 'best-first'"):
        check_strategies(["best-frist"])


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"pages": 0}, "--pages 0 is not possible; use 1 or more"),
        ({"repeat": 0}, "--repeat 0"),
        ({"examples": -1}, "--examples -1"),
        ({"topics": ()}, "--topic is empty"),
        ({"strategies": ("a", "b", "a")}, "--strategy a,b,a names something twice"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigurationError, match=told):
        a_plan(**settings)


def test_a_crawl_beyond_its_budget_is_cut_there() -> None:
    def greedy(web: LabWeb, strategy: str, topic: Any, seeds: Sequence[str], pages: int, *rest: Any) -> TrialResult:
        return in_order_of_finding(web, strategy, topic, seeds, pages + 7, *rest)

    runs = run_experiment(a_chain(60, 4), a_plan(strategies=("plain", "oracle")), trial=greedy)
    assert {run.pages for run in runs} == {20}
