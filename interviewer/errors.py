"""The application's errors, by who must act."""

from typing import Literal

# InterviewerError
# ├── UnknownRound        no round has this id (404, close 4404)
# ├── NoSuchDrill         the card does not offer this drill (422)
# ├── UnknownTurn         the round has no turn of this number (404)
# ├── UnknownLoop         no company loop has this name, or no session this id (404)
# ├── UnknownStory        no story of the person's has this id (404)
# ├── UnknownReview       nothing was reviewed there that a rating could correct (404)
# ├── RoundOver           the round has ended; nothing more is accepted (409)
# ├── Busy                the interviewer has the floor (409)
# ├── ConcurrentWriter    another process appended to this round (409, close 4409)
# ├── ConflictingResend   a client id was used again with another text (409)
# ├── UtteranceTooLong    over 20,000 characters, or 40,000 spoken ones (413)
# ├── InvalidUtterance    text that cannot be stored as UTF-8 (422)
# ├── StoreUnavailable    the disk or the database refused a write; nothing was acknowledged (503)
# ├── BackupFault         a copy of the database is not sound, or cannot be made
# ├── ConfigError         a setting is missing or wrong; says what to set
# ├── VoiceError          audio could not be turned into text; `kind` says why, the audio is kept
# ├── TakeRefused         a spoken answer cannot begin, grow or end so (409)
# └── LLMError            a model call failed; `kind` says how
#     └── TokenBoundReached   its reply did not end by itself


class InterviewerError(Exception):
    """Base of everything that the application raises on purpose."""


class UnknownRound(InterviewerError):
    """No round has this id."""


class NoSuchDrill(InterviewerError):
    """The card does not offer this drill; the message says what to choose instead."""


class UnknownTurn(InterviewerError):
    """The round has no turn of this number."""


class UnknownLoop(InterviewerError):
    """No company's loop has this name, or no session on one this id."""


class UnknownStory(InterviewerError):
    """No story of the person's has this id."""


class UnknownReview(InterviewerError):
    """No review of this part of this round."""


class RoundOver(InterviewerError):
    """The round has ended."""


class Busy(InterviewerError):
    """The interviewer has the floor; say it again in a moment."""


class NotScored(InterviewerError):
    """The scorer could not read the round; nothing was added."""


class ConcurrentWriter(InterviewerError):
    """Another writer appended to this round first."""


class ConflictingResend(InterviewerError):
    """A client id came again with a different text."""


class UtteranceTooLong(InterviewerError):
    """An utterance is longer than Viva accepts."""


class InvalidUtterance(InterviewerError):
    """An utterance holds something that is not text, such as a lone surrogate."""


class StoreUnavailable(InterviewerError):
    """The store refused a write; nothing of it was recorded."""


class BackupFault(InterviewerError):
    """A copy of the database is not sound, or cannot be made; the message says what to do."""


class ConfigError(InterviewerError):
    """A setting is missing or wrong; the message says what to set."""


class TakeRefused(InterviewerError):
    """A spoken answer cannot be begun, continued or ended in this way; says what to do."""


VoiceErrorKind = Literal["unavailable", "bad_audio", "busy", "crashed", "timeout", "endpoint"]


class VoiceError(InterviewerError):
    """Audio could not be turned into text; the message says what to do.

    `unavailable`: no model or extra is installed; `crashed` and `timeout`: trying again may help.
    """

    def __init__(self, kind: VoiceErrorKind, message: str) -> None:
        super().__init__(message)
        self.kind: VoiceErrorKind = kind


LLMErrorKind = Literal[
    "unreachable",
    "timeout",
    "rate_limited",
    "server",
    "auth",
    "bad_request",
    "truncated",
    "refused",
    "protocol",
]


class LLMError(InterviewerError):
    """A model call failed. `retryable` is true only before the first delta was seen.

    `retry_after_s` is how long the endpoint asked to be left alone, where it said so.
    """

    def __init__(
        self,
        kind: LLMErrorKind,
        message: str,
        *,
        retryable: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind: LLMErrorKind = kind
        self.retryable = retryable
        self.retry_after_s = retry_after_s


class TokenBoundReached(LLMError):
    """The reply ended at its token bound: the endpoint is well, its model rambles."""

    def __init__(self) -> None:
        super().__init__("truncated", "the reply reached its token bound")
