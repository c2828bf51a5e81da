import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import MAIN, Command, environment

OF_ITS_TIME = {"telemetry.json", "SHA256SUMS"}
"""What tells when something was made, and sums of files that do."""


def files(folder: Path) -> dict[str, bytes]:
    """All that has to be the same wherever and whenever it is made, without the times at which raw files were."""
    return {
        str(path.relative_to(folder)): re.sub(rb'\s*"modified": [^\n]*', b"", path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in OF_ITS_TIME and "journal" not in path.name and "index" not in path.parts
    }


def test_the_demo_shows_the_whole_path_and_leaves_it(drretail: Command, tmp_path: Path) -> None:
    done = drretail("demo")
    assert done.returncode == 0, done.stderr
    demo = tmp_path / "drretail-demo"
    assert {path.name for path in demo.iterdir()} >= {"raw", "world", "queries.jsonl", "exp", "report.md"}
    assert done.stdout.startswith("# ")
    assert "http://ecommerce.com/" in done.stdout
    assert done.stderr.startswith("drretail demo: ")


def test_two_demos_are_the_same(drretail: Command, tmp_path: Path) -> None:
    names = ("one", "two", "one")
    outputs = [drretail("demo", "--to", name, "-q").stdout.replace(f"{name}/", "") for name in names]
    assert outputs[0] == outputs[1] == outputs[2]
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_the_demo_leaves_a_folder_with_other_files_alone(drretail: Command, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.md").write_text("precious", encoding="utf-8")
    done = drretail("demo", "--to", "mine")
    assert done.returncode == 2
    assert "not a demo's" in done.stderr
    assert files(tmp_path / "mine") == {"report.md": b"precious"}


@pytest.mark.parametrize("wait", [0.5, 0.9, 1.3])
def test_an_interrupted_demo_says_so_and_goes_on(drretail: Command, tmp_path: Path, wait: float) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "demo", "--to", "cut"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    time.sleep(wait)
    os.kill(process.pid, signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    if process.returncode != 0:  # a fast machine may have ended before
        assert process.returncode == 130, said
        assert "Interrupted: the same command goes on from here." in said
    drretail("demo", "--to", "cut", "-q")
    drretail("demo", "--to", "whole", "-q")
    assert files(tmp_path / "cut") == files(tmp_path / "whole")
