"""The keyed hash of many texts at once: the published values, and the plain formula on any texts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_siphash import plain_siphash

from lycosa.clickstream.server_logs.parsing.byte_slices import PADDING
from lycosa.clickstream.server_logs.sessions.siphash import KEY, keyed_hashes

PUBLISHED = {
    0: "a3817f04ba25a8e66df67214c7550293",
    1: "da87c1d86b99af44347659119b22fc45",
    2: "8177228da4a45dc7fca38bdef60affe4",
    3: "9c70b60c5267a94e5f33b6b02985ed51",
    7: "a1f1ebbed8dbc153c0b84aa61ff08239",
    8: "3b62a9ba6258f5610f83e264f31497b4",
    15: "5493e99933b0a8117e08ec0f97cfc3d9",
    16: "6ee2a4ca67b054bbfd3315bf85230577",
}
"""By the length of a text of bytes 0, 1, 2 …; the key is sixteen such bytes."""


def hashed(keys: list[bytes], texts: list[bytes]) -> list[bytes]:
    lengths = np.array([len(text) for text in texts], np.int64)
    ends = np.cumsum(lengths)
    every = np.frombuffer(b"".join(keys), np.uint64).reshape(-1, 2)
    found = keyed_hashes(every, b"".join(texts) + bytes(PADDING), ends - lengths, lengths)
    return [row.tobytes() for row in found]


def test_published_hashes() -> None:
    texts = [bytes(range(length)) for length in PUBLISHED]
    found = hashed([bytes(range(KEY))] * len(texts), texts)
    assert [each.hex() for each in found] == list(PUBLISHED.values())
    assert [plain_siphash(bytes(range(KEY)), text).hex() for text in texts] == list(PUBLISHED.values())


@given(st.lists(st.tuples(st.binary(min_size=KEY, max_size=KEY), st.binary(max_size=300)), min_size=1, max_size=20))
def test_many_texts_are_hashed_as_each_alone(told: list[tuple[bytes, bytes]]) -> None:
    keys, texts = [key for key, _ in told], [text for _, text in told]
    assert hashed(keys, texts) == [plain_siphash(key, text) for key, text in told]


@pytest.mark.parametrize("number", [4095, 4096, 4097])
def test_more_texts_than_are_hashed_together(number: int) -> None:
    texts = [f"10.{at // 65536}.{at // 256 % 256}.{at % 256}".encode() for at in range(number)]
    found = hashed([bytes(range(KEY))] * number, texts)
    assert len(set(found)) == number
    assert [found[at] for at in (0, -2, -1)] == [plain_siphash(bytes(range(KEY)), texts[at]) for at in (0, -2, -1)]
