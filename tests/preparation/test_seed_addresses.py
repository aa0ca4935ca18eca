"""A seed at an address that may not be fetched from is refused before the first request, with what to allow."""

from __future__ import annotations

import shlex

import pytest

from lycosa.configuration.settings import build
from lycosa.interface.cli import main
from lycosa.preparation.seed_addresses import PrivateSeed, check_addresses

NAMES = {"hosts": {"wiki.corp.example": "10.1.2.3", "out.example": "93.184.215.14"}, "nameservers": []}


def check(seed: str, *allowed: str, fetcher: str = "http") -> None:
    fetching = {"allow_addresses": list(allowed), "fetcher": fetcher}
    check_addresses(build({"seeds": [seed], "fetching": fetching, "names": NAMES}))


@pytest.mark.parametrize(
    ("seed", "entry"),
    [
        ("http://127.0.0.1:8090/x", "127.0.0.1:8090"),
        ("http://a.localhost/", "127.0.0.1:80"),
        ("https://[::1]:9/", "[::1]:9"),
        ("http://192.168.1.7/", "192.168.1.7:80"),
        ("https://wiki.corp.example/", "10.1.2.3:443"),
    ],
)
def test_the_refusal_names_what_to_allow_and_that_is_enough(seed: str, entry: str) -> None:
    with pytest.raises(PrivateSeed) as refused:
        check(seed)
    assert refused.value.entry == entry
    assert f'fetching.allow_addresses=["{entry}"]' in str(refused.value)
    check(seed, entry)


def test_other_seeds_are_let_in() -> None:
    check("http://93.184.215.14/")
    check("http://out.example/")
    check("http://127.0.0.1/", fetcher="simulated")


def test_the_command_to_copy_is_the_one_that_was_typed_and_what_was_missing(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    order = ["--home", str(tmp_path), "crawl", "--topic", "wolf spiders", "--seed", "http://127.0.0.1:9/"]
    assert main(order) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.rstrip().endswith(f"to allow it: {shlex.join(['lycosa', *order])} --allow-address 127.0.0.1:9")
