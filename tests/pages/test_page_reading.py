"""What a page says about itself, and its main text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_making import PROSE, URL, fetched

from lycosa import urls
from lycosa.pages.digests import digest_of
from lycosa.pages.document import language_of_text, read_page
from lycosa.pages.head import moment_of

pytestmark = pytest.mark.usefixtures("both_readers")


def test_title_headings_language_and_charset() -> None:
    page = read_page(
        fetched(f"<html lang=en-GB><title> A\n title </title><h1>Main <b>one</b></h1><p>{PROSE}<h2>Sub</h2>")
    )
    assert (page.url, page.title, page.headings) == (URL, "A title", ("Main one", "Sub"))
    assert (page.language, page.charset) == ("en", "utf-8")
    assert PROSE.split(".")[0] in page.text


def test_a_declared_language_loses_against_clear_evidence() -> None:
    german = "Der Reiher steht im Wasser und wartet auf den Fisch, der zu ihm kommt, und das ist nicht immer einfach. "
    assert read_page(fetched(f"<html lang=en><p>{german * 4}</p>")).language == "de"
    assert read_page(fetched("<html lang=fi><p>abc def</p>")).language == "fi"
    assert read_page(fetched("<meta http-equiv=content-language content='sv, en'><p>abc")).language == "sv"
    assert read_page(fetched("<html lang='{{lang}}'><p>abc")).language == ""


def test_the_title_of_a_drawing_is_not_the_title_of_the_page() -> None:
    assert read_page(fetched("<body><svg><title>icon</title></svg><p>text")).title == ""


@pytest.mark.parametrize("tag", ["p", "ul"])
def test_a_long_block_is_no_list_of_links_for_the_many_that_it_has(tag: str) -> None:
    told = "".join(f'{PROSE}<a href="/{number}">the {number}th of the birds</a> ' for number in range(60))
    bare = "".join(f'<a href="/{number}">the {number}th of the birds</a> ' for number in range(60, 200))
    page = read_page(fetched(f"<main><{tag}>{told}</{tag}><{tag}>{bare}</{tag}></main>"))
    assert "the 59th of the birds" in page.text
    assert "the 99th of the birds" not in page.text


@pytest.mark.parametrize(
    ("html", "canonical"),
    [
        ('<link rel="canonical" href="/a/../b?utm_source=x#y">', "https://site.test/b"),
        ('<link rel="alternate CANONICAL" href="c">', "https://site.test/folder/c"),
        ('<base href="https://other.test/d/"><link rel="canonical" href="e">', "https://other.test/d/e"),
        ('<link rel="canonical" href="javascript:alert(1)">', ""),
        ('<link rel="stylesheet" href="/s.css">', ""),
    ],
)
def test_canonical_address(html: str, canonical: str) -> None:
    assert read_page(fetched(html)).canonical == canonical


def test_canonical_address_from_the_link_header() -> None:
    header = ("Link", '</next>; rel="next", </one>; rel="canonical"')
    assert read_page(fetched("<p>x", header)).canonical == "https://site.test/one"
    assert read_page(fetched("<link rel=canonical href=/two>", header)).canonical == "https://site.test/two"


@pytest.mark.parametrize(
    ("html", "headers", "noindex", "nofollow"),
    [
        ('<meta name="robots" content="noindex">', (), True, False),
        ('<meta name="ROBOTS" content="NoFollow , noarchive">', (), False, True),
        ('<meta name="lycosa" content="none">', (), True, True),
        ('<meta name="robots" content="index"><meta name="lycosa" content="nofollow">', (), False, True),
        ('<meta name="otherbot" content="none">', (), False, False),
        ("", (("X-Robots-Tag", "noindex, nofollow"),), True, True),
        ("", (("x-robots-tag", "lycosa: noindex"), ("X-Robots-Tag", "otherbot: nofollow")), True, False),
        ("", (("X-Robots-Tag", "unavailable_after: 25 Jun 2010 15:00:00 PST"),), False, False),
        ("", (("X-Robots-Tag", "noindex, unavailable_after: 25 Jun 2010"),), True, False),
    ],
)
def test_wishes_to_robots(html: str, headers: tuple[tuple[str, str], ...], noindex: bool, nofollow: bool) -> None:
    page = read_page(fetched(f"{html}<a href=/x>x</a>", *headers))
    assert (page.noindex, page.nofollow) == (noindex, nofollow)
    assert len(page.links) == 1


@pytest.mark.parametrize(
    ("html", "published"),
    [
        ('<meta property="article:published_time" content="2023-04-05T06:07:08Z">', 1680674828.0),
        ('<meta property="article:published_time" content="2023-04-05T08:07:08+02:00">', 1680674828.0),
        ('<meta name="date" content="1970-01-02">', 86400.0),
        ('<time datetime="1970-01-02 00:00">yesterday</time>', 86400.0),
        ('<meta name="date" content="soon"><time datetime="1970-1-2T9">x</time>', 86400.0),
        ('<meta name="date" content="2023-99-99">', None),
        ("<time>now</time>", None),
    ],
)
def test_date_of_publication(html: str, published: float | None) -> None:
    assert read_page(fetched(html)).published == published


@given(st.text(max_size=50))
def test_any_date_is_a_moment_or_nothing(written: str) -> None:
    assert moment_of(written) is None or isinstance(moment_of(written), float)


FRAMES = [
    "<nav>FRAME <a href=/1>one</a></nav>",
    "<header>FRAME <a href=/1>one</a></header>",
    "<footer>FRAME</footer>",
    "<aside><p>FRAME words</p></aside>",
    "<script>var FRAME</script>",
    "<style>FRAME</style>",
    "<noscript>FRAME</noscript>",
    "<template>FRAME</template>",
    "<select><option>FRAME</select>",
    "<form>FRAME <input></form>",
    "<div id=cookie-banner>FRAME <a href=/privacy>why</a></div>",
    "<div class='top navbar'>FRAME <a href=/1>one</a></div>",
    "<div role=navigation>FRAME <a href=/1>one</a></div>",
    "<ul><li><a href=/1>FRAME one</a><li><a href=/2>two</a><li><a href=/3>three</a></ul>",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_the_frame_of_a_page_is_not_its_text(frame: str) -> None:
    for html in (f"<body>{frame}<div><p>{PROSE}</p></div>{frame}", f"<div><h1>Heron</h1>{frame}<p>{PROSE}</p></div>"):
        text = read_page(fetched(html)).text
        assert "FRAME" not in text
        assert PROSE.strip() in text


@pytest.mark.parametrize("frame", [frame for frame in FRAMES if frame.startswith(("<nav", "<ul", "<div", "<aside"))])
def test_a_page_that_is_all_frame_keeps_its_text(frame: str) -> None:
    assert "FRAME" in read_page(fetched(f"<body>{frame}</body>")).text


@pytest.mark.parametrize("tag", ["main", "article"])
def test_main_and_article_are_preferred_where_they_hold_enough(tag: str) -> None:
    assert "around" not in read_page(fetched(f"<div>around</div><{tag}><p>{PROSE}</p></{tag}>")).text
    assert "around" in read_page(fetched(f"<div>around {PROSE}</div><{tag}>little</{tag}>")).text


def test_the_header_of_an_article_and_a_form_around_everything_are_content() -> None:
    html = f"<form><article><header>KEPT <a href=/x>by</a></header><p>{PROSE * 8}</p></article></form>"
    text = read_page(fetched(html)).text
    assert "KEPT" in text
    assert PROSE.strip() in text


def test_neighbouring_blocks_and_broken_lines_do_not_run_together() -> None:
    page = read_page(fetched("<table><tr><td>one<td>two</table><p>three<br>four<p>five"))
    assert page.text.split() == ["one", "two", "three", "four", "five"]


WORDS = st.lists(
    st.sampled_from(["heron", "pond", "fish", "Water", "waits", "über", "naïve", "42"]), min_size=12, max_size=60
)


@given(WORDS, st.lists(st.sampled_from([" ", "\n", "\t ", "&nbsp;", "<br>", "<b></b> ", "<i> </i>"]), min_size=60))
@settings(max_examples=50)
def test_the_digest_is_equal_for_pages_that_differ_only_in_white_space_and_markup(
    words: list[str], gaps: list[str]
) -> None:
    plain = read_page(fetched(f"<p>{' '.join(words)}</p>"))
    spaced = "".join(f"{word}{gap}" for word, gap in zip(words, gaps, strict=False))
    marked = " ".join(f"<em>{word}</em>" for word in words).upper()
    assert len(plain.digest) == 16
    assert read_page(fetched(f"<div><p>{spaced}</p></div>")).digest == plain.digest
    assert read_page(fetched(f"<section><p><b>{marked}</b></p></section>")).digest == plain.digest
    assert read_page(fetched(f"<p>{' '.join(words)} more</p>")).digest != plain.digest


def test_plain_text_has_a_first_line_and_no_links() -> None:
    body = f"A first line\nhttps://site.test/x\n<a href=/y>{PROSE}</a>"
    page = read_page(fetched(body, ("Content-Type", "text/plain; charset=utf-8"), ("X-Robots-Tag", "noindex")))
    assert (page.title, page.text, page.links) == ("A first line", body, ())
    assert page.noindex


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"%PDF-1.7\n<a href=/x>x</a>", "text/html"),
        (bytes(range(256)) * 40, "text/html"),
        (b"", "text/html"),
        (b'{"a": "<a href=/x>x</a>"}', "application/json"),
    ],
)
def test_what_is_no_document_has_no_text_and_no_links(body: bytes, kind: str) -> None:
    page = read_page(fetched(body, ("Content-Type", kind)))
    assert (page.title, page.text, page.links, page.headings) == ("", "", (), ())
    assert page.url == URL


def test_a_document_without_a_type_is_read_as_html() -> None:
    page = read_page(fetched("<title>t</title><a href=/x>x</a>", ("Content-Type", "")))
    assert (page.title, len(page.links)) == ("t", 1)


@given(
    st.one_of(
        st.binary(max_size=300),
        st.lists(
            st.sampled_from(
                ["<a href='", "x'>", "</a>", "<p>", "<ul><li>", "<h1>", "</h2>", "<base href='//h/'>", "<table>",
                 "<tr>", "<svg>", "<title>", "<!--", "<script>", "\0", "é", "&#0;", "&nbsp;", "<frameset>",
                 "<meta http-equiv=refresh content='0;url=", "<link rel=canonical href=", "http://[", "<select>",
                 "'>", "<template>"]
            ),
            max_size=30,
        ).map(lambda pieces: "".join(pieces).encode()),
    )
)  # fmt: skip
@settings(max_examples=300)
def test_reading_never_raises_and_every_link_is_in_normal_form(body: bytes) -> None:
    for kind in ("text/html", "text/html; charset=utf-16", "text/plain"):
        page = read_page(fetched(body, ("Content-Type", kind)))
        for link in page.links:
            assert urls.normalise(link.url) == link.url
            assert link.url != page.url
        assert len({link.url for link in page.links}) == len(page.links)


@given(st.lists(st.text(alphabet="aBcÄöΔЖж [{@`", max_size=6), max_size=12))
def test_the_digest_knows_neither_case_nor_white_space_and_nothing_else(pieces: list[str]) -> None:
    text = " ".join(pieces)
    assert digest_of(text.upper()) == digest_of("\n\t".join(pieces).lower())
    assert digest_of(text + "x") != digest_of(text)
    assert digest_of(text + "[") != digest_of(text + "{")


def test_a_first_glance_at_the_words_does_not_overrule_all_of_them() -> None:
    german = "Der Reiher steht im Wasser und wartet auf den Fisch, der zu ihm kommt, und das ist nicht immer einfach. "
    assert language_of_text(PROSE * 5, "en") == "en"
    assert language_of_text(german * 10, "en") == "de"
    assert language_of_text(german * 10, "de") == "de"
    assert language_of_text("xyzzy plugh " * 100, "en") == "en"
    assert language_of_text(PROSE * 5, "") == "en"
    assert language_of_text(german * 10, "") == "de"
    assert language_of_text("It is the", "") == ""


def test_the_chosen_option_of_a_list_is_not_text() -> None:
    option = "<select><button><selectedcontent></selectedcontent></button><option selected>Chosen</option></select>"
    assert "Chosen" not in read_page(fetched(f"<p>{PROSE}</p>{option}")).text
