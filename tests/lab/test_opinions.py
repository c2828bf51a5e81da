"""What people said and what judges said of the very same reports, pairs and claims, read side by side."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from drretail.env.world import open_world
from drretail.eval.ballots import cast
from drretail.lab.agreement import agreement_of
from drretail.lab.opinions import Opinion, opinions_of
from drretail.records.query import Query
from drretail.records.vote import Choice, ClaimLabel, ClaimSupport, Rating, Vote
from drretail.viewer.voting.plan import planned
from tests.build import experiment, scripted_judge
from tests.eval.families.pairwise.judging import A, B, chosen, compared, shown, two
from tests.shop import USER, build
from tests.viewer.experiment import judge_by_hand, record_runs

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


def judge_of_both(question: str) -> dict[str, Any]:
    """Prefers a, but for one query on which it sees no difference, and rates a 8 and b 3."""
    if not ("of a." in question and "of b." in question):
        return {"justification": "So it is.", "rating": 8 if "of a." in question else 3}
    first = "A" if "q2" in question else ("A" if "of a." in shown(question)[0] else "B")
    return chosen(first)


def votes(exp: Path, person: str, choose: dict[str, Choice]) -> None:
    for item in planned(exp, 9).pairs:
        choice = choose[item.query_id]
        about: dict[str, Any] = {"pair_id": item.pair_id, "query_id": item.query_id, "a": item.a, "b": item.b}
        cast(exp, Vote(**about, shown_left="b", dimension="depth", choice=choice, annotator=person, at=NOON), None)


def by(opinions: list[Opinion], kind: str, scale: str) -> dict[str, float]:
    found = [opinion for opinion in opinions if (opinion.kind, opinion.question.scale.name) == (kind, scale)]
    return {opinion.item: opinion.value for opinion in found if opinion.question.dimension in ("", "depth")}


def test_votes_and_verdicts_on_one_pair_meet(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(3))
    judge, _ = scripted_judge(judge_of_both)
    compared(exp, judge, metrics=("quality", "pairwise"))
    votes(exp, "ann", {"q1": "a", "q2": "tie", "q3": "b"})
    found = opinions_of(exp)
    people, judged = by(found, "person", "preference"), by(found, "judge", "preference")
    assert people.keys() == judged.keys()
    assert sorted(people.values()) == [-1, 0, 1]
    assert sorted(judged.values()) == [0, 1, 1]
    row = next(pair for pair in agreement_of(found).pairs if pair.dimension == "depth" and pair.scale == "preference")
    assert (row.first, row.n, row.percent, row.soft_disagreement) == ("ann", 3, 2 / 3, 0)


def test_ratings_by_people_are_held_beside_those_of_judges(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(2))
    judge, _ = scripted_judge(judge_of_both)
    compared(exp, judge, metrics=("quality",))
    for item in planned(exp, 9).reports:
        about: dict[str, Any] = {"run_id": item.run_id, "report_sha": item.report_sha, "query_id": item.query_id}
        value = 9 if item.system == A else 5
        cast(exp, Rating(**about, dimension="depth", value=value, annotator="ann", at=NOON), None)
    made = agreement_of(opinions_of(exp))
    (row,) = made.alignments
    assert (row.dimension, row.n_reports, row.mean_absolute_deviation) == ("depth", 4, 1.5)
    assert (row.pairwise_comparison_accuracy, row.ranking_agreement) == (1, 1)
    assert {opinion.system for opinion in opinions_of(exp) if opinion.kind == "person"} == {A, B}


def test_labels_of_claims_meet_the_verdicts_that_they_are_about(tmp_path: Path) -> None:
    query = Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="test")
    with open_world(build(tmp_path / "world")) as world:
        record_runs(world, [query], tmp_path / "exp")
    judge_by_hand(tmp_path / "exp")
    labels: tuple[ClaimSupport, ...] = ("full", "partial", "contradicted")
    items = planned(tmp_path / "exp", 9).claims
    for number, item in enumerate(items):
        about: dict[str, Any] = item.model_dump(
            include={"run_id", "report_sha", "query_id", "claim_id", "extracted_by"}
        )
        label = labels[number % 3]
        cast(tmp_path / "exp", ClaimLabel(**about, claim="It is.", label=label, annotator="ann", at=NOON), None)
    found = opinions_of(tmp_path / "exp")
    people, judged = by(found, "person", "support"), by(found, "judge", "support")
    assert people
    assert people.keys() <= judged.keys()
    assert {*people.values()} <= {0, 0.5, 1}


def test_a_judge_by_rules_has_no_opinion_on_quality(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(1))
    judge, _ = scripted_judge(judge_of_both, kind="rule_based")
    compared(exp, judge, metrics=("quality", "pairwise"))
    assert opinions_of(exp) == []
