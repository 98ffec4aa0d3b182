"""Server-sent events, decoded from raw bytes as they come. Knows no provider and trusts none."""

from interviewer.errors import LLMError

LONGEST_EVENT = 1 << 20
"""Bytes. A delta is some hundred bytes; a peer that sends more than this is broken or hostile."""


class EventDecoder:
    """Feed bytes in, get the `data` of each finished event out.

    Event names, ids and comments are left aside: the payloads that Viva reads carry their own type.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> list[bytes]:
        """The payloads that end in this chunk; LLMError('protocol') when one is over the bound.

        However the stream is cut, it is the same event that is over it.
        """
        if self._is_one_event(chunk):
            return [chunk[6:-2]]
        lines = (self._rest + chunk).split(b"\n") if self._rest else chunk.split(b"\n")
        self._rest = lines.pop()
        payloads: list[bytes] = []
        for line in lines:
            self._bound(len(line))
            if line.endswith(b"\r"):
                line = line[:-1]
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
                self._size += len(line)
            elif not line and self._data:
                payloads.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
                self._data, self._size = [], 0
        self._bound(len(self._rest))
        return payloads

    def _bound(self, more: int) -> None:
        """Refuse an event that has so many bytes more."""
        if self._size + more > LONGEST_EVENT:
            raise LLMError("protocol", f"an event of the stream is over {LONGEST_EVENT} bytes")

    def _is_one_event(self, chunk: bytes) -> bool:
        """Whether the chunk is one event of one line and nothing else, as most of them are."""
        if self._rest or self._data or len(chunk) > LONGEST_EVENT:
            return False
        if not chunk.startswith(b"data: ") or chunk[-3:-2] == b"\r":
            return False
        return chunk.find(b"\n") == len(chunk) - 2 and chunk[-1:] == b"\n"
