"""Stages 2 and 3: what claims are judged against, and what is made of the judgement."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.faithfulness.extraction import SUPPORT, SUPPORT_SHOWN
from drretail.eval.judging.session import Judge
from drretail.journal import read_effects
from drretail.prompts import tag_content
from drretail.records.score import Rules, Verdict
from tests.eval.faithfulness.reports import (
    BIRDS_ID,
    BLOCKED_ID,
    EVIDENCE,
    claim,
    judged,
    offline_judge,
    scripted,
    subject,
    support,
    values,
)

BED_CLAIM = claim(1, "The Fluffwick bed suits old dogs.", "P:B0BED00001")
BED_REPORT = "The Fluffwick bed suits old dogs [P:B0BED00001]."


def support_of(folder: Path, judge: Judge, report: str, rules: Rules = "default") -> list[Verdict]:
    return [v for v in judged(folder, judge, subject(report), rules) if v.stage == SUPPORT]


def answering(cited: dict[str, object], *supports: dict[str, str]) -> Judge:
    return scripted({"claims": [cited]}, {"claims": []}, *supports)


@pytest.mark.parametrize(("label", "value"), [("full", 1), ("partial", 0.5), ("no", 0)])
def test_labels_become_values_with_reason_quote_and_sources(tmp_path: Path, label: str, value: float) -> None:
    judge = answering(BED_CLAIM, support(label, "says so", "Removable  machine\nwashable cover"))
    (verdict,) = support_of(tmp_path, judge, BED_REPORT)
    assert (verdict.state, verdict.value, verdict.reason) == ("scored", value, "says so")
    assert verdict.quote == "Removable  machine\nwashable cover"
    assert [source.id for source in verdict.sources] == ["P:B0BED00001"]
    assert verdict.notes == ()
    assert verdict.item.endswith(":product")


def test_a_quote_that_stands_in_no_source_is_dropped_and_noted(tmp_path: Path) -> None:
    (verdict,) = support_of(tmp_path, answering(BED_CLAIM, support("full", "x", "made up words")), BED_REPORT)
    assert (verdict.quote, verdict.notes) == (None, ("quote_dropped",))


def test_unreadable_sources_are_unverifiable_and_nobody_is_asked(tmp_path: Path) -> None:
    report = f"Owls are loud [{BLOCKED_ID}], see https://unseen.example/x too."
    judge = answering(claim(1, "Owls are loud.", BLOCKED_ID, "https://unseen.example/x"))
    (verdict,) = support_of(tmp_path, judge, report)
    assert (verdict.state, verdict.value) == ("unverifiable", None)
    assert BLOCKED_ID in verdict.reason
    assert "https://unseen.example/x" in verdict.reason


def test_a_partly_readable_unit_is_judged_on_what_is_readable(tmp_path: Path) -> None:
    report = f"Cardinals prefer sunflower seeds [{BIRDS_ID}][{BLOCKED_ID}]."
    judge = answering(claim(1, "Cardinals prefer sunflower seeds.", BIRDS_ID, BLOCKED_ID), support("full"))
    (verdict,) = support_of(tmp_path, judge, report)
    assert (verdict.value, verdict.notes) == (1, ("partial_content",))
    assert [source.id for source in verdict.sources] == [BIRDS_ID]


def test_only_the_source_vouches_and_a_summary_that_says_more_is_noted(tmp_path: Path) -> None:
    report = f"Cardinals visit feeders at dawn [{BIRDS_ID}]."
    judge = answering(claim(1, "Cardinals visit feeders at dawn.", BIRDS_ID), support("no"), support("full"))
    about = subject(report)
    verdicts = judged(tmp_path, judge, about)
    found = {verdict.stage: verdict for verdict in verdicts if verdict.stage in (SUPPORT, SUPPORT_SHOWN)}
    assert (found[SUPPORT].value, found[SUPPORT].notes) == (0, ("distorted_in_summary",))
    assert found[SUPPORT_SHOWN].value == 1
    assert found[SUPPORT].sources != found[SUPPORT_SHOWN].sources
    assert values(about, verdicts)["FP"].items["distorted_in_summary"] == 1
    assert values(about, verdicts)["FP_web"].value == 0


@pytest.mark.parametrize("rules", ["default", "paper"])
def test_a_judge_is_asked_for_everything_figures_of_a_record_too(tmp_path: Path, rules: Rules) -> None:
    right = "The Fluffwick Orthopedic Dog Bed costs $49.99."
    judge = answering(claim(1, right, "P:B0BED00001"), support("partial"))
    (verdict,) = support_of(tmp_path, judge, f"{right} [P:B0BED00001]", rules)
    assert (verdict.value, verdict.notes) == (0.5, ())


def test_drg_judges_one_item_on_all_addresses_errors_included(tmp_path: Path) -> None:
    report = f"Cardinals prefer seeds [{BIRDS_ID}][{BLOCKED_ID}][P:B0BED00001]."
    judge = answering(claim(1, "Cardinals prefer seeds.", BIRDS_ID, BLOCKED_ID, "P:B0BED00001"), support("partial"))
    about = subject(report)
    verdicts = judged(tmp_path, judge, about, "drg")
    (verdict,) = [verdict for verdict in verdicts if verdict.stage == SUPPORT]
    assert verdict.item.endswith(":all")
    assert {source.id for source in verdict.sources} == {BIRDS_ID, BLOCKED_ID, "P:B0BED00001"}
    assert values(about, verdicts, "drg")["FP"].value == 0.5


def test_a_judge_that_fails_on_one_unit_goes_on_with_the_next(tmp_path: Path) -> None:
    report = "It suits old dogs [P:B0BED00001]. It calms dogs [P:B0BOWL0001]."
    cited = [claim(1, "It suits old dogs.", "P:B0BED00001"), claim(2, "It calms dogs.", "P:B0BOWL0001")]
    judge = scripted({"claims": cited}, {"claims": []}, "no", "no", "no", support("full"))
    about = subject(report)
    verdicts = judged(tmp_path, judge, about)
    found = [verdict for verdict in verdicts if verdict.stage == SUPPORT]
    assert [verdict.state for verdict in found] == ["failed", "scored"]
    assert values(about, verdicts)["FP"].items["failed"] == 1


def test_a_second_run_asks_nothing_and_writes_nothing(tmp_path: Path) -> None:
    report = f"It suits old dogs [P:B0BED00001]. Cardinals like seeds [{BIRDS_ID}]. Owls hoot [{BLOCKED_ID}]."
    first = judged(tmp_path, offline_judge(), subject(report))
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert judged(tmp_path, offline_judge(), subject(report)) == first
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files


def test_other_rules_are_judged_apart_but_nothing_is_asked_twice(tmp_path: Path) -> None:
    report = f"It suits old dogs [P:B0BED00001]. Cardinals like seeds [{BIRDS_ID}]."
    judged(tmp_path, offline_judge(), subject(report))
    asked = (tmp_path / "q1-r1.journal.jsonl").read_bytes()
    verdicts = judged(tmp_path, offline_judge(), subject(report), "paper")
    assert {verdict.rules for verdict in verdicts} == {"paper"}
    assert len(verdicts) == 4
    assert (tmp_path / "q1-r1.journal.jsonl").read_bytes() == asked


def test_unknown_rules_are_named_to_the_user(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="faithfulness knows no rules 'hkuds'"):
        judged(tmp_path, offline_judge(), subject("A report."), "hkuds")


def test_a_cut_verdict_file_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    report = f"It suits old dogs [P:B0BED00001]. Cardinals prefer sunflower seeds [{BIRDS_ID}]."
    judged(tmp_path, offline_judge(), subject(report))
    path, journal = tmp_path / "q1-r1.jsonl", tmp_path / "q1-r1.journal.jsonl"
    whole, asked = path.read_bytes(), journal.read_bytes()
    for length in range(0, len(whole), 150):
        path.write_bytes(whole[:length])
        judged(tmp_path, offline_judge(), subject(report))
        assert path.read_bytes() == whole
    assert journal.read_bytes() == asked


def test_another_report_makes_verdicts_stale_and_claims_that_changed_are_judged_anew(tmp_path: Path) -> None:
    judged(tmp_path, answering(BED_CLAIM, support("full")), subject(BED_REPORT))
    longer = subject(BED_REPORT + " Buy it.")
    assert judged(tmp_path, answering(BED_CLAIM, support("no")), longer) != []
    other = claim(1, "The Fluffwick bed is quiet.", "P:B0BED00001")
    again = judged(tmp_path, answering(other, support("partial")), longer, again="everything")
    assert values(longer, again)["FP"].value == 0.5


def test_the_question_tells_the_shops_today_and_the_date_of_each_page(tmp_path: Path) -> None:
    page = EVIDENCE[BIRDS_ID].model_copy(update={"date": "2021-05-06"})
    report = f"Cardinals prefer sunflower seeds [{BIRDS_ID}]."
    about = replace(subject(report, EVIDENCE | {BIRDS_ID: page}), now=datetime(2023, 9, 24, tzinfo=UTC))
    judge = answering(claim(1, "Cardinals prefer sunflower seeds.", BIRDS_ID), support("full"))
    judged(tmp_path, judge, about)
    (asked,) = [effect for effect in read_effects(tmp_path / "q1-r1.journal.jsonl") if effect.scope.startswith(SUPPORT)]
    question = asked.request["messages"][0]["content"]
    assert tag_content("today", question) == "2023-09-24"
    assert f'<source id="{BIRDS_ID}" date="2021-05-06">' in question
