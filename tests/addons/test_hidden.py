"""The core without one add-on, or without all: its commands and the demo work, and others say what is missing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from drretail.cli.app import ADDONS, COMMANDS
from drretail.plugins import ADDONS as FOLDER
from tests.cli.commands import environment

NAMES = sorted(path.parent.name for path in FOLDER.glob("*/__init__.py"))
WITHOUT = """
import json, os, sys, tempfile
from importlib.machinery import PathFinder
from pathlib import Path

hidden, commands = json.loads(sys.argv[1]), json.loads(sys.argv[2])


class Hider:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("drretail.addons.") and name.split(".")[2] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Hider)
from drretail import plugins

seen = Path(tempfile.mkdtemp())
for path in plugins.ADDONS.glob("*/names.toml"):
    if path.parent.name not in hidden:
        (seen / path.parent.name).symlink_to(path.parent)
plugins.ADDONS = seen
from drretail.cli.entry import main

for command in commands:
    sys.argv = ["drretail", *command]
    try:
        main()
    except SystemExit as ended:
        print("ENDED", ended.code or 0, flush=True)
"""
"""Commands one after the other in a process in which add-ons can't be imported and list no names."""


def without(hidden: list[str], *commands: str, home: Path) -> subprocess.CompletedProcess[str]:
    given = [json.dumps(hidden), json.dumps([command.split() for command in commands])]
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, *given], cwd=home, env=environment(home), capture_output=True, text=True
    )


@pytest.mark.parametrize("hidden", NAMES)
def test_without_an_add_on_its_commands_say_what_is_missing_and_all_others_have_their_help(
    hidden: str, tmp_path: Path
) -> None:
    gone = [name for name, addon in ADDONS.items() if addon == hidden]
    kept = [name for name in COMMANDS if not any(f"{name} ".startswith(f"{each} ") for each in gone)]
    done = without([hidden], "--help", *(f"{name} --help" for name in kept), *gone, home=tmp_path)
    assert [line for line in done.stdout.splitlines() if line.startswith("ENDED")] == [
        *["ENDED 0"] * (1 + len(kept)),
        *["ENDED 2"] * len(gone),
    ], done.stderr
    assert " ".join(done.stderr.split()) == " ".join(
        f"Error: `drretail {name}` needs the add-on {hidden}, which is not installed here." for name in gone
    )


ONE_EACH = [pytest.param([name], id=name, marks=pytest.mark.slow) for name in NAMES]


@pytest.mark.parametrize("hidden", [pytest.param(NAMES, id="all"), *ONE_EACH])
def test_without_add_ons_the_demo_is_made_and_verified(hidden: list[str], tmp_path: Path) -> None:
    done = without(hidden, "demo", "report drretail-demo/recorded --format text", home=tmp_path)
    assert done.stdout.count("ENDED 0") == 2, done.stdout + done.stderr
    assert any(tmp_path.rglob("report.html"))


def test_each_command_of_an_add_on_is_known_to_the_core() -> None:
    core = {name for name, entry in COMMANDS.items() if ".addons." not in entry.function}
    added = {name for name in COMMANDS if name not in core} | {name.split()[0] for name in COMMANDS if name not in core}
    assert {name for name in added if name not in ADDONS and name.split()[0] not in ADDONS} <= core
