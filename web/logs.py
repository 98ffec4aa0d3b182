"""How the server logs: one line an entry, control characters made visible. Knows no route."""

import logging
import logging.config
from typing import Any

_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_TURNS = (*range(0x2028, 0x202F), *range(0x2066, 0x206A))
"""Line separators, and what makes a line read otherwise than it was written."""
_VISIBLE = {code: f"\\x{code:02x}" for code in _CONTROLS} | {
    code: f"\\u{code:04x}" for code in _TURNS
}


class LineFormatter(logging.Formatter):
    """Keeps hostile text from starting an entry of its own or from steering a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The entry; a traceback's lines are indented, so that none can pass for an entry."""
        first, *rest = super().format(record).split("\n")
        return "\n".join([first, *(f"  {line.translate(_VISIBLE)}" for line in rest)])

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """The entry's first line."""
        record.message = record.message.translate(_VISIBLE)
        return super().formatMessage(record)


_CONFIG: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "web.logs.LineFormatter",
            "fmt": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    # Paths carry round ids and answers are in bodies: neither is logged.
    "root": {"handlers": ["stderr"], "level": "WARNING"},
}


def log_to_stderr(level: str = "INFO") -> None:
    """Log what Viva does at this level, and what others warn of."""
    loggers = {name: {"level": level} for name in ("interviewer", "web")}
    logging.config.dictConfig({**_CONFIG, "loggers": loggers})
