"""Progress as a page: its figures, and that it never mixes scorers or rubric hashes."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviewer.events import Event, PartName, RoundScored
from interviewer.review.rates import Rate
from interviewer.store import EventStore
from rubrics.scorecard import Part
from tests.web.reading import text_of
from tests.web.rig import LIBRARY
from tests.web.scored import (
    AT,
    App,
    answered,
    application,
    asked,
    score,
    scorecard,
    scored_events,
    started,
)
from web.figures.canvas import Canvas
from web.views.rate_plots import Row, across_rates

CARDS = ("INF-001", "FDE-01")
LABELS = ("Claim", "Number", "Trade-off", "Next step")


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


@dataclass(frozen=True)
class Verdict:
    """One scorecard in short."""

    scorer: str
    rubric_hash: str
    levels: tuple[int | None, ...]

    @property
    def event(self) -> RoundScored:
        scores = tuple(score(part, level) for part, level in zip(Part, self.levels, strict=True))
        card = scorecard(scores=scores, scorer=self.scorer, rubric_hash=self.rubric_hash)
        return RoundScored(scorecard=card)


@dataclass(frozen=True)
class Played:
    """A round in short."""

    card: str
    day: int
    verdicts: tuple[Verdict, ...]
    part: PartName | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        begun = started(card=self.card, part=self.part)
        verdicts = (verdict.event for verdict in self.verdicts)
        return begun, asked(), answered(), scored_events()[3], *verdicts


def add(app: App, rounds: Sequence[Played]) -> None:
    assert app.client.portal is not None
    for number, played in enumerate(rounds):
        at = AT - timedelta(days=played.day)
        append = partial(app.store.append, f"{number:016x}", 1, *played.events, at=at)
        app.client.portal.call(append)


def by_part(html: str) -> dict[str, tuple[int, str]]:
    """Of the table by part: how often it was assessed, and the rate as shown."""
    table = html.split('aria-label="Table by part"')[1].split("</table>")[0]
    rows = re.findall(
        r'<th scope="row">([^<]+)</th><td class="num">(\d+)</td><td class="num">([^<]+)</td>', table
    )
    return {label: (int(n), rate) for label, n, rate in rows}


def expected(rounds: Sequence[Played], scorer: str, rubric_hash: str) -> dict[str, tuple[int, str]]:
    """The same, counted from the rounds themselves."""
    levels: dict[str, list[int]] = {label: [] for label in LABELS}
    for played in rounds:
        mine = [v for v in played.verdicts if (v.scorer, v.rubric_hash) == (scorer, rubric_hash)]
        if not mine or played.part:
            continue
        for label, level in zip(LABELS, mine[-1].levels, strict=True):
            levels[label] += [level] if level else []
    shown: dict[str, tuple[int, str]] = {}
    for label, given_levels in levels.items():
        n, solid = len(given_levels), sum(level >= 3 for level in given_levels)
        shown[label] = (n, f"{100 * solid / n:.0f} %" if n else "–")
    return shown


def gave_a_level(rounds: Sequence[Played], scorer: str, rubric_hash: str) -> bool:
    """Whether the newest verdict of any round, drills included, holds a level."""
    given = (
        [v.levels for v in played.verdicts if (v.scorer, v.rubric_hash) == (scorer, rubric_hash)]
        for played in rounds
    )
    return any(any(levels[-1]) for levels in given if levels)


VERDICTS = st.builds(
    Verdict,
    scorer=st.sampled_from(["rule/5", "judge/m"]),
    rubric_hash=st.sampled_from(["r1", "r2"]),
    levels=st.tuples(*[st.sampled_from([None, 1, 2, 3, 4])] * 4),
)
ROUNDS = st.lists(
    st.builds(
        Played,
        card=st.sampled_from(CARDS),
        day=st.integers(0, 40),
        verdicts=st.lists(VERDICTS, min_size=1, max_size=3).map(tuple),
        part=st.sampled_from([None, None, None, "claim"]),
    ),
    min_size=1,
    max_size=6,
)


@contextmanager
def fresh(empty: Path) -> Iterator[App]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "viva.db"
        path.write_bytes(empty.read_bytes())
        store = EventStore(f"sqlite:///{path}")
        with application(store) as app:
            yield app
        store.close()


@given(rounds=ROUNDS)
@settings(max_examples=25, deadline=None)
def test_no_page_ever_mixes_scorers_or_rubric_hashes(
    empty_database: Path, rounds: list[Played]
) -> None:
    known = {(v.scorer, v.rubric_hash) for played in rounds for v in played.verdicts}
    with fresh(empty_database) as app:
        add(app, rounds)
        for scorer, rubric_hash in known:
            query = urlencode({"by": f"{scorer} {rubric_hash}"})
            answer = app.client.get(f"/progress?{query}")
            if gave_a_level(rounds, scorer, rubric_hash):
                assert by_part(answer.text) == expected(rounds, scorer, rubric_hash)
            else:
                assert "Table by part" not in answer.text
            for card in CARDS:
                mine = attempts_expected(rounds, card, scorer, rubric_hash)
                answer = app.client.get(f"/questions/{card}/attempts?{query}")
                assert attempts_shown(answer.text) == mine


def attempts_shown(html: str) -> list[list[str]]:
    """The levels of the table of every attempt."""
    if "Levels of every attempt" not in html:
        return []
    table = html.split("Levels of every attempt")[1].split("</table>")[0]
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", table)
    return sorted(re.findall(r'<td class="num">([^<]+)</td>', row)[:4] for row in rows)


def attempts_expected(
    rounds: Sequence[Played], card: str, scorer: str, rubric_hash: str
) -> list[list[str]]:
    mine = [
        [v for v in played.verdicts if (v.scorer, v.rubric_hash) == (scorer, rubric_hash)]
        for played in rounds
        if played.card == card and not played.part
    ]
    return sorted([str(level or "–") for level in given[-1].levels] for given in mine if given)


def test_without_any_score_the_page_says_what_to_do(app: App) -> None:
    assert "Nothing has been scored yet" in app.client.get("/progress").text


def test_the_page_says_what_to_practise_and_why(app: App) -> None:
    weak = Verdict("rule/5", "r1", (4, 4, 1, 3))
    add(app, [Played("INF-001", day, (weak,)) for day in range(4)])
    theme = LIBRARY.get("INF-001").theme
    text = text_of(app.client.get("/progress").text)
    assert f"Next, practise the trade-off in “{theme}”: solid or better in 0 of 4" in text
    lowest = "which ends lowest of 4 pairs of part and theme."
    assert f"with a 95 % interval from 0 to 49 %, {lowest}" in text


def test_drills_count_only_where_they_are_asked_for(app: App) -> None:
    verdict = Verdict("rule/5", "r1", (4, None, None, None))
    add(app, [Played("INF-001", 1, (verdict,)), Played("INF-001", 2, (verdict,), "claim")])
    assert by_part(app.client.get("/progress").text)["Claim"][0] == 1
    assert by_part(app.client.get("/progress?drills=yes").text)["Claim"][0] == 2


def test_every_plot_has_its_table_and_every_rate_its_interval(app: App) -> None:
    add(app, [Played("INF-001", 1, (Verdict("rule/5", "r1", (4, 1, 2, 3)),))])
    html = app.client.get("/progress").text
    assert html.count("<figure>") == html.count("<table>") == 3
    assert "1 of 1, 100 %" in html
    assert "21 to 100" in html  # Wilson for 1 of 1


def test_who_never_scored_is_a_404(app: App) -> None:
    add(app, [Played("INF-001", 1, (Verdict("rule/5", "r1", (4, 1, 2, 3)),))])
    assert app.client.get("/progress?by=nobody+r1").status_code == 404


def test_the_plotted_part_is_in_the_address(app: App) -> None:
    add(app, [Played("INF-001", 1, (Verdict("rule/5", "r1", (4, 1, 2, 3)),))])
    assert "Next step, solid or better, by week" in app.client.get("/progress?part=nextstep").text


def test_a_scorer_that_gave_no_level_does_not_stand_before_one_that_did(app: App) -> None:
    nothing = Verdict("judge/dead", "r1", (None, None, None, None)).event
    for number in range(3):
        app.add(started(), asked(), answered(), nothing, round_id=f"{number:016x}")
    app.add(*scored_events(), round_id="f" * 16)
    html = app.client.get("/progress").text
    assert "Levels by rule/5" in html
    assert "judge/dead" not in html


def test_a_long_theme_gives_way_to_its_counts_in_the_plot() -> None:
    rate = Rate(215, 374)
    canvas = Canvas(400)
    across_rates(canvas, [Row("inference: numerics and quantization and more words still", rate)])
    assert re.search(r"inference: [^<]*…, 215 of 374", canvas.svg(100, "t", "s"))
