"""Commands that a provider denies end at once and lose nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from drretail.experiment import read_runs
from drretail.journal import read_effects
from tests.build import journal_usage
from tests.cli.commands import Command
from tests.wire.playing import KEYS, MODELS, calls_of
from tests.wire.server import Json, Plan, WireServer

TWO = ("--agent", "react", "--agent", "hybrid_react")
MOST = 4
"""Runs side by side: so many first calls may be under way when the first answer comes."""


@dataclass(frozen=True, slots=True)
class From(Plan):
    """All goes well for so many requests, and then never again."""

    well: int = 0
    came: list[Json] = field(default_factory=list[Json])

    def fault(self, body: Json, times: int) -> str | None:
        self.came.append(body)
        return None if len(self.came) <= self.well else self.faults[0]


@pytest.fixture
def server() -> Iterator[WireServer]:
    with WireServer() as opened:
        yield opened


def at(server: WireServer, provider: str) -> tuple[str, ...]:
    return "--base-url", server.openai_url if provider == "openai" else server.url


def one_sentence(stderr: str) -> str:
    """What the command ended with."""
    assert "Traceback" not in stderr
    (line,) = [line for line in stderr.splitlines() if line.startswith("Error: ")]
    return line


@pytest.mark.parametrize(
    ("provider", "fault"), [("anthropic", "wrong key"), ("anthropic", "no credit"), ("openai", "no quota")]
)
def test_the_first_denial_stops_a_run(
    provider: str, fault: str, server: WireServer, drretail: Command, shop: str, queries: str
) -> None:
    server.plan = From(faults=(fault,))
    command = ("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp", "--repeats", "9", *TWO)
    done = drretail(*command, "--model", MODELS[provider], *at(server, provider), **KEYS)
    assert (done.returncode, done.stdout) == (2, "")
    output = one_sentence(done.stderr)
    assert f"{provider.upper()}_API_KEY" in output
    assert server.url in output
    assert KEYS[f"{provider.upper()}_API_KEY"] not in done.stderr
    assert server.seen.requests <= MOST


def test_nothing_is_asked_twice(server: WireServer, drretail: Command, shop: str, queries: str, tmp_path: Path) -> None:
    plan = server.plan = From(faults=("no credit",), well=25)
    command = ("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp", "--repeats", "3", *TWO)
    given = ("--model", MODELS["anthropic"], *at(server, "anthropic"))
    done = drretail(*command, *given, **KEYS)
    assert done.returncode == 2, done.stderr
    assert "ANTHROPIC_API_KEY" in one_sentence(done.stderr)
    ended = [*read_runs(tmp_path / "exp")]
    assert ended
    assert all(run.status == "done" for run in ended)
    cut = [effect for path in tmp_path.glob("exp/runs/*/*/journal.jsonl") for effect in read_effects(path)]
    assert all(effect.error is None for effect in cut)
    kept = calls_of(ended) + sum(effect.kind == "model" for effect in cut)
    assert kept == plan.well
    server.plan = Plan()
    again = drretail(*command, *given, **KEYS)
    assert again.returncode == 0, again.stderr
    runs = [*read_runs(tmp_path / "exp")]
    assert len(runs) == 12
    assert server.seen.requests - len(plan.came) == calls_of(runs) - kept


def test_the_right_key_goes_on(server: WireServer, drretail: Command, shop: str, queries: str, tmp_path: Path) -> None:
    run = ("run", "--no-floors", "--queries", queries, "--world", shop, "--to", "exp")
    assert drretail(*run).returncode == 0
    plan = server.plan = From(faults=("wrong key",), well=6)
    score = ("score", "exp", "--judge", MODELS["anthropic"], *at(server, "anthropic"))
    done = drretail(*score, **KEYS)
    assert (done.returncode, done.stdout) == (2, "")
    assert "ANTHROPIC_API_KEY" in one_sentence(done.stderr)
    server.plan = Plan()
    first = server.seen.requests
    again = drretail(*score, **KEYS)
    assert again.returncode == 0, again.stderr
    held = (journal_usage(path).calls for path in tmp_path.glob("exp/verdicts/*/*/*/*.journal.jsonl"))
    assert server.seen.requests - first + plan.well == sum(held) > plan.well


def test_a_refused_key_writes_no_queries(server: WireServer, drretail: Command, shop: str, tmp_path: Path) -> None:
    server.plan = From(faults=("wrong key",))
    written = ("queries", "generate", "--world", shop, "--to", "new.jsonl", "--model", MODELS["openai"])
    done = drretail(*written, "--mode", "generic", "--n", "9", *at(server, "openai"), **KEYS)
    assert (done.returncode, done.stdout) == (2, "")
    assert "OPENAI_API_KEY" in one_sentence(done.stderr)
    assert server.seen.requests <= MOST
    assert not (tmp_path / "new.jsonl").exists()


def test_the_prompts_need_a_model_and_a_cap_needs_the_prompts(drretail: Command) -> None:
    assert drretail("doctor", "--prompts").returncode == 2
    result = drretail("doctor", "--max-dollars", "1")
    assert (result.returncode, "--max-dollars is for --prompts" in result.stderr) == (2, True)
