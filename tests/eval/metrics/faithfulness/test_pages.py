"""Claims are judged by pages as they were and as they are now; what the agent read of them stands beside."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail.env.web.base import WebPage
from drretail.eval.claims.claims import SUPPORT, SUPPORT_LIVE, SUPPORT_SHOWN
from drretail.eval.judging.session import Judge
from drretail.eval.judging.subject import Subject
from drretail.eval.metrics.faithfulness import AS_IN_LEDGER
from drretail.llm.scripted import ScriptedAnswer, requests_of, scripted_model
from drretail.records.evidence import EvidenceText
from drretail.records.score import Rules, Scores, Verdict
from tests import build
from tests.build import LABEL, experiment
from tests.eval.metrics.faithfulness.reports import (
    BIRDS,
    BIRDS_ID,
    EVIDENCE,
    claim,
    entry,
    judged,
    offline_judge,
    papers_claim,
    ruled,
    scripted,
    subject,
    support,
    text,
    values,
)

DAWN = "Cardinals visit feeders at dawn."
REPORT = f"Cardinals visit feeders at dawn [{BIRDS_ID}]."
PAGE = text("Northern cardinals prefer sunflower seeds.", "page", shown=False)
SNIPPET = text("Cardinals visit feeders at dawn.", "snippet")
SUMMARY = text("Cardinals prefer seeds and visit feeders at dawn.", "summary")


def about(*texts: EvidenceText, report: str = REPORT, **state: Any) -> Subject:
    page = entry(BIRDS_ID, "web", *texts, url=BIRDS).model_copy(update=state)
    return subject(report, EVIDENCE | {BIRDS_ID: page})


def by_stage(folder: Path, judge: Judge, of: Subject, rules: Rules = "default") -> dict[str, Verdict]:
    return {verdict.stage: verdict for verdict in judged(folder, judge, of, rules)}


def answering(*supports: Any) -> Judge:
    return scripted({"claims": [claim(1, DAWN, BIRDS_ID)]}, *supports)


@pytest.mark.parametrize(("shown", "note"), [(SNIPPET, "only_in_snippet"), (SUMMARY, "distorted_in_summary")])
def test_the_page_decides_and_what_the_agent_read_is_noted(tmp_path: Path, shown: EvidenceText, note: str) -> None:
    of = about(shown, PAGE)
    found = by_stage(tmp_path, answering(support("full"), support("no")), of)
    assert (found[SUPPORT].value, found[SUPPORT].notes) == (0, (note,))
    assert [source.sha256 for source in found[SUPPORT].sources] == [PAGE.sha256]
    assert [source.sha256 for source in found[SUPPORT_SHOWN].sources] == [shown.sha256]
    made = values(of, list(found.values()))
    assert [made[name].value for name in ("FP", "FP_web", "FP_shown", "FP_web_shown")] == [0, 0, 1, 1]
    assert made["FP"].items[note] == 1


def test_what_the_agent_read_is_asked_about_only_where_it_is_not_what_it_is_judged_by(tmp_path: Path) -> None:
    read = about(PAGE.model_copy(update={"shown": True}))
    found = by_stage(tmp_path, answering(support("partial")), read)
    assert SUPPORT_SHOWN not in found
    made = values(read, list(found.values()))
    assert (made["FP_web"].value, made["FP_web_shown"].value) == (0.5, 0.5)


def test_an_unreadable_page_is_unverifiable_with_the_reason_whatever_its_snippet_says(tmp_path: Path) -> None:
    of = about(SNIPPET, state="blocked", problem="robots.txt forbids it.")
    found = by_stage(tmp_path, answering(support("full")), of)
    assert found[SUPPORT].state == "unverifiable"
    assert f"{BIRDS_ID} (robots.txt forbids it.)" in found[SUPPORT].reason
    made = values(of, list(found.values()))
    assert (made["FP_web"].state, made["FP"].state) == ("unverifiable", "unverifiable")
    assert (made["FP_web_shown"].value, made["FP_shown"].value) == (1, 1)


def test_a_page_that_nobody_fetched_makes_its_claims_na_and_says_what_to_do(tmp_path: Path) -> None:
    report = f"{REPORT} So does the bed at $49.99 [{BIRDS_ID}][P:B0BED00001]. It is grey [P:B0BED00001]."
    of = about(SNIPPET, report=report)
    claims = [claim(1, DAWN, BIRDS_ID), claim(2, "The bed costs $49.99.", BIRDS_ID, "P:B0BED00001")]
    claims.append(claim(3, "The bed is grey.", "P:B0BED00001"))
    shown = {"claims": [ruled(1, "full"), ruled(2, "partial")]}
    judge = scripted({"claims": claims}, shown, support("full"))
    verdicts = judged(tmp_path, judge, of)
    found = {verdict.item[0]: verdict for verdict in verdicts if verdict.stage == SUPPORT}
    # A claim that cites a record beside it is not judged by half of its sources.
    assert [found[number].state for number in "123"] == ["na", "na", "scored"]
    assert "--fetch-sources" in found["1"].reason
    made = values(of, verdicts)
    assert (made["FP_web"].state, made["FP_web"].items["unfetched"]) == ("na", 2)
    assert (made["FP"].value, made["FP_product"].value) == (1, 1)
    assert (made["FP_web_shown"].value, made["FP_shown"].value) == (0.75, 2.5 / 3)


@pytest.mark.parametrize("rules", ["paper", "drg"])
def test_the_paper_knows_nothing_of_what_was_shown_and_an_unfetched_page_is_no_0(tmp_path: Path, rules: Rules) -> None:
    of = about(SNIPPET)
    judge = scripted({"claims": [papers_claim(1, DAWN, BIRDS_ID)]}, {"claims": []})
    found = by_stage(tmp_path, judge, of, rules)
    assert (found[SUPPORT].state, SUPPORT_SHOWN in found) == ("na", False)
    made = values(of, list(found.values()), rules)
    assert (made["FP"].state, "FP_shown" in made) == ("na", False)


def test_once_its_page_is_there_a_claim_is_judged_and_nothing_else_is_asked_again(tmp_path: Path) -> None:
    report = f"{REPORT} It is grey [P:B0BED00001]."
    claims = [claim(1, DAWN, BIRDS_ID), claim(2, "The bed is grey.", "P:B0BED00001")]
    judge = scripted({"claims": claims}, support("full"), support("full"))
    before = judged(tmp_path, judge, about(SNIPPET, report=report))
    assert {each.item[0]: each.state for each in before if each.stage == SUPPORT} == {"1": "na", "2": "scored"}
    fetched = about(SNIPPET, PAGE, report=report)
    after = judged(tmp_path, scripted(support("no")), fetched)
    assert {each.item[0]: each.value for each in after if each.stage == SUPPORT} == {"1": 0, "2": 1}
    assert judged(tmp_path, scripted(), fetched) == after


FACT = "Feeders are visited at dawn by cardinals, and at dusk."


def test_a_page_of_200000_characters_is_cut_to_what_a_judge_holds_and_the_verdict_says_so(tmp_path: Path) -> None:
    filler = "Nothing that matters to anybody stands in this paragraph. " * 10
    page = text("\n\n".join([*[filler] * 250, FACT, *[filler] * 110]), "page", shown=False)
    assert len(page.text) > 200_000
    of, answers = about(page), [{"claims": [claim(1, DAWN, BIRDS_ID)]}, support("full", "read", FACT)]
    model = scripted_model(play=build.quoting(lambda _: ScriptedAnswer(structured=answers.pop(0))), name="small")
    found = by_stage(tmp_path, Judge.of(replace(model, stated_context=8_192)), of)
    (source,) = found[SUPPORT].sources
    assert (found[SUPPORT].value, found[SUPPORT].quote) == (1, FACT)
    assert found[SUPPORT].notes == ("source_cut",)
    assert source.sha256 == page.sha256  # of the whole page
    assert source.share == pytest.approx(8_192 * 0.5 * 4 / len(page.text), rel=0.1)
    asked = requests_of(model)[-1].messages[-1].text
    assert (len(asked) < 8_192 * 4, FACT in asked) == (True, True)
    assert values(of, list(found.values()))["FP"].items["source_cut"] == 1


UNSEEN = "https://unseen.example/x"
SEEDS = "Cardinals prefer sunflower seeds."
LIVE_REPORT = f"{SEEDS[:-1]} [{BIRDS_ID}]."
IN_LEDGER = next(text.text for text in EVIDENCE[BIRDS_ID].texts if text.form == "page")


def looking_again(report: str, pages: Mapping[str, WebPage]) -> Subject:
    async def page_at(url: str) -> WebPage:
        return pages.get(url) or WebPage(url, "", "", "error", problem="There is no such page (404).")

    return replace(subject(report), page_at=page_at)


def page(url: str, text: str, date: str | None = None) -> WebPage:
    return WebPage(url, "A page", text, "ok", date)


def test_a_page_that_changed_is_judged_again_and_one_that_reads_as_in_the_ledger_is_not(tmp_path: Path) -> None:
    judge = scripted({"claims": [claim(1, SEEDS, BIRDS_ID)]}, support("full"), support("no", "it says other"))
    about = looking_again(LIVE_REPORT, {BIRDS: page(BIRDS, "Cardinals eat worms.")})
    found = by_stage(tmp_path, judge, about)
    ledger, live = found[SUPPORT], found[SUPPORT_LIVE]
    assert (ledger.value, live.value, live.reason) == (1, 0, "it says other")
    assert ledger.sources != live.sources
    made = values(about, list(found.values()))
    assert (made["FP_web"].value, made["FP_web_live"].value, made["FP"].value) == (1, 0, 1)

    judge = scripted({"claims": [claim(1, SEEDS, BIRDS_ID)]}, support("full"))
    found = by_stage(tmp_path / "as_was", judge, looking_again(LIVE_REPORT, {BIRDS: page(BIRDS, IN_LEDGER)}))
    assert (found[SUPPORT_LIVE].value, found[SUPPORT_LIVE].notes) == (1, (AS_IN_LEDGER,))

    report = "The bed is soft [P:B0BED00001]. You have the bowl [O:0000000001]."
    verdicts = judged(tmp_path / "records", offline_judge(), looking_again(report, {}))
    assert [verdict.stage for verdict in verdicts if verdict.stage.startswith(SUPPORT)] == [SUPPORT] * 2


class Site:
    """The open web of a test, where one page is."""

    provider = "site"

    def __init__(self) -> None:
        self.fetched: list[str] = []

    def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        is_there = url == BIRDS
        return page(url, "Northern cardinals prefer sunflower seeds.") if is_there else WebPage(url, "", "", "error")


def scored(folder: Path, site: Site | None) -> Scores:
    live = None if site is None else {LABEL: site}
    return build.scored(folder, "faithfulness", offline_judge(), live=live)


def test_an_experiment_is_scored_by_live_pages_once_and_then_from_what_was_written_down(tmp_path: Path) -> None:
    reports = {
        "q1-r1": f"Northern cardinals prefer sunflower seeds ({BIRDS}).",
        "q2-r1": f"Northern cardinals prefer sunflower seeds ({UNSEEN}).",
        "q3-r1": "Nothing is cited here, and nothing is said.",
        "q4-r1": None,
    }
    folder, site = experiment(tmp_path / "exp", {LABEL: reports}), Site()
    assert all(row.variant != "FP_web_live" for row in scored(folder, None).scores)
    first = scored(folder, site)
    (row,) = [each for each in first.scores if (each.variant, each.policy) == ("FP_web_live", "answered")]
    assert (row.value, row.n_scored, row.n_unverifiable, row.n_na, row.n_failed) == (None, 0, 1, 2, 1)
    assert sorted(site.fetched) == sorted([BIRDS, UNSEEN])
    files = build.files(folder)
    assert scored(folder, site) == first
    assert len(site.fetched) == 2
    assert build.files(folder) == files
    # And once judged, the column stays when nobody looks again.
    assert scored(folder, None) == first
