"""A crawl that nobody named is called after what it looks for."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawl_folder.asked import Asked
from lycosa.interface.operations.crawl_names import name_for


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        (Asked("Wolf spiders"), "wolf-spiders"),
        (Asked("Café crème"), "cafe-creme"),
        (Asked("паук", seeds=("https://www.Example.org/x",)), "example.org"),
        (Asked(seeds=("http://127.0.0.1:8090/",)), "127.0.0.1-8090"),
        (Asked(seeds=("http://[::1]:8090/",)), "1-8090"),
        (Asked(examples=("/home/me/My Page.html",)), "my-page"),
        (Asked("a very long topic of very many words that never ends"), "a-very-long-topic-of-very-many-words"),
        (Asked("x" * 60), "x" * 40),
        (Asked("паук"), "crawl"),
        (Asked(), "crawl"),
    ],
)
def test_names(asked: Asked, name: str) -> None:
    assert name_for(asked) == name


def test_a_class_corrects_a_topic_and_makes_it_no_other_crawl() -> None:
    seeds = ("http://a.org/",)
    assert Asked("birds", seeds, classes=("598",)).plain() == Asked("Birds", seeds).plain()
    assert Asked("", seeds, classes=("598",)).plain() != Asked("", seeds).plain()
    assert (
        Asked("birds", ("http://a.org/", "http://b.org/")).plain()
        == Asked("birds", ("http://b.org", "http://A.org/")).plain()
    )


@given(st.text(max_size=80), st.text(max_size=60))
def test_whatever_is_asked_for_the_name_can_be_that_of_a_folder(topic: str, seed: str) -> None:
    name = name_for(Asked(topic, (seed, f"http://{seed}/")))
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", name)
