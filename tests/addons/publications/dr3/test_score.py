"""Every formula by hand: IR, CC, FA, IF, DQ and their averages, under our rules and the released ones."""

from collections.abc import Iterable, Sequence
from functools import partial

import pytest

from drretail.addons.publications.dr3.citations import claim_source_item, documents_item
from drretail.addons.publications.dr3.opinions import depth_item, insight_item, requirements_of
from drretail.addons.publications.dr3.score import JudgedReport, values
from drretail.eval.claims.claims import Claim, make_claim
from drretail.eval.metric import Value
from drretail.records.base import Rules
from drretail.records.criteria import (
    GOLD_PARTS,
    Criteria,
    CriteriaGroup,
    Criterion,
    GoldInsight,
    GoldPart,
    KnownAnswer,
    PartOfGold,
    RequiredDocument,
)
from drretail.records.score import Verdict, VerdictState, reasons_of
from tests import build

PAGE, OTHER, FILE = "W:aaaaaaaa", "W:bbbbbbbb", "F:cccccccc"
INSIGHTS: dict[GoldPart, list[GoldInsight]] = {
    "files": [GoldInsight(id=f"f{n}", text=f"File insight {n}.") for n in range(2)],
    "sandbox": [GoldInsight(id=f"s{n}", text=f"Page insight {n}.") for n in range(4)],
}
GOLD = KnownAnswer(
    query_id="q1",
    files=PartOfGold(insights=tuple(INSIGHTS["files"]), documents=(RequiredDocument(title="orders.csv"),)),
    sandbox=PartOfGold(
        insights=tuple(INSIGHTS["sandbox"]),
        documents=tuple(RequiredDocument(title=f"Page {n}", url=f"https://a.example/{n}") for n in range(3)),
    ),
)
CRITERIA = Criteria(
    metric="dr3",
    query_id="q1",
    groups=(
        CriteriaGroup(name="constraints", criteria=(Criterion(text="It costs no more than $30."),)),
        CriteriaGroup(name="query", criteria=tuple(Criterion(text=f"Names {n}.") for n in range(2))),
        CriteriaGroup(name="depth", criteria=(Criterion(text="Weighs price against life."),)),
    ),
)

verdict = partial(build.verdict, "dr3")


def labelled(files: list[float | None], sandbox: list[float | None]) -> list[Verdict]:
    """Labels of the insights in order; None is a judge that broke."""
    return [
        verdict("insights", insight_item(part, each), label, "failed" if label is None else "scored")
        for part, labels in zip(GOLD_PARTS, (files, sandbox), strict=True)
        for each, label in zip(INSIGHTS[part], labels, strict=True)
    ]


def said(
    verdicts: list[Verdict],
    gold: KnownAnswer | None = GOLD,
    criteria: Criteria | None = CRITERIA,
    rules: Rules = "default",
) -> dict[str, Value]:
    return {value.variant: value for value in values(JudgedReport(verdicts, rules, gold, criteria))}


def shown(found: dict[str, Value], names: Iterable[str]) -> dict[str, float | str]:
    """Of each the value, or the state of one without."""
    held = {name: found[name] for name in names}
    return {name: value.state if value.value is None else value.value for name, value in held.items()}


COUNTS = {"required": {"files": 1, "sandbox": 3}, "cited": {"files": 1, "sandbox": 1}}
COVERED = verdict("documents", documents_item(GOLD), COUNTS)
CLAIMS = [
    make_claim(1, "Cited by both, borne out by both.", [PAGE, FILE]),
    make_claim(2, "Borne out by one, in part by the other.", [PAGE, OTHER]),
    make_claim(3, "Of a file alone.", [FILE]),
    make_claim(4, "Cites nothing.", []),
]
NOWHERE = make_claim(1, "Cites what was never there.", [], ["W:zzzzzzzz"])


def extracted(claims: Sequence[Claim] = CLAIMS, stage: str = "extract") -> Verdict:
    return verdict(stage, "report", [claim.model_dump(mode="json", exclude_none=True) for claim in claims])


def paired(number: int, source: str, value: float | None, state: VerdictState = "scored") -> Verdict:
    return verdict("support", claim_source_item(CLAIMS[number - 1], source), value, state)


FULL = [
    *(extracted(), paired(1, PAGE, 1), paired(1, FILE, 1)),
    *(paired(2, PAGE, 1), paired(2, OTHER, 0.5), paired(3, FILE, 0)),
]
BROKEN = paired(2, OTHER, None, "failed")


def met(*answers: float | None) -> list[Verdict]:
    return [
        verdict("requirements", each.item, value, "failed" if value is None else "scored")
        for each, value in zip(requirements_of(CRITERIA), answers, strict=True)
    ]


# By what it shows: verdicts, and values or the states of those without one.
FORMULA: dict[str, tuple[list[Verdict], dict[str, float | str]]] = {
    # files 1 / 2 = 50, sandbox 2 / 4 = 50
    "a part of an insight is nothing": (labelled([1, 0.5], [1, 1, 0.5, 0]), {"IR_UF": 50, "IR_SC": 50, "IR": 50}),
    "an insight without a label fails its share": (
        labelled([1, 1], [1, 0, 0, None]),
        {"IR_UF": 100, "IR_SC": "failed", "IR": "failed", "avg6": "failed"},
    ),
    # Claim 1 of 3; pairs 3 of 5. Files: claim 1 of 1 and 3; pairs alike. Pages: claim 1 of 1 and 2; pairs 2 of 3.
    "by claim all sources are wanted and by pair each": (
        FULL,
        {"FA": 100 / 3, "FA_pair": 60, "FA_UF": 50, "FA_pair_UF": 50, "FA_SC": 50, "FA_pair_SC": 200 / 3},
    ),
    # Claim 2 is left to its page; claim 3 has nothing that could be read.
    "what could not be read is not unsupported": (
        [*FULL[:4], paired(2, OTHER, None, "unverifiable"), paired(3, FILE, None, "unverifiable")],
        {"FA": 100, "FA_pair": 100},
    ),
    "a failed pair leaves a claim open": ([*FULL[:4], BROKEN, FULL[5]], {"FA": 50}),
    "unless another source does not bear it out": ([*FULL[:3], paired(2, PAGE, 0), BROKEN, FULL[5]], {"FA": 100 / 3}),
    "sources that come to nothing": ([extracted([NOWHERE])], {"FA": "unverifiable", "FA_pair": "unverifiable"}),
    "a report without a cited claim has no accuracy": ([extracted(CLAIMS[3:])], {"FA": "na", "FA_pair": "na"}),
    "without verdicts all is failed": ([], {"FA": "failed", "FA_pair": "failed"}),
    "instructions are the share met": (met(1, 0, 1), {"IF": 200 / 3}),
    "of those that were judged": (met(1, None, 0), {"IF": 50}),
    "and failed if none was": (met(None, None, None), {"IF": "failed"}),
}


def test_the_formula() -> None:
    for case, (verdicts, expected) in FORMULA.items():
        assert shown(said(verdicts), expected) == pytest.approx(expected), case


DEPTH = verdict("depth", depth_item(CRITERIA.group("depth")), 7)
ALL = [*labelled([1, 0.5], [1, 1, 0.5, 0]), COVERED, *FULL, *met(1, 0, 1), DEPTH]


def test_the_average_is_of_six_or_none_and_without_gold_recall_and_coverage_are_na_with_the_reason() -> None:
    found = said(ALL)
    # 50, 50, 50, 33.3, 66.7, 70
    assert found["avg6"].value == pytest.approx((50 + 50 + 50 + 100 / 3 + 200 / 3 + 70) / 6)
    assert found["avg6"].value == found["avg_available"].value
    without = said(ALL, None)
    assert without["avg6"].state == "na"
    assert without["avg_available"].value == pytest.approx((100 / 3 + 200 / 3 + 70) / 3)
    assert without["avg_available"].items == {"with FA": 1, "with IF": 1, "with DQ": 1}
    assert "total" not in found

    found = said([], None)
    for name in ("IR_UF", "IR_SC", "IR", "CC", "CC_UF", "CC_SC"):
        assert found[name].state == "na"
        assert "exp/gold" in next(iter(reasons_of(found[name].items)))
    nothing = KnownAnswer(query_id="q1")
    none = dict.fromkeys(("files", "sandbox"), 0)
    empty = said([verdict("documents", documents_item(nothing), {"required": none, "cited": none})], nothing)
    assert shown(empty, ("IR", "CC")) == {"IR": "na", "CC": "na"}


released = partial(said, rules="dr3")


def test_the_released_total_counts_recall_once_averages_minus_one_in_and_takes_what_broke_as_nought() -> None:
    claims = [extracted(CLAIMS, "extract_cited"), *FULL[1:]]
    depth = verdict("depth", depth_item(None), 7)
    found = released([*labelled([1, 0.5], [1, 1, 0.5, 0]), COVERED, *claims, *met(1, 0, 1), depth])
    assert found["total"].value == pytest.approx((50 + 100 / 3 + 70 + 200 / 3 + 50) / 5)
    nothing = released([*claims, *met(1, 0, 1), depth], None)
    assert shown(nothing, ("IR", "CC")) == {"IR": -1, "CC": -1}
    assert nothing["total"].value == pytest.approx((-1 + 100 / 3 + 70 + 200 / 3 - 1) / 5)
    broken = released([*labelled([1, None], [1, 1, 1, 1]), COVERED, *claims, *met(1, 0, 1), depth])
    assert broken["IR"].state == "failed"
    assert broken["total"].value == pytest.approx((0 + 100 / 3 + 70 + 200 / 3 + 50) / 5)

    claims = [extracted(CLAIMS, "extract_cited"), paired(1, PAGE, 1), paired(1, FILE, None, "unverifiable")]
    none, names = [extracted([], "extract_cited")], ("IR", "CC", "FA", "IF", "DQ")
    assert shown(released(none, None, None), names) == dict.fromkeys(names, -1), "what could not be evaluated"
    found = released([*claims, paired(2, PAGE, 1), paired(2, OTHER, 1)])  # the third pair has no verdict at all
    assert shown(found, ("FA", "FA_pair")) == {"FA": pytest.approx(100 / 3), "FA_pair": 60}
