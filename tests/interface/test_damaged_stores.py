"""A damaged store ends neither the server nor the other crawls; it is named, and made anew from what else there is.

The normal suite takes a sample; `make test-slow` cuts at 20 places, zeroes 20 pages and flips 200 bytes.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
import whole_crawl
from own_server import served

from lycosa.crawl_folder.folder import CrawlFolder
from lycosa.crawl_folder.stores import reading
from lycosa.inspection.repair import repair
from lycosa.inspection.repository_check import RESTORE, check
from lycosa.queue_records import State
from lycosa.storage import catalogue

SLOW = bool(os.environ.get("LYCOSA_SLOW"))
CUTS, PAGES, FLIPS = (20, 20, 200) if SLOW else (2, 2, 4)
MENDED = 40 if SLOW else 1
PAGE = 4096
DAMAGED = "damaged: run `lycosa check"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a sound crawl."""
    base = tmp_path_factory.mktemp("damaged")
    folder = whole_crawl.crawl_folder(base, storage={"batch_visits": 8, "young_links": 10})
    whole_crawl.run(folder)
    return base


def store_of(folder: CrawlFolder) -> Path:
    return folder.agent(0) / "store" / "data.mdb"


def damaged(sound: bytes) -> Iterator[tuple[str, bytes]]:
    """The store's file with one thing wrong, in many ways that are the same in every run."""
    chosen = random.Random(23)
    pages = len(sound) // PAGE
    for number in range(CUTS):
        at = len(sound) * number // CUTS + chosen.randrange(PAGE)
        yield f"cut-{number}", sound[: min(at, len(sound) - 1)]
    for number, page in enumerate(chosen.sample(range(pages), min(PAGES, pages))):
        yield f"zeroed-{number}", sound[: page * PAGE] + bytes(PAGE) + sound[(page + 1) * PAGE :]
    for number in range(FLIPS):
        at = chosen.randrange(len(sound))
        yield f"flipped-{number}", sound[:at] + bytes([sound[at] ^ 1 << chosen.randrange(8)]) + sound[at + 1 :]


def crawl_like(folder: CrawlFolder, name: str, store: bytes) -> CrawlFolder:
    """A copy of a crawl with another file as its store."""
    copy = CrawlFolder(Path(shutil.copytree(folder.path, folder.path.parent / name)))
    store_of(copy).write_bytes(store)
    return copy


def ask(address: str, path: str) -> tuple[int, str]:
    place = urlsplit(address)
    connection = HTTPConnection(place.hostname or "", place.port, timeout=60)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def questions(name: str, url: str) -> list[str]:
    """What reads the stores of a crawl, each in its own way."""
    page = quote(url, safe="")
    return [
        f"/crawl/{name}",
        f"/crawl/{name}/why?url={page}",
        f"/read?crawl={name}&url={page}&view=links",
        f"/read?crawl={name}&url={page}&view=versions",
        f"/api/v1/crawls/{name}/page?url={page}",
        f"/api/v1/crawls/{name}/overview",
        f"/search?crawl={name}&q=the",
    ]


def a_page(folder: CrawlFolder) -> str:
    with reading(folder) as stores:
        return next(row.url for _, row in catalogue.history(stores[0]) if row.outcome == "fetched")


def test_the_server_survives_every_damage_and_the_other_crawls_go_on(home: Path) -> None:
    sound = CrawlFolder(home / "crawls" / "whole")
    url, told = a_page(sound), Counter[str]()
    with served(home) as (address, process):
        for name, data in damaged(store_of(sound).read_bytes()):
            hurt = crawl_like(sound, name, data)
            with ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(lambda path: ask(address, path), questions(name, url)))
                others = list(pool.map(lambda path: ask(address, path)[0], questions("whole", url)[::3]))
            assert others == [200] * len(others), f"{name}: {others}"
            assert process.poll() is None, name
            assert {status for status, _ in answers} <= {200, 404, 409, 410, 422, 503}, f"{name}: {answers}"
            told[name.partition("-")[0]] += any(DAMAGED in text.replace("&#39;", "'") for _, text in answers)
            shutil.rmtree(hurt.path)
        maps = Path(f"/proc/{process.pid}/maps").read_text()
        assert ".mdb" not in maps, "the server itself has mapped a store"
        assert str(home) not in maps, "the server itself has mapped a file of a crawl"
    assert told["cut"] >= CUTS - 1, "what lies beyond the last cut may be pages that nobody needs"
    assert told["zeroed"] >= PAGES // 3
    if SLOW:
        print(f"\ncrawls that were called damaged: {dict(told)} of {CUTS} + {PAGES} + {FLIPS}")


def test_damage_is_named_and_a_store_made_anew(home: Path) -> None:
    sound = CrawlFolder(home / "crawls" / "whole")
    pages = {row.url for row in fetched(sound)}
    kinds: Counter[tuple[str, str]] = Counter()
    for place, (name, data) in enumerate(list(damaged(store_of(sound).read_bytes()))[:: 1 if SLOW else 4]):
        hurt = crawl_like(sound, f"mend-{name}", data)
        found = check(hurt)
        kinds[name.partition("-")[0], found.findings[0].kind if found.findings else "sound"] += 1
        if name.startswith("cut") and not found.sound:
            assert [each.repair for each in found.findings] == [RESTORE], name
        if found.findings and found.findings[0].kind == "damaged-store" and place < MENDED:
            mended = repair(hurt, found)
            assert mended.sound, f"{name}: {mended.lines()}"
            assert {row.url for row in fetched(hurt)} == pages, name
            assert "lost are visits that brought no answer" in mended.repaired[0]
            assert list(hurt.agent(0).glob("store.damaged-*/data.mdb")), "the damaged store is kept"
        shutil.rmtree(hurt.path)
    if SLOW:
        print(f"\nfirst findings of the check: {dict(kinds)}")


def fetched(folder: CrawlFolder) -> list[catalogue.VisitRow]:
    with reading(folder) as stores:
        return [row for store in stores for _, row in catalogue.history(store) if row.outcome == "fetched"]


def test_a_crawl_goes_on_from_a_store_that_was_made_anew(home: Path) -> None:
    sound = CrawlFolder(home / "crawls" / "whole")
    hurt = crawl_like(sound, "again", store_of(sound).read_bytes()[: 10 * PAGE])
    repair(hurt, check(hurt))
    before = sorted(row.url for row in fetched(hurt))
    whole_crawl.run(hurt)
    assert sorted(row.url for row in fetched(hurt)) == before, "nothing is fetched twice"
    with reading(hurt) as stores:
        assert not [record for record in stores[0].urls() if record.state is State.WAITING]
    assert check(hurt).sound, check(hurt).lines()
    shutil.rmtree(hurt.path)


@pytest.mark.parametrize("command", [["explain", "cut", "http://x.example/"], ["report", "cut"], ["check", "cut"]])
def test_commands_say_what_is_wrong_in_a_sentence(home: Path, command: list[str]) -> None:
    sound = CrawlFolder(home / "crawls" / "whole")
    cut = crawl_like(sound, "cut", store_of(sound).read_bytes()[: 10 * PAGE + 100])
    done = typed(home, *command)
    shutil.rmtree(cut.path)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stdout + done.stderr
    assert "lycosa check cut" in done.stdout + done.stderr


def test_a_command_in_a_process_of_its_own_ends_as_usual(home: Path) -> None:
    assert typed(home, "check", "--help").returncode == 0
    assert typed(home, "explain").returncode == 2
    assert typed(home, "check", "whole").returncode == 0
    unknown = typed(home, "check", "nothing")
    assert (unknown.returncode, len(unknown.stderr.splitlines())) == (2, 1)


def test_too_little_memory_is_told_in_a_sentence(home: Path) -> None:
    least = 3_000_000_000
    done = typed(home, "explain", "whole", "http://x.example/", address_space=least)
    assert (done.returncode, done.stdout) == (2, "")
    assert "too little memory" in done.stderr
    assert "Traceback" not in done.stderr


def typed(home: Path, *words: str, address_space: int = resource.RLIM_INFINITY) -> subprocess.CompletedProcess[str]:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (address_space, resource.RLIM_INFINITY))

    command = [sys.executable, "-m", "lycosa", "--home", str(home), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, preexec_fn=limited)


def test_a_damaged_index_is_told_in_a_sentence(home: Path) -> None:
    sound = CrawlFolder(home / "crawls" / "whole")
    hurt = crawl_like(sound, "index", store_of(sound).read_bytes())
    for path in (path for path in hurt.index.iterdir() if path.suffix in (".store", ".idx", ".term")):
        data = bytearray(path.read_bytes())
        data[: len(data) // 2] = os.urandom(len(data) // 2)
        path.write_bytes(data)
    with served(home) as (address, process):
        status, text = ask(address, "/search?crawl=index&q=the&format=json")
        assert ask(address, "/search?crawl=whole&q=the&format=json")[0] == 200
        assert process.poll() is None
    assert status == 503
    assert json.loads(text)["unresponsive_engines"] == [["lycosa", "damaged"]]
    assert [each.kind for each in check(hurt).findings] == ["damaged-index"]
    shutil.rmtree(hurt.path)
