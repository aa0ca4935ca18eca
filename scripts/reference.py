"""The reference pages in docs/reference, made from the code, so that they cannot say anything else.

Run it without arguments to write the pages; with `--check` it writes nothing and fails where a page is out of date.
Commands come from the argument parser, settings from the records in `lycosa.configuration.sections` (with a sentence
each from src/lycosa/data/settings.toml), plug points from `lycosa.plugins.plug_points` and the entry points, strategies
from their modules' docstrings, records from `lycosa.records` and the tables of an export. The API page says what the
OpenAPI document says.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import inspect
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from lycosa import click_records as clicks
from lycosa import records
from lycosa.configuration.sections import Bytes, Collector, Configuration, Seconds, Section, Window
from lycosa.configuration.settings import to_toml
from lycosa.inspection import export
from lycosa.interface.cli import parser
from lycosa.plugins.plug_points import POINTS
from lycosa.storage import catalogue

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "reference"
WORDS = ROOT / "src" / "lycosa" / "data" / "settings.toml"


def pages() -> dict[str, str]:
    """Every generated page: file name and text."""
    made = {
        "commands.md": commands_page(),
        "configuration.md": configuration_page(),
        "plug-points.md": plug_points_page(),
        "strategies.md": strategies_page(),
        "records.md": records_page(),
    }
    described = openapi_document()
    return made if described is None else {**made, "api.md": api_page(described)}


def _page(title: str, intro: str, body: Iterator[str] | list[str]) -> str:
    note = "*Made from the code by `scripts/reference.py`; `make docs` makes it anew.*"
    return "\n".join([f"# {title}", "", intro, "", note, "", *body]).rstrip() + "\n"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    lines = [head, tuple("---" for _ in head), *rows]
    return [*(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines), ""]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _paragraphs(docstring: str | None) -> str:
    """A docstring without its indentation."""
    return inspect.cleandoc(docstring or "")


# Commands


def commands_page() -> str:
    """Every command with its arguments."""
    whole = parser()
    shared = [action for action in whole._actions if action.dest in ("home", "json")]
    common = [_argument(action) for action in shared]
    body = ["## Every command", "", *_table(("option", "meaning"), [row[:2] for row in common])]
    for name, command, told in _commands(whole, "lycosa"):
        body += [f"## {name}", "", told[:1].upper() + told[1:] + ".", "", "```text", _usage(name, command), "```", ""]
        arguments = [_argument(action) for action in _own_arguments(command)]
        if arguments:
            body += _table(("argument", "meaning", "default"), arguments)
    intro = (
        "What can be typed. A command ends with 0 when it did what was asked, with 1 where the answer is no "
        "(nothing found, something does not agree), with 2 and one sentence where something must be put right first."
    )
    return _page("Commands", intro, body)


def _commands(command: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    """All commands below one that can be run, with what their help says in one line."""
    for group in command._actions:
        if isinstance(group, argparse._SubParsersAction):
            told = {choice.dest: choice.help or "" for choice in group._choices_actions}
            for below, found in group.choices.items():
                if any(isinstance(action, argparse._SubParsersAction) for action in found._actions):
                    yield from _commands(found, f"{name} {below}")
                else:
                    yield f"{name} {below}", found, told.get(below, "")


def _own_arguments(command: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in command._actions if action.help != argparse.SUPPRESS and action.dest != "help"]


def _usage(name: str, command: argparse.ArgumentParser) -> str:
    """How the command is typed, at most 110 characters a line."""
    lines, indent = [name], " " * (len(name) + 1)
    for word in (_typed(action) for action in _own_arguments(command)):
        if len(lines[-1]) + len(word) > 110:
            lines.append(indent[:-1])
        lines[-1] += f" {word}"
    return "\n".join(lines)


def _typed(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else _metavar(action)
    if action.option_strings:
        value = {"*": f"[{value} ...]", "+": f"{value} ...", "?": f"[{value}]"}.get(str(action.nargs), value)
        if isinstance(action.nargs, int) and action.nargs > 1:
            value = " ".join([value] * action.nargs)
        option = f"{action.option_strings[0]} {value}".strip()
        repeated = "..." if isinstance(action, argparse._AppendAction) else ""
        return option if action.required else f"[{option}]{repeated}"
    return {"?": f"[{value}]", "*": f"[{value} ...]", "+": f"{value} [{value} ...]"}.get(str(action.nargs), value)


def _metavar(action: argparse.Action) -> str:
    if isinstance(action.metavar, tuple):
        return " ".join(action.metavar)
    if action.metavar:
        return action.metavar
    if action.choices is not None:
        return "|".join(map(str, action.choices))
    return action.dest.upper()


def _argument(action: argparse.Action) -> tuple[str, str, str]:
    shown = f"{', '.join(action.option_strings)} {'' if action.nargs == 0 else _metavar(action)}".strip()
    meaning = (action.help or "").replace("%%", "%")
    if isinstance(action, argparse._AppendAction):
        meaning = f"{meaning} (may be given several times)".strip()
    empty = action.default is None or action.default is False or action.default == [] or action.default == ""
    return _code(shown), meaning, "" if empty or action.default is argparse.SUPPRESS else _code(str(action.default))


# Settings


def configuration_page() -> str:
    """Every setting with its type, default and a sentence."""
    words = tomllib.loads(WORDS.read_text("utf-8"))
    sections = [(name, kind) for name, kind in get_type_hints(Configuration).items() if _is_section(kind)]
    body = ["## The top of a job file", "", *_settings(Configuration, words.get("top", {}))]
    for name, kind in sections:
        body += [f"## `[{name}]`", "", _paragraphs(kind.__doc__), "", *_settings(kind, words.get(name, {}))]
        if name == "ceilings":
            told = words.get("ceilings.windows", {})
            body += ["### `[[ceilings.windows]]`", "", _paragraphs(Window.__doc__), "", *_settings(Window, told)]
    body += ["## `collect.toml`", "", _paragraphs(Collector.__doc__), "", *_settings(Collector, words["collector"])]
    intro = (
        "What can be set: in a job file (TOML), for once with `--set KEY=VALUE`, in a running crawl with "
        "`lycosa set NAME KEY=VALUE`. Spans of time have a unit (`ms`, `s`, `min`, `h`, `d`), sizes too (`B`, `kB`, "
        "`KiB`, `MB`, `MiB`, `GB`, `GiB`, `TiB`). An unknown key is an error with a suggestion."
    )
    return _page("Configuration", intro, body)


def _is_section(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Section)


def _settings(kind: type[Section], words: Mapping[str, str]) -> list[str]:
    hints = get_type_hints(kind)
    rows = [
        (_code(field.name), _kind_of(hints[field.name]), _default_of(field), words.get(field.name, ""))
        for field in msgspec.structs.fields(kind)
        if not _is_section(hints[field.name])
    ]
    return _table(("key", "type", "default", "meaning"), rows)


def undescribed() -> list[str]:
    """Settings without a sentence in settings.toml, and sentences about settings that are not there."""
    words = tomllib.loads(WORDS.read_text("utf-8"))
    hints = get_type_hints(Configuration)
    kinds = {name: kind for name, kind in hints.items() if _is_section(kind)}
    kinds |= {"top": Configuration, "ceilings.windows": Window, "collector": Collector}
    known = {
        f"{name}.{field}"
        for name, kind in kinds.items()
        for field, hint in get_type_hints(kind).items()
        if not _is_section(hint) and not field.startswith("_")
    }
    return sorted(known ^ {f"{name}.{field}" for name, table in words.items() for field in table})


def _kind_of(kind: Any) -> str:
    names = {str: "text", bool: "yes or no", int: "number", float: "number", Seconds: "time", Bytes: "size"}
    if kind in names:
        return names[kind]
    if _is_section(kind):
        return "table"
    if get_origin(kind) is Literal:
        return " or ".join(_code(str(choice)) for choice in get_args(kind))
    if get_origin(kind) is not tuple:
        return "table of texts"
    one = _kind_of(get_args(kind)[0])
    return f"list of {one}" if get_origin(get_args(kind)[0]) is Literal else f"list of {one}s"


_UNITS = {
    Seconds: (("d", 86400), ("h", 3600), ("min", 60), ("s", 1), ("ms", 0.001)),
    Bytes: (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024), ("B", 1)),
}


def _default_of(field: Any) -> str:
    if field.default is msgspec.NODEFAULT:
        return "`{}`" if field.default_factory is not msgspec.NODEFAULT else "must be given"
    value = field.default
    if isinstance(value, Seconds | Bytes):
        return _code(f'"{_quantity(float(value), _UNITS[type(value)])}"')
    return _code(to_toml({"x": value}).strip().removeprefix("x = "))


def _quantity(value: float, units: tuple[tuple[str, float], ...]) -> str:
    """The value in the largest unit that makes it a whole number."""
    for unit, size in units if value else units[-2:-1]:
        number = round(value / size, 9)
        if (number >= 1 and number == int(number)) or not value:
            return f"{int(number)}{unit}"
    return f"{value:g}{units[-1][0]}"


# Plug points


def plug_points_page() -> str:
    """Each plug point with what is plugged in."""
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    body: list[str] = []
    for name, point in POINTS.items():
        ours = entries.get(f"lycosa.{name}", {})
        use = f"{_paragraphs(point.factory.__doc__)} Named by {point.named_by}."
        body += [f"## `lycosa.{name}`", "", f"{point.noun.capitalize()}. {use}", ""]
        body += ["```python", _shape_of(point.factory), "```", ""]
        rows = [(_code(each), _first_line(reference), _code(reference)) for each, reference in sorted(ours.items())]
        body += _table(("name", "what it is", "where"), rows)
    intro = (
        "Parts that can be swapped. A plug-in is a callable registered as an entry point; what is shipped enters by "
        "the same door. `lycosa.plugins.plug_points` says what each part must do; "
        "[Write a plug-in](../how-to/write-a-plug-in.md) shows a complete one."
    )
    return _page("Plug points", intro, body)


def _loaded(reference: str) -> Any:
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)


def _shape_of(factory: Any) -> str:
    """The factory of a plug point as one would write it."""
    taken, _, returned = str(inspect.signature(factory)).replace("'", "").rpartition(" -> ")
    return f"def factory({taken.removeprefix('(self, ')} -> {returned}: ..."


def _first_line(reference: str) -> str:
    """What the factory says of itself."""
    return _paragraphs(_loaded(reference).__doc__).partition("\n")[0]


# Strategies


def strategies_page() -> str:
    """Each strategy and page scorer in its own module's words."""
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    body = ["## Strategies", ""]
    for name, reference in sorted(entries["lycosa.link_scorers"].items()):
        body += [f"### {name}", "", _module_words(reference), "", f"[More]({_explanation(name)})", ""]
    body += ["## Page scorers", ""]
    for name, reference in sorted(entries["lycosa.page_scorers"].items()):
        body += [f"### {name} (page scorer)", "", _module_words(reference), ""]
    intro = (
        "A strategy says which link goes first, a page scorer how well a page fits the topic. "
        "[Which strategy?](../strategies.md) compares what they find."
    )
    return _page("Strategies and page scorers", intro, body)


def _module_words(reference: str) -> str:
    return _paragraphs(importlib.import_module(reference.partition(":")[0]).__doc__)


def _explanation(name: str) -> str:
    own = ROOT / "docs" / "explanations" / f"{name}.md"
    return f"../explanations/{name}.md" if own.exists() else f"../explanations/baselines.md#{name}"


# Records


def records_page() -> str:
    """What travels through a crawl, what people did, and the columns of exported tables."""
    body = ["## What travels through a crawl", "", _paragraphs(records.__doc__), ""]
    body += [line for kind in _records_of(records) for line in _record(kind)]
    body += ["## What people did", "", _paragraphs(clicks.__doc__), ""]
    body += [line for kind in _records_of(clicks) for line in _record(kind)]
    body += ["## Tables of `lycosa export`", ""]
    types = catalogue.VisitRow.__annotations__
    history = [(_code(name), _code(types[name])) for name in catalogue.HISTORY]
    body += [
        "### pages, history",
        "",
        _paragraphs(catalogue.VisitRow.__doc__),
        "",
        *_table(("column", "type"), history),
    ]
    body += ["### links", "", *_table(("column",), [(_code(name),) for name in catalogue.LINKS])]
    body += [f"All tables: {', '.join(_code(name) for name in export.TABLES)}.", ""]
    intro = "Immutable, typed facts. [What lies where](../data.md) says where they are kept."
    return _page("Records and tables", intro, body)


def _records_of(module: Any) -> list[type[records.Record]]:
    own = [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == module.__name__]
    return [kind for kind in own if issubclass(kind, records.Record) and kind is not records.Record]


def _record(kind: type[records.Record]) -> list[str]:
    fields = msgspec.structs.fields(kind)
    rows = [(_code(field.name), _code(kind.__annotations__[field.name]), _plain_default(field)) for field in fields]
    return [f"### {kind.__name__}", "", _paragraphs(kind.__doc__), "", *_table(("field", "type", "default"), rows)]


def _plain_default(field: Any) -> str:
    if field.default is msgspec.NODEFAULT:
        return "" if field.default_factory is msgspec.NODEFAULT else _code(f"{field.default_factory.__name__}()")
    return _code(repr(field.default))


# The API


def openapi_document() -> Mapping[str, Any] | None:
    """The OpenAPI document of the HTTP interface, where this version has one."""
    try:
        described = importlib.util.find_spec("lycosa.interface.api.openapi")
    except ModuleNotFoundError:
        return None
    if described is None:
        return None
    calls = importlib.import_module("lycosa.interface.api.all_calls").CALLS
    found: Mapping[str, Any] = importlib.import_module("lycosa.interface.api.openapi").description(calls)
    return found


def api_page(document: Mapping[str, Any]) -> str:
    """Every route of an OpenAPI document with its parameters and answers."""
    body: list[str] = []
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            body += _operation(f"{method.upper()} {path}", operation)
    body += ["## What is sent and answered", ""]
    for name, schema in sorted(document.get("components", {}).get("schemas", {}).items()):
        fields = [(_code(field), _shape(kind)) for field, kind in schema.get("properties", {}).items()]
        body += [f"### {name}", "", _paragraphs(schema.get("description")), ""]
        body += _table(("field", "type"), fields) if fields else []
    return _page("API", document["info"].get("description", ""), body)


def _operation(name: str, operation: Mapping[str, Any]) -> list[str]:
    told = [text for key in ("summary", "description") if (text := str(operation.get(key, "")).strip())]
    lines = [f"## `{name}`", "", *(line for text in told for line in (text, ""))]
    if "x-role" in operation:
        lines += [f"Needs the role {operation['x-role']}.", ""]
    taken = [
        (_code(each["name"]), each["in"], _shape(each.get("schema", {})), each.get("description", ""))
        for each in operation.get("parameters", ())
    ]
    lines += _table(("parameter", "in", "type", "meaning"), taken) if taken else []
    if "requestBody" in operation:
        lines += [f"Sent: {_content(operation['requestBody'])}.", ""]
    answers = [
        (_code(code), each.get("description", ""), _content(each)) for code, each in operation["responses"].items()
    ]
    return [*lines, *_table(("status", "meaning", "answer"), answers)]


def _content(part: Mapping[str, Any]) -> str:
    return ", ".join(_shape(each.get("schema", {})) for each in part.get("content", {}).values())


def _shape(schema: Mapping[str, Any]) -> str:
    """A JSON schema in a few words; records are links to where they are listed."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_shape(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(_code(str(each)) for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_shape(schema['items'])}" if isinstance(schema.get("items"), Mapping) else "list"
    return str(schema.get("type", "anything"))


def outdated() -> list[str]:
    """Pages on disk that differ from what the code says now."""
    made = pages()
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    return sorted(name for name, text in made.items() if there.get(name) != text)


def main(arguments: list[str]) -> int:
    """Write the pages, or say which are out of date."""
    silent = undescribed()
    if silent:
        print(
            f"src/lycosa/data/settings.toml and lycosa.configuration.sections differ in: {', '.join(silent)}",
            file=sys.stderr,
        )
        return 1
    late = outdated()
    if "--check" in arguments:
        print("\n".join(f"docs/reference/{name} is out of date; run scripts/reference.py" for name in late))
        return 1 if late else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    made = pages()
    for name in late:
        (FOLDER / name).write_text(made[name], "utf-8")
    print(f"docs/reference: {len(late)} of {len(made)} pages written anew")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
