"""What a judge types of reports and answers, how what records contradict of it is put to it again, and what counts."""

import re
from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.typed_values import CONFIRM
from drretail.eval.judging.question import VerdictFile
from drretail.eval.judging.session import Judge
from tests import build
from tests.build import Asked, scripted_judge
from tests.eval.metrics.faithfulness.reports import claim, said_value, support
from tests.eval.metrics.test_false_statements import rows
from tests.eval.metrics.test_reading import folder, kept
from tests.grounding.goods import EVIDENCE, GOODS, KETTLE

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
