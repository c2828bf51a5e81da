"""``drretail score --batch``: a judge's questions through Message Batches, as a user asks for them."""

import json
from pathlib import Path

from tests.build import LABEL, experiment
from tests.cli.commands import Command, ErrorOf
from tests.eval.test_scoring import judged_by_rules
from tests.llm.batches.server import BatchServer

JUDGE = "anthropic:claude-sonnet-4-6"


def folder(place: Path) -> Path:
    return experiment(place / "exp", {LABEL: {"q1-r1": "The bed costs $30 [P:B0000000A1].", "q2-r1": "It is soft."}})


def settings(server: BatchServer) -> dict[str, str]:
    return {"ANTHROPIC_API_KEY": "sk-test-0", "DRRETAIL_BASE_URL": server.url, "DRRETAIL_BATCH_POLL": "0.05"}


def test_questions_go_out_in_batches_and_the_scores_are_there(drretail: Command, tmp_path: Path) -> None:
    where = folder(tmp_path)
    with BatchServer(judged_by_rules) as server:
        result = drretail("score", str(where), "--metrics", "quality", "--judge", JUDGE, "--batch", **settings(server))
    assert result.returncode == 0, result.stderr
    assert "questions were sent as batch msgbatch_0." in result.stderr
    assert json.loads((where / "scores.json").read_text())["scores"]


def test_who_takes_no_batches_is_named_and_they_cost_half(error_of: ErrorOf, tmp_path: Path, drretail: Command) -> None:
    assert "--batch needs a judge of anthropic" in error_of(
        "score", str(folder(tmp_path)), "--metrics", "quality", "--batch"
    )

    where = folder(tmp_path)
    asked = ["score", str(where), "--metrics", "quality", "--judge", JUDGE, "--estimate", "--json"]

    def dollars(*more: str) -> float:
        (row,) = json.loads(drretail(*asked, *more).stdout)["estimates"]
        return row["dollars"]["high"]

    assert dollars("--batch") == dollars() / 2 > 0
