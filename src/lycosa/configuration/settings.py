"""What a crawl is told: TOML with units, frozen, checked at the door.

Wrong configuration is refused before the first request, with an error that
names the file, the key, the value and a suggestion. The effective configuration
is written into the crawl's folder, so a crawl can always say how it was set up.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import msgspec

from lycosa.configuration.limits import impossible
from lycosa.configuration.sections import (
    Bytes,
    Configuration,
    Seconds,
    Section,
    Window,
)
from lycosa.durable import replace_file
from lycosa.user_error import Mendable


class ConfigurationError(Mendable):
    """The configuration cannot be used; the message says where and what to do."""


Table = TypeVar("Table", bound=Section)

_TIME_UNITS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE_UNITS = {
    "B": 1, "kB": 1000, "KiB": 1024, "MB": 1000**2, "MiB": 1024**2, "GB": 1000**3, "GiB": 1024**3, "TiB": 1024**4,
}  # fmt: skip
LONGEST_SPAN = 100 * 365 * 86400.0
LARGEST_SIZE = 1024**5
LARGEST_FILE = 64 * 1024**2
"""A job file; a million seeds fit in."""
_QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*")


def load(path: Path, overrides: Sequence[str] = ()) -> Configuration:
    """The configuration in a file, with `key=value` overrides on top."""
    if not path.exists():
        raise ConfigurationError(f"{path}: no such file; a job file is TOML, see `lycosa crawl --help`")
    return build(read_toml(path), overrides, origin=str(path))


def read_toml(path: Path) -> dict[str, Any]:
    """The plain values in a TOML file."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST_FILE:
            raise ConfigurationError(f"{path}: is no TOML file of at most {LARGEST_FILE >> 20} MiB; name one")
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: cannot be read ({error})") from None
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path}: not valid TOML: {error}") from None


def build(raw: Mapping[str, Any], overrides: Sequence[str] = (), origin: str = "configuration") -> Configuration:
    """A checked configuration from plain values; `origin` names the place in errors."""
    found = table(Configuration, raw, overrides, origin)
    why = impossible(found)
    if why:
        raise ConfigurationError(f"{origin}: {why}")
    return found


def table(kind: type[Table], raw: Mapping[str, Any], overrides: Sequence[str], origin: str) -> Table:
    """One table from plain values, with `key=value` overrides on top; an unknown key is an error with a suggestion."""
    merged = _copy(raw)
    for override in overrides:
        _override(merged, override)
    try:
        return msgspec.convert(merged, kind, dec_hook=_quantity)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"{origin}: {_explain(error, merged, kind)}") from None


def _copy(raw: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _copy(value) if isinstance(value, Mapping) else value for key, value in raw.items()}


def changed(current: Configuration, override: str) -> Configuration:
    """The configuration with one `key=value` changed, as in a running crawl (T16)."""
    return build(plain(current), [override], origin="set")


def plain(configuration: Configuration) -> dict[str, Any]:
    """The configuration as plain values, quantities with their units."""
    found: dict[str, Any] = msgspec.to_builtins(configuration, enc_hook=_written, builtin_types=())
    return found


def _quantity(kind: type, value: Any) -> Any:
    if kind not in (Seconds, Bytes):
        raise NotImplementedError(f"no rule for {kind}")
    units: Mapping[str, float] = _TIME_UNITS if kind is Seconds else _SIZE_UNITS
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return _bounded(kind, value)
    match = _QUANTITY.fullmatch(value) if isinstance(value, str) else None
    if match is None or match[2] not in units:
        example = '"10s"' if kind is Seconds else '"32MiB"'
        raise ValueError(f"{value!r} is no quantity; write it with a unit ({', '.join(units)}), such as {example}")
    return _bounded(kind, float(match[1]) * units[match[2]])


def _bounded(kind: type, value: float) -> Any:
    most, told = (LONGEST_SPAN, "100 years") if kind is Seconds else (LARGEST_SIZE, "1024 TiB")
    if value > most:
        raise ValueError(f"that is more than {told}; use less")
    return kind(value)


def _written(value: Any) -> str:
    if isinstance(value, Seconds):
        number, unit = (float(value), "s") if value >= 1 or not value else (value * 1000, "ms")
        return f"{number:.9f}".rstrip("0").rstrip(".") + unit
    if isinstance(value, Bytes):
        return f"{int(value)}B"
    raise NotImplementedError(f"cannot write {type(value)}")


def _override(raw: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals:
        raise ConfigurationError(f"{override!r} is no setting; write KEY=VALUE, such as politeness.delay=2s")
    *tables, last = key.strip().split(".")
    table = raw
    for name in tables:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise ConfigurationError(f"{key}: {name} is a value, not a table")
    table[last] = _value(text.strip())


def _value(text: str) -> Any:
    """A value as on the command line: TOML where it is TOML, else the text itself."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except (ValueError, RecursionError):
        return text


def _explain(error: msgspec.ValidationError, raw: Mapping[str, Any], kind: type[Section]) -> str:
    text = str(error)
    place = re.search(r"at `\$\.?([^`]*)`", text)
    path = place[1] if place else ""
    unknown = re.search(r"unknown field `([^`]*)`", text)
    if unknown:
        known = _fields(path, kind)
        near = difflib.get_close_matches(unknown[1], known, 1)
        where = f"{path}.{unknown[1]}" if path else unknown[1]
        hint = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(sorted(known))}"
        return f"unknown key {where!r}; {hint}"
    value: Any = raw
    for part in re.findall(r"[^.\[\]]+", path):
        if isinstance(value, list) and part.isdigit():
            value = value[int(part)]
        else:
            value = value.get(part) if isinstance(value, Mapping) else None
    reason = re.sub(r" - at `[^`]*`", "", text)
    return f"{path} = {value!r}: {reason}" if path else reason


def _fields(path: str, kind: Any) -> list[str]:
    for part in re.findall(r"[a-z_]+", path):
        kind = get_type_hints(kind).get(part, kind)
        kind = Window if part == "windows" else kind
    return [field.name for field in msgspec.structs.fields(kind)]


def write(configuration: Configuration, path: Path) -> None:
    """The effective configuration as TOML, replacing the file in one step."""
    replace_file(path, to_toml(plain(configuration)))


def to_toml(values: Mapping[str, Any], prefix: str = "") -> str:
    """Plain values as TOML text."""
    own = [
        f"{_toml_key(key)} = {_toml_value(value)}" for key, value in values.items() if not isinstance(value, Mapping)
    ]
    tables = [
        f"\n[{prefix}{key}]\n{to_toml(value, f'{prefix}{key}.')}"
        for key, value in values.items()
        if isinstance(value, Mapping)
    ]
    return "\n".join(own) + ("\n" if own else "") + "".join(tables)


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml_value(key)


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml_value(k)} = {_toml_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    return msgspec.json.encode(str(value)).decode()
