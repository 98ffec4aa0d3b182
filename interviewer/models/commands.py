"""`viva model`: plan, serve and check a model of your own. Imports only click until it runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from interviewer.models.findings import Report
    from interviewer.models.plan import Plan
    from interviewer.models.serving import Launch

Command = TypeVar("Command", bound=Callable[..., None])
FORMATS = ("bf16", "fp8", "int8", "int4", "fp4")
_OPTIONS = (
    click.option("--model", required=True, help="Name or folder, as vLLM takes it."),
    click.option("--config", type=click.File(), help="Its config.json, if the name is not known."),
    click.option("--gpu", help="Such as H200 or L40S; `viva tools run memory_budget` knows more."),
    click.option("--gpus", type=click.IntRange(1, 64), default=1, show_default=True),
    click.option(
        "--users", type=click.IntRange(1, 10_000), default=8, show_default=True, help="At once."
    ),
    click.option(
        "--context", type=click.IntRange(1_024, 1_000_000), default=8_192, show_default=True
    ),
    click.option("--weights", type=click.Choice(FORMATS), help="Default: as stored."),
    click.option("--kv", type=click.Choice(["bf16", "fp8"]), default="bf16", show_default=True),
    click.option(
        "--utilization", type=click.FloatRange(0.1, 0.99), default=0.92, show_default=True
    ),
    click.option(
        "--reserve-gb",
        type=click.FloatRange(0, 100),
        default=6.0,
        show_default=True,
        help="Of each GPU, for activations, graphs and buffers.",
    ),
    click.option("--name", help="The name that the model is served under."),
    click.option("--tool-parser", metavar="NAME", help="Default: by the model's name."),
    click.option("--reasoning-parser", metavar="NAME", help="Default: by the model's name."),
    click.option("--chat-template", metavar="FILE"),
    click.option("--host", default="127.0.0.1", show_default=True),
    click.option("--port", type=click.IntRange(1, 65_535), default=8_001, show_default=True),
)


def _sizing(command: Command) -> Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group()
def model() -> None:
    """Size, start and check a model of your own."""


@model.command()
@_sizing
@click.option("--json", "as_json", is_flag=True, help="The plan as JSON.")
def plan(as_json: bool, **wish: object) -> None:
    """Print a `vllm serve` command with the arithmetic behind each flag.

    Ends with 1 where it does not fit, and says what to lower.

    \b
    Examples:
      viva model plan --gpu H200 --model meta-llama/Llama-3.3-70B-Instruct --users 40
      viva model plan --gpu L40S --gpus 2 --model Qwen/Qwen3-32B --weights fp8 --json
    """
    import json

    from interviewer.models.shown import as_data, as_shell

    made = _planned(wish)
    click.echo(json.dumps(as_data(made), indent=2) if as_json else as_shell(made))
    raise SystemExit(0 if made.fits else 1)


def _planned(wish: dict[str, object]) -> Plan:
    from interviewer.models.plan import Wish, make_plan
    from tools.result import ToolError

    given = cast("dict[str, Any]", wish)
    config = given.pop("config")
    try:
        return make_plan(Wish(**given, config=config.read() if config else None))
    except UnicodeDecodeError as error:
        raise click.UsageError(f"--config {config.name}: not UTF-8 ({error.reason})") from None
    except ToolError as error:
        raise click.UsageError(str(error)) from None


@model.command(context_settings={"ignore_unknown_options": True})
@_sizing
@click.option("--python", type=click.Path(path_type=Path), help="Of an environment with vLLM.")
@click.option("--image", help="Run this container image instead, with docker or podman.")
@click.option("--log", type=click.Path(path_type=Path), default=Path("vllm.log"), show_default=True)
@click.argument("extra", nargs=-1, metavar="[-- VLLM FLAGS]", type=click.UNPROCESSED)
def serve(
    python: Path | None, image: str | None, log: Path, extra: tuple[str, ...], **wish: object
) -> None:
    """Start vLLM as `viva model plan` would, wait until it is ready, and stop it with Ctrl-C.

    It runs in an environment of its own (.venv-vllm, or --python), else in a container: never in
    Viva's, whose pins differ. What stands after -- is passed on to vLLM.

    \b
    Examples:
      viva model serve --model Qwen/Qwen3-8B --gpu L40S --users 12
      viva model serve --model ./mine --name mine --python .venv-vllm/bin/python -- --seed 1
    """
    import signal

    from interviewer.models.serving import running

    made = _planned(wish)
    if not made.fits:
        raise click.UsageError("it does not fit; `viva model plan` says what to change")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    # SIGINT too: a script's background jobs are started with it ignored, and would pass that on.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    name = made.wish.name or made.wish.model
    try:
        launch = _launch(made, python, image, log, extra)
        with running(launch, _progress) as process:
            click.echo(f"\n{name} at {launch.url}/v1  (stop with Ctrl-C; log in {log})")
            click.echo(f"VIVA_LLM=vllm VIVA_LLM_BASE_URL={launch.url}/v1 VIVA_LLM_MODEL={name}")
            code = process.wait()
        raise click.ClickException(f"vLLM ended by itself with {code}; see {log}")
    except KeyboardInterrupt:
        click.echo("Stopped.")


def _launch(
    made: Plan, python: Path | None, image: str | None, log: Path, extra: tuple[str, ...]
) -> Launch:
    from interviewer.models.serving import IMAGE, found_engine, in_container, in_environment

    if python is not None:
        return in_environment(python, made, log, extra)
    engine = found_engine()
    if isinstance(engine, Path):
        return in_environment(engine, made, log, extra)
    return in_container(engine, made, log, image or IMAGE, extra)


def _progress(seconds: float, line: str) -> None:
    """One line that is written over on a terminal; every ten seconds a line elsewhere."""
    import sys

    from interviewer.visible import visible

    shown = f"loading, {seconds:4.0f} s: {visible(line)[:90]}"
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[2K{shown}", nl=False, err=True)
    elif seconds % 10 < 0.3:
        click.echo(shown, err=True)


@model.command()
@click.argument("url")
@click.option("--model", "name", help="Default: the first one that is served.")
@click.option(
    "--key-env",
    default="VIVA_LLM_API_KEY",
    show_default=True,
    help="The variable that holds the endpoint's key.",
)
@click.option("--json", "as_json", is_flag=True, help="The whole report.")
@click.option("--keep/--no-keep", default=True, help="Keep it for the server (VIVA_CHECKS).")
def check(url: str, name: str | None, key_env: str, as_json: bool, keep: bool) -> None:
    """Tell by trying what an endpoint can do, by effect and not by status code.

    It sends some dozens of short requests, and fills the queue for a moment. A server of Viva goes
    by what was found from its next start on, for this model and this version. Ends with 1 where
    rounds cannot be played well: no streaming, no tools or no JSON schema.

    \b
    Examples:
      viva model check http://127.0.0.1:8001/v1
      viva model check https://gpu.example/v1 --model mine --json
    """
    import asyncio
    import os

    from interviewer.models.kept import keep as keep_report
    from interviewer.models.shown import report_text
    from interviewer.settings import is_http, load_settings

    if not is_http(url):
        raise click.UsageError(f"{url}: begin with http:// or https://, then a host")
    report = asyncio.run(_checked(url, name, os.environ.get(key_env) or "none"))
    if keep:
        keep_report(load_settings().checks, report)
    click.echo(report.model_dump_json(indent=2) if as_json else report_text(report))
    raise SystemExit(0 if report.suffices else 1)


async def _checked(url: str, name: str | None, key: str) -> Report:
    from interviewer.models.trials import check as try_all
    from interviewer.models.wire import Wire

    async with Wire(url, key) as wire:
        return await try_all(wire, name)
