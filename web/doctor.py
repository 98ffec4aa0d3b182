"""What is usable here, and why not: settings, cards, database, models, voice, browser."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Literal

from sqlalchemy.engine import make_url

from interviewer.assembly import Viva, load_cards, open_viva, try_model
from interviewer.errors import ConfigError, InterviewerError, VoiceError
from interviewer.heard import SAMPLE_BYTES, SAMPLE_RATE
from interviewer.llm.protocol import LLM
from interviewer.settings import Settings, load_settings
from interviewer.store import EventReader, describe
from interviewer.voice.build import build_recogniser
from web.rendering import STATIC

State = Literal["ok", "absent", "broken"]
SECOND = SAMPLE_RATE * SAMPLE_BYTES
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True, slots=True)
class Check:
    """One part: usable, absent without harm, or broken, with what was found or what to do."""

    part: str
    state: State
    detail: str


async def examine() -> list[Check]:
    """Look at every part; a part that rests on a broken one is left out."""
    try:
        settings = load_settings()
    except ConfigError as error:
        return [Check("settings", "broken", str(error))]
    checks = [Check("settings", "ok", "valid; `viva config show` says where each comes from")]
    checks.append(_cards(settings))
    if checks[-1].state == "ok":
        # Voice is looked at by itself: what it lacks is no fault of the database.
        checks += await _running(settings.model_copy(update={"voice": "off"}))
    checks.append(await _voice(settings))
    return [*checks, _pages(), _chromium()]


def _cards(settings: Settings) -> Check:
    try:
        cards = load_cards(settings).cards
    except ConfigError as error:
        return Check("cards", "broken", str(error))
    return Check("cards", "ok", f"{len(cards)} cards, all valid")


async def _running(settings: Settings) -> list[Check]:
    database = describe(make_url(settings.database_url))
    shown = ", ".join(str(value) for value in database.values())
    try:
        async with open_viva(settings) as viva:
            return [Check("database", "ok", shown), *await _models(viva)]
    except ConfigError as error:
        return [await _claimed(settings, error)]


async def _claimed(settings: Settings, error: ConfigError) -> Check:
    """A file that a running Viva holds can still be read; it is not broken."""
    try:
        reader = EventReader(settings.database_url)
        await reader.rounds(limit=1)
        reader.close()
    except InterviewerError:
        return Check("database", "broken", str(error))
    return Check("database", "ok", "in use by a running Viva, whose /readyz tells of its models")


async def _models(viva: Viva) -> list[Check]:
    tried: list[Awaitable[Check]] = [_model("interviewer", viva.llm, "the card interviewer")]
    for judge in viva.judges or (None,):
        tried.append(_model("scorer", judge, "the rule scorer"))
    return list(await asyncio.gather(*tried))


async def _model(part: str, llm: LLM | None, without: str) -> Check:
    if llm is None:
        return Check(part, "ok", f"{without}; no model is set")
    problem = await try_model(llm)
    if problem is None:
        return Check(part, "ok", f"{llm.name} completed a token")
    return Check(part, "broken", f"{problem}; {without} takes its place")


async def _voice(settings: Settings) -> Check:
    try:
        recogniser = build_recogniser(settings)
    except VoiceError as error:
        return Check("voice", "broken", str(error))
    if recogniser is None:
        return Check("voice", "absent", "answers are typed; docs/voice.md says how to speak them")
    try:
        await recogniser.transcribe(bytes(SECOND))
    except VoiceError as error:
        return Check("voice", "broken", f"{recogniser.name}: {error}")
    finally:
        await recogniser.aclose()
    return Check("voice", "ok", f"{recogniser.name}; `viva voice check` measures it")


def _pages() -> Check:
    parts: dict[str, Callable[[], bool]] = {
        "styles": lambda: any(STATIC.rglob("*.css")),
        "scripts": lambda: any(STATIC.rglob("*.js")),
    }
    missing = [name for name, there in parts.items() if not there()]
    if missing:
        return Check("pages", "broken", f"{' and '.join(missing)} missing; install Viva again")
    return Check("pages", "ok", "styles and scripts are there; nothing is loaded from elsewhere")


def _chromium() -> Check:
    found = next((path for name in CHROMIUMS if (path := shutil.which(name))), None)
    if found is None:
        return Check("chromium", "absent", "only `make test` needs one; `make install` fetches it")
    return Check("chromium", "ok", f"{found}, for the browser tests")
