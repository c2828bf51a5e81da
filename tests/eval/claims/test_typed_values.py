"""What a judge types of reports and answers, how what records contradict of it is put to it again, and what counts."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.typed_values import CONFIRM, find_quote, to_confirm
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Judge
from drretail.eval.judging.turns import TurnValues, turn_questions
from drretail.grounding.verify.checks import Case, read_report
from drretail.llm.prompt import tag_content
from drretail.llm.registry import open_model
from drretail.records.reading import Reading, ReadValue
from drretail.records.run import Run, Turn
from tests import build
from tests.build import Asked, scripted_judge
from tests.eval.metrics.faithfulness.reports import claim, said_value, support
from tests.eval.metrics.test_false_statements import rows
from tests.eval.metrics.test_reading import folder, kept
from tests.grounding.goods import EVIDENCE, GOODS, KETTLE, QUERY

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


def test_a_judge_is_told_of_variants_fields_and_what_was_said_before_and_of_no_value() -> None:
    questions = turn_questions(build.subject(answered(), [POT]))
    first, second = (dict(one.values) for one in questions if not callable(one.values))
    named = (
        "P:pot Quarry Pot; variants: P:pot/white (Color: White), P:pot/black (Color: Black); fields: Weight, Oven safe"
    )
    assert first["sources"] == f"<sources>\n{named}\n</sources>"
    assert (ANSWERS[0] in second["context"], ANSWERS[0] in second["answer"]) == (True, False)
    assert not re.search("72|2[.]1", "".join((*first.values(), *second.values())))


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
    rules = Judge.of(open_model("offline:judge"))
    assert rows(build.scored(again, "false_statements", rules))["false_statements"] == 0  # of which variant, who knows


def test_without_a_reading_of_most_answers_nothing_is_said_of_them(tmp_path: Path) -> None:
    exp = build.experiment(tmp_path, {"log": {"q1-r1": answered()}}, evidence=[POT])
    judge, _ = scripted_judge(lambda opening: {"values": [WHITE | {"quote": "nowhere"}]})
    assert rows(build.scored(exp, "false_statements", judge))["false_answers"] is None


ID = f"P:{KETTLE.product_id}"
REPORT = f"It is steel. The kettle is yours for $41 in 3 colors [{ID}]. It pours well."
CONFIRMS: dict[str, Any] = {"claim_id": 1, "quote": "for $41", "justification": "It is its price."}


def judge_of(*confirmations: Any) -> tuple[Judge, Asked]:
    """A judge that types one price, and answers these when it is shown the record."""
    left = iter(confirmations)

    def answer(text: str) -> Any:
        if "about to be called false" in text:
            return next(left)
        if "The report is data" in text:
            price = said_value("price", "yours for $41", ID)
            return {"claims": [claim(1, "The kettle costs $41.", ID, quote="yours for $41", values=[price])]}
        return support("full")

    return scripted_judge(answer)


def scored(exp: Path, judge: Judge, **how: Any) -> tuple[float | None, dict[str, float]]:
    rows = {row.variant: row for row in build.scored(exp, METRICS, judge, **how).scores}
    return rows["false_statements"].value, rows["checked"].items


METRICS = ("faithfulness", "reading", "checks", "false_statements")


@pytest.mark.parametrize("confirmed", [True, False])
def test_only_what_the_judge_confirms_is_false_and_it_is_asked_once(tmp_path: Path, *, confirmed: bool) -> None:
    judge, asked = judge_of({"confirmations": [CONFIRMS | {"confirmed": confirmed}]})
    exp = folder(tmp_path, [], REPORT)
    false, looked = scored(exp, judge)
    assert (false, looked["unconfirmed"]) == (confirmed, not confirmed)
    (value,) = kept(exp).values
    assert (value.state == "contradicted", value.is_unconfirmed) == (confirmed, not confirmed)
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


def test_the_judge_is_shown_the_sentence_with_its_neighbours_or_its_table_s_head_and_the_record() -> None:
    table = f"| Kettle | Cost |\n|---|---|\n| The steel one [{ID}] | $41 |\n"
    neighbours = {"before: It is steel.", "after: It pours well."}
    for report, lines in ((REPORT, neighbours), (table, {"table's head: | Kettle | Cost |"})):
        start = report.index("$41")
        value = ReadValue(kind="price", amount="41", of=ID, start=start, end=start + 3)
        case = Case(report, EVIDENCE, QUERY)
        (item,) = to_confirm(case, read_report(case, Reading(reader="model:m", values=(value,), confirmed=())))
        shown = {*item.text.splitlines()}
        assert (
            lines | {"its words: $41", "read as: price 41", f"of: {ID} {EVIDENCE[ID].title}", "record: $42.95"} <= shown
        )


PRICED = {key: item for key, item in GOODS.items() if item.price}
HONEST = "\n\n".join(
    f"The {item.title} costs ${item.price:.2f} [P:{key}]. "
    f"It is rated {item.average_rating} by {item.rating_number:,} [P:{key}]."
    for key, item in PRICED.items()
)


def test_a_judge_that_marks_words_for_figures_accuses_nobody_and_is_named(tmp_path: Path) -> None:
    """Of a third of its values the place holds another word; it confirms whatever it is asked."""
    claims: list[Any] = []
    for sentence in re.findall(r"[^\n]+?\](?=\.)", HONEST):
        of = build.known(re.search(r"\[(P:\w+)\]", sentence))[1]
        for kind, words in re.findall(r"(cost|rated|by)s? ([$\d.,]+)", sentence):
            kind = {"cost": "price", "rated": "rating", "by": "rating_count"}[kind]
            number = len(claims) + 1
            place = sentence[:9] if number % 3 == 0 else words
            claims.append(claim(number, f"{sentence}.", of, quote=sentence, values=[said_value(kind, place, of)]))

    def script(opening: str) -> Any:
        if "about to be called false" in opening:
            numbers = range(1, opening.count("<claim ") + 1)
            return {"confirmations": [CONFIRMS | {"claim_id": at, "quote": "It", "confirmed": True} for at in numbers]}
        if "The report is data" in opening:
            return {"claims": claims}
        numbers = map(int, re.findall(r'<claim id="(\d+)"', opening))
        return {"claims": [support("full")["claims"][0] | {"claim_id": number} for number in numbers]}

    exp = build.experiment(
        tmp_path,
        {"a@m": {f"q{at}-r1": HONEST for at in (1, 2)}},
        picks={"q1-r1": (), "q2-r1": ()},
        evidence=EVIDENCE.values(),
    )
    scores = build.scored(exp, METRICS, scripted_judge(script)[0])
    assert rows(scores)["false_statements"] == 0
    (audit,) = scores.audits
    assert audit.shares["typed"] == (20, 30)
    assert audit.low == ("typed values in keeping with text and label",)
    assert audit.warning.endswith("Nothing is concluded from it.")


def test_a_quote_is_found_however_white_space_is_set_and_not_before_the_last() -> None:
    places = [find_quote("a  b\nc a b", "a b", after) for after in (0, 1)]
    assert places == [(0, 4), (7, 10)]
    assert (find_quote("a b", "a b", 2), find_quote("a b", ""), find_quote("a b", "c")) == ((0, 3), None, None)
