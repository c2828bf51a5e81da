"""Two processes that write one place: one does, the other says who it is that does."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from drretail.data_ingest.synth.shop import write_shop
from drretail.env.checking import check_world
from drretail.locks import locked_folder
from tests.build import files
from tests.cli.commands import Command, Start
from tests.data_ingest.raw_rows import small_shop
from tests.shop import build_shop

WRITES = r"Error: Another process is writing .*: wait until it has ended\."
SEEDS = ("1", "2")
ATTEMPTS = [0, *(pytest.param(attempt, marks=pytest.mark.slow) for attempt in range(1, 5))]


def check_endings(ended: Sequence[subprocess.CompletedProcess[str]]) -> None:
    """One has written; the other has as well, when it came later, or says who does."""
    assert any(each.returncode == 0 for each in ended), ended
    for one in (each for each in ended if each.returncode):
        assert one.returncode == 2
        assert re.fullmatch(WRITES, one.stderr.strip())


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_of_two_ingests_one_makes_the_world(start: Start, tmp_path: Path, attempt: int) -> None:
    small_shop(tmp_path / "raw")
    started = [start("ingest", "raw", "--world", "w", "--quiet", "--seed", seed) for seed in SEEDS]
    check_endings([command.wait() for command in started])
    assert check_world(tmp_path / "w") == []
    assert not [path.name for path in (tmp_path / "w").iterdir() if path.name.startswith(".")]


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, bytes]]:
    """The files of a shop by each of two seeds."""
    folders = [tmp_path_factory.mktemp("shop") / "raw" for _ in SEEDS]
    for seed, folder in zip(SEEDS, folders, strict=True):
        write_shop(folder, products=40, reviews=2000, seed=seed)
    return [files(folder) for folder in folders]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_of_two_shops_into_one_folder_one_is_there_whole(
    start: Start, tmp_path: Path, wholes: list[dict[str, bytes]], attempt: int
) -> None:
    size = ["--products", "40", "--reviews", "2000"]
    started = [start("synth", "--to", "raw", *size, "--seed", seed) for seed in SEEDS]
    check_endings([command.wait() for command in started])
    assert files(tmp_path / "raw") in wholes


@pytest.mark.parametrize("command", [["ingest", "raw", "--world", "w"], ["world", "copy", "other", "w"]])
def test_the_second_touches_nothing_and_says_who_is_the_first(
    drretail: Command, tmp_path: Path, command: list[str]
) -> None:
    small_shop(tmp_path / "raw")
    build_shop(tmp_path / "other")
    (tmp_path / "w" / ".stages").mkdir(parents=True)
    with locked_folder(tmp_path / "w", "the world"):
        ended = drretail(*command)
        assert ended.returncode == 2
        assert re.fullmatch(WRITES, ended.stderr.strip())
        assert re.search(r"\(process \d+, since ", ended.stderr)
        assert sorted(path.name for path in (tmp_path / "w").iterdir()) == [".lock", ".stages"]
