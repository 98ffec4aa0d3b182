"""`viva market fetch` and `viva market show`; everything heavy is imported when they run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from interviewer.visible import visible

if TYPE_CHECKING:
    from tools.market.boards import Address
    from web.market_cache import MarketCache
    from web.market_fetch import Fetched


@click.group()
def market() -> None:
    """Count FDE postings on public job boards, with the day of every count.

    Example: viva market fetch && viva market show
    """


@market.command()
@click.option("--company", "companies", multiple=True, help="Only this one of the known boards.")
@click.option(
    "--board",
    "boards",
    multiple=True,
    metavar="COMPANY:ATS:SLUG",
    help="Another board; ATS is ashby, greenhouse or lever.",
)
@click.option("--cache", type=click.Path(dir_okay=False, path_type=Path), help="Where to keep it.")
def fetch(companies: tuple[str, ...], boards: tuple[str, ...], cache: Path | None) -> None:
    """Fetch the boards and Plank's census into the cache.

    A source that fails keeps its older answer. Ends with 1 where one failed.

    \b
    Examples:
      viva market fetch
      viva market fetch --company Palantir
      viva market fetch --board Figure:greenhouse:figureai
    """
    from datetime import UTC, datetime

    from web.market_cache import MarketCache, write_cache
    from web.market_fetch import client, fetch_census
    from web.market_fetch import fetch as fetch_boards

    path = _path(cache)
    chosen = _chosen(companies, boards)
    today = datetime.now(UTC).date()
    told: list[Fetched] = []

    def tell(fetched: "Fetched") -> None:
        told.append(fetched)
        click.echo(visible(f"{fetched.name:<12} {fetched.said}"), err=fetched.failed)

    before = _read(path) or MarketCache()
    kept = before
    with client() as http:
        kept = fetch_boards(http, chosen, kept, today, tell)
        if not companies and not boards:
            kept = fetch_census(http, kept, today, tell)
    if kept != before:
        try:
            write_cache(path, kept)
        except OSError as error:
            raise click.ClickException(f"{path} cannot be written: {error.strerror}") from None
    if any(fetched.failed for fetched in told):
        click.echo(_left(kept, path), err=True)
        sys.exit(1)
    click.echo(f"kept in {path}; viva market show counts them")


@market.command()
@click.option("--cache", type=click.Path(dir_okay=False, path_type=Path), help="Where it is kept.")
@click.option("--json", "as_json", is_flag=True, help="Both results whole.")
def show(cache: Path | None, as_json: bool) -> None:
    """Count what was fetched; without a cache, the dated counts that come with Viva.

    Example: viva market show --json
    """
    import json

    from tools.catalog import CATALOG
    from tools.working import plain

    kept = _read(_path(cache))
    boards: dict[str, object] = {"snapshot": "2026-10-07"}
    if kept and kept.boards:
        boards = {"boards": [board.argument for board in kept.boards]}
    pay = kept.plank.argument if kept and kept.plank else {"snapshot": "2026-09-12"}
    counts, median = CATALOG["fde_postings"].call(boards), CATALOG["plank_median"].call(pay)
    if as_json:
        both = {"fde_postings": counts, "plank_median": median}
        click.echo(
            json.dumps({name: result.model_dump(mode="json") for name, result in both.items()})
        )
        return
    click.echo(f"{'company':<12} {'day':<11}{'total':>7}{'titled':>8}{'family':>8}{'share':>8}")
    for row in counts.table:
        family = row.get("family", "")
        click.echo(
            f"{row['company']:<12} {row['date']:<11}{row['total']:>7}{row['titled']:>8}"
            f"{family:>8}{row['titled_share']:>8.1%}"
        )
    click.echo(f"{median.label}: {plain(median.value)} {median.unit}")
    for line in (*counts.warnings, *median.warnings):
        click.echo(f"note: {line}")


def _path(given: Path | None) -> Path:
    from interviewer.settings import load_settings

    return load_settings().market_cache if given is None else given


def _read(path: Path) -> "MarketCache | None":
    from web.market_cache import UnreadableCache, read_cache

    try:
        return read_cache(path)
    except UnreadableCache as error:
        raise click.ClickException(str(error)) from None


def _chosen(companies: tuple[str, ...], boards: tuple[str, ...]) -> "list[Address]":
    from tools.market.boards import BOARDS

    known = {board.company.lower(): board for board in BOARDS}
    unknown = [name for name in companies if name.lower() not in known]
    if unknown:
        names = ", ".join(board.company for board in BOARDS)
        raise click.UsageError(f"no board is known of {unknown[0]}; known: {names}; or use --board")
    chosen = [known[name.lower()] for name in companies]
    chosen += [_address(text) for text in boards]
    return chosen or list(BOARDS)


def _address(text: str) -> "Address":
    import re

    from tools.market.boards import URLS, Address

    company, _, rest = text.partition(":")
    ats, _, slug = rest.partition(":")
    for kind in URLS:
        if ats == kind and company.strip() and re.fullmatch(r"[\w.-]{1,80}", slug):
            return Address(company.strip(), kind, slug)
    raise click.UsageError(f"--board {text}: write COMPANY:ATS:SLUG, such as Figure:lever:figure")


def _left(kept: "MarketCache", path: Path) -> str:
    if kept.oldest is None:
        return "Nothing was fetched; viva market show gives the dated counts that come with Viva."
    return f"{path} keeps what there is; its oldest answer is of {kept.oldest}."
