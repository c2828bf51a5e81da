import json
import subprocess
import sys
from pathlib import Path

import pytest

from drretail.cli.app import COMMANDS
from tests.cli.commands import ROOT, Command, sentence

HEAVY = [
    "anthropic", "duckdb", "langchain", "langchain_core", "langgraph", "markdown_it", "numpy", "pydantic",
    "pydantic_settings", "scipy", "sqlite3", "starlette", "tantivy", "uvicorn",
]  # fmt: skip


HELPS = """
import os, sys
from drretail.cli.entry import main
for at, name in enumerate(["", *sys.argv[1:]]):
    sys.argv = ["drretail", *name.split(), "--help"]
    if at > 1 and os.fork():
        os.wait()
        continue
    try:
        main()
    except SystemExit:
        pass
    print("LOADED", *sys.modules, "END", flush=True)
    if at > 1:
        os._exit(0)
"""
"""Each command's help in a process forked from one that has printed the list of all, and the first command's help,
whose modules are those of most: to load them takes longer than all else.
"""


@pytest.fixture(scope="module")
def helps() -> dict[str, tuple[str, set[str]]]:
    """What ``drretail --help`` and each command's help print, and which modules are loaded then."""
    names = ["", *COMMANDS]
    command = [sys.executable, "-c", HELPS, *COMMANDS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    parts = [part.partition("LOADED") for part in done.stdout.split("END\n")[:-1]]
    return {name: (printed, set(loaded.split())) for name, (printed, _, loaded) in zip(names, parts, strict=True)}


def test_help_names_every_command_and_loads_nothing_heavy(helps: dict[str, tuple[str, set[str]]]) -> None:
    printed, loaded = helps[""]
    assert [name for name in COMMANDS if " " not in name and f"\n  {name} " not in printed] == []
    assert [name for name in HEAVY if name in loaded] == []


def test_a_command_s_help_says_what_the_list_says(helps: dict[str, tuple[str, set[str]]]) -> None:
    typers_own = {"markdown_it", "pydantic"}  # it draws the boxes with the one, and reads arguments with the other
    for name, entry in COMMANDS.items():
        printed, loaded = helps[name]
        assert " ".join(entry.summary.split()) in " ".join(printed.split()), name
        assert [each for each in HEAVY if each in loaded and each not in typers_own] == [], name


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, drretail; dir(drretail); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [name for name in [*HEAVY, "typer", "rich"] if name in done.stdout.split()] == []


def test_a_group_without_a_command_lists_all_of_its_commands(drretail: Command) -> None:
    listed = drretail("queries", COLUMNS="80").stderr
    assert [name for name in COMMANDS if name.startswith("queries ") and f"\n  {name[8:]} " not in listed] == []


def test_a_wrong_command_is_answered_with_the_nearest(drretail: Command) -> None:
    done = drretail("scor")
    assert (done.returncode, "Did you mean 'score'" in done.stderr) == (2, True)


MISTAKES: list[tuple[list[str], str]] = [
    (["ask", "Which feeder?", "--world", "nowhere"], "nowhere"),
    (["ask", "?", "--world", "w", "--model", "anthropic:claude-sonnet-5", "--to", "exp"], "ANTHROPIC_API_KEY"),
    (["ask", "Which feeder?", "--world", "w", "--model", "shopper"], "provider:model"),
    (["run", "--queries", "none.jsonl", "--world", "w", "--to", "exp"], "none.jsonl does not exist"),
    (["run", "--queries", "other.jsonl", "--world", "w", "--to", "exp"], "was made for the world ffffffffffff"),
    (["run", "--queries", "q.jsonl", "--world", "w", "--to", "exp", "--replay", "none"], "none does not exist"),
    (["ask", "Which feeder?", "--world", "w", "--prompts", "missing"], "There is no folder missing"),
    (["ask", "?", "--world", "w", "--agent", "react+ws", "--vary", "without=web"], "leave +ws out"),
    (["ask", "?", "--world", "w", "--agent", "ftp://x"], "is named MODULE:NAME, cmd:COMMAND or http://ADDRESS."),
    (["run", "--queries", "q.jsonl", "--world", "w", "--to", "exp", "--only", "0"], "--only 0: say how many"),
    (["world", "check", "."], "is not a world: it holds no file CURRENT"),
    (["ingest", "q.jsonl", "--world", "new"], "queries.jsonl"),
    (["tools", "calculator", "--format", "openai"], "name no tool"),
    (["tools", "calculator", "--args", '{"expression": "1"}', "--vary", "without=calculator"], "leaves out"),
    (["tools", "get_user_orders", "--user", "ada"], """Write --args '{"user_id": "ada"}'."""),
    (["tools", "calculator"], """Write --args '{"expression": "…"}'."""),
    (["run", "other.jsonl"], "Queries go with --queries."),
    (["run", "--queries", "page.html", "--world", "w", "--to", "exp"], "`drretail queries import`"),
    (["queries", "import", "page.html", "--to", "new.jsonl"], "questions are read from .txt"),
    (["queries", "shipped", "--to", "new.csv"], "ends in .jsonl"),
    (["compare", "exp", "--by", "size", "--by", "web"], "'--by' takes one value, but is given 2 times"),
]
"""What the user must fix, and what is said of it."""


def test_what_the_user_must_fix_is_one_sentence_and_2_and_nothing_is_left_behind(
    drretail: Command, shop: str, queries: str, tmp_path: Path
) -> None:
    (tmp_path / "page.html").write_text("<p>Which feeder?</p>\n", encoding="utf-8")
    line = {"query_id": "q1", "text": "Which?", "source": "s", "world_fingerprint": "f" * 64, "format": 1}
    (tmp_path / "other.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    before = {path.name for path in tmp_path.iterdir()}
    for args, message in MISTAKES:
        done = drretail(*(queries if arg == "q.jsonl" else arg for arg in args))
        assert message in sentence(done), args
        assert done.stdout == "", args
        assert {path.name for path in tmp_path.iterdir()} == before, args
