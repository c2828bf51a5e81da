"""Estimates and caps. Tests agents/running/spending.py, eval/judging/spending.py and llm/usage.py."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.build import LABEL, experiment
from tests.cli.commands import Command, ErrorOf
from tests.llm.provider import Provider, answers
from tests.wire.server import WireServer

SEARCH = {"type": "tool_use", "id": "t", "name": "product_catalog_search", "input": {"query": "bird feeder"}}
RUN = ("run", "--no-floors", "--queries", "queries.jsonl", "--world", "w", "--to", "exp")
pytestmark = pytest.mark.usefixtures("shop", "queries")


def test_a_cap_ends_the_experiment_with_3_and_a_sentence_and_a_higher_one_goes_on(drretail: Command) -> None:
    first = drretail(*RUN, "--quiet", "--max-tokens", "1000", "--json")
    assert first.returncode == 3
    assert "cap of 1,000 tokens leaves no room" in first.stderr
    assert json.loads(first.stdout)["systems"][0]["not_started"] == 1
    again = drretail(*RUN, "--quiet", "--max-tokens", "10000000", "--json")
    (system,) = json.loads(again.stdout)["systems"]
    assert again.returncode == 0
    assert (system["done"], system["before"], system["not_started"]) == (2, 1, 0)


def test_an_unknown_price_and_two_providers_are_refused(error_of: ErrorOf) -> None:
    run = (*RUN, "--base-url", "http://127.0.0.1:1/v1", "--model")
    for limit in (["--vary", "dollars=1"], ["--max-dollars", "1"]):
        assert "genai-prices knows no price of openai:m: limit tokens" in error_of(*run, "openai:m", *limit), limit
    assert "say which of anthropic, openai" in error_of(*run, "anthropic:m", "--model", "report=openai:m")


def test_a_profile_of_drretail_toml_runs_at_its_models_price(drretail: Command, tmp_path: Path) -> None:
    cached = {"cache_read_input_tokens": 900, "cache_creation_input_tokens": 0}
    taken: dict[str, Any] = {"input_tokens": 100, "output_tokens": 10, "more": cached, "model": "claude-fable-5"}
    report = answers({"type": "text", "text": "Take the tube feeder.\n\n```picks\n```"}, **taken)
    look = answers(SEARCH, stop_reason="tool_use", **taken)
    with Provider(look, report, look, report) as provider:
        (tmp_path / "drretail.toml").write_text(
            f'[profiles.mine]\nwhy = "w"\nmodel = "anthropic:claude-fable-5"\nbase_url = "{provider.url}"\n'
            "max_tokens = 99\n",
            encoding="utf-8",
        )
        done = drretail(*RUN, "--model-profile", "mine", "--quiet", "--json", "--max-dollars", "50", "--parallel", "1")
    assert done.returncode == 0, done.stderr
    assert [request.body["max_tokens"] for request in provider.seen] == [99] * 4
    (row,) = json.loads(done.stdout)["spending"]
    assert row["system"] == "react@anthropic-claude-fable-5-max_tokens99"
    assert row["cache_read_share"] == 0.9
    assert row["dollars"]["mean"] == pytest.approx(2 * 0.0024)
    assert row["by_role"]["researcher"]["dollars"] == pytest.approx(4 * 0.0024)
    assert (row["unpriced"], [price.partition(" ")[0] for price in row["prices"]]) == ([], ["genai-prices"])
    assert drretail("verify", "exp", "--json").returncode == 0, "the journal has the price of each call"


def test_another_model_that_answers_is_named_by_run_and_on_the_board(succeeds: Command, tmp_path: Path) -> None:
    report = answers({"type": "text", "text": "Take the tube feeder.\n\n```picks\n```"}, model="claude-haiku-4-5")
    look = answers(SEARCH, stop_reason="tool_use", model="claude-fable-5-20260101")
    with Provider(look, report, look, report) as provider:
        asked = ("--model", "anthropic:claude-fable-5", "--base-url", provider.url, "--parallel", "1")
        done = succeeds(*RUN, *asked)
    said = (
        "anthropic:claude-fable-5 was asked for, and its provider says that another model answered: claude-haiku-4-5 "
        "(2 of 4 calls)."
    )
    assert said in " ".join(done.stderr.split())
    succeeds("score", "exp", "--metrics", "checks")
    succeeds("report", "exp", "--single")
    assert said in (tmp_path / "exp" / "report.html").read_text(encoding="utf-8")


def test_judging_is_estimated_with_the_judges_of_a_profile_and_sends_nothing(succeeds: Command, tmp_path: Path) -> None:
    succeeds(*RUN, "--quiet")
    done = succeeds("score", "exp", "--model-profile", "paper-like", "--estimate", "--json")
    document = json.loads(done.stdout)
    judges = {one["name"].partition(" by ")[2] for one in document["estimates"]}
    assert judges == {"anthropic:claude-sonnet-4-6", "openai:openai/gpt-oss-120b"}
    assert document["together"]["dollars"] > 0
    assert not (tmp_path / "exp" / "verdicts").exists()


def judging(server: WireServer, *flags: str) -> tuple[str, ...]:
    judge = ("--judge", "anthropic:claude-fable-5", "--base-url", server.url)
    return ("score", "exp", "--metrics", "quality", *judge, "--quiet", "--json", *flags)


def test_a_cap_ends_judging_with_3_and_a_higher_one_goes_on(
    drretail: Command, succeeds: Command, tmp_path: Path
) -> None:
    reports = {LABEL: {"q1-r1": "Buy the tube feeder.", "q2-r1": "Buy the dog bed."}}
    folder = experiment(tmp_path / "exp", reports)
    with WireServer() as server:  # an answer costs (100 × 10 + 40 × 1 + 20 × 50) / 1e6 = 0.00204 dollars
        first = drretail(*judging(server, "--max-dollars", "0.0064"))
        asked = server.seen.requests
        again = drretail(*judging(server, "--max-dollars", "0.0064"))
        assert server.seen.requests == asked
        last = drretail(*judging(server, "--max-dollars", "1"))
        assert server.seen.requests == 12
        capped = (folder / "scores.json").read_bytes()
        folder.rename(tmp_path / "capped")
        experiment(folder, reports)
        succeeds(*judging(server))
    assert (folder / "scores.json").read_bytes() == capped
    assert (first.returncode, again.returncode, last.returncode) == (3, 3, 0), last.stderr
    assert 4 <= asked <= 11  # three leave room below the cap, and eight may then be on their way: four of each report
    assert "The cap of $0.0064 for judging is reached" in first.stderr
    assert "--max-dollars continues from here" in first.stderr
    (spent,) = json.loads(last.stdout)["spending"]
    assert (spent["metric"], spent["judge"], spent["reports"]) == ("quality", "anthropic:claude-fable-5", 2)
    assert (spent["calls"], spent["output"], spent["cache_read"]) == (12, 240, 480)
    assert spent["dollars"] == pytest.approx(12 * 0.00204)
