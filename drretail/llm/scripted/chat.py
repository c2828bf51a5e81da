"""The langchain chat model that plays a script."""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from langchain_core import exceptions
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.base import LangSmithParams
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr

from drretail.errors import ModelError
from drretail.llm.budget import CHARACTERS_PER_TOKEN
from drretail.llm.prices import FREE
from drretail.llm.providers import Asked
from drretail.llm.registry import Model, ModelInfo
from drretail.llm.scripted.script import ErrorKind, Request, ScriptedAnswer, ScriptedCall, read_script
from drretail.llm.usage import usage_of
from drretail.records.base import canonical_json, sha256_of
from drretail.records.run import ModelKind, Usage
from drretail.tables.figures import counted

PROVIDER = "scripted"
Written = ScriptedAnswer | AIMessage | str | BaseException
"""An answer as a test writes it; an exception is raised."""
Play = Callable[[Request], Written]
"""What is answered to a request: a ``Script``, or any function."""
EMPTY = "end_turn"
"""Why an answer without any text ended."""
_SCHEMA = "answer_schema"
"""Among the bound arguments: the name of the schema that the answer has to be in."""


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
"""As the clients of providers raise them, so that they are read, tried again and recorded alike. A refusal is an answer
with a stop reason, as with providers."""


class ScriptedChat(BaseChatModel):
    """Plays answers; ``asked`` keeps every request, in order of arrival."""

    play: Play = Field(exclude=True)
    model: str = "script"
    asked: list[Request] = Field(default_factory=list[Request], exclude=True)
    # Accepted as every chat model does, without effect: there is neither sampling nor a network.
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    max_retries: int = 0
    stop: list[str] | None = None
    _raised: Counter[str] = PrivateAttr(default_factory=Counter[str])
    """How often each request met an error that passes: nothing in a request tells a second attempt from the first."""
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return PROVIDER

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model}

    def _get_ls_params(self, stop: list[str] | None = None, **kwargs: Any) -> LangSmithParams:
        params = super()._get_ls_params(stop=stop, **kwargs)
        params["ls_provider"] = PROVIDER
        params["ls_model_name"] = str(kwargs.get("model", self.model))
        return params

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: Any = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with these tools in OpenAI's form; with_structured_output binds its schema as one."""
        bound = [convert_to_openai_tool(tool) for tool in tools]
        if "ls_structured_output_format" in kwargs:
            kwargs[_SCHEMA] = bound[0]["function"]["name"]
        return self.bind(tools=bound, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        request = _request(messages, kwargs)
        with self._lock:
            self.asked.append(request)
        answer = _as_answer(self.play(request))
        if answer.error is not None and self._is_raised(answer, request):
            if answer.error != "refusal":
                raise _ERRORS[answer.error](answer.message or f"scripted {answer.error}")
            answer = ScriptedAnswer(text=answer.message, stop="refusal", usage=answer.usage)
        text, calls = _text_and_calls(answer, request)
        for mark in stop or self.stop or []:
            text = text.split(mark)[0]
        tools = kwargs.get("tools") or []
        message = AIMessage(
            content=text,
            tool_calls=calls,
            usage_metadata=_counted(answer.usage) if answer.usage else estimated_usage(messages, tools, text, calls),
            response_metadata={
                "model_name": str(kwargs.get("model", self.model)),
                "model_provider": PROVIDER,
                "stop_reason": answer.stop or ("tool_use" if calls else "end_turn"),
            },
        )
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _is_raised(self, answer: ScriptedAnswer, request: Request) -> bool:
        if answer.times is None:
            return True
        key = sha256_of([[message.type, message.content] for message in request.messages])
        with self._lock:
            self._raised[key] += 1
            return self._raised[key] <= answer.times

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        message = self._generate(messages, stop, **kwargs).generations[0].message
        assert isinstance(message, AIMessage)
        yield from in_chunks(message)


def in_chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """A whole answer as a provider streams it: its text word by word, then its calls and its usage."""
    for word in re.findall(r"\A\s*+\S++\s*+|\S++\s*+", message.text):
        yield ChatGenerationChunk(message=AIMessageChunk(content=word))
    last = AIMessageChunk(
        content="",
        usage_metadata=message.usage_metadata,
        response_metadata=message.response_metadata,
        chunk_position="last",
        tool_call_chunks=[
            {
                "type": "tool_call_chunk",
                "name": call["name"],
                "args": json.dumps(call["args"]),
                "id": call["id"],
                "index": index,
            }
            for index, call in enumerate(message.tool_calls)
        ],
    )
    yield ChatGenerationChunk(message=last)


def open_scripted(name: str, asked: Asked) -> Model:
    """The model that plays the script at this path; UserError where there is none."""
    script = read_script(Path(name))
    model = scripted_model(play=script, name=name)
    # Another script is another model: a journal must not answer for it.
    digest = sha256_of(canonical_json(script.model_dump(mode="json", exclude={"name"})))[:8]
    return replace(model, params={"script": digest}, retrying=asked.retrying)


def scripted_model(
    *written: Written, play: Play | None = None, name: str = "test", kind: ModelKind = "scripted"
) -> Model:
    """A model that gives these answers in order, or what ``play`` says: a ``Script``, or a function of the request.

    In order is meant as in a script: the first is for the first turn of each conversation. An exception is raised.
    """
    info = ModelInfo(spec=f"{PROVIDER}:{name}", provider=PROVIDER, model=name, kind=kind)
    return Model(info.spec, ScriptedChat(play=play or _in_order(written), model=name), info, {}, price=FREE)


def requests_of(model: Model) -> list[Request]:
    """Every request that a scripted model got so far, in order of arrival; the list grows with the next."""
    assert isinstance(model.chat, ScriptedChat)
    return model.chat.asked


def _in_order(written: Sequence[Written]) -> Play:
    """The answers by turn; ModelError for a turn behind the last."""

    def play(request: Request) -> Written:
        if request.turn > len(written):
            raise ModelError(
                "model", f"the script has {counted(len(written), 'answer')} and none for this request: {request}"
            )
        return written[request.turn - 1]

    return play


def _as_answer(given: Written) -> ScriptedAnswer:
    if isinstance(given, BaseException):
        raise given
    if isinstance(given, AIMessage):
        calls = tuple(ScriptedCall(name=call["name"], args=call["args"]) for call in given.tool_calls)
        usage = usage_of(given) if given.usage_metadata else None
        return ScriptedAnswer(text=given.text, calls=calls, stop=None if given.text or calls else EMPTY, usage=usage)
    return ScriptedAnswer(text=given, stop=None if given else EMPTY) if isinstance(given, str) else given


def _request(messages: Sequence[BaseMessage], bound: dict[str, Any]) -> Request:
    names = tuple(tool["function"]["name"] for tool in bound.get("tools") or ())
    choice = bound.get("tool_choice")
    may_call = choice != "none" and not (isinstance(choice, dict) and choice.get("type") == "none")
    schema = bound.get(_SCHEMA)
    return Request(tuple(messages), () if schema else names, schema, may_call)


def _text_and_calls(answer: ScriptedAnswer, request: Request) -> tuple[str, list[Any]]:
    """Text and calls; an answer in a schema is the call of the tool that the schema was bound as."""
    calls, text = list(answer.calls), answer.text
    if answer.structured is not None and request.schema:
        calls = [ScriptedCall(name=request.schema, args=answer.structured)]
    elif answer.structured is not None:
        text = json.dumps(answer.structured, ensure_ascii=False)
    if answer.calls and not request.may_call:
        raise ModelError("model", f"the script calls {calls[0].name} where no call is allowed: {request}")
    digest = sha256_of([[message.type, message.content] for message in request.messages])[:12]
    made = [
        {"type": "tool_call", "name": call.name, "args": call.args, "id": f"call_{digest}_{index}"}
        for index, call in enumerate(calls)
    ]
    return text, made


def _counted(usage: Usage) -> UsageMetadata:
    read = usage.input_uncached + usage.cache_read + usage.cache_creation
    details = InputTokenDetails(cache_read=usage.cache_read, cache_creation=usage.cache_creation)
    return UsageMetadata(
        input_tokens=read, output_tokens=usage.output, total_tokens=read + usage.output, input_token_details=details
    )


def estimated_usage(
    messages: Sequence[BaseMessage], tools: Sequence[Any], text: str, calls: list[Any]
) -> UsageMetadata:
    """Tokens by a rule of thumb, so that budgets and counts can be tried without a provider."""
    read = sum(_tokens(message.text) for message in messages) + (_tokens(json.dumps(tools)) if tools else 0)
    written = _tokens(text) + sum(_tokens(json.dumps(call["args"])) for call in calls)
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _tokens(text: str) -> int:
    return max(1, len(text) // CHARACTERS_PER_TOKEN)
