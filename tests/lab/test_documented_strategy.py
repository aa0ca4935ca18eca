"""The strategy in the documents works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hand_made import a_page, a_web, address

from lycosa.lab.trial import run_trial
from lycosa.plugins import registry as plugins
from lycosa.plugins.plug_points import Topic

DOCUMENT = Path(__file__).parents[2] / "docs" / "strategies.md"


def test_the_strategy_in_the_documents_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    assert len(code.strip().splitlines()) <= 20
    made: dict[str, object] = {}
    exec(compile(code, str(DOCUMENT), "exec"), made)
    found = plugins.find
    monkeypatch.setattr(
        plugins, "find", lambda point, name: made["short_urls"] if name == "short" else found(point, name)
    )
    names = ("long-name", "x", "middle")
    web = a_web([a_page("seed", *names, text="herons"), *(a_page(name) for name in names)])
    order = run_trial(web, "short", Topic("herons"), [address("seed")], 9, frozenset()).order
    assert [url.rpartition("/")[2] for url in order] == ["seed", "x", "middle", "long-name"]


def test_every_strategy_is_documented() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert [name for name in plugins.names("link_scorers") if f"`{name}`" not in text] == []
