"""Settings from the environment and a `.env` file, validated at start.

One precedence: flag, environment, file, default.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from interviewer.errors import ConfigError

PREFIX = "VIVA_"
FILE_SUFFIX = "_FILE"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
FOREIGN = ("VIVA_CHROMIUM", "VIVA_TEST_", "VIVA_BENCH_")
"""Names of the tests and benches, which are no settings."""

Provider = Literal["vllm", "openai", "anthropic"]
MODEL = re.compile(r"(vllm|openai|anthropic):([^@\s]+)(?:@(https?://\S+))?")
"""A model in one word: PROVIDER:MODEL, or PROVIDER:MODEL@URL."""
_LOGIN = re.compile(r"(?<=/)([^/\s@:]*):[^\s,]*@")
"""Name and password before the host of an address, also of one that is written wrongly."""
_SUB_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_HOST_NAME = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?|[0-9A-Fa-f:.]+")
_KEY = re.compile(r"[!-~]+")
"""What a header carries as it is."""
DEFAULT_URLS = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}


class Settings(BaseModel):
    """What an installation can set; every field is the environment variable VIVA_<FIELD>."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    llm: Literal["card", "vllm", "openai", "anthropic"] = "card"
    llm_base_url: str | None = None
    llm_model: str | None = None
    llm_api_key: SecretStr | None = None
    judge: Literal["rule", "vllm", "openai", "anthropic"] | None = None
    """Who scores; unset: the interviewer's model where there is one, else the rule scorer."""
    judge_base_url: str | None = None
    judge_model: str | None = None
    judge_api_key: SecretStr | None = None
    judge_repeats: int = Field(default=1, ge=1, le=9)
    """How often each judge reads a round; the majority of all votes decides."""
    judge_panel: tuple[str, ...] = ()
    """More judges, each as PROVIDER:MODEL@URL; comma-separated."""
    llm_timeout_s: float = Field(default=30.0, gt=0, le=600)
    """To the first token, and between two tokens."""
    voice: Literal["off", "whisper", "endpoint"] = "off"
    """Who turns speech into text: nobody, faster-whisper here, or VIVA_VOICE_BASE_URL."""
    voice_model: str | None = None
    """For whisper a folder or a name (unset: base); for an endpoint the model's name there."""
    voice_models: Path = Path("viva-voice")
    """Where `viva voice setup` keeps models."""
    voice_threads: int = Field(default=2, ge=1, le=64)
    voice_base_url: str | None = None
    """Of an endpoint with /audio/transcriptions; it is sent the audio."""
    voice_api_key: SecretStr | None = None
    checks: Path = Path("viva-checks.json")
    """Where `viva model check` keeps what it found."""
    database_url: str = "sqlite:///viva.db"
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    password: SecretStr | None = None
    audio_folder: Path | None = None
    """Where the sound of spoken answers is kept; unset: beside the database."""
    audio_days: int = Field(default=30, ge=1, le=3650)
    """Days after which kept sound is deleted."""
    root_path: str = ""
    """The sub-path behind a proxy, such as /viva."""
    market_cache: Path = Path("viva-market.json")
    """Where `viva market fetch` keeps the job boards' answers."""
    hosts: tuple[str, ...] = ()
    """More names that this server answers to, besides VIVA_HOST and the loopback names; comma-
    separated.
    """
    proxies: str = "127.0.0.1,::1"
    """Addresses of the reverse proxies whose X-Forwarded headers are believed; comma-separated."""
    cards: tuple[Path, ...] = ()
    """Folders of own cards, separated like PATH."""

    @field_validator("hosts", "judge_panel", mode="before")
    @classmethod
    def _split_commas(cls, value: object) -> object:
        return (
            tuple(part.strip() for part in value.split(",") if part.strip())
            if isinstance(value, str)
            else value
        )

    @field_validator("cards", mode="before")
    @classmethod
    def _split_cards(cls, value: object) -> object:
        return (
            tuple(part for part in value.split(os.pathsep) if part)
            if isinstance(value, str)
            else value
        )

    @field_validator("database_url")
    @classmethod
    def _check_database(cls, value: str) -> str:
        if not value.startswith("sqlite:///"):  # else SQLAlchemy need not be imported
            from interviewer.store.engines import parsed

            try:
                parsed(value)
            except ConfigError as error:
                raise ValueError(str(error).removeprefix("VIVA_DATABASE_URL: ")) from error
        return value

    @field_validator("root_path")
    @classmethod
    def _check_root_path(cls, value: str) -> str:
        if not _SUB_PATH.fullmatch(value):
            raise ValueError(
                "begin with a slash and end without one, such as /viva; letters and digits only"
            )
        return value

    @field_validator("hosts")
    @classmethod
    def _check_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if not _HOST_NAME.fullmatch(name):
                raise ValueError(
                    f"{name!r} is no host name; write viva.example, without scheme, port or path"
                )
        return value

    @field_validator("proxies")
    @classmethod
    def _check_proxies(cls, value: str) -> str:
        for part in value.split(","):
            if not _is_network(part.strip()):
                raise ValueError(
                    f"{part.strip()!r} is no address; write such as 172.18.0.2 or 172.18.0.0/16"
                )
        return value

    @field_validator("llm_api_key", "judge_api_key", "voice_api_key")
    @classmethod
    def _check_key(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not _KEY.fullmatch(value.get_secret_value()):
            raise ValueError(
                "it is empty, or holds a space, a line break or a sign that no key has; "
                "copy it again"
            )
        return value

    @field_validator("password")
    @classmethod
    def _check_password(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < 8:
            raise ValueError("too short; take at least 8 characters")
        return value

    @model_validator(mode="after")
    def _check_whole(self) -> "Settings":
        if not is_loopback(self.host) and self.password is None:
            raise ValueError(
                f"VIVA_HOST={self.host} lets other machines in, so a password is needed: set "
                "VIVA_PASSWORD (8 characters or more), or VIVA_HOST=127.0.0.1"
            )
        self.endpoint()
        self.judge_endpoints()
        self.voice_endpoint()
        return self

    def endpoint(self) -> "Endpoint | None":
        """The interviewer's model; None for the card interviewer."""
        if self.llm == "card":
            return None
        return _endpoint("VIVA_LLM", self.llm, self.llm_base_url, self.llm_model, self.llm_api_key)

    def judge_endpoint(self) -> "Endpoint | None":
        """The judge's model; None for the rule scorer.

        What is not set for the judge is taken from the interviewer; a key only at its address.
        """
        provider = self.judge or ("rule" if self.llm == "card" else self.llm)
        if provider == "rule":
            if self.judge_model or self.judge_base_url:
                raise ValueError(
                    "a judge's model is set but not its kind: "
                    "set VIVA_JUDGE to vllm, openai or anthropic"
                )
            return None
        same = provider == self.llm
        here = same and self.judge_base_url in (None, self.llm_base_url)
        return _endpoint(
            "VIVA_JUDGE",
            provider,
            self.judge_base_url or (self.llm_base_url if same else None),
            self.judge_model or (self.llm_model if same else None),
            self.judge_api_key or (self.llm_api_key if here else None),
        )

    def judge_endpoints(self) -> "tuple[Endpoint, ...]":
        """All judges' models, the panel's after the first; empty for the rule scorer."""
        first = self.judge_endpoint()
        if first is None:
            if self.judge_panel or self.judge_repeats > 1:
                raise ValueError(
                    "VIVA_JUDGE_PANEL and VIVA_JUDGE_REPEATS need a judge that is a model: "
                    "set VIVA_JUDGE to vllm, openai or anthropic"
                )
            return ()
        known = [end for end in (first, self.endpoint()) if end]
        return (first, *(_panellist(spec, known) for spec in self.judge_panel))

    def voice_endpoint(self) -> "VoiceEndpoint | None":
        """Where audio is sent to be transcribed; None where it stays on this machine."""
        if self.voice != "endpoint":
            return None
        key = self.voice_api_key.get_secret_value() if self.voice_api_key else "none"
        address = _address("VIVA_VOICE", self.voice, self.voice_base_url, self.voice_model)
        return VoiceEndpoint(*address, key)


def _panellist(spec: str, known: Sequence["Endpoint"]) -> "Endpoint":
    """A judge of the panel; a key goes only to the address that it was set for."""
    found = MODEL.fullmatch(spec)
    if not found:
        raise ValueError(
            f"VIVA_JUDGE_PANEL: {spec!r} names no model; write it as PROVIDER:MODEL@URL, "
            "such as vllm:Qwen/Qwen3-8B@http://127.0.0.1:8001/v1"
        )
    kind, model, url = found.groups()
    provider: Provider = kind  # type: ignore[assignment]  # the pattern allows these three only
    url = url or DEFAULT_URLS.get(kind)
    keys = [end.api_key for end in known if (end.provider, end.base_url) == (kind, url)]
    return _endpoint("VIVA_JUDGE", provider, url, model, SecretStr(keys[0]) if keys else None)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model to call: provider, base URL, model name, key."""

    provider: Provider
    base_url: str
    model: str
    api_key: str


@dataclass(frozen=True, slots=True)
class VoiceEndpoint:
    """A recogniser to call: base URL, model name, key."""

    base_url: str
    model: str
    api_key: str


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a setting's value came from, for `viva config show`."""

    name: str
    value: str
    source: str


def load_settings(
    env: dict[str, str] | None = None, folder: Path | None = None, **flags: object
) -> Settings:
    """The settings of this start. Raises ConfigError, which says what to set."""
    raw = _gather(env, folder, flags)
    try:
        return Settings(**{name: value for name, (value, _) in raw.items()})
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(fault, raw) for fault in error.errors())) from error


def show_settings(env: dict[str, str] | None = None, folder: Path | None = None) -> list[Origin]:
    """Each setting with its value (secrets hidden) and where it came from."""
    settings, raw = load_settings(env, folder), _gather(env, folder, {})
    return [
        Origin(
            PREFIX + name.upper(),
            _shown(getattr(settings, name)),
            raw[name][1] if name in raw else "default",
        )
        for name in Settings.model_fields
    ]


def _gather(
    env: dict[str, str] | None, folder: Path | None, flags: Mapping[str, object]
) -> dict[str, tuple[Any, str]]:
    """Raw values by field with their source, the strongest last."""
    dotenv = (folder or Path.cwd()) / ".env"
    found = _named(_dotenv(dotenv), str(dotenv))
    found |= _named(dict(os.environ) if env is None else env, "environment")
    found |= {name: (value, "flag") for name, value in flags.items() if value is not None}
    return found


def _dotenv(path: Path) -> Mapping[str, str | None]:
    try:
        text = path.read_text(encoding="utf-8-sig") if path.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); make it a readable text") from error
    for binding in parse_stream(StringIO(text)):
        if binding.error:
            line = binding.original.line
            raise ConfigError(f"{path}:{line}: cannot be read; write NAME=value, and close quotes")
    return dotenv_values(stream=StringIO(text))


def _named(variables: Mapping[str, str | None], source: str) -> dict[str, tuple[Any, str]]:
    found: dict[str, tuple[Any, str]] = {}
    for variable, value in variables.items():
        if not variable.startswith(PREFIX) or variable.startswith(FOREIGN) or not value:
            continue
        name = variable.removeprefix(PREFIX).lower()
        if name in Settings.model_fields:
            found[name] = (value, source)
        elif name.endswith("_file") and name.removesuffix("_file") in Settings.model_fields:
            _check_not_twice(variable, variables)
            found[name.removesuffix("_file")] = (_file_text(variable, value), f"file {value}")
        else:
            _refuse_misspelt(variable, source)
    return found


def _check_not_twice(variable: str, variables: Mapping[str, str | None]) -> None:
    plain = variable.removesuffix(FILE_SUFFIX)
    if variables.get(plain):
        raise ConfigError(f"{plain} and {variable} are both set; keep one")


def _file_text(variable: str, path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{variable}={path}: cannot be read ({error}); name a readable text file"
        ) from error


def _refuse_misspelt(variable: str, source: str) -> None:
    names = [PREFIX + name.upper() for name in Settings.model_fields]
    if near := get_close_matches(variable, names, n=1, cutoff=0.8):
        raise ConfigError(f"{variable} ({source}) is no setting; did you mean {near[0]}?")


def _explain(fault: ErrorDetails, raw: dict[str, tuple[Any, str]]) -> str:
    if not fault["loc"]:
        return fault["msg"].removeprefix("Value error, ")
    name = str(fault["loc"][0])
    value, source = raw.get(name, ("", "default"))
    secret = name.endswith(("password", "api_key"))
    shown = "" if secret else f"={_shown(value)}"
    message = fault["msg"].removeprefix("Value error, ")
    return f"{PREFIX}{name.upper()}{shown} ({source}): {message}"


def _shown(value: object) -> str:
    if isinstance(value, SecretStr):
        return "********"
    if isinstance(value, tuple):
        return os.pathsep.join(map(_shown, value))
    return "" if value is None else _LOGIN.sub(r"\1:********@", str(value))


def _endpoint(
    prefix: str,
    provider: Provider,
    base_url: str | None,
    model: str | None,
    api_key: SecretStr | None,
) -> Endpoint:
    base_url, model = _address(prefix, provider, base_url or DEFAULT_URLS.get(provider), model)
    if provider != "vllm" and api_key is None:
        raise ValueError(f"{prefix}={provider} needs {prefix}_API_KEY (or {prefix}_API_KEY_FILE)")
    return Endpoint(provider, base_url, model, api_key.get_secret_value() if api_key else "none")


def is_http(url: str) -> bool:
    """Whether a text is an address that can be asked over HTTP."""
    try:
        parts = urlsplit(url)
        sound = _KEY.fullmatch(url) and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(sound)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server that listens there."""
    from ipaddress import ip_address

    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _is_network(text: str) -> bool:
    """Whether uvicorn takes a text for addresses; any other it compares with them, and in vain."""
    from ipaddress import ip_network

    try:
        return text == "*" or bool(ip_network(text))
    except ValueError:
        return False


def _address(prefix: str, kind: str, base_url: str | None, model: str | None) -> tuple[str, str]:
    """Base URL and model, both set and sound."""
    if not base_url:
        raise ValueError(
            f"{prefix}={kind} needs {prefix}_BASE_URL, such as http://127.0.0.1:8001/v1"
        )
    if not is_http(base_url):
        raise ValueError(
            f"{prefix}_BASE_URL={_shown(base_url)}: begin with http:// or https://, then a host"
        )
    if not model:
        raise ValueError(f"{prefix}={kind} needs {prefix}_MODEL, the model's name at {base_url}")
    return base_url, model
