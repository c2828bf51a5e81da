"""A run, its scores and a comparison from Python. Tests run.py, score.py, systems.py and recorded.py."""

from pathlib import Path
from typing import Any

import pytest

import drretail
from drretail import Agent, Answer, agents, open_experiment, open_model, read_experiment, run, score
from drretail.api.options.run import RunOptions
from drretail.api.recorded import RecordedExperiment
from drretail.api.systems import with_preset
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import UnknownName, UserError
from drretail.eval.numbers.judges import Board, read_board, write_board
from drretail.experiments.experiment import LABELS, read_definition, read_options
from drretail.llm.models import Models
from drretail.querygen.reading import shipped_queries
from drretail.records.query import Task
from drretail.records.run import Limits
from drretail.viewer.paper import SYSTEMS
from tests.agents.conftest import QUERY
from tests.build import files
from tests.run_files import runs_in
from tests.sealed import Page, seal
from tests.shop import USER, build_shop

QUESTION = "Which bird feeder suits me, under $30?"


async def nobody(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    return Answer(report="Nothing is known.")


MINE = Agent(nobody, roles=())


@pytest.fixture
def experiment(world: World, tmp_path: Path) -> RecordedExperiment:
    """One question, answered by react and by an agent of one's own."""
    agents = ["react", MINE]
    return run(world, [QUESTION], agents, to=tmp_path / "exp", user=USER, baselines=False, title="Feeders, first try")


def test_runs_are_read_from_the_folder_and_are_made_once(experiment: RecordedExperiment, world: World) -> None:
    assert experiment.systems == ["nobody", "react@offline-shopper"]
    assert read_definition(experiment.folder).title == "Feeders, first try"
    assert [(one.status, one.user_id) for one in experiment] == [("done", USER)] * 2
    report = experiment.report("react")
    assert "http://ecommerce.com/B0TEST000" in report
    assert "[P:" not in report
    assert experiment.report("nobody").startswith("Nothing is known.")
    assert any(item.kind == "product" for item in experiment.evidence(experiment.run("react")))
    assert [tally.done for tally in experiment.tallies] == [1, 1]
    again = run(world, [QUESTION], ["react", MINE], to=experiment.folder, user=USER, baselines=False)
    assert [tally.before for tally in again.tallies] == [1, 1]


def test_scores_are_rows_and_a_mapping_and_opened_again(experiment: RecordedExperiment, tmp_path: Path) -> None:
    scores = score(experiment, ["faithfulness", "process"])
    assert {row.metric for row in scores.scores} == {"faithfulness", "process"}
    by_system = scores.by_system("FP", metric="faithfulness")
    assert list(by_system) == ["nobody", "react@offline-shopper"]
    assert by_system["nobody"] is None  # its report cites nothing
    assert scores.by_system("done") == {"nobody": 1, "react@offline-shopper": 1}
    with pytest.raises(UnknownName, match="scored variant 'FQ'"):
        scores.by_system("FQ")
    made = score(experiment, ["process"])
    opened = open_experiment(str(experiment.folder))
    assert opened.scores is not None
    assert (opened.systems, dict(opened.scores)) == (experiment.systems, dict(made))
    assert [answer.report for answer in opened.reports()] == [answer.report for answer in experiment.reports()]
    with pytest.raises(UserError, match="does not exist"):
        open_experiment(tmp_path / "nothing")
    with pytest.raises(UserError, match="name a file of options"):
        read_experiment(tmp_path)


def test_who_was_named_keeps_the_board_and_is_said_where_nobody_is(
    experiment: RecordedExperiment, capsys: pytest.CaptureFixture[str]
) -> None:
    write_board(experiment.folder, judged := Board(judge=("openai:m 1f2920e1",)))
    for metric, is_said in (("checks", False), ("faithfulness", True)):
        score(experiment, metric)
        said = "The board stays with openai:m: --judge offline:judge replaces it." in capsys.readouterr().err
        assert (said, read_board(experiment.folder)) == (is_said, judged)
    score(experiment, "faithfulness", judge="offline:judge")
    assert read_board(experiment.folder).judge == ("offline:judge",)


def test_an_experiment_of_the_papers_preset_is_scored_as_the_paper_does_unless_told_otherwise(
    world: World, tmp_path: Path
) -> None:
    asked: dict[str, Any] = {"model": "offline:shopper", "to": tmp_path / "exp", "user": USER, "baselines": False}
    made = run(world, [QUESTION], "react", preset="paper", **asked)
    assert read_definition(made.folder).preset == "paper"
    scores = score(made)
    assert {(row.metric, row.rules) for row in scores.scores} == {("faithfulness", "paper"), ("quality", "paper")}
    assert read_board(made.folder) == Board(rules="paper", judge=("offline:judge",))
    score(made, "faithfulness", rules="default")
    assert read_board(made.folder).rules == "default"
    (options,) = read_options(made.folder)
    assert 'preset = "paper"' in options.read_text()


def test_a_model_may_be_open_already_or_go_by_role(world: World, tmp_path: Path) -> None:
    for name, model in {"a": open_model("offline:shopper"), "b": {"researcher": "offline:shopper"}}.items():
        made = run(world, [QUESTION], "react", model, to=tmp_path / name, baselines=False)
        assert made.run("react").status == "done"


def test_a_world_may_be_named_and_is_recorded_as_found_again(tmp_path: Path) -> None:
    made = run(str(build_shop(tmp_path / "w")), [QUESTION], {"own": MINE}, baselines=False)
    assert made.systems == ["own"]
    assert made.folder.name.startswith("drretail-")
    assert score(made, "checks").scores  # the world is opened again by what the runs say of it


def test_what_must_be_mended_is_said(tiny_shop: Path, tmp_path: Path) -> None:
    cases: list[tuple[Any, Any, dict[str, Any], str]] = [
        (QUESTION, None, {}, r"put it into a list, \[question\]"),
        ([QUESTION], "reakt", {}, "Did you mean react"),
        ([QUESTION], {"oracle": MINE}, {}, "There is an agent oracle already: give yours another name"),
        ([QUESTION], [MINE], {"user": "NOBODY"}, "no user 'NOBODY'"),
        *((wrong, "react", {}, r"is a question or a Query, and '.*' is neither") for wrong in (5, [5], [None])),
        ([], [MINE], {}, "list of queries is empty"),
        (["?"], None, {"max_token": 3}, r"There is no option of run 'max_token'\. Did you mean max_tokens"),
    ]
    for queries, chosen, options, sentence in cases:
        with pytest.raises(UserError, match=sentence):
            run(tiny_shop, queries, chosen, to=tmp_path / "exp", **options)
        assert not (tmp_path / "exp").exists(), sentence
        with pytest.raises(UserError, match="does not exist"):
            score(tmp_path / "exp")


def test_what_is_of_another_type_than_the_option_is_said(experiment: RecordedExperiment) -> None:
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (3, {}, "The experiment is of type int: name its folder"),
        (experiment, {"metrics": [3]}, "There is no metric '3'"),
        (experiment, {"by": [None]}, "by is of type list, and has to be str"),
        (experiment, {"rules": "papr"}, "There is no value of rules 'papr'. Did you mean paper"),
        (experiment, {"retry": "all"}, "There is no value of retry 'all'. Known are everything, failed"),
        (experiment, {"rules": 3}, "rules is of type int, and has to be one of default, paper"),
        (experiment, {"repeats": "2"}, "repeats is '2', and has to be int"),
    ]
    for folder, given, sentence in wrong:
        with pytest.raises(UserError, match=sentence):
            score(folder, **given)


def test_the_papers_preset_is_six_systems_fifty_queries_and_its_models() -> None:
    options = with_preset(RunOptions(preset="paper"))
    assert (options.agents, options.model_profile) == (SYSTEMS, "paper-like")
    assert options.vary == {"scope": "any"}
    assert options.queries == shipped_queries()
    assert len(shipped_queries()) == 50
    assert with_preset(RunOptions(preset="paper", agents="react")).agents == "react"


def test_a_sandbox_brings_its_queries(tmp_path: Path) -> None:
    place = build_shop(tmp_path / "w")
    with drretail.open_world(place) as world:
        page = Page("good", "Bird feeder test", "Clean a bird feeder every two weeks.", "32k", "supportive")
        web = f"sandbox:{seal(tmp_path / 's', {'q1': [page]}, [QUERY], world.manifest)}"
        with pytest.raises(UserError, match="Name questions with --queries FILE"):
            drretail.run(world, baselines=False)
        with pytest.raises(UserError, match="give its web to open_world"):
            drretail.run(world, web=web)
    made = drretail.run(place, web=web, vary={"size": "32k", "compose": "no_distractor"}, baselines=False)
    assert [tally.done for tally in made.tallies] == [1]


QUESTIONS = ["Which bird feeder suits me, under $30?", "A bird bath, please."]
MODULE = """
from drretail import Answer, Condition

async def answer(task, session, models, limits):
    return Answer(report="Nothing is known.", picks=())

PACE = Condition(name="pace", about="how fast", values=("slow", "fast"), task=lambda task, query, value: task)
"""


@pytest.mark.parametrize(
    "given",
    [
        {"agents": ["plan_to_function", "v2=kept_agent:answer"], "repeats": 2, "pages": False},
        {"agents": "react", "prompts": "terse", "limits": Limits(tool_turns=3)},
        {"agents": "react", "vary": {"kept_agent:PACE": "slow,fast"}, "only": 1},
    ],
    ids=["own agent", "prompts", "own condition"],
)
def test_an_experiment_is_made_again_from_what_it_keeps(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("kept_agent.py").write_text(MODULE, encoding="utf-8")
    Path("terse").mkdir()
    packaged = Path(agents.__file__).parent / "prompts" / "react.md"
    Path("terse/react.md").write_text(f"{packaged.read_text(encoding='utf-8')}\nBe brief.\n", encoding="utf-8")
    first = run(world, QUESTIONS, to="exp", user=USER, **given)
    ((options, kept),) = read_options(first.folder).items()
    assert kept[LABELS] == first.systems
    line = f"drretail run exp/options/{options.name} --world W --queries queries.jsonl --to exp-again"
    assert [each for each in first.commands if each.startswith("drretail run")] == [line]

    read: dict[str, Any] = {**read_experiment(options, trust=True), "world": world, "to": "again"}
    run(queries=first.definition.queries, **read)
    assert runs_in(Path("again")) == runs_in(first.folder)
    assert files(Path("again"), "*.toml") == files(first.folder, "*.toml")


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "options").mkdir()
    for text in ("labels = [", "labels = 1", "agents = []"):
        (tmp_path / "options" / "a.toml").write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match="delete it, or restore it"):
            read_options(tmp_path)
