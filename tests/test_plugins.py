"""``module:attribute`` from the folder one stands in. is_module: tests/env/web/test_base.py."""

import os
import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

import drretail
from drretail.agents.registry import load_agent
from drretail.env.web.base import open_web
from drretail.errors import UserError
from drretail.eval.registry import load_metric
from drretail.llm.registry import build_model
from drretail.plugins import Plugins
from drretail.tools.registry import load_tool

SHOP = Path(__file__).parents[1] / "examples" / "plugin_package"
OWN = """
from drretail_corner_shop import agent, metric, model, tool, web
from drretail.agents.base import Agent
from own_words import WORD


class OwnAgent:
    pass


async def answer(task, session, models, limits):
    return agent.answer(task.text, None)


def open_chat():
    return CHAT


AGENT, METRIC, TOOL = Agent(answer, roles=()), metric.brevity, tool.OPENING_HOURS
WEB, open_own, CHAT = web.Board(), web.open_board, model.open_parrot(WORD, {})
NUMBER = 7
"""
LOADERS: dict[str, Callable[[str], object]] = {
    "agent": load_agent,
    "metric": load_metric,
    "web": open_web,
    "model": build_model,
    "tool": load_tool,
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """A folder of one's own with a module ``own`` in it, which Python does not look into by itself."""
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "own_words.py").write_text('WORD = "own"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)
    monkeypatch.setattr(sys, "path", [*sys.path, str(SHOP)])
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(("own", "broken", "drretail_corner_shop")):
            del sys.modules[name]


@pytest.mark.parametrize(
    "place", ["agent AGENT", "metric METRIC", "web WEB", "web open_own", "tool TOOL", "model CHAT", "model open_chat"]
)
def test_a_thing_of_one_s_own_is_found_where_one_stands(here: Path, place: str) -> None:
    kind, attribute = place.split()
    path = list(sys.path)
    assert LOADERS[kind](f"own:{attribute}") is not None
    assert LOADERS[kind](f"own:{attribute}") is not None
    assert sys.path == [*path, str(here)], "once, behind all others, for what it imports when it is called"


@pytest.mark.parametrize("kind", LOADERS)
def test_what_is_no_such_thing_is_told_what_it_should_be(here: Path, kind: str) -> None:
    for attribute, message in (
        ("OwnAgent", f"own:OwnAgent is not an? {kind} but a class: write OWNAGENT = OwnAgent"),
        ("NUMBER", f"own:NUMBER is not an? {kind} .its type is int.: make it a"),
        ("AGNET", r"the module has no 'AGNET'\. Did you mean AGENT"),
    ):
        with pytest.raises(UserError, match=message):
            LOADERS[kind](f"own:{attribute}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import json\nimport no_such_package\n", r"No module named 'no_such_package' .broken\.py, line 2"),
        ("A = 1\nB = A +\n", r"broken\.py, line 2"),
        ("\n\nA = nobody\n", r"broken\.py, line 3"),
        ("raise SystemExit(3)\n", r"SystemExit: 3 .broken\.py, line 1"),
    ],
)
def test_whatever_a_module_raises_is_one_sentence(here: Path, text: str, message: str) -> None:
    (here / "broken.py").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        load_agent("broken:AGENT")


def test_a_module_that_is_nowhere_names_where_it_was_looked_for(here: Path) -> None:
    with pytest.raises(UserError, match=f"there is no module 'nowhere'.*{here}"):
        Plugins("agent", {}, "drretail.none").load("nowhere.at.all:AGENT")


def test_a_file_here_is_not_taken_for_a_library_while_things_load(here: Path) -> None:
    """Run anew, for what a process has loaded already is not looked for again."""
    for name in ("random", "json", "httpx", "tomllib", "sqlite3", "yaml", "duckdb"):
        (here / f"{name}.py").write_text(f"open({name!r}, 'w').close()\nraise SystemExit(9)\n", encoding="utf-8")
    load = "load_agent('react'); load_agent('own:AGENT'); import duckdb"
    code = f"import sys; sys.path.remove(''); from drretail.agents.registry import load_agent; {load}"
    environ = {**os.environ, "PYTHONPATH": f"{Path(drretail.__file__).parents[1]}{os.pathsep}{SHOP}"}
    for arguments in (["-c", code], ["-m", "drretail", "queries", "--help"]):
        command = [sys.executable, *arguments]
        ended = subprocess.run(command, cwd=here, env=environ, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")
    assert not [path.name for path in here.iterdir() if not path.suffix and path.is_file()]
