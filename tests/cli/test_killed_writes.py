"""Every command that makes a folder, killed as it writes one of its files, and given once more."""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from drretail.env.manifest import TRANSIENT
from drretail.env.world import world_at
from drretail.experiments.run_file import JOURNAL, RUN_FILE, read_telemetry
from drretail.files import write_lines
from drretail.records.query import Query
from drretail.records.shop import Money
from drretail.records.wish import Want, Wish
from tests.build import files
from tests.cli.commands import environment
from tests.cli.forked import ForkServer, dies_at
from tests.cli.in_process import run_here
from tests.run_files import lasting
from tests.shop import USER, build_shop

COMMANDS: Mapping[str, str] = {
    "synth": "synth --to made --products 8 --reviews 20",
    "ingest": "ingest raw --world made",
    "world copy": "world copy w made",
    "run": "run --world w --queries q.jsonl --agent react --no-floors --to made",
    "score": "score exp --metrics checks --metrics faithfulness --metrics process",
    "report": "report exp --split",
}
OTHERWISE = re.compile(r"accepted\.json|.*journal\.jsonl(?:\.gz)?|.*\.sqlite|SHA256SUMS|manifest\.json")
"""Files with times, or of their hashes, and those whose bytes hang on how they were written."""


def shop_and_questions(home: Path) -> None:
    """A shop, and two questions."""
    with world_at(build_shop(home / "w")) as world:
        fingerprint = world.manifest.fingerprint
    wants = [("bird feeder", "30"), ("bird bath", "60")]
    queries = [
        Query(query_id=f"q{at}", user_id=USER, text=f"A {kind} for at most ${budget}.", world_fingerprint=fingerprint,
              wish=Wish(wants=(Want(name=kind, kinds=(kind,)),), budget=Money.of(int(budget))), source="t")
        for at, (kind, budget) in enumerate(wants)
    ]  # fmt: skip
    write_lines(home / "q.jsonl", (query.as_line() for query in queries))


def made_by(home: Path, *commands: str) -> None:
    for command in commands:
        ended = run_here(tuple(command.split()), home, environment(home))
        assert ended.returncode == 0, ended.stderr


RAW = "synth --to raw --products 60 --reviews 900 --category Pet_Supplies --category Office_Products"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Raw rows, a shop, questions, and an experiment that is scored."""
    home = tmp_path_factory.mktemp("home")
    shop_and_questions(home)
    run = "run --world w --queries q.jsonl --agent react --no-floors --to exp"
    made_by(home, RAW, run, "score exp --metrics faithfulness --metrics checks")
    return home


MOMENTS = pytest.mark.parametrize(
    "moments", [(1 / 2,), pytest.param((1 / 6, 5 / 6), marks=pytest.mark.slow)], ids=["half-way", "early and late"]
)
"""Shares of a command's writes after which it is killed."""


@MOMENTS
@pytest.mark.parametrize("name", COMMANDS)
def test_given_again_a_killed_command_ends_like_one_that_was_not(
    home: Path, tmp_path: Path, fork_server: ForkServer, name: str, moments: Sequence[float]
) -> None:
    ends_alike(COMMANDS[name], home, tmp_path, fork_server, moments)


def ends_alike(command: str, home: Path, tmp_path: Path, fork_server: ForkServer, moments: Sequence[float]) -> None:
    """Gives the command in copies of ``home``: killed at some of its writes, and once more; and undisturbed."""

    def run(folder: Path, dies: int) -> tuple[int, str]:
        ended = fork_server.run(tuple(command.split()), folder, environment(folder, **dies_at(dies)))
        return ended.returncode, ended.stderr

    whole = shutil.copytree(home, tmp_path / "whole")
    code, told = run(whole, 0)
    assert code == 0, told
    writes = int(told.split()[-1])
    for number in sorted({round(writes * moment + 0.5) for moment in moments}):
        cut = shutil.copytree(home, tmp_path / f"cut-{number}")
        code, told = run(cut, number)
        assert code == -9, told
        held = _under_way(cut)
        code, told = run(cut, 0)
        assert code == 0, f"write {number} of {writes}: {told}"
        assert _contents(cut) == _contents(whole), f"write {number} of {writes}"
        assert {path: read_telemetry(path)["served_from_journal"] for path in held} == held
        shutil.rmtree(cut)


def _under_way(folder: Path) -> dict[Path, int]:
    """By the file that a cut run will have: the answers that its journal holds whole, which need not be asked again."""
    journals = {
        path.with_name(path.name.removesuffix(JOURNAL) + RUN_FILE): path for path in folder.glob(f"*/runs/*/*{JOURNAL}")
    }
    lines = {path: journal.read_bytes().split(b"\n")[:-1] for path, journal in journals.items() if not path.exists()}
    return {path: sum("part" not in json.loads(line) for line in own) for path, own in lines.items()}


def _contents(folder: Path) -> dict[str, Any]:
    """The files by their paths, without the bytes of some; without those of an index, which are named by lot, and
    readers'.
    """
    found = {name: data for name, data in files(folder).items() if "/index/" not in name}
    found = {name: data for name, data in found.items() if not name.endswith(TRANSIENT)}
    runs = {name: lasting(folder / name) for name in found if "/runs/" in name}
    return {name: b"" if OTHERWISE.fullmatch(Path(name).name) else data for name, data in found.items()} | runs
