"""Ablations of a sandbox from the command line: scores against size and composition, and where errors come from."""

import json
from pathlib import Path

import pytest

from drretail.files import write_json, write_lines
from drretail.records.base import canonical_json
from drretail.records.run import System
from tests import build
from tests.build import SYSTEM
from tests.cli.commands import Command, ErrorOf
from tests.eval.families.dr3.research import CARE, CARE_ID, EVIDENCE, GOLD, ORDERS_ID, QUERY, RECALL, RECALL_ID

ALL = f"It cost $22.99 [{ORDERS_ID}]. Clean it [{CARE_ID}]. It was recalled [{RECALL_ID}]."
LESS = f"It cost $22.99 [{ORDERS_ID}]."
QUERIES = tuple(QUERY.model_copy(update={"query_id": name}) for name in ("q1", "q2", "q3"))


def on(size: str, compose: str | None = None) -> System:
    options = {"size": size} | ({} if compose is None else {"compose": compose})
    return SYSTEM.model_copy(update={"options": options, "web_corpus": f"{size}{compose}"})


def sandbox(folder: Path) -> Path:
    for query in QUERIES:
        task = folder / "tasks" / query.query_id
        write_json(task / "gold.json", GOLD.model_copy(update={"query_id": query.query_id}).model_dump(mode="json"))
        labels = [{"url": CARE, "label": "supportive"}, {"url": RECALL, "label": "distractor"}]
        write_lines(task / "labels.jsonl", map(canonical_json, labels))
    return folder


@pytest.fixture
def run_on(tmp_path: Path) -> Path:
    """Three queries on two sizes, and on the larger one without distractors."""
    return experiment(tmp_path / "exp", [(on("512k"), LESS), (on("32k"), ALL), (on("512k", "no_distractor"), ALL)])


def experiment(folder: Path, systems: list[tuple[System, str]]) -> Path:
    sandbox(folder.parent / "S")
    reports = {each.label(): {f"{query.query_id}-r1": report for query in QUERIES} for each, report in systems}
    of = {each.label(): each for each, _ in systems}
    return build.experiment(folder, reports, queries=QUERIES, of=of, evidence=EVIDENCE)


SCORED = ("score", "exp", "--metrics", "dr3", "--gold", "S")


def test_scores_stand_by_size_and_composition_with_what_distractors_cost(succeeds: Command, run_on: Path) -> None:
    succeeds(*SCORED)
    (table,) = json.loads(succeeds("compare", "exp", "--by", "size", "--metric", "dr3:CC", "--json").stdout)["size"]
    cells = table["rows"][0]["cells"]
    assert [(cell["setting"], cell["at"], round(cell["mean"], 1)) for cell in cells] == [
        ("32k", 32000, 100),
        ("512k", 512000, 33.3),
    ]
    output = succeeds("compare", "exp", "--by", "compose", "--metric", "dr3:CC").stdout
    assert "no distractors" in output
    assert "Distractor effect: dr3 CC" in output
    assert "-66.67" in output
    made = json.loads(succeeds("compare", "exp", "--by", "compose", "--json").stdout)
    assert {each["variant"] for each in made["distractors"]} >= {"CC"}
    page = (succeeds("report", "exp"), (run_on / "report.html").read_text())[1]
    assert "dr3 CC against size" in page
    assert 'id="by-compose"' in page
    assert 'id="distractors"' in page


@pytest.mark.parametrize(
    ("by", "message"),
    [
        ("size", "two sizes"),
        ("web", "two modes"),
    ],
)
def test_where_nothing_differs_the_error_says_how_to_run_another(
    error_of: ErrorOf, tmp_path: Path, by: str, message: str
) -> None:
    experiment(tmp_path / "exp", [(on("32k"), ALL)])
    assert message in error_of("compare", "exp", "--by", by)
