"""The core without its add-ons: its commands load, and others say what is missing. Tests cli/app.py."""

import json
import subprocess
import sys
from pathlib import Path

from drretail.cli.app import ADDONS, COMMANDS
from tests.cli.commands import environment

WITHOUT = """
import json, sys
from pathlib import Path

from drretail import plugins


class Hider:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("drretail.addons."):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Hider())
plugins.ADDONS = Path("none")
from drretail.cli.app import COMMANDS, command_of
from drretail.cli.entry import main

for entry in COMMANDS.values():
    if entry.function:
        command_of(entry)
print("LOADED", json.dumps([*COMMANDS]), flush=True)
for command in json.load(sys.stdin):
    sys.argv = ["drretail", *command.split()]
    try:
        main()
    except SystemExit as ended:
        print("ENDED", ended.code or 0, flush=True)
"""
"""Loads all commands and runs those on stdin where no add-on can be imported, and none lists its names."""


def test_without_add_ons_their_commands_say_which_is_missing_and_all_others_load(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT], cwd=tmp_path, env=environment(tmp_path), input=json.dumps(["--help", *ADDONS]),
        text=True, capture_output=True, check=True,
    )  # fmt: skip
    loaded, *ended = [line for line in done.stdout.splitlines() if line.startswith(("LOADED ", "ENDED "))]
    kept = [name for name in COMMANDS if not any(f"{name} ".startswith(f"{addon} ") for addon in ADDONS)]
    assert json.loads(loaded.removeprefix("LOADED ")) == kept
    assert ended == ["ENDED 0", *["ENDED 2"] * len(ADDONS)]
    assert " ".join(done.stderr.split()) == " ".join(
        f"Error: `drretail {name}` needs the add-on {addon}, which is not installed here."
        for name, addon in ADDONS.items()
    )


def test_each_command_of_an_add_on_is_known_to_the_core() -> None:
    core = {name for name, entry in COMMANDS.items() if ".addons." not in entry.function}
    added = {name for name in COMMANDS if name not in core} | {name.split()[0] for name in COMMANDS if name not in core}
    assert {name for name in added if name not in ADDONS and name.split()[0] not in ADDONS} <= core
