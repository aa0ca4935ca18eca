"""Error pages, empty pages and login walls that come with status 200 are recognised; pages about errors are not."""

from __future__ import annotations

import pytest

from lycosa.pages.document import read_page
from lycosa.pages.placeholders import EMPTY, LOGIN_WALL, PLACEHOLDERS, SHORT, SOFT_404
from lycosa.records import Fetched, Link, Response

URL = "https://a.example/page"
PROSE = "The heron stands in the shallow water at dawn and waits for small fish to come close enough. "
FORM = '<form><label>Name <input name="n"></label><input type="password" name="p"></form>'


def read(html: str, content_type: str = "text/html") -> str:
    response = Response(URL, 200, (("Content-Type", content_type),), html.encode())
    return read_page(Fetched(Link(URL), response)).placeholder


def page(title: str, body: str) -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


@pytest.mark.parametrize(
    "html",
    [
        page("Page not found", f"<p>{PROSE}</p>"),
        page("Page not found - Bird club", f"<h1>Bird club</h1><p>{PROSE * 5}</p>"),
        page("Bird club", f"<h1>404</h1><p>{PROSE}</p>"),
        page("404 Not Found", "<h1>Not Found</h1><p>The requested URL was not found on this server.</p>"),
        page("502 Bad Gateway", "<h1>502 Bad Gateway</h1><hr>web server/1.2"),
        page("Error 500", "<p>Our team has been informed that this failed.</p>"),
        page("Bird club", "<h2>Oops!</h2><p>This page does not exist any more.</p>"),
        page("Bird club", "<p>The article that you asked for could not be found.</p><a href='/'>Home</a>"),
        page("Vogelclub", "<h1>Seite nicht gefunden</h1>"),
    ],
)
def test_a_page_that_says_that_there_is_none_is_a_soft_404(html: str) -> None:
    assert read(html) == SOFT_404


def test_a_line_of_plain_text_is_enough() -> None:
    assert read("404: Not Found", "text/plain; charset=utf-8") == SOFT_404


@pytest.mark.parametrize(
    "html",
    [
        page("Log in", FORM),
        page("Sign in to continue | Bird club", f"<h1>Bird club</h1>{FORM}<p>Members see the nests.</p>"),
        page("Anmelden", FORM),
        page("Bird club", f"<p>Members only.</p>{FORM}"),
        page("Just a moment...", "<p>We are checking that the connection is secure.</p>"),
    ],
)
def test_a_page_that_lets_nobody_in_is_a_login_wall(html: str) -> None:
    assert read(html) == LOGIN_WALL


@pytest.mark.parametrize(
    "html",
    [
        "",
        " \n ",
        page("Birds", ""),
        page("App", '<div id="root">Loading...</div><script>start()</script>'),
        page(
            "App", "<noscript>You need JavaScript.</noscript><div>You need to enable JavaScript to run this app.</div>"
        ),
    ],
)
def test_a_page_with_neither_text_nor_links_is_empty(html: str) -> None:
    assert read(html) == EMPTY


@pytest.mark.parametrize(
    "html",
    [
        page("Herons", f"<h1>Herons</h1><p>{PROSE * 8}</p>"),
        page("Herons", "<p>They fish.</p><a href='/a'>More</a>"),
        page("Birds", "<a href='/herons'><img src='heron.jpg'></a>"),
        page("404 Not Found", f"<h1>404 Not Found</h1><p>{PROSE * 20}</p>"),
        page("How to handle a page that is not found", f"<h1>Pages not found</h1><p>{PROSE * 4}</p>"),
        page("500 birds of the coast", f"<h1>500 birds of the coast</h1><p>{PROSE * 3}</p>"),
        page("Error messages", f"<h1>Error messages</h1><p>{PROSE * 7}</p>"),
        page("Login shells", f"<h1>Login shells</h1><p>{PROSE * 3}</p>"),
        page("Bird club", f"<h1>Herons</h1><p>{PROSE * 8}</p>{FORM}"),
    ],
)
def test_ordinary_pages_stay_what_they_are(html: str) -> None:
    assert read(html) == ""


def test_a_picture_or_a_program_sent_as_a_page_is_not_called_empty() -> None:
    assert read("\x7fELF\x01\x00\x00\x02", "text/html") == ""


def test_every_name_can_be_told() -> None:
    assert set(PLACEHOLDERS) == {SOFT_404, EMPTY, LOGIN_WALL}


def test_a_long_text_is_not_even_looked_at() -> None:
    assert read(page("404 Not Found", f"<p>{'x ' * SHORT}</p>")) == ""
