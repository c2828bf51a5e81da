"""Answers in a JSON schema: asked for in the first form that the model's server takes, validated, repaired."""

import ast
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import ValidationError

from drretail.errors import ModelError
from drretail.llm.prompt import load_prompt, tag_content, tagged
from drretail.llm.registry import Model
from drretail.parsing import writable_json
from drretail.records.base import Record, canonical_json
from drretail.records.figures import counted

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage


METHODS = ("json_schema", "function_calling")
"""The forms that a client has to ask for, by LangChain's names, in the order in which they are tried: the server keeps
to the schema; the answer is the arguments of a tool. The last form is a prompt that holds the schema.
"""
_FENCED = re.compile(r"\s*```(?:json)?[ \t]*\n(?P<inner>.*?)\n?[ \t]*```\s*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RequestForm:
    """One way to ask for an answer: what is asked, and the messages."""

    chat: Any
    messages: "Sequence[BaseMessage]"
    method: str = ""
    """Of ``METHODS``; empty for a request that has no other form after it."""


def forms_of(model: Model, schema: dict[str, Any], messages: "Sequence[BaseMessage]") -> Iterator[RequestForm]:
    """The forms in which the model can be asked for an answer in ``schema``, without those that its server refused.

    Each is made when it is needed, since the first nearly always serves. The schema is passed as JSON and not as a
    class: some clients validate classes themselves, and then an answer that needs a repair comes back as an exception
    without its text.
    """
    for method in (method for method in METHODS if method not in model.refused):
        if (bound := _bound(model.chat, schema, method)) is not None:
            yield RequestForm(bound, messages, method)
    yield RequestForm(model.chat, _with_schema(messages, schema))


def _bound(chat: "BaseChatModel", schema: dict[str, Any], method: str) -> Any:
    """The chat model whose answers are in the schema; None if its client has no such method."""
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.runnables import RunnableParallel, RunnableSequence

    kind, profile = type(chat), chat.profile or {}
    is_base = kind.with_structured_output is BaseChatModel.with_structured_output
    if is_base and kind.bind_tools is BaseChatModel.bind_tools:
        return None
    if method == METHODS[0] and not profile.get("structured_output", True):
        return None
    match chain := chat.with_structured_output(schema, method=method, include_raw=True):
        case RunnableSequence(first=RunnableParallel(steps__={"raw": bound})):
            # The rest of the chain parses the answer, which is done here anyway: 2.5 of its 3.1 ms of CPU time a call.
            return bound
        case _:  # a client with its own kind of chain
            return chain


def _with_schema(messages: "Sequence[BaseMessage]", schema: dict[str, Any]) -> "Sequence[BaseMessage]":
    """The messages with the schema at the end of the last one, unless that holds it, as one that asks for a repair."""
    from langchain_core.messages import HumanMessage

    *before, last = messages
    if tag_content("schema", last.text) is not None:
        return messages
    return [*before, HumanMessage(f"{last.text}\n{_prompt('json_answer', schema)}")]


def mended_json(text: str) -> str:
    """The JSON object in a text with a fence or words around it, or with Python's quotes.

    The text itself if it holds none, or more than one: which of them is the answer would be a guess.
    """
    text = text.strip()
    start, end = text.find("{"), text.rfind("}") + 1
    if start < 0 or text.startswith("["):
        return text
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        try:
            return json.dumps(ast.literal_eval(text[start:end]))
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return text
    return text if "{" in text[end:] else text[start:end]


def answered_json(answer: "AIMessage") -> str:
    """The JSON text of an answer that came as text, in a code fence, or as a tool call."""
    if answer.tool_calls:
        return canonical_json(answer.tool_calls[0]["args"])
    fenced = _FENCED.fullmatch(answer.text)
    return (fenced["inner"] if fenced else answer.text).strip()


MAX_REPAIRS = 2
T = TypeVar("T", bound=Record)
Check = Callable[[T], str | None]
"""Says what is wrong with an answer that fits its schema, as the model is told; None if nothing is."""
Call = Callable[[Sequence[Any], dict[str, Any]], Awaitable[str]]
"""(messages, schema) → the JSON text of the answer; raises ModelError."""


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """The answer, or the failure in its place."""

    answer: T | None
    attempts: int
    """The number of calls, repairs included."""
    failure: ModelError | None = None


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """A question to one model in one schema. ``call`` performs and records each call."""

    answer: type[T]
    call: Call
    check: Check[T] | None = None
    repairs: int = MAX_REPAIRS

    async def put(self, messages: Sequence[Any]) -> Reply[T]:
        """The validated answer to ``messages``.

        Refusals, time-outs and answers that are empty or cut on the second try too are failures at once. An answer that
        does not fit the schema, or that ``check`` objects to, is sent back at most ``repairs`` times.
        """
        from langchain_core.messages import AIMessage, HumanMessage

        schema = json.loads(_schema_of(self.answer))
        conversation = [*messages]
        problem = ""
        for attempt in range(1, self.repairs + 2):
            try:
                raw = await self.call(conversation, schema)
            except ModelError as failure:
                return Reply(None, attempt, failure)
            answer = self._validated(raw)
            if not isinstance(answer, str):
                return Reply(answer, attempt)
            problem = answer
            conversation += [
                AIMessage(raw),
                HumanMessage(_prompt("repair", schema, problem=tagged("problem", problem))),
            ]
        unusable = ModelError("unusable", f"no usable answer after {counted(self.repairs, 'repair')}: {problem}")
        return Reply(None, self.repairs + 1, unusable)

    def _validated(self, raw: str) -> T | str:
        """The answer, or what is wrong with it. Nothing is coerced: "8" is no rating of 8."""
        try:
            answer = self.answer.model_validate_json(writable_json(mended_json(raw)), strict=True)
        except ValidationError as problem:
            errors = problem.errors(include_url=False, include_input=False)
            places = [".".join(map(str, error["loc"])) or "the answer" for error in errors[:5]]
            complaints = [f"{place}: {error['msg']}" for place, error in zip(places, errors, strict=False)]
            more = f" … and {len(errors) - 5} more of the kind" if len(errors) > 5 else ""
            return "; ".join(complaints) + more
        return (self.check(answer) if self.check else None) or answer


@cache
def _schema_of(answer: type[Record]) -> str:
    """The schema as text. Cached, because deriving it takes longer than the rest of a call but the model's answer.

    It is text because a client may change a dict that it is given.
    """
    return json.dumps(answer.model_json_schema())


def _prompt(name: str, schema: dict[str, Any], **values: str) -> str:
    return load_prompt(__file__, name).render(schema=tagged("schema", canonical_json(schema)), **values)
