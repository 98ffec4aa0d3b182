"""How long a stream may take to its next token: one timer for all of them. Knows no stream."""

import asyncio

_LOOK_AGAIN_S = 0.1


class Patience:
    """A deadline that each token moves.

    `asyncio.timeout` would make a timer a token, a tenth of what relaying it costs; this one looks
    at the deadline when it fires. All waiting is done by the task that made it: past the deadline
    it is cancelled, and `has_run_out` tells that from a cancellation by others.
    """

    def __init__(self, seconds: float) -> None:
        self.waits_for = "first token"
        self._loop = asyncio.get_running_loop()
        self._deadline = self._fires = self._loop.time() + seconds
        self._timer = self._loop.call_at(self._fires, self._look)
        self._task = asyncio.current_task()
        self._cancelling = self._task.cancelling() if self._task else 0
        self._expired = False

    def renew(self, waits_for: str, seconds: float) -> None:
        """Wait for something else from now on."""
        self.waits_for = waits_for
        self._deadline = self._loop.time() + seconds
        if self._deadline < self._fires:
            self._timer.cancel()
            self._arm(self._deadline)

    def has_run_out(self) -> bool:
        """Whether the CancelledError just caught is this timer's, and no one else's too."""
        return (
            self._expired and self._task is not None and self._task.uncancel() <= self._cancelling
        )

    def close(self) -> None:
        """Stop the timer."""
        self._timer.cancel()

    def _arm(self, at: float) -> None:
        self._fires = at
        self._timer = self._loop.call_at(at, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        if self._task is not None and now >= self._deadline:
            self._expired = True
            self._task.cancel()
        else:
            self._arm(max(self._deadline, now + _LOOK_AGAIN_S))
