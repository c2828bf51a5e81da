"""Many runs at once at a provider that gets every fifth request wrong: all end, and every count adds up.

Sixty runs in the suite; the five hundred are DRRETAIL_WIRE_RUNS=500 python -m pytest tests/wire/test_many_runs.py -s
"""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from drretail.experiment import read_runs
from drretail.files import write_lines
from drretail.journal import Effect, read_effects
from drretail.records.base import canonical_json
from drretail.records.query import Query
from drretail.records.run import Run, Usage
from tests.cli.commands import environment
from tests.cli.forked import ForkServer
from tests.shop import USER, build_shop
from tests.wire.playing import AGENTS, KEYS, MODELS
from tests.wire.server import FAULTS, Plan, WireServer

pytestmark = pytest.mark.slow  # what each fault comes to is tested one by one beside it
RUNS = int(os.environ.get("DRRETAIL_WIRE_RUNS", "60"))
PLAYED = (*AGENTS, "react+ws")
QUERIES = max(1, RUNS // len(PLAYED))
AT_ONCE = 50
PATIENCE, STALL = 20.0, 21.0
"""A busy machine may take seconds for an answer, and one that comes too late is another fault than was planned."""
REFUSED = ("429", "529", "500", "late_error", "400", "context_overflow")
"""Faults that cost nothing. Nothing is streamed here, so that ``late_error`` is a 529, too."""
LOST = ("stall", "cut_body", "broken_json")
"""Faults for which a question is counted that was read, and no call."""
THINGS = ("bird feeder", "hopper feeder", "bird bath", "window feeder")
SETTINGS = f"model_timeout = {PATIENCE}\nmodel_calls = {AT_ONCE}\n"
KINDS = ("model", "unusable", "refusal", "context_overflow", "timeout", "agent")
"""Of failures; "agent" where every researcher failed, and then the causes of all of them are named."""


@dataclass
class Played:
    """What came of it: in the folder, at the provider, and on the terminal."""

    folder: Path
    server: WireServer
    done: CompletedProcess[str]
    runs: list[Run]
    effects: list[Effect]
    """All model calls."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    build_shop(folder / "w")
    (folder / "drretail.toml").write_text(SETTINGS, encoding="utf-8")
    queries = [
        Query(
            query_id=f"q{number:03}",
            user_id=USER if number % 2 else None,
            text=f"Which {THINGS[number % len(THINGS)]} under ${20 + number}, and how do I keep it clean?",
            source="test",
        )
        for number in range(QUERIES)
    ]
    write_lines(folder / "queries.jsonl", [canonical_json(query.model_dump(mode="json")) for query in queries])
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[WireServer]:
    with WireServer(Plan(rate=0.2, faults=FAULTS, seed=1, stall=STALL)) as opened:
        yield opened


@pytest.fixture(scope="module")
def drretail(home: Path, server: WireServer, fork_server: ForkServer) -> Callable[..., CompletedProcess[str]]:
    command = ["run", "--no-floors", "--queries", "queries.jsonl", "--world", "w", "--to", "exp"]
    command += ["--parallel", str(AT_ONCE), *(f"--agent={name}" for name in PLAYED)]
    command += [f"--model={MODELS['anthropic']}", f"--model=researcher={MODELS['openai']}"]
    command += [f"--base-url=anthropic={server.url}", f"--base-url=openai={server.openai_url}"]
    environ = environment(home, **KEYS | {"COLUMNS": "220"})
    return lambda *more: fork_server.run((*command, *more), home, environ, patience=1200)


@pytest.fixture(scope="module")
def played(home: Path, server: WireServer, drretail: Callable[..., CompletedProcess[str]]) -> Played:
    began = time.monotonic()
    done = drretail("--json")
    assert done.stdout, done.stderr
    effects = [each for path in home.glob("exp/runs/*/*/journal.jsonl.gz") for each in read_effects(path)]
    calls = [effect for effect in effects if effect.kind == "model"]
    found = Played(home / "exp", server, done, [*read_runs(home / "exp")], calls)
    states = Counter(run.status for run in found.runs)
    print(f"\n{len(found.runs)} runs in {time.monotonic() - began:.1f} s: {dict(states)}")
    print(f"{server.seen.requests:,} requests, {len(found.effects):,} calls, faults {dict(server.seen.faults)}")
    return found


def test_every_run_ends_as_done_or_failed_with_a_cause(played: Played) -> None:
    assert len(played.runs) == QUERIES * len(PLAYED)
    assert not list(played.folder.glob("runs/*/*/journal.jsonl"))
    for run in played.runs:
        assert (run.status == "done") == (run.report is not None) == (run.error is None)
        if run.error is not None:
            assert run.error.kind in KINDS
            assert run.error.kind != "agent" or "no researcher brought anything back: 0.1: " in run.error.message
            assert run.error.message
    assert {run.status for run in played.runs} == {"done", "failed"}
    assert played.done.returncode == 3
    assert "Traceback" not in played.done.stderr


def test_every_request_is_a_call_or_a_fault_that_was_counted(played: Played) -> None:
    seen = played.server.seen
    assert 0.15 < sum(seen.faults.values()) / seen.requests < 0.25
    retries = sum(effect.retries or 0 for effect in played.effects)
    assert len(played.effects) + retries == seen.requests
    assert sum(row["retries"] for row in json.loads(played.done.stdout)["spending"]) == retries
    assert seen.faults.keys() == {*FAULTS}
    paid = seen.requests - sum(seen.faults[fault] for fault in REFUSED)
    lost = sum(seen.faults[fault] for fault in LOST)
    in_journals = [Usage(**effect.usage) for effect in played.effects if effect.usage is not None]
    in_runs = [usage for run in played.runs for usage in run.usage.values()]
    for usages in (in_journals, in_runs):
        calls, given_up = (sum(getattr(usage, name) for usage in usages) for name in ("calls", "estimated"))
        # An answer that came after the client's patience had ended is among those that were given up, not the calls.
        assert given_up >= lost
        assert calls + given_up == paid


def test_a_second_time_only_failed_and_spoiled_runs_are_made_when_asked(
    played: Played, drretail: Callable[..., CompletedProcess[str]]
) -> None:
    asked = played.server.seen.requests
    assert drretail().returncode == 3
    assert played.server.seen.requests == asked
    played.server.plan = Plan()
    again = drretail("--retry", "failed", "--retry", "spoiled", "--json")
    assert again.returncode == 0, again.stderr
    systems = json.loads(again.stdout)["systems"]
    assert sum(row["done"] for row in systems) == len(played.runs)
    spoiled = sum(run.status == "done" and bool(run.losses) for run in played.runs)
    assert sum(row["before"] for row in systems) == sum(run.status == "done" for run in played.runs) - spoiled
