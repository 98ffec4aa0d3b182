"""`kv_tiers`: what each tier of a KV cache is worth, how long it keeps data, when it wears out."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.precision import GB
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

DAY = 86_400


class Tier(Arguments):
    """One place where evicted KV blocks are kept."""

    name: str = Field(min_length=1, max_length=40, description="What the table calls it, e.g. DRAM")
    read_gb_s: float = Field(ge=1e-6, le=1e6, description="Read bandwidth in GB/s")
    latency_us: float = Field(default=0, ge=0, le=1e8, description="Latency of a fetch in us")
    capacity_gb: float = Field(ge=1e-3, le=1e9, description="Capacity in GB (1e9 bytes)")
    hit_rate: float = Field(ge=0, le=1, description="Share of all prompt tokens found in this tier")
    endurance_pb: float | None = Field(
        default=None, ge=1e-6, le=1e6, description="PB that may be written in its life (TBW/1000)"
    )


class TiersArguments(Arguments):
    """Arguments of kv_tiers."""

    kv_bytes_per_token: float = Field(ge=1, le=1e9, description="KV bytes per token")
    prefill_tokens_per_s: float = Field(
        ge=1e-3, le=1e9, description="Rate of computing a missing prefix in tokens/s"
    )
    prefix_tokens: int = Field(ge=1, le=100_000_000, description="Tokens of a fetch")
    new_tokens_per_s: float = Field(
        ge=0, le=1e9, description="Tokens/s of KV that are written to every tier"
    )
    gpu_usd_h: float | None = Field(
        default=None, ge=0, le=1e5, description="Price of the GPUs that prefill in USD/h"
    )
    tiers: list[Tier] = Field(min_length=1, max_length=12, description="Tiers, nearest first")


@tool(
    group="kv_transfer_tiers",
    example={
        "kv_bytes_per_token": 327680,
        "prefill_tokens_per_s": 7000,
        "prefix_tokens": 8192,
        "new_tokens_per_s": 3000,
        "gpu_usd_h": 16,
        "tiers": [
            {"name": "DRAM", "read_gb_s": 50, "capacity_gb": 1000, "hit_rate": 0.4},
            {
                "name": "SSD",
                "read_gb_s": 6,
                "latency_us": 100,
                "capacity_gb": 7600,
                "hit_rate": 0.2,
                "endurance_pb": 14,
            },
            {"name": "object store", "read_gb_s": 1, "capacity_gb": 100000, "hit_rate": 0.1},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="Fetching a token from each tier, against computing it (stroke)",
        x="tier",
        x_label="tier",
        y_label="us per token",
        series=(Series("fetch_us", "fetch"),),
        marker=Series("recompute_us", "recompute"),
    ),
)
def kv_tiers(given: TiersArguments) -> Working:
    """Worth of each KV tier: the recompute it avoids less the fetch it costs, and its wear.

    Per token: 1/prefill rate - KV bytes/bandwidth - latency/prefix, times the tier's hit rate. It
    keeps capacity / write rate seconds; an SSD lasts endurance / write rate.
    """
    found = sum(tier.hit_rate for tier in given.tiers)
    if found > 1 + 1e-9:
        raise ToolError("tiers", round(found, 6), "their hit rates are shares of all: at most 1")
    recompute = 1e6 / given.prefill_tokens_per_s
    written = given.new_tokens_per_s * given.kv_bytes_per_token / GB
    rows = [_row(tier, given, recompute, written) for tier in given.tiers]
    work = Working(headline="saved_us", source="recompute avoided less fetch")
    saved = sum(float(row["worth_us"]) for row in rows)
    work.put("saved_us", saved, "us/token", "saved per prompt token, all tiers", "estimate")
    work.put("recompute_us", recompute, "us/token", "computing a token again")
    work.put("hit_rate", found, "fraction", "of prompt tokens found in some tier")
    work.put("saved_share", saved / recompute, "fraction", "of the prefill time saved", "estimate")
    work.put("written_GB_s", written, "GB/s", "written to each tier")
    useless = [str(row["tier"]) for row in rows if float(row["saved_us"]) <= 0]
    work.put("useless_tiers", len(useless), "tiers", "slower than computing again", "count")
    lives = [float(row["wear_days"]) for row in rows if "wear_days" in row]
    if lives:
        work.put("wear_days", min(lives), "days", "until the first tier is worn out", "estimate")
    if given.gpu_usd_h is not None:
        worth = saved / 1e6 * 1e6 * given.gpu_usd_h / 3600
        work.put("usd_per_m_tokens", worth, "USD/M prompt tokens", "GPU time saved", "estimate")
    work.formula = " + ".join(
        f"{tier.hit_rate:g} x ({plain(recompute)} - {plain(float(row['fetch_us']))}) us"
        for tier, row in zip(given.tiers, rows, strict=True)
    )
    work.formula += f" = {plain(saved)} us/token"
    work.assume(
        "each tier has its own bandwidth to itself; every new token is written once to each tier",
        "a fetch is not hidden behind other work",
    )
    work.warn(*(f"{name} costs more time than it saves: leave it out" for name in useless))
    work.warn("a tier wears out within a year" if lives and min(lives) < 365 else "")
    work.table = rows
    return work


def _row(
    tier: Tier, given: TiersArguments, recompute: float, written: float
) -> dict[str, float | str]:
    """Times in us per token; retention in s; wear in days."""
    fetch = given.kv_bytes_per_token / tier.read_gb_s / 1e3 + tier.latency_us / given.prefix_tokens
    row: dict[str, float | str] = {
        "tier": tier.name,
        "fetch_us": fetch,
        "recompute_us": recompute,
        "saved_us": recompute - fetch,
        "worth_us": tier.hit_rate * (recompute - fetch),
    }
    if written:
        row["kept_s"] = tier.capacity_gb / written
        if tier.endurance_pb is not None:
            row["wear_days"] = tier.endurance_pb * 1e6 / written / DAY
    return row
