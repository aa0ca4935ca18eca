"""How an operation is declared: a typed function, who may call it, and its path in the API.

`asked` is a record of what stands in the path and the query, `body` one of what is sent,
and what the function returns is the answer. From these types requests are checked and the
description (OpenAPI) is made, so that the two cannot differ. `api.http` answers requests.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

from lycosa.interface.operations.crawl_control import Launcher
from lycosa.interface.operations.search_feedback import SearchNotes
from lycosa.interface.shared.access import Access
from lycosa.interface.shared.tokens import Role
from lycosa.interface.views.open_crawls import Library


@dataclass(slots=True)
class Office:
    """What calls and pages work with."""

    home: Path
    library: Library
    access: Access
    notes: SearchNotes
    launcher: Launcher


@dataclass(slots=True, frozen=True)
class Call:
    """One call: what may be asked, by whom, and who answers."""

    method: str
    path: str
    role: Role
    act: Callable[..., Any]
    asked: type | None
    body: type | None
    answer: Any
    status: int

    @property
    def name(self) -> str:
        """What programs call it."""
        return self.act.__name__

    @property
    def told(self) -> str:
        """What it does."""
        return inspect.getdoc(self.act) or ""

    @property
    def changes(self) -> bool:
        """Whether something is different afterwards."""
        return self.role > Role.READ


def call(method: str, path: str, role: Role, *, status: int = 200) -> Callable[[Callable[..., Any]], Call]:
    """Declare a call: `@call("GET", "/crawls/{name}", Role.READ)` above its function."""

    def declared(act: Callable[..., Any]) -> Call:
        hints = get_type_hints(act, include_extras=True)
        answer = hints.get("return", type(None))
        return Call(method, path, role, act, hints.get("asked"), hints.get("body"), answer, status)

    return declared
