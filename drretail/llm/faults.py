"""One attempt at a model: every failure of a provider becomes a ModelError of a known kind."""

import json
import sys
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Protocol

from drretail.errors import ModelError, ModelErrorKind, login_of, without_secrets
from drretail.grounding.text.untrusted import visible
from drretail.llm.usage import usage_of, with_possible_usage
from drretail.records.run import Usage

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage


PASSING_STATUS = frozenset({408, 409, 429})
"""Statuses that another attempt may not meet, together with all from 500 on (529 is Anthropic's word
for overloaded).
"""
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
    """True if another attempt may succeed: after 408, 409, 429, 5xx, a dropped connection, a time-out
    or broken JSON.
    """
    if isinstance(problem, json.JSONDecodeError):
        return True
    words = {word for error in causes_of(problem) for word in words_of(error)}
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

    Read from retry-after-ms, retry-after (seconds or a date), and the RetryInfo of Google's bodies.
    """
    for error in causes_of(problem):
        headers = _headers(error)
        seconds = _number(headers.get("retry-after-ms"), 0.001) or _retry_after(headers.get("retry-after"), now)
        seconds = seconds or _retry_delay(getattr(error, "details", None))
        if seconds is not None and seconds > 0:
            return seconds
    return None


def causes_of(problem: BaseException) -> Iterator[BaseException]:
    """An error and the errors it was raised from, ``from None`` or not: Ollama's client hides the response's error that
    way.
    """
    seen: set[int] = set()
    error: BaseException | None = problem
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


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


def words_of(error: BaseException) -> Iterator[str]:
    """The names that a provider gives to an error: its type and its code."""
    inner = body_of(error)
    yield from (value for name in ("type", "code") if isinstance(value := inner.get(name), str))


def _retry_after(value: str | None, now: datetime | None) -> float | None:
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        then = parsedate_to_datetime(value)
    except ValueError:
        return None
    then = then if then.tzinfo is not None else then.replace(tzinfo=UTC)
    return (then - (now or datetime.now(UTC))).total_seconds()


def _retry_delay(details: Any) -> float | None:
    """Google's ``{"error": {"details": [{"retryDelay": "30s"}]}}``."""
    error = details.get("error", details) if isinstance(details, dict) else None
    parts = error.get("details") if isinstance(error, dict) else None
    for part in parts if isinstance(parts, list) else ():
        delay = part.get("retryDelay") if isinstance(part, dict) else None
        if isinstance(delay, str):
            return _number(delay.removesuffix("s"))
    return None


def _number(value: str | None, unit: float = 1.0) -> float | None:
    try:
        return None if value is None else float(value) * unit
    except ValueError:
        return None


MESSAGE_LENGTH = 1_000
"""Characters of an error: what is wrong often stands behind the request that a server repeats first."""
TITLE_LENGTH = 80
MOST_OF_PAGE = 20_000
"""Characters of a web page that are searched for its title."""

# Roots of what each client raises. Only modules that are loaded are looked at: a client that was not
# imported has raised nothing.
_ROOTS = (
    ("langchain_core.exceptions", "ModelError"),
    ("anthropic", "APIError"),
    ("openai", "OpenAIError"),
    ("ollama", "ResponseError"),
    ("google.genai.errors", "APIError"),
    ("langchain_google_genai.chat_models", "ChatGoogleGenerativeAIError"),
    ("httpx", "HTTPError"),
    ("aiohttp", "ClientError"),
    ("httpx2", "HTTPError"),
)
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
UNSAID = "unknown"
"""The stop reason of an answer that gives none."""
WRONG_FORM = "the provider's answer has another form than its API's"
_PAGE_BEGINS = ("<!doctype html", "<html")


class Answering(Protocol):
    """A chat model, with or without bound tools or an answer schema."""

    def ainvoke(self, messages: Any, /) -> "Awaitable[AIMessage]": ...


@dataclass(frozen=True, slots=True)
class Fault:
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


async def attempt(
    model: Answering, messages: Sequence["BaseMessage"], *, streamed: bool = False
) -> "AIMessage | Fault":
    """The answer of a chat model, with or without bound tools: text or tool calls, never neither. Or the fault in its
    place.

    ``streamed`` says that the provider sends its answer in pieces; an answer without a stop reason was then cut. Raises
    ModelError for answers that another attempt would not change: a refusal, or a full context window. Messages of
    errors never hold the key.
    """
    try:
        answer = await model.ainvoke(list(messages))
    except json.JSONDecodeError as problem:
        return _fault(model, "model", "the provider answered with broken JSON", problem)
    except (*_roots(), OSError) as problem:
        return _fault(model, _kind_of(problem), type(problem).__name__, problem)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as problem:
        # Clients raise these over a 200 that holds an error object, another API's answer or a page: usually a gateway's
        # temporary fault. Requests that a client knows to be wrong are among them, and are retried in vain.
        return replace(_fault(model, "model", WRONG_FORM, problem), passes=True)
    except RuntimeError as problem:
        # A connection of an event loop that has ended, as in a second asyncio.run: the client drops it then.
        if "Event loop is closed" not in str(problem):
            raise
        ended = _error(model, "model", "the connection belonged to an event loop that has ended", problem)
        return Fault(ended, passes=True)
    if streamed and _stop_reason(answer) == UNSAID:
        return Fault(ModelError("model", "the stream of the answer was cut"), passes=True)
    return _whole(_with_all_calls(with_possible_usage(answer, model, messages)))


def _roots() -> tuple[type[Exception], ...]:
    roots = (getattr(sys.modules.get(module), name, None) for module, name in _ROOTS)
    return tuple(root for root in roots if root is not None)


def _kind_of(problem: BaseException) -> ModelErrorKind:
    for ancestor in type(problem).__mro__:
        if ancestor.__name__ in _KINDS:
            return _KINDS[ancestor.__name__]
    # A conversation that is too long for the model, as providers report it where langchain does not recognise it.
    causes, status = list(causes_of(problem)), status_of(problem)
    if status == 413 or any(word in _OVERFLOW_WORDS for error in causes for word in words_of(error)):
        return "context_overflow"
    overflows = status == 400 and any(text in str(error) for error in causes for text in _OVERFLOW_TEXTS)
    return "context_overflow" if overflows else "model"


def _fault(model: object, kind: ModelErrorKind, lead: str, problem: Exception) -> Fault:
    error = _error(model, kind, lead, problem)
    error.__cause__ = problem
    lasts = kind in ("context_overflow", "refusal")
    fault = Fault(error, not lasts and passes(problem), asked_wait(problem), status_of(problem))
    return replace(fault, is_unreached=is_unreached(problem))


def _error(model: object, kind: ModelErrorKind, lead: str, problem: BaseException) -> ModelError:
    page = problem.doc if isinstance(problem, json.JSONDecodeError) else ""
    text = masked(model, page if _page_start(page) is not None else str(problem))
    return ModelError(kind, f"{lead}: {text[:MESSAGE_LENGTH]}" if text else lead)


def masked(model: object, text: str) -> str:
    """The text in one line, without the chat model's keys, its password and control characters. A web page is cut to
    its title.
    """
    start = _page_start(text)
    if start is not None:
        _, _, titled = text[start : start + MOST_OF_PAGE].partition("<title>")
        title, end, _ = titled.partition("</title>")
        page = f'an HTML page titled "{title.strip()[:TITLE_LENGTH]}"' if end else "an HTML page"
        text = text[:start] + page
    line = " ".join(visible(text).split())
    return without_secrets(line, [*keys_of(model), *logins_of(model)])


def _page_start(text: str) -> int | None:
    """Where a web page begins in a text, such as a gateway's in place of the provider's answer; None without one."""
    lower = text.lower()
    return min((at for word in _PAGE_BEGINS if (at := lower.find(word)) >= 0), default=None)


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


def _with_all_calls(answer: "AIMessage") -> "AIMessage":
    """The answer, with calls whose arguments are not JSON among its tool calls: the tools will refuse them.

    Clients keep such calls apart but send them again with the conversation, and providers reject a call without a
    reply.
    """
    if not answer.invalid_tool_calls:
        return answer
    broken = [
        {
            "type": "tool_call",
            "name": call["name"] or "",
            "args": {"unreadable": (call["args"] or "")[:MESSAGE_LENGTH]},
            "id": call["id"],
        }
        for call in answer.invalid_tool_calls
    ]
    return answer.model_copy(update={"tool_calls": [*answer.tool_calls, *broken], "invalid_tool_calls": []})


def _whole(answer: "AIMessage") -> "AIMessage | Fault":
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
    if reason in _CUT:
        # The sentence names no flag: --max-tokens caps all runs of an experiment, not an answer.
        problem = (
            "the answer was cut at the longest length allowed: set max_tokens higher in drretail.toml or a profile"
        )
    elif not answer.text.strip():
        problem = f"the answer is empty (stop reason {reason})"
    else:
        return answer
    error = _unusable(answer, "unusable", problem)
    return Fault(error, passes=False, usage=usage_of(answer), unfinished=answer.text.strip(), was_cut=reason in _CUT)


def _unusable(answer: "AIMessage", kind: ModelErrorKind, message: str) -> ModelError:
    """The failure, with the tokens that the answer took all the same."""
    return ModelError(kind, message, usage=usage_of(answer).model_dump())


def _stop_reason(answer: "AIMessage") -> str:
    metadata = answer.response_metadata
    if (metadata.get("prompt_feedback") or {}).get("block_reason"):
        return "content_filter"  # Gemini refused the prompt itself, and so there is no answer with a reason
    names = ("stop_reason", "finish_reason", "done_reason")
    return next((str(metadata[name]).casefold() for name in names if metadata.get(name)), UNSAID)
