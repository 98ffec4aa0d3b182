"""The `viva` command: mounts the sub-commands of each package; nothing imports this module."""

import click

from evals.commands import eval_
from interviewer.commands import check_cards, config, export, score
from interviewer.errors import ConfigError, InterviewerError
from interviewer.keeping.commands import backup, import_, purge, restore
from interviewer.models.commands import model
from interviewer.visible import visible
from interviewer.voice.commands import voice
from questions.commands import questions
from tools.commands import tools
from web.commands import doctor, practice, serve
from web.market_commands import market


class Told(click.Group):
    """Says in one line what the application or the system refuses: exit code 2 for a setting, 1 for
    the rest.
    """

    def invoke(self, ctx: click.Context) -> object:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # whoever read has read enough, which click knows
        except (InterviewerError, OSError) as error:
            failure = click.ClickException(visible(_told(error)))
            failure.exit_code = 2 if isinstance(error, ConfigError) else 1
            raise failure from None


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


@click.group(cls=Told, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="viva")
def main() -> None:
    """Practise interview answers aloud or in writing, against a clock,
    with numbers that are checked."""


main.add_command(serve)
main.add_command(practice)
main.add_command(questions)
questions.add_command(check_cards)
main.add_command(tools)
main.add_command(market)
main.add_command(score)
main.add_command(export)
for command in (import_, backup, restore, purge):
    main.add_command(command)
main.add_command(eval_)
main.add_command(config)
main.add_command(doctor)
main.add_command(model)
main.add_command(voice)
