"""Judges that are told something else than the package says: others, beside the ones that are told that."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from drretail.errors import UserError
from drretail.eval.judge_prompts import KEPT, PACKAGED, judge_prompt_files, read_wording
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.experiment import read_runs
from drretail.progress import Progress
from drretail.prompt_folders import write_prompts
from drretail.records.score import Scores
from drretail.viewer.judged import read_judgements
from tests.build import LABEL, experiment, scripted_judge

STRICT = "Be strict: an unread report is worth nothing."


def mine(folder: Path, name: str = "quality/rating.md", said: str = STRICT) -> Path:
    """A folder of all judges' prompts, one of them changed."""
    write_prompts(folder, judge_prompt_files())
    path = folder / name
    path.write_text(f"{said}\n\n{path.read_text(encoding='utf-8')}", encoding="utf-8")
    return folder


def strict_or_kind(question: str) -> dict[str, Any]:
    return {"justification": "So it is.", "rating": 2 if STRICT in question else 9}


def rated(exp: Path, judge: Judge, prompts: Path | None = None) -> Scores:
    wording = PACKAGED if prompts is None else read_wording(prompts)
    return asyncio.run(score(exp, ["quality"], [judge], progress=Progress(), wording=wording))


def means(scores: Scores) -> dict[str, float | None]:
    rows = [it for it in scores.scores if it.variant == "depth" and not it.judge.startswith("panel")]
    return {f"{row.judge} {row.judge_params}".strip(): row.value for row in rows}


def test_a_judge_with_prompts_of_its_own_stands_beside_the_one_without(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "Buy tea.", "q2-r1": "Buy milk."}})
    judge, asked = scripted_judge(strict_or_kind)
    rated(exp, judge)
    both = means(rated(exp, judge, mine(tmp_path / "strict")))
    (own,) = (name for name in both if "prompts-strict" in name)
    assert both == {"scripted:test": 9, own: 2}
    count = len(asked)
    assert means(rated(exp, judge, tmp_path / "strict")) == both
    assert len(asked) == count


def test_what_it_said_counts_without_its_folder_too(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "Buy tea."}})
    judge, _ = scripted_judge(strict_or_kind)
    both = means(rated(exp, judge, mine(tmp_path / "strict")))
    shutil.rmtree(tmp_path / "strict")
    assert next(it.name for it in (exp / KEPT).iterdir()).startswith("prompts-strict-")
    again = means(rated(exp, judge))
    assert again == both | {"scripted:test": 9}
    judged = read_judgements(exp, "quality", next(read_runs(exp)))
    assert judged.stale == 0
    assert len({it.by for it in judged.by_judge}) == 2


def test_other_words_under_the_same_name_are_another_judge(tmp_path: Path) -> None:
    exp = experiment(tmp_path / "exp", {LABEL: {"q1-r1": "Buy tea."}})
    judge, _ = scripted_judge(strict_or_kind)
    rated(exp, judge, mine(tmp_path / "a" / "strict"))
    both = means(rated(exp, judge, mine(tmp_path / "b" / "strict", said="Be kind.")))
    assert sorted(value or 0 for value in both.values()) == [2, 9]


def test_every_family_that_asks_has_its_prompts_among_the_files() -> None:
    names = list(judge_prompt_files())
    assert {name.partition("/")[0] for name in names} == {
        "failure_modes",
        "faithfulness",
        "pairwise",
        "pqr",
        "quality",
        "race",
        "reading",
        "triplets",
        "weighted",
        "dr3",
        "rubrics",
        "report_eval",
    }
    assert {"faithfulness/support.md", "quality/rating.md", "pairwise/comparing.md"} <= set(names)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("{{criterion}} {{anchors}} {{weather}}", r"has the placeholder \{\{weather"),
        ("Rate it.", "lacks the placeholder"),
        (" ", "blank"),
    ],
)
def test_a_prompt_that_could_not_be_filled_is_told(tmp_path: Path, said: str, told: str) -> None:
    write_prompts(tmp_path / "p", judge_prompt_files())
    (tmp_path / "p" / "quality" / "rating.md").write_text(said, encoding="utf-8")
    with pytest.raises(UserError, match=told):
        read_wording(tmp_path / "p")


def test_a_folder_that_changes_nothing_or_holds_a_stranger_is_told(tmp_path: Path) -> None:
    write_prompts(tmp_path / "p", judge_prompt_files())
    with pytest.raises(UserError, match="differs from the packaged one"):
        read_wording(tmp_path / "p")
    (tmp_path / "p" / "quality" / "ratings.md").write_text("x", encoding="utf-8")
    with pytest.raises(UserError, match=r"Did you mean quality/rating\.md"):
        read_wording(tmp_path / "p")
