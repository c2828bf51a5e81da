"""Profiles, estimates and caps on the command line, with the offline models and with a local server."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.llm.provider import Provider, answers

RUN = ("run", "--queries", "queries.jsonl", "--world", "w", "--to", "exp")
pytestmark = pytest.mark.usefixtures("shop", "queries")


def test_an_estimate_needs_no_key_sends_nothing_and_leaves_nothing(drretail: Command, tmp_path: Path) -> None:
    done = drretail(*RUN, "--model-profile", "paper-like", "--estimate", COLUMNS="200")
    assert done.returncode == 0, done.stderr
    assert "react@anthropic-claude-sonnet-4-6" in done.stdout
    assert "Table 5" in done.stdout
    assert "Nothing was sent." in done.stderr
    assert not (tmp_path / "exp").exists()


def test_an_unknown_price_is_named_and_not_0(drretail: Command) -> None:
    done = drretail(*RUN, "--model", "openai:gpt-99", "--estimate", "--json")
    (estimate,) = json.loads(done.stdout)["estimates"]
    assert (estimate["dollars"], estimate["unpriced"]) == (None, ["openai:gpt-99"])


def test_an_estimate_after_runs_rests_on_them_and_counts_what_is_left(drretail: Command) -> None:
    drretail(*RUN, "--quiet")
    done = drretail(*RUN, "--repeats", "3", "--estimate", "--json")
    (estimate,) = json.loads(done.stdout)["estimates"]
    assert (estimate["count"], estimate["basis"]) == (4, "its 2 finished runs here")
    assert estimate["dollars"] == {"low": 0, "high": 0}


def test_a_cap_ends_the_experiment_with_3_and_a_sentence_and_a_higher_one_goes_on(drretail: Command) -> None:
    first = drretail(*RUN, "--quiet", "--max-tokens", "1000", "--json")
    assert first.returncode == 3
    assert "cap of 1,000 tokens leaves no room" in first.stderr
    assert json.loads(first.stdout)["systems"][0]["not_started"] == 1
    again = drretail(*RUN, "--quiet", "--max-tokens", "10000000", "--json")
    (system,) = json.loads(again.stdout)["systems"]
    assert again.returncode == 0
    assert (system["done"], system["before"], system["not_started"]) == (2, 1, 0)


@pytest.mark.parametrize("flag", ["--dollars", "--max-dollars"])
def test_dollars_cannot_be_capped_where_a_price_is_unknown(drretail: Command, flag: str) -> None:
    done = drretail(*RUN, "--model", "openai:m", "--base-url", "http://127.0.0.1:1/v1", flag, "1")
    assert done.returncode == 2
    assert "No price is known for openai:m" in done.stderr


def test_a_profile_of_drretail_toml_runs_with_its_own_price_and_what_it_took_is_told(
    drretail: Command, tmp_path: Path
) -> None:
    cached = {"cache_read_input_tokens": 900, "cache_creation_input_tokens": 0}
    report = answers({"type": "text", "text": "Take the tube feeder."}, input_tokens=100, output_tokens=10, more=cached)
    with Provider(report, report) as provider:
        (tmp_path / "drretail.toml").write_text(
            f'[profiles.mine]\nwhy = "w"\nmodel = "anthropic:claude-mine"\nbase_url = "{provider.url}"\n'
            "max_tokens = 99\n"
            '[prices."anthropic:claude-mine"]\ninput = 1000\noutput = 10000\ncache_read = 100\n',
            encoding="utf-8",
        )
        done = drretail(*RUN, "--model-profile", "mine", "--quiet", "--json", "--max-dollars", "50")
    assert done.returncode == 0, done.stderr
    assert [request.body["max_tokens"] for request in provider.seen] == [99, 99]
    (row,) = json.loads(done.stdout)["spending"]
    assert row["system"] == "react@anthropic-claude-mine-max_tokens99"
    assert row["cache_read_share"] == 0.9
    assert row["dollars"]["mean"] == pytest.approx(0.1 + 0.09 + 0.1)
    assert row["by_role"]["researcher"]["dollars"] == pytest.approx(2 * 0.29)


def test_a_base_url_is_for_one_provider_and_another_is_left_alone(drretail: Command) -> None:
    with Provider() as provider:
        done = drretail(
            *RUN,
            "--model",
            "anthropic:m",
            "--base-url",
            f"anthropic={provider.url}",
            "--base-url",
            "openai=http://x/v1",
        )
    assert done.returncode == 0, done.stderr
    assert provider.seen


def test_a_base_url_for_two_providers_must_say_which(drretail: Command) -> None:
    profile = ["--model", "anthropic:m", "--model", "report=openai:m", "--base-url", "http://127.0.0.1:1"]
    done = drretail(*RUN, *profile)
    assert done.returncode == 2
    assert "say which of anthropic, openai" in done.stderr


def test_a_model_flag_beats_the_profile(drretail: Command) -> None:
    flags = ["--model-profile", "cheap", "--model", "anthropic:claude-sonnet-5"]
    done = drretail(*RUN, *flags, "--estimate", "--json")
    assert json.loads(done.stdout)["estimates"][0]["name"] == "react@anthropic-claude-sonnet-5"


def test_judging_is_estimated_with_the_judges_of_a_profile_and_sends_nothing(drretail: Command, tmp_path: Path) -> None:
    drretail(*RUN, "--quiet")
    done = drretail("score", "exp", "--model-profile", "paper-like", "--estimate", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    judges = {one["name"].partition(" by ")[2] for one in document["estimates"]}
    assert judges == {"anthropic:claude-sonnet-4-6", "openai:openai/gpt-oss-120b"}
    assert document["together"]["dollars"] is None
    assert not (tmp_path / "exp" / "verdicts").exists()
