"""The core without one add-on: its commands load, and others say what is missing. The demo does without all."""

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
import gc, json, os, sys
from importlib import import_module
from pathlib import Path

from drretail import plugins

for path in (plugins.ADDONS.parent / "api" / "options").glob("[!_]*.py"):
    import_module(f"drretail.api.options.{path.stem}")


class Hider:
    hidden = ()

    def find_spec(self, name, path=None, target=None):
        if name.startswith("drretail.addons.") and name.split(".")[2] in self.hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def run(folder, hidden, commands):
    Hider.hidden = hidden
    for stream, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_WRONLY | os.O_CREAT), stream)
    seen = folder / "seen"
    seen.mkdir()
    for path in plugins.ADDONS.glob("*/names.toml"):
        if path.parent.name not in hidden:
            (seen / path.parent.name).symlink_to(path.parent)
    plugins.ADDONS = seen
    from drretail.cli.app import COMMANDS, command_of
    from drretail.cli.entry import main

    for entry in COMMANDS.values():
        if entry.function:
            command_of(entry)
    print("LOADED", json.dumps([*COMMANDS]), flush=True)
    for command in commands:
        sys.argv = ["drretail", *command.split()]
        try:
            main()
        except SystemExit as ended:
            print("ENDED", ended.code or 0, flush=True)


sys.meta_path.insert(0, Hider())
gc.freeze()
for folder, (hidden, commands) in json.load(sys.stdin).items():
    if not os.fork():
        run(Path(folder), hidden, commands)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
    os.wait()
"""
"""Loads all commands and runs some where add-ons can't be imported and list no names.

Each time in a process forked from one that has loaded what the core's commands share, their options, and neither
add-ons nor commands. It takes nothing apart at its end: that would copy all that was loaded.
"""


def gone_with(hidden: str) -> list[str]:
    return [name for name, addon in ADDONS.items() if addon == hidden]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What was printed, in a folder for each add-on that was hidden."""
    home = tmp_path_factory.mktemp("hidden")
    given = {name: ([name], ["--help", *gone_with(name)]) for name in NAMES}
    for name in given:
        (home / name).mkdir()
    subprocess.run(
        [sys.executable, "-c", WITHOUT], cwd=home, env=environment(home), input=json.dumps(given), text=True, check=True
    )
    return home


def lines_of(folder: Path, word: str) -> list[str]:
    """What follows the word in the lines that begin with it."""
    lines = (folder / "stdout").read_text("utf-8").splitlines()
    return [line.removeprefix(word).strip() for line in lines if line.startswith(word)]


@pytest.mark.parametrize("hidden", NAMES)
def test_without_an_add_on_its_commands_say_what_is_missing_and_all_others_load(hidden: str, ended: Path) -> None:
    gone, folder = gone_with(hidden), ended / hidden
    said = (folder / "stderr").read_text("utf-8")
    kept = [name for name in COMMANDS if not any(f"{name} ".startswith(f"{each} ") for each in gone)]
    assert [json.loads(names) for names in lines_of(folder, "LOADED")] == [kept], said
    assert lines_of(folder, "ENDED") == ["0", *["2"] * len(gone)], said
    assert " ".join(said.split()) == " ".join(
        f"Error: `drretail {name}` needs the add-on {hidden}, which is not installed here." for name in gone
    )


def test_each_command_of_an_add_on_is_known_to_the_core() -> None:
    core = {name for name, entry in COMMANDS.items() if ".addons." not in entry.function}
    added = {name for name in COMMANDS if name not in core} | {name.split()[0] for name in COMMANDS if name not in core}
    assert {name for name in added if name not in ADDONS and name.split()[0] not in ADDONS} <= core
