import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Command

HEAVY = [
    "anthropic", "duckdb", "faker", "langchain", "langchain_core", "langgraph", "numpy", "pydantic_settings", "tantivy",
]  # fmt: skip
COMMANDS = ["demo", "synth", "ingest", "world", "tools", "queries", "ask", "run"]


def test_help_names_every_command_and_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom drretail.cli.app import app\n"
        "result = CliRunner().invoke(app, ['--help'])\nassert result.exit_code == 0\nprint(result.output)\n"
        f"print('HEAVY', [name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("HEAVY []")
    assert [name for name in COMMANDS if name not in done.stdout] == []


def test_the_version_is_the_packages(drretail: Command) -> None:
    from drretail import __version__

    assert drretail("--version").stdout.strip() == f"drretail {__version__}"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["ask", "Which feeder?", "--world", "nowhere"], "nowhere"),
        (["ask", "Which feeder?", "--world", "w", "--user", "NOBODY"], "no user 'NOBODY'"),
        (["ask", "Which feeder?", "--world", "w", "--agent", "reakt"], "Did you mean react"),
        (["ask", "Which feeder?", "--world", "w", "--model", "antropic:claude-sonnet-5"], "anthropic"),
        (["ask", "Which feeder?", "--world", "w", "--model", "anthropic:claude-sonnet-5"], "ANTHROPIC_API_KEY"),
        (["ask", "Which feeder?", "--world", "w", "--model", "shopper"], "provider:model"),
        (["ask", "Which feeder?", "--world", "w", "--model", "cook=offline:shopper"], "no role 'cook'"),
        (["run", "--queries", "none.jsonl", "--world", "w", "--to", "exp"], "none.jsonl does not exist"),
        (["run", "--queries", "q.jsonl", "--world", "w", "--to", "exp", "--replay", "none"], "none/experiment.json"),
        (["tools", "calculator", "--args", '{"expression": "9**9**9"}', "--world", "w"], "too large"),
        (["tools", "bake_cake", "--args", "{}", "--world", "w"], "bake_cake"),
        (["tools", "calculator", "--args", "{expression}", "--world", "w"], "JSON"),
        (["world", "info", "nowhere"], "nowhere"),
        (["ingest", "nothing-here", "--world", "new"], "nothing-here"),
        (["queries", "generate", "--world", "w", "--user", "NOBODY", "--to", "new.jsonl"], "NOBODY"),
    ],
)  # fmt: skip
def test_what_the_user_must_fix_is_one_sentence_and_exit_code_2(
    drretail: Command, shop: str, queries: str, tmp_path_factory: pytest.TempPathFactory, args: list[str], said: str
) -> None:
    fixed = [queries if arg == "q.jsonl" else arg for arg in args]
    done = drretail(*fixed)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ")
    assert done.stdout == ""


def test_nothing_is_left_behind_by_what_was_refused(drretail: Command, shop: str, queries: str, tmp_path: Path) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    for args in (
        ["ask", "Which feeder?", "--world", shop, "--model", "anthropic:claude-sonnet-5", "--to", "exp"],
        ["run", "--queries", queries, "--world", shop, "--to", "exp", "--replay", "none"],
        ["ingest", queries, "--world", "new"],
    ):
        assert drretail(*args).returncode == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == before
