"""Of several writers of a folder there is one at a time. locked_file: tests/eval/test_ballots.py."""

import multiprocessing
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from drretail.errors import UserError
from drretail.locks import LOCK, locked_folder

HOLD = """
import os, sys
from pathlib import Path
from drretail.locks import locked_folder
with locked_folder(Path(sys.argv[1])):
    print(flush=True)
"""


def test_a_second_writer_is_told_which_process_writes(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", f"{HOLD}    sys.stdin.read()", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        refused = rf"writing the shop \(process {holder.pid}, since .* UTC\): wait"
        with pytest.raises(UserError, match=refused), locked_folder(tmp_path, "the shop"):
            pass
    finally:
        holder.communicate()


def test_the_lock_of_a_killed_process_is_free_and_one_that_was_given_back_leaves_nothing(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", f"{HOLD}    os.kill(os.getpid(), 9)", str(tmp_path)])
    assert (tmp_path / LOCK).exists()
    with locked_folder(tmp_path, "the shop"):
        assert (tmp_path / LOCK).read_text().startswith(f"{os.getpid()} ")
    assert list(tmp_path.iterdir()) == []


def _count(folder: Path, rounds: int) -> None:
    for _ in range(rounds):
        while True:
            with suppress(UserError), locked_folder(folder, "the count"):
                number = int((folder / "count").read_text())
                (folder / "count").write_text(str(number + 1))
                break


def test_of_many_writers_there_is_one_at_a_time(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    with multiprocessing.get_context("spawn").Pool(3) as processes:
        processes.starmap_async(_count, [(tmp_path, 100)] * 3, chunksize=1).get(60)
    assert (tmp_path / "count").read_text() == "300"
