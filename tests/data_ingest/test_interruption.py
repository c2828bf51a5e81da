"""An ingest that is killed, stopped by the machine, or kept out by another costs nothing but time."""

import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import IngestSettings
from drretail.data_ingest.stages import making
from drretail.env.folder import check_world
from drretail.errors import UserError
from drretail.files import is_unfinished, locked_folder
from tests.cli.commands import Command
from tests.data_ingest.raw_rows import START, check_live, product_row, review_row, small_shop, write_lines
from tests.shop import build_shop

ROOT = Path(__file__).parents[2]
OPTIONS = IngestSettings(cap=200)
RUN = """
import resource, sys
from pathlib import Path
from drretail.data_ingest.ingest import ingest_files
from drretail.data_ingest.plan import IngestSettings
from drretail.errors import UserError
raw, world, workers, limit = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
options = IngestSettings.model_validate_json(sys.argv[5])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    print(ingest_files([raw], world, options, workers=workers, replace=True).fingerprint)
except UserError as problem:
    print(problem)
"""


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three categories, of which one has its reviews in two files, and products with reviews in another's file."""
    folder, draw = tmp_path_factory.mktemp("raw"), random.Random(8)

    def review(ids: list[str]) -> dict[str, Any]:
        user = f"A{draw.randrange(400)}"
        product = draw.choice(ids) if draw.random() < 0.9 else f"B{draw.randrange(3)}{draw.randrange(200):08d}"
        return review_row(user, product, START + draw.randrange(10**9))

    for place, name in enumerate(("Pet_Supplies", "Office_Products", "Baby_Products")):
        ids = [f"B{place}{number:08d}" for number in range(200)]
        write_lines(folder / f"meta_{name}.jsonl.gz", [product_row(product) for product in ids])
        for part in ("", "_2")[: 2 if place == 0 else 1]:
            rows = [review(ids) for _ in range(2000)]
            write_lines(folder / f"{name}{part}.jsonl.gz", [*rows, rows[0], "{cut"])
    return folder


@pytest.fixture(scope="module")
def uninterrupted(raw: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    fingerprint = ingest_files([raw], tmp_path_factory.mktemp("world") / "w", OPTIONS, workers=1).fingerprint
    assert fingerprint is not None
    return fingerprint


def start(raw: Path, world: Path, limit: int = 0, workers: int = 1) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", RUN, *map(str, (raw, world, workers, limit)), OPTIONS.model_dump_json()]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def finished_stages(world: Path) -> dict[str, float]:
    found = (path for path in (world / ".stages" / "duckdb").glob("[!.]*") if not is_unfinished(path))
    return {path.name: path.stat().st_mtime for path in found}


@pytest.mark.parametrize(
    ("moment", "workers"),
    [
        pytest.param(".stages/duckdb/merged-*", 2, marks=pytest.mark.slow),
        pytest.param(".stages/duckdb/*.part", 1, marks=pytest.mark.slow),
        pytest.param(".stages/duckdb/products-*", 2, marks=pytest.mark.slow),
        ("*.part/*/shop.sqlite", 1),
    ],
)
def test_a_killed_ingest_ends_as_any(raw: Path, tmp_path: Path, uninterrupted: str, moment: str, workers: int) -> None:
    world = tmp_path / "w"
    before = ingest_files([small_shop(tmp_path / "small")], world).fingerprint
    process = start(raw, world, workers=workers)
    while process.poll() is None and not any(world.glob(moment)):
        time.sleep(0.001)
    process.kill()
    assert process.wait() == -signal.SIGKILL, "it ended before it was killed"
    time.sleep(0.05)  # a worker notices that it is alone
    check_live(world, before)
    assert finished_stages(world) or moment.endswith((".part", "products-*"))
    assert ingest_files([raw], world, OPTIONS, workers=workers, replace=True).fingerprint == uninterrupted
    assert check_world(world) == []
    assert not (world / ".stages").exists()


def test_what_is_finished_is_not_done_again(raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("drretail.data_ingest.ingest.WORTH_KEEPING", 0)
    world = tmp_path / "w"

    def full(*_given: object, **_named: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("drretail.data_ingest.ingest.write_world", full)
        with pytest.raises(UserError, match="No space left"):
            ingest_files([raw], world, OPTIONS)
    before = finished_stages(world)
    stages = {"products", "reviews", "assigned", "selected", "merged", "rows"}
    assert {name.partition("-")[0] for name in before} == stages
    made: list[str] = []
    monkeypatch.setattr("drretail.data_ingest.engines.duckdb_reading.making", lambda p: made.append(p) or making(p))
    ingest_files([raw], world, OPTIONS)
    assert made == []
    assert not (world / ".stages").exists()


def test_stages_of_other_options_are_not_used(
    raw: Path, tmp_path: Path, uninterrupted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drretail.data_ingest.ingest.rmtree", lambda _folder, **_: None)
    prints = [
        ingest_files([raw], tmp_path / "w", options, replace=True).fingerprint
        for options in (OPTIONS.model_copy(update={"cap": 100}), OPTIONS.model_copy(update={"seed": "7"}), OPTIONS)
    ]
    assert len({*prints}) == 3
    assert prints[-1] == uninterrupted


# In a stage, and in the database: each meets the end of what may be written in another step.
@pytest.mark.parametrize("limit", [3_000, 400_000])
def test_a_file_that_may_not_grow_is_one_sentence_and_leaves_the_world_before_it(
    raw: Path, tmp_path: Path, limit: int
) -> None:
    before = ingest_files([small_shop(tmp_path / "small")], tmp_path / "w").fingerprint
    text, _ = start(raw, tmp_path / "w", limit=limit).communicate(timeout=280)
    (sentence,) = text.strip().splitlines()
    assert "could not be written" in sentence
    check_live(tmp_path / "w", before)


def test_a_vanished_input_is_told(raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small_shop(tmp_path / "raw")
    before = ingest_files([folder], tmp_path / "w").fingerprint
    link = folder / "Pet_Supplies_2.jsonl.gz"
    link.symlink_to(raw / "Pet_Supplies.jsonl.gz")
    from drretail.data_ingest import ingest as module

    plan_inputs = module.plan_inputs

    def plan_and_remove(*given: object) -> object:
        plan = plan_inputs(*given)  # pyright: ignore[reportArgumentType] -- passes through
        link.unlink()
        return plan

    monkeypatch.setattr(module, "plan_inputs", plan_and_remove)
    with pytest.raises(UserError, match=r"Pet_Supplies_2\.jsonl\.gz does not exist: check the name"):
        ingest_files([folder], tmp_path / "w", replace=True)
    check_live(tmp_path / "w", before)


WRITES = r"Error: Another process is writing .*: wait until it has ended\."


@pytest.mark.parametrize("command", [["ingest", "raw", "--world", "w"], ["world", "copy", "other", "w"]])
def test_the_second_touches_nothing_and_names_the_first(drretail: Command, tmp_path: Path, command: list[str]) -> None:
    small_shop(tmp_path / "raw")
    build_shop(tmp_path / "other")
    (tmp_path / "w" / ".stages").mkdir(parents=True)
    with locked_folder(tmp_path / "w", "the world"):
        ended = drretail(*command)
        assert ended.returncode == 2
        assert re.fullmatch(WRITES, ended.stderr.strip())
        assert re.search(r"\(process \d+, since ", ended.stderr)
        assert sorted(path.name for path in (tmp_path / "w").iterdir()) == [".lock", ".stages"]
