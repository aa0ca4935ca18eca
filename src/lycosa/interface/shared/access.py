"""Who asks, and whether they may: tokens for programs, sessions for browsers.

Reading is open where the server answers this machine only; elsewhere everything needs
a token. A browser signs in once and gets a signed cookie that scripts cannot see and
other sites cannot send. What changes something needs, besides the cookie, the key that
stands in our own pages, so no other page can make a browser do it; a token is enough
by itself, since no browser sends one unasked.
"""

from __future__ import annotations

import hmac
import secrets
import time
from hashlib import sha256
from pathlib import Path

import msgspec
from starlette.requests import Request

from lycosa.interface.shared.tokens import Role, Token, TokenFile, write_private
from lycosa.records import Record

SESSION_LASTS = 30 * 86400
DAY = 86400
KEY_HEADER = "x-lycosa-key"


class Refusal(Exception):
    """Somebody may not do something; the sentence says what to do."""

    def __init__(self, status: int, sentence: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status, self.headers = status, headers or {}


class Visitor(Record, frozen=True):
    """Who asks: `session` is that of a browser, `by_token` whether the request itself carried a token."""

    role: Role
    name: str = ""
    session: str = ""
    by_token: bool = False


class _Session(msgspec.Struct, frozen=True, array_like=True):
    number: str
    token: str
    digest: str
    until: float


class Access:
    """The door of one server."""

    def __init__(self, home: Path, *, open_reading: bool = True) -> None:
        """With `open_reading` nobody needs a token to look."""
        self.tokens = TokenFile(home)
        self._open_reading = open_reading
        self._key = _kept_key(home / "session.key")
        self._console = Token("this console", Role.ADMIN.told, secrets.token_hex(16), time.time())
        self._console_key = secrets.token_urlsafe(24)
        self._used_elsewhere = False

    # -- signing in -----------------------------------------------------------------------------

    def console_key(self) -> str:
        """A key for whoever started the server: while that runs, it signs in browsers of this machine."""
        return self._console_key

    def sign_in(self, secret: str, *, here: bool = False) -> str | None:
        """The cookie for whoever holds a token or the console key; None for others.

        Asked from another machine than `here`, the console key signs one browser in.
        """
        if hmac.compare_digest(secret.encode(), self._console_key.encode()):
            if not here and self._used_elsewhere:
                return None
            self._used_elsewhere = self._used_elsewhere or not here
            return self._cookie(self._console)
        token = self.tokens.find(secret)
        return None if token is None else self._cookie(token)

    def _cookie(self, token: Token) -> str:
        session = _Session(secrets.token_hex(12), token.name, token.digest[:16], time.time() + SESSION_LASTS)
        said = msgspec.msgpack.encode(session).hex()
        return f"{said}.{self._sign('session', said)}"

    def _session(self, cookie: str) -> tuple[_Session, Token] | None:
        said, _, signature = cookie.partition(".")
        if not hmac.compare_digest(signature.encode(), self._sign("session", said).encode()):
            return None
        session = msgspec.msgpack.decode(bytes.fromhex(said), type=_Session)
        token = self._console if session.token == self._console.name else self.tokens.named(session.token)
        if token is None or token.digest[:16] != session.digest or session.until < time.time():
            return None
        return session, token

    def _sign(self, use: str, text: str) -> str:
        return hmac.new(self._key, f"{use}|{text}".encode(), sha256).hexdigest()

    # -- who it is ------------------------------------------------------------------------------

    def visitor(self, request: Request) -> Visitor:
        """Who sent a request. A wrong token is refused, not overlooked."""
        scheme, _, secret = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            token = self.tokens.find(secret.strip())
            if token is None:
                raise Refusal(401, "This token is not known here; `lycosa tokens list` shows those there are.")
            return Visitor(Role.named(token.role), token.name, by_token=True)
        found = self._session(request.cookies.get(cookie_name(request), ""))
        if found is not None:
            session, token = found
            return Visitor(Role.named(token.role), token.name, session.number)
        return Visitor(Role.READ if self._open_reading else Role.NOBODY)

    def page_key(self, visitor: Visitor, days_ago: int = 0) -> str:
        """The key that stands in the pages a visitor is shown."""
        return self._sign("page", f"{visitor.session}|{int(time.time() // DAY) - days_ago}")

    def check(self, request: Request, role: Role, *, changes: bool) -> Visitor:
        """Let a request pass that its sender may make; else say why not."""
        visitor = self.visitor(request)
        if visitor.role < role:
            if visitor.name:
                raise Refusal(
                    403, f"“{visitor.name}” may {visitor.role.told}; this needs a token that may {role.told}."
                )
            raise Refusal(
                401, f"This needs a token that may {role.told}: sign in, or send one; `lycosa tokens add` makes it."
            )
        if changes and not visitor.by_token:
            self.check_key(request, visitor)
        return visitor

    def check_key(self, request: Request, visitor: Visitor) -> None:
        """Only our own pages hold the key of a visitor."""
        sent = request.headers.get(KEY_HEADER, "").encode()
        known = [self.page_key(visitor, days_ago).encode() for days_ago in (0, 1)]
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin" or not any(
            hmac.compare_digest(sent, key) for key in known
        ):
            raise Refusal(403, "This page is too old, or not one of ours; load it again, then try once more.")


def cookie_name(request: Request) -> str:
    """Browsers share cookies between the ports of a host, so each port has its own."""
    return f"lycosa-{request.url.port or 0}"


def _kept_key(path: Path) -> bytes:
    """The key that signs cookies, made when it is first needed."""
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        key = b""
    if len(key) != 32:
        key = secrets.token_bytes(32)
        write_private(path, key)
    return key
