"""``drretail try``: each trial of an agent is an experiment of its own."""

import json
import signal
import time
from pathlib import Path

import pytest

from tests.cli.commands import Command, Start
from tests.cli.test_killed_writes import shop_and_questions

ASKED = ("q0", "--world", "w", "--queries", "q.jsonl")


def test_each_trial_of_an_agent_is_an_experiment_of_its_own(
    drretail: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shop_and_questions(tmp_path)
    agent = tmp_path / "mine.py"
    agent.write_text("def mine(question):\n    return 'Nothing.'\n", encoding="utf-8")
    told = json.loads(drretail("try", "mine:mine", *ASKED, "--json").stdout)
    assert (told["status"], told["reward"]["why"]) == ("done", "the report declares no picks")
    agent.write_text("def mine(question):\n    raise ValueError('broken')\n", encoding="utf-8")
    changed = drretail("try", "mine:mine", *ASKED, "--json")
    assert (changed.returncode, json.loads(changed.stdout)["status"]) == (3, "failed")
    assert [path.name for path in sorted(tmp_path.glob("trials/*/*/*"))] == ["1", "2"]


def test_a_trial_that_is_stopped_leaves_nothing(start: Start, tmp_path: Path) -> None:
    shop_and_questions(tmp_path)
    (tmp_path / "slow.py").write_text("import time\n\ndef slow(question):\n    time.sleep(60)\n", encoding="utf-8")
    process = start("try", "slow:slow", *ASKED)
    while not process.has_ended and not [*tmp_path.glob("trials/*/*/1/runs/*/*")]:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    ended = process.wait()
    assert ended.returncode == 130
    assert [*tmp_path.glob("trials/*/*/*")] == []
