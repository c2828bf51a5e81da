"""The one seam at which models are called: paced, tried again, timed out and counted alike for every provider."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage

from drretail.errors import ModelError
from drretail.llm.budget import CHARACTERS_PER_TOKEN
from drretail.llm.denials import address_of
from drretail.llm.faults import Fault, attempt, usage_of
from drretail.llm.registry import Model
from drretail.records.base import canonical_json
from drretail.records.run import Usage

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage


ANSWER_TOKENS = 500
"""What an answer is taken to hold until it is there."""
TOLD_AFTER = 2.0
"""Seconds of attempts and pauses after which whoever waits wants to know for what."""
TOLD_LENGTH = 160
Told = Callable[[str], None]


async def answer_of(
    model: Model, messages: Sequence["BaseMessage"], *, chat: Any = None, on_retry: Told | None = None
) -> "AIMessage":
    """The model's answer: text or tool calls, never neither. ``chat`` is the model's with tools or a schema bound.

    What passes by itself is tried again as ``model.retrying`` says, within ``model.seconds``; ``on_retry`` is told
    why, each time; from ``TOLD_AFTER`` seconds on ``model.retrying`` tells the user as well. To wait for the
    provider's pace counts towards neither.
    Raises ModelError: timeout, refusal, unusable, context_overflow, or model for all else; it knows how often it was
    retried.
    Raises CommandStopped where no other call could succeed: the key, the model or the account is refused.
    """
    chat = model.chat if chat is None else chat
    policy, spent, tried = model.retrying, 0.0, 0
    while True:
        model.halt.check()
        try:
            found, seconds = await _paced(model, chat, messages, spent)
        except ModelError as problem:
            model.halt.check_denied(model, problem)
            problem.retries = tried
            raise
        if not isinstance(found, Fault):
            return found
        pause = policy.pause(tried, found.wait)
        spent += seconds + pause
        if not found.passes or tried >= policy.retries or (model.seconds is not None and spent >= model.seconds):
            model.halt.check_denied(model, found.error)
            raise _unanswered(model, found, tried)
        tried += 1
        if spent >= TOLD_AFTER:
            whom = address_of(model) or model.info.provider
            model.retrying.tell(
                f"Waiting for {whom} ({model.info.model}): {found.error.message[:TOLD_LENGTH]}; "
                f"try {tried + 1} of {policy.retries + 1} in {pause:.0f} s."
            )
        if found.wait is not None and found.status is not None:
            model.pacer.hold(found.wait)
        if on_retry is not None:
            on_retry(found.error.message)
        await policy.sleep(pause)


def _unanswered(model: Model, fault: Fault, tried: int) -> ModelError:
    """What the call fails with; a server of one's own that did not answer at all is named."""
    error, address = fault.error, address_of(model)
    if fault.status is None and address is not None:
        named = ModelError(error.kind, f"{error.message} (no answer from {address})", usage=error.usage)
        named.__cause__ = error.__cause__
        error = named
    error.retries = tried
    return error


async def _paced(
    model: Model, chat: Any, messages: Sequence["BaseMessage"], spent: float
) -> "tuple[AIMessage | Fault, float]":
    """One attempt when its turn has come, and the seconds that it took."""
    estimated = _tokens_of(chat, messages) if model.pacer.limits.tokens is not None else 0.0
    await model.pacer.admit(estimated)
    began = model.retrying.clock()
    try:
        found = await _in_time(model, chat, messages, spent)
    except ModelError as problem:
        if problem.usage is not None:
            model.pacer.correct(estimated, Usage(**problem.usage))
        raise
    if not isinstance(found, Fault):
        model.pacer.correct(estimated, usage_of(found))
    elif found.status is not None:  # refused: it read nothing
        model.pacer.correct(estimated, None)
    return found, model.retrying.clock() - began


async def _in_time(model: Model, chat: Any, messages: Sequence["BaseMessage"], spent: float) -> "AIMessage | Fault":
    """The attempt, or ModelError("timeout") where a client does not keep its own time-out."""
    left = None if model.seconds is None else model.seconds - spent
    try:
        async with asyncio.timeout(left):
            return await attempt(chat, messages, streamed=model.streamed)
    except TimeoutError:
        raise ModelError("timeout", f"no answer within {model.seconds:g} seconds, retries included") from None


def _tokens_of(chat: Any, messages: Sequence["BaseMessage"]) -> float:
    """About what a call will take, from its characters; put right once the provider has counted."""
    texts = [message.content if isinstance(message.content, str) else str(message.content) for message in messages]
    tools = getattr(chat, "kwargs", {}).get("tools", [])
    characters = sum(map(len, texts)) + (len(canonical_json(tools)) if tools else 0)
    return characters / CHARACTERS_PER_TOKEN + ANSWER_TOKENS


MARKED = frozenset({"anthropic"})
"""Providers that cache what is marked, and nothing else."""
_MARK = {"type": "ephemeral"}


def marked(messages: Sequence[BaseMessage], *, continues: bool) -> list[BaseMessage]:
    """The messages with the ends of their stable prefixes marked; the originals stay as they are.

    The system message ends the part that all runs of an agent share: tools come before it. With ``continues``,
    the conversation so far is marked as well, for the next turn to read, and so is where the turn before ended: the
    provider looks only some twenty blocks back for what it holds, and one turn's tool results may be more.
    """
    ends = {index for index, message in enumerate(messages) if isinstance(message, SystemMessage)}
    if continues:
        ends.add(len(messages) - 1)
        ends.update(_last_turn_end(messages))
    return [_with_mark(message) if index in ends else message for index, message in enumerate(messages)]


def marked_after(messages: Sequence[BaseMessage], shared: str) -> list[BaseMessage]:
    """The messages with the end of ``shared`` marked, with which the first of them and other questions begin."""
    first, *rest = messages
    blocks = [{"type": "text", "text": shared, "cache_control": _MARK}]
    blocks.append({"type": "text", "text": first.text.removeprefix(shared)})
    return [first.model_copy(update={"content": blocks}), *rest]


def _last_turn_end(messages: Sequence[BaseMessage]) -> list[int]:
    """Where the request before this one ended: just before the model's last answer."""
    answers = [index for index, message in enumerate(messages) if isinstance(message, AIMessage)]
    return [answers[-1] - 1] if answers and answers[-1] > 0 else []


def _with_mark(message: BaseMessage) -> BaseMessage:
    content: list[Any] = (
        [{"type": "text", "text": message.content}] if isinstance(message.content, str) else [*message.content]
    )
    if not content or not isinstance(content[-1], dict) or content[-1].get("text") == "":
        return message  # there is nothing that could carry a mark
    return message.model_copy(update={"content": [*content[:-1], {**content[-1], "cache_control": _MARK}]})
