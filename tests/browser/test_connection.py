"""A round whose server goes away and comes back: nothing that was typed or sent is lost."""

from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.browser.serving import serving
from tests.browser.steps import box, say, start, turns
from tests.servers import free_port


def test_what_was_sent_while_the_server_was_away_is_recorded_once(
    context: BrowserContext, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    page, port = context.new_page(), free_port()
    status = page.get_by_role("status")
    with serving(database, port=port) as site:
        start(page, site)
        say(page, "Before the cut.")
    expect(status).to_contain_text("Not connected")
    box(page).fill("During the cut.")
    page.get_by_role("button", name="Send").click()
    expect(box(page)).to_have_value("During the cut.")
    with serving(database, port=port):
        expect(turns(page).filter(has_text="During the cut.")).to_have_count(1)
        expect(box(page)).to_have_value("")
        expect(turns(page).filter(has_text="Before the cut.")).to_have_count(1)
        page.reload()
        expect(turns(page).filter(has_text="During the cut.")).to_have_count(1)
    page.close()


def test_a_text_that_waits_to_be_sent_survives_closing_the_page(
    context: BrowserContext, tmp_path: Path
) -> None:
    database = f"sqlite:///{tmp_path / 'viva.db'}"
    page, port = context.new_page(), free_port()
    with serving(database, port=port) as site:
        url = start(page, site)
    expect(page.get_by_role("status")).to_contain_text("Not connected")
    box(page).fill("Sent into the void.")
    page.get_by_role("button", name="Send").click()
    page.close()
    with serving(database, port=port):
        again = context.new_page()
        again.goto(url)
        expect(turns(again).filter(has_text="Sent into the void.")).to_have_count(1)
        expect(box(again)).to_have_value("")
        again.close()
