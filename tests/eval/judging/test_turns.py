"""What a judge types of the answers of a shop's assistant, and what of it counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.judging.session import Judge
from drretail.eval.judging.turns import TurnValues, turn_questions
from drretail.llm.prompt import tag_content
from drretail.llm.registry import build_model
from drretail.records.run import Run, Turn
from tests import build
from tests.build import scripted_judge
from tests.eval.metrics.faithfulness.reports import said_value
from tests.eval.metrics.test_false_statements import rows

ANSWERS = ("Der Topf bringt 3,4 kg auf die Waage.", "In White it sets you back €79.")
TURNS = (("Is the Quarry Pot heavy?", ANSWERS[0]), ("And the price?", ANSWERS[1]))
VARIANTS = [{"id": "white", "Color": "White", "price": 72.0}, {"id": "black", "Color": "Black", "price": 79.0}]
DETAILS = {"Weight": "2.1 kg", "Oven safe": "no", "Variants": VARIANTS}
RECORD = {"product_id": "pot", "title": "Quarry Pot", "currency": "EUR", "category": "Pots", "details": DETAILS}
POT = build.evidence("P:pot", build.text(json.dumps(RECORD), "record"), title="Quarry Pot", looked_up=True)
WEIGHT = said_value("measure", "3,4 kg", "P:pot", "Weight")
WHITE = said_value("price", "€79", "P:pot/white")


def answered() -> Run:
    turns, report = list[Turn](), ""
    for question, answer in TURNS:
        turns.append(Turn(question=question, start=len(report), end=len(report) + len(answer)))
        report += f"{answer}\n\n"
    return build.run("q1-r1", report, label="log").model_copy(update={"turns": tuple(turns)})


def test_what_cannot_be_read_is_sent_back() -> None:
    check = build.known(next(turn_questions(build.subject(answered(), [POT]))).check)
    rows = [
        (WEIGHT | {"quote": "3.4 kg"}, "does not stand"),
        (WEIGHT | {"of": "P:pan"}, "is no id"),
        (said_value("order_status", "auf die Waage", "P:pot", "on its way"), "has to be one of 'Delivered'"),
        (said_value("policy", "3,4 kg", "", "weight"), "has to be one of 'shipping'"),
        (WEIGHT | {"of": ""}, None),
        (WEIGHT, None),
    ]
    for value, problem in rows:
        found = check(TurnValues.model_validate({"values": [value]}))
        assert found is None if problem is None else problem in (found or ""), value


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_model_types_each_answer_once_and_what_it_confirms_is_false(tmp_path: Path, *, confirmed: bool) -> None:
    exp = build.experiment(tmp_path / "read", {"log": {"q1-r1": answered()}}, evidence=[POT])

    def script(opening: str) -> dict[str, Any]:
        if "about to be called false" in opening:
            assert all(line in opening for line in ("asked: And the price?", "its words: €79", "record: €72.00"))
            both = [{"claim_id": number, "quote": "auf die", "justification": "So it says."} for number in (1, 2)]
            return {"confirmations": [one | {"confirmed": confirmed} for one in both]}
        answer = build.known(tag_content("answer", opening))
        return {"values": [one for one in (WEIGHT, WHITE) if one["quote"] in answer]}

    judge, asked = scripted_judge(script)
    found = rows(build.scored(exp, ("reading", "false_statements"), judge))
    assert {name: found[name] for name in ("false_field", "false_price", "false_answers", "checked")} == {
        **dict.fromkeys(("false_field", "false_price", "false_answers"), float(confirmed)),
        "checked": float(confirmed),
    }
    assert len(asked) == len(TURNS) + 1
    again = build.experiment(tmp_path / "again", {"log": {"q1-r1": answered()}}, evidence=[POT])
    rules = Judge.of(build_model("offline:judge"))
    assert rows(build.scored(again, "false_statements", rules))["false_statements"] == 0  # of which variant, who knows


def test_without_a_reading_of_most_answers_nothing_is_said_of_them(tmp_path: Path) -> None:
    exp = build.experiment(tmp_path, {"log": {"q1-r1": answered()}}, evidence=[POT])
    judge, _ = scripted_judge(lambda opening: {"values": [WHITE | {"quote": "nowhere"}]})
    assert rows(build.scored(exp, "false_statements", judge))["false_answers"] is None
