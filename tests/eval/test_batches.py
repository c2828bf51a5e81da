"""Judging through Message Batches: the same verdicts as when asked directly, in few batches, each paid once."""

import asyncio
import json
from pathlib import Path
from typing import Any

from langchain_core.messages import HumanMessage

from drretail.eval.judging.session import Judge
from drretail.eval.judging.verdicts import VerdictFile
from drretail.eval.scoring import score
from drretail.llm.batches.chat_model import batching
from drretail.llm.registry import open_model
from drretail.offline.judge.policy import judge as rules_of_judging
from drretail.progress import Progress
from drretail.prompts import tagged
from drretail.records.score import Scores, Verdict
from tests.eval.folders import LABEL, experiment
from tests.llm.batches.server import EXPIRED, BatchServer, succeeded

REPORTS: dict[str, dict[str, str | None]] = {
    LABEL: {
        "q1-r1": "The dog bed costs $30 [P:B0000000A1]. It is soft [P:B0000000A1].",
        "q2-r1": "A leash helps [W:abcd2345].",
        "q3-r1": None,
    }
}


def judged_by_rules(custom_id: str, params: dict[str, Any], batch: int) -> dict[str, Any]:
    del custom_id, batch
    (message,) = params["messages"]
    schema = params["output_config"]["format"]["schema"]
    asked = f"{message['content']}\n{tagged('schema', json.dumps(schema))}"
    return succeeded(rules_of_judging([HumanMessage(asked)], []).text)


def scored(server: BatchServer, folder: Path) -> Scores:
    model = open_model(
        "anthropic:claude-sonnet-4-6", base_url=server.url, environ={"ANTHROPIC_API_KEY": "sk-test-0"}, max_retries=0
    )
    with batching(model, folder / "verdicts", notify=lambda _: None, quiet=0.05, poll=0.01) as asked:
        judge = Judge.of(asked.model, in_batches=True)
        scores = asyncio.run(score(folder, ["faithfulness", "quality"], [judge], progress=Progress()))
        asked.settle()
    return scores


def verdicts(folder: Path) -> dict[tuple[str, ...], Verdict]:
    found: dict[tuple[str, ...], Verdict] = {}
    for path in sorted((folder / "verdicts").rglob("*.jsonl")):
        if ".journal" not in path.name and not path.name.startswith("batches-"):
            found |= {verdict.key: verdict for verdict in VerdictFile(path).lasts()}
    return found


def test_all_questions_of_a_stage_go_out_together(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    with BatchServer(judged_by_rules) as server:
        scores = scored(server, folder)
    # Two reports: two extractions and the ratings of each; what their answers ask for goes out after them.
    assert len(server.batches) <= 2
    assert not any(judging.failed for judging in scores.judgings)
    assert verdicts(folder)


def test_a_second_command_asks_nothing(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    with BatchServer(judged_by_rules) as server:
        scored(server, folder)
        sent, before = len(server.batches), verdicts(folder)
        scored(server, folder)
    assert len(server.batches) == sent
    assert verdicts(folder) == before


def test_questions_that_never_get_an_answer_are_failed_verdicts(tmp_path: Path) -> None:
    folder = experiment(tmp_path / "exp", REPORTS)
    with BatchServer(lambda *_: EXPIRED) as server:
        scored(server, folder)
    states = {verdict.state for verdict in verdicts(folder).values()}
    assert states <= {"failed", "na"}
    assert "failed" in states
