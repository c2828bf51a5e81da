"""Every tutorial is followed: its files are written, its commands run, and what it shows of their output is there."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import Command

TUTORIALS = Path(__file__).parents[1] / "docs" / "tutorials"
BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)

pytestmark = pytest.mark.slow  # some thirty commands


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command with the lines that are shown of its output."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        yield command, shown


def in_one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("path", sorted(TUTORIALS.glob("*.md")), ids=lambda path: path.stem)
def test_a_tutorial_can_be_followed(path: Path, tmp_path: Path, drretail: Command) -> None:
    followed = 0
    for block in BLOCK.finditer(path.read_text(encoding="utf-8")):
        if block["file"]:
            file = tmp_path / block["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block["text"], encoding="utf-8")
        elif block["kind"] == "console":
            for command, shown in commands(block["text"]):
                name, *arguments = shlex.split(command)
                assert name == "drretail"
                done = drretail(*arguments)
                assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
                printed = in_one_line(done.stdout)
                missing = [line for line in shown if in_one_line(line) not in printed]
                assert not missing, f"{command} does not print {missing}:\n{done.stdout}"
                followed += 1
    assert followed > 2
