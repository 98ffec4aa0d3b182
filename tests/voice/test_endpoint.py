"""The endpoint adapter against a scripted server: words, no words, refusals and nonsense."""

import io
import json
import wave
from collections.abc import Callable, Sequence

import httpx2
import pytest

from interviewer.errors import VoiceError
from interviewer.heard import Span
from interviewer.voice.endpoint import EndpointRecogniser

RATE = 16_000
PCM = b"\1\0" * (20 * RATE)


class Ears:
    """Has heard speech where it was told to."""

    def __init__(self, *speech: tuple[float, float]) -> None:
        self._speech = tuple(Span(start=start, end=end) for start, end in speech)

    async def speech(self, pcm: bytes) -> tuple[Span, ...]:
        return self._speech

    async def aclose(self) -> None:
        pass


class Server:
    """Answers request by request; the last answer stays."""

    def __init__(self, *answers: tuple[int, object]) -> None:
        self.answers = list(answers)
        self.requests: list[httpx2.Request] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        status, body = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return httpx2.Response(status, content=raw)


Handler = Callable[[httpx2.Request], httpx2.Response]


def recogniser(server: Handler, speech: Sequence[tuple[float, float]]) -> EndpointRecogniser:
    return EndpointRecogniser(
        "http://endpoint.test/v1/",
        "whisper-1",
        "secret",
        ears=Ears(*speech),
        client=httpx2.AsyncClient(transport=httpx2.MockTransport(server)),
    )


def sent_audio(request: httpx2.Request) -> wave.Wave_read:
    body = request.content
    return wave.open(io.BytesIO(body[body.index(b"RIFF") :]), "rb")


def words(*timed: tuple[str, float, float]) -> dict[str, object]:
    found = [{"word": word, "start": start, "end": end} for word, start, end in timed]
    return {"text": " ".join(word for word, _, _ in timed), "words": found}


async def test_words_get_their_time_in_the_whole_answer() -> None:
    server = Server((200, words(("Forty", 0.3, 0.6))), (200, words(("tokens", 0.3, 0.8))))
    heard = await recogniser(server, [(2, 4), (12, 14)]).transcribe(PCM, "Um, FP8")
    assert heard.text == "Forty tokens"
    assert [(word.text, word.start) for word in heard.words] == [("Forty", 2.0), ("tokens", 12.0)]
    request = server.requests[0]
    assert str(request.url) == "http://endpoint.test/v1/audio/transcriptions"
    assert request.headers["authorization"] == "Bearer secret"
    assert b"Um, FP8" in request.content
    audio = sent_audio(request)
    assert (audio.getframerate(), audio.getnframes()) == (RATE, 2.6 * RATE)


async def test_without_speech_nothing_is_sent() -> None:
    server = Server((200, {"text": "Thanks for watching!"}))
    heard = await recogniser(server, []).transcribe(PCM)
    assert (heard.text, server.requests, heard.seconds) == ("", [], 20.0)


async def test_an_endpoint_that_refuses_times_is_asked_for_plain_json_from_then_on() -> None:
    refused = (400, {"error": "verbose_json is not supported"})
    server = Server(refused, (200, {"text": "Forty tokens."}))
    listening = recogniser(server, [(2, 4)])
    for _ in range(2):
        heard = await listening.transcribe(PCM)
        assert (heard.text, heard.words) == ("Forty tokens.", ())
    forms = [b"verbose_json" in request.content for request in server.requests]
    assert forms == [True, False, False]


async def test_words_without_times_are_left_out() -> None:
    server = Server((200, {"text": "Forty tokens.", "words": [{"word": "Forty", "start": None}]}))
    heard = await recogniser(server, [(2, 4)]).transcribe(PCM)
    assert (heard.text, heard.words) == ("Forty tokens.", ())


async def test_what_cannot_be_stored_is_replaced() -> None:
    server = Server((200, b'{"text": "forty \\ud800 tokens"}'))
    assert (await recogniser(server, [(2, 4)]).transcribe(PCM)).text == "forty ? tokens"


async def test_what_the_endpoint_itself_takes_for_silence_is_dropped() -> None:
    segments = [{"no_speech_prob": 0.9, "text": "Thanks for watching!"}]
    server = Server((200, {"text": "Thanks for watching!", "segments": segments}))
    assert (await recogniser(server, [(2, 4)]).transcribe(PCM)).text == ""


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((401, {"error": "no key"}), "HTTP 401"),
        ((500, b"<html>"), "HTTP 500"),
        ((200, b"<html>"), "did not answer with JSON"),
        ((200, {"text": 7}), "did not answer with JSON"),
        ((200, [1]), "did not answer with JSON"),
        ((200, b'{"text": "' + b"a" * 5_000_000 + b'"}'), "longer than a transcript"),
    ],
)
async def test_a_bad_reply_is_told(answer: tuple[int, object], says: str) -> None:
    with pytest.raises(VoiceError, match=says) as caught:
        await recogniser(Server(answer), [(2, 4)]).transcribe(PCM)
    assert caught.value.kind == "endpoint"


@pytest.mark.parametrize(
    ("error", "kind"),
    [(httpx2.ConnectError("refused"), "endpoint"), (httpx2.ReadTimeout("slow"), "timeout")],
)
async def test_an_endpoint_that_is_away_keeps_the_audio(
    error: httpx2.TransportError, kind: str
) -> None:
    def fail(_: httpx2.Request) -> httpx2.Response:
        raise error

    with pytest.raises(VoiceError, match="audio is kept") as caught:
        await recogniser(fail, [(2, 4)]).transcribe(PCM)
    assert caught.value.kind == kind
