"""OpenTelemetry's GenAI spans, as SDKs print them or as OTLP sends them, and Traceloop's with numbered attributes."""

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, cast

from drretail.addons.imports.conversation import Conversation, conversation_of, list_of, text_of, usage_in
from drretail.addons.imports.dialects.dialect import TIMES, USERS, Dialect, longest
from drretail.addons.imports.material import FileRow
from drretail.records.run import Usage

_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_NUMBERED = re.compile(r"gen_ai\.(?P<side>prompt|completion)\.(?P<number>\d+)\.(?P<field>role|content)")
_USERS = (*USERS, "user.id", "traceloop.association.properties.user_id")


def fits(value: Mapping[str, Any]) -> bool:
    return "attributes" in value and bool(group(value))


def group(value: Mapping[str, Any]) -> str:
    context = value.get("context")
    return text_of(("trace_id", "traceId"), context if isinstance(context, dict) else value)


def read(rows: Sequence[FileRow]) -> Conversation | None:
    """The longest conversation with a model in one trace, with all spans' tokens; None if no span has messages."""
    spans = [(row.value, _attributes(row.value)) for row in rows]
    (value, attributes), messages = longest(spans, lambda span: _messages(span[1]))
    if not messages:
        return None
    # The tokens of an agent's span are those of the calls below it.
    calls = (span for _, span in spans if span.get("gen_ai.operation.name") != "invoke_agent")
    conversation = conversation_of(
        messages,
        id=text_of(("gen_ai.conversation.id", "session.id"), attributes) or group(value),
        user=text_of(_USERS, *(span for _, span in spans)),
        time=text_of(TIMES, value),
        agent=text_of(("gen_ai.agent.name",), attributes),
        model=text_of(("gen_ai.request.model",), attributes),
    )
    conversation.usage = sum(map(usage_in, calls), Usage())
    return conversation


def _messages(attributes: Mapping[str, Any]) -> list[Any]:
    numbered: dict[tuple[bool, int], dict[str, Any]] = {}
    for match in filter(None, map(_NUMBERED.fullmatch, attributes)):
        place = match["side"] == "completion", int(match["number"])
        numbered.setdefault(place, {})[match["field"]] = attributes[match[0]]
    messages = [*list_of(attributes.get(_INPUT)), *list_of(attributes.get(_OUTPUT))]
    return messages or [message for _, message in sorted(numbered.items(), key=lambda pair: pair[0])]


def _attributes(value: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a span and of its events: an object, or OTLP's list of keys with typed values."""
    attributes = value.get("attributes")
    span_attributes = attributes if isinstance(attributes, dict) else _plain({"kvlistValue": {"values": attributes}})
    events = [_attributes(event) for event in list_of(value.get("events")) if isinstance(event, dict)]
    return reduce(lambda held, event: {**event, **held}, events, cast("dict[str, Any]", span_attributes))


def _plain(value: Any) -> Any:
    """A typed value of OTLP, such as {"intValue": "90"}, as the value itself."""
    typed = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    kind, inner = next(iter(typed.items()), ("", ""))
    if kind == "intValue":
        return int(inner) if str(inner).lstrip("-").isdecimal() else None
    if kind not in ("arrayValue", "kvlistValue") or not isinstance(inner, dict):
        return inner
    values = [pair for pair in list_of(cast("dict[str, Any]", inner).get("values")) if isinstance(pair, dict)]
    if kind == "arrayValue":
        return [_plain(item) for item in values]
    return {str(pair.get("key")): _plain(pair.get("value")) for pair in values}


DIALECT = Dialect("OpenTelemetry's GenAI spans", ("trace_id", "attributes", "resourceSpans"), fits, read, group)
