"""LangSmith's runs: of the runs of one trace, the first with the most messages counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import Conversation, conversation_of, exchange, object_of, text_of, usage_in
from drretail.addons.imports.dialects.dialect import Dialect, about, longest
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
    metadata = [object_of(object_of(part.get("extra")).get("metadata")) for part in values]
    fields = about(value, *metadata, *values) | {"id": group(value)}
    conversation = conversation_of(messages, model=text_of(("model", "ls_model_name"), *metadata), **fields)
    asked_models = [part for part in values if part.get("run_type") == "llm"] or [value]
    conversation.usage = sum(map(usage_in, asked_models), Usage())
    return conversation


def _messages(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    is_of_model = value.get("run_type") not in ("tool", "retriever")
    return exchange(value.get("inputs"), value.get("outputs")) if is_of_model else []


DIALECT = Dialect("LangSmith's runs", ("inputs", "outputs", "run_type", "trace_id"), fits, read, group)
