"""Nobody crawls the public web unknown: a contact is checked wherever it comes in, and again when a crawl goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.configuration.settings import build
from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.fetching.contact import is_public, odd_contact
from lycosa.interface.cli import main

PUBLIC = "https://spiders.example/"


@pytest.mark.parametrize(
    "contact", ["https://me.example/bot", "HTTP://me.example", "me@example.org", "mailto:me@mail.example.org"]
)
def test_urls_and_mail_addresses_are_contacts(contact: str) -> None:
    assert not odd_contact(contact)


@pytest.mark.parametrize(
    "contact",
    ["", " ", "me", "ümläut", "https://ümläut.example/", "me@", "@example.org", "me@example", "ftp://me.example/",
     "https://", "http:me", "a b@example.org", "https://me.example/\r\nX: y", "https://me.example/" + "x" * 300],
)  # fmt: skip
def test_nothing_else_is(contact: str) -> None:
    assert "is no contact; use an http(s) URL or a mail address" in odd_contact(contact)


@pytest.mark.parametrize(
    ("url", "public"),
    [
        ("http://localhost/", False), ("http://LOCALHOST.:8080/", False), ("http://a.b.localhost/", False),
        ("http://127.0.0.1/", False), ("http://127.1:80/", False), ("http://10.1.2.3/", False),
        ("http://192.168.0.1/", False), ("http://[::1]:80/", False), ("http://[fd00::1]/", False),
        ("http://xlocalhost/", True), ("http://127.example.invalid/", True), ("http://localhost.example/", True),
        ("http://8.8.8.8/", True), ("http://[2606:4700::1]/", True), ("http://10.example/", True), ("nonsense", True),
    ],
)  # fmt: skip
def test_only_addresses_and_names_of_ones_own_are_not_public(url: str, public: bool) -> None:
    assert is_public(url) is public


def order(home: Path, *typed: str) -> list[str]:
    return ["--home", str(home), *typed]


def refused(capsys: pytest.CaptureFixture[str], home: Path, *typed: str) -> str:
    """The sentence with which a command is refused."""
    assert main(order(home, *typed)) == 2
    said = capsys.readouterr().err.strip()
    assert len(said.splitlines()) == 1, said
    return said


@pytest.mark.parametrize("contact", [" ", "ümläut", "nobody"])
def test_a_contact_that_is_none_is_neither_taken_nor_remembered(
    contact: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin = ("crawl", "--topic", "birds", "--seed", PUBLIC)
    assert "is no contact" in refused(capsys, tmp_path, *begin, "--contact", contact)
    (tmp_path / "job.toml").write_text(f'seeds = ["{PUBLIC}"]\n[fetching]\ncontact = "{contact}"\n', "utf-8")
    assert "is no contact" in refused(capsys, tmp_path, "crawl", str(tmp_path / "job.toml"))
    assert not (tmp_path / "contact.txt").exists()
    (tmp_path / "contact.txt").write_text(contact, "utf-8")
    assert "needs a contact" in refused(capsys, tmp_path, *begin)
    assert not (tmp_path / "crawls").exists()


def test_the_doctor_knows_a_contact_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "contact.txt").write_text(" \n")
    main(order(tmp_path, "doctor"))
    assert "warn  contact: none yet" in capsys.readouterr().out


def test_an_input_that_ends_at_the_question_is_no_contact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def ends(prompt: str) -> str:
        raise EOFError

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", ends)
    assert main(order(tmp_path, "crawl", "--topic", "birds", "--seed", PUBLIC)) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("lycosa: a crawl of the public web needs a contact")


@pytest.fixture
def local(tmp_path: Path) -> CrawlFolder:
    """A crawl of somebody's own server, without a contact."""
    folder = CrawlFolder(tmp_path / "crawls" / "c")
    folder.create(build({"name": "c", "seeds": ["http://127.0.0.1:9/"], "topic": {"words": "birds"}}))
    return folder


def test_a_public_page_is_not_added_to_a_crawl_without_a_contact(
    local: CrawlFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, tmp_path, "add", "c", PUBLIC)
    assert "needs a contact" in said
    assert "lycosa set NAME fetching.contact=" in said
    assert local.orders(0) == ([], 0)
    assert "needs a contact" in refused(capsys, tmp_path, "set", "c", f'seeds=["{PUBLIC}"]')
    assert main(order(tmp_path, "set", "c", "fetching.contact=me@example.org")) == 0
    assert main(order(tmp_path, "add", "c", PUBLIC)) == 0
    assert "needs a contact" in refused(capsys, tmp_path, "set", "c", "fetching.contact=")


def test_it_is_checked_again_when_a_crawl_goes_on(
    local: CrawlFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    local.order([PUBLIC])
    assert "needs a contact" in refused(capsys, tmp_path, "resume", "c")
    local.change("fetching.contact=nobody")
    assert "'nobody' is no contact" in refused(capsys, tmp_path, "resume", "c")
