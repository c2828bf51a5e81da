"""LangSmith's runs: of the runs of one trace, the first with the most messages counts, with the calls of tool runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import (
    ASSISTANT,
    Conversation,
    answered,
    conversation_of,
    exchange,
    object_of,
    text_of,
    usage_in,
)
from drretail.addons.imports.dialects.dialect import TIMES, Dialect, about, longest, moment_in
from drretail.addons.imports.material import FileRow
from drretail.records.run import Usage


def fits(value: Mapping[str, Any]) -> bool:
    return "inputs" in value and "outputs" in value and bool(text_of(("run_type", "trace_id", "run_id"), value))


def group(value: Mapping[str, Any]) -> str:
    return text_of(("trace_id", "run_id", "id"), value)


def read(rows: Sequence[FileRow]) -> Conversation | None:
    values = [row.value for row in rows]
    value, messages = longest(values, _messages)
    if not messages:
        return None
    if not any(message.get("role") == "tool" or message.get("type") == "tool" for message in messages):
        at = len(messages) - bool(answered(value.get("outputs")))
        messages[at:at] = _tool_calls(values)
    metadata = [object_of(object_of(part.get("extra")).get("metadata")) for part in values]
    fields = about(value, *metadata, *values) | {"id": group(value)}
    conversation = conversation_of(messages, model=text_of(("model", "ls_model_name"), *metadata), **fields)
    asked_models = [part for part in values if part.get("run_type") == "llm"] or [value]
    conversation.usage = sum(map(usage_in, asked_models), Usage())
    return conversation


def _messages(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    is_of_model = value.get("run_type") not in ("tool", "retriever")
    return exchange(value.get("inputs"), value.get("outputs")) if is_of_model else []


def _tool_calls(values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The calls of a trace's tool runs, each with its result, in the order of their times."""
    runs = [value for value in values if value.get("run_type") in ("tool", "retriever")]
    messages: list[dict[str, Any]] = []
    for number, run in enumerate(sorted(runs, key=lambda run: moment_in(text_of(TIMES, run)) or (0, 0)), 1):
        call = {"id": f"run-{number}", "name": text_of(("name",), run), "arguments": run.get("inputs")}
        result = run.get("outputs") if run.get("error") is None else run.get("error")
        messages += [
            {"role": ASSISTANT, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": _output(result)}
            | ({"status": "error"} if run.get("error") is not None else {}),
        ]
    return messages


def _output(result: Any) -> Any:
    """What a tool returned: LangChain writes it around the tool's own result."""
    inner = object_of(result)
    return inner["output"] if len(inner) == 1 and "output" in inner else result


DIALECT = Dialect("LangSmith's runs", ("inputs", "outputs", "run_type", "trace_id"), fits, read, group)
