"""The interviewer without a model: the card's own words, chosen by rule."""

from interviewer.events import InterviewerSpoke
from interviewer.interviewers.choice import Move, next_move
from interviewer.interviewers.scene import Floor, Scene
from interviewer.scoring.material import Material
from interviewer.scoring.rule_scorer import RuleScorer
from interviewer.transcript import answers_in, without_asides
from rubrics.scorecard import Scorecard

NAME = "card"


class CardInterviewer:
    """Asks the card's question, its probes, and closes. Needs no network."""

    name = NAME

    async def warm(self, scene: Scene) -> None:
        """Nothing to prepare."""

    async def speak(self, scene: Scene, floor: Floor) -> None:
        """One turn in the card's words; see `Interviewer.speak`."""
        move = next_move(scene, await assess(scene))
        floor.say(move.text)
        await floor.keep(spoken(move, scene, NAME))


async def assess(scene: Scene) -> Scorecard | None:
    """How the round stands by rule; None before the first answer."""
    turns = without_asides(scene.state.turns)
    if not answers_in(turns):
        return None
    part = scene.state.started.part if scene.state.started else None
    material = Material(scene.card, scene.facts, scene.rubric, turns, part)
    return await RuleScorer().score(material)


def spoken(move: Move, scene: Scene, speaker: str) -> InterviewerSpoke:
    """The event of a turn in the card's own words, with its numbers grounded."""
    return InterviewerSpoke(
        text=move.text,
        purpose=move.purpose,
        speaker=speaker,
        probe=move.probe.id if move.probe else None,
        part=move.part,
        limit_s=move.limit_s,
        figures=scene.ledger.ground(move.text).figures,
    )
