"""`fair_shares`: what tenants get of a batch engine by turns and by virtual token counters."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.fleet.bar import bar, row
from tools.fleet.token_counters import Engine, Tenant
from tools.registry import tool
from tools.result import ToolError
from tools.trace import MARKS, Lane, Recording
from tools.working import Working, plain

MOST_TURNS = 100_000
"""Steps x slots of a run."""


class SharesArguments(Arguments):
    """Arguments of fair_shares."""

    tenants: list[Tenant] = Field(
        min_length=2,
        max_length=20,
        description="Tenants: name, input_tokens, output_tokens, weight, from_step, until_step",
    )
    slots: int = Field(default=8, ge=1, le=64, description="Sequences that run together")
    steps: int = Field(default=2000, ge=10, le=5000, description="Decode steps to simulate")
    input_weight: float = Field(
        default=1, ge=1e-3, le=1000, description="Cost of an input token; see request_cost"
    )
    output_weight: float = Field(
        default=2, ge=1e-3, le=1000, description="Cost of an output token; see request_cost"
    )
    lift: bool = Field(
        default=True,
        description="Whether a tenant that returns starts at the least counter of the active",
    )


@tool(
    group="quota_fairness",
    example={
        "tenants": [
            {"name": "documents", "input_tokens": 6000, "output_tokens": 200},
            {"name": "chat", "input_tokens": 100, "output_tokens": 50},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="Share of the service: virtual counters (bar), turns by request (stroke)",
        x="tenant",
        x_label="tenant",
        y_label="share",
        series=(Series("share", "virtual token counter"),),
        marker=Series("turns_share", "turns"),
    ),
    marks={
        **MARKS,
        "shared": "counter",
        "held": "running",
        "new": "starts",
        "free": "below the largest",
    },
)
def fair_shares(given: SharesArguments) -> Working:
    """Service of backlogged tenants under a virtual token counter, against turns by request.

    A free slot goes to the tenant with the least counter; its input is charged at admission, each
    output token as it comes, both over the tenant's weight. A returning tenant is lifted to the
    least active counter, or it would spend the credit of its absence.
    """
    names = [tenant.name for tenant in given.tenants]
    if len(set(names)) < len(names):
        raise ToolError("tenants", "…", "each needs a name of its own")
    if given.steps * given.slots > MOST_TURNS:
        raise ToolError("steps", given.steps, f"times slots must be at most {MOST_TURNS:,}")
    work = Working(
        headline="largest_share", source="virtual token counter (Sheng et al., OSDI 2024)"
    )
    recording = Recording()
    runs = {"counter": _run(given, recording), "turns": _run(given, None)}
    work.show(recording)
    fair, turns = (_shares(runs[policy]) for policy in ("counter", "turns"))
    most = max(range(len(names)), key=lambda index: turns[index])
    work.put("largest_share", fair[most], "fraction", f"{names[most]}: by counters", "estimate")
    work.put("turns_share", turns[most], "fraction", f"{names[most]}: by turns", "estimate")
    _put_gap(work, given, runs)
    longest = runs["counter"].longest_wait
    work.put("late_wait", longest, "steps", "longest wait for a start", "count")
    work.formula = (
        f"counter += {plain(given.input_weight)} x input at admission, "
        f"{plain(given.output_weight)} per output token, over the weight; by turns "
        f"{names[most]} gets {plain(turns[most] * 100)} % of it"
    )
    work.assume(
        "each tenant always has a request waiting between from_step and until_step",
        "a step makes one token of each running sequence; prefill takes no step of its own",
    )
    if not given.lift:
        work.warn("without the lift a tenant that was away shuts out the others on return")
    work.table = [
        {
            "tenant": tenant.name,
            "share": fair[index],
            "turns_share": turns[index],
            "requests": runs["counter"].started[index],
            "counter": runs["counter"].counters[index],
        }
        for index, tenant in enumerate(given.tenants)
    ]
    return work


def _run(given: SharesArguments, recording: Recording | None) -> Engine:
    """By counters with a recording, by turns without."""
    engine = Engine(
        given.tenants,
        given.slots,
        (given.input_weight, given.output_weight),
        by_turns=recording is None,
        lift=given.lift,
    )
    for step in range(given.steps):
        before = list(engine.started)
        engine.step(step)
        if recording is not None and engine.started != before and recording.open:
            _record(recording, engine, step, before)
    return engine


def _record(recording: Recording, engine: Engine, step: int, before: list[int]) -> None:
    """A step in which some request began: every tenant's counter and running sequences."""
    top = max(engine.counters) or 1.0
    lanes, said = [], []
    for index, tenant in enumerate(engine.tenants):
        new = engine.started[index] - before[index]
        running = sum(sequence[0] == index for sequence in engine.running)
        if new:
            said.append(f"{tenant.name} starts {new}")
        cells = bar("", engine.counters[index], top, "shared").cells
        lanes.append(Lane(label=tenant.name[:16], cells=cells))
        lanes.append(row("running", max(0, running - new), "held"))
        lanes[-1] = Lane(label="running", cells=(*lanes[-1].cells, *row("", new, "new").cells))
    text = f"{', '.join(said)}; the least counter is {plain(min(engine.counters))}"
    recording.add(f"step {step:,}", text, lanes)


def _shares(engine: Engine) -> list[float]:
    total = sum(engine.service)
    return [service / total for service in engine.service] if total else [0.0] * len(engine.service)


def _put_gap(work: Working, given: SharesArguments, runs: dict[str, Engine]) -> None:
    engine = runs["counter"]
    always = [
        engine.service[index] / tenant.weight
        for index, tenant in enumerate(given.tenants)
        if tenant.from_step == 0 and tenant.until_step is None
    ]
    if len(always) < 2:
        return
    most_in = max(tenant.input_tokens for tenant in given.tenants) * given.input_weight
    most_out = max(t.output_tokens for t in given.tenants) * given.output_weight * given.slots
    bound = 2 * max(most_in, most_out) / min(tenant.weight for tenant in given.tenants)
    gap = max(always) - min(always)
    work.put("gap", gap, "weighted tokens", "between tenants that were there throughout")
    work.put("gap_bound", bound, "weighted tokens", "what it may be at most", "ceiling")
