"""Pages that stand where content should be, though they came with a status of success.

An error page, an empty page or a login wall says little, and says it in its title, its first heading or its first
sentences. So only short pages are looked at, and of those only the beginnings: a long text about errors is a text.
A name such as `Error` or `404` is no proof, as songs, cars and roads have such names: the text has to say what went
wrong, too, or next to nothing else. A page to sign in has a field for a password, if it has a form.
"""

from __future__ import annotations

import re
from http import HTTPStatus

from lycosa.records import Page

SOFT_404, EMPTY, LOGIN_WALL = "soft-404", "empty", "login-wall"
PLACEHOLDERS = {
    SOFT_404: "soft 404: it says that something went wrong, or that there is no such page",
    EMPTY: "empty: it has neither text nor links",
    LOGIN_WALL: "login wall: it wants one to sign in, or to prove to be a person, before it shows anything",
}
"""What a page can be in place of content, by name, as it is told to people."""

SHORT = 1500
"""Characters from which on a page has content, whatever its title says."""
BRIEF = 600
"""Characters that an error page explains itself in."""
FEW_CHARACTERS = 25
BEGINNING = 250
LONGEST_NAME = 120
LARGEST_FORM = 256 * 1024
"""Bytes of a page in which a field for a password is looked for."""
FEW_SENTENCES = 200
"""Characters in which a page says nothing but what went wrong, if its title and heading do not name an error."""
MANY_LINKS = 40
"""A page with so many links leads somewhere, if it says little."""

_UNCLEAR = ("ok", "gone", "conflict", "locked", "continue")
_PHRASES = {status.phrase.lower() for status in HTTPStatus if status >= 400}.difference(_UNCLEAR)
_REASONS = _PHRASES | {
    "access denied", "access forbidden", "an error occurred", "an error has occurred", "bad request", "error",
    "error response", "fehler", "erreur", "error page", "file not found", "file or directory not found",
    "forbidden resource", "gateway time-out", "internal error", "no such page", "no such resource", "oops",
    "page does not exist", "page doesn't exist", "page introuvable", "page non trouvée", "page not available",
    "page not found",
    "page unavailable", "pagina non trovata", "pagina niet gevonden", "permission denied", "página no encontrada",
    "página não encontrada", "request rejected", "request time-out", "seite nicht gefunden", "server error",
    "service temporarily unavailable", "something went wrong", "temporarily unavailable", "unknown error",
    "zugriff verweigert", "strona nie znaleziona", "страница не найдена", "ページが見つかりません", "页面未找到",
}  # fmt: skip
_ENTRANCES = {
    "anmelden", "anmeldung", "accedi", "authentication required", "connexion", "einloggen", "identification",
    "iniciar sesión", "inloggen", "log in", "log on", "login", "login page", "login required", "logon", "password",
    "please log in", "please login", "please sign in", "se connecter", "sign in", "sign-in", "sign on", "signin",
    "user login", "zaloguj się", "вход", "войти", "ログイン", "登录",
    "are you a human", "are you a robot", "attention required", "checking your browser", "just a moment",
    "security check",
}  # fmt: skip
_CUTS = re.compile(r" [-–—|·:] | ?[|–—·»«] ?|: ")
_STATUS = re.compile(r"(?:http |error |status |code )?\b[45]\d\d\b")
_ENTERING = re.compile(r"(?:log|sign)[ -]?(?:in|on) (?:to|with|required)\b|\bprove (?:that )?you are human\b")
_WRONG = re.compile(
    r"\b(?:not (?:be )?(?:found|available|exist|permitted|allowed|authori[sz]ed|supported|implemented)"
    r"|does ?n[o'’]t exist|no longer (?:available|exists)|no such|unavailable|unable to|cannot get|denied|forbidden"
    r"|has been (?:removed|deleted)|rejected"
    r"|(?:invalid|bad) (?:request|response)|went wrong|error|failed|could not|timed? ?out"
    r"|nicht (?:gefunden|verfügbar)|introuvable|no encontrad[ao]|non trovat[ao])"
)
_STATEMENT = re.compile(
    r"\b(?:(?:page|file|url|resource|document|topic|article|address|site|host|domain|object|path|entry)\b[^.!?]{0,60}"
    r"\b(?:not (?:be )?(?:found|retrieved)|does ?n[o'’]t exist|does not exist|no longer (?:available|exists))"
    r"|you (?:don['’]t|do not) have (?:permission|access to (?:this|the) (?:page|resource|site|server|document|file))"
    r"|(?:not|un)(?: ?able)? to (?:complete|service|process) your request"
    r"|request(?:ed)? [^.!?]{0,60}\b(?:not (?:allowed|understand|supported)|could not be)|could not understand"
    r"|invalid (?:response|request)|closed the network connection|(?:does|did) ?n[o'’]t (?:respond|send|know this)"
    r"|could not verify that you are|(?:sorry|oops)\b[^.!?]{0,40}went wrong"
    r"|(?:change|request) (?:you wanted )?was rejected|method is not allowed|does not support the action"
    r"|there is currently no text|cannot get /|an error (?:has )?occurred|temporarily unable to"
    r"|access (?:(?:is|was|has been) denied|denied(?=[.!]))|seite [^.!?]{0,60}nicht gefunden|fehler beim laden"
    r"|erreur (?:est|s['’]est) |se encontró el siguiente error)"
)
_ENDS = re.compile(
    r"(?: (?:(?:on|at|from|of|by) (?:this|the|our) \w+|here|yet|any ?more|any longer))?(?:\s*(?:[.!?;:]|$)| you)"
)
_CHALLENGE = re.compile(
    r"\b(?:checking|verify|enable|captcha|prove|(?:log|sign) ?in (?:to|with|using)"
    r"|(?:please|must|need to|have to) (?:be )?(?:log|sign)|(?:bitte|veuillez|por favor)\b)"
)
_FORM = re.compile(rb"<form\b", re.IGNORECASE)
_SHELL = re.compile(r"(?:you need to |please )?enable javascript|loading\b|javascript (?:is )?required")
_PASSWORD = re.compile(rb"type\s{0,9}=\s{0,9}[\"']?password", re.IGNORECASE)


def placeholder_of(page: Page, body: bytes) -> str:
    """What a page is in place of content, by name; '' for a page with content."""
    text = page.text
    if len(text) > SHORT:
        return ""
    title, heading = _names(page.title), _names(page.headings[0] if page.headings else "")
    beginning = text[:BEGINNING].lower()
    if _asks_to_enter(page, [*title, *heading], beginning, body):
        return LOGIN_WALL
    if _is_error(page, title, heading):
        return SOFT_404
    return EMPTY if _is_empty(page, beginning, body) else ""


def _names(written: str) -> list[str]:
    """A title's or heading's parts, each without punctuation around it."""
    return [name.strip(" .!?()[]…⚠\ufe0f") for name in _CUTS.split(written[:LONGEST_NAME].lower())]


def _is_error(page: Page, title: list[str], heading: list[str]) -> bool:
    """Whether two signs agree: what a page is called, and what it says beside that."""
    if len(page.text) > BRIEF or len(page.links) >= MANY_LINKS:
        return False
    if _names_an_error(page.text.lower().strip(" .!")):
        return True
    names = [name for name in title if _names_an_error(name)]
    if all(map(_names_an_error, heading)):  # the name of a site does not stand in a heading
        names += heading
    rest = _beside_names(page)
    statement = _STATEMENT.search(rest)
    if names:
        return statement is not None or _is_borne_out(names, rest)
    if any(_STATUS.match(name) or _STATEMENT.search(name) for name in (*title, *heading)):
        return statement is not None
    return statement is not None and len(rest) <= FEW_SENTENCES and bool(_ENDS.match(rest, statement.end()))


def _is_borne_out(names: list[str], rest: str) -> bool:
    """Whether what an error is called on a page is confirmed by the name itself, or by a text that says little else."""
    if any(map(_STATEMENT.search, names)):
        return True
    if any(map(_is_clear, names)):
        return len(rest) < FEW_CHARACTERS * 4 or bool(_WRONG.search(rest))
    return len(rest) < FEW_CHARACTERS


def _beside_names(page: Page) -> str:
    """The beginning of a page's text without its title and first heading."""
    rest = page.text[: BEGINNING + 2 * LONGEST_NAME].lower().strip()
    for name in (page.title, *page.headings[:1]):
        rest = rest.removeprefix(name.lower().strip()).strip()
    return rest[:BEGINNING]


def _names_an_error(name: str) -> bool:
    """Whether these words, a status beside them or not, are what an error is called."""
    bare = _STATUS.sub("", name).strip(" -–—:.!()")
    return bare in _REASONS or (not bare and bool(name))


def _is_clear(name: str) -> bool:
    """Whether a name is hardly anything else's: songs, films and cars are called `Error`, `Not Found` and `404`."""
    numbered = _STATUS.search(name)
    return not name.isdecimal() if numbered else " " in name and name not in _PHRASES


def _asks_to_enter(page: Page, names: list[str], beginning: str, body: bytes) -> bool:
    named = any(name in _ENTRANCES or _ENTERING.match(name) for name in names)
    if not named and (len(page.text) >= BRIEF or len(page.links) >= MANY_LINKS):
        return False
    if _PASSWORD.search(body, 0, LARGEST_FORM):
        return True
    if not named or len(page.text) >= BRIEF or _FORM.search(body, 0, LARGEST_FORM):
        return False
    return bool(_CHALLENGE.search(_beside_names(page)))


def _is_empty(page: Page, beginning: str, body: bytes) -> bool:
    if len(page.text) >= FEW_CHARACTERS * 4 or page.links or page.links_dropped:
        return False
    if not page.charset:  # no text was looked for in it
        return not body.strip()
    return len(page.text) < FEW_CHARACTERS or bool(_SHELL.match(beginning))
