"""Foreign titles, snippets and addresses are shown as text and nothing else."""

from __future__ import annotations

import html
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.interface.shared.foreign_text import href, marked, tidy

SOUP = st.lists(
    st.sampled_from(
        ["<b>", "</b>", "<script>", "<img src=x onerror=a()>", "&lt;", "&amp;", "&", "<", '"', "<b >", "<B>"]
    )
    | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=6),
    max_size=12,
).map("".join)


class Seen(HTMLParser):
    """What a browser would make of it."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag + "!" * len(attrs))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append("/" + tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@given(SOUP)
def test_only_balanced_marks_survive(snippet: str) -> None:
    tags = Seen(marked(snippet)).tags
    assert tags == ["mark", "/mark"] * (len(tags) // 2)


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=40))
def test_text_escaped_by_the_index_is_read_as_it_was(text: str) -> None:
    plain = "".join(
        letter for letter in text if not "\u202a" <= letter <= "\u202e" and not "\u2066" <= letter <= "\u2069"
    )
    assert Seen(marked(f"<b>{html.escape(plain)}</b>")).text == plain


def test_hits_are_marked() -> None:
    assert marked("a <b>wolf</b> &amp; a <b>spider</b>") == "a <mark>wolf</mark> &amp; a <mark>spider</mark>"


@given(st.text(max_size=60))
def test_tidy_text_is_one_line_that_keeps_its_direction(text: str) -> None:
    tidied = tidy(text)
    assert tidy(tidied) == tidied
    assert not any(
        letter < " " or "\u202a" <= letter <= "\u202e" or "\u2066" <= letter <= "\u2069" for letter in tidied
    )


@pytest.mark.parametrize("url", ["https://example.org/a?b=c#d", "http://[2001:db8::1]:8080/", "HTTPS://EXAMPLE.ORG/"])
def test_addresses_of_the_web_become_links(url: str) -> None:
    assert href(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "jAvAsCrIpT:x//https://example.org/",
        "java\nscript:x",
        "data:text/html,<p>",
        "file:///etc/passwd",
        "//example.org/",
        "https://a b/",
        "https://example.org/\n",
        "",
    ],
)
def test_other_addresses_do_not(url: str) -> None:
    assert href(url) is None
