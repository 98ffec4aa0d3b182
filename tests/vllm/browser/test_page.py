"""A whole round through the page: streamed questions, a forced tool call, a scorecard."""

import re
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from interviewer.settings import Settings
from tests.browser.conftest import watch
from tests.browser.steps import box, start, turns
from tests.vllm.play import ANSWERS, CARD, REPLY_S
from tests.vllm.server import Running
from web.server import embedded

REPLY_MS = 1_000 * REPLY_S


def answer_all(page: Page) -> None:
    """Answer until the round is over."""
    for number in range(8):
        done = page.get_by_role("link", name="Read the scorecard")
        ready = page.get_by_role("status").filter(has_text="Your turn.")
        expect(done.or_(ready)).to_be_visible(timeout=REPLY_MS)
        if done.is_visible():
            return
        heard = turns(page).count()
        box(page).fill(ANSWERS[min(number, len(ANSWERS) - 1)])
        page.get_by_role("button", name="Send").click()
        expect(turns(page).nth(heard + 1)).to_be_visible(timeout=REPLY_MS)
    pytest.fail("the round did not end")


def test_a_whole_round_through_the_page(
    context: BrowserContext, vllm: Running, tmp_path: Path
) -> None:
    settings = Settings(
        database_url=f"sqlite:///{tmp_path / 'viva.db'}",
        checks=tmp_path / "checks.json",
        llm="vllm",
        llm_base_url=vllm.url,
        llm_model=vllm.model,
        llm_timeout_s=REPLY_S,
    )
    faults: list[str] = []
    with embedded(settings) as site:
        page = context.new_page()
        watch(page, site, faults)
        url = start(page, site, CARD)
        answer_all(page)
        page.get_by_role("link", name="Read the scorecard").click()
        page.wait_for_url(re.compile(r"/scorecard$"))
        log = httpx2.get(
            f"{site}/api/rounds/{url.rsplit('/', 1)[1]}/events", timeout=REPLY_S
        ).json()["events"]
        page.close()
    kinds = [item["event"]["type"] for item in log]
    assert faults == []
    assert "ModelFailed" not in kinds
    assert kinds.count("ToolCalled") == kinds.count("ToolReturned") >= 1
    assert kinds[-2:] == ["RoundScored", "RoundScored"]
    assert log[-1]["event"]["scorecard"]["scorer"] == f"judge/{vllm.model}"
