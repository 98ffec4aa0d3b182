"""Serves the person's own stories: the bank, writing, rehearsing, and a telling side by side."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from interviewer.errors import UnknownStory
from interviewer.session import RoundSession
from interviewer.stories.story import Story
from web.dependencies import RunningViva
from web.rendering import page, url
from web.round_pages import seen, settled
from web.tellings import Held, ask_judge, looked
from web.views.stories import FIELDS, Draft, bank_of, story_page, telling_page

router = APIRouter(include_in_schema=False)


async def _draft(request: Request) -> Draft:
    """The form as it was sent; what is wrong in it is said beside its field."""
    form = await request.form()
    names = ("title", "role", "leave_out", *FIELDS)
    texts = {name: str(form.get(name, "")).replace("\r\n", "\n") for name in names}
    return Draft(texts, tuple(str(card) for card in form.getlist("covers")))


SentDraft = Annotated[Draft, Depends(_draft)]


@router.get("/stories", name="stories")
async def bank(request: Request, viva: RunningViva) -> HTMLResponse:
    """All stories, and which question each covers."""
    return page(request, "stories.html", bank=bank_of(await viva.stories.list(), viva.library))


@router.get("/stories/new", name="new_story")
async def new(request: Request, viva: RunningViva) -> HTMLResponse:
    """An empty form."""
    return page(request, "story.html", view=story_page(viva.library))


@router.post("/stories/new")
async def create(request: Request, viva: RunningViva, draft: SentDraft) -> Response:
    """Keep a new story."""
    return await _keep(request, viva, draft)


@router.get("/stories/{story_id}", name="story")
async def show(request: Request, viva: RunningViva, story_id: str) -> HTMLResponse:
    """A story, to change and to rehearse."""
    story = await viva.stories.open(story_id)
    return page(request, "story.html", view=story_page(viva.library, story))


@router.post("/stories/{story_id}")
async def change(request: Request, viva: RunningViva, story_id: str, draft: SentDraft) -> Response:
    """Keep a new version of a story."""
    return await _keep(request, viva, draft, await viva.stories.open(story_id))


@router.post("/stories/{story_id}/remove", name="remove_story")
async def remove(request: Request, viva: RunningViva, story_id: str) -> Response:
    """Take a story out of the bank."""
    await viva.stories.remove(story_id)
    return RedirectResponse(url(request, "stories"), 303)


@router.post("/stories/{story_id}/rehearse", name="rehearse_story")
async def rehearse(
    request: Request,
    viva: RunningViva,
    story_id: str,
    card: Annotated[str, Form(max_length=100)],
) -> Response:
    """Begin a round on a question that the story is to answer."""
    story = await viva.stories.open(story_id)
    session = await viva.rounds.start(card, story=story.id)
    await viva.stories.tell(story.id, session.id, card)
    await settled(session)
    return seen(request, session)


@router.get("/stories/{story_id}/tellings/{round_id}", name="telling")
async def telling(
    request: Request, viva: RunningViva, story_id: str, round_id: str
) -> HTMLResponse:
    """What was said in a round, beside the story and its earlier tellings."""
    session, found = await _held(viva, story_id, round_id)
    view = telling_page(found, round_id, session.card.question, judge=bool(viva.judges))
    return page(request, "telling.html", view=view)


@router.post("/stories/{story_id}/tellings/{round_id}")
async def second_look(
    request: Request, viva: RunningViva, story_id: str, round_id: str
) -> Response:
    """Let the judge look again for what code cannot find."""
    session, found = await _held(viva, story_id, round_id)
    ask_judge(viva, session, found)
    path = url(request, "telling", story_id=story_id, round_id=round_id)
    return RedirectResponse(path, 303)


async def _held(viva: RunningViva, story_id: str, round_id: str) -> tuple[RoundSession, Held]:
    session = await viva.rounds.open(round_id)
    found = await looked(viva, session)
    if found is None or found.story.id != story_id:
        raise UnknownStory(f"round {round_id!r} does not rehearse story {story_id!r}")
    return session, found


async def _keep(
    request: Request, viva: RunningViva, draft: Draft, story: Story | None = None
) -> Response:
    if faults := draft.faults(viva.library):
        view = story_page(viva.library, story, draft, faults)
        return page(request, "story.html", 422, view=view)
    kept = await viva.stories.write(draft.written(), story.id if story else None)
    return RedirectResponse(url(request, "story", story_id=kept.id), 303)
