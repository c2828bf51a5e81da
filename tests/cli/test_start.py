"""What a help, ``ask``, ``run`` and ``score`` load; ``benchmarks/start.py`` prints seconds. Tests cli/."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from drretail.cli.app import COMMANDS
from tests.cli.commands import MAINS, ROOT, Command, environment

MODULES = f"""{MAINS}
    print("\\nLOADED", *sys.modules, "END", flush=True)
"""
HEAVY = [
    "anthropic", "duckdb", "langchain", "langchain_core", "langgraph", "markdown_it", "numpy", "pydantic",
    "pydantic_settings", "scipy", "sqlite3", "starlette", "tantivy", "uvicorn",
]  # fmt: skip
NEVER = [
    "anthropic", "babel", "duckdb", "elasticsearch", "httpcore2", "jinja2", "langchain", "lxml", "mcp",
    "openai", "pandas", "protego", "pymongo", "scipy.stats", "starlette", "trafilatura",
    "drretail.data_ingest.plan", "drretail.env.copying", "genai_prices",
    "drretail.viewer.experiment", "drretail.viewer.page",
]  # fmt: skip
"""Clients of other providers and servers, what reads raw files and web pages, and what makes pages of results."""
JUDGING = [
    "drretail.eval.claims", "drretail.eval.judging", "drretail.eval.registry", "drretail.eval.numbers",
    "drretail.records.score", "drretail.viewer.sections", "scipy",
]  # fmt: skip
ALONE = ["drretail.env.folder", "drretail.env.gold", "drretail.env.offers", "drretail.stats", "numpy"]
"""What only floors, the oracle and several systems need."""


def printed_and_loaded(folder: Path, *commands: str) -> list[tuple[str, set[str]]]:
    """What each command prints, and the modules that are loaded when it has ended; they follow each other in one
    process.
    """
    done = subprocess.run(
        [sys.executable, "-c", MODULES, json.dumps([shlex.split(command) for command in commands])],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    parts = [part.partition("\nLOADED ") for part in done.stdout.split(" END\n")[:-1]]
    return [(printed, {*modules.split()}) for printed, _, modules in parts]


def test_no_help_loads_anything_heavy_and_a_commands_says_what_the_list_says(tmp_path: Path) -> None:
    (listed, loaded), *helps = printed_and_loaded(tmp_path, "--help", *(f"{name} --help" for name in COMMANDS))
    assert [name for name in COMMANDS if " " not in name and f"\n  {name} " not in listed] == []
    assert [name for name in HEAVY if name in loaded] == []
    typers_own = {"markdown_it", "pydantic"}  # it draws the boxes with the one, and reads arguments with the other
    for (name, entry), (printed, loaded) in zip(COMMANDS.items(), helps, strict=True):
        assert " ".join(entry.summary.split()) in " ".join(printed.split()), name
        assert [each for each in HEAVY if each in loaded and each not in typers_own] == [], name


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, drretail; dir(drretail); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert [name for name in [*HEAVY, "typer", "rich"] if name in done.stdout.split()] == []


ABSENT = {
    "ask 'Which bird feeder?' --world w --agent null_search": [*NEVER, *JUDGING, *ALONE, "langgraph"],
    "ask 'Which bird feeder?' --world w": [*NEVER, *JUDGING, *ALONE],
    "run --queries queries.jsonl --world w --to exp --only q1 --no-floors": [*NEVER, *JUDGING, "numpy"],
}
"""Each may load what those before it may, and more."""


@pytest.mark.usefixtures("shop", "queries")
def test_agents_work_without_what_judges_them(tmp_path: Path) -> None:
    for (command, absent), (_, loaded) in zip(ABSENT.items(), printed_and_loaded(tmp_path, *ABSENT), strict=True):
        assert "drretail.agents.running.runner" in loaded
        assert [name for name in absent if name in loaded] == [], command


def test_score_loads_no_agents_and_no_pages(drretail: Command, shop: str, queries: str, tmp_path: Path) -> None:
    assert drretail("run", "--queries", queries, "--world", shop, "--to", "exp", "--only", "q1").returncode == 0
    ((_, loaded),) = printed_and_loaded(tmp_path, "score exp --quiet")
    assert "drretail.eval.scoring" in loaded
    quoted = {"drretail.viewer.experiment", "drretail.viewer.page"}  # the board quotes what to look at first
    absent = {*NEVER, "langgraph", "drretail.agents.registry"} - quoted
    assert [name for name in absent if name in loaded] == []
