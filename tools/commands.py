"""`viva tools list`, `run NAME` and `mcp`: flags from a tool's schema, loaded when used."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from tools.registry import Tool
    from tools.result import Result


class CatalogGroup(click.Group):
    """A sub-command for every tool of the catalogue, made when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the catalogue's order."""
        from tools.catalog import CATALOG

        return list(CATALOG)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does; an unknown tool is told with those whose names are close."""
        from difflib import get_close_matches

        from tools.catalog import CATALOG

        if args[0] not in CATALOG:
            close = get_close_matches(args[0], CATALOG, cutoff=0.6)
            hint = f"did you mean {' or '.join(close)}?" if close else "`viva tools list` shows all"
            raise click.UsageError(f"no tool is named {args[0]!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one tool, with a flag for each argument."""
        from tools.catalog import CATALOG

        tool = CATALOG.get(cmd_name)
        return _command(tool) if tool else None


@click.group(invoke_without_command=True)
@click.option("--mcp", "as_mcp", is_flag=True, help="Serve every tool over MCP: same as 'mcp'.")
@click.pass_context
def tools(ctx: click.Context, as_mcp: bool) -> None:
    """Calculators that the interviewer, the score and you can use.

    Example: viva tools run kv_cache --model Llama-3.3-70B --tokens 8192
    """
    if as_mcp and ctx.invoked_subcommand:
        raise click.UsageError(
            f"--mcp serves the tools; it does not go with {ctx.invoked_subcommand}"
        )
    if as_mcp:
        ctx.invoke(serve_mcp)
    elif ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        ctx.exit(2)


@tools.command("mcp")
def serve_mcp() -> None:
    """Serve every tool over MCP on stdin and stdout, for any agent that speaks it.

    In a client's configuration: command "viva", arguments ["tools", "mcp"].

    Example: viva tools mcp
    """
    try:
        from tools.mcp_server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise click.ClickException(
            "the MCP SDK is not installed; in Viva's folder: uv sync --extra mcp"
        ) from None
    serve()


@tools.command("list")
@click.option(
    "--json", "as_json", is_flag=True, help="An array of objects, with each tool's schema."
)
def list_tools(as_json: bool) -> None:
    """List the tools by section.

    Example: viva tools list --json
    """
    from tools.catalog import CATALOG, sections

    if as_json:
        click.echo(json.dumps([_described(tool) for tool in CATALOG.values()], indent=2))
        return
    width = max(len(name) for name in CATALOG)
    for section, listed in sections():
        click.echo(f"{section}:")
        for tool in listed:
            click.echo(f"  {tool.name:{width}}  {tool.summary}")


@tools.group("run", cls=CatalogGroup)
def run_tool() -> None:
    """Run one tool: viva tools run NAME --help shows its flags.

    Exit status: 0 a result, 1 the tool refused the input, 2 wrong usage.

    Example: viva tools run stats --successes 8 --trials 11 --json
    """


def _described(tool: "Tool") -> dict[str, Any]:
    return {
        "name": tool.name,
        "group": tool.group,
        "summary": tool.summary,
        "description": tool.description,
        "example": dict(tool.example),
        "schema": tool.schema(),
    }


def _command(tool: "Tool") -> click.Command:
    schema = tool.schema()
    required = schema.get("required", ())
    options: list[click.Parameter] = [
        _option(name, part, name in required) for name, part in schema["properties"].items()
    ]
    options.append(
        click.Option(["--json", "as_json"], is_flag=True, help="The whole result as JSON.")
    )

    def callback(as_json: bool, **given: object) -> None:
        _run(tool, given, as_json=as_json)

    example = " ".join(["viva tools run", tool.name, *_flags(tool.example)])
    return click.Command(
        tool.name,
        params=options,
        callback=callback,
        help=f"{tool.description}\n\n\b\nExample: {example}",
        short_help=tool.summary,
    )


def _option(name: str, part: Mapping[str, Any], required: bool) -> click.Option:
    kind = "|".join(map(str, part["enum"])) if "enum" in part else part.get("type", "json").upper()
    words = part.get("description", "")
    if part.get("default") is not None:
        words = f"{words} [default: {json.dumps(part['default'])}]"
    if name == "config":
        words = f"{words}; @FILE reads a file"
    names = [f"--{name.replace('_', '-')}", name]
    if part.get("type") == "boolean":
        if part.get("default"):
            names[0] = f"{names[0]}/--no-{names[0][2:]}"
        return click.Option(names, is_flag=True, default=None, help=words)
    return click.Option(names, metavar=kind, help=words, required=required)


def _flags(example: Mapping[str, object]) -> list[str]:
    import json
    import shlex

    said = {name: v if isinstance(v, str) else json.dumps(v) for name, v in example.items()}
    return [f"--{name.replace('_', '-')} {shlex.quote(value)}" for name, value in said.items()]


def _run(tool: "Tool", given: Mapping[str, object], *, as_json: bool) -> None:
    from tools.result import ToolError

    config = given.get("config")
    if isinstance(config, str) and config.startswith("@"):
        given = {**given, "config": _file(config[1:])}
    try:
        result = tool.call(given)
    except ToolError as error:
        if error.field not in given:
            raise click.ClickException(str(error)) from None
        flag = f"--{error.field.replace('_', '-')}"
        raise click.ClickException(f"{flag} {error.value!r}: {error.remedy}") from None
    click.echo(result.model_dump_json(indent=2) if as_json else _text(result))


def _file(path: str) -> str:
    from tools.config_json import MAX_BYTES

    try:
        with open(path, encoding="utf-8") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise click.BadParameter(str(error), param_hint="--config") from None


def _text(result: "Result") -> str:
    from tools.working import plain

    lines = [f"{plain(result.value)} {result.unit}  {result.label}", "", f"  {result.formula}", ""]
    width = max(len(name) for name in result.measures)
    for name, measure in result.measures.items():
        kind = "" if measure.kind == "exact" else f" ({measure.kind})"
        lines.append(
            f"  {name:{width}}  {plain(measure.value)} {measure.unit}  {measure.label}{kind}"
        )
    lines.append("")
    lines.extend(f"  assumes  {line}" for line in result.assumptions)
    lines.extend(f"  warning  {line}" for line in result.warnings)
    lines.append(f"  source   {result.source}")
    return "\n".join(lines)
