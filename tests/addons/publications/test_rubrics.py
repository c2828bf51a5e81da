"""Rubrics, made by a judge or published: frozen, marked for every report, and the formula by hand."""

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from drretail.addons.publications.rubrics.score import Mark, read_rubrics, values, weighted
from drretail.errors import UserError
from drretail.eval.judging.criteria import criterion_item
from drretail.records.criteria import Criteria, CriteriaGroup, Criterion
from drretail.records.score import reasons_of
from tests import build
from tests.addons.publications.dr3.research import Answers, judge_by


def rubric(**weights: Sequence[float]) -> Criteria:
    groups: list[CriteriaGroup] = []
    for name, held in weights.items():
        criteria = tuple(Criterion(text=f"{name} {n}", weight=weight) for n, weight in enumerate(held))
        groups.append(CriteriaGroup(name=name, criteria=criteria))
    return Criteria(metric="rubrics", query_id="q1", groups=tuple(groups))


def found(weights: dict[str, list[float]], met: dict[str, list[float | None]], *names: str) -> list[float | str]:
    """Values of a rubric with these weights by group, each criterion met so far; None is a judge that broke."""
    criteria = rubric(**weights)
    of_rubrics = partial(build.verdict, "rubrics", "criteria_met")
    verdicts = [
        of_rubrics(criterion_item(group, each), value, "failed" if value is None else "scored")
        for group in criteria.groups
        for each, value in zip(group.criteria, met[group.name], strict=True)
    ]
    made = {each.variant: each for each in values(verdicts, criteria)}
    return [made[name].state if made[name].value is None else build.known(made[name].value) for name in names]


def test_a_score_is_the_weight_met_by_the_weight_that_can_be_had() -> None:
    by_group = found(
        {"explicit": [5, 3], "implicit": [2]}, {"explicit": [1, 0], "implicit": [1]}, "score", "explicit", "implicit"
    )
    assert by_group == [0.7, 0.625, 1]
    in_part = found({"explicit": [4, 4, -2]}, {"explicit": [0.5, 1, 0.5]}, "score", "strict")
    assert in_part == [5 / 8, 0.25], "half of a merit is half and strictly nothing"
    weights = {"information": [1.0] * 4, "analysis": [1.0] * 2}
    axes = ("information", "analysis", "presentation")
    equal = found(weights, {"information": [1, 1, 1, 0], "analysis": [0, 0]}, "score", *axes)
    assert equal == [0.5, 0.75, 0, "na"], "of equal weights the share of criteria met"
    other = found({"own": [1, 1], "analysis": [2]}, {"own": [1, 0], "analysis": [0]}, "score")
    assert other == [0.25], "axes of other names count in the whole"
    broken = found(
        {"information": [1, 1], "analysis": [1]}, {"information": [1, None], "analysis": [1]}, "score", *axes
    )
    assert broken == ["failed", "failed", 1, "na"], "what the judge broke fails the score and its axis alone"


def test_a_fault_takes_off_where_it_is_met_and_a_score_below_nought_is_never_clamped() -> None:
    weights = {"explicit": [5.0, 5.0, -4.0]}
    assert found(weights, {"explicit": [1, 0, 0]}, "score") == [0.5]
    assert found(weights, {"explicit": [1, 0, 1]}, "score") == pytest.approx([0.1])
    assert found(weights, {"explicit": [0, 0, 1]}, "score") == [-0.4]


def criterion(text: str, weight: int, axis: str = "information", kind: str = "binary") -> dict[str, Any]:
    return {"criterion": text, "explanation": "", "axis": axis, "weight": weight, "kind": kind}


def labelled(*labels: str) -> dict[str, Any]:
    marks = [{"criterion_id": n, "reason": "So.", "evidence": "", "label": label} for n, label in enumerate(labels, 1)]
    return {"criteria": marks}


def by_words(question: str) -> dict[str, Any]:
    """Met where the report has the criterion's last word; "Weighs" is met in part."""
    report = question.partition("<report>")[2].partition("</report>")[0]
    found = [part.partition(">\n")[2].partition("\n")[0] for part in question.split("<criterion id=")[1:]]
    return labelled(
        *("partly" if one.startswith("Weighs") else "met" if one.split()[-1] in report else "not_met" for one in found)
    )


ANSWERS: Answers = {
    "QueryRubric": {
        "criteria": [
            criterion("Names a feeder", 5),
            criterion("Weighs it against a bath", 4, "analysis", "ternary"),
            criterion("Invents a discount", -3, "presentation"),
        ]
    },
    "MarkedCriteria": by_words,
}
REPORTS = {"a@model": {"q1-r1": "A feeder at a discount.", "q2-r1": "A bath."}, "b@model": {"q1-r1": "A feeder."}}


def test_a_rubric_is_made_once_a_query_frozen_and_marked_for_every_report(tmp_path: Path) -> None:
    folder = build.experiment(tmp_path / "exp", REPORTS)
    judge, asked = judge_by(ANSWERS)
    other, asked_other = judge_by(ANSWERS, name="other")
    scores = build.scored(folder, "rubrics", judge, other)
    assert ((asked + asked_other).count("QueryRubric"), asked.count("MarkedCriteria")) == (2, 3)
    a, b = (build.rows(scores, label=label, judge=judge.ref.spec) for label in ("a@model", "b@model"))
    # q1: (5 + 2 − 3) / 9; q2: "bath" gives the ternary ½ alone, 2 / 9. b: (5 + 2) / 9.
    assert a["score"].value == pytest.approx((4 / 9 + 2 / 9) / 2)
    assert (b["score"].value, b["strict"].value) == (pytest.approx(7 / 9), pytest.approx(5 / 9))
    assert a["analysis"].value == 0.5


def test_a_person_s_edit_is_judged_by_anew_and_another_weight_asks_nothing(tmp_path: Path) -> None:
    folder = build.experiment(tmp_path / "exp", {"b@model": {"q1-r1": "A feeder."}})
    judge, asked = judge_by(ANSWERS)
    build.scored(folder, "rubrics", judge)
    path = folder / "rubrics/rubrics/q1.json"
    held = json.loads(path.read_text())
    before = len(asked)
    for field, edited, value, questions in (
        ("weight", 1, 3 / 5, []),
        ("text", "Names a bath", 2 / 5, ["MarkedCriteria"]),
    ):
        held["groups"][0]["criteria"][0][field] = edited
        path.write_text(json.dumps(held))
        assert build.rows(build.scored(folder, "rubrics", judge))["score"].value == pytest.approx(value)
        assert asked[before:] == questions


def test_only_a_ternary_criterion_can_be_met_in_part_and_only_weights_above_nought_count(tmp_path: Path) -> None:
    folder = build.experiment(tmp_path / "exp", {"b@model": {"q1-r1": "A feeder."}})
    judge, asked = judge_by({**ANSWERS, "MarkedCriteria": labelled(*["partly"] * 3)})
    found = build.rows(build.scored(folder, "rubrics", judge))
    assert asked.count("MarkedCriteria") == 3
    assert (found["score"].value, found["score"].n_failed) == (None, 1)
    none = weighted("score", [Mark(-1, 1)])
    assert (none.state, [*reasons_of(none.items)]) == ("na", ["no criterion has a weight above nought"])


BENCH_II = {
    "id": "task7",
    "idx": 1,
    "prompt": "Ask q1?",
    "content": {
        "task": "Ask.",
        "rubric": {"info_recall": ["States A.", "States B."], "analysis": ["Explains A."], "presentation": []},
        "blocked": {"title": "The source", "authors": ["X"], "urls": ["https://a.example/1"]},
    },
}
RESEARCH = {
    "sample_id": "683a58c9a7e7fe4e7695846f",
    "prompt": "Ask q2?",
    "domain": "Consumer",
    "rubrics": [
        {"criterion": "Names two.", "weight": 4.0, "axis": "Explicit Criteria"},
        {"criterion": "Invents one.", "weight": -2.0, "axis": "Synthesis of Information"},
        {"criterion": "Cites each.", "weight": 1.0, "axis": "References & Citation Quality"},
    ],
}


def lines(path: Path, *objects: Any) -> Path:
    path.write_text("".join(f"{json.dumps(each)}\n" for each in objects), encoding="utf-8")
    return path


def test_both_published_forms_are_read_by_axis_with_weights(tmp_path: Path) -> None:
    first, second = read_rubrics(lines(tmp_path / "r.jsonl", BENCH_II, RESEARCH))
    assert [(group.name, len(group.criteria)) for group in first.groups] == [("information", 2), ("analysis", 1)]
    assert "blocked article: The source · https://a.example/1" in first.groups[0].criteria[0].explanation
    assert first.names == ("task7", "1", "idx-1", "Ask.", "Ask q1?")
    weights = {group.name: [each.weight for each in group.criteria] for group in second.groups}
    assert weights == {"explicit": [4], "synthesis": [-2], "references": [1]}


BROKEN = {"sample_id": "x", "prompt": "y"}


@pytest.mark.parametrize(
    "line", [{"rubrics": []}, {**BROKEN, "rubrics": []}, {**BROKEN, "rubrics": [{"title": "z"}]}, []]
)
def test_a_line_of_neither_form_is_told_by_its_number(tmp_path: Path, line: Any) -> None:
    with pytest.raises(UserError, match="line 2") as result:
        list(read_rubrics(lines(tmp_path / "r.jsonl", RESEARCH, line)))
    assert "\n" not in str(result.value)


def test_published_rubrics_are_taken_for_the_queries_they_are_of_and_a_file_of_others_is_told(tmp_path: Path) -> None:
    folder = build.experiment(tmp_path / "exp", {"a@model": {"q1-r1": "A.", "q2-r1": "Two."}})
    judge, asked = judge_by({"MarkedCriteria": lambda value: labelled(*["met"] * value.count("<criterion id="))})
    published = lines(tmp_path / "r.jsonl", BENCH_II, RESEARCH)
    found = build.rows(build.scored(folder, "rubrics", judge, criteria=published))
    assert asked == ["MarkedCriteria", "MarkedCriteria"]  # nobody made a rubric
    assert found["score"].value == pytest.approx((1 + (4 - 2 + 1) / 5) / 2)
    assert (found["information"].n_scored, found["information"].n_na) == (1, 1)

    other = build.experiment(tmp_path / "other", {"a@model": {"q9-r1": "A."}})
    for path, problem in (
        (lines(tmp_path / "one.jsonl", RESEARCH), "holds no criteria of these metrics"),
        (tmp_path / "nowhere", "does not exist"),
    ):
        with pytest.raises(UserError, match=problem):
            build.scored(other, "rubrics", judge_by()[0], criteria=path)
