import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.families.rubrics.published import read_rubrics
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.progress import Progress
from drretail.records.score import Scores
from tests.eval.families.dr3.research import judge_by
from tests.eval.folders import experiment

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
    path.write_text("".join(f"{json.dumps(it)}\n" for it in objects), encoding="utf-8")
    return path


def scored(folder: Path, judge: Judge, **given: Any) -> Scores:
    return asyncio.run(score(folder, ["rubrics"], [judge], progress=Progress(), **given))


def test_both_forms_are_read_by_axis_with_weights(tmp_path: Path) -> None:
    first, second = read_rubrics(lines(tmp_path / "r.jsonl", BENCH_II, RESEARCH))
    assert [(group.name, len(group.criteria)) for group in first.groups] == [("information", 2), ("analysis", 1)]
    assert "blocked article: The source · https://a.example/1" in first.groups[0].criteria[0].explanation
    assert first.names == ("task7", "1", "idx-1", "Ask.", "Ask q1?")
    assert [(group.name, [c.weight for c in group.criteria]) for group in second.groups] == [
        ("explicit", [4]),
        ("synthesis", [-2]),
        ("references", [1]),
    ]


@pytest.mark.parametrize(
    "line",
    [
        {"rubrics": []},
        {"sample_id": "x", "prompt": "y", "rubrics": []},
        {"sample_id": "x", "prompt": "y", "rubrics": [{"title": "z"}]},
        [],
    ],
)
def test_a_line_of_neither_form_is_told_by_its_number(tmp_path: Path, line: Any) -> None:
    with pytest.raises(UserError, match="line 2") as told:
        list(read_rubrics(lines(tmp_path / "r.jsonl", RESEARCH, line)))
    assert "\n" not in str(told.value)


def test_published_rubrics_are_taken_for_the_queries_they_are_of(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {"a@model": {"q1-r1": "A.", "q2-r1": "Two."}})
    judge, asked = judge_by(
        {
            "MarkedCriteria": lambda it: {
                "criteria": [
                    {"criterion_id": n, "reason": "So.", "evidence": "", "label": "met"}
                    for n in range(1, it.count("<criterion id=") + 1)
                ]
            }
        }
    )
    scores = scored(folder, judge, criteria=lines(tmp_path / "r.jsonl", BENCH_II, RESEARCH))
    assert asked == ["MarkedCriteria", "MarkedCriteria"]  # nobody made a rubric
    rows = {it.variant: it for it in scores.scores if it.policy == "answered"}
    assert rows["score"].value == pytest.approx((1 + (4 - 2 + 1) / 5) / 2)
    assert (rows["information"].n_scored, rows["information"].n_na) == (1, 1)


def test_a_file_of_other_queries_is_told(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", {"a@model": {"q9-r1": "A."}})
    with pytest.raises(UserError, match="holds no criteria of these metrics"):
        scored(folder, judge_by()[0], criteria=lines(tmp_path / "r.jsonl", RESEARCH))
    with pytest.raises(UserError, match="does not exist"):
        scored(folder, judge_by()[0], criteria=tmp_path / "nowhere")
