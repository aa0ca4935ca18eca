"""JSON lines read many at a time: lines with the same names in the same order share a plan of where each field is.

A line whose first choice of a name says nothing while another name is there, or that holds
its request in an object, is left to the format, which reads it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, compress
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec
import numpy as np

from lycosa.clickstream.server_logs.parsing.byte_slices import PADDING, Places
from lycosa.clickstream.server_logs.parsing.columns import LineBlock
from lycosa.clickstream.server_logs.parsing.entries import request_parts
from lycosa.clickstream.server_logs.parsing.whole_fields import CutLines, Slices

MOST_PLANS = 1000
NOTHING = "-"
_DEFAULTS = {"method": ("GET",)}
_Texts = Sequence[str]


class Plan(NamedTuple):
    """Where lines with certain names keep each field. `sure` are fields with no other name to fall back on."""

    fields: tuple[str, ...]
    values: Callable[[Any], tuple[Any, ...]]
    sure: frozenset[str]


class JsonColumns:
    """Reads lines by plans; `names` are the names of each field, the first choice first."""

    def __init__(self, names: Mapping[str, tuple[str, ...]]) -> None:
        self._names = names
        self._decode = msgspec.json.Decoder(dict[str, Any]).decode
        self._plans: dict[tuple[str, ...], Plan | None] = {}

    def block(self, data: bytes, starts: Places, ends: Places) -> LineBlock | None:
        """The lines that follow a plan, as columns; None where there are none."""
        rows, texts = list[int](), {name: list[str]() for name in self._names}
        for plan, chosen, values in self._by_plan(data, starts, ends):
            usable, columns = _columns(plan, values)
            every = all(usable)
            rows += chosen if every else compress(chosen, usable)
            for name, column in texts.items():
                found = columns.get(name, _DEFAULTS.get(name, ("",)) * len(chosen))
                column += found if every else compress(found, usable)
        return _placed(data, np.array(rows, np.int64), texts) if rows else None

    def _by_plan(
        self, data: bytes, starts: Places, ends: Places
    ) -> list[tuple[Plan, list[int], list[tuple[Any, ...]]]]:
        """The rows of lines with a plan, and what they say."""
        found: dict[tuple[str, ...], tuple[Plan, list[int], list[tuple[Any, ...]]]] = {}
        decode, last, plan = self._decode, tuple[str, ...](), None
        rows, values = list[int](), list[tuple[Any, ...]]()
        for row, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            try:
                decoded = decode(data[start:end])
            except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                continue
            keys = tuple(decoded)
            if keys != last:
                last, plan = keys, self._plans[keys] if keys in self._plans else self._plan(keys)
                if plan is not None:
                    _, rows, values = found.setdefault(keys, (plan, [], []))
            if plan is not None:
                rows.append(row)
                values.append(plan.values(decoded))
        return list(found.values())

    def _plan(self, keys: tuple[str, ...]) -> Plan | None:
        """The plan for lines with certain names; None where they cannot be read so."""
        if len(self._plans) >= MOST_PLANS:
            self._plans.clear()
        by_name = {key.lower(): key for key in keys}
        choices = {field: [by_name[name] for name in names if name in by_name] for field, names in self._names.items()}
        chosen = {field: keys[0] for field, keys in choices.items() if keys}
        if "request" in by_name:
            chosen["request"] = by_name["request"]
        usable = {"time", "status"} <= chosen.keys() and chosen.keys() & {"request", "target"}
        plan = None
        if usable and len(by_name) == len(keys):
            sure = frozenset(field for field, keys in choices.items() if len(keys) < 2)
            plan = Plan(tuple(chosen), itemgetter(*chosen.values()), sure)
        self._plans[keys] = plan
        return plan


def _columns(plan: Plan, values: list[tuple[Any, ...]]) -> tuple[list[bool], dict[str, _Texts]]:
    """The texts of each field, and which lines say all of it in the usual way."""
    usable = [True] * len(values)
    found = dict[str, _Texts]()
    for name, column in zip(plan.fields, zip(*values, strict=True), strict=True):
        kinds = set(map(type, column))
        if not kinds <= (usual := {str, int, float} if name == "time" else {str, int}):
            usable = [good and type(each) in usual for good, each in zip(usable, column, strict=True)]
        texts = column if kinds == {str} else tuple(map(_text, column))
        if NOTHING in texts:
            if name not in plan.sure:
                usable = [good and text != NOTHING for good, text in zip(usable, texts, strict=True)]
            texts = tuple("" if text == NOTHING else text for text in texts)
        found[name] = texts
    if "request" in found:
        usable = [good and " " in text for good, text in zip(usable, found["request"], strict=True)]
        _split_requests(found)
    elif "query" in found:
        found["target"] = tuple(map(_with_query, found["target"], found["query"]))
    if "method" in found and "request" not in plan.fields:
        found["method"] = tuple(method or "GET" for method in found["method"])
    return usable, found


def _text(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _split_requests(found: dict[str, _Texts]) -> None:
    parts = [request_parts(text.encode("utf-8", "surrogatepass")) for text in found.pop("request")]
    found["method"] = [method.decode("utf-8", "surrogatepass") for method, _ in parts]
    found["target"] = [target.decode("utf-8", "surrogatepass") for _, target in parts]


def _with_query(target: str, query: str) -> str:
    return f"{target}?{query.lstrip('?')}" if query and "?" not in target else target


def _placed(data: bytes, rows: Places, texts: Mapping[str, _Texts]) -> LineBlock:
    """The block of lines whose fields stand behind the data, column by column."""
    order = np.argsort(rows, kind="stable")
    fields, added, end = dict[str, Slices](), [data], len(data)
    for name, column in texts.items():
        joined = "".join(column)
        if not joined and name in ("host", "session"):
            continue
        encoded = joined.encode("utf-8", "surrogatepass")
        is_ascii = len(encoded) == len(joined)
        lengths = map(len, column if is_ascii else [text.encode("utf-8", "surrogatepass") for text in column])
        ends = np.fromiter(accumulate(lengths, initial=end), np.int64, len(column) + 1)
        fields[name] = ends[:-1].take(order), ends[1:].take(order)
        added.append(encoded)
        end = int(ends[-1])
    cut = CutLines(b"".join((*added, bytes(PADDING))), rows.take(order), fields, np.ones(len(rows), bool))
    return cut.block()
