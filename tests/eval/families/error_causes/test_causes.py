"""Single errors of a report on a sandbox: a case of each cause, and that shares add up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.eval.claims.claims import make_claim
from drretail.eval.families.error_causes.causes import CAUSES, CUT, Cause, Causes, FoundError, JudgedClaim
from drretail.eval.families.error_causes.judge import ReportErrors
from drretail.eval.families.error_causes.score import METRIC, N_MISSED, N_WRONG
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.records.criteria import GoldInsight, GoldPart, PagesByLabel
from drretail.records.run import Stop
from tests.build import LABEL
from tests.build import run as a_run
from tests.build import verdict as a_verdict
from tests.eval.families.dr3.research import (
    CARE,
    CARE_ID,
    EVIDENCE,
    GOLD,
    ORDERS_ID,
    QUERY,
    RECALL,
    RECALL_ID,
    REPORT,
    source,
)

TRAP, CHATTER = "https://old.example/tube", "https://noise.example/chat"
TRAP_ID, CHATTER_ID = web_evidence_id(TRAP), web_evidence_id(CHATTER)
LABELS = PagesByLabel(query_id="q1", supportive=(CARE, RECALL), distractors=(TRAP,))
HELD = {
    it.id: it
    for it in (
        *EVIDENCE,
        source(TRAP_ID, "Tubes", "Clean tubes every 9 weeks. They cost $12.50, in blue $40.", TRAP),
        source(CHATTER_ID, "Chat", "Birds like millet; mine cost $40.", CHATTER),
    )
}
INSIGHTS = {insight.id: (part, insight) for part in ("files", "sandbox") for insight in GOLD.part(part).insights}


def causes(*without: str, stop: Stop = "finished", failed_branches: Sequence[str] = ()) -> Causes:
    """Of a run that was handed all but these."""
    run = a_run(LABEL, "q1-r1", REPORT).model_copy(update={"stop": stop, "failed_branches": tuple(failed_branches)})
    held = {name: it for name, it in HELD.items() if name not in without}
    return Causes(run, held, GOLD, LABELS, QUERY.text)


def missed(found: Causes, insight: str) -> Cause:
    return found.of_insight(*INSIGHTS[insight]).cause  # type: ignore[arg-type]  # the parts are named above


def claimed(
    found: Causes, text: str, support: Mapping[str, float], unresolved: Sequence[str] = ()
) -> FoundError | None:
    return found.of_claim(JudgedClaim(make_claim(1, text, list(support), unresolved), support))


def cause_of(found: FoundError | None) -> Cause | None:
    return None if found is None else found.cause


def test_an_insight_whose_page_never_came_up_was_not_retrieved() -> None:
    assert missed(causes(RECALL_ID), "s2") == "not_retrieved"


def test_one_whose_page_was_only_fetched_afterwards_was_not_retrieved() -> None:
    unread = HELD[RECALL_ID].texts[0].model_copy(update={"shown": False})
    entry = HELD[RECALL_ID].model_copy(update={"texts": (unread,)})
    found = replace(causes(), evidence={**HELD, RECALL_ID: entry})
    assert missed(found, "s2") == "not_retrieved"


def test_an_insight_whose_page_the_run_was_handed_was_not_used_however_its_address_is_spelt() -> None:
    assert missed(causes(), "s2") == "not_used"
    spelt = GoldInsight(id="s2", text="Recalled.", stands_in="https://www.recalls.example/tube/")
    assert causes().of_insight("sandbox", spelt).cause == "not_used"


def test_an_insight_of_a_file_that_nobody_read_is_of_that_file() -> None:
    assert missed(causes(ORDERS_ID), "f1") == "file_not_read"
    assert missed(causes(), "f1") == "not_used"


@pytest.mark.parametrize("stop", CUT)
def test_what_a_cut_run_was_never_handed_it_had_no_time_for(stop: Stop) -> None:
    assert missed(causes(RECALL_ID, stop=stop), "s2") == "ended_early"
    assert missed(causes(ORDERS_ID, stop=stop), "f1") == "ended_early"
    assert missed(causes(stop=stop), "s2") == "not_used"
    assert missed(causes(RECALL_ID, failed_branches=("0.2: timeout",)), "s2") == "ended_early"


@pytest.mark.parametrize("part", ["files", "sandbox"])
def test_of_gold_that_does_not_say_where_it_stands_nobody_knows(part: GoldPart) -> None:
    assert causes().of_insight(part, GoldInsight(id="x", text="So.")).cause == "unknown"


def test_a_claim_on_a_distractor_is_misled_whether_that_bears_it_out_or_not() -> None:
    assert cause_of(claimed(causes(), "Tubes are cleaned every 9 weeks.", {TRAP_ID: 1.0})) == "misled"
    assert cause_of(claimed(causes(), "Tubes last.", {TRAP_ID: 0.0})) == "misled"


def test_a_claim_that_a_supportive_page_bears_out_beside_a_distractor_is_not_wrong() -> None:
    assert claimed(causes(), "Tubes are cleaned.", {TRAP_ID: 1.0, CARE_ID: 1.0}) is None


def test_a_claim_with_a_figure_of_a_distractor_alone_is_misled_though_it_cites_another_page() -> None:
    assert cause_of(claimed(causes(), "A tube costs $12.50.", {CARE_ID: 0.0})) == "misled"
    assert cause_of(claimed(causes(), "A tube costs $40.", {CARE_ID: 0.0})) == "hallucinated"
    assert cause_of(claimed(causes(TRAP_ID), "A tube costs $12.50.", {CARE_ID: 0.0})) == "hallucinated"


def test_a_claim_that_its_source_does_not_bear_out_in_full_is_hallucinated() -> None:
    assert cause_of(claimed(causes(), "Tubes sing.", {CARE_ID: 0.0})) == "hallucinated"
    assert cause_of(claimed(causes(), "Tubes are cleaned and sing.", {CARE_ID: 0.5})) == "hallucinated"
    assert claimed(causes(), "Tubes are cleaned.", {CARE_ID: 1.0}) is None


def test_a_claim_without_any_source_that_there_is_is_hallucinated() -> None:
    assert cause_of(claimed(causes(), "Tubes sing.", {}, ["W:0000000000"])) == "hallucinated"
    assert claimed(causes(), "Tubes sing.", {}) is None  # nobody judged it


def test_a_claim_on_a_supportive_page_or_a_file_that_the_run_never_saw_is_of_that() -> None:
    assert cause_of(claimed(causes(RECALL_ID), "Recalled.", {}, [RECALL_ID])) == "not_retrieved"
    assert cause_of(claimed(causes(RECALL_ID), "Recalled.", {}, [RECALL])) == "not_retrieved"
    assert cause_of(claimed(causes(ORDERS_ID), "It cost $22.99.", {}, [ORDERS_ID])) == "file_not_read"


def test_what_could_not_be_judged_is_no_error() -> None:
    claim = make_claim(1, "Tubes sing.", [CARE_ID])
    assert causes().of_claim(JudgedClaim(claim, {})) is None


ERRORS = st.lists(st.tuples(st.sampled_from(CAUSES), st.sampled_from(("insight", "claim"))), min_size=1)


@given(ERRORS)
def test_shares_of_errors_add_up_to_one_and_kinds_to_all(said: Sequence[tuple[Cause, str]]) -> None:
    errors = tuple(
        FoundError.model_validate({"kind": kind, "item": str(at), "cause": cause, "reason": "So."})
        for at, (cause, kind) in enumerate(said)
    )
    value = ReportErrors(errors=errors, insights_judged=True).model_dump(mode="json")
    made = {
        it.variant: it
        for it in METRIC.values(cast(Any, None), [a_verdict("error_causes", "causes", "report", value)], "default")
    }
    assert sum(made[cause].value or 0 for cause in CAUSES) == pytest.approx(1)
    assert (made[N_MISSED].value or 0) + (made[N_WRONG].value or 0) == len(errors)
    pooled = [METRIC.pooled[cause](made)[0] for cause in CAUSES]
    assert sum(above for above, _ in pooled) == len(errors) == pooled[0][1]


def test_a_report_without_errors_has_counts_and_no_shares() -> None:
    value = ReportErrors(errors=(), insights_judged=False).model_dump(mode="json")
    made = {
        it.variant: it
        for it in METRIC.values(cast(Any, None), [a_verdict("error_causes", "causes", "report", value)], "default")
    }
    assert {made[cause].state for cause in CAUSES} == {"na"}
    assert (made[N_MISSED].state, made[N_WRONG].value) == ("na", 0)
