"""Single errors of a report on a sandbox by their causes, and of whole experiments."""

import asyncio
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drretail.errors import UserError
from drretail.eval.claims.claims import make_claim
from drretail.eval.families.error_causes import (
    CAUSES,
    CUT,
    METRIC,
    N_MISSED,
    N_WRONG,
    NO_LABELS,
    NOT_JUDGED,
    Cause,
    Causes,
    FoundError,
    JudgedClaim,
    ReportErrors,
)
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.eval.values import Value
from drretail.experiment import read_labels_of
from drretail.files import write_json, write_lines
from drretail.grounding.report.evidence_ids import web_evidence_id
from drretail.llm.registry import open_model
from drretail.progress import choose_progress
from drretail.records.base import canonical_json
from drretail.records.criteria import GoldInsight, GoldPart, PagesByLabel
from drretail.records.run import Stop
from drretail.records.score import Scores, reasons_of
from tests import build
from tests.eval.families.dr3.research import (
    CARE,
    CARE_ID,
    EVIDENCE,
    GOLD,
    ONE,
    ORDERS_ID,
    QUERY,
    RECALL,
    RECALL_ID,
    REPORT,
    judge_by,
    research,
    source,
)

TRAP, CHATTER = "https://old.example/tube", "https://noise.example/chat"
TRAP_ID, CHATTER_ID = web_evidence_id(TRAP), web_evidence_id(CHATTER)
LABELS = PagesByLabel(query_id="q1", supportive=(CARE, RECALL), distractors=(TRAP,))
HELD = {
    each.id: each
    for each in (
        *EVIDENCE,
        source(TRAP_ID, "Tubes", "Clean tubes every 9 weeks. They cost $12.50, in blue $40.", TRAP),
        source(CHATTER_ID, "Chat", "Birds like millet; mine cost $40.", CHATTER),
    )
}
INSIGHTS = {insight.id: (part, insight) for part in ("files", "sandbox") for insight in GOLD.part(part).insights}


def causes(*without: str, stop: Stop = "finished", failed_branches: Sequence[str] = ()) -> Causes:
    """Of a run that was handed all but these."""
    run = build.run("q1-r1", REPORT, stop=stop, failed_branches=tuple(failed_branches))
    held = {name: each for name, each in HELD.items() if name not in without}
    return Causes(run, held, GOLD, LABELS, QUERY.text)


def missed(found: Causes, insight: str) -> Cause:
    return found.of_insight(*INSIGHTS[insight]).cause  # type: ignore[arg-type]  # the parts are named above


def claimed(
    found: Causes, text: str, support: Mapping[str, float], unresolved: Sequence[str] = ()
) -> FoundError | None:
    return found.of_claim(JudgedClaim(make_claim(1, text, list(support), unresolved), support))


def test_one_whose_page_was_only_fetched_afterwards_was_not_retrieved() -> None:
    unread = HELD[RECALL_ID].texts[0].model_copy(update={"shown": False})
    entry = HELD[RECALL_ID].model_copy(update={"texts": (unread,)})
    found = replace(causes(), evidence={**HELD, RECALL_ID: entry})
    assert missed(found, "s2") == "not_retrieved"


def test_an_insight_whose_page_the_run_was_handed_was_not_used_however_its_address_is_spelt() -> None:
    assert missed(causes(), "s2") == "not_used"
    spelt = GoldInsight(id="s2", text="Recalled.", stands_in="https://www.recalls.example/tube/")
    assert causes().of_insight("sandbox", spelt).cause == "not_used"


CUT_SHORT: list[dict[str, Any]] = [*({"stop": stop} for stop in CUT), {"failed_branches": ("0.2: timeout",)}]


@pytest.mark.parametrize(
    ("insight", "without", "how", "cause"),
    [
        ("s2", [RECALL_ID], {}, "not_retrieved"),  # its page never came up
        ("s2", [], {}, "not_used"),
        ("f1", [ORDERS_ID], {}, "file_not_read"),
        ("f1", [], {}, "not_used"),
        *(("s2", [RECALL_ID], how, "ended_early") for how in CUT_SHORT),  # what it was never handed it had no time for
        *(("f1", [ORDERS_ID], how, "ended_early") for how in CUT_SHORT),
        *(("s2", [], how, "not_used") for how in CUT_SHORT),
    ],
)
def test_what_was_handed_says_why_one_is_missed(
    insight: str, without: list[str], how: dict[str, Any], cause: Cause
) -> None:
    assert missed(causes(*without, **how), insight) == cause


@pytest.mark.parametrize("part", ["files", "sandbox"])
def test_of_gold_that_does_not_say_where_it_stands_nobody_knows(part: GoldPart) -> None:
    assert causes().of_insight(part, GoldInsight(id="x", text="So.")).cause == "unknown"


@pytest.mark.parametrize(
    ("text", "support", "unresolved", "without", "cause"),
    [
        # On a distractor, whether that bears it out or not; not where a supportive page bears it out beside it.
        ("Tubes are cleaned every 9 weeks.", {TRAP_ID: 1.0}, [], [], "misled"),
        ("Tubes last.", {TRAP_ID: 0.0}, [], [], "misled"),
        ("Tubes are cleaned.", {TRAP_ID: 1.0, CARE_ID: 1.0}, [], [], None),
        # With a figure of a distractor alone, though it cites another page.
        ("A tube costs $12.50.", {CARE_ID: 0.0}, [], [], "misled"),
        ("A tube costs $40.", {CARE_ID: 0.0}, [], [], "hallucinated"),
        ("A tube costs $12.50.", {CARE_ID: 0.0}, [], [TRAP_ID], "hallucinated"),
        # Not borne out in full.
        ("Tubes sing.", {CARE_ID: 0.0}, [], [], "hallucinated"),
        ("Tubes are cleaned and sing.", {CARE_ID: 0.5}, [], [], "hallucinated"),
        ("Tubes are cleaned.", {CARE_ID: 1.0}, [], [], None),
        # Without any source that there is; one that nobody judged is no error.
        ("Tubes sing.", {}, ["W:0000000000"], [], "hallucinated"),
        ("Tubes sing.", {}, [], [], None),
        # On a supportive page or a file that the run never saw.
        ("Recalled.", {}, [RECALL_ID], [RECALL_ID], "not_retrieved"),
        ("Recalled.", {}, [RECALL], [RECALL_ID], "not_retrieved"),
        ("It cost $22.99.", {}, [ORDERS_ID], [ORDERS_ID], "file_not_read"),
    ],
)
def test_a_claim_is_wrong_by_what_it_rests_on(
    text: str, support: dict[str, float], unresolved: list[str], without: list[str], cause: Cause | None
) -> None:
    found = claimed(causes(*without), text, support, unresolved)
    assert (found and found.cause) == cause


def test_what_could_not_be_judged_is_no_error() -> None:
    claim = make_claim(1, "Tubes sing.", [CARE_ID])
    assert causes().of_claim(JudgedClaim(claim, {})) is None


def values_of(errors: Sequence[FoundError], *, insights_judged: bool) -> dict[str, Value]:
    value = ReportErrors(errors=tuple(errors), insights_judged=insights_judged).model_dump(mode="json")
    verdict = build.verdict("error_causes", "causes", "report", value)
    return {each.variant: each for each in METRIC.values(build.subject(), [verdict], "default")}


ERRORS = st.lists(st.tuples(st.sampled_from(CAUSES), st.sampled_from(("insight", "claim"))), min_size=1)


@given(ERRORS)
def test_shares_of_errors_add_up_to_one_and_kinds_to_all(message: Sequence[tuple[Cause, str]]) -> None:
    errors = [
        FoundError.model_validate({"kind": kind, "item": str(at), "cause": cause, "reason": "So."})
        for at, (cause, kind) in enumerate(message)
    ]
    made = values_of(errors, insights_judged=True)
    assert sum(made[cause].value or 0 for cause in CAUSES) == pytest.approx(1)
    assert (made[N_MISSED].value or 0) + (made[N_WRONG].value or 0) == len(errors)
    pooled = [METRIC.pooled[cause](made)[0] for cause in CAUSES]
    assert sum(above for above, _ in pooled) == len(errors) == pooled[0][1]


def test_a_report_without_errors_has_counts_and_no_shares() -> None:
    made = values_of([], insights_judged=False)
    assert {made[cause].state for cause in CAUSES} == {"na"}
    assert (made[N_MISSED].state, made[N_WRONG].value) == ("na", 0)


FAMILIES = ("dr3", "error_causes")


def sandbox(folder: Path, distractor: str = RECALL) -> Path:
    """The labels and the gold of a sandbox's one query."""
    task = folder / "tasks/q1"
    write_json(task / "gold.json", GOLD.model_dump(mode="json"))
    lines = [{"url": CARE, "label": "supportive"}, {"url": distractor, "label": "distractor"}]
    lines.append({"url": "https://n", "label": "noise"})
    write_lines(task / "labels.jsonl", map(canonical_json, lines))
    pages = [{"url": line["url"], "title": "A page", "text": "Words.", "from": "32k"} for line in lines]
    write_lines(task / "pages.jsonl.gz", map(canonical_json, pages))
    return folder


def scored(folder: Path, *, gold: Path | None = None, judge: Judge | None = None, only: str = "") -> Scores:
    judges = [judge or judge_by()[0]]
    asked = (only,) if only else FAMILIES
    return asyncio.run(score(folder, asked, judges, progress=choose_progress("none"), gold=gold))


def shares_of(scores: Scores) -> dict[str, float]:
    return {
        row.variant: row.value
        for row in scores.scores
        if (row.metric, row.policy) == ("error_causes", "answered") and row.value is not None
    }


def test_labels_are_kept_in_the_experiment_and_the_sandbox_is_not_needed_again(tmp_path: Path) -> None:
    folder, made = research(tmp_path / "exp", ONE), sandbox(tmp_path / "S")
    first = shares_of(scored(folder, gold=made))
    kept = read_labels_of(folder, "q1")
    assert kept is not None
    assert (kept.supportive, kept.distractors) == ((CARE,), (RECALL,))
    assert "https://n" not in (folder / "labels/q1.json").read_text()
    shutil.rmtree(made)
    assert shares_of(scored(folder)) == first


def test_labels_of_some_pages_alone_are_refused(tmp_path: Path) -> None:
    made = sandbox(tmp_path / "S")
    labels = made / "tasks/q1/labels.jsonl"
    labels.write_text(labels.read_text().splitlines(keepends=True)[0])
    with pytest.raises(UserError, match="no label of 2 pages"):
        scored(research(tmp_path / "exp", ONE), gold=made)


def test_a_page_that_turns_out_to_be_a_distractor_misleads_and_nobody_is_asked(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge, asked = judge_by()
    scored(folder, gold=sandbox(tmp_path / "S"), judge=judge)
    (path,) = folder.glob("labels/*.json")
    held = json.loads(path.read_text())
    write_json(path, {**held, "supportive": [RECALL], "distractors": [CARE]})
    asked.clear()
    found = shares_of(scored(folder, judge=judge))
    assert {cause: found[cause] for cause in CAUSES if found[cause]} == {"misled": 0.5, "not_used": 0.5}
    assert asked == []


def test_other_labels_than_the_experiment_holds_are_refused(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    scored(folder, gold=sandbox(tmp_path / "S"))
    with pytest.raises(UserError, match="labels"):
        scored(folder, gold=sandbox(tmp_path / "T", "https://other.example/x"))


def reasons(scores: Scores) -> set[str]:
    return {
        why
        for row in scores.scores
        if row.metric == "error_causes" and row.policy == "answered"
        for why in reasons_of(row.items)
    }


def test_without_labels_and_before_dr3_the_reason_is_told(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    write_json(tmp_path / "gold/q1.json", GOLD.model_dump(mode="json"))
    assert reasons(scored(folder, gold=tmp_path / "gold")) == {NO_LABELS}
    folder = research(tmp_path / "other", ONE)
    assert reasons(scored(folder, gold=sandbox(tmp_path / "S"), only="error_causes")) == {NOT_JUDGED}


def test_before_a_judge_that_follows_rules_errors_are_of_claims_alone(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge = Judge.of(open_model("offline:judge", environ={}))
    found = shares_of(scored(folder, gold=sandbox(tmp_path / "S"), judge=judge))
    assert "n_missed" not in found
    assert sum(found.get(cause, 0) for cause in CAUSES) in (0, pytest.approx(1))
