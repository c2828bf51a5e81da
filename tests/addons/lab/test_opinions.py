"""What people and judges said. Also tests commands.py, findings.py, options.py and tables.py."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.lab.agreement import agreement_of
from drretail.addons.lab.commands import agree, sample
from drretail.addons.lab.opinions import (
    PREFERENCE,
    RATING,
    SUPPORT,
    Opinion,
    Scale,
    opinions_of,
    read_all,
    read_opinions,
)
from drretail.addons.people.plan import planned
from drretail.errors import UnknownName, UserError
from drretail.eval.ballots import cast
from drretail.parsing import read_cells
from drretail.records.vote import Choice, ClaimLabel, ClaimSupport, PairItem, Rating, Vote
from drretail.viewer.drawing.table import as_csv
from tests.build import experiment, known, scripted_judge
from tests.eval.metrics.pairwise.judging import A, B, chosen, compared, shown, two

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)


def judge_of_both(question: str) -> dict[str, Any]:
    """Prefers a, but for one query on which it sees no difference, and rates a 8 and b 3."""
    if not ("of a." in question and "of b." in question):
        return {"justification": "So it is.", "rating": 8 if "of a." in question else 3}
    first = "A" if "q2" in question else ("A" if "of a." in shown(question)[0] else "B")
    return chosen(first)


def votes(exp: Path, choose: Callable[[PairItem], Choice]) -> None:
    """Ann's in the dimension depth on all pairs."""
    for item in planned(exp, 100).pairs:
        about: dict[str, Any] = {"pair_id": item.pair_id, "query_id": item.query_id, "a": item.a, "b": item.b}
        choice = choose(item)
        cast(exp, Vote(**about, shown_left="b", dimension="depth", choice=choice, annotator="ann", at=NOON), None)


def mixed(pair: PairItem) -> Choice:
    choices: dict[str, Choice] = {"q1": "a", "q2": "tie", "q3": "b"}
    return choices[pair.query_id]


def by(opinions: list[Opinion], kind: str, scale: str) -> dict[str, float]:
    found = [opinion for opinion in opinions if (opinion.kind, opinion.question.scale.name) == (kind, scale)]
    return {opinion.item: opinion.value for opinion in found if opinion.question.dimension in ("", "depth")}


def test_votes_and_ratings_of_people_meet_the_verdicts_of_judges(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", two(3))
    judge, _ = scripted_judge(judge_of_both)
    by_rules, _ = scripted_judge(judge_of_both, name="rules", kind="rule_based")  # which has no opinion
    compared(exp, judge, by_rules, metrics=("quality", "pairwise"))
    votes(exp, mixed)
    found = opinions_of(exp)
    assert {opinion.rater for opinion in found} == {"ann", judge.ref.spec}
    people, judged = by(found, "person", "preference"), by(found, "judge", "preference")
    assert people.keys() == judged.keys()
    assert sorted(people.values()) == [-1, 0, 1]
    assert sorted(judged.values()) == [0, 1, 1]
    its = agreement_of(found).pairs()["preference: depth", "ann", judge.ref.spec]
    assert (its["percent"].n, its["percent"].value, its["soft_disagreement"].value) == (3, 2 / 3, 0)

    for item in planned(exp, 9).reports:
        about: dict[str, Any] = {"run_id": item.run_id, "report_sha": item.report_sha, "query_id": item.query_id}
        value = 9 if item.system == A else 5
        cast(exp, Rating(**about, dimension="depth", value=value, annotator="ann", at=NOON), None)
    made = agreement_of(opinions_of(exp))
    of_judge = {row.name: (row.part, row.n, row.value) for row in made.where(of=judge.ref.spec, by="")}
    values = {"MAD": 1.5, "PCA": 1, "same order": 1}
    assert of_judge == {name: ("rating: depth", 6, value) for name, value in values.items()}
    assert {opinion.system for opinion in opinions_of(exp) if opinion.question.scale == RATING} == {A, B}


def test_labels_of_claims_meet_the_verdicts_that_they_are_about(exp: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No two raters rated the same thing: people rate in drretail vote"):
        agree(exp)
    labels: tuple[ClaimSupport, ...] = ("full", "partial", "contradicted")
    labelled = planned(exp, 9).claims
    for number, item in enumerate(labelled):
        fields = {"run_id", "report_sha", "query_id", "claim_id", "extracted_by"}
        label = ClaimLabel(
            **item.model_dump(include=fields), claim="It is.", label=labels[number % 3], annotator="ann", at=NOON
        )
        cast(exp, label, None)
    found = opinions_of(exp)
    people, judged = by(found, "person", "support"), by(found, "judge", "support")
    assert people
    assert people.keys() <= judged.keys()
    assert {*people.values()} <= {0, 0.5, 1}
    sheet = known(sample(exp, to=tmp_path / "ben.csv").path)
    heading, *rows = read_cells(sheet)
    sheet.write_bytes(as_csv([heading, *([*row[:-1], "full"] for row in rows)]))
    pairs = agree(exp, ratings=[sheet]).value.pairs()
    assert pairs["support", "ann", "ben"]["percent"].n == len(labelled)


def written(folder: Path, text: str) -> Path:
    path = folder / "said.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_row_is_an_opinion_and_a_blank_cell_is_none(tmp_path: Path) -> None:
    rows = "Rater;Item;Value;Dimension;Query;System\nann;1;7,5;depth;q1;a\nben;1;;depth;q1;a\nj;1;8;depth;q1;a\n"
    ann, judge = read_opinions(written(tmp_path, rows), judges=["j"])
    assert (ann.rater, ann.kind, ann.value, ann.query_id, ann.system) == ("ann", "person", 7.5, "q1", "a")
    assert (judge.kind, judge.question.dimension, judge.question.scale.level) == ("judge", "depth", "interval")


def test_our_own_words_have_their_scale_and_others_no_order(tmp_path: Path) -> None:
    ours = {("full", "none", "contradicted"): SUPPORT, ("a", "tie", "B"): PREFERENCE}
    for values, scale in {**ours, ("good", "nan"): Scale("label", "nominal")}.items():
        rows = "\n".join(f"{at},ann,{value}" for at, value in enumerate(values))
        found = read_opinions(written(tmp_path, f"item,rater,value\n{rows}\n"))
        assert {opinion.question.scale for opinion in found} == {scale}, values


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    for rows, message in (
        ("item,score\n1,2\n", "no column rater and no value"),
        ("item,rater,value\n", "no opinion"),
        ("item,rater,value\n1,ann,1\n1,ann,2\n", "row 3: ann says 2 of 1, and 1 before"),
        ("value,item,rater\n1,1,ann\n2,2\n", "row 3, has a value and no rater"),
        ("item,rater,value\n,ann,1\n", "row 2, has a value and no item"),
        ("item,rater,value\n1,ann,full\n2,ann,../../x\n3,ann,none\n", "row 3, says '../../x', and most rows say full"),
        ("item,rater,value\n1,ann,7\n2,ann,8\n3,ann,nan\n", "row 4, says 'nan', and most rows say numbers"),
    ):
        with pytest.raises(UserError, match=message):
            read_opinions(written(tmp_path, rows))


def test_a_judge_may_stand_in_any_of_the_files_and_one_that_stands_in_none_is_told(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
    files = [written(one, "item,rater,value\n1,ann,2\n"), written(other, "item,rater,value\n1,gpt,2\n")]
    assert [opinion.kind for opinion in read_all(files, judges=["gpt"])] == ["person", "judge"]
    with pytest.raises(UnknownName, match="no rater"):
        read_all(files, judges=["gpt-5"])
