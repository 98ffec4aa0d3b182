"""The socket's small parts: outbox, bucket, clock, origins, log lines."""

import asyncio
import logging

import pytest

from interviewer.clock import Clock
from web.bucket import TokenBucket
from web.connection import BEAT_S, next_beat
from web.logs import LineFormatter
from web.origins import Neighbours, Origin, Refused
from web.outbox import Outbox


def test_a_frame_beyond_the_limit_is_not_queued() -> None:
    outbox = Outbox(10)
    assert outbox.put(b"12345")
    assert not outbox.put(b"123456")
    assert outbox.size == 5


async def test_a_frame_counts_until_its_write_returns() -> None:
    outbox, gate = Outbox(10), asyncio.Event()

    async def write(_: bytes) -> None:
        await gate.wait()

    outbox.put(b"1234567890")
    task = asyncio.create_task(outbox.drain(write))
    await asyncio.sleep(0)
    assert not outbox.put(b"1")
    gate.set()
    await asyncio.sleep(0)
    assert outbox.put(b"1")
    task.cancel()


async def test_frames_leave_in_order() -> None:
    outbox, written = Outbox(), list[bytes]()

    async def write(frame: bytes) -> None:
        await asyncio.sleep(0)
        written.append(frame)

    task = asyncio.create_task(outbox.drain(write))
    for number in range(100):
        outbox.put(b"%d" % number)
        if number % 7 == 0:
            await asyncio.sleep(0)
    while len(written) < 100:
        await asyncio.sleep(0)
    task.cancel()
    assert written == [b"%d" % number for number in range(100)]


async def test_an_idle_outbox_writes_at_once_and_never_past_what_waits() -> None:
    written, ready = list[bytes](), [True]

    def write_now(frame: bytes) -> bool:
        if ready[0]:
            written.append(frame)
        return ready[0]

    async def write(frame: bytes) -> None:
        written.append(frame)

    outbox = Outbox(10, write_now)
    outbox.put(b"missed")
    task = asyncio.create_task(outbox.drain(write))
    await asyncio.sleep(0)
    outbox.put(b"1")
    assert (written, outbox.size) == ([b"missed", b"1"], 0)
    ready[0] = False
    outbox.put(b"2")
    ready[0] = True
    outbox.put(b"3")
    assert written == [b"missed", b"1"]
    await asyncio.sleep(0)
    assert written == [b"missed", b"1", b"2", b"3"]
    task.cancel()


def test_a_bucket_takes_a_burst_and_then_its_rate() -> None:
    bucket = TokenBucket(rate=20, burst=60, now=0)
    assert sum(bucket.take(0) for _ in range(100)) == 60
    assert sum(bucket.take(1) for _ in range(100)) == 20


def test_a_bucket_never_holds_more_than_its_burst() -> None:
    bucket = TokenBucket(rate=20, burst=60, now=0)
    assert sum(bucket.take(1000) for _ in range(100)) == 60


@pytest.mark.parametrize(
    ("left", "wait"),
    [(180.0, BEAT_S), (100.0, 10.02), (40.0, 10.02), (10.0, 10.02), (0.0, BEAT_S)],
)
def test_the_clock_is_sent_when_a_warning_falls_due(left: float, wait: float) -> None:
    assert next_beat(Clock(180, left, 0.0, None)) == pytest.approx(wait)


def test_without_a_question_the_clock_is_the_heartbeat() -> None:
    assert next_beat(None) == BEAT_S


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("http://a.example", Origin("http", "a.example", 80)),
        ("https://a.example:8443", Origin("https", "a.example", 8443)),
        ("http://[::1]:8000", Origin("http", "::1", 8000)),
        ("null", None),
        ("http://a.example/", None),
        ("http://u@a.example", None),
        ("http://a.example:99999", None),
        ("http://", None),
        ("ftp://a.example", None),
    ],
)
def test_an_origin_is_scheme_host_and_port(text: str, origin: Origin | None) -> None:
    assert Origin.parse(text) == origin


def test_beyond_loopback_every_address_in_digits_is_ours() -> None:
    neighbours = Neighbours(any_address=True)
    assert neighbours.check_host({"host": "192.168.1.7:8000"}, "http").port == 8000
    with pytest.raises(Refused):
        neighbours.check_host({"host": "rebound.example"}, "http")


def test_a_hostile_message_stays_on_one_line_of_the_log() -> None:
    record = logging.LogRecord("web", 20, "", 1, "a\nb\x1b[31m", None, None)
    assert LineFormatter("%(message)s").format(record) == "a\\x0ab\\x1b[31m"


FORGED = "lost\n2026-11-29 INFO web: all is well\r\x1b[2J\x9b31m\u2028\u202e"


def failed(**changes: object) -> str:
    """What the log says of an exception with a hostile text, below an entry's first line."""
    try:
        raise ValueError(FORGED)
    except ValueError as error:
        record = logging.LogRecord("web", 40, "", 1, "failed", None, (ValueError, error, None))
    vars(record).update(changes)
    first, _, rest = LineFormatter("%(levelname)s %(message)s").format(record).partition("\n")
    assert first == "ERROR failed"
    return rest


@pytest.mark.parametrize("already", [None, f"ValueError: {FORGED}"])
def test_a_hostile_exception_neither_forges_an_entry_nor_steers_a_terminal(
    already: str | None,
) -> None:
    assert failed(exc_text=already) == (
        "  ValueError: lost\n  2026-11-29 INFO web: all is well\\x0d\\x1b[2J\\x9b31m\\u2028\\u202e"
    )


def test_a_hostile_stack_does_neither() -> None:
    assert failed(exc_info=None, stack_info="Stack\n\x1b[2J") == "  Stack\n  \\x1b[2J"
