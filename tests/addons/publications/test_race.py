"""RACE and FACT: the formulas by hand, and over a small experiment."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.publications.race.score import (
    AXIS,
    IS_REFERENCE,
    NO_REFERENCE,
    STAGE,
    Order,
    item_of,
    share,
    values,
)
from drretail.addons.publications.triplets.triplet_support import Triplet
from drretail.errors import UnknownName, UserError
from drretail.eval.metric import Value
from drretail.records.base import Rules
from drretail.records.score import Verdict, VerdictState, reasons_of
from tests import build
from tests.addons.publications.weighted.playing import Played, answered, figure, figures, judged_facts, weighed
from tests.build import asking, experiment, scripted_judge
from tests.eval.metrics.faithfulness.reports import BED, BIRDS, BIRDS_ID, PAGE

WEIGHTS = dict(zip(AXIS.keys, (0.3, 0.4, 0.2, 0.1), strict=True))
CRITERIA = weighed("race", WEIGHTS)
REFERENCE = "A reference."
verdict = partial(build.verdict, "race")


def scores(one: Mapping[str, tuple[float, float]], two: tuple[float, float]) -> list[dict[str, Any]]:
    """(target, reference) of criterion One by dimension, of Two in all."""
    return [
        {"dimension": key, "criterion": text, "analysis": "", "target": target, "reference": reference}
        for key, first in one.items()
        for text, (target, reference) in (("One", first), ("Two", two))
    ]


ONE = dict(zip(AXIS.keys, ((8.0, 6.0), (6.0, 6.0), (4.0, 8.0), (10.0, 5.0)), strict=True))
FIRST = scores(ONE, (4.0, 2.0))
ALIKE = scores(dict.fromkeys(AXIS.keys, (5.0, 5.0)), (5.0, 5.0))


def beside(order: Order, value: Any, state: VerdictState = "scored") -> Verdict:
    return verdict(STAGE, item_of(order, CRITERIA, REFERENCE), value, state)


def found(verdicts: Sequence[Verdict], rules: Rules = "default", reference: str | None = REFERENCE) -> dict[str, Value]:
    return {value.variant: value for value in values(verdicts, CRITERIA, reference, rules)}


TARGET = 0.3 * 7 + 0.4 * 5.5 + 0.2 * 4 + 0.1 * 8.5
OTHER = 0.3 * 5 + 0.4 * 5 + 0.2 * 6.5 + 0.1 * 4.25


def test_the_final_score_is_the_target_s_share_and_by_default_the_mean_of_both_orders() -> None:
    verdicts = [beside("target_first", FIRST), beside("reference_first", ALIKE)]
    first = TARGET / (TARGET + OTHER)
    ours, released = found(verdicts), found(verdicts, "drb")
    assert figures(ours, "RACE_first", "RACE_second") == [round(first, 4), 0.5]
    assert figure(ours["RACE"]) == round((first + 0.5) / 2, 4)
    assert figure(ours["insight"]) == round((5.5 / 10.5 + 0.5) / 2, 4)
    assert figure(released["RACE"]) == round(first, 4)
    assert figure(released["readability"]) == round(8.5 / 12.75, 4)
    assert "RACE_second" not in released
    assert figure(found(verdicts, reference="Another.")["RACE"]) == "failed"


def test_one_order_that_failed_fails_what_needs_both_and_nought_beside_nought_says_nothing() -> None:
    for verdicts in (
        [beside("target_first", FIRST)],
        [beside("target_first", FIRST), beside("reference_first", None, "failed")],
    ):
        assert figures(found(verdicts), "RACE", "insight", "RACE_second") == ["failed"] * 3
        assert figure(found(verdicts)["RACE_first"]) == round(TARGET / (TARGET + OTHER), 4)

    assert share(3, 3, of_nothing=None) == 0.5
    empty = scores(dict.fromkeys(AXIS.keys, (0.0, 0.0)), (0.0, 0.0))
    verdicts = [beside("target_first", empty), beside("reference_first", empty)]
    assert (figure(found(verdicts)["RACE"]), figure(found(verdicts, "drb")["RACE"])) == ("na", 0)


TRIPLETS_OF = (
    *(Triplet(fact=fact, ref=ref, source=f"W:{ref}") for fact, ref in ("a1", "a2", "b1", "c3", "d4")),
    Triplet(fact="e"),
)

facts = partial(judged_facts, "race")


def cited() -> list[Verdict]:
    """a is supported by one page and in part by another, b is not, of c and d nobody knows, e cites nothing."""
    support = {("a", "W:1"): 1.0, ("a", "W:2"): 0.5, ("b", "W:1"): 0.0}
    return facts(TRIPLETS_OF, support | {("c", "W:3"): "unverifiable", ("d", "W:4"): "unknown"})


def test_valid_citations_are_counted_without_those_of_which_nobody_knows_and_none_is_in_no_average() -> None:
    ours, released = found(cited()), found(cited(), "drb")
    assert figures(ours, "valid_rate", "citations", "valid_citations") == [0.3333, 3, 1]
    assert figure(ours["valid_rate_mean"]) == 0.3333
    assert figures(released, "valid_rate", "citations", "valid_citations") == [0.6667, 3, 2]
    held = facts((Triplet(fact="e"),), {})
    assert {*figures(found(held), "valid_rate", "citations", "valid_citations")} == {"na"}
    assert figure(found(cited()[:-1])["valid_rate"]) == "failed"


def test_what_a_report_lacks_is_told_as_the_reason() -> None:
    def why(value: Value) -> list[str]:
        return [*reasons_of(value.items)]

    alone = {each.variant: each for each in values([], None, None, "default")}
    assert why(alone["RACE"]) == [NO_REFERENCE]
    itself = beside("target_first", None, "na").model_copy(update={"reason": IS_REFERENCE})
    assert why(found([itself], "drb")["insight"]) == [IS_REFERENCE]
    empty = scores(dict.fromkeys(AXIS.keys, (0.0, 0.0)), (0.0, 0.0))
    both = [beside("target_first", empty), beside("reference_first", empty)]
    assert why(found(both)["RACE"]) == ["report and reference both got nought"]
    assert why(found(facts((Triplet(fact="e"),), {}))["valid_rate"]) == ["the report cites nothing"]
    unfetched = facts((Triplet(fact="a", ref="1", source="W:1"),), {("a", "W:1"): "na"})
    assert why(found(unfetched)["valid_rate"]) == ["nobody fetched the pages it cites: `score --fetch-sources` does"]


GOOD = f"# Beds\n\nThe bed costs $49.99 [P:{BED.key}]. Cardinals like seeds [{BIRDS_ID}]."
PLAIN = "# Beds\n\nBuy any."
FACTS = (("The bed costs $49.99.", f"P:{BED.key}", ""), ("Cardinals like seeds.", BIRDS_ID, BIRDS))
SCORING, WEIGHING = "You score two research reports", "How much each of these"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return experiment(
        tmp_path / "exp",
        {"good@model": {"q1-r1": GOOD, "q2-r1": GOOD}, "plain@model": {"q1-r1": PLAIN, "q2-r1": None}},
        evidence=(BED, PAGE),
    )


def played(question: str) -> Any:
    """Reports with a bed in them are worth 8, others 2, and who stands first gets one more."""
    if "list the facts it states" in question:
        return Played(triplets=FACTS if "Cardinals" in question else ())(question)
    return Played(worth=lambda article, place: (8 if "Cardinals" in article else 2) + (place == 1))(question)


def test_reports_are_held_beside_another_system_s_in_both_orders(folder: Path) -> None:
    judge, asked = scripted_judge(played)
    found = answered(folder, "race", judge, reference="plain")
    assert (folder / "references/q1.md").read_text() == PLAIN
    assert not (folder / "references/q2.md").exists()
    first, second = 9 / 11, 8 / 11
    assert found["good@model", "RACE_first"].value == pytest.approx(first)
    assert found["good@model", "RACE_second"].value == pytest.approx(second)
    assert found["good@model", "RACE"].value == pytest.approx((first + second) / 2)
    assert len(asking(asked, SCORING)) == 2
    # q2 has no reference, and the reference is not held beside itself.
    assert (found["good@model", "RACE"].n_na, found["plain@model", "RACE"].n_na) == (1, 1)
    assert found["good@model", "valid_rate"].value == 1
    assert found["good@model", "citations"].value == 2
    assert found["plain@model", "citations"].n_na == 1
    asked.clear()
    released = answered(folder, "race", judge, rules="drb")
    assert released["good@model", "RACE"].value == pytest.approx(first), "as released the target is always first"
    assert asked == []


def test_the_first_report_of_a_system_is_its_reference_where_an_earlier_run_failed(tmp_path: Path) -> None:
    folder = experiment(
        tmp_path / "two", {"good@model": {"q1-r1": GOOD}, "plain@model": {"q1-r1": None, "q1-r2": PLAIN}}
    )
    judge, _ = scripted_judge(played)
    answered(folder, "race", judge, reference="plain")
    assert (folder / "references/q1.md").read_text() == PLAIN


def test_a_file_of_ones_own_is_a_reference_and_stays(folder: Path) -> None:
    path = folder / "references/q2.md"
    path.parent.mkdir()
    path.write_text("Somebody's report.")
    judge, asked = scripted_judge(played)
    answered(folder, "race", judge)
    assert "Somebody's report." in asking(asked, SCORING)[0]
    with pytest.raises(UserError, match=r"q2.md holds another reference than good@model's"):
        answered(folder, "race", judge, reference="good@model")
    assert not (folder / "references/q1.md").exists()
    with pytest.raises(UnknownName, match="system"):
        answered(folder, "race", judge, reference="nobody")


def test_published_weights_and_criteria_are_taken_by_the_query_s_text(folder: Path, tmp_path: Path) -> None:
    dims = ("comprehensiveness", "insight", "instruction_following", "readability")
    criteria = {
        key: [
            {"criterion": f"Published {key}", "explanation": "Why.", "weight": 0.5, "comment": "-"},
            {"criterion": f"Second {key}", "explanation": "Why.", "weight": 0.53},
        ]
        for key in dims
    }
    weights = dict(zip(dims, (0.3, 0.4, 0.2, 0.1), strict=True))
    task = {"id": 7, "language": "en", "prompt": "Ask  q1?", "dimension_weight": weights, "criterions": criteria}
    path = tmp_path / "criteria.jsonl"
    path.write_text(json.dumps(task) + "\n" + json.dumps({**task, "prompt": "Another"}) + "\n")
    judge, asked = scripted_judge(played)
    answered(folder, "race", judge, reference="plain", criteria=path)
    assert len(asking(asked, WEIGHING)) == 1  # of q2 alone
    assert all("Published insight" in each for each in asking(asked, SCORING))
    held = json.loads((folder / "rubrics/race/q1.json").read_text())
    assert [group["weight"] for group in held["groups"]] == [0.3, 0.4, 0.2, 0.1]
    assert [each["weight"] for each in held["groups"][0]["criteria"]] == pytest.approx([0.5 / 1.03, 0.53 / 1.03])
    assert held["made_by"] == "DeepResearch Bench"
    (tmp_path / "strange.jsonl").write_text('{"prompt": "Ask q1?"}\n')
    with pytest.raises(UserError, match="does not hold DeepResearch Bench's criteria"):
        answered(folder, "race", judge, criteria=tmp_path / "strange.jsonl")
