from pathlib import Path

import pytest

from drretail.agents.registry import load_agent, split_web_mode
from drretail.cli.options.systems import asked_by
from drretail.errors import UnknownName, UserError
from drretail.files import write_lines
from drretail.querygen.shipped import shipped_queries
from drretail.records.query import Query
from drretail.viewer.paper.published import SYSTEMS


def own(folder: Path) -> Path:
    path = folder / "q.jsonl"
    write_lines(path, [Query(query_id="q1", text="Which mug?", source="test").as_line()])
    return path


def test_the_papers_preset_is_six_systems_fifty_queries_and_its_models() -> None:
    asked = asked_by(None, None, None, "paper")
    assert (tuple(asked.agents), asked.profile, asked.ablation) == (SYSTEMS, "paper-like", None)
    assert tuple(asked.queries) == shipped_queries()
    assert len(asked.queries) == 50


def test_its_systems_are_agents_that_there_are() -> None:
    assert len(SYSTEMS) == 6
    assert {split_web_mode(name)[1] for name in SYSTEMS if load_agent(split_web_mode(name)[0])} == {"snippets", "ws"}


def test_own_queries_and_models_go_before_the_preset(tmp_path: Path) -> None:
    asked = asked_by(own(tmp_path), None, "cheap", "paper")
    assert [query.query_id for query in asked.queries] == ["q1"]
    assert asked.profile == "cheap"


def test_other_agents_beside_the_preset_are_refused() -> None:
    with pytest.raises(UserError, match="leave --agent out"):
        asked_by(None, ["react"], None, "paper")


def test_without_queries_the_shipped_ones_are_named() -> None:
    with pytest.raises(UserError, match="drretail queries shipped --to FILE"):
        asked_by(None, None, None, None)


def test_a_preset_that_takes_tools_away_is_left_to_the_agents_options(tmp_path: Path) -> None:
    asked = asked_by(own(tmp_path), None, None, "tools_only")
    assert (asked.agents, asked.profile, asked.ablation) == (["react"], None, "tools_only")


def test_an_unknown_preset_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="paper"):
        asked_by(own(tmp_path), None, None, "papers")
