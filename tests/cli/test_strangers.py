"""What a stranger's files name is no code, unless it is asked to run: each file by each command. Tests
api/settings.py, api/options/experiment_file.py and plugins.py.
"""

import json
import shutil
from pathlib import Path

import pytest

from drretail.plugins import code_in
from tests.cli.commands import Command

MINE = """
from drretail import Agent, Answer, Condition, metric
from drretail.env.web.sandbox import open_sandbox as WEB

def answer(question):
    return "No feeder fits.\\n\\n```picks\\n```"

def model():
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    return FakeListChatModel(responses=["No feeder fits."])

@metric
def words(run):
    return len(run.report.split())

HURRY = Condition(name="hurry", about="how much time", default="no", values=("no", "yes"))
"""
TRIPWIRE = 'import pathlib; pathlib.Path(__file__).with_name("ran").write_text("")'
SETTINGS = {
    "drretail.toml's model": 'model = "mine:model:x"',
    "drretail.toml's web": 'web = "mine:WEB"',
    "drretail.toml's judge": 'model_profile = "p"\n[profiles.p]\nmodel = "openai:x"\njudges = [{model = "mine:m:x"}]',
}
OPTIONS = (
    'agents = ["mine:answer"]',
    'agents = "cmd:./mine.py"',
    'model = {report = "mine:model:x"}',
    'web = "mine:WEB"',
    'vary = {"mine:HURRY" = "yes"}',
)
COMMANDS = (
    "run {options} --estimate",
    "run {options}",
    "report exp",
    "report exp --format csv",
    "report exp --format paper",
    "compare exp react@offline-shopper mine",
    "compare exp --by hurry",
    "verify exp",
    "score exp",
    "score exp --estimate",
    "score exp --metrics words --judge offline:judge",
    "export exp --format chat --to out.jsonl",
    "lab power exp",
)


@pytest.fixture
def stranger(tmp_path: Path, shop: str, queries: str, succeeds: Command) -> Path:
    """A folder of somebody who has an agent, a web, a condition and a metric of their own: the code is a tripwire."""
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    flags = ("--agent", "mine=mine:answer", "--agent", "react", "--web", "mine:WEB", "--vary", "mine:HURRY=no,yes")
    succeeds("run", "--world", shop, "--queries", queries, *flags, "--to", "exp", "--no-floors", "--quiet")
    succeeds("score", "exp", "--metrics", "checks,mine:words", "--quiet")
    shutil.copytree(tmp_path / "exp/verdicts/checks", tmp_path / "exp/verdicts/mine:words")
    (tmp_path / "mine.py").write_text(f"#!/usr/bin/env python3\n{TRIPWIRE}\n", encoding="utf-8")
    (tmp_path / "mine.py").chmod(0o755)
    return tmp_path


def test_no_file_of_a_strangers_folder_is_imported_by_any_command(stranger: Path, drretail: Command) -> None:
    kept = next((stranger / "exp" / "options").iterdir()).relative_to(stranger)
    files = {"the experiment": "", **SETTINGS}
    for name, settings in files.items():
        (stranger / "drretail.toml").write_text(settings, encoding="utf-8")
        for command in COMMANDS:
            done = drretail(*command.format(options=kept).split(), "--quiet")
            assert not (stranger / "ran").exists(), (name, command)
            # Nobody needs the code of a metric or an agent to read what was made with it.
            ends = (0,) if not settings and command.startswith("report") else (0, 2, 3)
            assert done.returncode in ends, (name, command, done.stderr)
    (stranger / "drretail.toml").unlink()
    for line in OPTIONS:
        (stranger / "given.toml").write_text(f'world = "w"\nqueries = "queries.jsonl"\n{line}', encoding="utf-8")
        for flags in ((), ("--estimate",)):
            done = drretail("run", "given.toml", "--to", "new", *flags)
            assert done.returncode == 2, line
            assert "given.toml names code or who is asked: " in done.stderr
            assert not (stranger / "ran").exists(), line
        assert "What runs or is asked, by given.toml" in drretail("run", "given.toml", "--to", "new", "--trust").stderr
        assert (stranger / "ran").exists(), line
        (stranger / "ran").unlink()


def test_what_the_command_line_names_runs_in_the_place_of_the_files(stranger: Path, succeeds: Command) -> None:
    (stranger / "mine.py").write_text(MINE, encoding="utf-8")
    (stranger / "given.toml").write_text(
        'world = "w"\nqueries = "queries.jsonl"\nagents = ["other:answer"]', encoding="utf-8"
    )
    done = succeeds("run", "given.toml", "--agent", "mine:answer", "--to", "new", "--no-floors", "--quiet", "--json")
    assert json.loads(done.stdout)["systems"]


def test_a_module_that_is_not_there_yet_is_code() -> None:
    code = ["json:loads", "os.path:join", "my-agent:run", ".here:x", "later:x"]
    assert code_in(["react", "openai:gpt-5", *code], ["openai"]) == code
