"""The voting pages in a real browser: votes, reloads, two windows. Tests voting_pages.py."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from drretail.addons.people.plan import planned
from drretail.eval.ballots import read_votes
from drretail.eval.judging.dimensions import DIMENSIONS
from drretail.records.vote import Vote
from tests.addons.voting.conftest import serve
from tests.viewer.browsing import Window, grave_faults

if TYPE_CHECKING:
    from playwright.sync_api import Page


def enter(page: "Page", address: str, path: str = "/vote", name: str = "ann") -> None:
    """A person follows the printed address, and says who they are."""
    page.goto(address)
    page.goto(f"{address.partition('/?')[0]}{path}")
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("link", name="Begin with").click()


def pressed(page: "Page", question: str) -> str | None:
    held = page.locator(f'[data-question="{question}"] [aria-pressed="true"]')
    return held.get_attribute("data-value") if held.count() else None


def wait_for_message(page: "Page", text: str) -> None:
    """Waits until the page says so."""
    page.locator("#message", has_text=text).wait_for()


def test_a_person_votes_by_mouse_and_keys_reloads_undoes_and_goes_on(exp: Path, window: Window) -> None:
    number = next(each for each, pair in enumerate(planned(exp).pairs, 1) if pair.query_id == "q1")
    with serve(exp) as address:
        page = window()
        enter(page, address)
        page.goto(f"{address.partition('/?')[0]}/vote/{number}")
        page.locator('[data-question="clarity"]').get_by_role("button", name="A", exact=True).click()
        wait_for_message(page, "Clarity: A, kept.")
        page.locator('[data-question="depth"] [data-value="left"]').focus()
        for key in ("3", "t", "a", "2", "b", "1"):
            page.keyboard.press(key)
        wait_for_message(page, "All answered")
        assert page.locator("#done").text_content() == "1"
        page.locator('[data-question="clarity"] .remark summary').click()
        page.locator('[data-question="clarity"] textarea').fill("n u 1 keys typed here vote nothing")
        page.locator('[data-question="clarity"] textarea').blur()
        wait_for_message(page, "Clarity: A, kept.")
        page.reload()
        values = [pressed(page, dimension) for dimension in DIMENSIONS]
        assert values == ["left", "right", "tie", "left", "tie", "right", "left"]
        page.keyboard.press("u")
        wait_for_message(page, "Taken back: your answer on clarity")
        page.keyboard.press("u")
        wait_for_message(page, "Taken back: your answer on overall")
        assert pressed(page, "overall") is None
        assert pressed(page, "clarity") == "left"
        if number < 9:
            page.keyboard.press("n")
            page.wait_for_url(f"**/vote/{number + 1}")
    votes = {vote.dimension: vote for vote in read_votes(exp) if isinstance(vote, Vote)}
    assert [votes[dimension].answer for dimension in DIMENSIONS[:-1]] == values[:-1]
    assert "overall" not in votes
    assert votes["clarity"].note is None


def test_a_vote_that_could_not_be_kept_is_not_shown_as_kept(exp: Path, window: Window) -> None:
    with serve(exp) as address:
        page = window(refused="409")
        enter(page, address)
        page.route("**/vote/1", lambda route: route.fulfill(status=409, body="The disk is full."))
        page.locator('[data-question="depth"] [data-value="left"]').click()
        page.get_by_role("alert").filter(has_text="Not kept: The disk is full.").wait_for()
        assert pressed(page, "depth") is None
        page.unroute("**/vote/1")
        page.locator('[data-question="depth"] [data-value="left"]').click()
        wait_for_message(page, "kept")
        assert page.locator("#problem").is_hidden()
    assert [vote.answer for vote in read_votes(exp)] == ["left"]


@pytest.mark.parametrize(
    ("width", "scheme", "paths"),
    [(1280, "light", ("/vote", "/vote/1", "/rate/1")), (390, "dark", ("/vote/1", "/label/1"))],
)
def test_axe_finds_nothing_serious(exp: Path, window: Window, width: int, scheme: str, paths: tuple[str, ...]) -> None:
    with serve(exp) as address:
        page = window(width, scheme)
        enter(page, address)
        page.locator('[data-question="depth"] [data-value="left"]').click()
        wait_for_message(page, "kept")
        for path in paths:
            page.goto(f"{address.partition('/?')[0]}{path}")
            assert grave_faults(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
