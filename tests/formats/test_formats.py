"""Worlds and experiments of each format that ever was are read, or refused in one sentence that says what to do."""

import gzip
import json
import tarfile
from pathlib import Path

import pytest

from drretail.env.folder import check_world
from drretail.experiment import read_definition, read_evidence, read_runs
from drretail.records.base import FORMAT
from tests.cli.commands import Command

HERE = Path(__file__).parent
FORMATS = range(1, FORMAT + 1)
LABEL = "react@offline-shopper"
AGAIN = ["run", "--world", "world", "--queries", "queries.jsonl", "--to", "experiment"]


def unpack(number: int, folder: Path) -> Path:
    with tarfile.open(HERE / f"format{number}.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder


@pytest.fixture(params=FORMATS)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with a world and an experiment as an earlier version left them."""
    return unpack(request.param, tmp_path)


def test_there_is_a_fixture_of_every_format() -> None:
    assert {path.name for path in HERE.glob("format*.tar.xz")} == {f"format{number}.tar.xz" for number in FORMATS}


def test_a_kept_world_is_whole_and_answers(kept: Path, drretail: Command) -> None:
    assert check_world(kept / "world") == []
    for command in (["world", "info", "world"], ["world", "check", "world"], ["world", "copy", "world", "copied"]):
        ended = drretail(*command)
        assert ended.returncode == 0, ended.stderr
    found = drretail("tools", "product_catalog_search", "--world", "world", "--args", '{"query": "cedar bird feeder"}')
    assert "B0TEST0002" in found.stdout


def test_a_kept_experiment_is_read_shown_scored_anew_and_goes_on_or_says_why_not(kept: Path, drretail: Command) -> None:
    assert {run.status for run in read_runs(kept / "experiment")} == {"done"}
    folder = kept / "experiment" / "runs" / LABEL / "q1-r1"
    assert read_evidence(folder)
    for command in (
        ["report", "experiment", "--format", "text"],
        ["report", "experiment", "--to", "page.html"],
        ["score", "experiment", "--world", "world", "--metrics", "faithfulness,checks"],
        ["compare", "experiment"],
    ):
        ended = drretail(*command)
        assert ended.returncode == 0, ended.stderr
    assert f"# The options were not kept of plan_to_function@offline-shopper, {LABEL}." in (
        kept / "page.html"
    ).read_text("utf-8")

    # Its runs were made with the prompts and tools of their time.
    before = (folder / "run.json").read_bytes()
    ended = drretail(*AGAIN, "--agent", "react", "--agent", "plan_to_function", "--no-floors")
    assert ended.returncode == 0 or is_one_sentence(ended.returncode, ended.stderr), ended.stderr
    assert (folder / "run.json").read_bytes() == before


def is_one_sentence(code: int, message: str) -> bool:
    last = message.strip().splitlines()[-1]
    return code == 2 and last.startswith("Error: ") and "Traceback" not in message


def with_format(path: Path, found: object) -> None:
    """Gives a file, whose objects may be many, another format; None for none."""
    packed = path.suffix == ".gz"
    data = path.read_bytes()
    text = (gzip.decompress(data) if packed else data).decode("utf-8")
    rows = text.splitlines() if ".jsonl" in path.name else [text]
    changed = list[str]()
    for row in rows:
        value = {name: held for name, held in json.loads(row).items() if name != "format"}
        changed.append(json.dumps(value if found is None else {**value, "format": found}))
    written = "".join(f"{row}\n" for row in changed).encode("utf-8")
    path.write_bytes(gzip.compress(written) if packed else written)


OTHERS = [None, 0, FORMAT + 1, "1.0"]
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
def test_a_world_of_another_format_is_refused_in_a_sentence(tmp_path: Path, drretail: Command, found: object) -> None:
    unpack(FORMAT, tmp_path)
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
    f"runs/{LABEL}/q1-r1/evidence.jsonl.gz",
    f"verdicts/faithfulness/offline-judge/{LABEL}/q1-r1.jsonl",
    "scores.json",
]


@pytest.mark.parametrize(
    ("name", "found", "command"),
    [
        *((f"experiment/{record}", found, REPORT) for record in RECORDS for found in (0, FORMAT + 1)),
        ("experiment/experiment.json", FORMAT + 1, [*AGAIN, "--agent", "react"]),
        ("experiment/scores.json", FORMAT + 1, SCORE),
        (f"experiment/readings/declared/{LABEL}/q1-r1.json", FORMAT + 1, SCORE),
        ("queries.jsonl", FORMAT + 1, [*AGAIN[:-1], "new"]),
    ],
)
def test_an_experiment_or_queries_of_another_format_are_refused_in_a_sentence_and_not_written_over(
    tmp_path: Path, drretail: Command, name: str, found: int, command: list[str]
) -> None:
    unpack(FORMAT, tmp_path)
    path = tmp_path / name
    with_format(path, found)
    before = path.read_bytes()
    ended = drretail(*command)
    assert is_one_sentence(ended.returncode, ended.stderr), (ended.returncode, ended.stderr)
    assert "format" in ended.stderr
    assert path.read_bytes() == before
    assert not (tmp_path / "page.html").exists()


def test_a_run_of_another_format_is_named_and_the_others_are_reported(tmp_path: Path, drretail: Command) -> None:
    unpack(FORMAT, tmp_path)
    path = tmp_path / "experiment" / "runs" / LABEL / "q1-r1" / "run.json"
    with_format(path, FORMAT + 1)
    before = path.read_bytes()
    ended = drretail("report", "experiment", "--format", "text", "--details")
    assert ended.returncode == 0, ended.stderr
    assert f"{LABEL}/q1-r1/run.json is of format {FORMAT + 1}" in ended.stdout
    assert path.read_bytes() == before


def test_an_earlier_experiment_of_a_real_model_is_read(tmp_path: Path, realdata: Path) -> None:
    packed = realdata.parent / "wild" / "experiment.tar.xz"
    if not packed.is_file():
        pytest.skip("no earlier experiment here")
    with tarfile.open(packed) as file:
        file.extractall(tmp_path, filter="data")
    (folder,) = tmp_path.iterdir()
    definition = read_definition(folder)
    runs = list(read_runs(folder))
    assert {run.system for run in runs} <= definition.systems.keys()
    assert all(read_evidence(folder / "runs" / run.system / f"{run.query_id}-r{run.repeat}") for run in runs)
