"""What to ask next: pure rules over the round, its card and how the answers stand so far."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from interviewer.drills import DRILLS, Drill, chain_of, opening
from interviewer.events import PartName, Purpose, RoundStarted
from interviewer.interviewers.answered import Said
from interviewer.interviewers.asides import Aside, aside_of, ask_again
from interviewer.interviewers.scene import Scene
from interviewer.scoring.features import stem
from interviewer.scoring.words import tokens
from interviewer.transcript import Turn, answers_in
from questions.model import Probe, Trigger
from rubrics.scorecard import SOLID, WRONG, NumberFinding, Scorecard

FOLLOW_UPS = 3
DRILL_FOLLOW_UPS = 2
FOLLOW_UP_LIMIT_S = 60
CURVEBALL_LIMIT_S = 90
LEANS = ("and ", "so ", "then ", "but ", "with ", "you ")
"""How a question begins that says something of the reply before it."""
LEAST_HEARD = 8
"""Characters of a question from which it can be known again."""
CLOSING = "That was the last question. Your scorecard follows."
STOPPED = "We leave it there. Your scorecard follows."

PART_WORDS: dict[PartName, str] = {
    "claim": "claim",
    "number": "number",
    "tradeoff": "trade-off",
    "nextstep": "next step",
}


@dataclass(frozen=True, slots=True)
class Move:
    """The interviewer's next turn, in the card's own words. `aim` never holds the right answer."""

    purpose: Purpose
    text: str
    limit_s: int | None = None
    probe: Probe | None = None
    part: PartName | None = None
    aim: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """What triggers look at: the last answer, the level of each part, the findings on numbers."""

    answer: Turn | None
    """The turn that the interviewer replies to; None when the candidate moved on or passed."""
    said: Said
    """All that was answered so far."""
    levels: dict[PartName, int]
    """0 where the part was not assessed."""
    wrong: dict[str, NumberFinding]
    """By fact: stated wrong in the last answer, and not put right in it."""
    stated: frozenset[str]


def next_move(scene: Scene, scorecard: Scorecard | None) -> Move:
    """The next turn. `scorecard` assesses the round so far; it may be None before any answer."""
    asked = questions_asked(scene)
    if not asked:
        return _opening(scene)
    if again := _again(scene, asked):
        return again
    if scorecard is None:
        return Move("closing", STOPPED)
    left = _follow_ups(scene) - (len(asked) - 1)
    if left > 0 and (deeper := _chained(scene, asked)):
        return deeper
    curveball = _curveball(scene, asked)
    if left <= 0 or any(turn.spoke and turn.spoke.purpose == "curveball" for turn in asked):
        return Move("closing", CLOSING)
    reserved = scene.card.kind in ("design", "decomposition")
    if curveball and reserved and left == 1:
        return curveball
    probe = _probe(scene, scorecard, asked) or curveball or _deeper(scene, scorecard)
    return probe or Move("closing", CLOSING)


def questions_asked(scene: Scene) -> list[Turn]:
    """The interviewer's turns that asked something, the opening first."""
    turns = (turn for turn in scene.state.turns if turn.spoke is not None)
    return [t for t in turns if t.spoke and t.spoke.purpose not in ("nudge", "repeat", "closing")]


def _again(scene: Scene, asked: Sequence[Turn]) -> Move | None:
    """The question at hand once more, if the candidate asked for something instead of answering.

    Once a question; who does not know a follow-up is asked another one.
    """
    last, question, opening = scene.state.turns[-1], asked[-1].spoke, len(asked) == 1
    aside = aside_of(last.text) if last.speaker == "candidate" else None
    if aside is None or question is None or (aside is Aside.UNKNOWN and not opening):
        return None
    if any(t.spoke and t.spoke.purpose == "repeat" for t in scene.state.turns[asked[-1].number :]):
        return None
    text = ask_again(aside, scene.card, question.text, opening=opening)
    return Move("repeat", text, question.limit_s, part=question.part)


def _opening(scene: Scene) -> Move:
    started = scene.state.started
    question = started.question if started else scene.card.question
    limit_s = started.limit_s if started else scene.card.limit_s
    part = started.part if started else None
    if started is not None and (drill := _drill(scene)):
        return _drill_opening(scene, started, drill)
    if part is None:
        return Move("question", question, limit_s)
    return Move(
        "question", f"Only the {PART_WORDS[part]}: {question}", FOLLOW_UP_LIMIT_S, None, part
    )


def _drill(scene: Scene) -> Drill | None:
    started = scene.state.started
    return DRILLS[started.drill] if started and started.drill else None


def _drill_opening(scene: Scene, started: RoundStarted, drill: Drill) -> Move:
    probe = chain_of(scene.card, started.seed) if drill.name == "followups" else None
    text = opening(drill, scene.card, started.question, probe)
    return Move("question", text, started.limit_s, probe, started.part)


def _chained(scene: Scene, asked: Sequence[Turn]) -> Move | None:
    """In a chain of follow-ups, the one below the one that was just answered."""
    drill, last = _drill(scene), asked[-1].spoke
    if drill is None or drill.name != "followups" or last is None:
        return None
    for probe, _ in _walk(scene.card.probes, 0):
        if probe.id == last.probe and probe.then:
            below = probe.then[0]
            return Move("probe", below.ask, drill.limit_s, below, below.part)
    return None


def _drilled(scene: Scene) -> PartName | None:
    return scene.state.started.part if scene.state.started else None


def _follow_ups(scene: Scene) -> int:
    if drill := _drill(scene):
        return drill.follow_ups
    return DRILL_FOLLOW_UPS if _drilled(scene) else FOLLOW_UPS


def _curveball(scene: Scene, asked: Sequence[Turn]) -> Move | None:
    if not scene.card.curveball or _drilled(scene) or _drill(scene):
        return None
    return Move("curveball", scene.card.curveball, CURVEBALL_LIMIT_S)


def _probe(scene: Scene, scorecard: Scorecard, asked: Sequence[Turn]) -> Move | None:
    """The best probe whose trigger is hit; of equal ones the one for the weakest part."""
    picture, waved_off = picture_of(scene, scorecard), _waved_off(scene, scorecard, asked)
    open_probes = [
        (rank, picture.levels[probe.part], order, probe)
        for order, (probe, depth) in enumerate(_offered(scene, asked, picture))
        if (rank := _rank(probe.when, depth, picture)) is not None
        and probe.part not in waved_off
        and _is_open(probe, scene, picture)
    ]
    if not open_probes:
        return None
    probe = min(open_probes, key=lambda offer: offer[:3])[3]
    aim = _aim(probe.when, picture, scene)
    return Move("probe", probe.ask, FOLLOW_UP_LIMIT_S, probe, probe.part, aim)


def _deeper(scene: Scene, scorecard: Scorecard) -> Move | None:
    """Where nothing is missing: what stands below a probe that a solid part made needless."""
    picture = picture_of(scene, scorecard)
    for probe in scene.card.probes:
        if probe.when.said or probe.when.always or picture.levels[probe.part] < SOLID:
            continue
        for below in probe.then:
            if not below.ask.lower().startswith(LEANS) and _is_open(below, scene, picture):
                return Move("probe", below.ask, FOLLOW_UP_LIMIT_S, below, below.part)
    return None


def _waved_off(scene: Scene, scorecard: Scorecard, asked: Sequence[Turn]) -> frozenset[PartName]:
    """The parts of questions that the candidate moved on from before they were out.

    The log of such a question does not say what it was after; choosing it again does.
    """
    last = asked[-1]
    if len(asked) < 2 or not last.interrupted or scene.state.turns[-1].speaker == "candidate":
        return frozenset()
    turns = tuple(turn for turn in scene.state.turns if turn.number < last.number)
    before = replace(scene, state=replace(scene.state, turns=turns))
    chosen = _probe(before, scorecard, asked[:-1])
    earlier = _waved_off(before, scorecard, asked[:-1])
    return earlier | {chosen.part} if chosen and chosen.part else earlier


def picture_of(scene: Scene, scorecard: Scorecard) -> Picture:
    """What the triggers see of the round."""
    last = scene.state.turns[-1]
    answer = last if last.speaker == "candidate" and not aside_of(last.text) else None
    here = [n for n in scorecard.numbers if answer is not None and n.turn == answer.number]
    right = {n.fact for n in here if n.verdict == "right"}
    wrong = {
        n.fact: n for n in here if n.fact is not None and n.fact not in right and n.verdict in WRONG
    }
    levels: dict[PartName, int] = {part: 0 for part in PART_WORDS}
    levels |= {score.part.value: score.level or 0 for score in scorecard.scores}
    stated = frozenset(n.fact for n in scorecard.numbers if n.fact is not None)
    said = Said([turn.text for turn in answers_in(scene.state.turns)])
    return Picture(answer, said, levels, wrong, stated)


def _offered(scene: Scene, asked: Sequence[Turn], picture: Picture) -> Iterator[tuple[Probe, int]]:
    """Probes with their depth: those nested under the probe just answered, then the card's own.

    Below one that was answered before it was asked stands what a good reply to it leads to.
    """
    last = asked[-1].spoke
    if picture.answer is not None and last is not None and last.probe is not None:
        for parent, depth in _walk(scene.card.probes, 0):
            if parent.id == last.probe:
                yield from ((probe, depth + 1) for probe in parent.then)
    for probe in scene.card.probes:
        yield probe, 0
        if probe.then and picture.said.answers(probe, scene.card):
            yield from ((below, 0) for below in probe.then)


def _walk(probes: Sequence[Probe], depth: int) -> Iterator[tuple[Probe, int]]:
    for probe in probes:
        yield probe, depth
        yield from _walk(probe.then, depth + 1)


def _is_open(probe: Probe, scene: Scene, picture: Picture) -> bool:
    drilled = _drilled(scene)
    if probe.id in scene.state.probes or probe.part in _declined(scene):
        return False
    if probe.when.wrong is None and picture.said.answers(probe, scene.card):
        return False
    if drilled is not None and probe.part != drilled:
        return False
    stopped = (turn.text.strip() for turn in scene.state.turns if turn.interrupted)
    # A candidate who stopped a question in the middle has understood it.
    return not any(len(heard) >= LEAST_HEARD and probe.ask.startswith(heard) for heard in stopped)


def _declined(scene: Scene) -> frozenset[str]:
    """The parts that are not asked for again: of questions moved on from, and of unknown ones."""
    turns = scene.state.turns
    unknown = (
        question.spoke.part
        for question, reply in pairwise(turns)
        if question.spoke and reply.speaker == "candidate"
        if aside_of(reply.text) is Aside.UNKNOWN and question.spoke.part
    )
    return frozenset((*scene.state.declined, *unknown))


def _rank(when: Trigger, depth: int, picture: Picture) -> int | None:
    """How much a probe is called for, 0 the most; None when its trigger is not hit."""
    if when.always:
        # One step deeper on the reply is always fair; more only when nothing else calls.
        return {0: 6, 1: 0}.get(depth, 5)
    hit = _hit(when, picture)
    return hit if hit is None or depth == 0 else 0


def _hit(when: Trigger, picture: Picture) -> int | None:
    """A wrong number first, then a part that is not there, then what the candidate spoke of."""
    if when.wrong is not None:
        return 1 if when.wrong in picture.wrong else None
    if when.said:
        return 3 if picture.answer and says(picture.answer.text, when.said) else None
    if when.unstated is not None:
        return 5 if when.unstated not in picture.stated else None
    level = picture.levels[when.missing or when.weak or "claim"]
    if level > 2:
        return None
    return 2 if level <= 1 else 4


def says(text: str, phrases: Sequence[str]) -> bool:
    """True if one of the phrases occurs in the text: whole words, whatever their endings."""
    said = _stems(text)
    return any(_stems(phrase) in said for phrase in phrases)


def _stems(text: str) -> str:
    found = " ".join(stem(word.removesuffix("'s")) for word in tokens(text))
    return f" {found} "


def _aim(when: Trigger, picture: Picture, scene: Scene) -> str:
    """What the question is for. Worded as a task: models repeat a judgement that they are told."""
    labels = {fact.id: fact.label for fact in scene.card.facts}
    if when.wrong is not None:
        said, label = picture.wrong[when.wrong].said, labels.get(when.wrong, "figure")
        return f"Let the candidate derive the {label}, for which they said {said!r}."
    if when.said:
        return "Pick up the candidate's own words."
    if when.unstated is not None:
        return f"Get the {labels.get(when.unstated, 'figure')}."
    part = when.missing or when.weak
    return f"Get the {PART_WORDS[part]}." if part else ""
