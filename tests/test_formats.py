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
from tests.cli.commands import Command
from tests.shop import USER, build_shop

LABEL = "react@offline-shopper"
AGAIN = ["run", "--world", "world", "--queries", "queries.jsonl", "--to", "experiment"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a world, queries and an experiment."""
    folder = tmp_path_factory.mktemp("made")
    build_shop(folder / "world")
    query = Query(query_id="q1", user_id=USER, text="Which bird feeder suits me, under $30?", source="test")
    write_lines(folder / "queries.jsonl", [query.as_line()])
    run(folder / "world", folder / "queries.jsonl", "react", to=folder / "experiment", baselines=False)
    score(folder / "experiment", ["faithfulness", "checks"], world=folder / "world")
    return folder


def copied(made: Path, folder: Path) -> None:
    shutil.copytree(made, folder, dirs_exist_ok=True)
    unpack_below(folder / "experiment")


def is_one_sentence(code: int, message: str) -> bool:
    last = message.strip().splitlines()[-1]
    return code == 2 and last.startswith("Error: ") and "Traceback" not in message


def with_format(path: Path, found: object) -> None:
    """Gives a file, whose objects may be many, another format; None for none."""
    text = path.read_text(encoding="utf-8")
    rows = text.splitlines() if path.suffix == ".jsonl" else [text]
    changed = list[str]()
    for row in rows:
        value = {name: held for name, held in json.loads(row).items() if name != "format"}
        changed.append(json.dumps(value if found is None else {**value, "format": found}))
    path.write_text("".join(f"{row}\n" for row in changed), encoding="utf-8")


OTHERS = [None, FORMAT + 1]
WORLD_COMMANDS = [
    ["world", "info", "world"],
    ["world", "check", "world"],
    ["world", "copy", "world", "copied"],
    ["tools", "calculator", "--world", "world", "--args", '{"expression": "1+1"}'],
    ["ask", "A feeder?", "--world", "world"],
    ["queries", "generate", "--world", "world", "--to", "new.jsonl"],
    ["run", "--world", "world", "--queries", "queries.jsonl", "--to", "new"],
]


@pytest.mark.parametrize("found", OTHERS)
def test_a_world_of_another_format_is_refused_in_a_sentence(
    made: Path, tmp_path: Path, drretail: Command, found: int | None
) -> None:
    copied(made, tmp_path)
    (manifest,) = (tmp_path / "world").glob("gen-*/manifest.json")
    with_format(manifest, found)
    for command in WORLD_COMMANDS if found == FORMAT + 1 else WORLD_COMMANDS[:1]:
        ended = drretail(*command)
        if command[:2] == ["world", "check"]:  # it says what is wrong with a world in a table
            assert ended.returncode == 3, ended.stderr
            assert f"is of format {found}" in " ".join(ended.stdout.split())
            continue
        assert is_one_sentence(ended.returncode, ended.stderr), (command, ended.returncode, ended.stderr, ended.stdout)
        assert f"this version of drretail reads format {FORMAT}" in ended.stderr
    assert not (tmp_path / "new").exists()


SCORE = ["score", "experiment", "--world", "world", "--metrics", "checks"]
REPORT = ["report", "experiment", "--format", "html", "--to", "page.html"]
RECORDS = [
    "experiment.json",
    f"verdicts/faithfulness/offline-judge/{LABEL}/q1-r1.jsonl",
    "scores.json",
]


@pytest.mark.parametrize(
    ("name", "found", "command"),
    [
        *((f"experiment/{record}", FORMAT + 1, REPORT) for record in RECORDS),
        ("experiment/experiment.json", 0, REPORT),
        ("experiment/experiment.json", FORMAT + 1, [*AGAIN, "--agent", "react"]),
        ("experiment/scores.json", FORMAT + 1, SCORE),
        (f"experiment/readings/declared/{LABEL}/q1-r1.json", FORMAT + 1, SCORE),
        ("queries.jsonl", FORMAT + 1, [*AGAIN[:-1], "new"]),
    ],
)
def test_an_experiment_or_queries_of_another_format_are_refused_in_a_sentence_and_not_written_over(
    made: Path, tmp_path: Path, drretail: Command, name: str, found: int, command: list[str]
) -> None:
    copied(made, tmp_path)
    path = tmp_path / name
    with_format(path, found)
    before = path.read_bytes()
    ended = drretail(*command)
    assert is_one_sentence(ended.returncode, ended.stderr), (ended.returncode, ended.stderr)
    assert "format" in ended.stderr
    assert path.read_bytes() == before
    assert not (tmp_path / "page.html").exists()


def test_a_run_of_another_format_is_named_and_the_others_are_reported(
    made: Path, tmp_path: Path, drretail: Command
) -> None:
    copied(made, tmp_path)
    path = run_path(tmp_path / "experiment", LABEL, "q1", 1)
    before = pack(f'{{"format":{FORMAT + 1}}}\n'.encode())
    path.write_bytes(before)
    ended = drretail("report", "experiment")
    assert ended.returncode == 0, ended.stderr
    page = (tmp_path / "experiment" / "report.html").read_text(encoding="utf-8")
    assert f"{LABEL}/q1-r1.jsonl.gz is of format {FORMAT + 1}" in page
    assert path.read_bytes() == before
