"""The interviewer of a number drill: says how the last number was, and asks for the next one."""

from collections.abc import Sequence
from random import Random

from interviewer.drills import DRILLS, NUMBERS
from interviewer.events import Figure, InterviewerSpoke, NumberAsked
from interviewer.interviewers.scene import Floor, Scene
from interviewer.reckoning.draw import draw
from interviewer.reckoning.model import Reckoning
from interviewer.reckoning.outcomes import Outcome, outcomes
from interviewer.round import Round

NAME = "card"


class NumberInterviewer:
    """Draws from the round's templates. Every number of it is checked by the template's tool."""

    name = NAME

    async def warm(self, scene: Scene) -> None:
        """Nothing to prepare."""

    async def speak(self, scene: Scene, floor: Floor) -> None:
        """One turn; see `Interviewer.speak`."""
        spoke = next_turn(scene.state)
        floor.say(spoke.text)
        await floor.keep(spoke)


def next_turn(state: Round) -> InterviewerSpoke:
    """How the last number was, then the next one, or the summary after the last of them."""
    done = outcomes(state.turns)
    said, figures = _feedback(done[-1]) if done else ("", ())
    if len(done) == NUMBERS:
        text = f"{said}\n\n{_summary(done)}"
        return InterviewerSpoke(text=text, purpose="closing", speaker=NAME, figures=figures)
    started = state.started
    pool, seed = (started.pool, started.seed) if started else ((), 0)
    rng = Random(f"{seed}:{len(done)}")  # the same again after a crash
    asked = draw(pool, rng, [outcome.reckoning for outcome in done])
    text = f"{said}\n\nNumber {len(done) + 1} of {NUMBERS}. {asked.text}".strip()
    return InterviewerSpoke(
        text=text,
        purpose="question",
        speaker=NAME,
        part="number",
        limit_s=DRILLS["number"].limit_s,
        figures=figures,
        number=NumberAsked(template=asked.template, arguments=dict(asked.arguments)),
    )


def _feedback(outcome: Outcome) -> tuple[str, tuple[Figure, ...]]:
    """The verdict in words, with the right value as a figure that opens the tool call."""
    right, checked = outcome.reckoning.shown, outcome.checked
    if checked is None:
        text = f"It is {right}."
    elif checked.verdict == "unsaid":
        text = f"No number in that unit; it is {right}."
    elif checked.verdict == "right":
        text = f"Right: {right}."
    elif checked.verdict == "slip":
        text = f"It is {right}. A known slip: {checked.reason}."
    else:
        text = f"It is {right}; yours is {checked.reason}." if checked.reason else f"It is {right}."
    return text, (_figure(outcome.reckoning, text.index(right)),)


def _figure(reckoning: Reckoning, start: int) -> Figure:
    result = reckoning.result
    return Figure(
        start=start,
        end=start + len(reckoning.shown),
        said=reckoning.shown,
        origin="tool",
        ref=reckoning.template,
        label=reckoning.ask,
        value=reckoning.shown,
        tool=result.tool,
        arguments=dict(reckoning.arguments),
        formula=result.formula,
        source=result.source,
    )


def _summary(done: Sequence[Outcome]) -> str:
    verdicts = [outcome.checked.verdict if outcome.checked else "unsaid" for outcome in done]
    right, slips = verdicts.count("right"), verdicts.count("slip")
    said = f"{right} of {len(done)} right"
    if slips:
        said += f", {slips} by a known slip"
    return f"{said}. Your scorecard follows."
