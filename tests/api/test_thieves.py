"""Agents of one's own that look for the gold, as docs/experiments.md lists them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from drretail import score
from drretail.experiment import GOLD, read_definition, read_runs
from drretail.grounding.gold_files import write_with_gold
from drretail.grounding.text.wording import listed
from drretail.records.criteria import OF_KIND, Decision, Gold
from drretail.records.query import Query
from drretail.records.run import Run
from drretail.records.wish import Hidden, Want, Wish
from drretail.viewer.tables.scoreboard import board_notes
from tests.api.thieves import MARK
from tests.build import known
from tests.shop import USER, build_shop

THIEVES = ("frames", "objects", "session", "rubrics", "package", "processes", "environment", "patches")
ASKED = Query(query_id="q-1", user_id=USER, text="Which bird feeder suits me?", source="test")
WISH = Wish(wants=(Want(name=f"feeder {MARK}", kinds=("bird feeder",)),))
DECISION = Decision(want=MARK, demand=OF_KIND, product_id="B0TEST0001", record_sha="0", state="met", by="model:ann")


def ran(folder: Path, query: Query, *thieves: str, floors: str = "") -> Path:
    """The experiment of these thieves on a query, run as a command of its own, with all floors unless told."""
    build_shop(folder / "w")
    write_with_gold([query], folder / "q.jsonl")
    agents = [word for name in thieves for word in ("--agent", f"tests.api.thieves:{name}")]
    options = f"--world {folder}/w --queries {folder}/q.jsonl --to {folder}/exp --parallel 1 {floors}".split()
    project = str(Path(__file__).parents[3])
    ended = subprocess.run(
        [sys.executable, "-m", "drretail", "run", *options, *agents],
        env=os.environ | {"PYTHONPATH": project},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode in (0, 3), ended.stderr
    return folder / "exp"


def by_agent(experiment: Path) -> dict[str, Run]:
    return {
        read_definition(experiment).systems[run.system].agent.rpartition(":")[2]: run for run in read_runs(experiment)
    }


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    query = ASKED.model_copy(update={"wish": WISH, "gold": Gold(query_id="q-1", decisions=(DECISION,))})
    return ran(tmp_path_factory.mktemp("thieves"), query, *THIEVES)


def test_only_who_opens_the_file_beside_the_tasks_gets_gold(experiment: Path) -> None:
    reports = {name: run.report for name, run in by_agent(experiment).items() if name in THIEVES}
    assert reports == dict.fromkeys(THIEVES, "Found nothing.") | {"processes": "Found gold."}


def test_the_oracle_runs_elsewhere_and_afterwards_the_gold_is_there(experiment: Path) -> None:
    oracle = by_agent(experiment)["oracle"]
    assert [pick.product for pick in oracle.picks or ()]
    assert MARK in (experiment / GOLD).read_text(encoding="utf-8")
    assert MARK not in (experiment / "experiment.json").read_text(encoding="utf-8")


def test_the_board_says_of_whom_gold_was_in_reach(experiment: Path) -> None:
    notes = " ".join(board_notes(known(score(experiment, ["basket"]).scoreboard)))
    said = notes.partition("Gold was in reach of ")[2].partition(": code of one's own")[0]
    labels = [label for label, system in read_definition(experiment).systems.items() if ":" in system.agent]
    assert (len(labels), said) == (len(THIEVES), listed(labels))


def test_a_hidden_wish_is_with_the_process_that_plays_the_shopper(tmp_path: Path) -> None:
    hidden = Hidden.model_validate({"field": "must", "index": 0, "value": MARK, "topic": "feature", "say": "It must."})
    wish = Wish(wants=(Want(name="feeder", kinds=("bird feeder",), must=(MARK,)),))  # pyright: ignore[reportArgumentType]
    asked = ASKED.model_copy(update={"wish": wish, "hidden": (hidden,), "questions": 3})
    experiment = ran(tmp_path, asked, "session", floors="--no-floors")
    thief = next(run for name, run in by_agent(experiment).items() if name == "session")
    assert thief.report == "Found gold."
