"""No message to a browser says where on the server something lies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from small_crawl import a_crawl, a_full_crawl
from starlette.testclient import TestClient

from lycosa.interface.server.app import web_app
from lycosa.interface.shared.server_paths import without_paths


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/root/.local/share/lycosa/clicks: nothing was counted", "…/clicks: nothing was counted"),
        ("no crawl in /a b/c d/lycosa; there are: x", "no crawl in …/lycosa; there are: x"),
        ("'/etc/lycosa/x.json' is none, nor (/srv/y/z)", "'…/x.json' is none, nor (…/z)"),
        ('File "/usr/lib/python3/a.py", line 3', 'File "…/a.py", line 3'),
    ],
)
def test_of_a_path_only_the_name_is_left(text: str, shown: str) -> None:
    assert without_paths(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "http://a.org/b/c/d.html is refused: blocked: */private/x",
        "write '*/*.pdf' or a.org/x/y",
        "no URL could match '/private/*': it names no host",
        "fetching and/or reading, 3/4, n/a",
        "see https://x.org:80/y/z?u=/a",
    ],
)
def test_addresses_and_patterns_stay_as_they_are(text: str) -> None:
    assert without_paths(text) == text


PAGES = ("/", "/crawl/NAME", "/crawl/NAME/status.json", "/crawl/NAME/settings", "/crawl/NAME/why?url=https://x.example/",
         "/crawl/NAME/logs", "/crawl/NAME/report", "/search?crawl=NAME&q=spider", "/read?crawl=NAME&url=https://x.example/",
         "/clicks", "/clicks/unlinked?crawl=NAME", "/clicks/site?site=x.example&crawl=NAME", "/crawls/new", "/topics",
         "/api/v1/crawls", "/api/v1/crawls/NAME", "/api/v1/crawls/NAME/settings", "/api/v1/clicks/dark?crawl=NAME",
         "/api/v1/crawls/NAME/overview", "/metrics", "/health")  # fmt: skip


def _settings(folder: Path) -> None:
    (folder / "crawl.toml").write_text("[politeness]\ndelay = 'soon'\n")


def _cut(folder: Path) -> None:
    (folder / "crawl.toml").write_text("")


def _no_toml(folder: Path) -> None:
    (folder / "crawl.toml").write_text("=")


def _no_index(folder: Path) -> None:
    (folder / "index" / "meta.json").write_text("{}")


def _trouble(folder: Path) -> None:
    status = folder / "agents" / "0" / "status.json"
    told = json.loads(status.read_text())
    status.write_text(json.dumps(told | {"settings_trouble": f"{folder}/crawl.toml: no good"}))
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "logs" / "crawl.log").write_text(f"lycosa: {folder}/crawl.toml: no good\n")


@pytest.mark.parametrize("damage", [_settings, _cut, _no_toml, _no_index, _trouble])
def test_whatever_is_wrong_with_a_crawl_no_page_names_a_folder(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    damage(a_full_crawl(tmp_path, "harmed").path)
    a_crawl(tmp_path, "young")
    (tmp_path / "taxonomy").write_text("a file where a folder should be")
    client = TestClient(web_app(tmp_path), base_url="http://localhost", raise_server_exceptions=False)
    for page in PAGES:
        for name in ("harmed", "young", "none"):
            answer = client.get(page.replace("NAME", name))
            assert str(tmp_path) not in answer.text, f"{page} of {name}: {answer.text[-3000:]}"
