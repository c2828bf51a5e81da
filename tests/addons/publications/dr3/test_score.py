"""Every formula by hand, by our rules and the released ones, and over gold. Also tests opinions.py."""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.publications.dr3.citations import claim_source_item, documents_item
from drretail.addons.publications.dr3.opinions import depth_item, insight_item, requirements_of, wish_requirements
from drretail.addons.publications.dr3.score import JudgedReport, take_gold, values
from drretail.errors import UserError
from drretail.eval.claims.claims import Claim, make_claim
from drretail.eval.judging.session import Judge
from drretail.eval.metric import Value
from drretail.experiments.experiment import KNOWN_ANSWERS, Definition
from drretail.files import write_json
from drretail.llm.registry import build_model
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
from drretail.records.query import Query
from drretail.records.score import Score, Verdict, VerdictState, reasons_of
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests import build
from tests.addons.publications.dr3.research import EVIDENCE, GOLD, QUERY, REPORT, judge_by
from tests.build import LABEL

PAGE, OTHER, FILE = "W:aaaaaaaa", "W:bbbbbbbb", "F:cccccccc"
INSIGHTS: dict[GoldPart, list[GoldInsight]] = {
    "files": [GoldInsight(id=f"f{n}", text=f"File insight {n}.") for n in range(2)],
    "sandbox": [GoldInsight(id=f"s{n}", text=f"Page insight {n}.") for n in range(4)],
}
GOLD_BY_HAND = KnownAnswer(
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
    gold: KnownAnswer | None = GOLD_BY_HAND,
    criteria: Criteria | None = CRITERIA,
    rules: Rules = "default",
) -> dict[str, Value]:
    return {value.variant: value for value in values(JudgedReport(verdicts, rules, gold, criteria))}


def shown(found: dict[str, Value], names: Iterable[str]) -> dict[str, float | str]:
    """Of each the value, or the state of one without."""
    held = {name: found[name] for name in names}
    return {name: value.state if value.value is None else value.value for name, value in held.items()}


COUNTS = {"required": {"files": 1, "sandbox": 3}, "cited": {"files": 1, "sandbox": 1}}
COVERED = verdict("documents", documents_item(GOLD_BY_HAND), COUNTS)
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


def test_the_formulas_of_dr3_by_hand() -> None:
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


def taken(tmp_path: Path, source: Path) -> KnownAnswer | None:
    take_gold(tmp_path / "exp", Definition(queries=(QUERY,), systems={}), source)
    return KNOWN_ANSWERS.read(tmp_path / "exp", "q1")


def test_gold_is_found_in_three_places_and_frozen_and_of_another_query_or_none_is_told(tmp_path: Path) -> None:
    for at, place in enumerate(("q1.json", "gold/q1.json", "tasks/q1/gold.json")):
        write_json(tmp_path / f"{at}" / place, GOLD.model_dump(mode="json"))
        assert taken(tmp_path / f"to-{at}", tmp_path / f"{at}") == GOLD, place
    other = gold_folder(tmp_path / "other", KnownAnswer(query_id="q1", files=GOLD.files))
    with pytest.raises(UserError, match="holds other gold than"):
        taken(tmp_path / "to-0", other)
    assert KNOWN_ANSWERS.read(tmp_path / "to-0/exp", "q1") == GOLD
    write_json(tmp_path / "source/q1.json", GOLD.model_copy(update={"query_id": "q2"}).model_dump(mode="json"))
    with pytest.raises(UserError, match="of the query q2"):
        taken(tmp_path, tmp_path / "source")

    with pytest.raises(UserError, match="does not exist"):
        taken(tmp_path, tmp_path / "data")
    (tmp_path / "data").mkdir()
    with pytest.raises(UserError, match="holds no gold"):
        taken(tmp_path, tmp_path / "data")


def rows(folder: Path, judge: Judge, *metrics: str, **given: Any) -> dict[str, Score]:
    scores = build.scored(folder, metrics or "dr3", judge, **given)
    return build.rows(scores, "dr3", LABEL, rules=given.get("rules", "default"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An experiment with the report on the query."""
    return build.experiment(tmp_path / "exp", {LABEL: {"q1-r1": REPORT}}, queries=[QUERY], evidence=EVIDENCE)


def gold_folder(folder: Path, gold: KnownAnswer = GOLD) -> Path:
    write_json(folder / "q1.json", gold.model_dump(mode="json"))
    return folder


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return gold_folder(tmp_path / "gold")


def test_every_metric_of_a_report_by_hand_and_later_gold_is_asked_about_alone(folder: Path, gold: Path) -> None:
    judge, asked = judge_by()
    before = rows(folder, judge, "faithfulness", "dr3")
    assert asked.count("ReportClaims") == 1, "claims that faithfulness has are not extracted again"
    assert (before["IR"].value, before["IR"].n_na, before["CC"].n_na, before["avg6"].n_na) == (None, 1, 1, 1)
    assert "nothing is known beforehand" in next(iter(reasons_of(before["CC"].items)))
    asked.clear()
    found = rows(folder, judge, gold=gold)
    assert asked == ["FoundInsights", "FoundInsights"]
    fields = {name: None if each.value is None else round(each.value, 2) for name, each in found.items()}
    assert fields == {
        **{"IR_UF": 100, "IR_SC": 50, "IR": 75},  # files 1 of 1; pages 1 of 2, one of them in part
        **{"CC": 66.67, "CC_UF": 100, "CC_SC": 50},  # the page on recalls is not cited
        **{"FA": 50, "FA_pair": 50},  # the file in full, the page in part
        **{"FA_UF": 100, "FA_pair_UF": 100, "FA_SC": 0, "FA_pair_SC": 0},
        **{"IF": 66.67, "DQ": 40},  # 2 of 3 requirements; 4 of 10
        "avg6": round((100 + 50 + 200 / 3 + 50 + 200 / 3 + 40) / 6, 2),
        "avg_available": round((100 + 50 + 200 / 3 + 50 + 200 / 3 + 40) / 6, 2),
    }


def test_a_judge_that_follows_rules_decides_nothing_by_pages_and_is_never_asked_for_opinions(
    folder: Path, gold: Path
) -> None:
    found = rows(folder, Judge.of(build_model("offline:judge")), gold=gold)
    assert found["CC"].value == pytest.approx(200 / 3)
    assert found["FA"].n_na == 1
    released = rows(folder, Judge.of(build_model("offline:judge")), rules="dr3")
    for name in ("IR", "IF", "DQ"):
        assert (found[name].n_na, released[name].n_na) == (1, 1)
    assert released["total"].n_na == 1
    assert not (folder / "rubrics/dr3").exists()


def test_the_released_rules_are_judged_apart_and_know_no_criteria_of_depth(folder: Path, gold: Path) -> None:
    judge, asked = judge_by()
    found = rows(folder, judge, gold=gold, rules="dr3")
    # 0.8 is snapped to 1; the second insight of the pages was left out, which counts 0.
    assert (found["IR_UF"].value, found["IR_SC"].value, found["IR"].value) == (100, 50, 75)
    # Every title stands in the report's list of sources, and "Recalls" nowhere.
    assert found["CC"].value == pytest.approx(200 / 3)
    assert (found["FA"].value, found["DQ"].value) == (100, 40)
    assert found["total"].value == pytest.approx((75 + 100 + 40 + 200 / 3 + 200 / 3) / 5)
    assert asked.count("CitedClaims") == 1


def required(wish: Wish | None) -> list[tuple[str | None, str]]:
    made = wish_requirements(Query(query_id="q1", text="?", wish=wish, source="test"))
    return [(criterion.kind, criterion.text) for criterion in made.criteria]


def test_a_typed_wish_becomes_requirements_in_words() -> None:
    limits: dict[str, Any] = {"must": ("cotton",), "must_not": ("perfume",), "price_max": Money(amount="25.5")}
    limits |= {"rating_min": 4, "ratings_min": 1000, "brands_wanted": ("Anvil", "Oak"), "brands_unwanted": ("Flimsy",)}
    feeder = Want(name="feeder", kinds=("Bird Feeders", "feeder"), quantity=2, **limits)
    scoop = Want(name="scoop", kinds=("scoop",), optional=True, not_owned=True)
    wish = Wish(wants=(feeder, scoop), budget=Money.of(60), deadline="2023-12-24", owned=("a seed scoop",))
    assert required(wish) == [
        ("want", "It recommends what is asked for as feeder (Bird Feeders or feeder), 2 pieces."),
        ("must", "As feeder it recommends only what meets this demand: cotton."),
        ("must_not", "As feeder it recommends nothing that is or has what is not wanted: perfume."),
        ("rating_min", "As feeder it recommends only what is rated with at least 4 stars."),
        ("ratings_min", "As feeder it recommends only what has at least 1,000 ratings."),
        ("price_max", "As feeder it recommends only what costs no more than $25.50 a piece."),
        ("brands_wanted", "As feeder it recommends only what is by Anvil or Oak."),
        ("brands_unwanted", "As feeder it recommends nothing by Flimsy."),
        ("want", "It says whether to buy what is asked for as scoop."),
        ("budget", "What it recommends costs no more than $60.00 together."),
        ("deadline", "It keeps to the date by which things are needed: 2023-12-24."),
        ("owned", "It does not recommend to buy again what is owned already: a seed scoop."),
    ]
    again = Wish(wants=(Want(name="scoop", kinds=("scoop",)),), owned=("a seed scoop",))
    assert [kind for kind, _ in required(again)] == ["want"], "where nobody says that it is to be another"
    assert required(Wish()) == [("want", "It recommends to buy nothing.")]
    assert required(None) == []
