"""Patterns of URLs, as people write them: spelled as our URLs are, then compiled once.

A pattern with a slash matches host and path (`example.org/private/*`), one without
matches the host and all below it (`example.org`); `*` stands for any letters. The
host may be written in capitals or in any script. A port means that port, none means
any; a scheme says nothing but which port is the usual one. What no URL could ever
match is refused where people write it; a kept one just matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

from lycosa.file_endings import ENDINGS
from lycosa.urls import LONGEST, host_of, normalise, one_spelling, site_of

_EXPRESSION = re.compile(r"^\^|^\.\*|\\|\(\?|\.\+|\$$")
"""What stands in regular expressions and hardly in a pattern of URLs, where `*` stands for any letters."""
_SCHEME = re.compile(r"([A-Za-z*][A-Za-z0-9+.*-]*)://(.*)", re.DOTALL)
_IPV6 = re.compile(r"(\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*\])(?::(.*))?")
_WILD = re.compile(r"[*?\[]")
_NO_HOST = re.compile(r"[\s@#\\]")
_LABEL = re.compile(r"[a-z0-9_~!$&'()+,;=*?\[\]-]*")
_STEPS = re.compile(r"(?:^|/)\.\.?(?:/|$)")
_ESCAPED = re.compile(r'[^!#-;=?-~]|["<>]')
"""What our URLs never have as it is, neither in a path nor in a query."""
_EITHER = {char: f"(?:{re.escape(char)}|%{ord(char):02X})" for char in "'^`{}"}
"""What stands as it is in queries or in paths, and escaped in the other."""
_FILES = {*ENDINGS, "asp", "aspx", "cgi", "css", "csv", "htm", "html", "js", "json", "jsp", "md", "php", "txt", "xml"}
_ALSO_DOMAINS = frozenset(("md", "mov", "ps", "zip"))
"""Endings of files that are top-level domains, too."""
_QUERY = re.compile(r"[=&]")
_USUAL = {"http": "80", "https": "443"}
_TOKEN = re.compile(r"(?P<star>\*+)|(?P<one>\?)|\[(?P<no>!?)(?P<any>\]?[^\]/]{1,100})\]|(?P<char>.)", re.DOTALL)
_PORT_HERE = "\n"


class OddPattern(ValueError):
    """No URL could match the pattern; the message says why."""


def matcher(pattern: str) -> Callable[[str], bool]:
    """A test of URLs in normal form against a pattern."""
    try:
        expression = _compiled(normal_pattern(pattern))
    except OddPattern:
        return lambda url: False
    return lambda url: expression.match(url) is not None


def odd_pattern(pattern: str) -> str:
    """Why a pattern hardly means what it says; '' where it may. Asked where people write one, not where it is kept."""
    if _EXPRESSION.search(pattern):
        return f"{pattern!r} looks like a regular expression; patterns are plainer: * stands for any letters"
    try:
        _compiled(normal_pattern(pattern))
    except OddPattern as error:
        return f"no URL could match {pattern!r}: {error}"
    return ""


def meant_for_paths(pattern: str) -> str:
    """Why a pattern without a slash, which is one of hosts, seems to be meant for paths; '' where it does not."""
    if "/" in pattern:
        return ""
    like, instead = "a part of an address behind its host", f"*/*{pattern.lstrip('*')}"
    ending = pattern.rstrip("*?").rpartition(".")[2].lower().lstrip("*")
    if ending in _FILES and (pattern.startswith("*") or ending not in _ALSO_DOMAINS):
        like = "the ending of a file"
    elif not _QUERY.search(pattern):
        return ""
    more = f", or '{pattern}/*' for hosts" if ending in _ALSO_DOMAINS else ""
    return f"{pattern!r} looks like {like}, and a pattern without a slash means hosts; write '{instead}'{more}"


def same_pattern(one: str, other: str) -> bool:
    """Whether two patterns are the same but for how they are spelled."""
    try:
        return one == other or normal_pattern(one) == normal_pattern(other)
    except OddPattern:
        return False


def normal_pattern(pattern: str) -> str:
    """The one spelling of a pattern: no scheme, the host as in our URLs, a port where it counts, the path escaped."""
    if len(pattern) > LONGEST:
        raise OddPattern("it is longer than any URL")
    written = _SCHEME.fullmatch(pattern)
    scheme, rest = (written[1].lower(), written[2]) if written else ("*", pattern)
    if scheme not in _USUAL and "*" not in scheme:
        raise OddPattern(f"{scheme} is never fetched, only http and https")
    authority, slash, path = rest.partition("/")
    literal = _IPV6.fullmatch(authority)
    host, port = (literal[1], literal[2] or "") if literal else authority.partition(":")[::2]
    return f"{_host(host, literal=literal is not None)}{_port(port, scheme)}{slash}{_path(path)}"


def _host(host: str, *, literal: bool) -> str:
    if not host:
        raise OddPattern("it names no host; begin with * for any host, as in */private/*")
    if _NO_HOST.search(host):
        raise OddPattern(f"{host!r} is no host")
    if not literal and _WILD.search(host):
        return ".".join(map(_label, host.split(".")))
    url = normalise(f"http://{host}/")
    if url is None:
        raise OddPattern(f"{host!r} is no host")
    return host_of(site_of(url))


def _label(label: str) -> str:
    """A part of a host that has a wildcard in it, here or elsewhere."""
    if label.isascii():
        if not _LABEL.fullmatch(label.lower()):
            raise OddPattern(f"{label!r} is no part of a host")
        return label.lower()
    if _WILD.search(label):
        raise OddPattern(f"{label!r} is written otherwise in URLs (as xn--…); use * for a whole part of the host")
    return _host(label, literal=False)


def _port(port: str, scheme: str) -> str:
    if port in ("", "*", _USUAL.get(scheme)):
        return ""
    if not (port.isascii() and port.isdigit() and int(port[:6]) <= 65535):
        raise OddPattern(f"{port!r} is no port")
    return f":{int(port)}"


def _path(path: str) -> str:
    if "#" in path:
        raise OddPattern("what follows # is no part of it; leave that out")
    if _STEPS.search(path.partition("?")[0]):
        raise OddPattern("URLs have no . and .. between slashes; leave them out")
    return one_spelling(_ESCAPED.sub(lambda found: quote(found[0], safe="", errors="replace"), path))


def _compiled(normal: str) -> re.Pattern[str]:
    """A normal pattern as a regular expression for the beginning of URLs."""
    authority, slash, path = normal.partition("/")
    colon = authority.rfind(":", authority.rfind("]") + 1)
    host, port = (authority[:colon], authority[colon + 1 :]) if colon >= 0 else (authority, "")
    host = "".join(map(_as_it_is, host)) if _IPV6.fullmatch(host) else host
    text, letter = f"{host}{_PORT_HERE}/{path}", "." if slash else "[^/]"
    below, end = ("", r"\Z") if slash else (r"(?:[^/]*?\.)??", "")
    spelled = [("https?", "")] if slash and host.endswith("*") and not port else _ports(port)
    ways = [f"{scheme}://{_translated(text, letter, told, below)}{end}" for scheme, told in spelled]
    try:
        return re.compile("|".join(ways), re.DOTALL)
    except re.error as error:
        raise OddPattern(f"it cannot be read ({error})") from None


def _as_it_is(char: str) -> str:
    """A letter that would mean something in a pattern, meaning itself."""
    return f"[{char}]" if char == "[" else char


def _ports(port: str) -> list[tuple[str, str]]:
    """Schemes with how a port is written after them; the usual port of a scheme is not written."""
    if not port:
        return [("https?", r"(?::\d+)?")]
    if port not in _USUAL.values():
        return [("https?", f":{port}")]
    return [(scheme, "" if usual == port else f":{port}") for scheme, usual in _USUAL.items()]


def _translated(text: str, letter: str, port: str, below: str) -> str:
    """A pattern as an expression; a star takes as little as it can and does not try again, so no URL takes long.

    Nor does what may stand before it, `below`: the first place where the pattern could begin leaves most to the stars.
    """
    fixed = [below]
    for token in _TOKEN.finditer(text):
        if token["star"]:
            fixed.append("")
        else:
            fixed[-1] += port if token["char"] == _PORT_HERE else _letter(token, letter)
    if len(fixed) == 1:
        return fixed[0]
    between = "".join(f"(?>{letter}*?{each})" for each in fixed[1:-1])
    return f"(?>{fixed[0]}){between}{letter}*{fixed[-1]}"


def _letter(token: re.Match[str], letter: str) -> str:
    if token["one"]:
        return letter
    if token["any"]:
        listed = re.sub(r"[\\^\[\]&|~]", r"\\\g<0>", token["any"])
        return f"[{'^' if token['no'] else ''}{listed}]"
    return _EITHER.get(token["char"]) or re.escape(token["char"])
