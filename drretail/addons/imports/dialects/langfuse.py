"""Langfuse's exports: traces, with or without their observations, or observations alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from drretail.addons.imports.conversation import Conversation, conversation_of, exchange, list_of, text_of, usage_in
from drretail.addons.imports.dialects.dialect import Dialect, about, moment_in
from drretail.addons.imports.material import CUT, FileRow
from drretail.records.run import Usage

_KEYS = frozenset({"traceid", "sessionid", "userid", "observations", "htmlpath", "projectid"})
_REASONS = {CUT: CUT, "user": "another question of one trace", "assistant": "another answer of one trace"}
_FAILED = "the output of an observation that ended with an error"


def fits(value: Mapping[str, Any]) -> bool:
    return "input" in value and "output" in value and not _KEYS.isdisjoint(map(str.casefold, value))


def group(value: Mapping[str, Any]) -> str:
    return text_of(("traceId", "id"), value)


def read(rows: Sequence[FileRow]) -> Conversation | None:
    """The longest conversation of a trace: its own input is often only the question. Of equals the last to end counts.

    An answer or a question that is not in it is left out with its reason.
    """
    pairs = ((row, part) for row in rows for part in _with_observations(row.value))
    parts = sorted(pairs, key=lambda pair: _end(pair[1]))
    values = [part for _, part in parts]
    fields = about(*values) | {"id": group(rows[0].value), "model": text_of(("model",), *values)}
    read = [(row, part, conversation_of(_messages(part), **fields)) for row, part in parts]
    kept_row, _, conversation = max(reversed(read), key=lambda entry: len(entry[2].messages))
    said = {(each.role, each.text) for each in conversation.messages}
    for row, part, other in read:
        unsaid = {each.role for each in other.messages if each.text and (each.role, each.text) not in said}
        for reason in [reason for role, reason in _REASONS.items() if role in unsaid][:1]:
            if part is row.value and row is not kept_row:
                conversation.left_out[row.where] = reason
            else:
                conversation.unread[reason] += 1
    conversation.unread[_FAILED] += sum(part.get("level") == "ERROR" and bool(part.get("output")) for part in values)
    conversation.usage = sum((usage_in(part.get("usageDetails") or part.get("usage")) for part in values), Usage())
    return conversation if conversation.messages else None


def _with_observations(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield value
    yield from (observation for observation in list_of(value.get("observations")) if isinstance(observation, dict))


def _end(value: Mapping[str, Any]) -> tuple[bool, int]:
    """Sorts observations by time, and the trace itself, whose output the user saw, behind them."""
    moment = moment_in(text_of(("endTime", "startTime", "timestamp"), value))
    return not text_of(("traceId",), value), 0 if moment is None else moment[0]


def _messages(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    if value.get("type") in ("TOOL", "RETRIEVER"):
        return []
    return exchange(value.get("input"), None if value.get("level") == "ERROR" else value.get("output"))


DIALECT = Dialect("Langfuse's exports", ("input", "output", "traceId", "userId", "sessionId"), fits, read, group)
