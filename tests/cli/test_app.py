"""Groups of commands, and what the user must fix. Also tests result.py.
result_command: --estimate and --json: tests/cli/test_money.py.
"""

import json
from pathlib import Path

from drretail.cli.app import COMMANDS
from tests.cli.commands import Command, sentence


def test_a_group_without_a_command_lists_all_of_its_commands(drretail: Command) -> None:
    listed = drretail("queries", COLUMNS="80").stderr
    assert [name for name in COMMANDS if name.startswith("queries ") and f"\n  {name[8:]} " not in listed] == []


MISTAKES: list[tuple[list[str], str]] = [
    (["scor"], "Did you mean 'score'"),
    (["ask", "Which feeder?", "--world", "nowhere"], "nowhere"),
    (["ask", "?", "--world", "w", "--model", "anthropic:claude-sonnet-5", "--to", "exp"], "ANTHROPIC_API_KEY"),
    (["run", "--queries", "q.jsonl", "--world", "w"], "Name the folder of the experiment: --to EXP."),
    (["run", "--queries", "none.jsonl", "--world", "w", "--to", "exp"], "none.jsonl does not exist"),
    (["run", "--queries", "other.jsonl", "--world", "w", "--to", "exp"], "was made for the world ffffffffffff"),
    (["ask", "Which feeder?", "--world", "w", "--prompts", "missing"], "There is no folder missing"),
    (["ask", "?", "--world", "w", "--agent", "react+ws", "--vary", "without=web"], "leave +ws out"),
    (["run", "--queries", "q.jsonl", "--world", "w", "--to", "exp", "--only", "0"], "--only 0: say how many"),
    (["world", "check", "."], "is not a world: it holds no file CURRENT"),
    (["ingest", "q.jsonl", "--world", "new"], "queries.jsonl"),
    (["tools", "calculator", "--args", '{"expression": "1"}', "--vary", "without=calculator"], "leaves out"),
    (["tools", "get_user_orders", "--user", "ada"], """Write --args '{"user_id": "ada"}'."""),
    (["run", "other.jsonl"], "Queries go with --queries."),
    (["run", "--queries", "page.html", "--world", "w", "--to", "exp"], "`drretail queries import`"),
    (["queries", "import", "page.html", "--to", "new.jsonl"], "questions are read from .txt"),
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
