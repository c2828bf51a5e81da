"""The paper's experiment made again: capped, verified, written down, and continued without paying twice.

Also tests options.py.
"""

import shutil
from pathlib import Path

import pytest

from drretail import reproduce, score
from drretail.addons.reproduction.reproduce import Reproduction, estimate_reproduction
from drretail.errors import UserError
from drretail.eval.registry import PAPERS
from drretail.experiments.run_file import read_run
from drretail.records.query import Query
from drretail.viewer.paper import SYSTEMS, read_paper_view
from drretail.viewer.tables.board import BoardTables
from tests.build import known
from tests.cli.commands import ErrorOf
from tests.run_files import edit_run
from tests.shop import USER, build_shop

QUESTIONS = [Query(query_id="q1", user_id=USER, text="Which bird feeder should I buy?", source="test")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("reproduced")
    build_shop(home / "w")
    return home


@pytest.fixture(scope="module")
def made(folder: Path) -> Reproduction:
    return reproduce(to=folder / "exp", world=folder / "w", queries=QUESTIONS, agents="grounded_hybrid")


def test_all_systems_are_judged_by_the_papers_rules_and_verified_on_a_page(made: Reproduction) -> None:
    labels = {label.partition("@")[0] for label in made.experiment.systems}
    assert {label for label in labels if not label.startswith(("null", "oracle"))} == {*SYSTEMS, "grounded_hybrid"}
    assert {row.rules for row in made.scores.scores if row.metric == "faithfulness"} == {"paper"}
    assert made.verification.passes
    page = made.page.read_text(encoding="utf-8")
    parts = (
        "## Table 1",
        "| react (paper) ",
        "drretail verify` finds no difference (",
        "## Decision",
    )
    assert [part for part in parts if part not in page] == []
    begins = (
        "- The shop is of ingested files",
        "- Models: offline:shopper (rule-based",
        "- Whose wording: agents this",
    )
    places = [page.index(part) for part in begins]
    assert places == sorted(places)
    assert places[-1] < page.index("## "), "what the numbers stand on comes before them"
    shown = repr(made.result()).splitlines()
    assert {"Table 1. Faithfulness", "Table 5. What a query takes: thousands of tokens, words, tool calls"} <= {*shown}
    assert not any(line.startswith("|") for line in shown), "tables are drawn, not Markdown that a terminal breaks"


def test_the_documented_steps_show_the_same_board(made: Reproduction, folder: Path, tmp_path: Path) -> None:
    """``reproduce`` also scores by code, which must not decide whether a judge's faithfulness is shown."""
    ignored = shutil.ignore_patterns("verdicts", "scores.json", "board.json", "results.md")
    steps = score(shutil.copytree(folder / "exp", tmp_path / "exp", ignore=ignored), PAPERS, rules="paper")
    boards = [BoardTables(known(scores.scoreboard)) for scores in (steps, made.scores)]
    columns = [[each.name for each in board.columns if each.metric == "faithfulness"] for board in boards]
    assert columns[0] == columns[1] == ["N_cited", "N_web", "N_product"]
    shown = [table.document() for table in read_paper_view(tmp_path / "exp", None).tables[:2]]
    assert [table["rows"] for table in shown] == [table.document()["rows"] for table in made.paper.tables[:2]]
    assert repr(steps.result()).startswith("Table 1. Faithfulness")


@pytest.mark.slow  # all of it once more
def test_the_same_call_makes_nothing_again_and_the_page_says_what_was_edited(made: Reproduction, folder: Path) -> None:
    path = next((folder / "exp" / "runs").glob("react@*/q1-r1.jsonl.gz"))
    before = path.read_bytes()
    edit_run(path, report=f"{read_run(path).report} It is the best.")
    again = reproduce(to=folder / "exp", world=folder / "w", queries=QUESTIONS, agents="grounded_hybrid")
    assert all(tally.before == 1 for tally in again.experiment.tallies)
    assert not again.is_complete
    assert "differences, first: " in again.page.read_text(encoding="utf-8")
    path.write_bytes(before)


def test_what_cannot_be_asked_is_said_first_and_what_is_left_is_estimated(folder: Path, error_of: ErrorOf) -> None:
    judge, model = "anthropic:claude-sonnet-4-6", "anthropic:claude-sonnet-5"
    left = estimate_reproduction(model, judge, to=folder / "new", world=folder / "w", queries=QUESTIONS)
    judging = [f"{metric} by {judge}" for metric in ("faithfulness", "quality", "pairwise")]
    assert [row.name.partition("@")[0] for row in left.value if row.calls] == [*SYSTEMS, *judging]
    assert [row.count for row in left.value] == [1] * 6 + [6, 6, 3]
    assert all(row.dollars for row in left.value)
    with pytest.raises(UserError, match="--to EXP"):
        reproduce(world=folder / "w")
    paid = ("reproduce", "--model", "anthropic:claude-sonnet-5", "--to", str(folder / "paid"))
    assert "--max-dollars" in error_of(*paid)
    free = [part.replace("anthropic:claude-sonnet-5", "offline:shopper") for part in paid]
    assert "gone.jsonl does not exist" in error_of(*free, "--queries", str(folder / "gone.jsonl"))
    with pytest.raises(UserError, match="nonsense"):
        reproduce(judge="nonsense", to=folder / "judged", world=folder / "w", queries=QUESTIONS)
    assert not (folder / "paid").exists() | (folder / "judged").exists()


@pytest.mark.slow  # some of it once more
def test_a_cap_on_tokens_is_that_of_runs_and_judging_together(folder: Path) -> None:
    capped = reproduce(to=folder / "capped", world=folder / "w", queries=QUESTIONS, max_tokens=3_000)
    assert not capped.is_complete
    assert capped.closing is not None


def test_prompts_with_a_fault_are_told_before_anything_runs(folder: Path) -> None:
    (folder / "own").mkdir()
    with pytest.raises(UserError, match="own"):
        reproduce(to=folder / "never", world=folder / "w", queries=QUESTIONS, prompts=folder / "own")
    assert not (folder / "never").exists()
