"""An assistant's answers as a judge types them: what it is shown, what is sent back, what becomes of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.typed_turns import TurnStatements, turn_questions
from drretail.eval.judging.session import Judge
from drretail.eval.judging.subject import Subject
from drretail.llm.registry import open_model
from drretail.records.evidence import Evidence
from drretail.records.run import Run, Turn
from tests import build
from tests.eval.metrics.test_false_statements import rows

ANSWERS = ("Der Topf bringt 3,4 kg auf die Waage.", "Two of them set you back €129.")
TURNS = (("Is the Quarry Pot heavy?", ANSWERS[0]), ("And two?", ANSWERS[1]))
RECORD = {"product_id": "pot", "title": "Quarry Pot", "price": 72.0, "currency": "EUR", "category": "Pots"}
POT = Evidence(
    id="P:pot",
    kind="product",
    key="pot",
    title="Quarry Pot",
    texts=(build.text(json.dumps(RECORD | {"details": {"Weight": "2.1 kg", "Oven safe": "no"}}), "record"),),
    looked_up=True,
)


def answered() -> Run:
    turns, report = list[Turn](), ""
    for question, answer in TURNS:
        turns.append(Turn(question=question, start=len(report), end=len(report) + len(answer)))
        report += f"{answer}\n\n"
    return build.run("q1-r1", report, label="log").model_copy(update={"turns": tuple(turns)})


def said(kind: str, of: list[str], amount: str, quote: str, **fields: str) -> dict[str, Any]:
    usual = {"field": "", "amount_to": "", "currency": "", "relation": "is"}
    return {"kind": kind, "of": of, "amount": amount, "quote": quote, **usual, **fields}


WEIGHT = said("property", ["P:pot"], "3.4 kg", "3,4 kg auf die Waage", field="Weight")
TOTAL = said("total", ["P:pot", "P:pot"], "129", "€129", currency="EUR")


@pytest.fixture
def subject() -> Subject:
    return build.subject(answered(), [POT])


def test_a_judge_is_told_of_fields_and_of_what_was_said_before_and_of_no_value(subject: Subject) -> None:
    first, second = (dict(one.values) for one in turn_questions(subject) if not callable(one.values))
    assert first["sources"] == "<sources>\nP:pot Quarry Pot; fields: Weight, Oven safe\n</sources>"
    assert ANSWERS[0] in second["context"]
    assert ANSWERS[0] not in second["answer"]
    assert "72" not in "".join((*first.values(), *second.values()))
    assert "2.1" not in "".join((*first.values(), *second.values()))


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (WEIGHT | {"quote": "3.4 kg"}, "does not stand"),
        (WEIGHT | {"of": ["P:pan"]}, "neither the id of a source nor a name"),
        (WEIGHT | {"of": []}, "has to say what it is of"),
        (WEIGHT | {"kind": "price"}, "no amount of a price"),
        (WEIGHT | {"kind": "order_status", "amount": "on its way"}, "no amount of a order_status"),
        (WEIGHT | {"of": ["Topf"]}, None),
        (WEIGHT, None),
    ],
)
def test_what_cannot_be_read_is_sent_back(subject: Subject, statement: dict[str, Any], problem: str | None) -> None:
    check = next(turn_questions(subject)).check
    assert check is not None
    found = check(TurnStatements.model_validate({"statements": [statement]}))
    assert found is None if problem is None else problem in (found or "")


@pytest.mark.parametrize("confirmed", [True, False])
def test_a_model_types_each_answer_once_and_what_it_confirms_is_false(tmp_path: Path, *, confirmed: bool) -> None:
    folder = build.experiment(tmp_path / "read", {"log": {"q1-r1": answered()}}, evidence=[POT])
    by_answer = {ANSWERS[0]: WEIGHT, ANSWERS[1]: TOTAL}

    def script(opening: str) -> dict[str, Any]:
        if "about to be called false" in opening:
            assert "asked: And two?" in opening
            assert "record: 2 × Quarry Pot = €144.00" in opening
            said = {"quote": "auf die Waage", "justification": "It says so."}
            return {"confirmations": [said | {"claim_id": number, "confirmed": confirmed} for number in (1, 2)]}
        answer = opening.rpartition("<answer>")[2]
        return {"statements": [one for words, one in by_answer.items() if words in answer]}

    judge, asked = build.scripted_judge(script)
    found = rows(build.scored(folder, ("reading", "false_statements"), judge))
    false = [found[name] for name in ("false_field", "false_total", "false_answers", "looked_at")]
    assert false == [float(confirmed)] * len(false)
    assert len(asked) == len(TURNS) + 1
    again = build.experiment(tmp_path / "again", {"log": {"q1-r1": answered()}}, evidence=[POT])
    rules = Judge.of(open_model("offline:judge"))
    assert rows(build.scored(again, "false_statements", rules))["false_statements"] == 0


def test_without_a_reading_of_most_answers_nothing_is_said_of_them(tmp_path: Path) -> None:
    folder = build.experiment(tmp_path, {"log": {"q1-r1": answered()}}, evidence=[POT])
    judge, _ = build.scripted_judge(lambda opening: {"statements": [TOTAL | {"quote": "nowhere"}]})
    assert rows(build.scored(folder, "false_statements", judge))["false_answers"] is None
