"""The options that an experiment keeps: run again from their file, they make the same runs to the byte."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from drretail import agents, ask, open_experiment, open_world, read_experiment, run
from drretail.api.option import declared_options
from drretail.api.options.run import RunOptions
from drretail.api.recorded import RecordedExperiment
from drretail.api.settings import Settings
from drretail.api.systems import ASIDE, kept_options
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiment import KeptOptions, read_options
from drretail.parsing import parse_toml
from drretail.records.run import Limits
from tests.build import files
from tests.shop import USER, build_shop

QUESTIONS = ["Which bird feeder suits me, under $30?", "A bird bath, please."]
MODULE = """
from drretail import Answer

async def answer(task, session, models, limits):
    return Answer(report="Nothing is known.", picks=())

def recall(record, question):
    return f"{len(record.orders)} orders"
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[World]:
    """In a folder with a module ``kept_agent`` and a folder ``terse`` of prompts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("kept_agent.py").write_text(MODULE, encoding="utf-8")
    Path("terse").mkdir()
    packaged = Path(agents.__file__).parent / "prompts" / "react.md"
    Path("terse/react.md").write_text(f"{packaged.read_text(encoding='utf-8')}\nBe brief.\n", encoding="utf-8")
    with open_world(build_shop(tmp_path / "w")) as opened:
        yield opened


def run_again(options: KeptOptions, world: World, experiment: RecordedExperiment) -> None:
    given: dict[str, Any] = {**read_experiment(options.path), "world": world, "to": "again"}
    run(queries=experiment.definition.queries, **given)


def kept(options: RunOptions, **settings: Any) -> dict[str, Any]:
    text = kept_options(options, Settings(**settings), ["a"], Path("exp"))
    return parse_toml(text)


@pytest.mark.parametrize(
    ("given", "needs"),
    [
        ({"agents": "react", "vary": {"counterfactual": "own,swap", "without": ["web"]}}, []),
        (
            {"agents": ["plan_to_function", "v2=kept_agent:answer"], "repeats": 2, "pages": False},
            ["v2=kept_agent:answer"],
        ),
        ({"agents": "react", "prompts": "terse", "limits": Limits(tool_turns=3)}, ["prompts: ../../terse"]),
        (
            {"agents": "react", "vary": {"memory": "none,kept_agent:recall", "moves": "none,prices:0.2"}, "only": 1},
            ["kept_agent:recall"],
        ),
    ],
    ids=["counterfactual", "own agent", "prompts", "memory"],
)
def test_an_experiment_is_made_again_from_what_it_keeps(world: World, given: dict[str, Any], needs: list[str]) -> None:
    first = run(world, QUESTIONS, to="exp", user=USER, **given)
    (options,) = read_options(first.folder)
    assert (sorted(options.labels), list(options.needs)) == (first.systems, needs)
    line = f"drretail run exp/options/{options.path.name} --world W --queries queries.jsonl --to exp-again"
    assert [each for each in first.commands if each.startswith("drretail run")] == [line]

    run_again(options, world, first)
    assert files(Path("again"), "run.json") == files(first.folder, "run.json")
    assert files(Path("again"), "*.toml") == files(first.folder, "*.toml")


def test_a_question_is_kept_as_options_of_run_and_one_with_a_person_is_not(world: World) -> None:
    first = ask("A bird bath, please.", world, user=USER, to="exp", vary={"without": "web"})
    (options,) = read_options(Path("exp"))
    run_again(options, world, open_experiment("exp"))
    assert files(Path("again"), "run.json") == files(Path("exp"), "run.json")
    assert options.labels == (first.run.system,)


def test_shards_keep_one_file_and_what_they_cost_or_lie_in_is_left_out() -> None:
    plain = kept(RunOptions(agents=["react"], seed="7"))
    aside: dict[str, Any] = {"world": "w", "queries": "q.jsonl", "to": "exp", "title": "T"}
    aside |= {"shard": "1/2", "retry": "failed", "replay": "old", "parallel": 2, "max_dollars": 1.0}
    assert kept(RunOptions(agents=["react"], seed="7", **aside)) == plain
    assert plain == {"agents": ["react"], "seed": "7", "model": ["offline:shopper"], "labels": ["a"], "needs": []}
    assert {option.name for option in declared_options(RunOptions)} >= ASIDE


def test_settings_stand_for_what_is_not_given_and_what_only_python_gives_is_said() -> None:
    found = kept(RunOptions(agents={"mine": lambda question: question}), model="openai:gpt-5", web="searxng")
    assert (found["model"], found["web"]) == (["openai:gpt-5"], "searxng")
    assert ("agents" in found, found["needs"]) == (False, ["agents from Python"])
    assert kept(RunOptions(base_url="http://user:secret@host"))["needs"] == ["--base-url"]


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "options").mkdir()
    for text in ("labels = [", 'labels = ["a"]', "labels = 1\nneeds = 2"):
        (tmp_path / "options" / "a.toml").write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match="delete it, or restore it"):
            read_options(tmp_path)
