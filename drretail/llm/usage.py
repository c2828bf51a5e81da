"""What calls took: tokens as the provider counts them, or estimated from the text; and time, from the journal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from drretail.journal import Effect
from drretail.llm.budget import CHARACTERS_PER_TOKEN
from drretail.records.base import Record, canonical_json
from drretail.records.run import Usage
from drretail.records.tables.figures import counted

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

UNSEEN_TOKENS = 1_000_000
"""Tokens that a provider may count beyond the text it was sent or gave: its own instructions, thinking, images."""
ESTIMATED = "usage_estimated"
"""The key in an answer's response metadata that says that its tokens are estimated from its text."""


def estimated_tokens(chat: Any, messages: Sequence["BaseMessage"]) -> int:
    """The tokens of a question, estimated from its characters and those of its tools."""
    texts = [message.content if isinstance(message.content, str) else str(message.content) for message in messages]
    tools = getattr(chat, "kwargs", {}).get("tools", [])
    characters = sum(map(len, texts)) + (len(canonical_json(tools)) if tools else 0)
    return characters // CHARACTERS_PER_TOKEN


def with_possible_usage(answer: "AIMessage", chat: Any, messages: Sequence["BaseMessage"]) -> "AIMessage":
    """The answer with token counts that can be true, so that a cap on tokens holds.

    A count that is missing, negative, no whole number, 0 for a text, or more than its text could ever have is replaced
    by an estimate.
    """
    reported: Mapping[str, Any] = answer.usage_metadata or {}
    calls = [call["args"] for call in answer.tool_calls]
    written = (len(answer.text) + (len(str(calls)) if calls else 0)) // CHARACTERS_PER_TOKEN
    read, output = reported.get("input_tokens"), reported.get("output_tokens")
    # A usual count is possible for any question, and measuring one with its tools takes longer than the rest of this.
    is_usual = type(read) is int and 1 <= read <= UNSEEN_TOKENS
    question = 1 if is_usual else estimated_tokens(chat, messages)
    if _is_possible(read, question) and _is_possible(output, written):
        return answer
    details = reported.get("input_token_details") if _is_possible(read, question) else None
    read = read if _is_possible(read, question) else max(question, 1)
    output = output if _is_possible(output, written) else max(written, 1)
    usage = {"input_tokens": read, "output_tokens": output, "total_tokens": read + output}
    usage |= {"input_token_details": details} if details else {}
    metadata = {**answer.response_metadata, ESTIMATED: True}
    return answer.model_copy(update={"usage_metadata": usage, "response_metadata": metadata})


def estimated_note(used: Iterable[Usage]) -> tuple[str, ...]:
    """A note for tables: how many answers have estimated tokens. Empty if the providers counted all."""
    usages = list(used)
    estimated, calls = (sum(getattr(usage, name) for usage in usages) for name in ("estimated", "calls"))
    if not estimated:
        return ()
    answers = f"{counted(estimated, 'answer')} in {counted(calls, 'call')} came without a possible count of tokens"
    return (f"{answers}: tokens and dollars are estimated from the text there.",)


def _is_possible(count: object, text_tokens: int) -> TypeGuard[int]:
    """True if a text of about ``text_tokens`` can have this count: no tokenizer makes more than one token of a byte."""
    if not isinstance(count, int) or isinstance(count, bool):
        return False
    least = 1 if text_tokens else 0
    return least <= count <= UNSEEN_TOKENS + 4 * CHARACTERS_PER_TOKEN * text_tokens  # 4 bytes a character at most


def usage_of(message: "AIMessage") -> Usage:
    """The tokens of one call. langchain counts the cached parts within ``input_tokens``; here they are separate."""
    reported = message.usage_metadata
    if reported is None:
        return Usage(calls=1)
    details = reported.get("input_token_details") or {}
    whole = reported["input_tokens"]
    read = min(_detail(details.get("cache_read")), whole)
    # With a stated lifetime Anthropic reports the written part under these names, and cache_creation is then 0.
    lifetimes = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
    created = _detail(details.get("cache_creation")) or sum(_detail(details.get(name)) for name in lifetimes)
    created = min(created, whole - read)
    return Usage(
        calls=1,
        input_uncached=whole - read - created,
        cache_read=read,
        cache_creation=created,
        output=reported["output_tokens"],
        estimated=int(message.response_metadata.get(ESTIMATED, False)),
    )


def _detail(count: object) -> int:
    """A part of the input's tokens; 0 if it is not a count."""
    return max(0, count) if isinstance(count, int) else 0


class Latency(Record):
    """The model calls of one role; seconds include the waits between attempts. Volatile, so for telemetry only."""

    calls: int = 0
    failed: int = 0
    retries: int = 0
    seconds: float = 0
    slowest: float = 0


def latency_by_role(effects: Iterable[Effect]) -> dict[str, Latency]:
    """The latency of every role whose model was called."""
    latencies: dict[str, Latency] = {}
    for effect in effects:
        if effect.kind == "model":
            before = latencies.get(effect.role or "", Latency())
            latencies[effect.role or ""] = Latency(
                calls=before.calls + 1,
                failed=before.failed + (effect.error is not None),
                retries=before.retries + (effect.retries or 0),
                seconds=round(before.seconds + effect.seconds, 6),
                slowest=max(before.slowest, effect.seconds),
            )
    return dict(sorted(latencies.items()))
