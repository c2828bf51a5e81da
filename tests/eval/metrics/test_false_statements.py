"""Each false statement once, by code and by a judge. _judge_answers, _statements: tests/eval/claims/test_turns.py."""

from pathlib import Path
from typing import Any

import pytest

from drretail.eval.claims.rulings import CONTRADICTED
from drretail.eval.metrics.false_statements import OF_KIND, cause_of, each_once
from drretail.records.evidence import Finding
from drretail.records.score import Scores
from drretail.shopping.verify.places import value_at
from drretail.viewer.experiment import read_view
from tests import build
from tests.eval.metrics.faithfulness.reports import BED, BIRDS_ID, EVIDENCE, claim, ruled, said_value, support

PRICE = f"The bed costs $39.99 [{BED.id}]."
STORY = f"Cardinals prefer millet [{BIRDS_ID}]."
INVENTED = "It won a prize [P:B0NOWHERE1]."
DECLARED = {"q1-r1": (), "q2-r1": ()}
RIGHT = f"The bed costs $49.99 [{BED.id}]."


def finding(code: str, start: int | None, end: int | None) -> Finding:
    return Finding(code=code, severity="error", start=start, end=end, text=f"{code} {start}")


def test_what_code_finds_within_a_judges_claim_is_the_same_statement_and_two_claims_are_two() -> None:
    claims = [finding(CONTRADICTED, 0, 30), finding(CONTRADICTED, 0, 30)]
    price, mark, unknown = (
        finding("price_wrong", 14, 20),
        finding("unresolved_citation", 40, 50),
        finding("x", None, None),
    )
    lacking = finding("not_in_catalog", 40, 50)
    assert each_once([*claims, price, mark, lacking, unknown]) == [*claims, mark, unknown]


def answers(opening: str) -> Any:
    """A judge that reads each sentence, and holds the bed's wrong price and the millet against their sources."""
    if "about to be called false" in opening:
        yes = {"claim_id": 1, "quote": "costs", "justification": "So it says.", "confirmed": True}
        return {"confirmations": [yes]}
    if "list its claims" not in opening:
        words = "Cardinals prefer black oil" if "millet" in opening else "Memory foam base"
        return {"claims": [ruled(1, "contradicted", "it says otherwise", words)]}  # page and record are asked apart
    value = said_value("price", "$39.99", BED.id)
    return {
        "claims": [
            claim(1, "The bed costs $39.99.", BED.id, quote="The bed costs $39.99", values=[value]),
            claim(2, "Cardinals prefer millet.", BIRDS_ID, quote="Cardinals prefer millet"),
            claim(3, "It won a prize.", "P:B0NOWHERE1", quote="It won a prize"),
        ],
    }


def rows(scores: Scores, **fields: Any) -> dict[str, float | None]:
    return {name: row.value for name, row in build.rows(scores, "false_statements", **fields).items()}


METRICS = ("faithfulness", "false_statements", "checks")


def test_each_statement_counts_once_in_the_table_and_on_the_page(tmp_path: Path) -> None:
    """The price by code and judge, the page by the judge alone, the invented product by code alone."""
    reports = {"q1-r1": f"{PRICE} {STORY} {INVENTED}", "q2-r1": RIGHT}
    folder = build.experiment(tmp_path, {"a@m": reports}, picks=DECLARED, evidence=EVIDENCE.values())
    price = said_value("price", "$49.99", BED.id)
    listed = {"claims": [claim(1, "It costs $49.99.", BED.id, quote="The bed costs $49.99", values=[price])]}

    def answer(opening: str) -> Any:
        if RIGHT in opening:
            return listed
        return support("full") if listed["claims"][0]["claim"] in opening else answers(opening)

    judge, _ = build.scripted_judge(answer)
    scores = build.scored(folder, METRICS, judge)
    found = {"false_statements": 1.5, "false_answers": 0.5, "checked": 1.0, "power": 1.0, "contested_answers": 0.0}
    assert (
        rows(scores)
        == dict.fromkeys(OF_KIND.values(), 0.0) | {"false_price": 0.5, "false_unknown": 0.5, "false_text": 0.5} | found
    )
    assert scores.audits[0].shares["steady"] == (1, 1)  # it called the price false before it saw the record
    wrong, right = read_view(folder).runs
    assert [wrong.claim_of(one) is not None for one in wrong.false] == [True, True, False]
    assert right.false == ()


@pytest.mark.parametrize(("quote", "count"), [("Memory foam base", 1), ("Weight: 999 kg", 0)])
def test_a_judge_contradicts_only_by_words_of_a_record(tmp_path: Path, quote: str, count: int) -> None:
    folder = build.experiment(tmp_path, {"a@m": {"q1-r1": RIGHT}}, picks={"q1-r1": ()}, evidence=EVIDENCE.values())
    listed = {"claims": [claim(1, "It is of wool.", BED.id, quote="The bed costs $49.99")]}
    denied = {"claims": [ruled(1, "contradicted", "It weighs 999 kg.", quote)]}
    judge, _ = build.scripted_judge(lambda opening: listed if "list its claims" in opening else denied)
    scores = build.scored(folder, METRICS, judge)
    assert rows(scores)["false_text"] == count
    assert scores.audits[0].shares["in_source"] == (count, 1)


def test_a_judge_that_confirms_what_it_had_fully_supported_is_counted(tmp_path: Path) -> None:
    folder = build.experiment(tmp_path, {"a@m": {"q1-r1": PRICE}}, picks={"q1-r1": ()}, evidence=EVIDENCE.values())
    price = said_value("price", "$39.99", BED.id)
    listed = {"claims": [claim(1, "It costs $39.99.", BED.id, quote="The bed costs $39.99", values=[price])]}

    def answer(opening: str) -> Any:
        seen = answers(opening) if "called false" in opening else support("full")
        return listed if "list its claims" in opening else seen

    scores = build.scored(folder, METRICS, build.scripted_judge(answer)[0])
    assert scores.audits[0].shares["steady"] == (0, 1)


def test_what_a_tool_returned_explains_a_false_value() -> None:
    """The tool calls it by another id."""
    rows: list[tuple[Any, str, str, str | None, str]] = [
        ("price", "It costs «€15».", '"price":15.0', "stale", "15.0"),
        ("price", "It costs «€15».", '"price":18.0', "ignored", "18.0"),
        ("price", "It costs «€15».", '"price":null', None, ""),
        ("stock", "There are «12» left.", '"stock":12', "stale", "12"),
        ("measure", "It weighs «3 kg».", '"Weight":"2 kg"', "ignored", "2 kg"),
    ]
    for kind, marked, told, cause, tool in rows:
        before, place, behind = marked.replace("»", "«").split("«")
        text, end = before + place + behind, len(before + place)
        value = value_at(kind, text, len(before), end, "P:mug", "Weight" * (kind == "measure"))
        shown = build.evidence("P:4711", build.text(f'{{"id":"4711",{told}}}', "record"), title="Fjell Mug")
        assert cause_of(value, text, "Fjell Mug", [shown]) == (tool, cause), told
        assert cause_of(value, text, "Fjell Mug", []) == ("", "not_looked")
