"""Every regular expression of the package reads a text in time that grows like its length.

Each is taken apart; for each repetition in it, texts are made of what leads there, the repeated
piece many times, and an end that fits or does not. Where that does not reach a repetition
(behind a lookahead, say), a text made by hand does.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import islice
from pathlib import Path
from types import FrameType, ModuleType

import pytest

import lycosa
from lycosa.clickstream.server_logs.parsing.custom_formats import Notation
from lycosa.frontier.url_patterns import _compiled
from lycosa.topics.taxonomy import Node, Taxonomy
from lycosa.topics.vocabulary import Variant, Variants, Vocabulary
from pattern_texts import Pattern, Texts, is_reached, tries
from time_growth import grows_too_fast

SHORT = 512
FEW_PIECES = (20, 40)
"""Of so few pieces a pattern that tries all ways through them takes hours already."""
LONGEST_TRY = 2.0
LOG_FORMATS = (
    '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"',
    "%h %{X-Forwarded-For}i %t %r %>s %U%q %v",
    '$remote_addr - $http_x_forwarded_for [$time_local] "$request" $status $body_bytes_sent "$http_referer"',
    "%{%Y-%m-%d %H:%M:%S}t|%a|%m %U%q|%s|%{User-Agent}i",
)
URL_PATTERNS = ("*.example.org", "ex*mple.*.org", "*/private/*", "example.org/*a*b*'c", "*.a.*:8080/?x[ab]*y", "*:80")
FOUND_ON_PAGE = re.compile(re.escape("a" * 30 + "b"), re.IGNORECASE)
POWER = Taxonomy([Node("power", "power", texts=("photovoltaic",))])
VARIANTS = Vocabulary(POWER, Variants(Variant(word, "photovoltaic") for word in ("photo  voltaic", "a a")))
BY_HAND = {
    "lycosa.clickstream.collector.http_requests._FIELDS": [("", "\r\na:b", "\x01"), ("\r\na:", " ", "\0")],
    "lycosa.clickstream.server_logs.parsing.custom_formats.__init__": [
        ("2020-01-01 00:00:00|h|GET ", "/a?", "|200|x"),
        ("2020-01-01 00:00:00|h|GET /", "?", "|x"),
        ("2020-01-01 00:00:00|h|GET /?", "x", ""),
    ],
    "lycosa.frontier.traps._TITLE": [("a", "-", "\x01"), ("", "-a", "\x01"), ("-", "a", "-"), ("", "aA1-_", "\0")],
    "lycosa.interface.shared.server_paths._PATH": [
        ("/", "a", "\x01"),
        ("/a", "/a", "\x01"),
        ("/a", ".", ""),
        ("/a", " ", "/a"),
        ("", "/a", "/"),
        ("/a/", "a./", ""),
    ],
    "lycosa.lab.wikispeedia._SUBJECTS": [
        (start, piece, end)
        for start in ("", "<h3 id", "<h3 id=", "<h3 id=siteSub", "<h3 id=siteSub>", "<h3 id=siteSub></h3")
        for piece in (" ", " id", "<h3 id=siteSub>", "</h3", "x")
        for end in ("", "<")
    ],
    "lycosa.topics.semantic_checker.synonym_phrases._AFTER": [
        (start, piece, end) for start in ("", "the", "word") for piece in (" ", "the ", "a") for end in ("", "!")
    ],
}
"""Texts for patterns of which the test reaches a part only with help: beginning, repeated piece, end."""

BUILT: dict[str, Callable[[], list[tuple[Pattern, str]]]] = {
    "lycosa.clickstream.server_logs.parsing.custom_formats.__init__": lambda: [
        (Notation(text).pattern, "fullmatch") for text in LOG_FORMATS
    ],
    "lycosa.frontier.url_patterns._compiled": lambda: [(_compiled(text), "match") for text in URL_PATTERNS],
    "lycosa.topics.vocabulary._two_words": lambda: [(VARIANTS._two_words, "finditer")],
    "lycosa.interface.web.reader_views._holds": lambda: [(FOUND_ON_PAGE, "finditer")],
    "lycosa.interface.web.reader_highlights.__init__": lambda: [(FOUND_ON_PAGE, "finditer")],
}
"""Patterns that a function builds, by that function."""


# -- which patterns there are -------------------------------------------------------------------


def patterns_in(value: object, depth: int = 3) -> Iterator[Pattern]:
    """The patterns that a value is or holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, type) and value.__module__.startswith("lycosa"):
        for part in list(vars(value).values()):
            yield from patterns_in(part, depth - 1)
    elif depth and isinstance(value, dict):
        yield from patterns_in((*value, *value.values()), depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from patterns_in(part, depth - 1)


def methods_of(name: str, source: str) -> set[str]:
    """How a module uses a pattern by its name: from the beginning of a text, or (`finditer`) anywhere in it."""
    used = set(re.findall(rf"\b{name}\.(\w+)", source))
    return used if used and used <= {"match", "fullmatch"} else {"finditer"}


def in_functions(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Calls such as `re.sub` within functions, by the function."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
                    yield function.name, node


def of_module(module: ModuleType) -> Iterator[tuple[str, Pattern, str]]:
    """The patterns of a module: name, pattern, method."""
    source = Path(module.__file__ or "").read_text("utf-8")
    for name, value in list(vars(module).items()):
        for pattern in patterns_in(value):
            yield from ((name, pattern, method) for method in methods_of(name, source))
    for function, call in in_functions(ast.parse(source)):
        method, written = ast.unparse(call.func).removeprefix("re."), call.args[0]
        if isinstance(written, ast.Constant):
            flags = eval(ast.unparse(call.args[-1])) if method == "compile" and len(call.args) > 1 else 0
            anchored = method in ("match", "fullmatch")
            yield function, re.compile(written.value, flags), method if anchored else "finditer"
        elif method not in ("escape", "error"):
            for pattern, used in BUILT[f"{module.__name__}.{function}"]():
                yield function, pattern, used


@cache
def all_patterns() -> dict[tuple[Pattern, str], str]:
    """Every pattern of the package with the way it is used, and where it is (the first of several places)."""
    found: dict[tuple[Pattern, str], str] = {}
    for info in pkgutil.walk_packages(lycosa.__path__, "lycosa."):
        module = importlib.import_module(info.name)
        if (module.__file__ or "").endswith(".py"):
            for name, pattern, method in of_module(module):
                found.setdefault((pattern, method), f"{module.__name__}.{name}")
    return found


# -- the time they take -------------------------------------------------------------------------


class TooLong(Exception):
    """A pattern reads one text for seconds."""


@contextmanager
def limited() -> Iterator[None]:
    """Ends a pattern that would read for ever."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST_TRY)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def is_slow(texts: Texts, method: str, made: tuple[str, str, str]) -> bool:
    """Whether the time grows faster than the text; most are so clearly linear that a glance is enough."""
    head, piece, end = made

    def work(size: int) -> Callable[[], object]:
        written = texts.text(head + piece * (size // len(piece)) + end)
        if method == "finditer":
            return lambda: all(True for _ in texts.pattern.finditer(written))
        return lambda: getattr(texts.pattern, method)(written)

    try:
        with limited():
            for size in FEW_PIECES:
                work(size * len(piece))()
            return grows_too_fast(work, SHORT)
    except TooLong:
        return True


def slow_texts(pattern: Pattern, method: str, name: str) -> Iterator[str]:
    texts = Texts(pattern)
    by_hand = BY_HAND.get(name, [])
    made = dict.fromkeys(by_hand)
    for before, body, after in texts.repetitions():
        if not by_hand and not is_reached(texts, method, before, body, after):
            yield f"{name}: no text reaches the repetition of {texts.sample(body, 0)!r}; add one by hand"
        made |= tries(texts, before, body)
    for each in made:
        if is_slow(texts, method, each):
            yield f"{name} ({method}): {each!r}"


def test_every_pattern_is_linear() -> None:
    found: list[str] = []
    for (pattern, method), name in all_patterns().items():
        found += islice(slow_texts(pattern, method, name), 5)
    assert not found, "\n".join(found)


def test_patterns_are_collected_from_everywhere() -> None:
    names = set(all_patterns().values())
    assert len(names) >= 130
    assert {"lycosa.urls._PLAIN_URL", "lycosa.topics.semantic_checker.word_forms._SPELLINGS"} <= names
    assert set(BY_HAND) <= names


@pytest.mark.parametrize(("pattern", "method"), [(r"\s*\n\s*", "finditer"), (rb"(?:a|b?a)*c", "match")])
def test_slow_patterns_are_recognised(pattern: str | bytes, method: str) -> None:
    assert next(slow_texts(re.compile(pattern), method, "slow"), "")
