"""`make bench`: everything in one run, or what is named, as a table with each figure's aim."""

import os
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from bench import (
    append,
    archive,
    calculators,
    page,
    relay,
    review,
    rounds,
    scoring,
    simulators,
    startup,
)

Row = tuple[str, str, str]


def _relays() -> Iterator[Row]:
    """CPU, delay and memory of relayed words, beside a bare relay."""
    for streams in (1, 50, 200):
        plain, ours = relay.measure(streams)
        ratio = ours.cpu_us / plain.cpu_us
        cpu = f"{ours.cpu_us:.0f} us beside {plain.cpu_us:.0f} us: {ratio:.1f}x"
        yield f"CPU per relayed token, {streams} streams", cpu, "2.5x at 200"
        delay = f"{ours.p50_ms:.2f} / {ours.p99_ms:.2f} ms beside {plain.p50_ms:.2f} / "
        yield f"delay p50 / p99, {streams} streams", f"{delay}{plain.p99_ms:.2f} ms", "p99 5 ms"
        if streams == 200:
            memory = f"{ours.idle_kb:.0f} / {ours.streaming_kb:.0f} KB"
            yield "memory per idle / streaming connection", memory, "40 / 80 KB"
    yield "streams of 30 tokens/s with p99 < 20 ms", f"{relay.most_streams()}", "300"


def _appends() -> Iterator[Row]:
    """Durable appends, beside sqlite3 in line."""
    floor, alone, many = append.measure()
    p50, p99 = alone.p50_us / floor.p50_us, alone.p99_us / floor.p99_us
    shown = f"{alone.p50_us:.0f} / {alone.p99_us:.0f} us: {p50:.1f}x / {p99:.1f}x in line"
    yield "durable append p50 / p99", shown, "2x / 3x"
    shown = f"{alone.cpu_us:.0f} us beside {floor.cpu_us:.0f} us in line"
    yield "CPU of a durable append", shown, ""
    shown = f"{many.rows_s:,.0f} rows/s, p99 {many.p99_us / 1e3:.1f} ms"
    yield "50 writers", shown, f"in line: {floor.rows_s:,.0f} rows/s"


def _pages() -> Iterator[Row]:
    """A transcript as a page, beside f-strings."""
    found = page.measure()
    ratio = found.template_us / found.f_strings_us
    shown = f"{found.template_us:.0f} us: {ratio:.1f}x f-strings ({found.kb:.0f} KB)"
    yield "transcript of 40 turns", shown, "1.6x"


def _histories() -> Iterator[Row]:
    """Pages, searches, export and import over 5,000 rounds."""
    with TemporaryDirectory() as folder:
        url = rounds.write(Path(folder) / "viva.db")
        yield from _reviews(url)
        both = archive.measure(url, Path(folder))
    for what, found in zip(("out into one file", "in again"), both, strict=True):
        shown = f"{found.seconds:.1f} s, {found.cpu_s:.1f} of CPU; {found.peak_mb:.0f} MB at most"
        name = f"5,000 rounds of 40 turns {what} ({found.file_mb:.0f} MB)"
        yield name, shown, "60 s, 300 MB"


def _reviews(url: str) -> Iterator[Row]:
    pages, searches = review.measure(url)
    for aim, readings in (("150 ms", pages), ("100 ms", searches)):
        for name, found in readings.items():
            what = "search for" if readings is searches else "page:"
            shown = f"{found.p50_ms:.0f} / {found.p95_ms:.0f} ms, {found.cpu_ms:.0f} ms of CPU"
            yield f"{what} {name}, 5,000 rounds of 40 turns, p50 / p95", shown, aim


def _calculators() -> Iterator[Row]:
    """Every tool, and importing all of them."""
    found = calculators.measure()
    for simulator, kind, aim in ((False, "calculators", "1 ms"), (True, "simulators", "")):
        of_kind = [reading for reading in found if reading.simulator is simulator]
        first, *others = of_kind[:5]
        after = ", ".join(f"{each.name} {each.cpu_ms:.2f}" for each in others)
        shown = f"{first.name} {first.cpu_ms:.2f} ms of CPU, {first.p50_ms:.2f} ms; then {after}"
        calls = sum(each.calls for each in of_kind)
        yield f"p50 of the slowest of {len(of_kind)} {kind}, {calls} calls", shown, aim
    bare, imported, every = startup.catalogue_ms()
    shown = f"{imported:.0f} ms of CPU, {bare:.0f} of them a bare interpreter's"
    yield "importing the catalogue", f"{shown}; {every:.0f} with all {len(found)} tools", "100 ms"


def _scores() -> Iterator[Row]:
    """The rule scorer's time for an answer."""
    for found in scoring.measure():
        heavy = ", ".join(found.heavy) or "nothing heavy imported"
        shown = f"{found.p50_ms:.1f} / {found.p99_ms:.1f} ms, {found.cpu_ms:.1f} ms of CPU, {heavy}"
        aim = f"{4 * found.words / 300:.1f} ms p50"
        yield f"rule score p50 / p99, {found.answer}, {found.words} words", shown, aim


def _starts() -> Iterator[Row]:
    """The help of `viva`, and a server to its first page."""
    bare, floor = startup.interpreter_ms(), startup.imports_ms()
    yield "viva --help", f"{startup.help_ms():.0f} ms (interpreter {bare:.0f} ms)", "150 ms"
    shown = f"{startup.first_page_ms():.0f} ms (bare imports {floor:.0f} ms)"
    yield "server start to first page", shown, "1 s"


def _simulators() -> Iterator[Row]:
    """Block managers and the engine, beside plain ones."""
    rows = simulators.measure_blocks()
    rate = {(row.what, row.blocks): row.operations_s for row in rows}
    hits = "same hits" if simulators.same_hits(rows) else "OTHER HITS"
    for what in ("paper model", "vLLM V1"):
        times = rate[what, 100_000] / rate["plain lists", 100_000]
        shown = f"{rate[what, 100_000]:,.0f} operations/s: {times:.0f}x plain lists, {hits}"
        yield f"blocks, {what}, 100,000 in the pool, hits on freed ones", shown, "20x"
        kept = rate[what, 1_000_000] / rate[what, 1_000]
        yield f"blocks, {what}, 1,000,000 against 1,000", f"{kept:.2f} of the rate", "0.5"
    bare, *_, ours = simulators.measure_engine((40.0,))
    ratio = f"{ours.tokens_s / bare.tokens_s:.1f}x a bare loop"
    shown = f"{ours.tokens_s / 1e6:.1f}M decode tokens/s with metrics: {ratio}"
    yield "engine simulator, 10,000 requests", shown, "1M"


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "append": _appends,
    "score": _scores,
    "page": _pages,
    "calculators": _calculators,
    "simulators": _simulators,
    "start": _starts,
    "history": _histories,
    "relay": _relays,
}
LISTED = "\n".join(f"  {name:<12} {part.__doc__}" for name, part in PARTS.items())


@click.command(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"\b\nBenchmarks:\n{LISTED}",
)
@click.argument("names", nargs=-1, type=click.Choice(list(PARTS)), metavar="[NAME]...")
def main(names: tuple[str, ...]) -> None:
    """Measure the benchmarks of these names, or all, and print a table as Markdown.

    \b
    Examples:
      python -m bench
      python -m bench append relay
    """
    machine = f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
    click.echo(f"Measured on {machine}, Python {platform.python_version()}.\n")
    click.echo("| what | measured | aim |\n| --- | --- | --- |")
    began = time.monotonic()
    for name in names or PARTS:
        for row in PARTS[name]():
            click.echo("| " + " | ".join(row) + " |")
    click.echo(f"\n{time.monotonic() - began:.0f} s in all.")


if __name__ == "__main__":
    main()
