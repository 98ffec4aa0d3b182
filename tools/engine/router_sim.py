"""`router_sim`: prefix affinity against load, the spill threshold, and a router that sees late."""

from random import Random
from typing import get_args

from pydantic import Field

from tools.arguments import Arguments
from tools.engine.requests import Request
from tools.engine.router import Policy
from tools.engine.router_run import Decision, Routed, Setting, route, with_policy
from tools.engine.script import read_script
from tools.figure import Drawing, Series
from tools.percentile import nearest_rank
from tools.registry import tool
from tools.trace import Cell, Lane, Mark, Recording
from tools.working import Working, plain

OPTIONS = frozenset({"at", "prefix", "shared"})
MARKS: dict[Mark, str] = {
    "held": "queued before",
    "cached": "queue as the router sees it",
    "new": "this request, prefix computed",
    "shared": "this request, prefix found",
}


class RouterArguments(Arguments):
    """Arguments of router_sim."""

    requests: str | None = Field(
        default=None,
        max_length=40_000,
        description="Requests, one a line or separated by ';': PROMPT [at=MS] [prefix=NAME "
        "shared=TOKENS]; default: drawn from the seed",
    )
    count: int = Field(default=200, ge=1, le=2000, description="Requests to draw")
    rate_per_s: float = Field(default=20, gt=0, le=10_000, description="Arrivals per second")
    prefixes: int = Field(default=16, ge=1, le=1000, description="Prefixes to draw from")
    skew: float = Field(
        default=1.0, ge=0, le=4, description="Zipf exponent of their popularity; 0: all alike"
    )
    shared_tokens: int = Field(default=2000, ge=0, le=1_000_000, description="Tokens of a prefix")
    own_tokens: int = Field(
        default=200, ge=1, le=1_000_000, description="Tokens of a prompt after its prefix"
    )
    seed: int = Field(default=1, ge=0, le=2**31, description="Seed of the drawn requests")
    replicas: int = Field(default=4, ge=1, le=32, description="Replicas of the model")
    policy: Policy = Field(default="affinity", description="How the router chooses")
    spill_ms: float | None = Field(
        default=None,
        ge=0,
        le=1e7,
        description="affinity: leave the home replica if its queue is longer than the shortest by "
        "more than this, in ms; default: the prefill that a hit saves",
    )
    prefill_ms_per_1k: float = Field(
        default=71.0, gt=0, le=1e6, description="ms to compute 1,000 prompt tokens on a replica"
    )
    cache_tokens: int = Field(
        default=100_000, ge=0, le=10**9, description="Tokens of prefixes that a replica keeps"
    )
    view_delay_ms: float = Field(
        default=0, ge=0, le=1e6, description="Age of what the router knows of queues and caches"
    )
    reservations: bool = Field(
        default=True, description="Whether the router counts what it has sent itself since"
    )


@tool(
    group="router_sim",
    example={"count": 100, "replicas": 4, "policy": "affinity"},
    drawing=Drawing(
        kind="bars",
        title="Time to the first token by policy, same requests",
        x="policy",
        x_label="policy",
        y_label="ms",
        series=(Series("p50_ms", "p50"),),
        marker=Series("p99_ms", "p99"),
    ),
    marks=MARKS,
)
def router_sim(given: RouterArguments) -> Working:
    """Route requests with shared prefixes over replicas: cache hits against queues.

    Affinity sends a prefix to its home and spills when waiting there costs more than a hit saves;
    predicted takes the earliest end it believes in. All policies run on the same requests.
    """
    requests = _written(given.requests) if given.requests is not None else _drawn(given)
    setting = Setting(
        given.replicas,
        given.policy,
        given.prefill_ms_per_1k / 1000,
        given.cache_tokens,
        given.view_delay_ms / 1000,
        given.reservations,
        given.spill_ms,
    )
    work = Working(
        headline="ttft_p50_ms", source="prefill saved against queue; first in, first out"
    )
    for policy in get_args(Policy):
        routed = route(requests, with_policy(setting, policy))
        work.table.append(_row(policy, routed))
        if policy == given.policy:
            _put(work, given, routed, requests)
            work.show(_record(routed, given))
    work.assume(
        "a replica prefills one prompt at a time, in order; decode is left out; a hit is a whole "
        "prefix, kept from the end of its first prefill until it is the least recently used",
        f"the router's view is {plain(given.view_delay_ms)} ms old, "
        f"{'with' if given.reservations else 'without'} the work that it sent itself since, known "
        "exactly; notices of evictions are always late by the view's age",
    )
    if given.requests is None:
        work.assume(
            f"{given.count:,} requests drawn with seed {given.seed}: Poisson, Zipf prefixes"
        )
    return work


def _put(work: Working, given: RouterArguments, routed: Routed, requests: list[Request]) -> None:
    waits, decisions = [1000 * wait for wait in routed.waits], routed.decisions
    for share in (50, 95, 99):
        label = f"p{share} of wait and prefill, {given.policy}"
        work.put(f"ttft_p{share}_ms", nearest_rank(waits, share / 100), "ms", label, "estimate")
    work.put("ttft_mean_ms", sum(waits) / len(waits), "ms", "mean of the same", "estimate")
    work.put("hit_rate", routed.hit_rate, "fraction", "prompt tokens found cached")
    computed = sum(d.request.prompt - d.hit for d in decisions)
    work.put("computed_tokens", computed, "tokens", "prompt tokens computed", "count")
    spilled = sum(d.choice.spilled for d in decisions)
    work.put("spilled", spilled, "requests", "sent away from their home", "count")
    misled = sum(d.choice.index != d.informed for d in decisions)
    work.put("misled", misled, "requests", "a view without delay would send elsewhere", "count")
    mean = sum(routed.work) / len(routed.work)
    work.put("imbalance", max(routed.work) / mean, "x", "busiest replica over the mean")
    shared = max(request.shared for request in requests)
    saved = shared * given.prefill_ms_per_1k / 1000
    threshold = saved if given.spill_ms is None else given.spill_ms
    work.put("hit_saves_ms", saved, "ms", f"prefill of a prefix of {shared:,} tokens")
    work.put("spill_threshold_ms", threshold, "ms", "queue difference that makes a request spill")
    work.formula = (
        f"spill when queue(home) - queue(shortest) > {plain(threshold)} ms; a hit saves "
        f"{shared:,} tokens x {plain(given.prefill_ms_per_1k)} ms/1000 = {plain(saved)} ms"
    )


def _row(policy: str, routed: Routed) -> dict[str, float | str]:
    waits = [1000 * wait for wait in routed.waits]
    return {
        "policy": policy,
        "p50_ms": nearest_rank(waits, 0.5),
        "p99_ms": nearest_rank(waits, 0.99),
        "hit_rate": routed.hit_rate,
        "spilled": sum(d.choice.spilled for d in routed.decisions),
        "misled": sum(d.choice.index != d.informed for d in routed.decisions),
    }


def _written(text: str) -> list[Request]:
    found = []
    for index, line in enumerate(read_script(text, {"": OPTIONS}, "requests")):
        if len(line.words) != 1:
            raise line.wrong("write PROMPT, such as 2200 prefix=a shared=2000")
        prompt, shared = line.count(0, 10_000_000), line.number("shared", 0, 10_000_000)
        prefix = line.options.get("prefix", "")[:40]
        if shared > prompt or bool(shared) != bool(prefix):
            raise line.wrong("prefix= and shared= go together; shared is at most the prompt")
        at = line.number("at", 0, 100_000_000) / 1000
        found.append(Request(str(index), prompt, 1, at, 0, prefix, shared))
    return found


def _drawn(given: RouterArguments) -> list[Request]:
    chance, at, found = Random(given.seed), 0.0, []
    weights = [1 / (rank + 1) ** given.skew for rank in range(given.prefixes)]
    names = chance.choices(range(given.prefixes), weights, k=given.count)
    prompt = given.shared_tokens + given.own_tokens
    for index, name in enumerate(names):
        at += chance.expovariate(given.rate_per_s)
        prefix = f"p{name + 1}" if given.shared_tokens else ""
        found.append(Request(str(index), prompt, 1, at, 0, prefix, given.shared_tokens))
    return found


def _record(routed: Routed, given: RouterArguments) -> Recording:
    recording = Recording()
    for number, decision in enumerate(routed.decisions, 1):
        if recording.open:
            title = f"{number}. request {decision.request.id}, {given.policy}"
            recording.add(title, _said(decision), _lanes(decision, given))
    return recording


def _said(decision: Decision) -> str:
    request, chosen = decision.request, decision.choice.index
    parts = [f"At {1000 * request.arrival:,.0f} ms to replica {chosen + 1}"]
    if request.prefix:
        found = f"found {decision.hit:,} tokens" if decision.hit else "not cached there"
        parts.append(f"prefix {request.prefix} {found}")
    if decision.choice.spilled:
        parts.append("spilled from its home")
    if decision.informed != chosen:
        parts.append(f"a view without delay would take replica {decision.informed + 1}")
    return f"{'; '.join(parts)}."


def _lanes(decision: Decision, given: RouterArguments) -> list[Lane]:
    lanes = []
    for index, backlog in enumerate(decision.backlogs):
        cells = [_ms(backlog, "held")] if backlog else []
        if index == decision.choice.index:
            took = decision.end - decision.request.arrival - backlog
            cells.append(_ms(took, "shared" if decision.hit else "new"))
        lanes.append(Lane(label=f"replica {index + 1}", cells=tuple(cells)))
        if given.view_delay_ms:
            seen = decision.believed[index]
            lanes.append(Lane(label="seen", cells=(_ms(seen, "cached"),) if seen else (), indent=1))
    return lanes


def _ms(seconds: float, mark: Mark) -> Cell:
    return Cell(text=f"{1000 * seconds:,.0f} ms", mark=mark, width=max(1.0, 1000 * seconds))
