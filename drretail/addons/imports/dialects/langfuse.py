"""Langfuse's exports: traces, with or without their observations, or observations alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import Conversation, conversation_of, exchange, list_of, text_of, usage_in
from drretail.addons.imports.dialects.dialect import Dialect, about, longest
from drretail.addons.imports.material import FileRow
from drretail.records.run import Usage

_KEYS = frozenset({"traceid", "sessionid", "userid", "observations", "htmlpath", "projectid"})


def fits(value: Mapping[str, Any]) -> bool:
    return "input" in value and "output" in value and not _KEYS.isdisjoint(map(str.casefold, value))


def group(value: Mapping[str, Any]) -> str:
    return text_of(("traceId", "id"), value)


def read(rows: Sequence[FileRow]) -> Conversation | None:
    """The longest conversation of a trace: its own input is often only the question."""
    values = [part for row in rows for part in _with_observations(row.value)]
    _, messages = longest(values, _messages)
    if not messages:
        return None
    fields = about(*values) | {"id": group(rows[0].value)}
    conversation = conversation_of(messages, model=text_of(("model",), *values), **fields)
    conversation.usage = sum((usage_in(part.get("usageDetails") or part.get("usage")) for part in values), Usage())
    return conversation


def _with_observations(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield value
    yield from (observation for observation in list_of(value.get("observations")) if isinstance(observation, dict))


def _messages(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    return exchange(value.get("input"), value.get("output")) if value.get("type") not in ("TOOL", "RETRIEVER") else []


DIALECT = Dialect("Langfuse's exports", ("input", "output", "traceId", "userId", "sessionId"), fits, read, group)
