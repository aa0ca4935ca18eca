"""The address checked is the address connected to, and TLS is what it claims to be."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import pycurl
import pytest
from fetching_scene import fetch, fetcher, visiting
from misbehaving_server import answer, by_path, redirect, serving

from lycosa.fetching.dns import Names, Resolution, Resolved
from lycosa.fetching.exchange import Exchange
from lycosa.records import Failed, Fetched, Link, Redirected, Refused, SiteOpened, SiteShut


class ChangingNames(Names):
    """A name server in the hands of an attacker: each question gets the next answer."""

    answers: list[str]

    async def resolve(self, host: str) -> Resolution:
        return Resolved((self.answers.pop(0) if len(self.answers) > 1 else self.answers[0],), 0.0)


def change_names(monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
    ChangingNames.answers = list(answers)
    monkeypatch.setattr("lycosa.fetching.http_fetcher.Names", ChangingNames)


def test_a_name_that_changes_to_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    change_names(monkeypatch, "127.0.0.1", "127.0.0.2")
    outcome = fetch(answer())
    assert isinstance(outcome, Refused)
    assert outcome.why == "address-refused"
    assert "127.0.0.2" in outcome.detail


def test_the_connection_goes_to_the_checked_address_whatever_the_name_means(monkeypatch: pytest.MonkeyPatch) -> None:
    """`localhost` means this machine to everybody else; we were told another address, and go there."""

    async def scene() -> tuple[object, int]:
        asked = 0

        async def count(request: bytes, writer: asyncio.StreamWriter) -> None:
            nonlocal asked
            asked += 1
            await answer()(request, writer)

        async with serving(count) as port:
            visitor = fetcher(allow_addresses=[f"127.0.0.3:{port}"], names={"hosts": {"localhost": "127.0.0.3"}})
            try:
                assert isinstance(await visitor.open(f"http://localhost:{port}", time.time()), SiteOpened)
                return await visitor.fetch(Link(f"http://localhost:{port}/")), asked
            finally:
                await visitor.close()

    outcome, asked = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert outcome.why == "connect-failed"
    assert asked == 0


def test_a_kept_connection_is_not_used_for_another_address(monkeypatch: pytest.MonkeyPatch) -> None:
    change_names(monkeypatch, "127.0.0.1", "127.0.0.1", "127.0.0.2")

    async def two(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer(b"two")(await reader.readuntil(b"\r\n\r\n"), writer)

    async def scene() -> list[str]:
        bodies: list[str] = []
        async with serving(answer(b"one")) as port:
            other = await asyncio.start_server(two, "127.0.0.2", port)
            visitor = fetcher(allow_addresses=[f"127.0.0.0/8:{port}"])
            await visitor.open(f"http://site.example:{port}", time.time())
            for _ in range(2):
                outcome = await visitor.fetch(Link(f"http://site.example:{port}/"))
                assert isinstance(outcome, Fetched), outcome
                bodies.append(f"{outcome.response.body.decode()} {outcome.response.address}")
            await visitor.close()
            other.close()
        return bodies

    assert asyncio.run(scene()) == ["one 127.0.0.1", "two 127.0.0.2"]


def test_libcurl_gets_no_socket_to_another_address() -> None:
    async def scene() -> object:
        async with visiting(answer()) as (visitor, site):
            await visitor.open(site, time.time())
            original = Exchange.begin

            def rebind(self: Exchange, *arguments: object) -> None:
                original(self, *arguments)  # type: ignore[arg-type]
                self.curl.setopt(pycurl.CONNECT_TO, ["::127.0.0.2:"])

            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Exchange, "begin", rebind)
                return await visitor.fetch(Link(f"{site}/"))

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Refused)
    assert outcome.why == "address-refused"


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert isinstance(fetch(answer()), Fetched)


@pytest.mark.parametrize("target", ["http://127.0.0.1:{port}/x", "http://10.0.0.1/", "http://[::1]:{port}/"])
def test_a_redirect_into_the_private_network_ends_at_the_gate(target: str) -> None:
    async def scene() -> SiteOpened | SiteShut:
        async with (
            serving(answer()) as secret,
            visiting(by_path(page=redirect(target.format(port=secret)))) as (visitor, site),
        ):
            await visitor.open(site, time.time())
            outcome = await visitor.fetch(Link(f"{site}/page"))
            assert isinstance(outcome, Redirected)
            return await visitor.open(outcome.target.rpartition("/")[0], time.time())

    shut = asyncio.run(scene())
    assert isinstance(shut, SiteShut)
    assert shut.why == "address-refused"


def test_no_descriptors_left_is_a_failed_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object) -> None:
        raise OSError(24, "Too many open files")

    async def scene() -> object:
        async with visiting(answer()) as (visitor, site):
            await visitor.open(site, time.time())
            with monkeypatch.context() as patch:
                patch.setattr("lycosa.fetching.exchange.socket.socket", exhausted)
                failed = await visitor.fetch(Link(f"{site}/"))
            assert isinstance(failed, Failed)
            assert (failed.why, failed.again) == ("connect-failed", True)
            return await visitor.fetch(Link(f"{site}/"))

    assert isinstance(asyncio.run(scene()), Fetched)


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority of our own, and certificates good and bad."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl to make certificates with")
    folder = tmp_path_factory.mktemp("certificates")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(folder, "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test", "-days", "3650")
    for name, host, days in (
        ("good", "a.localhost", "3650"),
        ("expired", "a.localhost", "-1"),
        ("other", "b.test", "3650"),
    ):
        (folder / "names").write_text(f"subjectAltName=DNS:{host}")
        openssl(folder, "req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={host}")
        sign = ("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial")
        openssl(folder, *sign, "-out", f"{name}.pem", "-days", days, "-extfile", "names")
    return folder


def serving_tls(certificates: Path, name: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
    return context


@pytest.mark.parametrize(("name", "detail"), [("expired", "expired"), ("other", "name"), ("self-signed", "issuer")])
def test_bad_certificates_are_refused_unless_told(
    certificates: Path, name: str, detail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name != "self-signed":
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))
    context = serving_tls(certificates, "good" if name == "self-signed" else name)
    outcome = fetch(answer(), tls=context)
    assert isinstance(outcome, Failed), outcome
    assert (outcome.why, outcome.again) == ("tls", False)
    assert detail in outcome.detail
    assert isinstance(fetch(answer(), tls=context, verify_tls=False), Fetched)


def test_a_good_certificate_is_accepted(certificates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ca.pem"))
    assert isinstance(fetch(answer(), tls=serving_tls(certificates, "good")), Fetched)


def test_plain_http_where_tls_was_asked_for_is_a_tls_failure() -> None:
    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer(b"speak plainly", "400 Bad Request")(b"", writer)

    async def scene() -> object:
        server = await asyncio.start_server(plain, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        visitor = fetcher(port)
        try:
            await visitor.open(f"https://a.localhost:{port}", time.time())
            return await visitor.fetch(Link(f"https://a.localhost:{port}/"))
        finally:
            await visitor.close()
            server.close()

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Failed)
    assert outcome.why == "tls"


def test_ipv6_literals_work_where_allowed() -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("no IPv6 on this machine")

    async def honest(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await answer()(await reader.readuntil(b"\r\n\r\n"), writer)

    async def scene() -> object:
        server = await asyncio.start_server(honest, "::1", 0)
        port = server.sockets[0].getsockname()[1]
        visitor = fetcher(allow_addresses=[f"[::1]:{port}"])
        try:
            assert isinstance(await visitor.open(f"http://[::1]:{port}", time.time()), SiteOpened)
            return await visitor.fetch(Link(f"http://[::1]:{port}/"))
        finally:
            await visitor.close()
            server.close()

    outcome = asyncio.run(scene())
    assert isinstance(outcome, Fetched)
    assert outcome.response.address == "::1"
