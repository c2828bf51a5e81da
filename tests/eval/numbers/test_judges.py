"""The board is of the rules and judges that were asked for last, as if nobody had been asked before."""

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drretail import report
from drretail.errors import UserError
from drretail.eval.judging.session import Judge
from drretail.eval.numbers.comparing import compare_recorded
from drretail.eval.numbers.file import made_scores
from drretail.eval.numbers.judges import NO_JUDGE, Assessor, Board, read_board, write_board
from drretail.records.score import JudgeRef
from drretail.viewer.experiment import read_view
from drretail.viewer.page.document import write_report_page
from drretail.viewer.paper import PaperView, read_paper_view
from tests import build
from tests.build import known
from tests.eval.every_question import every_answer
from tests.eval.scored_experiments import moody, recorded_experiment

METRICS = ("faithfulness", "quality", "checks", "pairwise")


def judge(name: str) -> Judge:
    """A judge that answers otherwise than one of another name."""
    made, _ = every_answer(sentences=1, changed=lambda title, question, answer: moody(title, name + question, answer))
    return replace(made, ref=JudgeRef(spec=f"p:{name}", kind="llm"), slug=f"p-{name}")


ONE, OTHER, THIRD = judge("one"), judge("other"), judge("third")
Asked = Mapping[str, Any]
PAPER: Asked = {"judges": (ONE,), "rules": "paper"}
BY_BOTH: Asked = {"judges": (ONE, OTHER)}
BY_THIRD: Asked = {"judges": (THIRD,)}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded_experiment(tmp_path_factory.mktemp("recorded") / "exp")


def scored(recorded: Path, folder: Path, *commands: Asked) -> Path:
    shutil.copytree(recorded, folder)
    for command in commands:
        given = dict(command)
        build.scored(folder, given.pop("metrics", METRICS), *given.pop("judges"), **given)
    return folder


def paper_tables(view: PaperView) -> list[Any]:
    """Their numbers: notes also name who judged besides. How far judges agree, Appendix E, is of all of them."""
    tables = view.document()["tables"]
    return [(table["name"], table["rows"]) for table in tables if table["name"] != "Appendix E"]


def shown(folder: Path) -> dict[str, Any]:
    """What board, comparisons, pages, the paper's tables and Python show."""
    scores, view = made_scores(folder), read_view(folder)
    comparisons = [each.model_dump_json().replace(str(folder), "EXP") for each in compare_recorded(folder)]
    claims = [[(each.text, each.support) for each in run.claims[0].claims] for run in view.runs if run.claims]
    return {
        "board": known(scores.scoreboard).model_dump(mode="json"),
        "comparisons": comparisons,
        "claims": claims,
        "paper": paper_tables(read_paper_view(folder, None)),
        "python": scores.by_system("overall"),
        "settings": scores.ablations,
    }


def test_what_is_shown_is_as_in_a_new_folder(recorded: Path, tmp_path: Path) -> None:
    alone, after = (
        shown(scored(recorded, tmp_path / name, *commands))
        for name, commands in (("alone", [BY_BOTH]), ("after", [BY_THIRD, PAPER, BY_BOTH]))
    )
    for part, found in alone.items():
        assert after[part] == found, part


def test_tables_are_of_the_first_judge_and_agreement_stands_beside_whoever_was_asked_last(
    recorded: Path, tmp_path: Path
) -> None:
    folder = scored(recorded, tmp_path / "exp", BY_BOTH)
    both = read_paper_view(folder, None)
    build.scored(folder, METRICS, OTHER)
    other = read_paper_view(folder, None)
    assert paper_tables(other) != paper_tables(both)
    assert {row.name for row in both.tables[-1].here} == {row.name for row in other.tables[-1].here} != set()
    text = report(folder, form="latex").value + report(folder, form="csv").value
    assert text.count("Appendix E. Agreement of p:one and p:other") == 2
    page = write_report_page(read_view(folder), tmp_path / "page.html", "single").read_text()
    assert "Appendix E. Agreement of p:one and p:other" in page


def test_the_first_judge_is_the_first_model_that_was_named_and_code_is_none(tmp_path: Path) -> None:
    one, other, late = (JudgeRef(spec=f"p:{name}", kind="llm") for name in ("one", "other", "late"))
    rules, code = JudgeRef(spec="offline:judge", kind="rule_based"), JudgeRef(spec="code", kind="rule_based")
    board = Board(rules="paper", judge=(rules.key, other.key, one.key))
    asked = [Assessor(judge, "paper") for judge in (one, late, rules, code, other)]
    # From the end: each is first of those that are left.
    for left, first in enumerate((other, one, rules, None)):
        gone = (other, one, rules)[:left]
        found = board.first([pair for pair in asked if pair[0] not in gone])
        assert found == (None if first is None else (first, "paper"))
    assert board.first([Assessor(one, "default")]) is None
    assert [board.has(judge, "default") for judge in (code, one)] == [True, False]
    ranks = sorted([late, rules, one, other], key=lambda judge: board.place(judge, "paper"))
    assert ranks == [other, one, rules, late]
    assert read_board(tmp_path) == NO_JUDGE
    write_board(tmp_path, board)
    assert read_board(tmp_path) == board
    (tmp_path / "board.json").write_text('{"format": 1, "rules": "no such"}')
    with pytest.raises(UserError, match=r"board\.json is not as this version writes it: run drretail score again\."):
        read_board(tmp_path)
