"""A token bucket: so many events at once, so many a second after that."""


class TokenBucket:
    """The caller brings the time, in seconds of any steady clock."""

    __slots__ = ("_at", "_left", "burst", "rate")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate = rate
        self.burst = burst
        self._left = burst
        self._at = now

    def take(self, now: float) -> bool:
        """Whether one more event is within the limit at this moment."""
        self._left = min(self.burst, self._left + (now - self._at) * self.rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
