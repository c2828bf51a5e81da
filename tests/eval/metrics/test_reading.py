"""How a judge reads. Also tests eval/claims/read_picks.py, eval/metrics/readings.py and records/reading.py."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Judge
from drretail.records.reading import Reading
from drretail.records.score import Score
from drretail.viewer.tables.scores import score_tables
from tests import build
from tests.build import LABEL, Asked, scripted_judge
from tests.eval.metrics.faithfulness.reports import claim, said_value, support
from tests.goods import EVIDENCE, KETTLE, QUERY

REPORT = (
    "Go for the gooseneck one; it is yours for 41 dollars [P:B0KITCHENK]. "
    "The towels would be nice, but wait for a sale."
)
WORDS = "Go for the  gooseneck one"
PICK = {"product": f"P:{KETTLE.product_id}", "quantity": 1, "alternatives": list[str](), "quote": WORDS}
PRICE = said_value("price", "yours for 41 dollars", f"P:{KETTLE.product_id}")
CLAIMS = {"claims": [claim(1, "The kettle costs $41.", f"P:{KETTLE.product_id}", values=[PRICE])]}
CONFIRMED = {"claim_id": 1, "quote": "yours for", "justification": "It is.", "confirmed": True}


def folder(tmp_path: Path, picks: list[str] | None = None, report: str = REPORT) -> Path:
    query = QUERY.model_copy(update={"query_id": "q1", "user_id": None})
    runs = {LABEL: {"q1-r1": build.run("q1-r1", report, picks)}}
    return build.experiment(tmp_path / "exp", runs, queries=[query], evidence=EVIDENCE.values())


def judge_of(
    *picks: Any, claims: Any = CLAIMS, confirmed: Sequence[Any] = (CONFIRMED,), name: str = "test"
) -> tuple[Judge, Asked]:
    """A judge that extracts one claim with one value; it reads these picks and confirms one answer after the other."""
    left, confirmations = iter(picks), iter(confirmed)

    def answer(text: str) -> Any:
        if "Query and report are data" in text:
            return {"picks": [next(left)]}
        if "about to be called false" in text:
            return {"confirmations": [next(confirmations)]}
        if "The report is data" in text:
            return {**claims, "picks": [next(left)]} if "`picks` are" in text else claims
        return support("full")

    return scripted_judge(answer, name=name)


def rows(
    exp: Path, judge: Judge, metrics: Sequence[str] = ("checks", "reading"), **how: Any
) -> dict[tuple[str, str], Score]:
    scores = build.scored(exp, metrics, judge, **how)
    return {(row.metric, row.variant): row for row in scores.scores}


def kept(experiment: Path) -> Reading:
    (path,) = (experiment / "readings").rglob("*.json")
    return Reading.model_validate_json(path.read_text("utf-8"))


def test_values_and_picks_come_with_the_claims(tmp_path: Path) -> None:
    judge, asked = judge_of(PICK)
    found = rows(folder(tmp_path), judge)
    reading = kept(tmp_path / "exp")
    assert len(asked) == 2  # and once more what records contradict
    assert reading.reader == "model:scripted-test"
    (pick,), (value,) = build.known(reading.picks), reading.values
    assert (pick.product, REPORT[pick.start : pick.end]) == (KETTLE.product_id, "Go for the gooseneck one")
    assert (REPORT[value.start : value.end], value.state) == ("41 dollars", "contradicted")
    assert found["checks", "price_wrong"].value == 1
    by_model = {"picks by model:scripted-test": 1, "values by model:scripted-test": 1}
    assert found["checks", "picks_known"].items == by_model
    assert found["checks", "clean"].value == 0
    assert found["reading", "picks_read"].value == 1


@pytest.mark.parametrize(("quote", "is_said"), [("go for the Gooseneck one", True), ("never said", False)])
@pytest.mark.parametrize("confirmed", [True, False])
def test_only_what_the_judge_confirms_with_words_of_the_report_is_false(
    tmp_path: Path, *, confirmed: bool, quote: str, is_said: bool
) -> None:
    judge, _ = judge_of(confirmed=[CONFIRMED | {"quote": quote, "confirmed": confirmed}])
    found = rows(folder(tmp_path, []), judge, ("faithfulness", "reading", "false_statements"))
    is_false = confirmed and is_said
    assert found["false_statements", "false_statements"].value == is_false
    is_contested = not (is_said and (confirmed or CONFIRMED["justification"]))
    assert found["false_statements", "checked"].items["contested"] == is_contested
    assert found["false_statements", "contested_answers"].value == is_contested


def test_quotes_are_compared_by_letters_and_figures_and_one_that_is_nowhere_drops_its_value(tmp_path: Path) -> None:
    quotes = ("Yours for **41 dollars**", "yours for 4", "41 pounds")
    values = [PRICE | {"quote": quote} for quote in quotes]
    judge, _ = judge_of(claims={"claims": [CLAIMS["claims"][0] | {"values": values}]})
    exp = folder(tmp_path, [])
    assert rows(exp, judge, ("faithfulness", "false_statements"))["false_statements", "false_statements"].value == 1
    (path,) = exp.glob("verdicts/faithfulness/*/*/q1-r1.jsonl")
    extraction = VerdictFile(path).lasts()[0]
    assert (len(extraction.value[0]["values"]), extraction.value[0]["figureless"], extraction.repairs) == (1, 2, 0)


def test_a_quote_is_found_as_the_judge_was_shown_it_with_a_tag_rewritten(tmp_path: Path) -> None:
    shown = "yours for 41 dollars(ref )shop(/ref)"
    values = [PRICE | {"quote": shown}]
    claims = {"claims": [claim(1, "It costs $41.", f"P:{KETTLE.product_id}", "(ref )", quote=shown, values=values)]}
    judge, asked = judge_of(claims=claims)
    report = REPORT.replace(" [", '<ref name="a">shop</ref> [')
    found = rows(folder(tmp_path, [], report), judge, ("faithfulness", "false_statements"))
    assert shown in asked[0]
    assert found["false_statements", "false_statements"].value == 1


def test_of_two_judges_code_reads_one_s_values_and_the_table_says_whose(tmp_path: Path) -> None:
    typed, bare = ({"claims": [CLAIMS["claims"][0] | {"values": values}]} for values in ([PRICE], list[Any]()))
    exp = folder(tmp_path)
    for name, claims in (("b", bare), ("a", typed)):
        judge, _ = judge_of(PICK, claims=claims, name=name)
        scores = build.scored(exp, ["faithfulness", "reading", "checks", "false_statements"], judge)
    (table,) = [each for each in score_tables(scores.scores, scores.metrics, scores.systems) if each.title == "Checks"]
    assert any("picks by model:scripted-a, values by model:scripted-a" in note for note in table.notes), table.notes
    # What a judge calls false is its own.
    false = {row.judge: row.value for row in scores.scores if row.variant == "false_statements"}
    assert (false["scripted:a"], false["scripted:b"]) == (1, 0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"product": "B0NOTHERE0"}, "is no id in the report"),
        ({"quote": "Go for the pan"}, "does not stand in the report"),
        ({"quantity": 0}, "has to be 1 or more"),
    ],
)
def test_picks_that_can_not_be_used_are_asked_for_alone(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    judge, asked = judge_of(PICK | changed, PICK | changed, PICK)
    found = rows(folder(tmp_path), judge)
    assert ["list its claims" in each for each in asked] == [True, False, False, False]
    assert message in asked[2]
    assert found["checks", "picks_known"].value == 1
