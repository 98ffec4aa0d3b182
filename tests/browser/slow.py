"""A network that can become so slow that a byte takes a second, from the browser to the server."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit


class SlowNetwork:
    """Passes connections on. While `slow` is set, what the browser sends comes a byte a second."""

    def __init__(self, upstream: str) -> None:
        parts = urlsplit(upstream)
        self._upstream = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._listener = socket.socket()
        # What the kernel buffers would hide the slowness.
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(50)
        self.slow = threading.Event()
        self.fast_again = threading.Event()
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def heal(self) -> None:
        """Fast from now on."""
        self.slow.clear()
        self.fast_again.set()

    def close(self) -> None:
        self.heal()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                browser, _ = self._listener.accept()
                server = socket.create_connection(self._upstream)
                for pair in ((browser, server, True), (server, browser, False)):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, upwards: bool) -> None:
        with suppress(OSError):
            while data := source.recv(1 if upwards and self.slow.is_set() else 65536):
                target.sendall(data)
                if upwards and self.slow.is_set():
                    self.fast_again.wait(1)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextmanager
def slow_network(upstream: str) -> Iterator[SlowNetwork]:
    network = SlowNetwork(upstream)
    try:
        yield network
    finally:
        network.close()
