"""The description of the API by OpenAPI 3.1, made from the calls themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from lycosa import __version__
from lycosa.interface.api.http import ROOT
from lycosa.interface.operations.calls import Call
from lycosa.interface.shared.errors import JSON, Problem
from lycosa.interface.shared.tokens import Role

_IN_PATH = re.compile(r"\{(\w+)\}")
_REFERENCE = "#/components/schemas/{name}"
_REFUSALS = {
    401: "no token, or one that is not known",
    403: "the token may not do this",
    404: "there is no such thing",
    409: "it cannot be done as things stand",
    422: "what was asked does not fit",
    503: "it cannot be read just now",
}
_REFUSED_BODIES = {400: "what was sent is no JSON", 413: "too much was sent", 415: "what was sent is not JSON"}
_CHANGE_FAILS = {501: "an extra is not installed", 507: "the disk is full"}


def description(calls: Sequence[Call], server: str = "/") -> dict[str, Any]:
    """The whole document."""
    types = _types(calls)
    schemas, components = msgspec.json.schema_components(types, ref_template=_REFERENCE)
    by_type = dict(zip(map(repr, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for each in calls:
        paths.setdefault(ROOT + each.path, {})[each.method.lower()] = _operation(each, by_type)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lycosa",
            "version": __version__,
            "description": "Everything the pages of Lycosa do, for programs. Errors are one sentence in `error`.",
        },
        "servers": [{"url": server}],
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _types(calls: Sequence[Call]) -> list[Any]:
    found: dict[str, Any] = {repr(Problem): Problem}
    for each in calls:
        for kind in (each.body, each.answer):
            if kind is not None and kind is not type(None):
                found[repr(kind)] = kind
    return list(found.values())


def _operation(each: Call, by_type: dict[str, Any]) -> dict[str, Any]:
    summary, _, rest = each.told.partition("\n")
    told: dict[str, Any] = {
        "operationId": each.name,
        "summary": summary,
        "tags": [each.path.split("/")[1]],
        "parameters": _parameters(each),
        "responses": _responses(each, by_type),
        "security": [{"token": []}] if each.changes else [{}, {"token": []}],
        "x-role": each.role.told,
    }
    if rest.strip():
        told["description"] = rest.strip()
    if each.body is not None:
        told["requestBody"] = {"required": True, "content": {JSON: {"schema": by_type[repr(each.body)]}}}
    return told


def _parameters(each: Call) -> list[dict[str, Any]]:
    if each.asked is None:
        return []
    (shape,), components = msgspec.json.schema_components([each.asked], ref_template=_REFERENCE)
    shape = components[shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape
    in_path = set(_IN_PATH.findall(each.path))
    return [
        {
            "name": name,
            "in": "path" if name in in_path else "query",
            "required": name in in_path or name in shape.get("required", ()),
            "schema": {key: value for key, value in schema.items() if key != "description"},
            **({"description": schema["description"]} if "description" in schema else {}),
        }
        for name, schema in shape["properties"].items()
    ]


def _responses(each: Call, by_type: dict[str, Any]) -> dict[str, Any]:
    nothing = each.answer is type(None)
    done: dict[str, Any] = {"description": "done" if nothing or each.changes else "the answer"}
    if not nothing:
        done["content"] = {JSON: {"schema": by_type[repr(each.answer)]}}
    refusals = {**_REFUSALS, **(_REFUSED_BODIES if each.body else {}), **(_CHANGE_FAILS if each.changes else {})}
    problem = {"content": {JSON: {"schema": by_type[repr(Problem)]}}}
    said = {str(status): {"description": why, **problem} for status, why in sorted(refusals.items())}
    return {"204" if nothing else str(each.status): done, **said}


def roles_told() -> str:
    """The roles that a token may have."""
    return ", ".join(role.told for role in Role if role)
