"""A file of a newer or unknown form is refused in one sentence that says what to do, and stays as it is."""

import json
import shutil
from pathlib import Path

import pytest

from drretail import run, score
from drretail.experiment import run_path
from drretail.files import pack, write_lines
from drretail.packs import unpack_below
from drretail.records.base import FORMAT
from drretail.records.query import Query
from tests.cli.commands import Command, ErrorOf
from tests.shop import USER, build_shop

LABEL = "react@offline-shopper"
EXPERIMENT, SCORES, QUERIES = "experiment/experiment.json", "experiment/scores.json", "queries.jsonl"
VERDICTS = f"experiment/verdicts/faithfulness/offline-judge/{LABEL}/q1-r1.jsonl"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world, queries and an experiment."""
    folder = tmp_path_factory.mktemp("made")
    build_shop(folder / "world")
    query = Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="test")
    write_lines(folder / QUERIES, [query.as_line()])
    run(folder / "world", folder / QUERIES, "react", to=folder / "experiment", baselines=False)
    score(folder / "experiment", ["faithfulness", "checks"], world=folder / "world")
    return folder


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    """The same in the test's folder, each verdict in a file of its own."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    unpack_below(tmp_path / "experiment")
    return tmp_path


def with_format(path: Path, number: int) -> None:
    """Gives a file, whose objects may be many, another format."""
    text = path.read_text(encoding="utf-8")
    rows = text.splitlines() if path.suffix == ".jsonl" else [text]
    write_lines(path, [json.dumps({**json.loads(row), "format": number}) for row in rows])


RUN = "run --world world --queries queries.jsonl --agent react --to"
REPORT = "report experiment --format html --to page.html"


@pytest.mark.parametrize(
    ("name", "number", "command"),
    [
        *((name, FORMAT + 1, REPORT) for name in (EXPERIMENT, VERDICTS, SCORES)),
        (EXPERIMENT, 0, REPORT),
        (EXPERIMENT, FORMAT + 1, f"{RUN} experiment"),
        (QUERIES, FORMAT + 1, f"{RUN} new"),
    ],
)
def test_an_experiment_or_queries_of_another_format_are_refused_in_a_sentence_and_not_written_over(
    copied: Path, error_of: ErrorOf, name: str, number: int, command: str
) -> None:
    path = copied / name
    with_format(path, number)
    before = path.read_bytes()
    assert "format" in error_of(*command.split())
    assert path.read_bytes() == before
    assert not (copied / "page.html").exists()


def test_a_run_of_another_format_is_named_and_the_others_are_reported(copied: Path, succeeds: Command) -> None:
    path = run_path(copied / "experiment", LABEL, "q1", 1)
    before = pack(f'{{"format":{FORMAT + 1}}}\n'.encode())
    path.write_bytes(before)
    succeeds("report", "experiment")
    page = (copied / "experiment" / "report.html").read_text(encoding="utf-8")
    assert f"{LABEL}/q1-r1.jsonl.gz is of format {FORMAT + 1}" in page
    assert path.read_bytes() == before
