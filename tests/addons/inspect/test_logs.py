"""Experiments as logs of inspect_ai, read by its own reader."""

import math
from collections.abc import Mapping
from pathlib import Path

import pytest

import drretail
from drretail.env.session import Session
from drretail.experiment import read_runs
from drretail.llm.models import Models
from drretail.records.query import Task
from drretail.records.run import Limits
from tests.addons.inspect.conftest import QUERIES

pytest.importorskip("inspect_ai", reason="no inspect_ai: pip install inspect-ai")

from inspect_ai.event import ModelEvent, ToolEvent
from inspect_ai.log import EvalLog, EvalSample, read_eval_log, resolve_sample_attachments

from drretail.addons.inspect.logs import inspect_logs
from tests.addons.inspect.mock_model import samples_of, values_of

REACT, HYBRID, SEARCHER, BROKEN = "react@offline-shopper", "hybrid_react@offline-shopper", "null_search", "broken"


async def broken(task: Task, session: Session, models: Models, limits: Limits) -> str:
    raise ValueError("no such thing")


@pytest.fixture(scope="session")
def experiment(place: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inspect-log") / "exp"
    agents = {"broken": drretail.Agent(broken, roles=())}
    drretail.run(place, QUERIES, "react", "offline:shopper", to=folder, repeats=2, baselines=False)
    drretail.run(place, QUERIES, "hybrid_react", "offline:shopper", to=folder, baselines=False)
    drretail.run(place, QUERIES, "null_search", to=folder, baselines=False)
    drretail.run(place, QUERIES, agents, "offline:shopper", to=folder, baselines=False)
    drretail.score(folder, ("faithfulness", "checks", "process"))
    return folder


@pytest.fixture(scope="session")
def logs_at(experiment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    inspect_logs(experiment, folder)
    return folder


@pytest.fixture(scope="session")
def logs(logs_at: Path) -> Mapping[str, EvalLog]:
    return {path.stem: read_eval_log(str(path)) for path in logs_at.glob("*.eval")}


def told(sample: EvalSample) -> EvalSample:
    return resolve_sample_attachments(sample)


def test_there_is_a_log_for_each_system_that_inspects_reader_opens(logs: Mapping[str, EvalLog]) -> None:
    assert logs.keys() == {REACT, HYBRID, SEARCHER, BROKEN}
    react = logs[REACT]
    assert (react.status, react.eval.model, react.eval.config.epochs) == ("success", "offline/shopper", 2)
    assert [(one.id, one.epoch) for one in samples_of(react)] == [(q, k) for k in (1, 2) for q in ("q1", "q2", "q3")]
    assert react.eval.dataset.samples == 3


def test_a_sample_holds_what_was_asked_called_found_and_reported(experiment: Path, logs: Mapping[str, EvalLog]) -> None:
    run = next(each for each in read_runs(experiment) if each.run_id == f"{REACT}/q1-r1")
    sample = told(samples_of(logs[REACT])[0])
    assert sample.input == QUERIES[0].text
    assert sample.messages[-1].text == run.report
    assert sample.output.completion == run.report
    called = [event for event in sample.events if isinstance(event, ToolEvent)]
    steps = [step for step in run.steps if step.kind == "tool"]
    assert [(each.function, each.arguments) for each in called] == [(step.name, step.args) for step in steps]
    assert [message.text for message in sample.messages if message.role == "tool"] == [each.result for each in called]
    asked_for = [call.id for turn in sample.messages if turn.role == "assistant" for call in turn.tool_calls or ()]
    assert asked_for == [each.id for each in called]
    assert sample.metadata["run_id"] == run.run_id


def test_model_calls_have_what_was_read_and_their_tokens_add_up(logs: Mapping[str, EvalLog]) -> None:
    for name in (REACT, HYBRID):
        for sample in map(told, samples_of(logs[name])):
            calls = [event for event in sample.events if isinstance(event, ModelEvent)]
            used = sum(call.output.usage.total_tokens for call in calls if call.output.usage is not None)
            assert used == sum(each.total_tokens for each in sample.model_usage.values()) > 0
            assert calls[0].input[0].role == "system"
            assert QUERIES[0].text in calls[0].input[1].text or sample.id != "q1"


@pytest.mark.parametrize("name", [REACT, HYBRID, SEARCHER])
def test_messages_read_as_a_conversation(logs: Mapping[str, EvalLog], name: str) -> None:
    for sample in map(told, samples_of(logs[name])):
        first, *others = sample.messages
        assert (first.role, others[-1].role, others[-1].text) == ("user", "assistant", sample.output.completion)
        open_calls: list[str] = []
        for message in others:
            if message.role == "assistant":
                assert not open_calls, "each call is answered before the next answer"
                open_calls = [call.id for call in message.tool_calls or ()]
            else:
                assert message.role == "tool"
                assert message.tool_call_id == open_calls.pop(0)
        assert [message.text for message in others].count(sample.output.completion) == 1


def test_scores_have_values_and_explanations_or_nan_and_inspects_means_are_ours(logs: Mapping[str, EvalLog]) -> None:
    sample = samples_of(logs[REACT])[0]
    scores = sample.scores or {}
    assert scores.keys() == {"faithfulness", "checks", "process"}
    assert all(values_of(sample, name) and score.explanation for name, score in scores.items())
    assert math.isnan(values_of(sample, "checks")["without_unwanted_brand"])
    compared = 0
    for name in (REACT, HYBRID):
        results = logs[name].results
        assert results is not None
        for score in results.scores:
            ours = (score.metadata or {}).get("drretail", {}).get("value")
            if ours is not None:
                assert score.metrics["mean"].value == pytest.approx(ours, abs=1e-9)
                compared += 1
    assert compared > 50


def test_a_failed_run_is_a_sample_with_its_error_that_is_0_in_success(logs: Mapping[str, EvalLog]) -> None:
    log = logs[BROKEN]
    for sample in samples_of(log):
        assert sample.error is not None
        assert "no such thing" in sample.error.message
        assert "in broken" in sample.error.traceback
        assert values_of(sample, "checks")["clean"] == 0.0
        assert (sample.scores or {})["faithfulness"].reason == "not_judged"
    assert log.results is not None
    (clean,) = (score for score in log.results.scores if score.name == "clean")
    assert clean.metrics["mean"].value == 0.0
    assert (log.results.total_samples, log.results.completed_samples) == (3, 0)
