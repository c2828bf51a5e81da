"""What a person sees of many runs with real models, against what the runs then say they took."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drretail.agents.running.batch import Batch
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import definition
from drretail.cli.run_progress import TerminalObserver
from drretail.env.world import World
from drretail.experiment import Experiment, read_runs
from drretail.llm.prices import read_prices
from drretail.progress import Bar, Progress
from drretail.records.models import Price
from tests.wire.playing import MODELS, QUERY, calls_of, model_at, player
from tests.wire.server import WireServer

READ, WRITTEN = 100, 20
"""Tokens of each of the server's answers in OpenAI's protocol."""


class Described(Progress):
    """Keeps what its bar is told."""

    def __init__(self) -> None:
        self.said: list[str] = []

    @contextmanager
    def track(self, label: str, total: int | None = None) -> Generator[Bar]:
        del label, total
        yield self

    def advance(self, amount: int = 1) -> None:
        del amount

    def describe(self, text: str) -> None:
        self.said.append(text)


def test_tokens_and_dollars_are_told_from_the_first_call_and_end_as_the_runs_say(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress, runner = Described(), Runner(world, "w")
    monkeypatch.setattr("drretail.cli.run_progress.choose_progress", lambda _name: progress)
    prices = read_prices({MODELS["openai"]: Price(input=500, output=2000)})
    with WireServer() as server:
        one = player(world, "hybrid_react", model_at(server, "openai", prices=prices))
        with (
            Experiment(tmp_path / "exp", definition(world, (QUERY,), [one], "42")) as experiment,
            TerminalObserver(quiet=False).runs(runner, 2, 2) as watch,
        ):
            Batch(runner, experiment, watch=watch).run_all([one], [QUERY], 2)
    calls = calls_of([*read_runs(tmp_path / "exp")])
    dollars = calls * (READ * 500 + WRITTEN * 2000) / 1e6
    assert f"{READ + WRITTEN} tokens · $0.09" in progress.said[0]
    assert "runs: 0 done, 2 left" in progress.said[0]
    assert progress.said[-1].startswith("runs: 2 done, 0 left")
    assert progress.said[-1].endswith(f"{calls * (READ + WRITTEN):,} tokens · ${dollars:,.2f}")
