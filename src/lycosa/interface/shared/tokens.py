"""Tokens and what they allow: read, operate (change crawls), admin (delete them, and hand out tokens).

A token is shown once, when it is made; only its hash is kept, in a file that nobody
else may read. It is long and random, so a fast hash is enough.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import time
from enum import IntEnum
from pathlib import Path

import msgspec

from lycosa.crawl_folder.folder import CrawlError, alone_in
from lycosa.records import Record

BEGINNING = "lyc_"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@-]{0,63}")


class Role(IntEnum):
    """What somebody may do; each role may do what those before it may."""

    NOBODY = 0
    READ = 1
    OPERATE = 2
    ADMIN = 3

    @property
    def told(self) -> str:
        """In small letters, as people type it."""
        return self.name.lower()

    @classmethod
    def named(cls, name: str) -> Role:
        """A role that can be handed out."""
        known = {role.told: role for role in cls if role}
        if name not in known:
            raise CrawlError(f"there is no role {name!r}; choose one of: {', '.join(known)}")
        return known[name]


class Token(Record, frozen=True):
    """A token as it is kept."""

    name: str
    role: str
    digest: str
    created: float


class TokenFile:
    """The tokens of a home."""

    def __init__(self, home: Path) -> None:
        self._home, self._path = home, home / "tokens.json"
        self._read_at: tuple[int, int] | None = None
        self._tokens: list[Token] = []

    def all(self) -> list[Token]:
        """All tokens; the file is read again when it has changed."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return []
        stamp = (found.st_mtime_ns, found.st_size)
        if stamp != self._read_at:
            try:
                self._tokens = msgspec.json.decode(self._path.read_bytes(), type=list[Token])
            except msgspec.DecodeError as error:
                raise CrawlError(f"{self._path} cannot be read ({error}); remove it and make new tokens") from None
            self._read_at = stamp
        return self._tokens

    def add(self, name: str, role: Role) -> str:
        """Make a token. Returns its secret, which is kept nowhere."""
        if not _NAME.fullmatch(name):
            raise CrawlError(f"{name!r} is no name for a token; use up to 64 letters, digits, spaces and . _ @ -")
        secret = BEGINNING + secrets.token_urlsafe(32)
        with alone_in(self._home):
            if any(token.name == name for token in self.all()):
                raise CrawlError(f"there is a token named {name!r} already; remove it first, or choose another name")
            self._write([*self.all(), Token(name, role.told, _digest(secret), time.time())])
        return secret

    def remove(self, name: str) -> None:
        """Make a token worthless."""
        with alone_in(self._home):
            kept = [token for token in self.all() if token.name != name]
            if len(kept) == len(self.all()):
                there = ", ".join(token.name for token in kept) or "none"
                raise CrawlError(f"there is no token named {name!r}; there are: {there}")
            self._write(kept)

    def find(self, secret: str) -> Token | None:
        """The token with this secret."""
        digest = _digest(secret)
        return next((token for token in self.all() if secrets.compare_digest(token.digest, digest)), None)

    def named(self, name: str) -> Token | None:
        """The token of this name."""
        return next((token for token in self.all() if token.name == name), None)

    def _write(self, tokens: list[Token]) -> None:
        write_private(self._path, json.dumps(msgspec.to_builtins(tokens), indent=1).encode())


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def write_private(path: Path, data: bytes) -> None:
    """Replace a file that only its owner may read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
