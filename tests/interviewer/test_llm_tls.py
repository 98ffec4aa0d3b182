"""Replies over TLS, from an endpoint whose certificate a private authority signed: itself."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from interviewer.errors import LLMError
from tests.interviewer.wires import (
    HEAD,
    REQUEST,
    WIRES,
    Behaviour,
    Wire,
    connected,
    framed,
)

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name),
]
WORDS = [f"word {number:05} " for number in range(2_000)]


@pytest.fixture(scope="module", params=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, bool]]:
    """`viva serve` runs on uvloop, which has a TLS of its own; `viva score` on asyncio's."""
    return "asyncio", {"use_uvloop": request.param == "uvloop"}


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PEM file with a fresh key and its self-signed certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "private")])
    now = datetime.now(UTC)
    usage = dict.fromkeys(
        (
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "crl_sign",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
        .add_extension(x509.KeyUsage(digital_signature=True, key_cert_sign=True, **usage), True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path_factory.mktemp("tls") / "endpoint.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem.write_bytes(private + signed.public_bytes(Encoding.PEM))
    return pem


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    """The endpoint's side."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def streaming(wire: Wire, piece: int, first: asyncio.Event) -> Behaviour:
    """The first word; once it was heard all others, in pieces of so many bytes."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        chunks = [*wire.start(), *wire.text(*WORDS), *wire.end()]
        others = 1 + next(n for n, chunk in enumerate(chunks) if WORDS[0].encode() in chunk)
        writer.write(HEAD + b"".join(framed(chunk) for chunk in chunks[:others]))
        await first.wait()
        rest = b"".join(framed(chunk) for chunk in chunks[others:]) + b"0\r\n\r\n"
        for at in range(0, len(rest), piece):
            writer.write(rest[at : at + piece])
            await asyncio.sleep(0)
        await writer.drain()

    return behave


@pytest.mark.parametrize("piece", [37, 1 << 20], ids=["small", "coalesced"])
async def test_every_word_is_heard_over_tls_in_the_call_that_read_it(
    wire: Wire,
    piece: int,
    certificate: Path,
    tls: ssl.SSLContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    first = asyncio.Event()
    heard: list[str] = []
    tasks: set[asyncio.Task[object] | None] = set()

    def hear(text: str) -> None:
        heard.append(text)
        if first.is_set():
            tasks.add(asyncio.current_task())
        first.set()

    async with connected(wire, streaming(wire, piece, first), tls=tls) as (llm, _):
        reply = await llm.reply(REQUEST, hear)
    assert heard == WORDS
    assert reply.text == "".join(WORDS)
    assert tasks == {None}


async def test_a_certificate_that_nothing_vouches_for_is_refused(
    wire: Wire, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    async with connected(wire, streaming(wire, 37, asyncio.Event()), tls=tls) as (llm, served):
        with pytest.raises(LLMError, match="certificate") as caught:
            await llm.reply(REQUEST)
    assert caught.value.kind == "unreachable"
    assert served.requests == 0
