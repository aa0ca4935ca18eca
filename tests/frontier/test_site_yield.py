"""Honest texts of any script and kind are new; traps cannot tell which of their pages are looked at."""

from __future__ import annotations

import random
from collections.abc import Callable
from secrets import token_bytes

import pytest

from lycosa.frontier.site_yield import ONE_OF, SiteYield, is_sampled
from lycosa.records import Page

DRAWN = random.Random(3)
LICENCE = (
    "This file is licensed under the Creative Commons license and you are free to share and adapt the work under "
    "the following terms given below by the author "
)
SOME = LICENCE.split()


def words_of(first: str, second: str, number: int = 3000) -> list[str]:
    return ["".join(DRAWN.choice(first) + DRAWN.choice(second) for _ in range(3)) for _ in range(number)]


NAMES = words_of("bcdfglmnprst", "aeiou")
HINDI = words_of("कखगचजटडतदनपबमयरलवसह", "ािीुेों")


def run_on(letters: str, least: int = 60, most: int = 90) -> str:
    """Phrases without spaces between words."""
    return "，".join("".join(DRAWN.choices(letters, k=DRAWN.randint(least, most))) for _ in range(8))


def named(number: int) -> str:
    return " ".join(DRAWN.sample(NAMES, number))


HONEST: dict[str, Callable[[], str]] = {
    "Chinese": lambda: run_on("的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会", 4, 12),
    "Thai": lambda: run_on("กขคงจชซญดตถทนบปผพมยรลวสหอะาิีุูเแโไ่้"),
    "Hindi": lambda: " ".join(DRAWN.choices(HINDI, k=100)),
    "photographs": lambda: f"{named(3)} {LICENCE}",
    "tables": lambda: "Station report " + " ".join(f"{DRAWN.randint(0, 999) / 10} °C" for _ in range(100)),
    "code": lambda: " ".join(
        "{}_{}({}.{}),".format(*DRAWN.choices(NAMES, k=4)) for _ in range(40)
    ),
    "chess": lambda: " ".join(
        f"{turn}. {DRAWN.choice('KQRBN')}{DRAWN.choice('abcdefgh')}{DRAWN.randint(1, 8)}" for turn in range(1, 40)
    ),
    "a long frame": lambda: LICENCE * 8 + named(300),
    "long texts": lambda: LICENCE * 100 + named(300),
    "a few words": lambda: named(3),
}  # fmt: skip
REPEATED: dict[str, Callable[[], str]] = {
    "shuffled": lambda: " ".join(DRAWN.sample(SOME, len(SOME))),
    "the time of day": lambda: f"It is {DRAWN.random()} o'clock. {LICENCE}",
    "the date alone": lambda: f"{DRAWN.randint(1, 30)} November {DRAWN.randint(1000, 9999)}",
    "spaces": lambda: " " * DRAWN.randint(1, 90),
    "shuffled phrases": lambda: "，".join(DRAWN.sample(["一是在不了有", "和人这中大", "为上个国", "我以要他时来"], 4)),
}


def share_of_new_texts(text: Callable[[], str]) -> float:
    found = SiteYield()
    return sum(found.brings_new_text(Page(f"http://a.org/{n}", text=text())) for n in range(100)) / 100


@pytest.mark.parametrize("kind", HONEST)
def test_honest_texts_are_new(kind: str) -> None:
    assert share_of_new_texts(HONEST[kind]) > 0.9


@pytest.mark.parametrize("kind", REPEATED)
def test_repeated_texts_are_not_new(kind: str) -> None:
    assert share_of_new_texts(REPEATED[kind]) < 0.05


def test_which_pages_are_looked_at_cannot_be_known_outside() -> None:
    urls = [f"http://a.org/{number}" for number in range(2000)]
    first, second = ({url for url in urls if is_sampled(url, key)} for key in (token_bytes(16), token_bytes(16)))
    assert first != second
    avoided = [url for url in urls if url not in first]
    share = sum(url in second for url in avoided) / len(avoided)
    assert 0.5 / ONE_OF < share < 2 / ONE_OF, "to know one sample does not help to avoid another"
