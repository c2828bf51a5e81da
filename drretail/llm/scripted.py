"""``scripted:FILE``: a chat model that plays recorded or written answers, for authors of agents and tests.

A script holds answers, and says which of them a request gets.

Nothing is counted between requests: the answer depends on the request alone. The place in a list is the number of turns
that the model has had in this conversation. So roles, researchers and concurrent runs, each with its own conversation,
cannot take each other's answers, and a run that was cut continues in the script.
"""

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

from langchain_core import exceptions
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata
from langchain_core.messages.tool import tool_call
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from drretail.errors import ModelError, UserError
from drretail.files import read_lines
from drretail.llm.local_chat import LocalChat
from drretail.llm.providers import Asked
from drretail.llm.registry import Model, ModelInfo
from drretail.parsing import parse_json, parse_toml
from drretail.records.base import ModelKind, Record, canonical_json, sha256_of
from drretail.records.figures import counted
from drretail.records.run import Usage

ErrorKind = Literal["rate_limit", "overloaded", "connection", "timeout", "refusal", "context_overflow", "invalid"]
SHOWN = 160
"""Characters of a message that an error quotes."""
_TAG = re.compile(r"<(?P<tag>[a-z_]+)(?:\s[^<>]*)?>\n(?P<data>.*?)\n</(?P=tag)>", re.DOTALL)
_SCHEMA_TAG = "schema"
"""Holds the schema of the answer, for models that are asked for JSON in words."""


class ScriptedCall(Record):
    """A tool call."""

    name: str
    args: dict[str, Any] = Field(default_factory=dict[str, Any])


class ScriptedAnswer(Record):
    """What the model says in one turn, or the error that it raises instead."""

    text: str = ""
    """The report, or the thought before calls."""
    calls: tuple[ScriptedCall, ...] = ()
    structured: dict[str, Any] | None = None
    """The answer in the schema that was asked for; the same as JSON text if none was."""
    stop: str | None = None
    """Why the answer ended, as a provider says it: "max_tokens" for one that was cut."""
    error: ErrorKind | None = None
    message: str = ""
    """What the error says."""
    times: int | None = Field(default=None, ge=1)
    """How often the error is raised for the same request before the answer beside it is given; None = always."""
    usage: Usage | None = None
    """Tokens; None = estimated from the characters."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        answers = bool(self.text or self.calls or self.structured is not None or self.stop)
        if self.structured is not None and (self.text or self.calls):
            raise ValueError("an answer is structured, or text and calls, not both")
        if self.error is None and (self.times or self.message):
            raise ValueError("times and message belong to an error")
        if self.error is None and not answers:
            raise ValueError("an answer needs text, calls, structured, stop or error")
        if self.error is not None and answers != (self.times is not None):
            raise ValueError("an error has an answer beside it exactly where it says how many times it is raised")
        return self


@dataclass(frozen=True)
class Request:
    """What the model is asked in one turn."""

    messages: Sequence[BaseMessage]
    tools: tuple[str, ...] = ()
    """Names of the tools that are bound, without a schema that is bound as a tool."""
    schema: str | None = None
    """The name of the schema that the answer must be in."""
    may_call: bool = True
    """False if the tools are shown and none may be called."""

    @property
    def tool_names(self) -> frozenset[str]:
        """The tools that may be called now."""
        return frozenset(self.tools) if self.may_call else frozenset()

    @property
    def turn(self) -> int:
        """The number of the model's turn in this conversation, from 1."""
        return 1 + sum(message.type == "ai" for message in self.messages)

    @property
    def last(self) -> str:
        return self.messages[-1].text if self.messages else ""

    @cached_property
    def opening(self) -> str:
        """The text of the first message that is no instruction. It tells conversations apart."""
        return next((message.text for message in self.messages if message.type == "human"), "")

    @cached_property
    def digest(self) -> str:
        """The digest of the opening, by which recorded rules name it (``digest_of``)."""
        return digest_of(self.opening)

    @cached_property
    def prompt(self) -> str:
        """The digest of the instructions, by which a recording notices that a prompt has changed (``prompt_of``)."""
        return prompt_of(message.text for message in self.messages if message.type in ("human", "system"))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags around data in human and system messages. Tags in tool results do not count."""
        texts = (message.text for message in self.messages if message.type in ("human", "system"))
        return tuple(dict.fromkeys(match["tag"] for text in texts for match in _TAG.finditer(text)))

    def __str__(self) -> str:
        """The request in short, for errors."""
        last = " ".join(self.last.split())
        kind = self.messages[-1].type if self.messages else "none"
        parts = {
            "turn": str(self.turn),
            "tools": (", ".join(self.tools) or "none") + ("" if self.may_call else " (not to be called)"),
            "schema": self.schema or "none",
            "tags": ", ".join(self.tags) or "none",
            f"last message ({kind})": last if len(last) <= SHOWN else f"{last[:SHOWN]}…",
        }
        return "; ".join(f"{name}: {value}" for name, value in parts.items())


class Rule(Record):
    """Answers, and the conditions of the requests they are for: all that are set must hold."""

    model_config = ConfigDict(populate_by_name=True)

    tools: tuple[str, ...] | None = None
    """All of these tools are bound; [] = none is."""
    turn: int | None = Field(default=None, ge=1)
    schema_name: str | None = Field(default=None, alias="schema")
    """The answer must be in the schema of this name; "" = in none."""
    may_call: bool | None = None
    tags: tuple[str, ...] = ()
    """The prompt holds data in each of these tags."""
    opening_says: str | None = None
    """The first message that is no instruction contains this text."""
    last_says: str | None = None
    """The last message contains this text."""
    opening: str | None = None
    """The digest of the first message's data (``digest_of``), in recorded scripts."""
    prompt: str | None = None
    """The digest of the instructions that were answered (``prompt_of``), in recorded scripts; no condition."""
    note: str = ""
    """A remark for readers of the script."""
    answer: ScriptedAnswer | None = None
    """Given whenever all conditions hold."""
    answers: tuple[ScriptedAnswer, ...] = ()
    """The first for the first turn of a conversation, the second for the second …"""

    @model_validator(mode="after")
    def _answers_once(self) -> Self:
        if (self.answer is None) == (not self.answers):
            raise ValueError("a rule needs either answer, or answers in order")
        if self.answers and self.turn is not None:
            raise ValueError("a rule for one turn has an answer, not answers in order")
        return self

    def holds(self, request: Request) -> bool:
        """True if the request meets every condition."""
        bound, tools = {*request.tools}, None if self.tools is None else {*self.tools}
        wanted = {
            "opening": request.digest,
            "turn": request.turn,
            "schema_name": request.schema or "",
            "may_call": request.may_call,
        }
        return (
            all(getattr(self, name) in (None, value) for name, value in wanted.items())
            and (tools is None or (tools <= bound if tools else not bound))
            and {*self.tags} <= {*request.tags}
            and (self.opening_says or "") in request.opening
            and (self.last_says or "") in request.last
            and (self.answer is not None or request.turn <= len(self.answers))
        )


class Script(Record):
    """The rules of a file; the first that holds decides. ``answers``, in order, are for requests without a rule."""

    rules: tuple[Rule, ...] = ()
    answers: tuple[ScriptedAnswer, ...] = ()
    name: str = "the script"

    @model_validator(mode="after")
    def _has_answers(self) -> Self:
        if not self.rules and not self.answers:
            raise ValueError("there is neither an answer nor a rule")
        return self

    def __call__(self, request: Request) -> ScriptedAnswer:
        """The answer to a request. Raises ModelError, which shows the request in short, if there is none."""
        for rule in self.rules:
            # Compared first: each of a recording's hundreds of rules names another opening.
            if rule.opening in (None, request.digest) and rule.holds(request):
                return rule.answer or rule.answers[request.turn - 1]
        if request.turn <= len(self.answers):
            return self.answers[request.turn - 1]
        ended = f" (its list ends after {counted(len(self.answers), 'turn')})" if self.answers else ""
        raise ModelError("model", f"{self.name} has no answer to this request{ended}: {request}")


def read_script(path: Path) -> Script:
    """The script of a TOML file, or of a .json or .json.gz file with the same keys.

    Raises UserError if the file holds none.
    """
    try:
        text = "\n".join(read_lines(path)) if path.suffix == ".gz" else path.read_text(encoding="utf-8")
        content: Any = parse_json(text) if ".json" in path.suffixes[-2:] else parse_toml(text)
        return Script.model_validate({"name": path.name, **content})
    except (FileNotFoundError, IsADirectoryError):
        raise UserError(f"There is no script at {path}: write scripted:FILE, a TOML file of answers.") from None
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise UserError(f"{path}: {where}: {first['msg'].removeprefix('Value error, ')}.") from problem
    except (ValueError, TypeError) as problem:  # broken JSON, TOML or UTF-8, or a list where a table has to be
        raise UserError(f"{path} is no script: {problem}.") from problem


def digest_of(opening: str) -> str:
    """A digest of the tagged data in a conversation's first message, whatever the text around it, or of all text."""
    data = [match[0] for match in _TAG.finditer(opening) if match["tag"] != _SCHEMA_TAG]
    return sha256_of(data or opening)[:16]


def prompt_of(texts: Iterable[str]) -> str:
    """A digest of the instructions in the human and system messages of a conversation, without their tagged data."""
    return sha256_of([" ".join(_TAG.sub(" ", text).split()) for text in texts])[:16]


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
        names = tuple(tool["function"]["name"] for tool in bound.get("tools") or ())
        choice, schema = bound.get("tool_choice"), bound.get(_SCHEMA)
        may_call = choice != "none" and not (isinstance(choice, dict) and choice.get("type") == "none")
        request = Request(tuple(messages), () if schema else names, schema, may_call)
        with self._lock:
            self.asked.append(request)
        written = self.play(request)
        if isinstance(written, BaseException):
            raise written
        if isinstance(written, AIMessage):
            return self._permitted(written, request)
        answer = ScriptedAnswer(text=written, stop=None if written else EMPTY) if isinstance(written, str) else written
        if answer.error is not None and self._is_raised(answer, request):
            if answer.error != "refusal":
                raise _ERRORS[answer.error](answer.message or f"scripted {answer.error}")
            answer = ScriptedAnswer(text=answer.message, stop="refusal", usage=answer.usage)
        calls, text = list(answer.calls), answer.text
        if answer.structured is not None and request.schema:  # as a call of the tool that stands for the schema
            calls = [ScriptedCall(name=request.schema, args=answer.structured)]
        elif answer.structured is not None:
            text = json.dumps(answer.structured, ensure_ascii=False)
        message = AIMessage(
            text,
            tool_calls=[tool_call(name=call.name, args=call.args, id=None) for call in calls],
            usage_metadata=_counted(answer.usage) if answer.usage else None,
            response_metadata={"stop_reason": answer.stop},
        )
        return self._permitted(message, request) if answer.calls else message

    def _permitted(self, message: AIMessage, request: Request) -> AIMessage:
        if message.tool_calls and not request.may_call:
            name = message.tool_calls[0]["name"]
            raise ModelError("model", f"the script calls {name} where no call is allowed: {request}")
        return message

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

    def in_order(request: Request) -> Written:
        if request.turn > len(written):
            lacking = f"the script has {counted(len(written), 'answer')} and none for this request: {request}"
            raise ModelError("model", lacking)
        return written[request.turn - 1]

    info = ModelInfo(spec=f"{PROVIDER}:{name}", provider=PROVIDER, model=name, kind=kind)
    chat = ScriptedChat(play=play or in_order, model=name)
    return Model(info.spec, lambda: chat, info, {})


def requests_of(model: Model) -> list[Request]:
    """Every request that a scripted model got so far, in order of arrival. The list grows with later requests."""
    assert isinstance(model.chat, ScriptedChat)
    return model.chat.asked


def _counted(usage: Usage) -> UsageMetadata:
    details = InputTokenDetails(cache_read=usage.cache_read, cache_creation=usage.cache_creation)
    return UsageMetadata(
        input_tokens=usage.input, output_tokens=usage.output, total_tokens=usage.total, input_token_details=details
    )
