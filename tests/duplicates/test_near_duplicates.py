"""Near-duplicates: what a sketch tells, how groups come about and stay right, and what hostile pages can do to them."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lycosa.duplicates.lsh_bands import BANDS, PLACES, SketchBands, candidates
from lycosa.duplicates.near_duplicates import NearDuplicates
from lycosa.duplicates.row_index import RowNumbers
from lycosa.duplicates.shingles import LONGEST, pairs
from lycosa.duplicates.text_sketch import SKETCH_BYTES, near, similarity, sketch_of

_CHANCE = random.Random(5)
LEXICON = ["".join(_CHANCE.choices("abcdefghijklmnopqrstuvwxyz", k=_CHANCE.randint(2, 11))) for _ in range(5_000)]


def prose(seed: int, length: int = 400) -> list[str]:
    return random.Random(seed).choices(LEXICON, k=length)


def said(words: list[str]) -> bytes:
    return sketch_of(" ".join(words))


def with_tail_of(seed: int, share: float, other: int) -> list[str]:
    """A text of which the last part is that of another one."""
    own, foreign = prose(seed), prose(other)
    begin = round(len(own) * (1 - share))
    return own[:begin] + foreign[begin:]


def random_sketch(chance: random.Random) -> bytes:
    return b"\x80" + chance.randbytes(SKETCH_BYTES - 1)


def assert_groups_are_right(index: NearDuplicates, sketches: dict[int, bytes]) -> None:
    """Every page is in one group, whose representative it is near, and everything that is said of groups agrees."""
    assert len(index) == len(sketches)
    seen: list[int] = []
    for group in index.groups(at_least=1):
        seen += group
        for key in group:
            assert index.group_of(key) == group
            assert index.representative(key) == group[0]
            assert index.size(key) == len(group)
            assert key == group[0] or near(sketches[key], sketches[group[0]])
    assert sorted(seen) == sorted(sketches)


# -- sketches -----------------------------------------------------------------------------------------


@given(st.text(max_size=600))
def test_equal_texts_have_equal_sketches_of_one_size(text: str) -> None:
    assert sketch_of(text) == sketch_of(text)
    assert len(sketch_of(text)) == SKETCH_BYTES
    assert near(sketch_of(text), sketch_of(text)) or not len(pairs(text))


@given(st.integers(0, 10**6), st.integers(1, 900))
def test_case_punctuation_and_white_space_do_not_matter(seed: int, length: int) -> None:
    words = prose(seed, length)
    dressed = "\n\t " + " -- ".join(word.upper() if len(word) % 2 else f"({word})," for word in words) + "!\r\n"
    assert sketch_of(dressed) == said(words)


@pytest.mark.parametrize("length", [80, 200, 1_000, 5_000])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.8, 0.95])
def test_similarity_estimates_the_share_of_pairs_in_common(length: int, share: float) -> None:
    errors = []
    for seed in range(40):
        common = prose(seed, round(length * share) + 1)
        a, b = (common + prose(seed + apart, length - len(common) + 2) for apart in (10**6, 2 * 10**6))
        ours, theirs = (set(pairs(" ".join(words)).tolist()) for words in (a, b))
        errors.append(similarity(said(a), said(b)) - len(ours & theirs) / len(ours | theirs))
    assert abs(float(np.mean(errors))) < 0.03
    assert max(map(abs, errors)) < 0.2


def test_sketches_are_the_same_on_every_machine() -> None:
    assert sketch_of("the same words " * 3).hex()[:18] == "03bbc06a4d8534197a"
    assert said(prose(1)).hex()[:18] == "7a1fc7b3a605f7932a"


def test_a_text_of_few_words_equals_only_itself() -> None:
    words = prose(3, 40)
    assert near(said(words), said(list(words)))
    assert similarity(said(words), said([*words[:-1], "other"])) < 0.3
    assert not near(sketch_of("order number 1234567890"), sketch_of("order number 1234567891"))


def test_pages_made_by_filling_in_a_short_form_are_different_pages() -> None:
    form = prose(1, 75)
    pages = [said(form[:40] + prose(seed, 25) + form[40:]) for seed in range(100, 140)]
    assert not any(near(a, b) for number, a in enumerate(pages) for b in pages[:number])


@pytest.mark.parametrize(
    ("first", "letters", "longest"), [(0x4E00, 2_500, 3), (0xAC00, 1_200, 4), (0x0E01, 46, 6), (0x3041, 80, 5)]
)
def test_scripts_without_spaces_are_compared_too(first: int, letters: int, longest: int) -> None:
    chance = random.Random(2)
    alphabet = [chr(first + number) for number in range(letters)]
    lexicon = ["".join(chance.choices(alphabet, k=chance.randint(1, longest))) for _ in range(3_000)]
    words, others = chance.choices(lexicon, k=800), chance.choices(lexicon, k=800)
    edited = [chance.choice(lexicon) if chance.random() < 0.05 else word for word in words]
    assert near(sketch_of("".join(words)), sketch_of("".join(edited)))
    assert sketch_of("".join(words)) != sketch_of("".join(edited))
    assert similarity(sketch_of("".join(words)), sketch_of("".join(others))) < 0.35


# -- groups -------------------------------------------------------------------------------------------


def test_a_near_duplicate_joins_the_page_that_came_first() -> None:
    index = NearDuplicates()
    first, second = prose(1), prose(2)
    assert index.add(7, said(first)) == 7
    assert index.add(8, said(second)) == 8
    assert index.add(9, said([*first[:200], "inserted", *first[200:]])) == 7
    assert index.group_of(9) == [7, 9]
    assert (index.size(7), index.size(8)) == (2, 1)
    assert list(index.groups()) == [[7, 9]]
    assert index.near(said(first[5:])) == 7
    assert index.near(said(prose(3))) is None


def test_a_chain_ends_where_pages_are_no_longer_near_the_representative() -> None:
    chain = [said(with_tail_of(1, share, 2)) for share in (0.0, 0.2, 0.4)]
    assert near(chain[0], chain[1])
    assert near(chain[1], chain[2])
    assert not near(chain[0], chain[2])
    assert [NearDuplicates.of(enumerate(chain)).representative(key) for key in range(3)] == [0, 0, 2]
    assert NearDuplicates.of([(1, chain[1]), (0, chain[0]), (2, chain[2])]).group_of(2) == [1, 0, 2]


@pytest.mark.parametrize("order", [(0, 2, 1), (2, 0, 1)])
def test_of_two_representatives_that_a_page_is_near_the_older_one_stands_for_it(order: tuple[int, ...]) -> None:
    chain = [said(with_tail_of(1, share, 2)) for share in (0.0, 0.2, 0.4)]
    index = NearDuplicates.of([(key, chain[key]) for key in order])
    oldest, other, _ = order
    assert [index.representative(key) for key in order] == [oldest, other, oldest]
    assert index.near(chain[1]) == oldest
    kept = NearDuplicates.from_bytes(index.to_bytes())
    assert [kept.representative(key) for key in order] == [oldest, other, oldest]


def test_pages_that_lose_their_representative_look_for_a_group_again() -> None:
    near_one, near_other = said(with_tail_of(1, 0.2, 2)), said(prose(3)[:80] + prose(1)[80:])
    assert not near(near_one, near_other)
    index = NearDuplicates.of([(0, said(prose(1))), (1, near_one), (2, near_other), (3, near_one)])
    assert index.group_of(0) == [0, 1, 2, 3]
    assert index.remove(0)
    assert index.group_of(1) == [1, 3]
    assert index.group_of(2) == [2]
    assert 0 not in index
    assert not index.remove(0)


def test_a_page_that_changed_moves_to_the_group_of_what_it_says_now() -> None:
    index = NearDuplicates.of([(1, said(prose(1))), (2, said(prose(2))), (3, said(prose(1)))])
    assert index.add(3, said(prose(2))) == 2
    assert index.group_of(1) == [1]
    assert index.group_of(2) == [2, 3]
    assert index.near(said(prose(1))) == 1


def test_a_representative_that_changes_a_little_keeps_its_pages() -> None:
    index = NearDuplicates.of([(1, said(prose(1))), (2, said(prose(1)))])
    for number in range(5):
        changed = [*prose(1)[:100], f"visitor{number}", *prose(1)[100:]]
        assert index.add(1, said(changed)) == 1
    assert index.group_of(2) == [1, 2]


def test_a_representative_that_changes_wholly_leaves_its_pages_to_the_next() -> None:
    index = NearDuplicates.of([(1, said(prose(1))), (2, said(prose(1))), (3, said(prose(1)))])
    assert index.add(1, said(prose(2))) == 1
    assert index.group_of(3) == [2, 3]
    assert index.near(said(prose(1))) == 2
    assert index.near(said(prose(2))) == 1


def test_a_better_representative_can_be_named() -> None:
    index = NearDuplicates.of([(key, said(prose(1))) for key in range(4)])
    index.prefer(2)
    assert index.group_of(0) == [2, 0, 1, 3]
    assert index.near(said(prose(1))) == 2
    index.prefer(2)
    assert index.group_of(0) == [2, 0, 1, 3]
    assert index.group_of(0, most=2) == [2, 0]


def family(number: int) -> bytes:
    """Texts in families: those of one are near each other, or near some of it, and never near those of others."""
    return said(with_tail_of(number % 4, (0.0, 0.1, 0.2, 0.4)[number // 4], 50 + number % 4))


FAMILIES = [family(number) for number in range(16)] + [sketch_of(""), sketch_of("few words"), sketch_of("few others")]
STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "add", "remove", "prefer"]), st.integers(0, 9), st.sampled_from(FAMILIES)),
    max_size=60,
)


@given(STEPS)
@settings(max_examples=200)
def test_groups_are_right_whatever_comes_changes_and_goes(steps: list[tuple[str, int, bytes]]) -> None:
    index, sketches = NearDuplicates(), dict[int, bytes]()
    for step, key, sketch in steps:
        if step == "add":
            sketches[key] = sketch
            assert index.add(key, sketch) == index.representative(key)
        elif step == "remove":
            assert index.remove(key) == (sketches.pop(key, None) is not None)
        elif key in sketches:
            index.prefer(key)
            assert index.representative(key) == key
    assert_groups_are_right(index, sketches)
    again = NearDuplicates.from_bytes(index.to_bytes())
    assert_groups_are_right(again, sketches)
    assert [again.near(sketch) for sketch in FAMILIES] == [index.near(sketch) for sketch in FAMILIES]


@given(st.lists(st.sampled_from(FAMILIES[:16]), max_size=30))
def test_pages_of_equal_text_are_in_one_group(sketches: list[bytes]) -> None:
    index = NearDuplicates.of(enumerate(sketches))
    for number, sketch in enumerate(sketches):
        assert index.representative(number) == index.representative(sketches.index(sketch))


@given(st.permutations(range(12)))
def test_the_order_of_pages_does_not_change_who_is_with_whom(order: list[int]) -> None:
    """Within 12 % of each other all pages of a family are near each other, so any of them may represent it."""
    sketches = {number: said(with_tail_of(number % 3, number // 3 * 0.04, 60)) for number in range(12)}
    index = NearDuplicates.of((number, sketches[number]) for number in order)
    assert {frozenset(group) for group in index.groups()} == {frozenset(range(first, 12, 3)) for first in range(3)}
    assert all(index.representative(number) == next(n for n in order if n % 3 == number % 3) for number in order)


@given(st.lists(st.sampled_from(FAMILIES), min_size=1, max_size=20), st.data())
def test_adding_a_page_twice_changes_nothing(sketches: list[bytes], data: st.DataObject) -> None:
    index = NearDuplicates.of(enumerate(sketches))
    before = index.to_bytes()
    key = data.draw(st.integers(0, len(sketches) - 1))
    assert index.add(key, sketches[key]) == index.representative(key)
    assert index.to_bytes() == before


# -- size ---------------------------------------------------------------------------------------------


def test_tens_of_thousands_of_pages_are_found_again_in_little_memory() -> None:
    chance = random.Random(3)
    sketches = [random_sketch(chance) for _ in range(20_000)]
    index = NearDuplicates.of((number * 7919, sketch) for number, sketch in enumerate(sketches))
    assert all(index.representative(number * 7919) == number * 7919 for number in range(20_000))
    assert all(index.near(sketch) == number * 7919 for number, sketch in enumerate(sketches))
    assert index.bytes_held / len(index) < 160
    again = NearDuplicates.from_bytes(index.to_bytes())
    assert all(again.near(sketch) == number * 7919 for number, sketch in enumerate(sketches[:2_000]))
    assert again.add(1, sketches[0]) == 0


def test_a_look_is_bounded_when_all_pages_share_a_large_part() -> None:
    frame = prose(1, 220)
    pages = [said(frame + prose(seed, 180)) for seed in range(1_000, 2_500)]
    index = NearDuplicates.of(enumerate(pages))
    assert len(list(index.groups())) <= 3
    assert len(candidates(index._bands.buckets(np.frombuffer(pages[-1], "<u8", offset=1)))) <= BANDS * PLACES
    found = [index.near(said(frame + prose(seed, 180)[:-10])) == seed - 1_000 for seed in range(1_000, 2_500)]
    assert np.mean(found) > 0.99


CROWDED = [key for key in range(20_000) if RowNumbers()._home(key) < 12][:41]
"""Keys that all want the same few places."""


@given(st.integers(0, 10**6), st.sampled_from([CROWDED, CROWDED, range(41), range(0, 41 << 32, 1 << 32)]))
def test_rows_are_found_by_their_keys(seed: int, used: Sequence[int]) -> None:
    table, keys, known = RowNumbers(), np.array(used, np.uint64), dict[int, int]()
    chance = random.Random(seed)
    for _ in range(150):
        comes, row = chance.random() < 0.5, chance.randrange(41)
        key = int(keys[row])
        if comes and key not in known:
            table.put(key, row, keys)
            known[key] = row
        elif not comes and key in known:
            table.drop(key, keys)
            del known[key]
    assert [table.find(key, keys) for key in keys.tolist()] == [known.get(key) for key in keys.tolist()]
    assert len(table) == len(known)


def test_a_table_of_bands_made_at_once_finds_what_one_made_row_by_row_finds() -> None:
    sketches = np.random.default_rng(1).integers(0, 1 << 64, (3_000, 8), np.uint64)
    rows = np.arange(3_000, dtype=np.uint32)
    at_once, by_row = SketchBands(), SketchBands()
    at_once.fill(rows, sketches)
    for row in rows.tolist():
        by_row.put(row, by_row.buckets(sketches[row]))
    for bands in (at_once, by_row):
        assert all(row in candidates(bands.buckets(sketches[row])) for row in rows.tolist())
    at_once.drop(5, at_once.buckets(sketches[5]))
    assert 5 not in candidates(at_once.buckets(sketches[5]))


# -- hostile ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " \n\t ", "!?,.;", "\0\0"])
def test_pages_without_words_are_like_no_other(text: str) -> None:
    index = NearDuplicates.of([(1, sketch_of("")), (2, sketch_of(text))])
    assert index.representative(2) == 2
    assert index.near(sketch_of("")) is None
    assert similarity(sketch_of(text), sketch_of("")) == 0.0
    assert not near(sketch_of(text), sketch_of(text))


def test_one_word_said_a_million_times_is_one_pair() -> None:
    many, more = sketch_of("spam " * 1_000_000), sketch_of("spam " * 1_000_001)
    assert many[0] == 1
    assert many == more
    assert not near(many, sketch_of("spam " * 100 + "ham"))


def test_a_text_of_ten_megabytes_takes_no_longer_than_its_first_part() -> None:
    text = " ".join(prose(1, 200_000)) * 8
    assert len(text) > 10_000_000
    began = time.process_time()
    assert sketch_of(text) == sketch_of(text[:LONGEST])
    assert time.process_time() - began < 2.0


@given(st.lists(st.integers(0, 0x10FFFF), max_size=300))
def test_any_characters_have_a_sketch(codes: list[int]) -> None:
    text = "".join(map(chr, codes))
    index = NearDuplicates.of([(1, sketch_of(text)), (2, sketch_of(text + " "))])
    assert index.representative(2) in (1, 2)


@given(st.integers(0, 10**6), st.integers(1, 255))
def test_damaged_bytes_are_refused(place: int, change: int) -> None:
    data = bytearray(SAVED)
    data[place % len(data)] ^= change
    with pytest.raises(ValueError, match="kept sketches"):
        NearDuplicates.from_bytes(bytes(data))


SAVED = NearDuplicates.of([(1, FAMILIES[0]), (2, FAMILIES[4]), (3, FAMILIES[1])]).to_bytes()


def test_wrong_input_is_refused_with_a_sentence() -> None:
    index = NearDuplicates()
    with pytest.raises(ValueError, match="sketch_of"):
        index.add(1, b"short")
    with pytest.raises(ValueError, match="2\\*\\*64"):
        index.add(-1, FAMILIES[0])
    with pytest.raises(KeyError, match="add it first"):
        index.representative(1)
    with pytest.raises(ValueError, match="kept sketches"):
        NearDuplicates.from_bytes(SAVED[:-1])
    assert len(index) == 0
