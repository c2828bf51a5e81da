"""``inspect eval drretail/shop_research``, with a mock model. Also tests rollout.py."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from drretail.experiments.experiment import read_definition, read_runs
from drretail.experiments.query_files import write_with_gold
from drretail.records.query import Query
from drretail.records.wish import Want, Wish
from drretail.tools.registry import SUBMIT, SUBMITTING, json_schemas
from tests.build import query
from tests.shop import OTHER

pytest.importorskip("inspect_ai", reason="no inspect_ai: pip install inspect-ai")

from inspect_ai import Task, score
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessage, ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.tool import ToolInfo

from drretail.addons.inspect.task import IDLE_TURNS, basket, checks, shop_research
from tests.addons.inspect.mock_model import (
    REPORT,
    call,
    evaluated,
    read_from,
    samples_of,
    say,
    scripted,
    thinking,
    values_of,
)

SEARCH = call("product_catalog_search", query="bird feeder")
HAND_IN = call(SUBMIT, report=REPORT)
LABEL = "inspect@mockllm-model"


def kept_run(sample: EvalSample) -> dict[str, Any]:
    files = sample.store["drretail"]["files"]
    return json.loads(next(text for name, text in files.items() if name.startswith("runs/")).partition("\n")[0])


def researched(task: Task, *turns: ModelOutput, **given: Any) -> tuple[EvalLog, EvalSample]:
    """The log of the task's first sample by a model that plays these turns, and the sample."""
    log = evaluated(task, scripted(*turns), limit=1, **given)
    (sample,) = samples_of(log)
    return log, sample


def means_of(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {each.name: each.metrics["mean"].value for each in log.results.scores}


def test_a_sample_is_researched_with_our_tools_reported_and_scored(place: str, asked: str) -> None:
    log, sample = researched(shop_research(place, asked), SEARCH, HAND_IN)
    (found,) = read_from(sample, "product_catalog_search")
    assert (log.status, sample.error, found["total"]) == ("success", None, 4)
    assert sample.metadata.keys() == {"kind", "mode", "user_id"}, "nothing of what would answer it"
    scores = sample.scores or {}
    assert scores.keys() == {"checks", "basket", "faithfulness", "process"}
    assert values_of(sample, "faithfulness")["FR"] == 1.0
    assert "**FR** 1" in (scores["faithfulness"].explanation or "")
    assert means_of(log)["price_wrong"] == 0.0

    run = kept_run(sample)
    steps = [("model", "mockllm/model"), ("tool", "product_catalog_search"), ("model", "mockllm/model")]
    assert [(step["kind"], step["name"]) for step in run["steps"]] == steps
    usage = {"calls": 2, "input_uncached": 200, "cache_read": 0, "cache_creation": 0, "output": 20}
    assert run["usage"] == {"client": usage}
    assert (run["run_id"], run["status"], run["picks"][0]["product"]) == (f"{LABEL}/q1-r1", "done", "B0TEST0001")


def test_what_a_query_wants_is_scored_by_its_gold(place: str, tmp_path: Path) -> None:
    wish = Wish(wants=(Want(name="bird feeder", kinds=("bird feeder",)),))
    query = Query(query_id="q1", user_id=OTHER, text="Which bird feeder?", source="test", wish=wish)
    write_with_gold([query], tmp_path / "q.jsonl")
    _, sample = researched(shop_research(place, str(tmp_path / "q.jsonl")), SEARCH, HAND_IN)
    assert values_of(sample, "basket")["feasible"] == 1.0


def test_the_model_is_shown_our_schemas_and_no_others(place: str, asked: str) -> None:
    read: list[ToolInfo] = []

    def answer(_: list[ChatMessage], tools: list[ToolInfo], *__: object) -> ModelOutput:
        read[:] = tools
        return HAND_IN

    evaluated(shop_research(place, asked), get_model("mockllm/model", custom_outputs=answer, memoize=False), limit=1)
    shown = {each.name: (each.description, each.parameters.model_dump(exclude_none=True)) for each in read}
    ours = {schema["name"]: (schema["description"], schema["parameters"]) for schema in json_schemas()}
    for _, parameters in ours.values():
        for name, described in parameters["properties"].items():
            described.setdefault("description", name.replace("_", " "))
    assert shown == ours | {SUBMIT: (SUBMITTING.description, SUBMITTING.as_json())}


def test_a_model_that_calls_nothing_is_stopped_and_lowers_the_means(place: str, asked: str) -> None:
    log, sample = researched(shop_research(place, asked), say("I would take the first."))
    assert sum(message.role == "assistant" for message in sample.messages) == IDLE_TURNS
    assert log.status == "success"
    assert kept_run(sample)["error"]["kind"] == "no_report"
    values, scores = values_of(sample, "checks"), sample.scores or {}
    assert (values["clean"], math.isnan(values["price_wrong"])) == (0.0, True)
    assert "the sample ended before a report was handed in" in (scores["checks"].explanation or "")
    for of_reports in (scores["faithfulness"], scores["process"]):
        assert isinstance(of_reports.value, float)
        assert math.isnan(of_reports.value)
        assert of_reports.reason == "no_report"
    assert means_of(log)["clean"] == 0.0


@solver
def breaks_at_the_second() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state = await generate(state, tool_calls="loop")
        if state.sample_id == "q2":
            raise ValueError("the agent broke")
        return state

    return solve


def test_an_agent_that_breaks_lowers_the_mean_and_what_the_models_server_loses_does_not(place: str, asked: str) -> None:
    def loses(messages: list[ChatMessage]) -> ModelOutput:
        if OTHER in messages[1].text:
            raise ValueError("no such account")
        return SEARCH if len(messages) < 3 else HAND_IN

    broken = {"model": scripted(SEARCH, say(REPORT)), "solver": breaks_at_the_second()}
    for given, mean in ((broken, 0.5), ({"model": thinking(loses)}, 1.0)):
        log = evaluated(shop_research(place, asked), limit=2, fail_on_error=False, **given)
        assert [sample.error is None for sample in samples_of(log)] == [True, False]
        assert (means_of(log)["clean"], means_of(log)["FR"]) == (mean, 1.0)


def test_a_report_that_another_solver_hands_in_ends_its_loop(place: str, asked: str) -> None:
    turns, looping = (SEARCH, HAND_IN, say("I have handed it in.")), generate(tool_calls="loop")
    _, sample = researched(shop_research(place, asked), *turns, solver=looping)
    assert read_from(sample, SUBMIT) == [{"status": "done"}]
    assert sample.messages[-1].role == "tool"
    assert kept_run(sample)["report"] == REPORT.partition("\n\n")[0]


def test_runs_are_kept_as_an_experiment_beside_the_log(place: str, asked: str, tmp_path: Path) -> None:
    for name in ("a", "b", "a"):
        task = shop_research(place, asked, to="exp", name=name)
        evaluated(task, scripted(SEARCH, HAND_IN), limit=1, epochs=2)
    runs = {run.run_id: run for run in read_runs(tmp_path / "exp")}
    assert {name.partition("-solver-")[2] for name in runs} == {
        *(f"a/q1-r{repeat}" for repeat in (1, 2, 3, 4)),
        *(f"b/q1-r{repeat}" for repeat in (1, 2)),
    }
    assert read_definition(tmp_path / "exp").asked[f"{LABEL}-solver-a"] == ("q1",)


def test_a_log_alone_is_enough_to_score_it_again(place: str, asked: str) -> None:
    log, before = researched(shop_research(place, asked, scorers="checks"), SEARCH, HAND_IN)
    again = score(read_eval_log(log.location), [checks(), basket()], action="overwrite", display="none")
    (after,) = samples_of(again)
    assert (after.scores or {}).keys() == {"checks", "basket"}
    assert repr(values_of(after, "checks")) == repr(values_of(before, "checks"))


def test_what_is_wrong_is_a_sentence_before_a_run(place: str, asked: str) -> None:
    turns = query("t-1"), query("t-2", after="t-1")
    Path("talk.jsonl").write_text("".join(f"{turn.as_line()}\n" for turn in turns))
    for name, value, sentence in (
        ("world", "nowhere", "nowhere"),
        ("queries", "nowhere.jsonl", "nowhere.jsonl"),
        ("scorers", "chekcs", "Did you mean checks"),
        ("without", "shop", "family of tools"),
        ("judge", "offline:jduge", "Did you mean judge"),
        ("scope", "every", "scope 'every'"),
        ("to", "queries.jsonl", "exists already"),
        ("queries", "talk.jsonl", "holds conversations"),
    ):
        given = {"world": place, "queries": asked} | {name: value}
        with pytest.raises(PrerequisiteError) as problem:
            shop_research(**given)  # type: ignore[arg-type]  # names as a user writes them
        assert sentence in str(problem.value)
