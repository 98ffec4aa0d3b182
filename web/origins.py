"""Who may talk to this server: host names and origins, compared exactly. Pure."""

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_SINGLE = frozenset({"host", "origin", "authorization", "sec-fetch-site"})
_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Refused(Exception):
    """The request is not served; `status` and the message go to the client."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def headers_of(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by lower-case name; one that decides who may enter must come once."""
    found: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        if key in found and key in _SINGLE:
            raise Refused(400, f"The header {key} came twice.")
        glue = "; " if key == "cookie" else ", "
        found[key] = f"{found[key]}{glue}{text}" if key in found else text
    return found


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port of a page."""

    scheme: str
    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "Origin | None":
        """The origin that `text` is, or None where it is anything else, 'null' included."""
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError:
            return None
        scheme, host = parts.scheme.lower(), parts.hostname
        plain = f"{parts.scheme}://{parts.netloc}"
        if scheme not in _DEFAULT_PORTS or not host or text != plain or "@" in parts.netloc:
            return None
        return cls(scheme, host, port or _DEFAULT_PORTS[scheme])


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The host names that this server answers to.

    An address in digits cannot be taken over by DNS rebinding, so where Viva listens beyond
    loopback (`any_address`) every such address is its own; names must be listed.
    """

    hosts: frozenset[str] = frozenset({"localhost", "127.0.0.1", "::1"})
    any_address: bool = False

    def knows(self, host: str) -> bool:
        """Whether a request for this host name is meant for us."""
        if host in self.hosts:
            return True
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return self.any_address

    def check_host(self, headers: Mapping[str, str], scheme: str) -> Origin:
        """Our own origin as this request names it; Refused where the host is not ours."""
        named = Origin.parse(f"{scheme}://{headers.get('host', '')}")
        if named is None or not self.knows(named.host):
            remedy = "To serve Viva under another name, set VIVA_HOSTS."
            raise Refused(403, f"This server does not answer to that host name. {remedy}")
        return named

    def check_origin(self, headers: Mapping[str, str], own: Origin) -> None:
        """Refuse what another site's page sent; programs that are no browser name no origin."""
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None and site != "same-origin":
            raise Refused(403, "This request came from another site.")
        if origin is None:
            if any(name.startswith("sec-fetch-") for name in headers):
                raise Refused(403, "A browser must say which page this request comes from.")
            return
        named = Origin.parse(origin)
        if named != own:
            raise Refused(403, "This request came from another site.")


def is_unsafe(scope_type: str, method: str) -> bool:
    """Whether a request can change something: every socket, and every method that is not a read."""
    return scope_type == "websocket" or method not in _SAFE_METHODS
