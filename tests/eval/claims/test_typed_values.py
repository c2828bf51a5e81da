"""What a judge types of reports and answers, how what records contradict of it is put to it again, and what counts."""

from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.typed_values import CONFIRM
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Judge
from tests import build
from tests.build import Asked, scripted_judge
from tests.eval.metrics.faithfulness.reports import claim, said_value, support
from tests.eval.metrics.test_reading import folder, kept
from tests.grounding.goods import KETTLE

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
