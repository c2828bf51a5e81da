"""The table of all runs: its rows and words, and how a browser filters, sorts and searches it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import render_page, write_report
from drretail.viewer.page.run_lines import run_line
from drretail.viewer.page.run_search import word_index
from tests.viewer.browsing import Window, browser, window
from tests.viewer.dom import parse
from tests.viewer.experiment import keep_scores

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["browser", "window"]


@pytest.fixture
def scored(exp: Path) -> Path:
    """Nine runs of three systems with a scoreboard."""
    keep_scores(exp, "faithfulness")
    return exp


def shown(page: "Page") -> list[str]:
    rows = page.locator("#runs tbody tr:not([hidden])")
    return [row.get_attribute("data-run") or "" for row in rows.all()]


def test_the_words_of_a_run_are_those_of_its_question_report_and_claims(scored: Path) -> None:
    view = read_view(scored)
    lines = [run_line(view.runs[place], question) for question in view.questions for place in question.places]
    index = word_index(lines)
    for word, steps in index.items():
        places = [sum(steps[: at + 1]) for at in range(len(steps))]
        assert places == [at for at, line in enumerate(lines) if word in line.words]
    assert {"24.99", "tanagrove", "feeder"} <= lines[0].words | lines[1].words | lines[2].words
    held = parse(render_page(scored)).by_id("run-words").text
    assert "<" not in held
    assert set(json.loads(held)) == set(index)


def test_runs_are_searched_filtered_and_sorted_by_the_address(scored: Path, tmp_path: Path, window: Window) -> None:
    written = write_report(read_view(scored), tmp_path / "report.html", "single")
    page = window()
    page.goto(written.as_uri())
    page.locator(".finder input").fill("TANAGROVE tube")
    assert {run.split("/")[0] for run in shown(page)} == {"zephyr"}
    assert page.locator(".finder output").text_content() == "3 of 9 runs"
    page.locator(".finder input").fill("")
    page.locator("select[name=query]").select_option("q2")
    assert len(shown(page)) == 3
    page.locator("#runs thead button", has_text="FP").click()
    falling = shown(page)
    page.locator("#runs thead button", has_text="FP").click()
    assert shown(page) == falling[::-1] or len(set(falling)) == 3
    address = page.url
    assert "#runs?query=q2&sort=FP" in address
    again = window()
    again.goto(address)
    assert shown(again) == shown(page)
    again.get_by_role("button", name="Show all").click()
    again.wait_for_function("document.querySelectorAll('#runs tbody tr[hidden]').length === 0")
    assert "?" not in again.url


@pytest.mark.parametrize("form", ["single", "split"])
def test_a_link_to_a_claim_opens_it_from_every_page(judged: Path, tmp_path: Path, window: Window, form: str) -> None:
    index = write_report(read_view(judged), tmp_path / "report.html", "single" if form == "single" else "split")
    page = window()
    run = read_view(judged).runs[1].subject.run_id
    page.goto(f"{index.as_uri()}#claim-{run}-c2")
    page.locator("#panel h5", has_text="Claim 2").wait_for()
    page.locator("#panel [data-do=link]").click()
    assert page.url.endswith(f"#claim-{run}-c2")
    assert ("query-q2" in page.url) == (form == "split")
    page.get_by_role("button", name="Next").click()
    page.locator("#panel [data-do=link]").click()
    assert page.url.endswith(f"#claim-{run}-c3")
