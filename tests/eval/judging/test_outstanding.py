"""What of a judge's work stands, for judging that was cut."""

from typing import Any

import pytest

from drretail.eval.faithfulness.extraction import ALL, CITED, SUPPORT, make_claim
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
    support = verdict(SUPPORT, f"{CLAIMS[0].claim_id}:product", value=1.0)
    assert work_done("faithfulness", [extracted(CITED)]) == pytest.approx(1 / 5)
    assert work_done("faithfulness", [extracted(CITED), extracted(ALL), support]) == pytest.approx(3 / 5)
    rest = [verdict(SUPPORT, f"{CLAIMS[1].claim_id}:{kind}", value=0.0) for kind in ("web", "product")]
    assert work_done("faithfulness", [extracted(CITED), extracted(ALL), support, *rest]) == 1


def test_a_failed_extraction_leaves_nothing_to_support() -> None:
    failed = verdict(CITED, "report", state="failed", error="no")
    assert work_done("faithfulness", [failed, extracted(ALL)]) == 1


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
