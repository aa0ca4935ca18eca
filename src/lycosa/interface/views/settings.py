"""The settings of a crawl in words: those that people change most with a field each, all others in a table.

Every setting that a configuration has is shown, with the documentation of its table.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Literal

import msgspec

from lycosa.configuration import settings
from lycosa.configuration.sections import Configuration
from lycosa.plugins import registry
from lycosa.records import Record

LONGEST_VALUE = 400


class Field(Record, frozen=True):
    """A setting with a field of its own; `kind` says what is typed into it."""

    key: str
    label: str
    told: str
    kind: Literal["number", "text", "choice"] = "text"
    value: str = ""
    choices: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The name of the field in the page."""
        return self.key.replace(".", "-").replace("_", "-")


class Group(Record, frozen=True):
    """Fields that belong together."""

    label: str
    fields: tuple[Field, ...]


class Setting(Record, frozen=True):
    """A setting as the table shows it; `usual` where it is what every crawl begins with."""

    key: str
    value: str
    usual: bool
    told: str = ""


class Table(Record, frozen=True):
    """A table of the configuration."""

    name: str
    told: str
    settings: tuple[Setting, ...]


_SHARE = "between 0 and 1"
_GROUPS = (
    Group(
        "How much and how fast",
        (
            Field("pages", "Pages to fetch", "0 means no limit", "number"),
            Field("politeness.delay", "Delay between two requests to a site", "such as 1s or 500ms"),
            Field("ceilings.requests_per_second", "Requests a second in all", "0 means no ceiling", "number"),
            Field("ceilings.bytes_per_second", "Data a second in all", "such as 2MiB; 0B means no ceiling"),
            Field("ceilings.site_requests_per_second", "Requests a second to one site", "0: no ceiling", "number"),
            Field("fetching.connections", "Connections at once", "for each agent", "number"),
        ),
    ),
    Group(
        "What counts as relevant",
        (
            Field("topic.threshold", "Relevant from", f"the relevance of a page, {_SHARE}", "number"),
            Field("strategy", "Strategy", "what decides which link comes next", "choice"),
            Field("scope.sites", "Sites", "any, or only those of the seeds", "choice", choices=("any", "seeds")),
            Field("scope.depth", "Links from a seed, at most", "", "number"),
            Field("frontier.ageing_per_day", "Ageing a day", "how much a waiting link gains", "number"),
        ),
    ),
    Group(
        "Order of search results",
        (
            Field("ranking.by_importance", "Weight of importance", _SHARE, "number"),
            Field("ranking.by_behaviour", "Weight of behaviour", _SHARE, "number"),
            Field("ranking.by_clicks", "Weight of clicks", _SHARE, "number"),
            Field("ranking.by_freshness", "Weight of freshness", _SHARE, "number"),
        ),
    ),
)
_BY_STRATEGY = {
    "parents": Group(
        "Strategy “parents”",
        (
            Field("parents.relevancy_weight", "Weight of relevancy", f"the rank has the rest; {_SHARE}", "number"),
            Field("parents.relevancy_gate", "Relevancy gate", _SHARE, "number"),
            Field("parents.rank_gate", "Rank gate", "0 or more", "number"),
        ),
    ),
    "treasure": Group(
        "Strategy “treasure”",
        tuple(
            Field(f"treasure.{name}", f"Weight of {told}", "0 or more", "number")
            for name, told in (
                ("by_relevance", "the page’s relevance"), ("by_page_class", "the page’s class"),
                ("by_experience", "experience"), ("by_words", "words"), ("by_boundary_class", "the boundary’s class"),
                ("by_anchor_class", "the anchor’s class"), ("by_graph", "the T-Graph"),
            )
        ),
    ),
}  # fmt: skip


def groups(configuration: Configuration) -> list[Group]:
    """The fields of a crawl with their values; those of its strategy among them."""
    chosen = [
        *_GROUPS,
        *([_BY_STRATEGY[configuration.link_scorer]] if configuration.link_scorer in _BY_STRATEGY else []),
    ]
    plain = settings.plain(configuration)
    return [Group(group.label, tuple(_filled(field, plain) for field in group.fields)) for group in chosen]


def _filled(field: Field, plain: Mapping[str, Any]) -> Field:
    choices = tuple(registry.names("link_scorers")) if field.key == "strategy" else field.choices
    return msgspec.structs.replace(field, value=_written(_at(plain, field.key)), choices=choices)


def _at(plain: Mapping[str, Any], key: str) -> Any:
    value: Any = plain
    for part in key.split("."):
        value = value[part]
    return value


def tables(configuration: Configuration) -> list[Table]:
    """Every setting of a crawl, table by table."""
    plain, usual, told = settings.plain(configuration), settings.plain(Configuration()), sentences()
    own = [key for key, value in plain.items() if not isinstance(value, Mapping)]
    found = [
        Table("", "The crawl itself.", tuple(_setting(key, key, plain, usual, told.get("top", {})) for key in own))
    ]
    for name, values in plain.items():
        if isinstance(values, Mapping):
            documented = type(getattr(configuration, name)).__doc__ or ""
            rows = [_setting(f"{name}.{key}", key, values, usual[name], told.get(name, {})) for key in values]
            found.append(Table(name, " ".join(documented.split()), tuple(rows)))
    return found


def _setting(
    key: str, name: str, values: Mapping[str, Any], usual: Mapping[str, Any], told: Mapping[str, str]
) -> Setting:
    value = _written(values[name])
    shown = value if len(value) <= LONGEST_VALUE else value[: LONGEST_VALUE - 1] + "…"
    return Setting(key, shown, values[name] == usual.get(name), told.get(name, ""))


def _written(value: Any) -> str:
    """A value as people type it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@lru_cache(maxsize=1)
def sentences() -> dict[str, dict[str, str]]:
    """One sentence for each setting, by table, where they are installed."""
    place = files("lycosa").joinpath("data/settings.toml")
    return tomllib.loads(place.read_text("utf-8")) if place.is_file() else {}
