"""Our own parts enter by the same door as a user's."""

from __future__ import annotations

import importlib.metadata
import inspect
from collections.abc import Callable

import pytest

from lycosa.configuration.sections import Configuration
from lycosa.configuration.settings import ConfigurationError, build
from lycosa.plugins import registry as plugins
from lycosa.plugins.plug_points import POINTS, checked_by


def test_every_built_in_part_can_be_loaded() -> None:
    for point in plugins.POINTS:
        assert plugins.names(point), point
        for name in plugins.names(point):
            assert callable(plugins.find(point, name))


def test_an_unknown_part_is_an_error_with_the_choices() -> None:
    with pytest.raises(plugins.UnknownPlugin, match="did you mean 'best-first'"):
        plugins.find("link_scorers", "best-frist")


def test_a_users_part_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = importlib.metadata.EntryPoint("mine", "builtins:len", "lycosa.link_scorers")
    monkeypatch.setattr(plugins, "_registered", lambda point: {"mine": entry})
    assert plugins.find("link_scorers", "mine") is len


@pytest.mark.parametrize("point", POINTS)
def test_built_in_factories_take_what_the_plug_point_says(point: str) -> None:
    declared = [parameter.annotation for parameter in inspect.signature(POINTS[point].factory).parameters.values()]
    for name in plugins.names(point):
        taken = [parameter.annotation for parameter in inspect.signature(plugins.find(point, name)).parameters.values()]
        assert taken == declared[1:], name


def test_a_plug_in_refuses_settings_it_cannot_work_with(monkeypatch: pytest.MonkeyPatch) -> None:
    @checked_by(lambda configuration, examples: refuse(f"{configuration.fetching.web} {examples[0]}"))
    def shelf(configuration: Configuration, clock: Callable[[], float]) -> None:
        raise AssertionError("a check makes nothing")

    def refuse(sentence: str) -> None:
        raise ConfigurationError(sentence)

    monkeypatch.setattr(plugins, "find", lambda point, name: shelf if point == "fetchers" else len)
    settings = build({"seeds": ["http://a.example/"], "fetching": {"web": "books:1"}}, [], "test")
    with pytest.raises(ConfigurationError, match="books:1 owls"):
        plugins.check("fetchers", "shelf", settings, ["owls"])
    plugins.check("link_scorers", "any", settings)
