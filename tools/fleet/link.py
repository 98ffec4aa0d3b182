"""A link between memories: one-direction bandwidth and latency; GB/s, Gbit/s or a GPU's NVLink."""

from dataclasses import dataclass

from pydantic import Field

from tools.arguments import Arguments
from tools.hardware import find_gpu, gpus
from tools.precision import GB
from tools.result import ToolError
from tools.working import Working, plain


@dataclass(frozen=True)
class Link:
    """Bytes per second in one direction, seconds per message."""

    bandwidth: float
    latency: float
    estimated: bool

    def seconds(self, size: float, messages: int = 1) -> float:
        """Time to move `size` bytes in so many messages, one after the other."""
        return size / self.bandwidth + messages * self.latency


class LinkArguments(Arguments):
    """How fast a link is; exactly one of three ways to say it."""

    link_gb_s: float | None = Field(
        default=None, ge=1e-6, le=1e6, description="Bandwidth in ONE direction in GB/s (1e9 B/s)"
    )
    link_gbit_s: float | None = Field(
        default=None, ge=1e-6, le=1e7, description="Or in Gbit/s, as networks are sold, e.g. 400"
    )
    link_gpu: str | None = Field(
        default=None, max_length=60, description="Or the NVLink of a GPU by name, e.g. H100"
    )
    link_efficiency: float | None = Field(
        default=None, ge=1e-3, le=1, description="Share of the bandwidth that is reached"
    )
    latency_us: float = Field(default=0, ge=0, le=1e7, description="Latency per message in us")

    def link(self, work: Working) -> Link:
        """The link that was named; ToolError where there is none or more than one."""
        ways = {"link_gb_s": self.link_gb_s, "link_gbit_s": self.link_gbit_s}
        named = {**ways, "link_gpu": self.link_gpu}
        stated = [name for name, value in named.items() if value is not None]
        if len(stated) != 1:
            value = named[stated[1]] if stated else None
            raise ToolError(
                stated[1] if stated else "link_gb_s",
                value,
                "give exactly one of link_gb_s, link_gbit_s and link_gpu",
            )
        rate = self._bytes_per_s(work) * (self.link_efficiency or 1.0)
        if self.link_efficiency is None:
            work.assume("the link's full rate: a floor; link_efficiency gives an estimate")
        return Link(rate, self.latency_us / 1e6, self.link_efficiency is not None)

    def _bytes_per_s(self, work: Working) -> float:
        if self.link_gbit_s is not None:
            return self.link_gbit_s * GB / 8
        if self.link_gb_s is not None:
            work.warn(both_ways(self.link_gb_s))
            return self.link_gb_s * GB
        gpu = find_gpu(self.link_gpu or "")
        gpu.tell(work)
        one_way = gpu.spec.nvlink_per_direction_gb_s
        if one_way is None:
            raise ToolError("link_gpu", self.link_gpu, "has no NVLink: give link_gb_s")
        work.assume(f"{gpu.name}'s NVLink one way: {plain(one_way)} GB/s, half of what is quoted")
        return one_way * GB


def both_ways(gb_s: float) -> str:
    """A warning where a figure is the sum of both directions of some GPU's NVLink; else empty."""
    names = [name for name, gpu in gpus().items() if gpu.nvlink_total_gb_s == gb_s]
    if not names:
        return ""
    return (
        f"{plain(gb_s)} GB/s is the NVLink total of both directions of {names[0]}; "
        f"one way is {plain(gb_s / 2)} GB/s"
    )
