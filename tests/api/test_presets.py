from pathlib import Path

import pytest

from drretail.agents.registry import load_agent, split_web_mode
from drretail.api.options.run import RunOptions
from drretail.api.systems import with_preset
from drretail.errors import UnknownName, UserError
from drretail.querygen.shipped import shipped_queries
from drretail.viewer.paper.published import SYSTEMS


def test_the_papers_preset_is_six_systems_fifty_queries_and_its_models() -> None:
    options = with_preset(RunOptions(preset="paper"))
    assert (options.agents, options.model_profile, options.preset) == (SYSTEMS, "paper-like", None)
    assert options.queries == shipped_queries()
    assert len(shipped_queries()) == 50


def test_its_systems_are_agents_that_there_are() -> None:
    assert len(SYSTEMS) == 6
    assert {split_web_mode(name)[1] for name in SYSTEMS if load_agent(split_web_mode(name)[0])} == {"snippets", "ws"}


def test_options_that_are_given_go_before_the_preset() -> None:
    options = with_preset(RunOptions(preset="paper", queries=Path("q.jsonl"), model_profile="cheap", scope="own"))
    assert (options.queries, options.model_profile, options.scope) == (Path("q.jsonl"), "cheap", "own")


def test_other_agents_beside_the_preset_are_refused() -> None:
    with pytest.raises(UserError, match="leave --agent out"):
        with_preset(RunOptions(preset="paper", agents="react"))


def test_a_preset_that_takes_tools_away_changes_no_other_option() -> None:
    options = RunOptions(preset="tools_only")
    assert with_preset(options) is options


def test_an_unknown_preset_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="paper"):
        with_preset(RunOptions(preset="papers"))
