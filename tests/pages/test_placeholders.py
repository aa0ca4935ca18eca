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
        page("Bird club", "<h1>404</h1><p>The page was not found.</p>"),
        page("404", "<h1>404</h1>"),
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


@pytest.mark.parametrize(
    ("title", "body"),
    [
        (
            "Error | Lyrics",
            "<h1>Error</h1><p>I folded a letter into a boat and let it go where the river bends.</p>" * 4,
        ),
        ("Not Found - Glossary of HTTP", "<h1>Not Found</h1><p>What a server answers if it has nothing there.</p>" * 3),
        ("Forbidden · Films", "<h1>Forbidden</h1><p>A librarian falls in love at sea, in a melodrama of 1932.</p>" * 3),
        ("Error: statistics", "<h1>Error</h1><p>How far an observation lies from the true value.</p>" * 4),
        (
            "404 | Peugeot models",
            "<h1>404</h1><p>A saloon that was built for fifteen years and won many rallies.</p>" * 4,
        ),
        ("401 — Ontario highways", "<h1>401</h1><p>The road crosses Toronto on eighteen lanes.</p>" * 4),
        ("500", "<h1>Fiat 500</h1><p>A small round car from Turin.</p>" * 5),
        ("Minutes", "<h1>Minutes</h1><p>The article on the bridge has been removed from the agenda for Tuesday.</p>"),
        ("Diary", "<h1>Diary</h1><p>You do not have access to the sea from here, so we walked over the hills.</p>"),
        ("Password", "<h1>Password</h1><p>A word game for two teams, in which partners guess from clues.</p>" * 3),
        ("Denial", "<h1>Access denied: a novel</h1><p>Access denied is a crime novel about a bank in Vienna.</p>"),
    ],
)
def test_short_pages_that_are_only_called_like_errors_have_content(title: str, body: str) -> None:
    assert read(page(title, f"<nav><a href='/'>Home</a></nav><main>{body}</main>")) == ""


def test_a_search_box_is_no_field_for_a_password() -> None:
    assert read(page("Password", f"<form><input name=q></form><p>{PROSE} Please sign in to comment.</p>")) == ""


def test_a_picture_or_a_program_sent_as_a_page_is_not_called_empty() -> None:
    assert read("\x7fELF\x01\x00\x00\x02", "text/html") == ""


def test_every_name_can_be_told() -> None:
    assert set(PLACEHOLDERS) == {SOFT_404, EMPTY, LOGIN_WALL}


def test_a_long_text_is_not_even_looked_at() -> None:
    assert read(page("404 Not Found", f"<p>{'x ' * SHORT}</p>")) == ""
