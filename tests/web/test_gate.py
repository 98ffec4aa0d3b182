"""The gate: who may talk to the server, over HTTP and over sockets alike."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

import pytest
from starlette.routing import BaseRoute, WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import Message, Scope
from websockets.exceptions import InvalidStatus

from interviewer.settings import Settings
from interviewer.store import EventStore
from tests.web.rig import LIBRARY, Rig, Script, receive, rig, viva_of
from web.app import GatedApp, create_app
from web.gate import HEADERS, OPEN_PATHS

PASSWORD = "correct horse"
FOREIGN = {
    "another site": "http://evil.example",
    "null": "null",
    "empty": "",
    "a longer host": "http://testserver.evil.example",
    "our host as a user name": "http://testserver@evil.example",
    "another port": "http://testserver:8080",
    "another scheme": "https://testserver",
    "with a path": "http://testserver/",
    "a file": "file://",
    "two origins": "http://testserver http://testserver",
}


@pytest.fixture
def app(store: EventStore) -> GatedApp:
    settings = Settings(hosts=("testserver",))
    return create_app(settings, viva_of(settings, store, Script(), LIBRARY))


@pytest.fixture
def locked(store: EventStore) -> GatedApp:
    settings = Settings(hosts=("testserver",), password=PASSWORD)
    return create_app(settings, viva_of(settings, store, Script(), LIBRARY))


@pytest.fixture
def client(app: GatedApp) -> Iterator[TestClient]:
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def stranger(locked: GatedApp) -> Iterator[TestClient]:
    with TestClient(locked, raise_server_exceptions=False, follow_redirects=False) as client:
        yield client


@pytest.mark.parametrize("origin", FOREIGN.values(), ids=FOREIGN)
def test_fault_36_a_foreign_page_cannot_post(client: TestClient, origin: str) -> None:
    answer = client.post("/api/rounds", json={"card": "INF-001"}, headers={"origin": origin})
    assert answer.status_code == 403


@pytest.mark.parametrize("origin", FOREIGN.values(), ids=FOREIGN)
async def test_fault_36_a_foreign_page_cannot_open_a_socket(running: Rig, origin: str) -> None:
    session = await running.start()
    headers = {"origin": origin.replace("testserver", running.url.removeprefix("http://"))}
    with pytest.raises(InvalidStatus) as refused:
        await running.live(session.id, additional_headers=headers)
    assert refused.value.response.status_code == 403


async def test_our_own_page_can_open_a_socket(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id, origin=running.url) as socket:
        assert (await receive(socket))["type"] == "hello"


@pytest.mark.parametrize("site", ["cross-site", "same-site", "none"])
def test_fault_36_the_browser_says_that_it_is_another_site(client: TestClient, site: str) -> None:
    headers = {"origin": "http://testserver", "sec-fetch-site": site}
    assert client.post("/api/rounds", json={}, headers=headers).status_code == 403


def test_fault_36_a_browser_that_names_no_origin_is_refused(client: TestClient) -> None:
    headers = {"sec-fetch-mode": "websocket"}
    assert client.post("/api/rounds", json={}, headers=headers).status_code == 403


def test_a_program_that_is_no_browser_needs_no_origin(client: TestClient) -> None:
    assert client.post("/api/rounds", json={"card": "INF-001"}).status_code == 201


def test_our_own_page_can_post(client: TestClient) -> None:
    headers = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}
    answer = client.post("/api/rounds", json={"card": "INF-001"}, headers=headers)
    assert answer.status_code == 201


@pytest.mark.parametrize(
    "host",
    ["evil.example", "localhost.evil.example", "8.8.8.8", "a/b?", "", "[::2]", "x@localhost"],
)
def test_a_host_that_is_not_ours_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:9", "LOCALHOST"])
def test_this_machine_is_ours(client: TestClient, host: str) -> None:
    assert client.get("/healthz", headers={"host": host}).status_code == 200


async def test_a_header_that_comes_twice_is_refused(app: GatedApp) -> None:
    twice = [(b"host", b"testserver"), (b"host", b"localhost")]
    assert (await ask(app, http("/healthz", headers=twice)))["status"] == 400


def every_route(routes: Iterable[BaseRoute]) -> Iterator[tuple[str, BaseRoute]]:
    """All routes of an application with their paths, an x for each parameter."""
    for route in routes:
        if (included := getattr(route, "original_router", None)) is not None:
            yield from every_route(included.routes)
        else:
            yield re.sub(r"{[^}]*}", "x", getattr(route, "path", "")), route


async def ask(app: GatedApp, scope: Scope) -> Message:
    """The first message that the application sends in answer to a bare scope."""
    sent: list[Message] = []

    async def receive() -> Message:
        kind = "websocket.connect" if scope["type"] == "websocket" else "http.request"
        return {"type": kind, "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    return sent[0]


def http(path: str, method: str = "GET", headers: list[tuple[bytes, bytes]] | None = None) -> Any:
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "headers": [(b"host", b"testserver")] if headers is None else headers,
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
        "http_version": "1.1",
        "state": {},
        "extensions": {},
    }


def websocket(path: str, headers: list[tuple[bytes, bytes]] | None = None) -> Any:
    extensions: dict[str, Any] = {"websocket.http.response": {}}
    scope = http(path, headers=headers) | {"type": "websocket", "scheme": "ws"}
    return scope | {"extensions": extensions, "subprotocols": []}


def scopes(path: str, route: BaseRoute, headers: list[tuple[bytes, bytes]]) -> list[Scope]:
    """A request by each method that a route takes."""
    if isinstance(route, WebSocketRoute):
        return [websocket(path, headers)]
    methods = getattr(route, "methods", None) or {"GET"}
    return [http(path, method, headers) for method in sorted(methods)]


def is_unsafe(scope: Scope) -> bool:
    return scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD", "OPTIONS")


async def test_fault_35_every_route_is_behind_the_session(locked: GatedApp) -> None:
    guarded = 0
    async with locked.router.lifespan_context(locked):
        for path, route in every_route(locked.router.routes):
            if path in OPEN_PATHS or path.startswith("/static"):
                continue
            for scope in scopes(path, route, [(b"host", b"testserver")]):
                assert (await ask(locked, scope))["status"] in (401, 403), path
                guarded += 1
    assert guarded > 25


async def test_fault_36_every_route_is_behind_the_origin_check(app: GatedApp) -> None:
    headers = [(b"host", b"testserver"), (b"origin", b"http://evil.example")]
    guarded = 0
    async with app.router.lifespan_context(app):
        for path, route in every_route(app.router.routes):
            for scope in filter(is_unsafe, scopes(path, route, headers)):
                assert (await ask(app, scope))["status"] == 403, path
                guarded += 1
    assert guarded > 8


async def test_fault_35_a_path_that_does_not_exist_is_guarded_too(locked: GatedApp) -> None:
    async with locked.router.lifespan_context(locked):
        first = await ask(locked, websocket("/terminal/ws"))
    assert (first["type"], first["status"]) == ("websocket.http.response.start", 403)


@pytest.mark.parametrize(
    "path", ["/", "/nope", "/healthz", "/openapi.json", "/api/questions", "/static/nope"]
)
def test_every_answer_carries_the_security_headers(client: TestClient, path: str) -> None:
    answer = client.get(path)
    for name, value in HEADERS:
        assert answer.headers.get_list(name) == [value], (path, name)


def test_an_error_of_ours_carries_the_security_headers(app: GatedApp) -> None:
    @app.get("/boom")
    async def boom() -> None:
        raise ZeroDivisionError

    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.get("/boom")
    assert answer.status_code == 500
    assert "content-security-policy" in answer.headers
    assert answer.json()["code"] == "server_error"


def test_a_refusal_carries_the_security_headers(client: TestClient) -> None:
    answer = client.get("/", headers={"host": "evil.example"})
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_policy_allows_nothing_inline_and_nobody_else() -> None:
    policy = dict(HEADERS)["content-security-policy"]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


def test_https_is_kept_once_it_was_used(app: GatedApp) -> None:
    with TestClient(app, base_url="https://testserver") as client:
        assert "max-age" in client.get("/healthz").headers["strict-transport-security"]


def test_plain_http_asks_for_no_https(client: TestClient) -> None:
    assert "strict-transport-security" not in client.get("/healthz").headers


def test_a_body_that_is_too_big_is_refused(client: TestClient) -> None:
    answer = client.post("/api/rounds", content=b"x" * 600_000, headers={"content-type": "a/b"})
    assert answer.status_code == 413


def test_a_body_that_grows_too_big_is_refused(client: TestClient) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * 10_000

    headers = {"content-type": "application/json"}
    assert client.post("/api/rounds", content=chunks(), headers=headers).status_code == 413


def test_a_stranger_is_sent_to_the_login_page(stranger: TestClient) -> None:
    answer = stranger.get("/rounds?x=1", headers={"accept": "text/html"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?next=%2Frounds%3Fx%3D1"


def test_a_form_whose_session_has_ended_leads_to_the_login_page(stranger: TestClient) -> None:
    answer = stranger.post("/rounds", headers={"accept": "text/html"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=%2F")


def test_static_files_are_kept_by_their_hash_and_pages_are_not(client: TestClient) -> None:
    page = client.get("/")
    sheet = re.search(r'/static/[^"]+\.css', page.text)
    assert sheet is not None
    assert "immutable" in client.get(sheet.group()).headers["cache-control"]
    assert "no-cache" in page.headers["cache-control"]
    assert "no-cache" in client.get("/static/nope").headers["cache-control"]


def test_a_program_is_told_to_log_in(stranger: TestClient) -> None:
    answer = stranger.get("/api/questions")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_the_password_as_a_bearer_token_lets_in(stranger: TestClient) -> None:
    headers = {"authorization": f"Bearer {PASSWORD}"}
    assert stranger.get("/api/questions", headers=headers).status_code == 200


def test_a_wrong_bearer_token_does_not(stranger: TestClient) -> None:
    headers = {"authorization": "Bearer wrong horse"}
    assert stranger.get("/api/questions", headers=headers).status_code == 401


def test_health_and_login_are_open(stranger: TestClient) -> None:
    assert stranger.get("/healthz").status_code == 200
    assert stranger.get("/login").status_code == 200


@pytest.fixture
async def locked_rig(store: EventStore) -> AsyncIterator[Rig]:
    async with rig(store, password=PASSWORD) as made:
        yield made


async def test_fault_35_a_socket_without_a_session_is_refused(locked_rig: Rig) -> None:
    session = await locked_rig.start()
    with pytest.raises(InvalidStatus) as refused:
        await locked_rig.live(session.id)
    assert refused.value.response.status_code == 403


async def test_a_socket_with_the_password_is_let_in(locked_rig: Rig) -> None:
    session = await locked_rig.start()
    headers = {"authorization": f"Bearer {PASSWORD}"}
    async with locked_rig.live(session.id, additional_headers=headers) as socket:
        assert (await receive(socket))["type"] == "hello"


async def test_a_proxy_on_this_machine_may_say_that_it_was_https(running: Rig) -> None:
    session = await running.start()
    origin = running.url.replace("http", "https")
    headers = {"x-forwarded-proto": "https"}
    async with running.live(session.id, origin=origin, additional_headers=headers) as socket:
        assert (await receive(socket))["type"] == "hello"


async def test_without_the_proxys_word_it_was_not_https(running: Rig) -> None:
    session = await running.start()
    with pytest.raises(InvalidStatus):
        await running.live(session.id, origin=running.url.replace("http", "https"))


def test_every_link_by_name_leads_to_one_route_only(app: GatedApp) -> None:
    """Two routes of one name would send a page's link to the wrong one, such as the JSON."""
    names = [getattr(route, "name", "") for _, route in every_route(app.router.routes)]
    assert [name for name, times in Counter(names).items() if times > 1] == []
