"""`drretail queries check --fix --model`, as a person calls it, against a scripted provider."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from langchain_anthropic._client_utils import (
    _get_default_async_httpx_client as anthropics_clients,  # pyright: ignore[reportPrivateUsage]
)
from typer.testing import CliRunner, Result

from drretail.cli.queries.group import queries_app
from drretail.env.world import World
from drretail.files import read_jsonl, write_lines
from drretail.querygen.generate import generate_for
from drretail.querygen.reading import read_queries
from drretail.querygen.revisions import history_path
from drretail.records.query import Query
from tests.llm.provider import Provider, Step, answers, fails
from tests.querygen.by_model.scripted import answering
from tests.wire.conftest import clients_that_end_in_silence, fresh_clients

__all__ = ["clients_that_end_in_silence", "fresh_clients"]  # fixtures

CLAUDE = "anthropic:claude-sonnet-4-6"
PRICE = {CLAUDE: {"input": 3, "output": 15}}
MAIN = "from drretail.cli.entry import main; main()"


@pytest.fixture
def good(world: World) -> list[Query]:
    return list(generate_for(world, ["ANNA", "CARA"], per_user=1, seed="1").queries)


@pytest.fixture
def file(tmp_path: Path, good: Sequence[Query]) -> Path:
    """Two queries that a model made, both with a fault."""
    path = tmp_path / "queries.jsonl"
    faulty = (
        each.model_copy(update={"text": f"{each.text} Write to x@example.com.", "source": CLAUDE}) for each in good
    )
    write_lines(path, [query.as_line() for query in faulty])
    return path


def says(query: Query, pause: float = 0) -> Step:
    return answers({"type": "text", "text": json.dumps(answering(query))}, pause=pause)


def environment(provider: Provider) -> dict[str, str]:
    return {
        "ANTHROPIC_API_KEY": "sk-test-0123456789abcdef",
        "DRRETAIL_MODEL_RETRIES": "0",
        "DRRETAIL_PRICES": json.dumps(PRICE),
        "DRRETAIL_BASE_URL": provider.url,
    }


def arguments(world: World, file: Path, *flags: str) -> list[str]:
    return ["check", str(file), "--world", str(world.folder), "--fix", *flags]


def call(world: World, file: Path, provider: Provider, *flags: str) -> Result:
    """As a process of its own would: without the connections of an earlier call."""
    anthropics_clients.cache_clear()
    given = arguments(world, file, "--model", CLAUDE, "--parallel", "1", *flags)
    return CliRunner().invoke(queries_app, given, env=environment(provider))


def test_the_model_writes_them_again_and_what_it_took_is_told(world: World, file: Path, good: Sequence[Query]) -> None:
    with Provider(*map(says, good)) as provider:
        result = call(world, file, provider)
    assert result.exit_code == 0
    assert [(query.text, query.source) for query in read_queries(file)] == [(each.text, CLAUDE) for each in good]
    assert "2 queries replaced after 2 tries" in result.stdout
    assert "2 calls; 18 tokens read, 4 written; $0.0001" in result.stdout
    assert "Prices as of" in result.stderr
    assert "Without a finding: 2 of 2 queries" in result.stdout
    assert {line["what"] for line in read_jsonl(history_path(file))} == {"replaced"}
    assert provider.seen[0].body["output_config"]["format"]["type"] == "json_schema"


def test_nothing_that_the_privacy_check_finds_in_any_query_is_sent(
    world: World, tmp_path: Path, good: Sequence[Query]
) -> None:
    """Neither of the query at hand nor of the others of the user, whichever finding quotes them."""
    anna = world.store.user("ANNA")
    private = {
        "someone@example.com": "Write to someone@example.com.",
        "Apt 3": "Send it to 12 Elm Street, Apt 3, Newark, DE 19711.",
        "555-0132": "Call 555-0132.",
        "7946 0958": "Or ring +44 20 7946 0958.",
        "Jane Doe": "My name is Jane Doe.",
        "Box 1123": "There is also P.O. Box 1123.",
        "maple street": "It used to be 14 maple street apt 9 in newark, de 19711.",
        anna.address.address1: f"Nobody is in at {anna.address.address1}.",
        f"{anna.first_name} {anna.last_name}": f"Ask for {anna.first_name} {anna.last_name}.",
    }
    hidden = [*private, "Elm Street", "Newark, DE", "19711", "apt 9", "+44 20"]
    queries = [
        good[0].model_copy(
            update={
                "query_id": f"anna-{number}",
                "text": f"{sentence} {good[0].text}" if number % 2 else f"{good[0].text} {sentence}",
                "rationale": f"{good[0].rationale} {sentence}",
                "expected_tools": ("calculator",),  # the findings of this quote the text
                "source": CLAUDE,
            }
        )
        for number, sentence in enumerate(private.values())
    ]
    file = tmp_path / "queries.jsonl"
    write_lines(file, [query.as_line() for query in queries])
    worse = good[0].model_copy(update={"text": f"{good[0].text} It was laid out in 2031."})
    with Provider(*[says(worse)] * (2 * len(queries))) as provider:
        call(world, file, provider, "--tries", "2")
    assert len(provider.seen) >= len(queries)
    for request in provider.seen:
        sent = json.dumps(request.body, ensure_ascii=False)
        text, _, behind = sent.partition("<profile>")
        outside = text + behind.partition("</profile>")[2]  # the summary of the record names its user
        assert [each for each in hidden if each in outside] == []
        assert "[…]" in outside


def test_failures_are_told_and_end_with_3_and_only_they_are_asked_anew(
    world: World, file: Path, good: Sequence[Query]
) -> None:
    with Provider(fails(400, "no such thing"), *map(says, reversed(good))) as provider:
        broken = call(world, file, provider)
        kept = json.loads(call(world, file, provider, "--json").stdout)
        assert len(provider.seen) == 2
        mended = call(world, file, provider, "--retry-failed", "--quiet")
    assert broken.exit_code == 3
    assert "1 query replaced after 2 tries, 1 failed" in broken.stdout
    assert "no such thing" in broken.stderr
    assert "--retry-failed" in broken.stderr
    assert (list(kept["failed"]), kept["usage"]["calls"], kept["dollars"]) == ([good[0].query_id], 0, 0)
    assert (mended.exit_code, mended.stderr, len(provider.seen)) == (0, "", 3), mended.stdout


def test_after_kill_9_nothing_is_asked_twice(world: World, file: Path, good: Sequence[Query]) -> None:
    with Provider(says(good[0]), says(good[1], pause=30), says(good[1])) as provider:
        flags = arguments(world, file, "--model", CLAUDE, "--parallel", "1", "--quiet")
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, "queries", *flags],
            env={**os.environ, **environment(provider)},
            stdout=subprocess.DEVNULL,
        )
        while len(provider.seen) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=10)
        before = file.read_bytes()
        result = call(world, file, provider)
    assert b"x@example.com" in before
    assert result.exit_code == 0
    assert "2 calls, 1 of them from the journal" in result.stdout
    assert len(provider.seen) == 3
    assert [query.text for query in read_queries(file)] == [each.text for each in good]


def test_without_a_model_they_are_left_and_the_sentence_says_what_to_do(world: World, file: Path) -> None:
    result = CliRunner().invoke(queries_app, arguments(world, file))
    assert result.exit_code == 3
    assert "Left: 2 queries, because the offline generator did not make them: name a --model that" in result.stdout
    assert not history_path(file).exists()


def test_what_the_offline_generator_made_is_its_own_until_a_model_is_named(
    world: World, file: Path, good: Sequence[Query], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the model of the settings is asked: it costs money."""
    monkeypatch.setenv("DRRETAIL_MODEL", CLAUDE)
    write_lines(file, [good[0].model_copy(update={"text": f"{good[0].text} Write to x@example.com."}).as_line()])
    result = CliRunner().invoke(queries_app, arguments(world, file))
    assert result.exit_code == 0
    assert read_queries(file)[0].source == "offline:generator"


def test_offline_shopper_by_name_replaces_what_a_model_made_and_needs_no_key(world: World, file: Path) -> None:
    result = CliRunner().invoke(queries_app, arguments(world, file, "--model", "offline:shopper"))
    assert result.exit_code == 0
    assert "2 queries replaced after 2 tries" in result.stdout
    assert {query.source for query in read_queries(file)} == {"offline:generator"}


def test_a_profile_names_the_model_as_well(world: World, file: Path) -> None:
    with Provider(*(fails(400, "no such thing") for _ in range(2))) as provider:
        flags = arguments(world, file, "--model-profile", "cheap", "--json", "--base-url", provider.url)
        result = CliRunner().invoke(queries_app, flags, env=environment(provider))
    assert result.exit_code == 3
    assert len(provider.seen) == 2
