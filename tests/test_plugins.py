"""Our own parts enter by the same door as a user's."""

from __future__ import annotations

import importlib.metadata

import pytest

from lycosa.plugins import registry as plugins


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
