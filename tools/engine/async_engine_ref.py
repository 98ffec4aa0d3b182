"""`async_engine_ref`: steps launched before the last tokens are back, event by event."""

from pydantic import Field

from tools.arguments import Arguments
from tools.engine.async_flow import EOS, AsyncEngine, Flight, Frees, Live, Routing
from tools.engine.script import Operation, read_script
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.trace import Cell, Lane, Mark, Recording, blank
from tools.working import Working

VERBS = {
    "admit": frozenset({"max", "seed"}),
    "launch": frozenset[str](),
    "return": frozenset({"step"}),
    "abort": frozenset[str](),
}
MARKS: dict[Mark, str] = {
    "held": "known to the host",
    "cached": "placeholder: not back yet",
    "lost": "owed until a step is back",
    "new": "row whose input is a placeholder",
    "free": "free page",
}
DRAWN = 64


class AsyncArguments(Arguments):
    """Arguments of async_engine_ref."""

    events: str = Field(
        max_length=40_000,
        description="Events, one a line or separated by ';': 'admit NAME PROMPT_TOKENS [max=N] "
        "[seed=TEXT]', 'launch', 'return [step=N] [NAME:TOKEN ...]' (TOKEN may be eos), "
        "'abort NAME'",
    )
    depth: int = Field(
        default=2, ge=1, le=16, description="Steps in flight at most; 1 is synchronous"
    )
    pages: int = Field(default=32, ge=1, le=4096, description="KV pages of the pool")
    page_size: int = Field(default=16, ge=1, le=1024, description="Tokens per page")
    routing: Routing = Field(
        default="ticket",
        description="How a token finds its request: by the ticket of its step (right), by today's "
        "row or by name (both wrong, to reproduce the faults)",
    )
    frees: Frees = Field(
        default="deferred",
        description="When an ended request's pages are free: after the last step that may touch "
        "them (right), or at once (wrong)",
    )
    seed: int = Field(default=1, ge=0, le=2**31, description="Seed of requests without their own")


@tool(
    group="async_engine_ref",
    example={
        "events": "admit a 20 max=4; admit b 20 max=4; launch; launch; return a:eos; launch; "
        "return; return",
    },
    drawing=Drawing(
        kind="bars",
        title="KV pages after each event",
        x="event",
        x_label="event",
        y_label="pages",
        series=(Series("held", "of running requests"), Series("owed", "owed to steps in flight")),
    ),
    marks=MARKS,
)
def async_engine_ref(given: AsyncArguments) -> Working:
    """A reference for async scheduling: placeholders, wasted steps, deferred frees, RNG addresses.

    A step starts before the last one's tokens are back; its rows then read placeholders. A token
    is drawn from (seed, position), so that no other request and no batch order can change it.
    """
    engine = AsyncEngine(
        given.pages, given.page_size, given.depth, given.routing, given.frees, given.seed
    )
    work = Working(headline="wasted_tokens", source="vLLM 0.31 async scheduler; own reference")
    recording = Recording()
    for number, event in enumerate(read_script(given.events, VERBS, "events"), 1):
        said = _happen(engine, event)
        if recording.open:
            counts = _pages(engine)
            work.table.append({"event": number, "what": event.text[:80], "said": said} | counts)
            title = f"{number}. {event.text[:60]} ({len(engine.flights)} in flight)"
            recording.add(title, f"{said[:1].upper()}{said[1:]}.", _lanes(engine), **counts)
    _put(work, engine)
    _explain(work, engine, given)
    work.show(recording)
    return work


def _happen(engine: AsyncEngine, event: Operation) -> str:
    match event.verb:
        case "launch":
            return engine.launch()
        case "return":
            return _land(engine, event)
    name = event.name(0, "a request's name")
    running = engine.find(name)
    if event.verb == "abort":
        if running is None:
            raise event.wrong(f"{name} does not run")
        return engine.abort(running)
    if running:
        raise event.wrong(f"{name} runs already: wait for its end, or abort it")
    most = event.number("max", 16, 10_000)
    if not most:
        raise event.wrong("max= is at least 1")
    prompt = event.count(1, 100_000)
    return engine.admit(name, prompt, most, event.options.get("seed", "")[:40])


def _land(engine: AsyncEngine, event: Operation) -> str:
    given = {}
    for word in event.words:
        name, _, token = word.partition(":")
        if token != "eos" and (not token.isdecimal() or len(token) > 6):
            raise event.wrong(f"{word[:20]!r}: write NAME:TOKEN, such as a:17 or a:eos")
        given[name] = EOS if token == "eos" else int(token)
    oldest = engine.flights[0].number if engine.flights else 0
    number = event.number("step", oldest)
    if not 1 <= number <= engine.launched:
        raise event.wrong("no step is in flight" if not number else f"step {number} never started")
    if oldest and number > oldest:
        raise event.wrong(f"steps come back in order: {oldest} is the next")
    return engine.land(number, given)


def _pages(engine: AsyncEngine) -> dict[str, float]:
    owed = engine.owed_pages
    held = sum(len(request.pages) for request in engine.rows)
    return {"held": held, "owed": owed, "free": engine.pool.free}


def _put(work: Working, engine: AsyncEngine) -> None:
    counts, pages = engine.counts, _pages(engine)
    work.put("wasted_tokens", counts.wasted, "tokens", "computed for ended requests", "count")
    work.put("emitted_tokens", counts.emitted, "tokens", "sent to users", "count")
    work.put("steps", engine.launched, "steps", "launched", "count")
    work.put("placeholders", counts.placeholders, "rows", "whose input was not back", "count")
    work.put("deferred_pages", counts.deferred, "pages", "freed only after a step", "count")
    work.put("dropped", counts.dropped, "tokens", "for requests that had ended", "count")
    work.put("duplicates", counts.duplicates, "returns", "of a step that was back", "count")
    work.put("misrouted", counts.misrouted, "tokens", "sent to another request", "count")
    label = "taken while a step in flight could touch them"
    work.put("corrupted_pages", counts.corrupted, "pages", label, "count")
    work.put("held_pages", pages["held"], "pages", "of running requests", "count")
    work.put("owed_pages", pages["owed"], "pages", "waiting for a step", "count")
    work.put("free_pages", pages["free"], "pages", "free", "count")


def _explain(work: Working, engine: AsyncEngine, given: AsyncArguments) -> None:
    pages = _pages(engine)
    work.formula = (
        f"held {pages['held']:g} + owed {pages['owed']:g} + free {pages['free']:g} = "
        f"{given.pages:,} pages; {engine.counts.wasted:,} of "
        f"{engine.counts.wasted + engine.counts.emitted:,} tokens computed for nothing"
    )
    kind = "synchronous" if given.depth == 1 else f"async, {given.depth} steps in flight"
    work.assume(
        f"{kind}; a length is known before, so only EOS and aborts waste a step; the prompt is "
        "computed in the first step",
        "a token is a hash of (seed, position); without seed= the seed is of the run, name and "
        "generation",
    )
    if given.routing != "ticket":
        work.warn(f"routing by {given.routing} is wrong on purpose: see misrouted")
    if given.frees == "immediate":
        work.warn("freeing at once is wrong on purpose: see corrupted_pages")


def _lanes(engine: AsyncEngine) -> list[Lane]:
    lanes = [_flight(flight) for flight in engine.flights]
    lanes += [_request(request) for request in engine.everyone[-12:]]
    total = engine.pool.blocks
    if total <= DRAWN:
        owners = {page: request.name for request in engine.rows for page in request.pages}
        owed = {page: request.name for _, request, pages in engine.owed for page in pages}
        cells = tuple(_page(page, owners, owed) for page in range(1, total + 1))
        lanes.append(Lane(label="pages", cells=cells))
    return lanes


def _flight(flight: Flight) -> Lane:
    cells = tuple(
        Cell(
            text=f"{ticket.request.label}@{ticket.position}",
            mark="new" if ticket.placeholder else "held",
            width=4,
        )
        for ticket in flight.tickets[:DRAWN]
    )
    return Lane(label=f"step {flight.number}", cells=cells)


def _request(request: Live) -> Lane:
    back = [Cell(text="EOS" if t == EOS else str(t), width=3) for t in request.tokens[-DRAWN:]]
    ahead = 0 if request.ended else request.launched - len(request.tokens)
    waits = [Cell(text="?", mark="cached", width=3)] * max(0, ahead)
    ended = f" {request.ended}" if request.ended else ""
    return Lane(label=f"{request.label}{ended}", cells=(*back, *waits))


def _page(page: int, owners: dict[int, str], owed: dict[int, str]) -> Cell:
    if page in owners:
        return Cell(text=owners[page], mark="held")
    return Cell(text=owed[page], mark="lost") if page in owed else blank("free")
