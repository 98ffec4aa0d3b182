"""`stream_buffer`: what a slow client makes a server keep, and when a byte budget cuts it off."""

from collections import deque
from typing import Any

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.fleet.bar import bar
from tools.registry import tool
from tools.trace import MARKS, Recording
from tools.working import Working, plain


class BufferArguments(Arguments):
    """Arguments of stream_buffer."""

    tokens: int = Field(default=1000, ge=1, le=20_000, description="Tokens that the reply has")
    tokens_per_s: float = Field(ge=0.01, le=1e5, description="Tokens/s that the engine yields")
    frame_bytes: int = Field(
        default=200, ge=1, le=1_000_000, description="Bytes of one event on the wire, all of it"
    )
    client_bytes_per_s: float = Field(
        ge=0, le=1e9, description="Bytes/s that the client takes; 0: none at all"
    )
    stall_from_s: float = Field(default=0, ge=0, le=1e6, description="Time in s when it stalls")
    stall_s: float = Field(
        default=0, ge=0, le=1e6, description="Seconds for which it takes nothing"
    )
    budget_bytes: int = Field(ge=1, le=10**10, description="Bytes that may wait per connection")
    count_pending: bool = Field(
        default=True, description="Whether the frame being written counts in the budget"
    )
    cancel: bool = Field(
        default=True, description="Whether an overflow cancels the request in the engine"
    )
    connections: int = Field(default=1, ge=1, le=10**7, description="Such connections at once")


@tool(
    group="streaming",
    example={
        "tokens": 1000,
        "tokens_per_s": 50,
        "frame_bytes": 200,
        "client_bytes_per_s": 20000,
        "stall_from_s": 5,
        "stall_s": 10,
        "budget_bytes": 65536,
    },
    drawing=Drawing(
        kind="line",
        title="Bytes kept for the client",
        x="at_s",
        x_label="seconds",
        y_label="bytes",
        series=(Series("kept_bytes", "kept"), Series("budget_bytes", "budget")),
    ),
    marks={**MARKS, "held": "kept", "free": "left of the budget"},
)
def stream_buffer(given: BufferArguments) -> Working:
    """Simulate one stream to a slow client under a byte budget; overflow closes and cancels.

    Kept are the queued frames and the one being written, whole until its last byte is gone. A
    budget that forgets the pending write keeps up to one frame more than it says.
    """
    run = _Run(given)
    run.all()
    work = Working(headline="peak_bytes", source="discrete-event simulation of one connection")
    work.put(
        "peak_bytes", run.peak, "B/connection", "kept at most, pending write included", "count"
    )
    total = run.peak * given.connections / 1e6
    work.put("peak_MB", total, "MB", f"for {given.connections:,} connections (MB is 1e6 bytes)")
    work.put("overflowed", float(run.cut_at is not None), "yes (1) or no (0)", "cut off", "count")
    if run.cut_at is not None:
        work.put("cut_s", run.cut_at, "s", "when the client was cut off", "estimate")
        work.put("sent_tokens", run.sent, "tokens", "wholly sent before", "count")
    work.put("wasted_tokens", run.wasted, "tokens", "generated for nobody", "count")
    inflow = given.tokens_per_s * given.frame_bytes
    if inflow > given.client_bytes_per_s:
        surplus = inflow - given.client_bytes_per_s
        least = given.budget_bytes / surplus
        work.put("fill_s", least, "s", "to fill the budget at the steady rates", "estimate")
        work.warn("the client is slower than the stream: any budget overflows if the reply is long")
    work.put(
        "stall_bytes", inflow * given.stall_s, "B", "that the stall alone piles up", "estimate"
    )
    work.formula = (
        f"{plain(given.tokens_per_s)} tokens/s x {given.frame_bytes:,} B - "
        f"{plain(given.client_bytes_per_s)} B/s; peak {run.peak:,} of {given.budget_bytes:,} B"
    )
    work.assume(
        "the server never waits for a client: other streams go on",
        "the kernel's own send buffer is not counted: it adds to what a stalled client holds",
    )
    if run.cut_at is not None and not given.cancel:
        work.warn("the engine went on after the cut: connect overflow and disconnect to cancel")
    if not given.count_pending:
        work.warn("the frame being written is not counted: one frame more is kept than budgeted")
    work.table = run.table
    _record(work, given)
    return work


def _record(work: Working, given: BufferArguments) -> None:
    """The connection at each time of the table."""
    recording = Recording()
    for row in work.table:
        if recording.open:
            lanes = [bar("kept", row["kept_bytes"], given.budget_bytes)]
            said = f"{row['sent']:,} tokens sent; {row['kept_bytes']:,} B kept"
            if row["cut"]:
                said = f"{row['sent']:,} tokens sent; cut off"
            recording.add(f"{plain(row['at_s'])} s", said, lanes, kept_B=row["kept_bytes"])
    work.show(recording)


class _Run:
    """The connection; times in s, amounts in bytes."""

    def __init__(self, given: BufferArguments) -> None:
        self.given = given
        self.queue: deque[float] = deque()
        """What is left of each frame; the first is being written."""
        self.now, self.peak, self.sent, self.wasted = 0.0, 0, 0, 0
        self.cut_at: float | None = None
        self.table: list[dict[str, Any]] = []

    @property
    def kept(self) -> int:
        """Whole frames that are still in memory."""
        return len(self.queue) * self.given.frame_bytes

    def all(self) -> None:
        """Yield every token; sample about 80 rows."""
        given = self.given
        every = max(1, given.tokens // 80)
        for number in range(1, given.tokens + 1):
            self._drain(number / given.tokens_per_s)
            if self.cut_at is not None:
                self.wasted += not given.cancel
            else:
                self._offer()
            if number % every == 0 or number == 1:
                row = {"at_s": self.now, "kept_bytes": self.kept, "sent": self.sent}
                cut = self.cut_at is not None
                self.table.append({**row, "budget_bytes": given.budget_bytes, "cut": cut})

    def _offer(self) -> None:
        given = self.given
        uncounted = 0 if given.count_pending or not self.queue else given.frame_bytes
        if self.kept + given.frame_bytes - uncounted > given.budget_bytes:
            self.cut_at, self.wasted = self.now, self.wasted + len(self.queue) + 1
            self.queue.clear()
            return
        self.queue.append(float(given.frame_bytes))
        self.peak = max(self.peak, self.kept)

    def _drain(self, until: float) -> None:
        """Let the client take what it takes until then, outside its stall."""
        given = self.given
        stall_end = given.stall_from_s + given.stall_s
        stalled = max(0.0, min(until, stall_end) - max(self.now, given.stall_from_s))
        room = (until - self.now - stalled) * given.client_bytes_per_s
        self.now = until
        while self.queue and room >= self.queue[0] - 1e-9:
            room -= self.queue.popleft()
            self.sent += 1
        if self.queue:
            self.queue[0] -= room
