"""What a judge types of the answers of a shop's assistant, and what of it counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import ModelError
from drretail.eval.claims.turns import TurnValues, turn_questions
from drretail.eval.judging.session import Judge
from drretail.llm.prompt import tag_content
from drretail.llm.registry import build_model
from drretail.records.run import Run, Turn
from drretail.viewer.experiment import read_view
from drretail.viewer.tables.false_statements import false_lines
from tests import build
from tests.build import scripted_judge
from tests.eval.metrics.faithfulness.reports import bound_value
from tests.eval.metrics.test_false_statements import rows

ANSWERS = ("Der Topf bringt 3,4 kg auf die Waage.", "In White it sets you back €79.")
TURNS = (("Is the Quarry Pot heavy?", ANSWERS[0]), ("And the price?", ANSWERS[1]))
VARIANTS = [{"id": "white", "Color": "White", "price": 72.0}, {"id": "black", "Color": "Black", "price": 79.0}]
DETAILS = {"Weight": "2.1 kg", "Oven safe": "no", "Variants": VARIANTS}
RECORD = {"product_id": "pot", "title": "Quarry Pot", "currency": "EUR", "category": "Pots", "details": DETAILS}
POT = build.evidence("P:pot", build.text(json.dumps(RECORD), "record"), title="Quarry Pot", looked_up=True)
WEIGHT = bound_value("measure", "3,4 kg", "P:pot", "Weight")
WHITE = bound_value("price", "€79", "P:pot/white")


def answered() -> Run:
    turns, report = list[Turn](), ""
    for question, answer in TURNS:
        turns.append(Turn(question=question, start=len(report), end=len(report) + len(answer)))
        report += f"{answer}\n\n"
    return build.run("q1-r1", report, label="log").model_copy(update={"turns": tuple(turns)})


def test_what_cannot_be_read_is_sent_back() -> None:
    check = build.known(next(turn_questions(build.subject(answered(), [POT]))).check)
    rows = [
        (WEIGHT | {"of": "P:pan"}, "is no id"),
        (bound_value("order_status", "auf die Waage", "P:pot", "on its way"), "has to be one of 'Delivered'"),
        (bound_value("policy", "3,4 kg", "", "weight"), "has to be one of 'shipping'"),
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
    assert rows(build.scored(again, "false_statements", rules))["false_statements"] is None  # of which variant?


MUG_RECORD = {"product_id": "mug", "title": "Fjell Mug", "currency": "EUR", "price": 18.0, "category": "Mugs"}
MUG = build.evidence("P:mug", build.text(json.dumps(MUG_RECORD), "record"), title="Fjell Mug", looked_up=True)
FALSE, TRUE, EMPTY = "The Fjell Mug costs €15.00.", "The Fjell Mug costs €18.00.", "You're welcome!"
OF_MUG = bound_value("price", "€15.00", "P:mug")


def said(answer: str, query_id: str) -> Run:
    turn = Turn(question="What is the Fjell Mug?", start=0, end=len(answer))
    return build.run(f"{query_id}-r1", answer, label="log").model_copy(update={"turns": (turn,)})


def looks_again(**answer: object) -> dict[str, Any]:
    usual = {"claim_id": 1, "quote": "The Fjell Mug costs", "justification": "It is of another size."}
    return {"confirmations": [usual | {"confirmed": False} | answer]}


@pytest.mark.parametrize(
    ("values", "again", "false", "failed"),
    [
        ([], None, 1.0, 1),  # a lazy judge
        ([OF_MUG | {"of": ""}], None, 1.0, 0),  # it marks the place, and says nothing of it
        ([OF_MUG], looks_again(confirmed=True), 1.0, 0),
        ([OF_MUG], looks_again(), 0.0, 0),  # it quotes the place and says why
        ([OF_MUG], looks_again(quote=""), 1.0, 0),
        ([OF_MUG], looks_again(quote="never said", confirmed=True), 1.0, 0),
    ],
)
def test_what_form_contradicts_stays_unless_the_judge_quotes_it_and_says_why(
    tmp_path: Path, values: list[Any], again: dict[str, Any] | None, false: float, failed: int
) -> None:
    exp = build.experiment(tmp_path, {"log": {"q1-r1": said(FALSE, "q1")}}, evidence=[MUG])
    judge, _ = scripted_judge(lambda opening: again if "about to be called false" in opening else {"values": values})
    scores = build.scored(exp, "false_statements", judge)
    assert (rows(scores)["false_answers"], rows(scores)["false_price"]) == (false, None if failed else false)
    assert [row.failed for row in scores.judgings if row.metric == "false_statements"] == [failed]


@pytest.mark.parametrize("again", [ModelError("refusal", "HTTP 400"), {}, {"confirmations": []}])
def test_what_no_second_look_has_confirmed_is_contested_and_its_answer_not_judged(tmp_path: Path, again: Any) -> None:
    texts = {"q1": "For the Fjell Mug we ask €15.00 today.", "q2": TRUE}
    runs = {f"{query_id}-r1": said(answer, query_id) for query_id, answer in texts.items()}
    exp = build.experiment(tmp_path, {"log": runs}, evidence=[MUG])

    def reads(opening: str) -> Any:
        answer = tag_content("answer", opening) or ""
        values = [OF_MUG | {"quote": price} for price in ("€15.00", "€18.00") if price in answer]
        return again if "about to be called false" in opening else {"values": values}

    found = build.rows(build.scored(exp, "false_statements", scripted_judge(reads)[0]), "false_statements")
    assert (found["false_answers"].value, found["false_answers"].n_failed) == (0.0, 1)
    assert found["contested_answers"].value == 0.5
    first, shown, *_ = false_lines(read_view(exp).runs)
    assert first.startswith("1 statement differs from your shop's records, undecided. ")
    assert f"log/q1-r1, {'refusal' if isinstance(again, ModelError) else 'unusable'}" in first
    assert shown == "? “For the Fjell Mug we ask €15.00 today.” Your shop says €18.00 (Fjell Mug)."


def test_an_answer_of_which_nothing_was_read_is_in_no_denominator_and_a_failed_one_is_asked_again(
    tmp_path: Path,
) -> None:
    texts = {"q1": FALSE, "q2": TRUE, "q3": EMPTY}
    runs = {f"{query_id}-r1": said(answer, query_id) for query_id, answer in texts.items()}
    exp = build.experiment(tmp_path, {"log": runs}, evidence=[MUG])
    lazy, _ = scripted_judge(lambda opening: {"values": []})
    row = build.rows(build.scored(exp, "false_statements", lazy), "false_statements")["false_answers"]
    assert (row.value, row.n_scored, row.n_failed, row.n_na) == (1.0, 1, 1, 1)

    def reads(opening: str) -> dict[str, Any]:
        if "about to be called false" in opening:
            return looks_again(confirmed=True)
        answer = build.known(tag_content("answer", opening))
        return {"values": [OF_MUG | {"quote": price} for price in ("€15.00", "€18.00") if price in answer]}

    careful, _ = scripted_judge(reads)
    scores = build.scored(exp, "false_statements", careful, again="failed")
    row = build.rows(scores, "false_statements")["false_answers"]
    assert (row.value, row.n_scored, row.n_failed, row.n_na) == (0.5, 2, 0, 1)
