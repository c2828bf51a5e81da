"""What records contradict of a judge's typing: how it is put to the judge again, and what comes of its answer."""

from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.confirming import CONFIRM, to_confirm
from drretail.eval.judging.session import Judge
from drretail.eval.judging.verdicts import VerdictFile
from drretail.grounding.verify.checks import Case, read_report
from drretail.records.reading import Reading, ReadValue
from tests import build
from tests.build import Asked, scripted_judge
from tests.eval.metrics.faithfulness.reports import claim, said_value, support
from tests.eval.metrics.test_reading import folder, kept
from tests.grounding.kitchen import EVIDENCE, KETTLE, QUERY

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
    rows = {row.variant: row for row in build.scored(exp, METRICS, judge, **how).scores if row.policy == "answered"}
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
