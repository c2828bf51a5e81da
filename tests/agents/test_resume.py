"""Every agent, with snippets and with whole pages: cut after any effect, it goes on and ends as if it never was cut."""

import asyncio
import gzip
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from drretail.agents.running.runner import Runner
from drretail.agents.running.system import definition
from drretail.env.web.sandbox import SandboxPage, SandboxWeb
from drretail.env.world import World
from drretail.experiment import Experiment
from drretail.records.run import Run, WebMode
from tests.agents.conftest import QUERY, calls
from tests.agents.hybrid_react.cast import DONE, FEEDER, PAGES, PROFILE, REPORT, Cast, launch, reported, sut_of

CORPUS = [
    SandboxPage(url=f"https://{name}.example", title=name, text=f"Clean a bird feeder {name}.") for name in "abcd"
]
SUMMARY = AIMessage(json.dumps({"summary": "Clean it.", "quotes": ["Clean a bird feeder", "Never said."]}))
FILES = ("run.json", "evidence.jsonl.gz", "results.jsonl.gz")
AGENTS = ("plan_to_function", "react", "hybrid_react")


def players(agent: str, seed: int) -> Cast:
    """Models for every role of the agent; each turn takes other milliseconds with another seed."""
    dice = random.Random(seed)
    search = calls(PROFILE, PAGES, FEEDER)
    alone = (search, REPORT) if agent != "hybrid_react" else (search, calls(PAGES), calls(DONE))
    return Cast(
        {
            "supervisor": {"": (launch("a", "b"), calls(DONE))},
            "researcher": {"": alone},
            "summariser": {"": (SUMMARY,)},
            "synthesis": {"": (reported("P:B0TEST0001", "U:profile"),)},
            "report": {"": (REPORT,)},
        },
        pause=lambda role, about: dice.uniform(0, 0.01),
    )


def run_in(folder: Path, world: World, agent: str, mode: WebMode, cast: Cast) -> Run:
    world = replace(world, web=SandboxWeb(CORPUS))
    player = sut_of(agent, world, cast.models(), web_mode=mode)
    with Experiment(folder, definition(world, (QUERY,), [player], "42")) as experiment:
        return asyncio.run(Runner(world, "w").run_into(experiment, player, QUERY))


@pytest.mark.parametrize("mode", ["snippets", "ws"])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_run_cut_after_any_effect_ends_as_if_it_never_was(
    world: World, folder: Path, agent: str, mode: WebMode
) -> None:
    first = players(agent, 1)
    whole = run_in(folder, world, agent, mode, first)
    assert whole.status == "done"
    # A researcher searches twice, and reads a page once.
    assert len(whole.notes) == (0 if mode == "snippets" else 8 if agent == "hybrid_react" else 4)
    (here,) = folder.glob("runs/*/*")
    before = [(here / name).read_bytes() for name in FILES]
    journal = gzip.decompress((here / "journal.jsonl.gz").read_bytes()).splitlines(keepends=True)
    for lines in sorted({0, 1, len(journal) // 3, len(journal) // 2, len(journal) - 1, len(journal)}):
        for path in here.iterdir():
            path.unlink()
        (here / "journal.jsonl").write_bytes(b"".join(journal[:lines]) + b"".join(journal[lines:])[:30])
        again = players(agent, lines)
        assert run_in(folder, world, agent, mode, again) == whole
        assert [(here / name).read_bytes() for name in FILES] == before
        kinds = [json.loads(line)["kind"] for line in journal[:lines]]
        asked = sum(len(turns) for turns in again.shown.values())
        assert asked == sum(len(turns) for turns in first.shown.values()) - kinds.count("model")
