"""How a judge read: what its claims cover, which repeats agree, and from when on it is said not to read."""

from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.audit import agreement_ends, shares_of
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import JudgeSession
from drretail.eval.metrics.faithfulness import METRIC
from drretail.llm.event_loop import run_loop
from drretail.records.reading import JudgeAudit
from drretail.viewer.tables.tallies import audit_table
from tests.eval.metrics.faithfulness.reports import BIRDS_ID, claim, judged, ruled, scripted, subject, support, values

BED, BOWL = "P:B0BED00001", "P:B0BOWL0001"
REPORT = f"""## Beds [{BIRDS_ID}]

The bed costs $49.99 [{BED}]. It is rated 4.5 by 1,234 buyers [{BED}].

| Thing | Price |
|---|---|
| The bowl [{BOWL}] | $13.50 |
| Sources | [{BOWL}] |

Cardinals like seeds [{BIRDS_ID}].

A third of 12 is 4. They all like shade.
"""
PRICE = claim(1, "The bed costs $49.99.", BED, quote="The bed costs $49.99")
RATED = claim(2, "The bed is rated 4.5 by 1,234 buyers.", BED, quote="rated 4.5 by 1,234 buyers")
BOWLS = claim(3, "The bowl costs $13.50.", BOWL, quote="The bowl | $13.50")


def test_marks_figures_and_labels_are_counted_against_the_report_and_its_records(tmp_path: Path) -> None:
    labels = {"claims": [ruled(1, "full"), ruled(2, "contradicted"), ruled(3, "full")]}
    judge = scripted({"claims": [PRICE, RATED, BOWLS]}, labels)
    found = shares_of(judged(tmp_path, judge, subject(REPORT)))
    # The mark of the heading, and that of the row of sources, cover nothing; the birds' has no claim.
    assert found["marks"] == (3, 4)
    assert found["figures"] == (4, 4)
    assert found["uncited"] == (0, 1), "shade has no figure"
    assert (found["in_report"], found["in_source"], found["labelled"]) == ((3, 3), (2, 2), (3, 3))
    # The price is right, the rating is said to be wrong, and the wrong price of the bowl passes.
    assert (found["confirmed"], found["contradicted"]) == ((1, 2), (0, 1))


def test_of_a_report_that_is_covered_by_less_than_half_even_twice_each_mark_left_counts_as_unsupported(
    tmp_path: Path,
) -> None:
    judge = scripted({"claims": [PRICE]}, support("full"))
    verdicts = judged(tmp_path, judge, subject(REPORT))
    (extraction,) = [each for each in verdicts if each.stage == "extract"]
    assert extraction.repairs == 1
    made = values(subject(REPORT), verdicts)
    assert (made["FP"].value, made["FP"].items["uncovered"]) == (0.25, 3)
    assert (made["FP_product"].value, made["FP_web"].value) == (pytest.approx(1 / 3), 0)
    nothing = judged(tmp_path / "none", scripted({"claims": []}), subject(REPORT))
    assert values(subject(REPORT), nothing)["FP"].value == 0


def test_a_report_on_most_of_whose_claims_the_judge_failed_has_no_value(tmp_path: Path) -> None:
    half = {"claims": [ruled(1, "full"), ruled(2, "full")]}
    for name, given, state in (("most", support("full"), "failed"), ("few", half, "scored")):
        judge = scripted({"claims": [PRICE, RATED, BOWLS]}, given, *["no"] * 3)
        made = values(subject(REPORT), judged(tmp_path / name, judge, subject(REPORT)))
        assert made["FP"].state == state


def test_repeats_label_the_first_list_of_claims_again_and_extract_their_own(tmp_path: Path) -> None:
    listed, other = {"claims": [PRICE, RATED, BOWLS]}, {"claims": [PRICE, RATED | {"sources": [BOWL]}, BOWLS]}
    labels = {"claims": [ruled(1, "full"), ruled(2, "full"), ruled(3, "contradicted")]}
    changed = {"claims": [ruled(1, "partial"), ruled(2, "full"), ruled(3, "contradicted")]}
    about, judge = subject(REPORT), scripted(listed, labels, other, changed)
    ids: dict[str, Any] = {"metric": METRIC.name, "version": METRIC.version, "run_id": about.run_id}
    path = tmp_path / "q1-r1.jsonl"
    with JudgeSession(judge, VerdictFile(path), **ids, report_sha=about.report_sha or "") as session:
        for repeat in (1, 2):
            run_loop(METRIC.run_judge(about, session.of_repeat(repeat)))
    verdicts = VerdictFile(path).lasts()
    first, second = ([each for each in verdicts if each.judge_repeat == repeat] for repeat in (1, 2))
    assert {each.item for each in first if each.stage == "support"} == {
        each.item for each in second if each.stage == "support"
    }
    assert values(about, second)["FP"].value == pytest.approx(0.5)
    found = shares_of(verdicts)
    assert found["same_label"] == (2, 3)
    assert found["same_claim"] == (4, 6)
    assert found["confirmed"] == shares_of(first)["confirmed"] != (0, 0), "the same claims again are no further cases"


@pytest.mark.parametrize(
    ("shares", "low"),
    [
        ({"marks": (15, 19)}, ()),  # too few to tell
        ({"marks": (15, 20)}, ("citation marks in claims",)),
        ({"marks": (20, 20), "uncited": (3, 20)}, ("figures without a mark in claims",)),
        ({"uncited": (4, 20)}, ()),
        ({"marks": (16, 20), "in_source": (3, 20)}, ("quotes in the sources",)),
        ({"confirmed": (9, 9), "contradicted": (0, 10)}, ()),
        ({"confirmed": (2, 300)}, ("agreement with records",)),
        ({"confirmed": (300, 300), "same_label": (40, 60), "same_claim": (1, 60)}, ("same label when asked again",)),
    ],
)
def test_a_judge_below_the_floor_in_enough_cases_does_not_read(
    shares: dict[str, tuple[int, int]], low: tuple[str, ...]
) -> None:
    audit = JudgeAudit(judge="p:m", judge_kind="llm", shares=shares, agreement_ends=agreement_ends(shares))
    assert (audit.low, audit.reads) == (low, not low)
    assert audit.line.startswith("This judge doesn't read: p:m" if low else "How p:m read: ")


@pytest.mark.parametrize(
    ("found", "wrong", "reads"),
    [
        (0, 0, "too few figures to tell"),  # where all is right, a judge that supports everything looks like any other
        (0, 4, "too few figures to tell"),
        (0, 5, "no"),
        (2, 5, "too few figures to tell"),
        (3, 12, "no"),
        (7, 7, "too few figures to tell"),
        (8, 8, "yes"),
    ],
)
def test_of_a_judge_that_met_few_wrong_figures_it_is_said_that_they_are_too_few(
    found: int, wrong: int, reads: str
) -> None:
    shares = {"confirmed": (300, 300), "contradicted": (found, wrong)}
    audit = JudgeAudit(judge="p:m", judge_kind="llm", shares=shares, agreement_ends=agreement_ends(shares))
    assert [cell.text for cell in audit_table([audit]).rows[0].cells if cell is not None][-1] == reads
    is_told = f"too few figures to tell (300 right, {wrong} wrong)" in audit.line
    assert is_told == (reads == "too few figures to tell")
