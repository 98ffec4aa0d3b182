"""The password of a single user: session cookies, bearer tokens, and a brake on guessing."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, ip_address

from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.requests import cookie_parser

COOKIE = "viva_session"
MAX_AGE_S = 30 * 24 * 3600
FREE_TRIES = 5
TRY_EVERY_S = 30.0
"""After the free tries a client address gets one more guess every so many seconds."""


class Throttle:
    """Wrong passwords by client; forgets one whose tries have grown back, and, where there are too
    many to remember, whoever owes least.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, capacity: int = 4096) -> None:
        self._now = now
        self._capacity = capacity
        self._spent: dict[str, float] = {}

    def wait(self, address: str) -> float:
        """Seconds until this address may guess again; 0 when it may now."""
        owed = self._spent.get(_client(address), 0.0) - self._now()
        return max(0.0, owed - (FREE_TRIES - 1) * TRY_EVERY_S)

    def failed(self, address: str) -> None:
        """Note a wrong guess."""
        now, client = self._now(), _client(address)
        until = max(self._spent.pop(client, now), now) + TRY_EVERY_S
        if len(self._spent) >= self._capacity:
            self._spent = {who: until for who, until in self._spent.items() if until > now}
        if len(self._spent) >= self._capacity:
            del self._spent[min(self._spent, key=self._spent.__getitem__)]
        self._spent[client] = until


def _client(address: str) -> str:
    """Whose guesses count together: who has one IPv6 address has the whole /64 around it."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, IPv4Address):
        return address
    return str(ip.ipv4_mapped or f"{int(ip) >> 64:x}/64")


class Sessions:
    """Signed session cookies, keyed by the password: a new password ends every session."""

    def __init__(
        self, password: str, secret: bytes, now: Callable[[], float] = time.monotonic
    ) -> None:
        key = hashlib.scrypt(password.encode(), salt=secret, n=2**14, r=8, p=1)
        self._signer = URLSafeTimedSerializer(key, salt="viva.session")
        self._pepper = secrets.token_bytes(32)
        self._digest = self._hash(password)
        self.throttle = Throttle(now)

    def _hash(self, password: str) -> bytes:
        return hashlib.blake2b(password.encode("utf-8", "replace"), key=self._pepper).digest()

    def admits(self, password: str, address: str) -> bool:
        """Whether this is the password; a wrong one is held against the address."""
        if self.throttle.wait(address):
            return False
        if hmac.compare_digest(self._hash(password), self._digest):
            return True
        self.throttle.failed(address)
        return False

    def issue(self) -> str:
        """A fresh session token for the cookie."""
        return self._signer.dumps(secrets.token_urlsafe(16))

    def is_valid(self, token: str) -> bool:
        """Whether we issued this token under the present password, at most 30 days ago."""
        try:
            self._signer.loads(token, max_age=MAX_AGE_S)
        except BadData:
            return False
        return True

    def recognise(self, headers: Mapping[str, str], address: str) -> bool:
        """Whether the headers carry a session or the password as a bearer token."""
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return self.admits(token.strip(), address)
        # Not the standard library's: at a cookie that it cannot read it gives up the others too.
        return self.is_valid(cookie_parser(headers.get("cookie", "")).get(COOKIE, ""))
