"""The metrics: text that a strict reader understands, with every name that the dashboard for Grafana asks for."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_crawl import a_crawl, a_full_crawl, report
from starlette.testclient import TestClient

from lycosa.interface.api.metrics import DISK, FAILED, METRICS, MOST_REASONS, Sample, exposition
from lycosa.interface.server.app import web_app
from lycosa.interface.shared.tokens import Role, TokenFile

BOARD = Path(__file__).parents[2] / "docs" / "grafana" / "lycosa.json"
_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"')
_SAMPLE = re.compile(rf"({_NAME})(?:\{{(.*)\}})? (\S+)")


class Read(NamedTuple):
    """One sample as a collector sees it."""

    name: str
    labels: dict[str, str]
    value: float


def read(text: str) -> list[Read]:
    """Read the text format strictly: anything that it does not allow is an error."""
    assert text.endswith("\n")
    kinds: dict[str, str] = {}
    helped, seen, found = set(), set(), []
    for line in text.removesuffix("\n").split("\n"):
        if match := re.fullmatch(rf"# HELP ({_NAME}) (.+)", line):
            assert match[1] not in helped
            helped.add(match[1])
        elif match := re.fullmatch(rf"# TYPE ({_NAME}) (counter|gauge)", line):
            assert match[1] in helped
            assert match[1] not in kinds
            kinds[match[1]] = match[2]
            assert match[1].endswith("_total") == (match[2] == "counter")
        else:
            match = _SAMPLE.fullmatch(line)
            assert match, line
            name, written, value = match.groups()
            assert name == next(reversed(kinds)), f"{name} is not with its kind"
            pairs = _LABEL.findall(written or "")
            assert ",".join(f'{label}="{told}"' for label, told in pairs) == (written or ""), line
            labels = {label: re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), told) for label, told in pairs}
            assert len(labels) == len(pairs)
            key = (name, tuple(sorted(labels.items())))
            assert key not in seen, f"twice: {line}"
            seen.add(key)
            found.append(Read(name, labels, float(value.replace("Inf", "inf"))))
    assert set(kinds) == helped
    return found


def value(found: list[Read], name: str, **labels: str) -> float:
    (one,) = [each.value for each in found if each.name == name and labels.items() <= each.labels.items()]
    return one


def test_all_crawls_are_told_as_prometheus_wants_it(client: TestClient) -> None:
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = read(answer.text)
    assert value(found, "lycosa_pages_fetched_total", crawl="spiders", agent="0") == 16
    assert value(found, "lycosa_pages_relevant_total", crawl="spiders", agent="1") == 5
    assert value(found, "lycosa_failures_total", crawl="spiders", agent="1", reason="http-404") == 12
    assert value(found, "lycosa_refusals_total", crawl="spiders", agent="0", reason="robots") == 5
    assert value(found, "lycosa_stage_seconds_total", crawl="spiders", agent="0", stage="fetch") == 1.0
    assert value(found, "lycosa_links_waiting", crawl="spiders", agent="0") == 1234
    assert value(found, "lycosa_agent_memory_bytes", crawl="spiders", agent="0") == 90_000_000
    assert value(found, "lycosa_index_documents", crawl="spiders") == 27
    assert value(found, "lycosa_crawl_state", crawl="spiders", state="stopped") == 1
    assert value(found, "lycosa_crawl_state", crawl="spiders", state="running") == 0
    assert value(found, "lycosa_crawl_budget_pages", crawl="spiders") == 100
    assert value(found, "lycosa_crawl_readable", crawl="young") == 1


def test_every_metric_has_a_figure_once_a_crawl_has_run(client: TestClient) -> None:
    assert {each.name for each in read(client.get("/metrics").text)} == {metric.name for metric in METRICS}


def test_the_dashboard_asks_for_metrics_that_there_are(client: TestClient) -> None:
    there = {each.name for each in read(client.get("/metrics").text)}
    asked = set(re.findall(r"lycosa_\w+", BOARD.read_text("utf-8")))
    assert len(asked) > 10
    assert asked <= there
    board = json.loads(BOARD.read_text("utf-8"))
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    assert all(panel["targets"] for panel in board["panels"])


def test_every_metric_is_documented() -> None:
    told = (BOARD.parent.parent / "monitoring.md").read_text("utf-8")
    assert set(re.findall(r"`(lycosa_\w+)`", told)) == {metric.name for metric in METRICS}


LABELS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20) | st.sampled_from(['"', "\\", "\n", '\\"}\n'])


@given(st.dictionaries(LABELS, st.floats(allow_nan=False), max_size=5))
def test_whatever_a_reason_is_it_stays_one_label(reasons: dict[str, float]) -> None:
    told = [Sample(FAILED, {"crawl": "a", "agent": str(place), "reason": reason}, number)
            for place, (reason, number) in enumerate(reasons.items())]  # fmt: skip
    found = read(exposition([Sample(DISK, {"crawl": "a"}, 0.5), *told]))
    assert [each.value for each in found if each.name == FAILED.name] == list(reasons.values())


def test_a_web_of_many_reasons_does_not_make_many_series(tmp_path: Path) -> None:
    folder = a_crawl(tmp_path, "odd")
    reasons = {f'reason {number} \\"\n<script>': 1000 - number for number in range(500)}
    report(folder, 0, 5, 1, failed=reasons)
    found = read(TestClient(web_app(tmp_path), base_url="http://localhost").get("/metrics").text)
    kept = {each.labels["reason"]: each.value for each in found if each.name == FAILED.name}
    assert len(kept) == MOST_REASONS + 1
    assert sum(kept.values()) == sum(reasons.values())
    assert kept['reason 0 \\"\n<script>'] == 1000


def test_a_crawl_that_cannot_be_read_is_told_and_hides_no_other(tmp_path: Path) -> None:
    a_full_crawl(tmp_path)
    (a_crawl(tmp_path, "bad").path / "crawl.toml").write_text("name = 3\n")
    found = read(TestClient(web_app(tmp_path), base_url="http://localhost").get("/metrics").text)
    assert value(found, "lycosa_crawl_readable", crawl="bad") == 0
    assert value(found, "lycosa_crawl_readable", crawl="spiders") == 1


@pytest.mark.parametrize(("token", "status"), [("", 401), ("wrong", 401), ("right", 200)])
def test_where_reading_is_not_open_a_token_is_needed(tmp_path: Path, token: str, status: int) -> None:
    secret = TokenFile(tmp_path).add("prometheus", Role.READ)
    client = TestClient(web_app(tmp_path, open_reading=False), base_url="http://localhost")
    headers = {"Authorization": f"Bearer {secret if token == 'right' else token}"} if token else {}
    assert client.get("/metrics", headers=headers).status_code == status
