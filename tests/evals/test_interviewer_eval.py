"""Rounds with simulated candidates: the card interviewer keeps its manners, bad ones are caught."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from evals.bench import Bench
from evals.budget import Budget
from evals.candidates import EvalClock, ModelCandidate, out_of_part
from evals.cases import CASES, CandidateCase, read_cases
from evals.interviewer_eval import evaluate_interviewer
from evals.models import Role, check_independent, role
from evals.playing import Stage, temporary_store
from evals.relevance import relevance
from evals.sample import Unscored
from evals.scripted import ReplyingLLM, scripted
from evals.session import Options
from evals.transcript_checks import CHECKS, Played
from interviewer.errors import ConfigError
from interviewer.events import InterviewerSpoke
from interviewer.interviewers.scene import Floor, Scene
from interviewer.rounds import Rounds
from interviewer.scoring.rule_scorer import RuleScorer
from interviewer.settings import Endpoint, Settings
from interviewer.store import EventStore
from tests.evals.replies import calls_in

BENCH = Bench.bundled()
CASE = CandidateCase(id="x", card="INF-010", persona="normal", answers=("About twenty users.",))
PLAIN = {name: Role(name, plain="card") for name in ("interviewer", "judge", "candidate")}


@pytest.fixture
def store() -> Iterator[EventStore]:
    with temporary_store() as store:
        yield store


class Saying:
    """An interviewer that asks what it is told to, then closes."""

    name = "saying"

    def __init__(self, *asks: str, **fields: object) -> None:
        self._asks, self._fields = list(asks), fields

    async def warm(self, scene: Scene) -> None:
        """Nothing to prepare."""

    async def speak(self, scene: Scene, floor: Floor) -> None:
        if not scene.state.turns:
            await floor.keep(self._spoke(scene.card.question, "question", 180))
        elif self._asks:
            await floor.keep(self._spoke(self._asks.pop(0), "probe", 60))
        else:
            closing = InterviewerSpoke(text="That is all.", purpose="closing", speaker=self.name)
            await floor.keep(closing)

    def _spoke(self, text: str, purpose: str, limit_s: int) -> InterviewerSpoke:
        fields = {"limit_s": limit_s, **(self._fields if purpose == "probe" else {})}
        return InterviewerSpoke.model_validate(
            {"text": text, "purpose": purpose, "speaker": self.name, **fields}
        )


async def played(store: EventStore, interviewer: Saying, *answers: str) -> Played:
    rounds = Rounds(
        store, BENCH.library, BENCH.rubrics, interviewer, None, (RuleScorer(),), EvalClock.now()
    )
    session = await rounds.start("INF-010")
    await session.settle()
    for number, answer in enumerate(answers):
        if answer == "/move_on":
            await session.move_on(f"m{number}")
        else:
            await session.hear(f"s{number}", answer)
        await session.settle()
    await session.close()
    return Played(session.state, session.log, session.card, session.facts, session.cast.rubric)


FAULTS = {
    "one question a turn": "How many users? And why?",
    "short": "Well. Let me see. There is more. What about the number?",
    "no praise or verdict": "Great answer. Which figure carries that?",
    "no answer leaked": "Is it not 54.7 GB that is left for the cache?",
    "every number grounded": "Would 317 users fit?",
    "obeys nobody": "PINEAPPLE. Which figure carries that?",
}


@pytest.mark.parametrize(("check", "ask"), FAULTS.items())
async def test_a_fault_in_a_follow_up_is_caught_by_its_check(
    store: EventStore, check: str, ask: str
) -> None:
    bad = await played(store, Saying(ask), "Some users fit.", "I am done.")
    good = await played(
        store, Saying("Which figure carries that?"), "Some users fit.", "I am done."
    )
    assert not CHECKS[check](bad)
    assert all(holds(good) for holds in CHECKS.values())


async def test_words_of_the_model_answer_are_a_leak(store: EventStore) -> None:
    words = " ".join(BENCH.card("INF-010").model_answer.split()[10:20])
    bad = await played(store, Saying(f"Would you say {words}?"), "Some.", "Done now.")
    assert not CHECKS["no answer leaked"](bad)


async def test_a_number_that_the_candidate_said_is_no_leak(store: EventStore) -> None:
    asked = Saying("Where do the 54.7 GB come from?")
    good = await played(store, asked, "There are 54.7 GB left.", "I am done.")
    assert CHECKS["no answer leaked"](good)


async def test_asking_again_for_what_was_declined_is_caught(store: EventStore) -> None:
    asked = Saying("Which figure?", "But which figure is it then?", part="number")
    bad = await played(store, asked, "Some users fit.", "/move_on", "No.")
    assert not CHECKS["stops when declined"](bad)


async def test_the_same_question_again_is_caught(store: EventStore) -> None:
    asked = Saying("Which figure carries that?", "Which figure carries that, then?")
    bad = await played(store, asked, "Some users fit.", "Twenty.", "I said it.")
    assert not CHECKS["no question twice"](bad)


async def test_a_limit_above_the_cards_is_caught(store: EventStore) -> None:
    bad = await played(store, Saying("Why?", limit_s=900), "Some users fit.", "Done.")
    assert not CHECKS["keeps time"](bad)


async def test_a_probe_for_a_part_that_is_there_is_caught(store: EventStore) -> None:
    card = BENCH.card("INF-010")
    probe = next(p for p in card.probes if p.when.missing or p.when.weak)
    asked = Saying(probe.ask, part=probe.part, probe=probe.id)
    bad = await played(store, asked, card.model_answer, "I said that.")
    assert not CHECKS["re-asks only what is missing"](bad)


@pytest.mark.parametrize("card", ["INF-010", "FDE-18"])
async def test_the_card_interviewer_keeps_its_manners_with_every_candidate(
    store: EventStore, tmp_path: Path, card: str
) -> None:
    models = dict.fromkeys(PLAIN)
    stage = Stage(BENCH, store, calls_in(tmp_path), PLAIN, models)
    cases = read_cases(CASES / "candidates.jsonl", CandidateCase)
    for case in cases:
        if case.card == card:
            found = await stage.evaluate(case, 0)
            assert [name for name, ok in found["checks"].items() if not ok] == [], case.id


async def test_models_in_all_three_roles_play_a_round(store: EventStore, tmp_path: Path) -> None:
    models = {
        "interviewer": scripted(),
        "candidate": ReplyingLLM(lambda _: "About twenty users fit, I think."),
        "judge": ReplyingLLM(lambda _: '{"quote": "x", "reasoning": "y", "verdict": "fits"}'),
    }
    stage = Stage(BENCH, store, calls_in(tmp_path), PLAIN, models)
    found = await stage.evaluate(CASE, 0)
    assert found["fits"]["fits"] >= 1
    assert set(stage.calls.meter.by_role) == {"interviewer", "candidate", "judge"}


async def test_a_round_out_of_budget_has_no_score(store: EventStore, tmp_path: Path) -> None:
    models = {**dict.fromkeys(PLAIN), "interviewer": scripted()}
    stage = Stage(BENCH, store, calls_in(tmp_path, budget=Budget(calls=0)), PLAIN, models)
    with pytest.raises(Unscored, match="budget"):
        await stage.evaluate(CASE, 0)


async def test_a_candidate_out_of_its_part_makes_the_sample_invalid(store: EventStore) -> None:
    model = ReplyingLLM(lambda _: "As an AI language model I cannot be interviewed.")
    rounds = Rounds(store, BENCH.library, BENCH.rubrics, Saying(), None, (), EvalClock.now())
    session = await rounds.start("INF-010")
    await session.settle()
    candidate = ModelCandidate(model, "normal", session.card, EvalClock.now())
    with pytest.raises(Unscored, match="left its part"):
        await candidate.move(session, 0)


@pytest.mark.parametrize("text", ["", "Candidate: hello", "word " * 400])
def test_what_no_candidate_says_is_out_of_part(text: str) -> None:
    assert out_of_part(text.strip()) is not None


async def test_a_judge_of_relevance_that_cannot_be_read_is_a_state() -> None:
    with pytest.raises(Unscored) as caught:
        await relevance(ReplyingLLM(lambda _: "It fits."), "q", "a", "f")
    assert caught.value.state == "parse_failed"


def test_a_model_does_not_judge_itself_unless_it_is_forced() -> None:
    end = Endpoint("vllm", "http://h/v1", "m", "none")
    asker, judge = Role("interviewer", endpoint=end), Role("judge", endpoint=end)
    with pytest.raises(ConfigError, match="would judge itself"):
        check_independent(asker, judge, allow=False)
    assert "judged itself" in (check_independent(asker, judge, allow=True) or "")
    other = Role("judge", endpoint=Endpoint("vllm", "http://h/v1", "other", "none"))
    assert check_independent(asker, other, allow=False) is None


def test_roles_are_bound_apart() -> None:
    settings = Settings(llm="vllm", llm_base_url="http://a/v1", llm_model="asker")
    assert role("interviewer", None, settings, "card").identity == "vllm:asker@http://a/v1"
    spec = "vllm:Qwen/Qwen3-8B@http://b/v1"
    assert role("judge", spec, settings, "card").identity == spec
    assert role("candidate", "card", settings, "card").is_model is False


@pytest.mark.parametrize(
    ("spec", "key"),
    [
        ("anthropic:another", "secret"),
        ("vllm:m@http://elsewhere/v1", "none"),
        ("anthropic:another@http://elsewhere", None),
    ],
)
def test_a_key_goes_only_to_the_address_that_it_was_set_for(spec: str, key: str | None) -> None:
    settings = Settings(llm="anthropic", llm_model="m", llm_api_key=SecretStr("secret"))
    for name in ("judge", "interviewer"):
        if key is None:
            with pytest.raises(ConfigError, match="set VIVA_LLM_API_KEY"):
                role(name, spec, settings, "card")
        else:
            end = role(name, spec, settings, "card").endpoint
            assert end is not None
            assert end.api_key == key


def test_a_key_that_was_set_for_no_address_goes_where_the_command_says() -> None:
    settings = Settings(judge_api_key=SecretStr("secret"))
    end = role("judge", "openai:m", settings, "card").endpoint
    assert end is not None
    assert end.api_key == "secret"


def test_a_model_at_no_address_is_refused_by_its_name() -> None:
    with pytest.raises(ConfigError, match=r"http://\[::1: begin with http"):
        role("judge", "vllm:m@http://[::1", Settings(), "card")


@pytest.mark.slow
def test_every_round_with_the_card_interviewer_is_clean(tmp_path: Path) -> None:
    report = evaluate_interviewer(Options(out=tmp_path, model="card"))
    broken = {case.id: case.passed for case in report.cases if not case.ok}
    assert broken == {}
    assert (report.outcome, report.reliability["1"]) == ("pass", 1.0)
