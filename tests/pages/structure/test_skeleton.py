"""The structure of a page: what belongs to it, that its code is exact, and that hostile pages stay in bounds."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_making import PROSE, fetched
from plain_matching import trees

from lycosa.pages.document import read_page, read_structure
from lycosa.pages.structure.skeleton import DEEPEST, FIRST_FOREIGN, MOST_ELEMENTS, NAMELESS, NAMES, Skeleton
from lycosa.pages.structure.sketch import features_of, most_matching, sketch_of

pytestmark = pytest.mark.usefixtures("both_readers")


def structure_of(html: str) -> Skeleton:
    return Skeleton.from_bytes(read_page(fetched(html), structure=True).structure)


def test_a_structure_is_the_tree_of_element_names() -> None:
    html = "<title>x</title><div class=a><p>one<p>two</div><!-- no --><ul><li>1<li>2<b>3</b></ul>"
    assert str(structure_of(html)) == "html(head(title) body(div(p p) ul(li li(b))))"


def test_scripts_styles_and_comments_are_left_out() -> None:
    html = "<script>x</script><style>p{}</style><p>a<script>y</script><!-- c --><b>b</b><?php x ?>"
    assert str(structure_of(html)) == "html(head body(p(b)))"


def test_what_scripts_and_frames_hide_is_an_element_without_content() -> None:
    html = "<p><noscript><img src=x></noscript><template><i>x</i></template><iframe><b>x</b></iframe>"
    assert str(structure_of(html)) == "html(head body(p(noscript template iframe)))"


def test_elements_inside_a_style_of_a_drawing_are_left_out_and_counted() -> None:
    skeleton = structure_of("<svg><style><g><path/></g></style><linearGradient/></svg><p>x")
    assert str(skeleton) == "html(head body(svg(lineargradient) p))"
    assert skeleton.left_out == 2


def test_names_of_no_standard_are_kept_as_they_are() -> None:
    skeleton = structure_of("<My-Box><o:p>x</o:p></My-Box><my-box></my-box>")
    assert str(skeleton) == "html(head body(my-box(o:p) my-box))"
    assert skeleton.names == ("my-box", "o:p")


def test_the_structure_is_that_of_the_document_as_sent() -> None:
    html = (
        f"<nav><a href=/1>1</a></nav><main><p>{PROSE}<br>{PROSE}<select><option>1</select></main><footer><p>x</footer>"
    )
    page = read_page(fetched(html), structure=True)
    expected = "html(head body(nav(a) main(p(br select(option))) footer(p)))"
    assert str(Skeleton.from_bytes(page.structure)) == expected
    assert str(read_structure(html.encode())) == expected
    assert page == msgspec.structs.replace(read_page(fetched(html)), structure=page.structure)


def test_a_structure_is_read_only_where_it_is_wanted_and_exists() -> None:
    assert read_page(fetched("<p>x")).structure == b""
    assert read_page(fetched("plain", ("Content-Type", "text/plain")), structure=True).structure == b""
    assert read_page(fetched(b"%PDF-1.4\0\0\1\2", ("Content-Type", "application/pdf")), structure=True).structure == b""


@given(trees())
def test_a_code_gives_back_the_very_skeleton(skeleton: Skeleton) -> None:
    assert Skeleton.from_bytes(skeleton.to_bytes()) == skeleton
    assert Skeleton.written(str(skeleton)) == skeleton
    assert len(skeleton.to_bytes()) <= 2 * skeleton.size + 6 + sum(len(name) + 1 for name in skeleton.names)


@given(trees(), trees())
def test_codes_are_equal_only_for_equal_trees(a: Skeleton, b: Skeleton) -> None:
    assert (a.to_bytes() == b.to_bytes()) == (str(a) == str(b))


def test_codes_do_not_change_from_version_to_version() -> None:
    skeleton = Skeleton.written("html(head(title) body(div(p p) my-box))")
    assert skeleton.to_bytes().hex() == "01000000000106" + b"my-box".hex() + "01020307251616c0" + "0102030203040403"
    assert NAMES[0] == "html"
    assert NAMES[36] == "div"
    assert len(NAMES) < FIRST_FOREIGN


def test_codes_are_the_same_in_every_process() -> None:
    html = "<div><my-tag><p>x</my-tag><section><x-y></section></div>"
    program = (
        "from lycosa.pages.document import read_structure\n"
        "from lycosa.pages.structure.sketch import sketch_of\n"
        f"s = read_structure({html.encode()!r})\n"
        "print(s.to_bytes().hex(), sketch_of(s).features.tolist())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@given(st.binary(max_size=60))
def test_bytes_that_are_no_code_are_refused_in_one_sentence(code: bytes) -> None:
    with pytest.raises(ValueError, match="read the page again with its structure"):
        Skeleton.from_bytes(b"\x07" + code)
    with pytest.raises(ValueError, match="read the page again with its structure"):
        Skeleton.from_bytes(b"\x01\0\0\0\0\0" + code + b"\0")


@given(trees(), st.data())
def test_damaged_codes_are_refused_or_are_another_tree(skeleton: Skeleton, data: st.DataObject) -> None:
    code = bytearray(skeleton.to_bytes())
    code[data.draw(st.integers(0, len(code) - 1))] = data.draw(st.integers(0, 255))
    try:
        other = Skeleton.from_bytes(bytes(code))
    except ValueError:
        return
    assert other.to_bytes() == bytes(code)
    str(other)


@pytest.mark.parametrize("text", ["", "a b", "a)", "(a)", "a((b))", "a(b) c", "a(b"])
def test_what_is_not_one_tree_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="one tree"):
        Skeleton.written(text)


HOSTILE = {
    "a hundred thousand nested elements": "<div>" * 100_000,
    "a thousand nested elements": "<div>" * 1_900,
    "a million siblings": "<p>x" * 1_000_000,
    "a thousand names": "".join(f"<x{number}></x{number}>" for number in range(1_000)),
    "long names": "".join(f"<{chr(97 + number)}{'ü' * 10_000}></a>" for number in range(20)),
    "drawings in drawings": "<svg><style><g>" * 600,
    "nothing": "<",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_have_a_bounded_structure(name: str) -> None:
    began = time.process_time()
    skeleton = structure_of(HOSTILE[name])
    assert time.process_time() - began < 8
    assert 0 < skeleton.size <= MOST_ELEMENTS
    assert max(skeleton.depths) <= DEEPEST
    assert len(skeleton.to_bytes()) <= 2 * MOST_ELEMENTS + 20_000


def test_what_is_too_deep_or_too_much_is_counted() -> None:
    deep = structure_of(HOSTILE["a thousand nested elements"])
    assert (deep.size, deep.left_out) == (DEEPEST + 1, 1_900 - (DEEPEST - 2))
    many = structure_of("<p>x" * 30_000)
    assert (many.size, many.left_out) == (MOST_ELEMENTS, 30_003 - MOST_ELEMENTS)
    names = structure_of(HOSTILE["a thousand names"])
    assert len(names.names) == NAMELESS - FIRST_FOREIGN
    assert names.tags.count(NAMELESS) == 1_000 - (NAMELESS - FIRST_FOREIGN)


def test_names_that_only_left_out_elements_have_are_no_part_of_the_code() -> None:
    deep = "<div>" * 200 + "<x-deep></x-deep>" + "</div>" * 200
    html = f"<html><body>{deep}<x-used></x-used>{'<p></p>' * 12_000}<x-late></x-late></body></html>"
    skeleton = read_structure(html.encode())
    assert skeleton.names == ("x-used",)
    assert skeleton.left_out > 2_000
    assert Skeleton.from_bytes(skeleton.to_bytes()).labels() == skeleton.labels()


def tag_paths(skeleton: Skeleton) -> Counter[tuple[str, ...]]:
    path: list[str] = []
    paths: Counter[tuple[str, ...]] = Counter()
    for name, depth in skeleton.elements():
        path[depth - 1 :] = [name]
        paths[tuple(path)] += 1
    return paths


@given(trees())
def test_a_sketch_counts_the_elements_of_each_tag_path(skeleton: Skeleton) -> None:
    paths, sketch = tag_paths(skeleton), sketch_of(skeleton)
    assert sorted(sketch.counts.tolist()) == sorted(paths.values())
    assert len(sketch.features) == sum(count.bit_length() for count in paths.values())
    assert features_of(skeleton).tolist() == sketch.features.tolist()


@given(trees(), trees())
def test_two_sketches_have_the_tag_paths_in_common_that_their_trees_have(a: Skeleton, b: Skeleton) -> None:
    common = sum((tag_paths(a) & tag_paths(b)).values())
    assert most_matching(sketch_of(a), sketch_of(b)) == common
