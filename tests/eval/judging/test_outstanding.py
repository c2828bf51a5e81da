"""What of a judge's work stands, for judging that was cut."""

from typing import Any

import pytest

from drretail.eval.claims.claims import ALL, CITED, EXTRACT, SUPPORT, make_claim
from drretail.eval.judging.estimate import done_by_repeat, work_done
from drretail.records.score import JudgeRef, Verdict

CLAIMS = [
    make_claim(1, "It is red.", ["http://ecommerce.com/a"]),
    make_claim(2, "Birds bathe.", ["https://birds.org", "http://ecommerce.com/a"]),
]


def verdict(stage: str, item: str, **given: Any) -> Verdict:
    about: dict[str, Any] = {"metric": "m", "version": 1, "run_id": "r", "report_sha": "s", "state": "scored", **given}
    return Verdict(stage=stage, item=item, judge=JudgeRef(spec="s:j", kind="llm"), **about)


def extracted(stage: str, **given: Any) -> Verdict:
    return verdict(stage, "report", value=[claim.model_dump(mode="json") for claim in CLAIMS], **given)


def test_claims_that_wait_for_their_support_are_work_to_do() -> None:
    first, second = (verdict(SUPPORT, claim.claim_id, value=1.0) for claim in CLAIMS)
    assert work_done("faithfulness", [extracted(EXTRACT)]) == pytest.approx(1 / 3)
    assert work_done("faithfulness", [extracted(EXTRACT), first]) == pytest.approx(2 / 3)
    assert work_done("faithfulness", [extracted(EXTRACT), first, second]) == 1


def test_the_parts_of_a_long_report_are_not_its_extraction() -> None:
    part = verdict(EXTRACT, "part-1", value=[])
    assert work_done("faithfulness", [part]) == 0


def test_the_paper_asks_for_the_claims_twice() -> None:
    made = [extracted(CITED, rules="paper"), verdict(SUPPORT, CLAIMS[0].claim_id, value=1.0, rules="paper")]
    assert work_done("faithfulness", made) == pytest.approx(2 / 4)
    assert work_done("faithfulness", [*made, extracted(ALL, rules="paper")]) == pytest.approx(3 / 4)


def test_a_failed_extraction_leaves_nothing_to_support() -> None:
    assert work_done("faithfulness", [verdict(EXTRACT, "report", state="failed", error="no")]) == 1


def test_repeats_are_work_of_their_own_and_other_rules_are_not() -> None:
    made = [
        verdict("rating", "depth"),
        verdict("rating", "depth", judge_repeat=2),
        verdict("rating", "clarity", rules="paper"),
    ]
    assert done_by_repeat("quality", made, "paper") == {1: pytest.approx(2 / 7), 2: pytest.approx(1 / 7)}
    assert work_done("quality", made) == pytest.approx(3 / 7)


def test_a_family_of_ones_own_is_done_with_any_verdict() -> None:
    assert work_done("mine", [verdict("read", "report")]) == 1
    assert work_done("mine", []) == 0
