"""A model hub on this machine: the few answers of the Hugging Face hub that a download needs."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

COMMIT = "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66"


@dataclass
class Hub:
    """What is served: the files of a repository, and what is wrong with it."""

    files: Mapping[str, bytes]
    status: int = 200
    cut: int = 0
    """Bytes that are missing at the end of model.bin."""
    changed: bool = False
    """Whether model.bin is not what its hash says."""
    asked: list[str] = field(default_factory=list)


class _Server(ThreadingHTTPServer):
    hub: Hub


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def log_message(self, *given: object) -> None:
        pass

    def _answer(self) -> None:
        path, hub = urlsplit(self.path).path, self.server.hub
        hub.asked.append(path)
        if hub.status != 200:
            self._send(hub.status, b"{}")
        elif "/tree/" in path:
            files = hub.files.items()
            listed = [{"type": "file", "path": n, "size": len(c), "oid": COMMIT} for n, c in files]
            self._send(200, json.dumps(listed).encode())
        elif path.startswith("/api/models/"):
            about = {"id": "Systran/faster-whisper-base", "sha": COMMIT, "siblings": []}
            self._send(200, json.dumps(about).encode())
        else:
            self._file(path.rpartition("/")[2])

    def _file(self, name: str) -> None:
        hub = self.server.hub
        content = hub.files.get(name)
        if content is None:
            self._send(404, b"")
            return
        headers = {"ETag": f'"{hashlib.sha256(content).hexdigest()}"', "X-Repo-Commit": COMMIT}
        large = name == "model.bin"
        if large and hub.changed:
            content = content[:-1] + bytes([content[-1] ^ 1])
        self._send(200, content, headers, cut=hub.cut if large else 0)

    def _send(
        self, status: int, content: bytes, headers: Mapping[str, str] | None = None, cut: int = 0
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content[: len(content) - cut])
        self.close_connection = bool(cut)


@contextmanager
def serving(hub: Hub) -> Iterator[str]:
    """The hub's address, as long as the block lasts."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.hub = hub
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
