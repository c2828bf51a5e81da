"""``drretail try``: an agent that was changed stands beside its version before."""

import json
from pathlib import Path

import pytest

from drretail.querygen.shipped import shipped_queries
from tests.cli.commands import Command

QUERY = shipped_queries("dev")[0]


def test_an_agent_that_was_changed_stands_beside_its_version_before(
    drretail: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    agent = tmp_path / "mine.py"
    agent.write_text("def mine(question):\n    return 'Nothing.'\n", encoding="utf-8")
    assert drretail("try", "mine:mine", QUERY.query_id).returncode == 0
    agent.write_text("def mine(question):\n    raise ValueError('broken')\n", encoding="utf-8")
    changed = drretail("try", "mine:mine", QUERY.query_id, "--json")
    assert changed.returncode == 3
    told = json.loads(changed.stdout)
    assert (told["status"], told["before"]["status"]) == ("failed", "done")
    assert told["before"]["reward"]["why"] == "the report declares no picks"
