"""The report in a real browser. Tests document.py."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from drretail import run, score
from drretail.env.world import World
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import write_report_page
from tests.shop import USER
from tests.viewer.agents import DIFFERING, QUESTION, answering
from tests.viewer.browsing import Window, grave_faults

if TYPE_CHECKING:
    from playwright.sync_api import Page

NARROW, WIDE = 390, 1280


@pytest.fixture(scope="module")
def page_file(judged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file with scoreboard and claims."""
    return write_report_page(read_view(judged), tmp_path_factory.mktemp("browser") / "report.html")


def widest(page: "Page") -> int:
    return page.evaluate("document.documentElement.scrollWidth")


@pytest.mark.parametrize(("width", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
def test_the_page_fits_and_axe_finds_nothing_serious(page_file: Path, window: Window, width: int, scheme: str) -> None:
    page = window(width, scheme)
    page.goto(page_file.as_uri())
    assert widest(page) <= width
    assert page.locator("#first").is_visible()
    assert page.locator("main > .fold").count() == 4
    end = page.locator("#first").evaluate("it => it.getBoundingClientRect().bottom")
    assert width == NARROW or end < 900, "the first screen ends on the first screen"
    tops = page.locator(".boards h2").evaluate_all("all => all.map(it => it.getBoundingClientRect().top)")
    assert tops == sorted(tops)
    assert grave_faults(page) == []
    assert widest(page) <= width  # with everything open


def test_a_fault_opens_its_words_with_the_evidence_in_place_and_in_view(page_file: Path, window: Window) -> None:
    page = window()
    page.goto(page_file.as_uri())
    for link in page.locator("#look a[data-claims]").all():
        wanted = link.get_attribute("data-claims")
        link.click()
        badge = page.locator(f'.report a.badge[href="#{wanted}"]')
        place = (badge if badge.count() else page.locator(f'[id="{wanted}"]')).first
        assert 0 <= place.evaluate("it => it.getBoundingClientRect().top") < 900
        assert page.locator("#panel").is_visible() == (badge.count() > 0)
        page.keyboard.press("Escape")


def test_a_count_of_faults_leads_to_the_answers_that_have_them_and_back(page_file: Path, window: Window) -> None:
    page = window()
    page.goto(page_file.as_uri())
    rows, cells = page.locator("#map tbody tr:visible"), page.locator("#map a.cell:not(.apart):visible")
    link = page.locator("#look .kinds a").first
    kind, count = link.inner_text().rstrip(")").split(" (")
    link.click()
    assert page.locator("#found").inner_text().startswith(f"{count} answer")
    assert cells.count() == int(count)
    assert {kind} <= set(str(cells.first.get_attribute("data-faults")).split("|"))
    page.locator("#find").fill("no such words")
    assert rows.count() == 0
    page.locator("#find").fill("")
    page.locator("#fault").select_option("")
    assert cells.count() == page.locator("#map a.cell").count()
    page.go_back()
    assert not page.url.endswith(kind)


def test_a_claim_leads_to_its_evidence_and_back_by_mouse_and_keys(page_file: Path, window: Window) -> None:
    page = window()
    page.goto(f"{page_file.as_uri()}#r1-answer")
    badges = page.locator(".report a.badge:visible")
    first = badges.first
    first.click()
    panel = page.locator("#panel")
    assert panel.is_visible()
    held = panel.locator(".panel-body").inner_text()
    assert held.strip()
    panel.get_by_role("button", name="Next", exact=True).click()
    assert panel.locator(".panel-body").inner_text() != held
    panel.get_by_role("button", name="Previous", exact=True).click()
    assert panel.locator(".panel-body").inner_text() == held
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    page.locator(".report mark:visible").first.click()
    assert panel.is_visible()


@pytest.fixture(scope="module")
def of_three(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file with two questions, answered by three agents."""
    home = tmp_path_factory.mktemp("three")
    agents = {**DIFFERING, "third": answering("The Tanagrove Bird Bath costs $5 [P:B0TEST0004].")}
    run(world, [QUESTION, "Is there a bird bath?"], agents, to=home / "exp", user=USER, baselines=False)
    score(home / "exp", ["faithfulness", "checks"])
    return write_report_page(read_view(home / "exp"), home / "report.html")


def test_one_question_is_seen_with_two_answers_of_the_readers_choice(of_three: Path, window: Window) -> None:
    page = window()
    page.goto(of_three.as_uri())
    page.locator("#questions > summary").click()
    questions, answers = page.locator("#questions > .question:visible"), page.locator(".answer:visible h4")
    assert (questions.count(), answers.count()) == (1, 2)
    page.locator(".pair select:visible").first.select_option("third")
    page.locator(".pair select:visible").last.select_option("before")
    names = ["third", "before"]
    assert [answer.inner_text().split()[0] for answer in answers.all()] == names
    assert [run.inner_text() for run in page.locator("details.run:visible > summary h5").all()] == ["before", "third"]
    page.locator("#questions").get_by_role("button", name="Next").click()
    assert [answer.inner_text().split()[0] for answer in answers.all()] == names, "kept for the next question"
    page.locator('#map a.cell[title^="after:"]').first.click()
    assert answers.first.inner_text().startswith("after")
    page.locator(".report a.badge:visible").first.click()
    assert page.locator("#panel h2").inner_text().startswith("after · ")


def test_the_map_is_one_stop_of_the_tab_key_and_arrows_go_through_it(of_three: Path, window: Window) -> None:
    page = window()
    page.goto(of_three.as_uri())
    stops = 0
    while not page.evaluate("document.activeElement.closest('#questions') !== null"):
        page.keyboard.press("Tab")
        stops += 1
    assert stops <= 60
    page.locator("#map a.cell").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    place = "[document.activeElement.closest('tr').rowIndex, document.activeElement.closest('td').cellIndex]"
    assert page.evaluate(place) == [2, 2]


def test_the_board_is_sorted_by_its_columns(of_three: Path, window: Window) -> None:
    page = window()
    page.goto(of_three.as_uri())
    head = page.locator(".board thead button", has_text="N_cited").first
    column = head.evaluate("it => it.closest('th').cellIndex")
    words = page.locator(f".wide .board tbody.system td:nth-child({1 + column}) .value")
    for falls in (True, False):
        head.click()
        shown = [float(text) for text in words.all_inner_texts()]
        assert shown == sorted(shown, reverse=falls)


def test_of_many_systems_each_figure_can_be_its_difference_from_the_chosen_one(
    tmp_path: Path, window: Window, monkeypatch: pytest.MonkeyPatch, of_three: Path
) -> None:
    for module in ("tables.board", "page.overview"):
        monkeypatch.setattr(f"drretail.viewer.{module}.FEW_SYSTEMS", 2)
    page = window()
    page.goto(write_report_page(read_view(of_three.parent / "exp"), tmp_path / "report.html").as_uri())
    cells = page.locator(".board tbody.system .value")
    for name, tokens in (("before", "1,234k"), ("third", "1,000k")):
        cell = page.locator(f'.board tbody.system tr[data-name="{name}"] .value').last
        cell.evaluate("(cell, text) => cell.textContent = text", tokens)
    before = cells.all_inner_texts()
    page.locator("#baseline").select_option("third")
    assert "+234k" in cells.all_inner_texts()
    page.locator("#baseline").select_option("")
    assert cells.all_inner_texts() == before


@pytest.mark.parametrize("form", ["single", "split"])
def test_a_link_to_a_claim_opens_it_from_every_page(judged: Path, tmp_path: Path, window: Window, form: str) -> None:
    index = write_report_page(read_view(judged), tmp_path / "report.html", "single" if form == "single" else "split")
    page = window()
    run = read_view(judged).runs[1].subject.run_id
    page.goto(f"{index.as_uri()}#claim-{run}-c2")
    page.locator("#panel h5", has_text="Claim 2").wait_for()
    page.locator("#panel [data-do=link]").click()
    assert page.url.endswith(f"#claim-{run}-c2")
    assert ("query-q2" in page.url) == (form == "split")
    page.get_by_role("button", name="Next", exact=True).click()
    page.locator("#panel [data-do=link]").click()
    assert page.url.endswith(f"#claim-{run}-c3")
