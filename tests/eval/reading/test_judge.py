"""A judge's reading of a report: one question, answers validated by code, values verified by code."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.judging.session import Judge
from drretail.eval.reading.judge import find_quote
from drretail.eval.scoring import score
from drretail.experiment import Definition, Experiment
from drretail.progress import choose_progress
from drretail.records.query import Query
from drretail.records.reading import Reading
from drretail.records.score import Score
from tests.eval.folders import LABEL, SYSTEM, Asked, a_run, scripted_judge
from tests.grounding.kitchen import EVIDENCE, KETTLE, PAN, QUERY, TOWELS

REPORT = (
    "Go for the gooseneck one; it is yours for 41 dollars [P:B0KITCHENK]. "
    "The towels would be nice, but wait for a sale [P:B0KITCHENT]."
)
ANSWER: dict[str, Any] = {
    "picks": [
        {
            "product": f"P:{KETTLE.product_id}",
            "quantity": 1,
            "alternatives": [],
            "quote": "Go for the  gooseneck one",
        }
    ],
    "values": [
        {
            "kind": "price",
            "amount": "41",
            "amount_to": "",
            "currency": "USD",
            "relation": "is",
            "of": [f"P:{KETTLE.product_id}"],
            "quote": "yours for 41 dollars",
        }
    ],
}


def folder(tmp_path: Path, picks: list[str] | None = None) -> Path:
    query = QUERY.model_copy(update={"query_id": "q1", "user_id": None})
    definition = Definition(
        world_fingerprint="f" * 64,
        queries=(Query.model_validate(query),),
        systems={LABEL: SYSTEM},
        prompt_hashes={LABEL: {}},
        tool_schema_hash="t",
    )
    with Experiment(tmp_path / "exp", definition) as opened:
        opened.save(a_run(LABEL, "q1-r1", REPORT, picks), EVIDENCE.values(), {}, {"world": "nowhere"})
    return tmp_path / "exp"


def judge_of(*answers: Any) -> tuple[Judge, Asked]:
    left = iter(answers)
    return scripted_judge(lambda text: next(left))


def rows(experiment: Path, judge: Judge, metrics: list[str] | None = None) -> dict[tuple[str, str], Score]:
    asked = score(experiment, metrics or ["checks", "reading"], [judge], progress=choose_progress("none"))
    return {(row.metric, row.variant): row for row in asyncio.run(asked).scores if row.policy == "scored_only"}


def kept(experiment: Path) -> Reading:
    (path,) = (experiment / "readings").rglob("*.json")
    return Reading.model_validate_json(path.read_text("utf-8"))


def test_one_question_gives_picks_and_values_whose_places_and_truth_code_finds(tmp_path: Path) -> None:
    judge, asked = judge_of(ANSWER)
    found = rows(folder(tmp_path), judge)
    reading = kept(tmp_path / "exp")
    assert len(asked) == 1
    assert reading.reader == "model:scripted-test"
    assert reading.picks is not None
    (pick,), (value,) = reading.picks, reading.values
    assert (pick.product, REPORT[pick.start : pick.end]) == (KETTLE.product_id, "Go for the gooseneck one")
    assert (REPORT[value.start : value.end], value.state) == ("41 dollars", "contradicted")
    assert found["checks", "price_wrong"].value == 0
    assert found["checks", "picks_known"].items == {
        "picks by model:scripted-test": 1,
        "values by model:scripted-test": 1,
    }
    assert found["checks", "clean"].value == 0


def test_declared_picks_stand_before_the_judge_s_and_a_difference_shows(tmp_path: Path) -> None:
    judge, _ = judge_of(ANSWER)
    found = rows(folder(tmp_path, [KETTLE.product_id, TOWELS.product_id]), judge)
    reading = kept(tmp_path / "exp")
    assert (reading.reader, reading.values_by) == ("declared", "model:scripted-test")
    assert [it.product for it in reading.picks or ()] == [KETTLE.product_id, TOWELS.product_id]
    assert found["reading", "picks_as_declared"].value == 0


def test_what_was_read_is_used_and_asked_no_second_time(tmp_path: Path) -> None:
    judge, asked = judge_of(ANSWER)
    rows(folder(tmp_path), judge)
    held = {path: path.read_bytes() for path in (tmp_path / "exp").rglob("*.json*")}
    found = rows(tmp_path / "exp", judge)
    assert {path: path.read_bytes() for path in (tmp_path / "exp").rglob("*.json*")} == held
    assert len(asked) == 1
    assert found["checks", "picks_known"].value == 1
    assert rows(tmp_path / "exp", judge, ["checks"])["checks", "picks_known"].value == 1


@pytest.mark.parametrize(
    ("place", "changed", "said"),
    [
        ("picks", {"product": "B0NOTHERE0"}, "is no id in the report"),
        ("picks", {"quote": "Go for the pan"}, "does not stand in the report"),
        ("picks", {"quantity": 0}, "has to be 1 or more"),
        ("values", {"amount": "forty-one"}, "has to be a number in digits"),
        ("values", {"kind": "date"}, "has to be a date"),
        ("values", {"currency": "dollars"}, "three capital letters"),
        ("values", {"of": ["W:zzzzzzzz"]}, "is no id in the report"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told_to_the_judge(
    tmp_path: Path, place: str, changed: dict[str, Any], said: str
) -> None:
    wrong = ANSWER | {place: [ANSWER[place][0] | changed]}
    judge, asked = judge_of(wrong, ANSWER)
    found = rows(folder(tmp_path), judge)
    assert len(asked) == 2
    assert said in asked[1]
    assert found["checks", "picks_known"].value == 1


def test_a_rule_based_judge_reads_nothing_and_form_is_used(tmp_path: Path) -> None:
    judge, asked = scripted_judge(lambda text: ANSWER, kind="rule_based")
    found = rows(folder(tmp_path), judge)
    assert asked == []
    assert found["checks", "picks_known"].items == {"picks unknown": 1, "values by form": 1}
    assert found["reading", "picks_as_declared"].n_na == 1


def test_a_quote_is_found_however_white_space_is_set_and_not_before_the_last() -> None:
    assert find_quote("a  b\nc a b", "a b") == (0, 4)
    assert find_quote("a  b\nc a b", "a b", 1) == (7, 10)
    assert find_quote("a b", "a b", 2) == (0, 3)
    assert find_quote("a b", "") is None
    assert find_quote("a b", PAN.title) is None
