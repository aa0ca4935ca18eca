"""The links of a page: address, anchor, boundary, headings, path, and one per URL."""

from __future__ import annotations

import pytest
from page_making import PROSE, URL, fetched

from lycosa.pages.document import read_page
from lycosa.records import Headings, Link

pytestmark = pytest.mark.usefixtures("both_readers")


def links_of(html: str, most_links: int = 5000) -> dict[str, Link]:
    """The links of a document by the last part of their URL."""
    return {link.url.rpartition("/")[2]: link for link in read_page(fetched(html), most_links).links}


def test_a_link_says_where_it_was_found() -> None:
    html = (
        "<title>T</title><div><p>Before <a href='../b?x=1#part' rel='NoFollow UGC'> the \n anchor</a>, after.</p></div>"
    )
    assert read_page(fetched(html)).links == (
        Link(
            url="https://site.test/b?x=1",
            parent=URL,
            anchor="the anchor",
            boundary="Before the anchor, after.",
            headings=Headings(main="T"),
            tag_path="html/body/div/p/a",
            rel="nofollow ugc",
            position=0,
            depth=3,
        ),
    )


def test_boundary_of_a_paragraph_a_list_a_row_and_the_smallest_block() -> None:
    found = links_of(
        "<p>one <a href=p>p</a></p>"
        "<ul><li>two <a href=list>l</a></li><li>three</li></ul>"
        "<table><tr><td><a href=row>r</a></td><td>four</td></tr><tr><td>five</td></tr></table>"
        "<div>out <div>six <span><a href=block>b</a></span></div></div>"
        "<dl><dt>seven</dt><dd><a href=terms>t</a></dd></dl>"
        "<ul><li><p>eight <a href=inner>i</a></p></li><li>nine</li></ul>"
    )
    assert {name: link.boundary for name, link in found.items()} == {
        "p": "one p",
        "list": "two l three",
        "row": "r four",
        "block": "six b",
        "terms": "seven t",
        "inner": "eight i",
    }


def test_the_row_of_a_layout_table_is_no_boundary_for_a_section_inside_it() -> None:
    html = "<table><tr><td>menu<td><article>far <div>near <a href=x>x</a></div></article></table>"
    assert links_of(html)["x"].boundary == "near x"


def test_boundary_and_anchor_have_a_longest_length_and_no_scripts() -> None:
    link = links_of(f"<p>{'word ' * 900}<script>noise()</script><a href=x>{'long ' * 900}</a></p>")["x"]
    assert 960 <= len(link.boundary) <= 1000
    assert len(link.anchor) == 200
    assert "noise" not in links_of("<p>a<script>noise()</script><a href=x>b</a></p>")["x"].boundary


def test_headings_above_a_link() -> None:
    found = links_of(
        "<title>T</title><a href=a>a</a><h1>One</h1><a href=b>b</a>"
        "<h2>Two</h2><h3>Three</h3><a href=c>c</a><h2>Four</h2><a href=d>d</a><h4>Five</h4><a href=e>e</a>"
    )
    assert {name: link.headings for name, link in found.items()} == {
        "a": Headings("One"),
        "b": Headings("One", (), "One"),
        "c": Headings("One", ("Two", "Three"), "Three"),
        "d": Headings("One", ("Four",), "Four"),
        "e": Headings("One", ("Four", "Five"), "Five"),
    }


def test_anchor_of_an_image_is_its_description() -> None:
    found = links_of(
        "<a href=a><img alt=' a  heron '></a><a href=b><img></a><a href=c aria-label=label><i></i></a>"
        "<map><area href=d alt=region></map>"
    )
    assert {name: link.anchor for name, link in found.items()} == {
        "a": "a heron",
        "b": "",
        "c": "label",
        "d": "region",
    }


def test_pieces_of_an_anchor_are_kept_apart() -> None:
    assert links_of("<a href=x><div>Title</div><div>Date</div></a>")["x"].anchor == "Title Date"


def test_links_that_lead_nowhere_or_to_the_page_itself_are_left_out() -> None:
    html = "".join(
        f'<a href="{href}">x</a>'
        for href in (
            "#top",
            "",
            URL,
            URL + "#a",
            "javascript:f()",
            "mailto:a@b",
            "data:,x",
            "ftp://h/",
            "http://[",
            "tel:1",
        )
    )
    assert read_page(fetched(html + "<a>no href</a><a name=n>x</a>")).links == ()


def test_one_link_per_url_and_positions_in_order() -> None:
    page = read_page(fetched("<a href=/a>a</a><a href=/b>b</a><a href='/a#x'>again, longer</a><a href=/c>c</a>"))
    assert [(link.url[-1], link.position, link.anchor) for link in page.links] == [
        ("a", 0, "a"),
        ("b", 1, "b"),
        ("c", 2, "c"),
    ]


def test_a_later_mention_in_the_text_wins_over_one_that_only_navigates() -> None:
    text = f"<p>{PROSE} See <a href=/x>the page on herons</a>.</p>"
    for frame in (
        "<nav><a href=/x>Herons</a></nav>",
        "<ul><li><a href=/x>Herons</a><li><a href=/y>Storks</a></ul>",
        "<div class=sidebar><p><a href=/x>Herons</a></p></div>",
    ):
        assert links_of(frame + text)["x"].anchor == "the page on herons"
        assert links_of(text + frame)["x"].anchor == "the page on herons"
    assert links_of(f"<p>{PROSE}<a href=/x>Herons</a></p>{text}")["x"].anchor == "Herons"
    assert (
        links_of(f"<nav><a href=/x>A longer anchor than that</a></nav>{text}")["x"].anchor
        == "A longer anchor than that"
    )


def test_links_beyond_the_limit_are_counted() -> None:
    html = "".join(f"<a href=/{number}>x</a>" for number in range(100)) + "<a href=/1>again</a>"
    page = read_page(fetched(html), most_links=10)
    assert [link.url for link in page.links] == [f"https://site.test/{number}" for number in range(10)]
    assert page.links_dropped == 91
    assert read_page(fetched(html), most_links=100).links_dropped == 0


def test_a_refresh_is_a_link() -> None:
    page = read_page(fetched("<meta http-equiv='Refresh' content='0; URL=\"/next#x\"'><a href=/a>a</a>"))
    assert [(link.url, link.rel, link.position, link.depth) for link in page.links] == [
        ("https://site.test/a", "", 0, 3),
        ("https://site.test/next", "refresh", 1, 3),
    ]
    for reload in ("30", "0;url=", f"5; url={URL}", "0;url=javascript:f()"):
        assert read_page(fetched(f'<meta http-equiv=refresh content="{reload}">')).links == ()


def test_base_is_honoured_only_where_it_is_http() -> None:
    for base, expected in (
        ("https://other.test/a/b", "https://other.test/a/x"),
        ("/root/", "https://site.test/root/x"),
        ("javascript:alert(1)//", "https://site.test/folder/x"),
        ("data:text/html,", "https://site.test/folder/x"),
        ("file:///etc/", "https://site.test/folder/x"),
        ("h" * 1_000_000, "https://site.test/folder/x"),
        ("", "https://site.test/folder/x"),
    ):
        page = read_page(fetched(f'<base href="{base}"><base href="https://second.test/"><a href="x">x</a>'))
        assert [link.url for link in page.links] == [expected]


def test_line_ends_and_a_megabyte_in_an_address() -> None:
    html = f'<a href="/a\r\nSet-Cookie: x">x</a><a href="/{"y" * 1_000_000}">y</a><a href=" /b\n">b</a>'
    found = [link.url for link in read_page(fetched(html)).links]
    assert found == ["https://site.test/aSet-Cookie:%20x", "https://site.test/b"]


def test_nofollow_pages_keep_their_links() -> None:
    page = read_page(fetched("<meta name=robots content=nofollow><a href=/a>a</a>"))
    assert page.nofollow
    assert len(page.links) == 1


def test_a_deep_path_is_cut() -> None:
    path = links_of("<div>" * 300 + "<a href=x>x</a>")["x"].tag_path
    assert path.startswith("html/body/div/div")
    assert path.count("/") == 49
    assert path.endswith("/a")


def test_broken_markup_keeps_its_links() -> None:
    assert set(links_of("<p><a href=a>one<a href=b>two</p><b><a href=c>three</b></a><table><a href=d>four")) == set(
        "abcd"
    )


def test_a_relation_without_a_value_and_anchors_without_an_address_do_no_harm() -> None:
    found = links_of("<h1>One</h1><a name=n>n</a><a href=a rel>a</a><h2>Two</h2><a>x</a><a href=b rel=Next>b</a>")
    assert [(name, link.rel, link.headings.nearest) for name, link in found.items()] == [
        ("a", "", "One"),
        ("b", "next", "Two"),
    ]


@pytest.mark.parametrize(
    ("attributes", "rel"),
    [
        ("type=Application/PDF", "application/pdf"),
        ("rel=NoFollow type='image/png; q=1'", "nofollow image/png"),
        ("rel=Next type=1", "next"),
        ("type", ""),
        ("type='a/b c/d'", ""),
    ],
)
def test_the_type_that_a_link_declares_stands_with_its_rel(attributes: str, rel: str) -> None:
    assert links_of(f"<p><a href=x {attributes}>x</a>")["x"].rel == rel


def test_named_anchors_do_not_count_as_links_and_headings_below_the_last_link_are_read() -> None:
    page = read_page(fetched("<a name=n></a>" * 9 + "<a href=/a>a</a>" * 5 + "<h2>Below</h2>"), most_links=1)
    assert [link.url for link in page.links] == ["https://site.test/a"]
    assert page.links_dropped == 1
    assert page.headings == ("Below",)


def test_a_place_remembered_from_one_page_does_not_change_another() -> None:
    menu = "<div class=menu><p><a href=/x>Herons</a></p></div>"
    plain = "<div><p><a href=/x>Herons</a></p></div>"
    text = f"<p>{PROSE} See <a href=/x>the page on herons</a>.</p>"
    for _ in range(2):
        assert links_of(menu + text)["x"].anchor == "the page on herons"
        assert links_of(plain + text)["x"].anchor == "Herons"


def test_of_several_images_the_first_one_with_a_description_names_the_anchor() -> None:
    found = links_of("<a href=a><i><img src=s><b><img alt='a  bird'></b></i><img alt=other></a>")
    assert found["a"].anchor == "a bird"
    assert links_of("<a href=b title=named><img alt=''></a>")["b"].anchor == "named"


def test_tracking_parameters_are_kept_where_nobody_wants_them_dropped() -> None:
    html = (
        "<link rel=canonical href='/c?utm_source=x'><meta http-equiv=refresh content='0; url=/r?fbclid=1'>"
        "<a href='/a?utm_campaign=y&n=1'>a</a><a href='b?gclid=2'>b</a>"
    )
    dropped, kept = (read_page(fetched(html), drop_tracking=drop) for drop in (True, False))
    assert [link.url.rpartition("/")[2] for link in dropped.links] == ["a?n=1", "b", "r"]
    assert [link.url.rpartition("/")[2] for link in kept.links] == ["a?utm_campaign=y&n=1", "b?gclid=2", "r?fbclid=1"]
    assert dropped.canonical.endswith("/c")
    assert kept.canonical.endswith("/c?utm_source=x")
    header = ("Link", '</h?gclid=3>; rel="canonical"')
    assert read_page(fetched("<p>x", header), drop_tracking=False).canonical.endswith("/h?gclid=3")


def test_a_page_in_a_charset_of_its_own_writes_its_queries_in_it() -> None:
    html = (
        "<link rel=canonical href='/c?q=паук'><meta http-equiv=refresh content='0; url=/r?q=паук'>"
        "<a href='/паук?q=паук'>a</a><a href='b?q=&#20013;'>b</a><a href='/plain?q=1'>c</a>"
    )
    page = read_page(fetched(html.encode("cp1251"), ("Content-Type", "text/html; charset=windows-1251")))
    path = "%D0%BF%D0%B0%D1%83%D0%BA"
    assert [link.url.partition("site.test/")[2] for link in page.links] == [
        f"{path}?q=%EF%E0%F3%EA", "folder/b?q=%26%2320013%3B", "plain?q=1", "r?q=%EF%E0%F3%EA"
    ]  # fmt: skip
    assert page.canonical.endswith("/c?q=%EF%E0%F3%EA")
    wide = read_page(fetched(html.encode("utf-16")))
    assert [wide.links[0].url, wide.canonical] == [
        f"https://site.test/{path}?q={path}",
        f"https://site.test/c?q={path}",
    ]


WORDS = "The heron stands in shallow water and waits for fish. "


@pytest.mark.parametrize(
    "block", ["<p>{}</p>", "<ul><li>{}</ul>", "<table><tr><td>x<td>{}</table>", "<div>{}</div>", "{}", "<h2>{}</h2>"]
)
@pytest.mark.parametrize("words", [WORDS, "слова\n\t о птицах ", "蜘蛛は巣を作る。"])
def test_a_link_stands_in_the_middle_of_what_is_taken_of_a_long_block(block: str, words: str) -> None:
    apart = words * (1200 // len(words))
    html = f"<b>{words}</b>" + apart.join(
        f"<i>{words}before {n} <a href=/{n}>Link {n}</a> and {n} after</i>" for n in "abcdef"
    )
    found = links_of(block.format(html))
    assert len(found) == 6
    for name, link in found.items():
        assert link.boundary.index(f"before {name} Link {name} and {name} after") >= 150 or name == "a"
        assert len(link.boundary) <= 1000
    assert "before b" not in found["a"].boundary
    assert found["f"].boundary.endswith("and f after")
    assert all(len(link.boundary) > 900 for link in found.values()) or "\t" in words


def test_what_is_taken_of_a_long_block_begins_and_ends_with_a_word() -> None:
    link = links_of(f"<p>{WORDS * 40} <a href=/x>Link</a> {WORDS * 40}</p>")["x"]
    assert link.boundary.split()[0] in WORDS.split()
    assert link.boundary.split()[-1] in WORDS.split()


def test_links_near_each_other_in_a_long_list_share_their_boundary() -> None:
    items = "".join(f"<li>item {number} <a href=/{number}>L{number}</a>" for number in range(400))
    found = links_of(f"<ul>{items}</ul>")
    assert all(f" L{name} " in f" {link.boundary} " for name, link in found.items())
    assert 3 < len({id(link.boundary) for link in found.values()}) < 20


def test_a_link_outside_the_read_document_has_the_beginning_of_its_block() -> None:
    found = links_of(f"<p>{PROSE}</p><datalist><p>{WORDS * 60}<a href=/x>Link</a></p></datalist>")
    assert found["x"].boundary == (WORDS * 60)[:1000]
