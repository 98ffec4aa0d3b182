"""Several judgements of one round as one scorecard: each vote is kept, the majority decides."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from statistics import median_low

from interviewer.llm.protocol import LLM
from interviewer.prompts import PromptLibrary
from interviewer.scoring.doubts import agreed
from interviewer.scoring.judge import Judge
from interviewer.scoring.material import Material, Scorer
from interviewer.scoring.scorecards import scorecard
from rubrics.dispute import APART
from rubrics.scorecard import Level, RedFlag, Score, Scorecard, Vote

REPEAT_TEMPERATURE = 0.7
"""Of a judge that reads a round several times: at 0 it would say the same again."""


def judge_of(llms: Sequence[LLM], prompts: PromptLibrary, repeats: int = 1) -> Scorer:
    """One judge, or a panel that votes."""
    temperature = 0.0 if repeats == 1 else REPEAT_TEMPERATURE
    judges = [Judge(llm, prompts, temperature) for llm in llms]
    return judges[0] if len(judges) == repeats == 1 else Panel(judges, repeats)


class Panel:
    """Judges who read the same round, each several times, without knowing of each other."""

    def __init__(self, judges: Sequence[Judge], repeats: int = 1) -> None:
        names = "+".join(judge.llm.name for judge in judges)
        self.name = f"judge/{names}" + (f" x{repeats}" if repeats > 1 else "")
        self._judges = tuple(judge for judge in judges for _ in range(repeats))

    async def score(self, material: Material) -> Scorecard:
        """All judges at once; a vote that failed is kept and decides nothing."""
        cards = await asyncio.gather(*(judge.score(material) for judge in self._judges))
        return combined(material, cards, self.name)


def combined(material: Material, cards: Sequence[Scorecard], name: str) -> Scorecard:
    """One scorecard from several of the same material."""
    scores = tuple(
        _decided(
            [(card.scorer, score) for card in cards for score in card.scores if score.part is part]
        )
        for part in (score.part for score in cards[0].scores)
    )
    hashes = "+".join(dict.fromkeys(card.prompt_hash or "" for card in cards))
    return scorecard(
        material, scores, _flags(cards), agreed(cards), scorer=name, prompt_hash=hashes or None
    )


def _decided(votes: Sequence[tuple[str, Score]]) -> Score:
    """The score of the level that most votes carry, else of the lower middle one."""
    scores = [score for _, score in votes]
    levels = [score.level for score in scores if score.level is not None]
    if all(score.state == "not_assessed" for score in scores):
        return scores[0]
    kept = tuple(
        Vote(judge=judge, level=score.level, reason=score.reason, state=score.state)
        for judge, score in votes
    )
    if not levels:
        return scores[0].model_copy(update={"votes": kept})
    level, count = Counter(levels).most_common(1)[0]
    agreed = 2 * count > len(levels)
    level = level if agreed else median_low(levels)
    speaks = next(score for score in scores if score.level == level)
    split = not agreed or max(levels) - min(levels) >= APART
    return speaks.model_copy(update={"votes": kept, "disputed": _split(levels) if split else ""})


def _split(levels: Sequence[Level]) -> str:
    by_level = [f"{count} for level {level}" for level, count in sorted(Counter(levels).items())]
    return f"The {len(levels)} judgements split: {', '.join(by_level)}."


def _flags(cards: Sequence[Scorecard]) -> tuple[RedFlag, ...]:
    """The red flags that more than half of the judgements raise."""
    raised = [{flag.flag: flag for flag in card.red_flags} for card in cards]
    first = {name: flag for flags in reversed(raised) for name, flag in flags.items()}
    return tuple(
        flag
        for name, flag in first.items()
        if 2 * sum(name in flags for flags in raised) > len(cards)
    )
