"""`viva serve` and `viva practice`; everything heavy is imported when they run."""

import gc
import io
import sys
from typing import TYPE_CHECKING

import click

from interviewer.visible import visible

if TYPE_CHECKING:
    from web.remote import Server
    from web.terminal import Screen

PARTS = ("claim", "number", "tradeoff", "nextstep")
DRILLS = ("claim", "number", "tradeoff", "nextstep", "followups", "sixty", "curveball")


@click.command()
@click.option("--host", help="Address to listen on. Default: 127.0.0.1, this machine alone.")
@click.option("--port", type=click.IntRange(0, 65535), help="Default: 8000; 0 takes a free one.")
@click.option("--root-path", help="Sub-path behind a reverse proxy, such as /viva.")
def serve(host: str | None, port: int | None, root_path: str | None) -> None:
    """Serve Viva to a browser.

    \b
    Examples:
      viva serve
      viva serve --port 9000
      VIVA_PASSWORD=a-long-one viva serve --host 0.0.0.0
      viva serve --root-path /viva     (behind nginx or Caddy: docs/deploy.md)
    """
    # Start-up only makes what stays; web.server lets the collector in once it listens.
    gc.disable()
    from interviewer.settings import load_settings

    settings = load_settings(host=host, port=port, root_path=root_path)
    from web.logs import log_to_stderr
    from web.server import serve as run

    log_to_stderr()
    run(settings, lambda url: click.echo(f"Viva on {url}  (stop with Ctrl-C)"))


@click.command()
@click.argument("card", required=False)
@click.option("--server", "url", help="A running Viva. Default: one is started for this round.")
@click.option("--part", type=click.Choice(PARTS), help="Drill this part of the answer only.")
@click.option("--drill", type=click.Choice(DRILLS), help="A short round that asks for one thing.")
@click.option("--resume", metavar="ROUND", help="Take up a round that was left.")
def practice(
    card: str | None, url: str | None, part: str | None, drill: str | None, resume: str | None
) -> None:
    """Practise a card in the terminal; reads answers from a pipe as well.

    \b
    End an answer with an empty line or Ctrl-D. Commands on a line of their own:
      /think   keep silent while I think (the clock runs on)
      /move    next question
      /stop    interrupt the interviewer
      /finish  end the round and score it
      /quit    leave; the round is kept
      /help    say these commands

    \b
    Examples:
      viva practice INF-001
      viva practice FDE-02 --part tradeoff
      viva practice INF-010 --drill number     (ten numbers in a row)
      viva practice INF-001 --server http://127.0.0.1:8000 < answers.txt
    """
    if card is None and resume is None:
        raise click.UsageError("name a card, such as INF-001; `viva questions list` shows all")
    if sys.stdin is None:
        raise click.UsageError("standard input is closed; type the answers, or pipe them in")
    if part is not None and drill is not None:
        raise click.UsageError("--part and --drill: name one of the two")
    wanted = {"card": card, "part": part, "drill": drill}
    asked: dict[str, object] = {name: v for name, v in wanted.items() if v is not None}
    from interviewer.settings import is_http, load_settings

    if url is not None and not is_http(url):
        raise click.UsageError(f"--server {url}: begin with http:// or https://, then a host")
    settings = load_settings()
    password = settings.password.get_secret_value() if settings.password else None
    from web.logs import log_to_stderr
    from web.remote import Server
    from web.server import embedded

    if url is not None:
        sys.exit(_practise(Server(url, password), asked, resume))
    # The screen says what a person must know of the server; its log would only break the lines.
    log_to_stderr("ERROR")
    with embedded(settings) as own:
        code = _practise(Server(own, password), asked, resume)
    sys.exit(code)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="An array of part, state and detail.")
def doctor(as_json: bool) -> None:
    """Say which parts are usable, and why not: settings, cards, database, models, browser.

    A model counts as usable when it completes a token. Ends with 1 where a part is broken.

    \b
    Examples:
      viva doctor
      viva doctor --json
    """
    import asyncio
    import json
    from dataclasses import asdict

    from web.doctor import examine

    checks = asyncio.run(examine())
    if as_json:
        click.echo(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        for check in checks:
            click.echo(f"{check.state:<7} {check.part:<12} {visible(check.detail)}")
    sys.exit(any(check.state == "broken" for check in checks))


def _practise(server: "Server", asked: dict[str, object], resume: str | None) -> int:
    """Play one round; the exit code: 0 scored or left, 1 where the server fails."""
    from interviewer.scoring.report import as_text
    from rubrics.library import load_rubrics
    from web.practice import Quit
    from web.remote import ServerError
    from web.terminal import Screen

    screen = Screen(lambda text: click.echo(text, nl=False))
    round_id = resume or ""
    try:
        if resume is None:
            begun = server.post("/api/rounds", asked)
            round_id = begun["id"]
            for line in begun.get("given", ()):
                screen.line(f"Given: {line}")
        _play(server, round_id, screen)
    except ServerError as error:
        click.echo(visible(f"Error: {error}"), err=True)
        return 1
    except (Quit, KeyboardInterrupt):
        screen.line(f"Left. Take it up again with: viva practice --resume {round_id}")
        return 0
    if screen.scorecard is None:
        screen.line("The round is over and was not assessed.")
        return 0
    click.echo("\n" + as_text(screen.scorecard, load_rubrics()[screen.scorecard.rubric]))
    return 0


def _play(server: "Server", round_id: str, screen: "Screen") -> None:
    import asyncio

    from web.practice import Practice
    from web.terminal import HELP

    typed = sys.stdin.isatty()
    if typed:
        screen.line(HELP)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # Bytes that are no text cannot be sent.
    asyncio.run(Practice(server, round_id, screen, typed).run(sys.stdin))
