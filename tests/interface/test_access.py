"""Who may do what: tokens, sessions, roles, and the key that keeps other pages out."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from small_crawl import a_crawl
from starlette.testclient import TestClient

from lycosa.crawl_folder.folder import CrawlError
from lycosa.interface.api.all_calls import CALLS
from lycosa.interface.api.http import ROOT
from lycosa.interface.cli import main
from lycosa.interface.server.app import web_app
from lycosa.interface.shared import access as doors
from lycosa.interface.shared.access import Access
from lycosa.interface.shared.tokens import Role, TokenFile


@pytest.fixture
def own_home(tmp_path: Path) -> Path:
    a_crawl(tmp_path, "own")
    return tmp_path


@pytest.fixture
def visitor(own_home: Path) -> TestClient:
    """A browser of this machine that has not signed in."""
    return TestClient(web_app(own_home, ["testserver"]), follow_redirects=False)


def with_token(home: Path, role: Role) -> dict[str, str]:
    return {"Authorization": f"Bearer {TokenFile(home).add(role.told, role)}"}


def page_key(client: TestClient) -> str:
    text = client.get("/").text
    return text.split('name="page-key" content="')[1].split('"')[0]


def signed_in(client: TestClient, home: Path, role: Role = Role.ADMIN) -> TestClient:
    answer = client.post("/sign-in", data={"token": TokenFile(home).add("browser", role), "to": "/crawl/own"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/crawl/own")
    return client


def test_a_token_is_shown_once_and_kept_as_a_hash_that_only_its_owner_can_read(tmp_path: Path) -> None:
    secret = TokenFile(tmp_path).add("me", Role.OPERATE)
    kept = tmp_path / "tokens.json"
    assert secret not in kept.read_text("utf-8")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    found = TokenFile(tmp_path).find(secret)
    assert found is not None
    assert (found.name, found.role) == ("me", "operate")
    assert TokenFile(tmp_path).find(secret + "x") is None


def test_names_of_tokens_are_sensible_and_used_once(tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path)
    tokens.add("me", Role.READ)
    for name, why in (("me", "already"), ("", "no name"), ("a\nb", "no name"), ("x" * 65, "no name")):
        with pytest.raises(CrawlError, match=why):
            tokens.add(name, Role.READ)
    with pytest.raises(CrawlError, match="there are: me"):
        tokens.remove("you")


def test_tokens_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(tmp_path), "--json", "tokens", "add", "robot", "--role", "read"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert TokenFile(tmp_path).find(made["token"]) is not None
    assert main(["--home", str(tmp_path), "tokens", "list"]) == 0
    listed = capsys.readouterr().out
    assert "robot" in listed
    assert "read" in listed
    assert made["token"] not in listed
    assert main(["--home", str(tmp_path), "tokens", "remove", "robot"]) == 0
    assert TokenFile(tmp_path).all() == []


@pytest.mark.parametrize("call", [each for each in CALLS if each.changes], ids=lambda call: str(call.name))
def test_every_call_that_changes_something_refuses_without_a_token(visitor: TestClient, call: object) -> None:
    method, path = call.method, ROOT + call.path.replace("{name}", "own").replace("{", "").replace("}", "")  # type: ignore[attr-defined]
    answer = visitor.request(method, path, json={})
    assert answer.status_code == 401
    assert "token" in answer.json()["error"]
    assert answer.headers["www-authenticate"] == "Bearer"


def test_roles_are_told_apart(visitor: TestClient, own_home: Path) -> None:
    reader, operator = with_token(own_home, Role.READ), with_token(own_home, Role.OPERATE)
    admin = with_token(own_home, Role.ADMIN)
    change = {"settings": ["pages=7"]}
    path = f"{ROOT}/crawls/own"
    assert visitor.get(path, headers=reader).status_code == 200
    refused = visitor.patch(f"{path}/settings", json=change, headers=reader)
    assert refused.status_code == 403
    assert "may read" in refused.json()["error"]
    assert visitor.patch(f"{path}/settings", json=change, headers=operator).json()["settings"]["pages"] == 7
    assert visitor.delete(path, headers=operator).status_code == 403
    assert visitor.delete(path, headers=admin).status_code == 204
    assert visitor.get(path, headers=reader).status_code == 404


def test_a_wrong_token_is_refused_even_where_reading_is_open(visitor: TestClient) -> None:
    assert visitor.get(f"{ROOT}/crawls", headers={"Authorization": "Bearer lyc_no"}).status_code == 401
    assert visitor.get("/", headers={"Authorization": "Bearer lyc_no"}).status_code == 401


def test_a_session_changes_things_only_with_the_key_of_its_own_pages(visitor: TestClient, own_home: Path) -> None:
    signed_in(visitor, own_home)
    path, change = f"{ROOT}/crawls/own/settings", {"settings": ["pages=9"]}
    assert visitor.patch(path, json=change).status_code == 403
    strangers = Access(own_home).page_key(doors.Visitor(Role.READ))
    assert visitor.patch(path, json=change, headers={"X-Lycosa-Key": strangers}).status_code == 403
    key = {"X-Lycosa-Key": page_key(visitor)}
    elsewhere = {**key, "Sec-Fetch-Site": "cross-site"}
    assert visitor.patch(path, json=change, headers=elsewhere).status_code == 403
    assert visitor.patch(path, json=change, headers=key).status_code == 200


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(visitor: TestClient, own_home: Path) -> None:
    answer = visitor.post("/sign-in", data={"token": TokenFile(own_home).add("b", Role.READ)})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_a_removed_token_ends_its_sessions(visitor: TestClient, own_home: Path) -> None:
    signed_in(visitor, own_home)
    assert "Sign out" in visitor.get("/").text
    TokenFile(own_home).remove("browser")
    assert "Sign out" not in visitor.get("/").text
    TokenFile(own_home).add("browser", Role.ADMIN)
    assert "Sign out" not in visitor.get("/").text, "a new token of the same name is another one"


def test_signing_out_forgets_the_session(visitor: TestClient, own_home: Path) -> None:
    signed_in(visitor, own_home)
    assert visitor.post("/sign-out").status_code == 303
    assert "Sign out" not in visitor.get("/").text


def test_a_forged_or_old_cookie_is_nobody(visitor: TestClient, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in_at = doors.time.time()
    signed_in(visitor, own_home)
    name, value = next(iter(visitor.cookies.items()))
    for forged in ("", ".", "zz.zz", value[:-1] + ("0" if value[-1] != "0" else "1"), "00" + value):
        assert "Sign out" not in TestClient(visitor.app, cookies={name: forged}).get("/").text

    def at(moment: float) -> str:
        """The front page for a client that, unlike a browser, sends its cookie whatever the time."""
        monkeypatch.setattr(doors.time, "time", lambda: moment)
        return TestClient(visitor.app).get("/", headers={"Cookie": f"{name}={value}"}).text

    assert "Sign out" in at(signed_in_at + doors.SESSION_LASTS - 60)
    assert "Sign out" not in at(signed_in_at + doors.SESSION_LASTS + 60)


def test_the_key_of_the_console_signs_browsers_of_this_machine_in_again_and_again(own_home: Path) -> None:
    app = web_app(own_home, ["testserver"])
    key = app.state.office.access.console_key()
    for address in ("127.0.0.1", "::1", "127.0.0.1"):
        browser = TestClient(app, follow_redirects=False, client=(address, 50_000))
        for _ in range(2):
            assert browser.get(f"/sign-in?key={key}").status_code == 303
            assert "may admin" in browser.get("/").text
    later = TestClient(web_app(own_home, ["testserver"]), follow_redirects=False, client=("127.0.0.1", 50_000))
    answer = later.get(f"/sign-in?key={key}")
    assert answer.status_code == 200
    assert "an earlier start of the server" in answer.text
    assert "Sign out" not in later.get("/").text


def test_from_another_machine_the_key_of_the_console_signs_one_browser_in(own_home: Path) -> None:
    app = web_app(own_home, ["testserver"], open_reading=False)
    key = app.state.office.access.console_key()
    elsewhere = ("192.0.2.7", 50_000)
    first, second = (TestClient(app, follow_redirects=False, client=elsewhere) for _ in range(2))
    assert first.get(f"/sign-in?key={key}").status_code == 303
    assert "opened on another machine before" in second.get(f"/sign-in?key={key}").text
    here = TestClient(app, follow_redirects=False, client=("127.0.0.1", 50_000))
    assert here.get(f"/sign-in?key={key}").status_code == 303


def test_a_wrong_token_typed_into_the_page_is_told(visitor: TestClient) -> None:
    answer = visitor.post("/sign-in", data={"token": "lyc_wrong"})
    assert answer.status_code == 403
    assert "not known here" in answer.text


@pytest.mark.parametrize(
    "to",
    ["https://evil.example/", "//evil.example", "///evil.example/x", "////evil.example", "/\\evil.example",
     "/\t/evil.example", "/\n//evil.example", " //evil.example", "/search\\\\x", "javascript:alert(1)"],
)  # fmt: skip
def test_signing_in_never_leads_elsewhere(visitor: TestClient, own_home: Path, to: str) -> None:
    answer = visitor.post("/sign-in", data={"token": TokenFile(own_home).add("b", Role.READ), "to": to})
    assert answer.headers["location"] == "/"


def test_where_reading_is_not_open_pages_lead_to_the_door(own_home: Path) -> None:
    client = TestClient(web_app(own_home, ["testserver"], open_reading=False), follow_redirects=False)
    answer = client.get("/crawl/own?x=1", headers={"Accept": "text/html"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/sign-in?to=%2Fcrawl%2Fown%3Fx%3D1"
    assert client.get("/crawl/own/events").status_code == 401
    assert client.get("/static/lycosa.css").status_code == 200
    assert client.get("/sign-in").status_code == 200
    assert client.get("/health").json() == {"status": "ok"}
