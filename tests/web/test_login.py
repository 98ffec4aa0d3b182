"""The password: sessions, cookies, and the brake on guessing."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from interviewer.settings import Settings
from interviewer.store import EventStore
from tests.web.rig import LIBRARY, Script, viva_of
from web.app import create_app
from web.login import COOKIE, FREE_TRIES, TRY_EVERY_S, Sessions, Throttle

PASSWORD = "correct horse"


@pytest.fixture
def sessions() -> Sessions:
    return Sessions(PASSWORD, b"secret of this installation")


@pytest.fixture
def client(store: EventStore) -> Iterator[TestClient]:
    settings = Settings(hosts=("testserver",), password=PASSWORD)
    app = create_app(settings, viva_of(settings, store, Script(), LIBRARY))
    with TestClient(app, follow_redirects=False) as client:
        yield client


def test_a_token_that_we_issued_is_valid(sessions: Sessions) -> None:
    assert sessions.is_valid(sessions.issue())


def test_two_logins_get_two_tokens(sessions: Sessions) -> None:
    assert sessions.issue() != sessions.issue()


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "\0", "é"])
def test_a_made_up_token_is_not(sessions: Sessions, token: str) -> None:
    assert not sessions.is_valid(token)


def test_a_new_password_ends_every_session(sessions: Sessions) -> None:
    token = sessions.issue()
    assert not Sessions("another horse", b"secret of this installation").is_valid(token)


def test_another_installation_does_not_know_the_token(sessions: Sessions) -> None:
    assert not Sessions(PASSWORD, b"another secret").is_valid(sessions.issue())


def test_wrong_passwords_are_slowed_down_by_address() -> None:
    now = [0.0]
    throttle = Throttle(lambda: now[0])
    for _ in range(FREE_TRIES):
        assert throttle.wait("10.0.0.1") == 0
        throttle.failed("10.0.0.1")
    assert throttle.wait("10.0.0.1") == TRY_EVERY_S
    assert throttle.wait("10.0.0.2") == 0
    now[0] += TRY_EVERY_S
    assert throttle.wait("10.0.0.1") == 0


def test_a_throttled_address_is_refused_even_the_right_password(sessions: Sessions) -> None:
    for _ in range(FREE_TRIES):
        sessions.admits("wrong", "10.0.0.1")
    assert not sessions.admits(PASSWORD, "10.0.0.1")
    assert sessions.admits(PASSWORD, "10.0.0.2")


def test_the_throttle_does_not_grow_without_bound() -> None:
    now = [0.0]
    throttle = Throttle(lambda: now[0], capacity=10)
    for number in range(1000):
        now[0] += TRY_EVERY_S
        throttle.failed(str(number))
    assert len(throttle._spent) <= 10


def test_many_addresses_at_once_neither_fill_the_throttle_nor_free_who_is_slowed_down() -> None:
    throttle = Throttle(lambda: 0.0, capacity=10)
    for _ in range(FREE_TRIES):
        throttle.failed("10.0.0.1")
    for number in range(1000):
        throttle.failed(str(number))
    assert len(throttle._spent) == 10
    assert throttle.wait("10.0.0.1") == TRY_EVERY_S


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("::ffff:10.0.0.1", "::ffff:10.0.0.2", False),
        ("10.0.0.1", "10.0.0.2", False),
        ("testclient", "elsewhere", False),
    ],
)
def test_the_addresses_of_one_ipv6_network_share_their_guesses(
    one: str, other: str, together: bool
) -> None:
    throttle = Throttle(lambda: 0.0)
    for _ in range(FREE_TRIES):
        throttle.failed(one)
    assert bool(throttle.wait(other)) is together


def test_the_right_password_logs_in_and_leads_on(client: TestClient) -> None:
    answer = client.post("/login", data={"password": PASSWORD, "next": "/rounds?x=1"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/rounds?x=1")
    assert client.get("/api/questions").status_code == 200


def test_the_cookie_is_out_of_reach_for_scripts_and_other_sites(client: TestClient) -> None:
    cookie = client.post("/login", data={"password": PASSWORD}).headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie


def test_over_https_the_cookie_is_for_https_only(client: TestClient) -> None:
    client.base_url = "https://testserver"
    assert "Secure" in client.post("/login", data={"password": PASSWORD}).headers["set-cookie"]


def test_a_wrong_password_says_so(client: TestClient) -> None:
    answer = client.post("/login", data={"password": "wrong horse"})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


def test_too_many_wrong_passwords_must_wait(client: TestClient) -> None:
    for _ in range(FREE_TRIES):
        client.post("/login", data={"password": "wrong horse"})
    answer = client.post("/login", data={"password": PASSWORD})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize(
    "onward",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "/a\r\nset-cookie: x",
        "evil",
        "",
    ],
)
def test_the_login_leads_to_no_other_site(client: TestClient, onward: str) -> None:
    answer = client.post("/login", data={"password": PASSWORD, "next": onward})
    assert answer.headers["location"] == "/"


def test_logging_out_forgets_the_session(client: TestClient) -> None:
    client.post("/login", data={"password": PASSWORD})
    client.post("/logout")
    assert client.get("/api/questions").status_code == 401


def test_a_login_from_another_site_is_refused(client: TestClient) -> None:
    headers = {"origin": "http://evil.example"}
    assert client.post("/login", data={"password": PASSWORD}, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "others", ['prefs={"a": 1}; ', "a b=c; ", 'open="quote; ', "path=/; ", "x=1; é=2; "]
)
def test_cookies_of_other_applications_on_the_host_do_not_log_out(
    sessions: Sessions, others: str
) -> None:
    headers = {"cookie": f"{others}{COOKIE}={sessions.issue()}"}
    assert sessions.recognise(headers, "10.0.0.1")
