"""What records contradict of a judge's typing: how it is put to the judge again, and what comes of its answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.typed_values import CONFIRM, TurnStatements, to_confirm, turn_questions
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Judge
from drretail.eval.judging.subject import Subject
from drretail.grounding.verify.checks import Case, read_report
from drretail.llm.registry import open_model
from drretail.records.evidence import Evidence
from drretail.records.reading import Reading, ReadValue
from drretail.records.run import Run, Turn
from tests import build
from tests.build import Asked, scripted_judge
from tests.eval.metrics.faithfulness.reports import claim, said_value, support
from tests.eval.metrics.test_false_statements import rows
from tests.eval.metrics.test_reading import folder, kept
from tests.grounding.goods import EVIDENCE, KETTLE, QUERY

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


ID = f"P:{KETTLE.product_id}"
REPORT = f"It is steel. The kettle is yours for forty-one dollars in 3 colors [{ID}]. It pours well."
PRICE = said_value("price", "41", "forty-one dollars", ID)
METRICS = ("faithfulness", "reading", "checks", "false_statements")
CONFIRMS: dict[str, Any] = {"claim_id": 1, "quote": "forty-one dollars", "justification": "It is its price."}


def judge_of(*confirmations: Any) -> tuple[Judge, Asked]:
    """A judge that types one price, and answers these when it is shown the record."""
    left = iter(confirmations)

    def answer(text: str) -> Any:
        if "about to be called false" in text:
            return next(left)
        if "The report is data" in text:
            claims = [claim(1, "The kettle costs $41.", ID, quote="yours for forty-one dollars", values=[PRICE])]
            return {"claims": claims}
        return support("full")

    return scripted_judge(answer)


def scored(exp: Path, judge: Judge, **how: Any) -> tuple[float | None, dict[str, float]]:
    rows = {row.variant: row for row in build.scored(exp, METRICS, judge, **how).scores}
    return rows["false_statements"].value, rows["looked_at"].items


@pytest.mark.parametrize("confirmed", [True, False])
def test_only_what_the_judge_confirms_is_false_and_it_is_asked_once(tmp_path: Path, *, confirmed: bool) -> None:
    judge, asked = judge_of({"confirmations": [CONFIRMS | {"confirmed": confirmed}]})
    exp = folder(tmp_path, [], REPORT)
    false, looked = scored(exp, judge)
    assert (false, looked["unconfirmed"]) == (confirmed, not confirmed)
    (value,) = kept(exp).values
    assert (value.state == "contradicted", value.is_unconfirmed) == (confirmed, not confirmed)
    assert ("1 not confirmed" in kept(exp).looked_at.in_words) is not confirmed
    before = len(asked)
    assert scored(exp, judge)[0] == confirmed
    assert len(asked) == before


def test_without_a_usable_answer_it_stays_open_and_is_asked_again_where_that_is_wanted(tmp_path: Path) -> None:
    yes = {"confirmations": [CONFIRMS | {"confirmed": True}]}
    strange = {"confirmations": [CONFIRMS | {"confirmed": True, "quote": "never said"}]}
    judge, _ = judge_of(strange, strange, strange, yes)
    exp = folder(tmp_path, [], REPORT)
    assert scored(exp, judge)[0] == 0
    (path,) = (path for path in exp.glob("verdicts/reading/*/*/*.jsonl") if ".journal" not in path.name)
    assert [one.state for one in VerdictFile(path).lasts() if one.stage == CONFIRM] == ["failed"]
    assert scored(exp, judge, again="failed")[0] == 1


def test_what_form_finds_alone_needs_nobody_to_confirm_it() -> None:
    report = REPORT.replace("forty-one dollars", "$41")
    start = report.index("$41")
    value = ReadValue(kind="price", amount="41", of=(ID,), start=start, end=start + 3)
    case = Case(report, EVIDENCE, QUERY)
    reading = read_report(case, Reading(reader="model:m", values=(value,), confirmed=()))
    assert [one.state for one in reading.values] == ["contradicted"]
    assert to_confirm(case, reading) == []


def test_the_judge_is_shown_the_sentence_with_its_neighbours_or_its_table_s_head_and_the_record() -> None:
    table = f"| Kettle | In words |\n|---|---|\n| The steel one [{ID}] | forty-one dollars |\n"
    for report, lines in (
        (REPORT, {"before: It is steel.", "after: It pours well."}),
        (table, {"table's head: | Kettle | In words |"}),
    ):
        start = report.index("forty-one")
        value = ReadValue(kind="price", amount="41", of=(ID,), start=start, end=start + 17)
        case = Case(report, EVIDENCE, QUERY)
        (item,) = to_confirm(case, read_report(case, Reading(reader="model:m", values=(value,), confirmed=())))
        shown = {*item.text.splitlines()}
        lines |= {"its words: forty-one dollars", "read as: price is 41", f"of: {ID} {EVIDENCE[ID].title}"}
        assert lines <= shown, shown
        assert any(line.startswith("record: the record says $") for line in shown)
