"""An acknowledged event survives a collector that is killed in the midst of load, or told to end, and company."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from collector_process import collector_process
from own_collector import SITE, Client, an_event, post

from lycosa.click_records import PageClicks, Source
from lycosa.configuration.settings import ConfigurationError
from lycosa.interface.commands.clicks import collect
from lycosa.storage.click_store import ClickStore

VIEWS = 3000
CONNECTIONS = 16
SETTINGS = ('trusted_proxies=["127.0.0.1"]', "events_per_minute=1000000")


def page_of(view: int) -> str:
    return f"https://example.org/view/{view}"


class Load:
    """Views sent by several connections at once; a view is acknowledged by its 204."""

    def __init__(self, views: Sequence[int]) -> None:
        self.waiting = list(reversed(views))
        self.acknowledged: set[int] = set()
        self.enough = asyncio.Event()

    async def send(self, port: int, enough: int) -> None:
        """Send all; `enough` is set when so many are acknowledged. Connections that end take their last view along."""
        await asyncio.gather(*(self._send(port, enough) for _ in range(CONNECTIONS)))

    async def _send(self, port: int, enough: int) -> None:
        client = Client(*await asyncio.open_connection("127.0.0.1", port))
        try:
            while self.waiting:
                view = self.waiting.pop()
                event = an_event(time.time(), i=f"{view:016x}", u=page_of(view))
                answered = await client.send(post(event, {"X-Forwarded-For": f"198.51.100.{view % 250}"}))
                assert answered.status == 204
                self.acknowledged.add(view)
                if len(self.acknowledged) >= enough:
                    self.enough.set()
        except (asyncio.IncompleteReadError, ConnectionError):
            self.enough.set()
        finally:
            client.close()


def loaded(port: int, views: Sequence[int], process: subprocess.Popen[str], sign: int, after: int) -> set[int]:
    """The views that were acknowledged by a collector which gets a signal after so many."""

    async def play() -> set[int]:
        load = Load(views)
        sending = asyncio.create_task(load.send(port, after))
        await load.enough.wait()
        process.send_signal(sign)
        await asyncio.wait_for(sending, 60)
        return load.acknowledged

    return asyncio.run(play())


def watched(home: Path) -> Path:
    folder = home / "clicks"
    with ClickStore(folder) as store:
        store.put_site(SITE)
    return folder


def visits(folder: Path) -> dict[str, int]:
    with ClickStore(folder) as store:
        return {page.url: page.visits for page in store.pages(SITE.name, Source.BEACON)}


def test_what_was_acknowledged_survives_kill_9_and_nothing_counts_twice(tmp_path: Path) -> None:
    folder = watched(tmp_path)
    with collector_process(tmp_path, *SETTINGS) as (port, process):
        acknowledged = loaded(port, range(VIEWS), process, signal.SIGKILL, VIEWS // 4)
        assert process.wait(10) == -signal.SIGKILL
    assert VIEWS // 4 <= len(acknowledged) < VIEWS, "it was killed in the midst of load"
    kept = visits(folder)
    assert {page_of(view) for view in acknowledged} <= kept.keys()
    assert set(kept.values()) == {1}
    with collector_process(tmp_path, *SETTINGS) as (port, process):
        again = loaded(port, range(VIEWS), process, signal.SIGTERM, VIEWS)
        assert process.wait(10) == 0
    assert again == set(range(VIEWS))
    assert visits(folder) == {page_of(view): 1 for view in range(VIEWS)}
    with ClickStore(folder) as store:
        assert store.refusals(SITE.name) == {"replay": len(kept)}


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_after_it_has_written_and_answered_what_it_took(tmp_path: Path, sign: int) -> None:
    folder = watched(tmp_path)
    with collector_process(tmp_path, *SETTINGS) as (port, process):
        acknowledged = loaded(port, range(VIEWS), process, sign, 200)
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert 200 <= len(acknowledged) < VIEWS
    assert visits(folder) == {page_of(view): 1 for view in acknowledged}


def test_a_log_may_be_imported_at_the_same_time(tmp_path: Path) -> None:
    folder = watched(tmp_path)

    async def play(port: int) -> None:
        sending = asyncio.create_task(Load(range(500)).send(port, 500))
        with ClickStore(folder) as store:
            for _ in range(20):
                pages = [PageClicks(page_of(view), visits=1) for view in range(100)]
                await asyncio.to_thread(store.add_pages, SITE.name, Source.LOG, pages)
        await sending

    with collector_process(tmp_path, *SETTINGS) as (port, process):
        asyncio.run(play(port))
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert visits(folder) == {page_of(view): 1 for view in range(500)}
    with ClickStore(folder) as store:
        assert {page.visits for page in store.pages(SITE.name, Source.LOG)} == {20}


def test_a_collector_without_sites_says_what_to_do(tmp_path: Path) -> None:
    with collector_process(tmp_path) as (_, process):
        process.terminate()
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert "lycosa clicks sites add" in process.stderr.read()


def test_facing_the_public_names_tls_and_a_proxy(capsys: pytest.CaptureFixture[str]) -> None:
    with collect.listening_on("127.0.0.1", 0) as listening:
        collect.tell_where(listening, "127.0.0.1")
        assert capsys.readouterr().err == ""
        collect.tell_where(listening, "0.0.0.0")
        warned = capsys.readouterr().err
        assert "TLS" in warned
        assert "proxy" in warned
        with pytest.raises(ConfigurationError, match="in use"):
            collect.listening_on("127.0.0.1", listening.getsockname()[1])
