"""Makes the recogniser that the settings name."""

from pathlib import Path

from interviewer.settings import Settings
from interviewer.voice.endpoint import EndpointRecogniser
from interviewer.voice.local import WhisperRecogniser
from interviewer.voice.recogniser import Recogniser

DEFAULT_MODEL = "base"


def build_recogniser(settings: Settings) -> Recogniser | None:
    """None where spoken answers are off. VoiceError('unavailable') without the extra `voice`."""
    endpoint = settings.voice_endpoint()
    if endpoint is not None:
        return EndpointRecogniser(endpoint.base_url, endpoint.model, endpoint.api_key)
    if settings.voice == "off":
        return None
    return WhisperRecogniser(whisper_model(settings), threads=settings.voice_threads)


def whisper_model(settings: Settings) -> str:
    """A folder, or a name that the hub's cache may have."""
    name = settings.voice_model or DEFAULT_MODEL
    kept = settings.voice_models / name
    return str(kept if kept.is_dir() else Path(name).expanduser() if Path(name).is_dir() else name)
