"""DR3: its questions, its required documents, and an experiment with gold."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.publications.dr3.citations import (
    LONGEST_SOURCE,
    Covered,
    judge_documents,
    matched_titles,
    pieces_of_long,
)
from drretail.addons.publications.dr3.opinions import wish_requirements
from drretail.addons.publications.dr3.score import METRIC, take_gold
from drretail.errors import UserError
from drretail.eval.claims.claims import SourceText
from drretail.eval.judging.session import Judge
from drretail.eval.judging.sources import size
from drretail.experiment import KNOWN_ANSWERS, Definition
from drretail.files import write_json
from drretail.llm.registry import build_model
from drretail.records.base import Rules, sha256_of
from drretail.records.criteria import KnownAnswer, PartOfGold, RequiredDocument
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.score import Score, reasons_of
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests import build
from tests.addons.publications.dr3.research import (
    CARE,
    CARE_ID,
    EVIDENCE,
    GOLD,
    ORDERS_ID,
    QUERY,
    RECALL,
    REPORT,
    judge_by,
)
from tests.build import LABEL


def source(text: str) -> SourceText:
    return SourceText("W:aaaaaaaa", build.text(text))


def required(wish: Wish | None) -> list[tuple[str | None, str]]:
    made = wish_requirements(Query(query_id="q1", text="?", wish=wish, source="test"))
    return [(criterion.kind, criterion.text) for criterion in made.criteria]


def test_a_typed_wish_becomes_requirements_in_words() -> None:
    limits: dict[str, Any] = {"must": ("cotton",), "must_not": ("perfume",), "price_max": Money(amount="25.5")}
    limits |= {"rating_min": 4, "ratings_min": 1000, "brands_wanted": ("Anvil", "Oak"), "brands_unwanted": ("Flimsy",)}
    feeder = Want(name="feeder", kinds=("Bird Feeders", "feeder"), quantity=2, **limits)
    scoop = Want(name="scoop", kinds=("scoop",), optional=True)
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
    again = Wish(wants=(Want(name="scoop", kinds=("scoop",), again=True),), owned=("a seed scoop",))
    assert [kind for kind, _ in required(again)] == ["want"], "where more of what is owned is wanted"
    assert required(Wish()) == [("want", "It recommends to buy nothing.")]
    assert required(None) == []


def test_a_source_of_up_to_20_000_characters_is_shown_whole_and_a_longer_one_by_its_five_best_pieces() -> None:
    whole = source("x" * LONGEST_SOURCE)
    assert pieces_of_long([whole], ["Birds."], None) == [whole]
    filler = ("lorem " * 84)[:500]
    marked_pieces = [f"The zebra number {number} likes oats. ".ljust(500, ".") for number in range(7)]
    text = "".join(filler + piece for piece in marked_pieces) + filler * 30
    (cut,) = pieces_of_long([source(text)], ["A zebra likes oats."], None)
    assert len(text) > LONGEST_SOURCE
    assert [number for number in range(7) if f"zebra number {number} " in cut.text.text] == [0, 1, 2, 3, 4]
    assert "lorem" not in cut.text.text
    assert (cut.text.sha256, cut.ref.share) == (sha256_of(text), round(size(cut.text.text) / len(text), 3))


def covered(
    tmp_path: Path,
    report: str,
    gold: KnownAnswer = GOLD,
    evidence: Sequence[Evidence] = EVIDENCE,
    rules: Rules = "default",
) -> tuple[int, int]:
    """How many of the required files and pages are cited."""
    about = build.subject(report, evidence, query=build.query(text="Which?"))
    (verdict,) = build.judged(METRIC, about, tmp_path / "v.jsonl", rules=rules, judging=partial(judge_documents, gold))
    found = Covered.model_validate(verdict.value)
    return found.cited["files"], found.cited["sandbox"]


def test_a_document_is_covered_by_citations_alone(tmp_path: Path) -> None:
    for at, (report, cited) in enumerate(
        (
            (f"It cost $22.99 [{ORDERS_ID}].", (1, 0)),
            (f"Clean it ([care]({CARE}/?utm_source=x)).", (0, 1)),
            (f"Read {RECALL} and {CARE}.", (0, 2)),
            ("The pages Care and Recalls and the file orders.csv say so.", (0, 0)),
            ("Clean it [W:zzzzzzzz], it cost $22.99 [F:zzzzzzzz] [orders.csv].", (0, 0)),
        )
    ):
        assert covered(tmp_path / f"{at}", report) == cited, report


def test_a_page_is_covered_by_a_source_of_its_title_or_by_an_address_that_was_handed_out(tmp_path: Path) -> None:
    gold = KnownAnswer(query_id="q1", sandbox=PartOfGold(documents=(RequiredDocument(title="  CARE "),)))
    assert covered(tmp_path / "a", f"Clean it [{CARE_ID}].", gold) == (0, 1)
    assert covered(tmp_path / "b", "Clean it [1].\n\n## Sources\n[1] Care https://elsewhere.example/1", gold) == (0, 1)
    assert covered(tmp_path / "c", "Care is needed [1].\n\n## Sources\n[1] https://elsewhere.example/1", gold) == (0, 0)

    bought = "http://ecommerce.com/B0TEST0001"
    gold = KnownAnswer(query_id="q1", sandbox=PartOfGold(documents=(RequiredDocument(title="Feeder", url=bought),)))
    assert covered(tmp_path / "invented", f"Take it ({bought}).", gold) == (0, 0)
    seen = Evidence(id="P:B0TEST0001", kind="product", key="B0TEST0001", title="Feeder", url=bought)
    assert covered(tmp_path / "seen", f"Take it ({bought}).", gold, [seen]) == (0, 1)

    covered(tmp_path, f"Clean it [{CARE_ID}].")
    covered(tmp_path, f"Clean it [{CARE_ID}].")
    (line,) = (tmp_path / "v.jsonl").read_text(encoding="utf-8").splitlines()
    assert "not cited: orders.csv; Recalls" in line


def test_titles_are_matched_as_generously_as_released() -> None:
    for report, title, is_matched in [
        ("As the paper has it.", "The paper", True),  # anywhere in the text
        ("See [long_context: “A study of birds”, chunk 3].", "A study of birds", True),
        ("See [birds].", "A study of birds - Journal", True),  # a part of the title in brackets
        ("ACME is a feeder.", "Manual of the ACME, second edition", True),  # an identifier of four characters
        ("ACM is a club.", "Manual of the ACM (x), second edition", False),  # three, and not in brackets
        ("See [ACM club].", "Manual of the ACM (x), second edition", True),
        ("See [Study on garden bird feeders].", "Bird feeders: a garden study", True),  # most words, in any order
        ("[Rated by us].", "Untested claims", True),  # "ted" is a brand
        ("See [colour of tubas].", "Colour of tubes", True),  # letters
        ("See [12] and [注意这个].", "Birds in winter", False),
        ("Nothing of it.", "Birds in winter", False),
        ("上海垃圾分类 [垃圾分类报告]", "垃圾分类报告（2023）", True),
    ]:
        assert bool(matched_titles(report, [title])) == is_matched, (report, title)


def taken(tmp_path: Path, source: Path) -> KnownAnswer | None:
    take_gold(tmp_path / "exp", Definition(queries=(QUERY,), systems={}), source)
    return KNOWN_ANSWERS.read(tmp_path / "exp", "q1")


def test_gold_is_found_in_three_places_and_of_another_query_or_none_is_told(tmp_path: Path) -> None:
    for at, place in enumerate(("q1.json", "gold/q1.json", "tasks/q1/gold.json")):
        write_json(tmp_path / f"{at}" / place, GOLD.model_dump(mode="json"))
        assert taken(tmp_path / f"to-{at}", tmp_path / f"{at}") == GOLD, place
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


def test_gold_is_frozen_and_another_is_refused(folder: Path, gold: Path, tmp_path: Path) -> None:
    judge, _ = judge_by()
    rows(folder, judge, gold=gold)
    other = gold_folder(tmp_path / "other", KnownAnswer(query_id="q1", files=GOLD.files))
    with pytest.raises(UserError, match="holds other gold than"):
        rows(folder, judge, gold=other)
    assert KnownAnswer.model_validate(json.loads(KNOWN_ANSWERS.path(folder, "q1").read_text())) == GOLD
