"""Whose data the tools of a run show, and where that stands."""

import asyncio
from pathlib import Path

import pytest

from drretail.agents.running.runner import Runner
from drretail.agents.running.single_question import ask_once
from drretail.api.options.run import RunOptions
from drretail.api.systems import with_preset
from drretail.env.world import World
from drretail.experiment import read_definition
from drretail.records.run import Scope
from tests.agents.conftest import QUERY, calls, reporting, scripted, sut

OTHER = "AEOTHER000000000000000000001"
REACHING = (calls(("get_user_profile", {"user_id": OTHER})), reporting("Nothing.", ""))


def error_in(world: World, scope: Scope | None) -> tuple[str, str]:
    """The label of a system, and what came of its reaching for another user's profile."""
    player = sut(world, scripted(*REACHING)[0], **({} if scope is None else {"scope": scope}))
    recorded = asyncio.run(Runner(world, "w").run(player, QUERY))
    (tool,) = (step for step in recorded.run.steps if step.kind == "tool")
    return player.label, (tool.error or "").partition(":")[0]


@pytest.mark.parametrize(
    ("scope", "label", "error"),
    [
        (None, "react@scripted-test", "forbidden"),
        ("own", "react@scripted-test", "forbidden"),
        ("any", "react@scripted-test-scope-any", "not_found"),
    ],
)
def test_the_scope_decides_and_stands_in_the_label(world: World, scope: Scope | None, label: str, error: str) -> None:
    assert error_in(world, scope) == (label, error)


def test_the_scope_stands_in_the_experiment(world: World, folder: Path) -> None:
    for scope in ("own", "any"):
        ask_once(Runner(world, "w"), sut(world, scripted(*REACHING)[0], scope=scope), QUERY, folder)
    assert {label: it.sees for label, it in read_definition(folder).systems.items()} == {
        "react@scripted-test": "own",
        "react@scripted-test-scope-any": "any",
    }


def test_the_papers_preset_shows_any_users_data() -> None:
    options = with_preset(RunOptions(preset="paper"))
    assert (options.scope, options.preset) == ("any", None)
