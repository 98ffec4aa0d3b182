"""Viva under a sub-path, behind a proxy that takes the sub-path away, as nginx and Caddy do."""

import re
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from socket import SHUT_WR, create_connection, socket
from typing import cast
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, expect

from interviewer.settings import Settings
from tests.browser.conftest import watch
from tests.browser.steps import finish, say, start, turns
from web.server import embedded

REQUEST = re.compile(rb"^(GET|POST) /viva(/\S*) HTTP/1.1\r\n")


class Proxy(socketserver.ThreadingTCPServer):
    """Passes every connection on; the request line loses its sub-path."""

    daemon_threads = True
    upstream: tuple[str, int]


class Relay(socketserver.BaseRequestHandler):
    """One connection. A request begins a packet, because browsers do not pipeline."""

    def handle(self) -> None:
        with create_connection(cast(Proxy, self.server).upstream) as server:
            back = threading.Thread(target=_copy, args=(server, self.request, bytes))
            back.start()
            _copy(self.request, server, lambda data: REQUEST.sub(rb"\1 \2 HTTP/1.1\r\n", data))
            back.join()


def _copy(source: socket, target: socket, change: Callable[[bytes], bytes]) -> None:
    """Until either end is gone: a browser leaves when it likes."""
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(change(data))
    with suppress(OSError):
        target.shutdown(SHUT_WR)


@pytest.fixture
def below(tmp_path: Path) -> Iterator[str]:
    """The URL of Viva below /viva."""
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'viva.db'}", root_path="/viva")
    with embedded(settings) as site, Proxy(("127.0.0.1", 0), Relay) as proxy:
        proxy.upstream = ("127.0.0.1", urlsplit(site).port or 0)
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{proxy.server_address[1]}/viva"
        proxy.shutdown()
        thread.join()


def test_a_whole_round_works_below_a_sub_path(context: BrowserContext, below: str) -> None:
    page, faults = context.new_page(), cast(list[str], [])
    watch(page, below, faults)
    page.goto(f"{below}/")
    start(page, below)
    say(page, "I would batch them.")
    expect(turns(page)).to_have_count(3)
    finish(page)
    page.get_by_role("link", name="Read the scorecard").click()
    expect(page.get_by_role("article")).to_have_count(4)
    assert page.url.startswith(f"{below}/rounds/")
    page.close()
    assert faults == []
