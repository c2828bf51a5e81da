"""What ``ask``, ``run`` and ``score`` load by the time that they have ended: what none of them needs makes them start
later. Modules are looked at, and not seconds, which depend on the machine (``benchmarks/start.py`` prints those).
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import MAINS, Command, environment

MODULES = f"""{MAINS}
    print("\\nLOADED", *sys.modules)
"""
NEVER = [
    "anthropic", "babel", "duckdb", "elasticsearch", "httpcore2", "jinja2", "langchain", "lxml", "mcp",
    "openai", "pandas", "protego", "pymongo", "scipy.stats", "starlette", "trafilatura",
    "drretail.data_ingest.plan", "drretail.env.copying", "drretail.llm.batches", "genai_prices",
    "drretail.viewer.experiment", "drretail.viewer.page", "drretail.viewer.plots",
]  # fmt: skip
"""Clients of other providers and servers, what reads raw files and web pages, and what makes pages of results."""
JUDGING = [
    "drretail.eval.claims", "drretail.eval.judging", "drretail.eval.registry", "drretail.eval.scores",
    "drretail.records.score", "drretail.viewer.sections", "scipy",
]  # fmt: skip
ALONE = ["drretail.env.folder", "drretail.env.gold", "drretail.env.offers", "drretail.stats", "numpy"]
"""What only floors, the oracle and several systems need."""


def loaded_by(folder: Path, *commands: str) -> list[set[str]]:
    """The modules that are loaded when each of the commands has ended, which follow each other in one process."""
    done = subprocess.run(
        [sys.executable, "-c", MODULES, json.dumps([shlex.split(command) for command in commands])],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("LOADED ")]
    return [{*modules} for _, *modules in lines]


ABSENT = {
    "ask 'Which bird feeder?' --world w --agent null_search": [*NEVER, *JUDGING, *ALONE, "langgraph"],
    "ask 'Which bird feeder?' --world w": [*NEVER, *JUDGING, *ALONE],
    "run --queries queries.jsonl --world w --to exp --only q1 --no-floors": [*NEVER, *JUDGING, "numpy"],
}
"""Each may load what those before it may, and more."""


@pytest.mark.usefixtures("shop", "queries")
def test_agents_work_without_what_judges_them(tmp_path: Path) -> None:
    for (command, absent), loaded in zip(ABSENT.items(), loaded_by(tmp_path, *ABSENT), strict=True):
        assert "drretail.agents.running.runner" in loaded
        assert [name for name in absent if name in loaded] == [], command


def test_score_loads_no_agents_and_no_pages(drretail: Command, shop: str, queries: str, tmp_path: Path) -> None:
    assert drretail("run", "--queries", queries, "--world", shop, "--to", "exp", "--only", "q1").returncode == 0
    (loaded,) = loaded_by(tmp_path, "score exp --quiet")
    assert "drretail.eval.scoring" in loaded
    quoted = {"drretail.viewer.experiment", "drretail.viewer.page"}  # the board quotes what to look at first
    absent = {*NEVER, "langgraph", "drretail.agents.registry"} - quoted
    assert [name for name in absent if name in loaded] == []
