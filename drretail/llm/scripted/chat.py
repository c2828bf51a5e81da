"""The langchain chat model that plays a script."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core import exceptions
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata
from langchain_core.messages.tool import tool_call
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr

from drretail.errors import ModelError
from drretail.llm.prices import FREE
from drretail.llm.providers import Asked
from drretail.llm.registry import Model, ModelInfo
from drretail.llm.scripted.local import LocalChat
from drretail.llm.scripted.script import ErrorKind, Request, ScriptedAnswer, ScriptedCall, read_script
from drretail.llm.usage import usage_of
from drretail.records.base import ModelKind, canonical_json, sha256_of
from drretail.records.run import Usage
from drretail.records.tables.figures import counted

PROVIDER = "scripted"
Written = ScriptedAnswer | AIMessage | str | BaseException
"""An answer as a test writes it; an exception is raised."""
Play = Callable[[Request], Written]
"""Gives the answer to a request: a ``Script``, or any function."""
EMPTY = "end_turn"
"""The stop reason of an answer without text."""
_SCHEMA = "answer_schema"
"""The bound argument that holds the name of the schema that the answer must be in."""


class _RateLimited(exceptions.ModelRateLimitError):
    status_code = 429


class _Overloaded(exceptions.ModelAPIError):
    status_code = 529


class _Invalid(exceptions.ModelInvalidRequestError):
    status_code = 400


_ERRORS: dict[ErrorKind, type[Exception]] = {
    "rate_limit": _RateLimited,
    "overloaded": _Overloaded,
    "connection": exceptions.ModelConnectionError,
    "timeout": exceptions.ModelTimeoutError,
    "context_overflow": exceptions.ContextOverflowError,
    "invalid": _Invalid,
}
"""The errors as the clients of providers raise them, so that they are read, retried and recorded alike. A refusal is
not among them: it is an answer with a stop reason, as with providers.
"""


class ScriptedChat(LocalChat):
    """A chat model that plays answers. ``asked`` keeps every request, in order of arrival."""

    provider = PROVIDER
    play: Play = Field(exclude=True)
    model: str = "script"
    asked: list[Request] = Field(default_factory=list[Request], exclude=True)
    _raised: Counter[str] = PrivateAttr(default_factory=Counter[str])
    """How often each request met a temporary error: nothing in a request tells a second attempt from the first."""
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with these tools in OpenAI's form. with_structured_output binds its schema as a tool."""
        if "ls_structured_output_format" in kwargs:
            kwargs[_SCHEMA] = convert_to_openai_tool(tools[0])["function"]["name"]
        return super().bind_tools(tools, tool_choice=tool_choice, **kwargs)

    def _answer(self, messages: list[BaseMessage], bound: dict[str, Any]) -> AIMessage:
        request = _request(messages, bound)
        with self._lock:
            self.asked.append(request)
        answer = _as_answer(self.play(request))
        if answer.error is not None and self._is_raised(answer, request):
            if answer.error != "refusal":
                raise _ERRORS[answer.error](answer.message or f"scripted {answer.error}")
            answer = ScriptedAnswer(text=answer.message, stop="refusal", usage=answer.usage)
        calls, text = list(answer.calls), answer.text
        if answer.structured is not None and request.schema:  # as a call of the tool that stands for the schema
            calls = [ScriptedCall(name=request.schema, args=answer.structured)]
        elif answer.structured is not None:
            text = json.dumps(answer.structured, ensure_ascii=False)
        if answer.calls and not request.may_call:
            raise ModelError("model", f"the script calls {calls[0].name} where no call is allowed: {request}")
        return AIMessage(
            text,
            tool_calls=[tool_call(name=call.name, args=call.args, id=None) for call in calls],
            usage_metadata=_counted(answer.usage) if answer.usage else None,
            response_metadata={"stop_reason": answer.stop},
        )

    def _is_raised(self, answer: ScriptedAnswer, request: Request) -> bool:
        if answer.times is None:
            return True
        key = sha256_of([[message.type, message.content] for message in request.messages])
        with self._lock:
            self._raised[key] += 1
            return self._raised[key] <= answer.times


def open_scripted(name: str, asked: Asked) -> Model:
    """The model that plays the script at this path. Raises UserError if there is none."""
    script = read_script(Path(name))
    model = scripted_model(play=script, name=name)
    # Another script is another model: a journal must not answer for it.
    digest = sha256_of(canonical_json(script.model_dump(mode="json", exclude={"name"})))[:8]
    return replace(model, params={"script": digest}, retrying=asked.retrying)


def scripted_model(
    *written: Written, play: Play | None = None, name: str = "test", kind: ModelKind = "scripted"
) -> Model:
    """A model that gives these answers in order, or those of ``play``: a ``Script``, or a function of the request.

    The order is by turn, as in a script: the first answer is for the first turn of each conversation. An exception is
    raised.
    """
    info = ModelInfo(spec=f"{PROVIDER}:{name}", provider=PROVIDER, model=name, kind=kind)
    chat = ScriptedChat(play=play or _in_order(written), model=name)
    return Model(info.spec, lambda: chat, info, {}, price=FREE)


def requests_of(model: Model) -> list[Request]:
    """Every request that a scripted model got so far, in order of arrival. The list grows with later requests."""
    assert isinstance(model.chat, ScriptedChat)
    return model.chat.asked


def _in_order(written: Sequence[Written]) -> Play:
    """Gives the answers by turn. Raises ModelError for a turn after the last."""

    def play(request: Request) -> Written:
        if request.turn > len(written):
            raise ModelError(
                "model", f"the script has {counted(len(written), 'answer')} and none for this request: {request}"
            )
        return written[request.turn - 1]

    return play


def _as_answer(written: Written) -> ScriptedAnswer:
    if isinstance(written, BaseException):
        raise written
    if isinstance(written, AIMessage):
        calls = tuple(ScriptedCall(name=call["name"], args=call["args"]) for call in written.tool_calls)
        usage = usage_of(written) if written.usage_metadata else None
        return ScriptedAnswer(
            text=written.text, calls=calls, stop=None if written.text or calls else EMPTY, usage=usage
        )
    return ScriptedAnswer(text=written, stop=None if written else EMPTY) if isinstance(written, str) else written


def _request(messages: Sequence[BaseMessage], bound: dict[str, Any]) -> Request:
    names = tuple(tool["function"]["name"] for tool in bound.get("tools") or ())
    choice = bound.get("tool_choice")
    may_call = choice != "none" and not (isinstance(choice, dict) and choice.get("type") == "none")
    schema = bound.get(_SCHEMA)
    return Request(tuple(messages), () if schema else names, schema, may_call)


def _counted(usage: Usage) -> UsageMetadata:
    read = usage.input_uncached + usage.cache_read + usage.cache_creation
    details = InputTokenDetails(cache_read=usage.cache_read, cache_creation=usage.cache_creation)
    return UsageMetadata(
        input_tokens=read, output_tokens=usage.output, total_tokens=read + usage.output, input_token_details=details
    )
