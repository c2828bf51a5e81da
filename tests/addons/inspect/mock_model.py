"""Inspect's mock model, saying what a test scripts for it."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.log import EvalLog, EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, Model, ModelOutput, ModelUsage, get_model

Says = Callable[[list[ChatMessage]], ModelOutput]
REPORT = "Take the tube feeder at $24.99 [P:B0TEST0001].\n\n```picks\nP:B0TEST0001 x 1\n```\n"


def call(name: str, **args: Any) -> ModelOutput:
    """An answer that is a call."""
    return _counted(ModelOutput.for_tool_call("mockllm/model", name, args))


def say(text: str) -> ModelOutput:
    return _counted(ModelOutput.from_content("mockllm/model", text))


def scripted(*turns: ModelOutput) -> Model:
    """A model that plays the turns in order, from the first in each sample, and the last one again and again."""
    return thinking(lambda messages: turns[min(_answers(messages), len(turns) - 1)].model_copy(deep=True))


def thinking(says: Says) -> Model:
    def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
        return says(messages)

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def evaluated(task: Task | str, model: Model, **given: Any) -> EvalLog:
    (log,) = evaluate(task, model=model, display="none", log_dir="logs", **given)
    return log


def samples_of(log: EvalLog) -> list[EvalSample]:
    assert log.samples is not None, log.error
    return log.samples


def values_of(sample: EvalSample, scorer: str) -> Mapping[str, Any]:
    """A sample's values by variant."""
    value = (sample.scores or {})[scorer].value
    assert isinstance(value, Mapping)
    return value


def read_from(sample: EvalSample, tool: str) -> list[Any]:
    """What a sample's model read from a tool: results from their JSON, errors as they are."""
    read = [each for each in sample.messages if each.role == "tool" and each.function == tool]
    return [each.error.message if each.error else json.loads(each.text) for each in read]


def _answers(messages: Sequence[ChatMessage]) -> int:
    return sum(isinstance(message, ChatMessageAssistant) for message in messages)


def _counted(output: ModelOutput) -> ModelOutput:
    """With its tokens told: the mock model would else count them with a file that it fetches."""
    output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
    return output
