"""One attempt at a model: every failure of a provider becomes a ModelError of a known kind.

Some failures no further call can mend: a refused key, a missing model, an empty account, a server that is down.
"""

import json
import re
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from drretail.errors import (
    CommandStopped,
    DrretailError,
    ModelError,
    ModelErrorKind,
    causes_of,
    login_of,
    without_secrets,
)
from drretail.event_loop import current_command
from drretail.llm.usage import usage_of, with_possible_usage
from drretail.parsing import retry_after, without_thoughts
from drretail.records.run import Usage
from drretail.reports.text.untrusted import visible

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

    from drretail.llm.registry import Model

PASSING_STATUS = frozenset({408, 409, 429})
"""Statuses that another attempt may not meet, with all from 500 on (529 is Anthropic's word for overloaded)."""
# Class names, looked up in all ancestors of an error: the clients share names, but no base class.
_PASSING = frozenset({
    "APIConnectionError",
    "APITimeoutError",
    "ClientConnectionError",
    "ConnectionError",
    "ModelConnectionError",
    "ModelTimeoutError",
    "TimeoutError",
    "TransportError",
})  # fmt: skip
# Anthropic and OpenAI report faults in the middle of a stream by these words, with a status of 200 or none at all.
_PASSING_WORDS = frozenset({"api_error", "overloaded_error", "rate_limit_error", "server_error", "timeout_error"})
_LASTING_WORDS = frozenset({"insufficient_quota"})
"""OpenAI answers 429 to an empty account too: waiting does not fill it."""
# httpx, aiohttp and Python itself; OpenAI's and Anthropic's clients raise their own from the first of these.
_UNREACHED = frozenset({"ConnectError", "ConnectTimeout", "ClientConnectorError", "ConnectionRefusedError", "gaierror"})


def passes(problem: BaseException) -> bool:
    """True if another attempt may succeed: after 408, 409, 429, 5xx, a lost connection, a time-out, broken JSON."""
    if isinstance(problem, json.JSONDecodeError):
        return True
    words = {word for error in causes_of(problem) for word in _words_of(error)}
    if words & _LASTING_WORDS:
        return False
    retry_header = next(filter(None, (_headers(error).get("x-should-retry") for error in causes_of(problem))), None)
    if retry_header in ("true", "false"):
        return retry_header == "true"
    status = status_of(problem)
    if status is not None:
        return status in PASSING_STATUS or status >= 500
    if words & _PASSING_WORDS:
        return True
    names = {ancestor.__name__ for error in causes_of(problem) for ancestor in type(error).__mro__}
    return bool(names & _PASSING)


def is_unreached(problem: BaseException) -> bool:
    """True if no connection was made, so that nothing was sent."""
    return any(ancestor.__name__ in _UNREACHED for error in causes_of(problem) for ancestor in type(error).__mro__)


def status_of(problem: BaseException) -> int | None:
    """The HTTP status of a refused request, from the first of its causes that has one; None without any."""
    for error in causes_of(problem):
        for name in ("status_code", "code"):
            value = getattr(error, name, None)
            if isinstance(value, int) and value >= 400:
                return value
        code = body_of(error).get("code")  # vLLM says it in the middle of a stream, with a status of 200
        if isinstance(code, int) and code >= 400:
            return code
    return None


def asked_wait(problem: BaseException, now: datetime | None = None) -> float | None:
    """Seconds that the provider asks to wait before the next attempt; None if it doesn't say.

    Read from retry-after-ms and retry-after (seconds or a date).
    """
    for error in causes_of(problem):
        headers = _headers(error)
        milliseconds = retry_after(headers.get("retry-after-ms", ""), datetime.now(UTC))
        seconds = retry_after(headers.get("retry-after", ""), now or datetime.now(UTC))
        seconds = seconds if milliseconds is None else milliseconds / 1000
        if seconds is not None and seconds > 0:
            return seconds
    return None


def _headers(error: BaseException) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}


def body_of(error: BaseException) -> dict[str, Any]:
    """The error object of a response's body: nested in it, the body itself (OpenAI's client), or details (Google's).

    Empty if there is none.
    """
    body: Any = getattr(error, "body", None) or getattr(error, "details", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}


def _words_of(error: BaseException) -> Iterator[str]:
    """The names that a provider gives to an error: its type and its code."""
    inner = body_of(error)
    yield from (value for name in ("type", "code") if isinstance(value := inner.get(name), str))


MESSAGE_LENGTH = 1_000
"""Characters of an error: what is wrong often stands behind the request that a server repeats first."""
_PAGE = re.compile(r"<!doctype html|<html", re.IGNORECASE)
"""Begins a web page, such as a gateway's in place of the provider's answer."""
# Class names, looked up in all ancestors of an error: the clients share names, but no base class.
_KINDS: dict[str, ModelErrorKind] = {
    "ContextOverflowError": "context_overflow",
    "ModelTimeoutError": "timeout",
    "APITimeoutError": "timeout",
    "TimeoutException": "timeout",
    "TimeoutError": "timeout",
    "ContentFilterFinishReasonError": "refusal",
}
_OVERFLOW_WORDS = frozenset({"context_length_exceeded", "exceed_context_size_error", "request_too_large"})
"""The names for a conversation that is too long: OpenAI's and compatible servers', llama.cpp's, Anthropic's."""
# Texts in the 400 of providers that have no name of their own for it: Anthropic (two wordings), Gemini, vLLM and
# OpenRouter, Ollama, LiteLLM.
_OVERFLOW_TEXTS = (
    "prompt is too long",
    "exceed context limit",
    "exceeds the maximum number of tokens",
    "maximum context length",
    "exceeds the context length",
    "ContextWindowExceededError",
)
_REFUSED = frozenset({"refusal", "content_filter", "safety", "prohibited_content", "blocklist", "recitation", "spii"})
_CUT = frozenset({"max_tokens", "length"})
_PAUSED = "pause_turn"
"""Anthropic's reason for stopping in a long turn of its own tools: the turn goes on once it is sent back."""
STREAM_ENDED = "stream_ended"
"""In the response metadata: the stream's last piece came, which counts the tokens of all others."""
UNSAID = "unknown"
"""The stop reason of an answer that gives none."""
WRONG_FORM = "the provider's answer has another form than its API's"
_OF_FORM = (ValueError, TypeError, LookupError, AttributeError, RecursionError, AssertionError)
"""What clients raise over a 200 that holds an error object, another API's answer or a page: usually a gateway's
temporary fault. Requests that a client knows to be wrong are among them, and are retried in vain.
"""


class _Answering(Protocol):
    """A chat model, with or without bound tools or an answer schema."""

    def ainvoke(self, messages: Any, /) -> "Awaitable[AIMessage | dict[str, AIMessage]]": ...


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """An attempt that brought no answer."""

    error: ModelError
    """The error that the call fails with, unless it is retried."""
    passes: bool
    """True if another attempt may bring an answer."""
    wait: float | None = None
    """Seconds that the provider asks to wait."""
    status: int | None = None
    """The HTTP status; None if there was no response, or a broken one with status 200."""
    usage: Usage | None = None
    """The tokens of an unusable answer, if the provider counted them."""
    is_unreached: bool = False
    """True if nothing was sent."""
    unfinished: str | None = None
    """The text of an answer that is empty or was cut at its longest length. Asked for once more, it may be whole."""
    was_cut: bool = False
    paused: "AIMessage | None" = None
    """The part of an answer that the provider paused. Sent back, it goes on."""


async def attempt(
    model: _Answering, messages: Sequence["BaseMessage"], *, streamed: bool = False
) -> "AIMessage | NoAnswer":
    """The answer of a chat model, with or without bound tools: text or tool calls, never neither. Or the fault.

    ``streamed`` says that the provider sends its answer in pieces; an answer without a stop reason was then cut. Raises
    ModelError for answers that another attempt would not change: a refusal, or a full context window. Messages of
    errors never hold the key.
    """
    try:
        outcome = await model.ainvoke(list(messages))
        answer = outcome["raw"] if isinstance(outcome, dict) else outcome  # of a schema's own chain
    except json.JSONDecodeError as problem:
        return _fault(model, "model", "the provider answered with broken JSON", problem)
    except DrretailError:
        raise
    # The boundary of a provider's client.
    except Exception as problem:  # noqa: BLE001
        kind = _kind_of(problem)
        if "Event loop is closed" in str(problem):  # as in a second asyncio.run: the client drops the connection then
            lead = "the connection belonged to an event loop that has ended"
            return replace(_fault(model, kind, lead, problem), passes=True)
        if kind == "model" and isinstance(problem, _OF_FORM) and status_of(problem) is None:
            return replace(_fault(model, kind, WRONG_FORM, problem), passes=True)
        return _fault(model, kind, type(problem).__name__, problem)
    if streamed and _stop_reason(answer) == UNSAID and not answer.response_metadata.get(STREAM_ENDED):
        return NoAnswer(ModelError("model", "the stream of the answer was cut"), passes=True)
    return _whole(_with_all_calls(_without_thoughts(with_possible_usage(answer, model, messages)), len(messages)))


def _kind_of(problem: BaseException) -> ModelErrorKind:
    for ancestor in type(problem).__mro__:
        if ancestor.__name__ in _KINDS:
            return _KINDS[ancestor.__name__]
    # A conversation that is too long for the model, as providers report it where langchain does not recognise it.
    causes, status = list(causes_of(problem)), status_of(problem)
    if status == 413 or any(word in _OVERFLOW_WORDS for error in causes for word in _words_of(error)):
        return "context_overflow"
    overflows = status == 400 and any(text in str(error) for error in causes for text in _OVERFLOW_TEXTS)
    return "context_overflow" if overflows else "model"


def _fault(model: object, kind: ModelErrorKind, lead: str, problem: Exception) -> NoAnswer:
    error = _error(model, kind, lead, problem)
    error.__cause__ = problem
    lasts = kind in ("context_overflow", "refusal")
    fault = NoAnswer(error, not lasts and passes(problem), asked_wait(problem), status_of(problem))
    return replace(fault, is_unreached=is_unreached(problem))


def _error(model: object, kind: ModelErrorKind, lead: str, problem: BaseException) -> ModelError:
    if isinstance(problem, AttributeError | IndexError):  # whose text is Python's: "list index out of range"
        return ModelError(kind, f"{lead} ({type(problem).__name__})")
    page = problem.doc if isinstance(problem, json.JSONDecodeError) else ""
    text = masked(model, page if _PAGE.search(page) else str(problem))
    return ModelError(kind, f"{lead}: {text[:MESSAGE_LENGTH]}" if text else lead)


def masked(model: object, text: str) -> str:
    """The text in one line, without the chat model's secrets and control characters, and without a web page."""
    if page := _PAGE.search(text):
        text = f"{text[: page.start()]}an HTML page"
    line = " ".join(visible(text).split())
    return without_secrets(line, [*keys_of(model), *logins_of(model)])


def keys_of(chat: object) -> list[str]:
    """The keys that a chat model sends."""
    from pydantic import SecretStr

    secrets = (value.get_secret_value() for value in _fields_of(chat) if isinstance(value, SecretStr))
    # A placeholder such as "none" is a word, and striking it out would spoil the sentence.
    return [secret for secret in secrets if len(secret) > 6]


def logins_of(chat: object) -> list[str]:
    """Users with passwords, and passwords, in a chat model's addresses."""
    addresses = (value for value in _fields_of(chat) if isinstance(value, str) and "://" in value)
    return [secret for address in addresses for secret in login_of(address)]


def _fields_of(chat: object) -> Iterator[object]:
    chat = getattr(chat, "bound", chat)  # bind_tools wraps the chat model
    return (getattr(chat, name, None) for name in getattr(type(chat), "model_fields", ()))


def _without_thoughts(answer: "AIMessage") -> "AIMessage":
    """The answer with its thoughts as reasoning, where a server leaves them in the text."""
    content = answer.content
    blocks = [content] if isinstance(content, str) else content
    plain: list[Any] = []
    for block in blocks:
        text = block if isinstance(block, str) else block.get("text")
        spoken = without_thoughts(text) if isinstance(text, str) else text
        plain.append(block if spoken == text else spoken if isinstance(block, str) else {**block, "text": spoken})
    if plain == blocks:
        return answer
    kept = {"reasoning_content": answer.text} | answer.additional_kwargs
    return answer.model_copy(
        update={"content": plain[0] if isinstance(content, str) else plain, "additional_kwargs": kept}
    )


def _with_all_calls(answer: "AIMessage", turn: int) -> "AIMessage":
    """The answer, with calls whose arguments are not JSON among its tool calls: the tools will refuse them.

    Clients keep such calls apart but send them again with the conversation, and providers reject a call without a
    reply. Calls that have no id of their own are numbered, with the ``turn`` of the conversation.
    """
    from langchain_core.messages.tool import tool_call

    broken = [
        tool_call(name=call["name"] or "", args={"unreadable": (call["args"] or "")[:MESSAGE_LENGTH]}, id=call["id"])
        for call in answer.invalid_tool_calls
    ]
    calls, ids = [*answer.tool_calls, *broken], set[str | None]({None, ""})
    for at, call in enumerate(calls):
        if call["id"] in ids:
            calls[at] = tool_call(name=call["name"], args=call["args"], id=f"call_{turn}_{at}")
        ids.add(call["id"])
    if calls == answer.tool_calls:
        return answer
    return answer.model_copy(update={"tool_calls": calls, "invalid_tool_calls": []})


def _whole(answer: "AIMessage") -> "AIMessage | NoAnswer":
    """The answer if it ended by itself and is not empty, or a fault if it was cut or is empty.

    Raises ModelError for a refusal or a full context window.
    """
    reason = _stop_reason(answer)
    if reason in _REFUSED or answer.additional_kwargs.get("refusal"):
        raise _unusable(answer, "refusal", f"the model refused to answer (stop reason {reason})")
    if reason == "model_context_window_exceeded":
        raise _unusable(answer, "context_overflow", "the conversation no longer fits the model's context window")
    if answer.tool_calls:
        return answer
    if reason == _PAUSED:
        error = _unusable(answer, "unusable", "the provider paused the answer again and again")
        return NoAnswer(error, passes=False, usage=usage_of(answer), paused=answer)
    if reason in _CUT:
        # The sentence names no flag: --max-tokens caps all runs of an experiment, not an answer.
        problem = (
            "the answer was cut at the longest length allowed: set max_tokens higher in drretail.toml or a profile"
        )
    elif not answer.text.strip():
        thought = answer.additional_kwargs.get("reasoning_content") or any(
            block["type"] == "reasoning" for block in answer.content_blocks
        )
        problem = f"the answer is {'only in the reasoning' if thought else 'empty'} (stop reason {reason})"
    else:
        return answer
    error = _unusable(answer, "unusable", problem)
    return NoAnswer(error, passes=False, usage=usage_of(answer), unfinished=answer.text.strip(), was_cut=reason in _CUT)


def _unusable(answer: "AIMessage", kind: ModelErrorKind, message: str) -> ModelError:
    """The failure, with the tokens that the answer took all the same."""
    return ModelError(kind, message, usage=usage_of(answer).model_dump())


def _stop_reason(answer: "AIMessage") -> str:
    metadata = answer.response_metadata
    if (metadata.get("prompt_feedback") or {}).get("block_reason"):
        return "content_filter"  # Gemini refused the prompt itself, and so there is no answer with a reason
    names = ("stop_reason", "finish_reason", "done_reason")
    return next((str(metadata[name]).casefold() for name in names if metadata.get(name)), UNSAID)


Denial = Literal["key", "model", "account"]
_EMPTY = frozenset({"insufficient_quota", "billing_not_active", "billing_hard_limit_reached", "billing_error"})
_NO_MODEL = frozenset({"model_not_found", "invalid_model"})
_POOR = "credit balance is too low"
"""Anthropic answers an empty account with a 400 without a type of its own, so it is recognised by this text."""
_WRONG_KEY = "API_KEY_INVALID"
"""The reason in Google's 400 for a wrong key."""
DETAIL_LENGTH = 400
AGAIN = "and run the same command again: it continues from here."
_REPEATED = "With --retry failed, `run` and `score` also repeat the calls that failed before."


def denial_of(problem: BaseException) -> Denial | None:
    """Why the provider would refuse every other call too; None if the next call may succeed."""
    causes = list(causes_of(problem))
    words = {word for error in causes for word in _words_of(error)}
    status = status_of(problem)
    if words & _EMPTY or status == 402 or (status == 400 and any(_POOR in str(error) for error in causes)):
        return "account"
    if words & _NO_MODEL or status == 404:
        return "model"
    # OpenRouter's mark of a question that a filter rejected: the next question may pass.
    if any("flagged_input" in (body_of(error).get("metadata") or {}) for error in causes):
        return None
    details = [getattr(error, "details", None) for error in causes]  # all that Google's client knows of an error
    known = [detail if isinstance(detail, Mapping) else error for detail, error in zip(details, causes, strict=True)]
    is_wrong_key = status == 400 and any(_WRONG_KEY in str(detail) for detail in known)
    return "key" if status in (401, 403) or is_wrong_key else None


IN_A_ROW = 3
"""Failed calls in a row to one server, over all runs, each with its retries: one may be chance, three are an outage."""


@dataclass(slots=True)
class Halt:
    """Stops all models of a command, which share it, once one of them is denied or its server is down.

    Calls under way end, so that no answer that is paid for is lost. The call that failed is not recorded: it is made
    again when the command is run again.
    """

    _sentence: str = ""
    _command: object = None
    _unanswered: dict[str, int] = field(default_factory=dict[str, int])
    """By server, the calls in a row that it left without an answer."""

    def check(self) -> None:
        """Raises CommandStopped if no model may be asked any more."""
        if self._command is not None and self._command is current_command():
            raise CommandStopped(self._sentence)

    def check_denied(self, model: "Model", problem: BaseException) -> None:
        """Raises CommandStopped, with a sentence on what to mend, if no other call of this model can succeed."""
        denial = denial_of(problem)
        if denial is not None:
            self._stop(_sentence(model, denial, _detail(model, problem)), problem)

    def check_down(self, model: "Model", fault: NoAnswer) -> None:
        """Raises CommandStopped if the server can't be reached, or left ``IN_A_ROW`` calls in a row without an answer.

        ``fault`` is the result of a call with all its retries. If it is not one that passes, the server did answer,
        though with something unusable, and the row ends.
        """
        if not fault.passes:
            return self.answered(model)
        server = server_address(model) or model.info.provider
        unanswered = self._unanswered[server] = self._unanswered.get(server, 0) + 1
        detail = _detail(model, fault.error)
        if fault.is_unreached:
            self._stop(
                f"{server} can't be reached for {model.spec} ({detail}): start it, or mend the way there, {AGAIN}",
                fault.error,
            )
        elif unanswered >= IN_A_ROW:
            left = f"{server} left {unanswered} calls in a row to {model.spec} without an answer, retries included"
            self._stop(f"{left} ({detail}): see what it lacks, {AGAIN} {_REPEATED}", fault.error)
        return None

    def answered(self, model: "Model") -> None:
        """Notes that the model's server has answered."""
        self._unanswered.pop(server_address(model) or model.info.provider, None)

    def _stop(self, sentence: str, problem: BaseException) -> None:
        self._sentence, self._command = sentence, current_command()
        raise CommandStopped(sentence) from problem


def server_address(model: "Model") -> str | None:
    """The address of the user's own server, without user name and password; None if the provider itself is asked."""
    return model.params.get("base_url")


def _sentence(model: "Model", denial: Denial, detail: str) -> str:
    where, key = server_address(model) or model.info.provider, " or ".join(model.key_variables)
    if denial == "model":
        with_key = f" for the key in {key}" if key else ""
        return f"{where} has no model {model.info.model!r}{with_key} ({detail}): name one that it has {AGAIN}"
    if denial == "account":
        whose = f" of the key in {key}" if key else ""
        return (
            f"{where} is not paid by the account{whose} for {model.spec} ({detail}): fill it up, or change it, {AGAIN}"
        )
    if logins_of(model.chat):
        return f"{where} refuses the login in its address for {model.spec} ({detail}): mend it in --base-url {AGAIN}"
    if not key:
        return f"{where} does not let {model.spec} in ({detail}): name one with --base-url that does {AGAIN}"
    refused = "refuses the key in" if keys_of(model.chat) else "asks for a key, which is not in"
    mended = f"set the environment variable {key} to one that it takes"
    return f"{where} {refused} {key} for {model.spec} ({detail}): {mended} {AGAIN}"


def _detail(model: "Model", problem: BaseException) -> str:
    """The status and the provider's own message, without the key."""
    messages = (body_of(error).get("message") for error in causes_of(problem))
    reason = next((message for message in messages if isinstance(message, str)), None)
    text = masked(model.chat, str(problem) if reason is None else reason).rstrip(".")
    status = status_of(problem)
    return text[:DETAIL_LENGTH] if status is None else f"{status}: {text[:DETAIL_LENGTH]}"
