"""`/metrics`: all crawls in the text format of Prometheus.

Every figure that an agent counts from its beginning is a counter; what goes up and
down is a gauge. Labels are escaped, and there are only so many reasons for each
agent, so that a strange web cannot fill the memory of whoever collects this.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from lycosa import __version__
from lycosa.crawl_folder.status import FINISHED, STOPPED, Status
from lycosa.interface.views.open_crawls import Library, Shelved

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MOST_REASONS = 50
LONGEST_LABEL = 120
OTHER = "other"
STATES = ("running", "paused", "stopping", FINISHED, STOPPED)
_ODD = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


class Metric(NamedTuple):
    """A name, what it counts, and whether it only ever grows."""

    name: str
    told: str
    kind: Literal["counter", "gauge"] = "gauge"


class Sample(NamedTuple):
    """A figure of a metric."""

    metric: Metric
    labels: Mapping[str, str]
    value: float


INFO = Metric("lycosa_info", "The version of Lycosa that answers.")
READABLE = Metric("lycosa_crawl_readable", "Whether the crawl's folder can be read.")
STATE = Metric("lycosa_crawl_state", "1 for the state that the crawl is in.")
BUDGET = Metric("lycosa_crawl_budget_pages", "Pages after which the crawl ends; 0 means no limit.")
INDEXED = Metric("lycosa_index_documents", "Pages in the search index.")
DISK = Metric("lycosa_disk_free_bytes", "Bytes free on the disk of the crawl.")
FAILED = Metric("lycosa_failures_total", "Requests that failed, by reason.", "counter")
PLACEHOLDERS = Metric(
    "lycosa_pages_placeholder_total", "Pages that came with status 200 and no content, by what they are.", "counter"
)
REFUSED = Metric("lycosa_refusals_total", "Links that were refused, by reason.", "counter")
STAGE_METRICS = {
    "seconds": Metric("lycosa_stage_seconds_total", "Time spent in a stage of the way of a page.", "counter"),
    "cpu": Metric("lycosa_stage_cpu_seconds_total", "Processor time that a stage used.", "counter"),
    "count": Metric("lycosa_stage_runs_total", "How often a stage was gone through.", "counter"),
    "queue": Metric("lycosa_stage_queue", "What waits for a stage.", "gauge"),
}
AGENT_METRICS = {
    "fetched": Metric("lycosa_pages_fetched_total", "Pages fetched.", "counter"),
    "relevant": Metric("lycosa_pages_relevant_total", "Pages fetched that are relevant.", "counter"),
    "duplicates": Metric("lycosa_pages_duplicate_total", "Pages fetched whose content was known.", "counter"),
    "aside": Metric("lycosa_pages_aside_total", "Pages fetched that were put aside.", "counter"),
    "looked_again": Metric("lycosa_pages_looked_again_total", "Looks at pages that were fetched before.", "counter"),
    "changed": Metric("lycosa_pages_changed_total", "Pages that had changed when looked at again.", "counter"),
    "gone": Metric("lycosa_pages_gone_total", "Pages that were gone when looked at again.", "counter"),
    "bytes": Metric("lycosa_received_bytes_total", "Bytes of pages received.", "counter"),
    "links": Metric("lycosa_links_seen_total", "Links seen on pages.", "counter"),
    "new_links": Metric("lycosa_links_new_total", "Links seen for the first time.", "counter"),
    "sent": Metric("lycosa_links_sent_total", "Links sent to other agents.", "counter"),
    "received": Metric("lycosa_links_received_total", "Links received from other agents.", "counter"),
    "waiting": Metric("lycosa_links_waiting", "Links that wait to be fetched."),
    "in_flight": Metric("lycosa_links_in_flight", "Requests under way."),
    "later": Metric("lycosa_links_later", "Links that failed and are to be tried again."),
    "sites": Metric("lycosa_sites", "Sites known."),
    "memory": Metric("lycosa_agent_memory_bytes", "The most memory that the agent has used."),
    "cpu_seconds": Metric("lycosa_agent_cpu_seconds_total", "Processor time of the agent since it started.", "counter"),
    "uptime": Metric("lycosa_agent_uptime_seconds", "Time since the agent started."),
    "at": Metric("lycosa_agent_reported_timestamp_seconds", "When the agent last said how it fares."),
}
METRICS = (
    INFO, READABLE, STATE, BUDGET, INDEXED, DISK, *AGENT_METRICS.values(), FAILED, REFUSED, PLACEHOLDERS,
    *STAGE_METRICS.values(),
)  # fmt: skip


def metrics(request: Request) -> Response:
    """`/metrics`: all crawls, for Prometheus."""
    library: Library = request.app.state.library
    return Response(exposition(samples(library.shelves())), media_type=MEDIA_TYPE)


def samples(shelves: Iterable[Shelved]) -> Iterator[Sample]:
    """All figures of all crawls."""
    yield Sample(INFO, {"version": __version__}, 1)
    for each in shelves:
        yield Sample(READABLE, {"crawl": each.name}, float(each.status is not None))
        if each.status is not None:
            yield from _of_crawl(each.status)


def _of_crawl(status: Status) -> Iterator[Sample]:
    crawl = {"crawl": status.name}
    for state in STATES:
        yield Sample(STATE, {**crawl, "state": state}, float(status.state == state))
    yield Sample(BUDGET, crawl, status.budget)
    yield Sample(INDEXED, crawl, status.indexed.get("indexed", 0))
    yield Sample(DISK, crawl, status.disk_free)
    for agent in status.agents:
        yield from _of_agent(agent, {**crawl, "agent": str(agent.get("agent", ""))})


def _of_agent(agent: Mapping[str, Any], labels: Mapping[str, str]) -> Iterator[Sample]:
    for key, metric in AGENT_METRICS.items():
        yield Sample(metric, labels, agent.get(key, 0))
    placeholders = agent.get("placeholders", {})
    for metric, counts in ((FAILED, agent["failed"]), (REFUSED, agent["refused"]), (PLACEHOLDERS, placeholders)):
        for reason, count in _bounded(counts).items():
            yield Sample(metric, {**labels, "reason": reason}, count)
    for name, stage in agent["stages"].items():
        for figure, metric in STAGE_METRICS.items():
            yield Sample(metric, {**labels, "stage": name}, stage.get(figure, 0))


def _bounded(counts: Mapping[str, int]) -> dict[str, int]:
    """The commonest reasons, each under its own name, and all others under one."""
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    kept: dict[str, int] = {}
    for place, (reason, count) in enumerate(ranked):
        name = _label(reason) if place < MOST_REASONS else OTHER
        kept[name] = kept.get(name, 0) + count
    return kept


def exposition(found: Iterable[Sample]) -> str:
    """Samples as text, each metric with its help and its kind."""
    by_metric: dict[Metric, list[Sample]] = {metric: [] for metric in METRICS}
    for sample in found:
        by_metric[sample.metric].append(sample)
    lines = []
    for metric, own in by_metric.items():
        lines += [f"# HELP {metric.name} {metric.told}", f"# TYPE {metric.name} {metric.kind}"]
        lines += [f"{metric.name}{{{_labels(sample.labels)}}} {_value(sample.value)}" for sample in own]
    return "\n".join(lines) + "\n"


def _labels(labels: Mapping[str, str]) -> str:
    return ",".join(f'{name}="{_escaped(_label(value))}"' for name, value in labels.items())


def _label(value: str) -> str:
    """Foreign text as a label: short, and without control characters and lone surrogates."""
    return _ODD.sub(" ", value[:LONGEST_LABEL].encode("utf-8", "replace").decode())


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _value(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if float(value).is_integer() else repr(float(value))
