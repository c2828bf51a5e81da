"""Error causes of an experiment: labels taken out of a sandbox and kept, one verdict a report that follows dr3's."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.eval.families.error_causes.causes import CAUSES
from drretail.eval.families.error_causes.judge import NO_LABELS, NOT_JUDGED
from drretail.eval.judging.session import Judge
from drretail.eval.scoring import score
from drretail.experiment import read_labels_of
from drretail.files import write_json, write_lines
from drretail.llm.registry import open_model
from drretail.progress import choose_progress
from drretail.records.base import canonical_json
from drretail.records.score import Scores, reasons_of
from tests.eval.families.dr3.research import CARE, GOLD, ONE, RECALL, judge_by, research

FAMILIES = ("dr3", "error_causes")


def sandbox(folder: Path, distractor: str = RECALL) -> Path:
    """The labels and the gold of a sandbox's one query."""
    task = folder / "tasks/q1"
    write_json(task / "gold.json", GOLD.model_dump(mode="json"))
    lines = [{"url": CARE, "label": "supportive"}, {"url": distractor, "label": "distractor"}]
    lines.append({"url": "https://n", "label": "noise"})
    write_lines(task / "labels.jsonl", map(canonical_json, lines))
    pages = [{"url": line["url"], "title": "A page", "text": "Words.", "from": "32k"} for line in lines]
    write_lines(task / "pages.jsonl.gz", map(canonical_json, pages))
    return folder


def scored(folder: Path, *, gold: Path | None = None, judge: Judge | None = None, only: str = "") -> Scores:
    judges = [judge or judge_by()[0]]
    asked = (only,) if only else FAMILIES
    return asyncio.run(score(folder, asked, judges, progress=choose_progress("none"), gold=gold))


def shares_of(scores: Scores) -> dict[str, float]:
    return {
        row.variant: row.value
        for row in scores.scores
        if (row.metric, row.policy) == ("error_causes", "answered") and row.value is not None
    }


def test_labels_are_kept_in_the_experiment_and_the_sandbox_is_not_needed_again(tmp_path: Path) -> None:
    folder, made = research(tmp_path / "exp", ONE), sandbox(tmp_path / "S")
    first = shares_of(scored(folder, gold=made))
    kept = read_labels_of(folder, "q1")
    assert kept is not None
    assert (kept.supportive, kept.distractors) == ((CARE,), (RECALL,))
    assert "https://n" not in (folder / "labels/q1.json").read_text()
    shutil.rmtree(made)
    assert shares_of(scored(folder)) == first


def test_labels_of_some_pages_alone_are_refused(tmp_path: Path) -> None:
    made = sandbox(tmp_path / "S")
    labels = made / "tasks/q1/labels.jsonl"
    labels.write_text(labels.read_text().splitlines(keepends=True)[0])
    with pytest.raises(UserError, match="no label of 2 pages"):
        scored(research(tmp_path / "exp", ONE), gold=made)


def test_shares_are_of_missed_insights_and_wrong_claims_and_add_up(tmp_path: Path) -> None:
    found = shares_of(scored(research(tmp_path / "exp", ONE), gold=sandbox(tmp_path / "S")))
    # The page of care bears its claim out in part; the recall was handed to the run, and is told in part.
    assert {it: found[it] for it in ("n_missed", "n_wrong_claims")} == {"n_missed": 1, "n_wrong_claims": 1}
    assert {it: found[it] for it in CAUSES if found[it]} == {"hallucinated": 0.5, "not_used": 0.5}


def test_a_page_that_turns_out_to_be_a_distractor_misleads_and_nobody_is_asked(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge, asked = judge_by()
    scored(folder, gold=sandbox(tmp_path / "S"), judge=judge)
    (path,) = folder.glob("labels/*.json")
    held = json.loads(path.read_text())
    write_json(path, {**held, "supportive": [RECALL], "distractors": [CARE]})
    asked.clear()
    found = shares_of(scored(folder, judge=judge))
    assert {it: found[it] for it in CAUSES if found[it]} == {"misled": 0.5, "not_used": 0.5}
    assert asked == []


def test_other_labels_than_the_experiment_holds_are_refused(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    scored(folder, gold=sandbox(tmp_path / "S"))
    with pytest.raises(UserError, match="labels"):
        scored(folder, gold=sandbox(tmp_path / "T", "https://other.example/x"))


def reasons(scores: Scores) -> set[str]:
    return {
        why
        for row in scores.scores
        if row.metric == "error_causes" and row.policy == "answered"
        for why in reasons_of(row.items)
    }


def test_without_labels_and_before_dr3_the_reason_is_told(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    write_json(tmp_path / "gold/q1.json", GOLD.model_dump(mode="json"))
    assert reasons(scored(folder, gold=tmp_path / "gold")) == {NO_LABELS}
    folder = research(tmp_path / "other", ONE)
    assert reasons(scored(folder, gold=sandbox(tmp_path / "S"), only="error_causes")) == {NOT_JUDGED}


def test_before_a_judge_that_follows_rules_errors_are_of_claims_alone(tmp_path: Path) -> None:
    folder = research(tmp_path / "exp", ONE)
    judge = Judge.of(open_model("offline:judge", environ={}))
    found = shares_of(scored(folder, gold=sandbox(tmp_path / "S"), judge=judge))
    assert "n_missed" not in found
    assert sum(found.get(it, 0) for it in CAUSES) in (0, pytest.approx(1))
