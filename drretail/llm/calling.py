"""The one seam at which models are called: paced, tried again, timed out and counted alike for every provider."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from drretail.errors import ModelError
from drretail.llm.denials import address_of
from drretail.llm.faults import Fault, attempt
from drretail.llm.registry import Model
from drretail.llm.usage import estimated_tokens, usage_of
from drretail.prompts import load_prompt, tagged
from drretail.records.run import Usage

ANSWER_TOKENS = 500
"""What an answer is taken to hold until it is there."""
TOLD_AFTER = 2.0
"""Seconds of attempts and pauses after which whoever waits wants to know for what."""
TOLD_LENGTH = 160
LEAST_WORDS = 200
"""What an answer that was cut may hold at least, when it is asked for again: it may have been cut while thinking."""


@dataclass(slots=True)
class Attempts:
    """What a call took before its answer."""

    failed: list[str] = field(default_factory=list[str])
    """Why each attempt that was followed by another brought no answer."""
    lost: Usage | None = None
    """The tokens of answers that could not be used: they are paid for all the same."""

    def lose(self, usage: Usage) -> None:
        self.lost = usage if self.lost is None else self.lost.plus(usage)

    def usage_with(self, answer: "AIMessage") -> Usage:
        """The tokens of the answer, and those that were lost before it."""
        used = usage_of(answer)
        return used if self.lost is None else used.plus(self.lost)

    def in_all(self, problem: ModelError) -> ModelError:
        """The failure of the whole call, with all that it took."""
        problem.retries = len(self.failed)
        if self.lost is not None:
            problem.usage = self.lost.model_dump()
        return problem


async def answer_of(
    model: Model, messages: Sequence["BaseMessage"], *, chat: Any = None, attempts: Attempts | None = None
) -> "AIMessage":
    """The model's answer: text or tool calls, never neither. ``chat`` is the model's with tools or a schema bound.

    What passes by itself is tried again as ``model.retrying`` says, within ``model.seconds``; an answer that is empty
    or was cut is asked for once more. ``attempts`` takes in what came before the answer; from ``TOLD_AFTER`` seconds on
    ``model.retrying`` tells the user as well. To wait for the provider's pace counts towards neither.
    Raises ModelError: timeout, refusal, unusable, context_overflow, or model for all else, with the tokens of all
    attempts and how often it was tried again.
    Raises CommandStopped where no other call could succeed: the key, the model or the account is refused, or the
    server is down.
    """
    chat = model.chat if chat is None else chat
    attempts = attempts or Attempts()
    policy, spent, tried, request = model.retrying, 0.0, 0, messages
    while True:
        model.halt.check()
        try:
            found, seconds = await _paced(model, chat, request, spent)
        except ModelError as problem:
            model.halt.check_denied(model, problem)
            if problem.usage is not None:
                attempts.lose(Usage(**problem.usage))
            raise attempts.in_all(problem)  # noqa: B904 -- it is the same error
        if not isinstance(found, Fault):
            model.halt.answered(model)
            return found
        if (lost := _lost(found, chat, request)) is not None:
            attempts.lose(lost)
        if found.unfinished is not None and request is messages:
            attempts.failed.append(found.error.message)
            request, spent = [*messages, _second_chance(found)], 0.0
            continue
        pause = policy.pause(tried, found.wait)
        spent += seconds + pause
        if not found.passes or tried >= policy.retries or (model.seconds is not None and spent >= model.seconds):
            model.halt.check_denied(model, found.error)
            model.halt.check_down(model, found)
            raise attempts.in_all(_unanswered(model, found))
        tried += 1
        if spent >= TOLD_AFTER:
            whom = address_of(model) or model.info.provider
            model.retrying.tell(
                f"Waiting for {whom} ({model.info.model}): {found.error.message[:TOLD_LENGTH]}; "
                f"try {tried + 1} of {policy.retries + 1} in {pause:.0f} s."
            )
        if found.wait is not None and found.status is not None:
            model.pacer.hold(found.wait)
        attempts.failed.append(found.error.message)
        await policy.sleep(pause)


def _second_chance(found: Fault) -> HumanMessage:
    """Asks once more for an answer that was empty, or was cut: then with what there is of it, and for half as much."""
    text = found.unfinished or ""
    if not found.was_cut:
        return HumanMessage(load_prompt(__file__, "empty_answer").render())
    # Of one that was cut while the model thought there is nothing.
    words = len(text.split()) or (0 if found.usage is None else found.usage.output // 2)
    instruction = load_prompt(__file__, "cut_answer").render(words=str(max(LEAST_WORDS, words // 2)))
    return HumanMessage(f"{tagged('answer', text)}\n{instruction}")


def _lost(found: Fault, chat: Any, messages: Sequence["BaseMessage"]) -> Usage | None:
    """What an answer took that did not arrive whole, as counted by the provider, else by its question's characters.

    None where there was none to pay for: the provider refused, or was not reached. What did not arrive is no call.
    """
    if found.usage is not None or found.status is not None or found.is_unreached or not found.passes:
        return found.usage
    return _given_up(chat, messages)


def _given_up(chat: Any, messages: Sequence["BaseMessage"]) -> Usage:
    """A question that was read, and whose answer nobody counted."""
    return Usage(input_uncached=estimated_tokens(chat, messages), estimated=1)


def _unanswered(model: Model, fault: Fault) -> ModelError:
    """What the call fails with; a server of one's own that did not answer at all is named."""
    error, address = fault.error, address_of(model)
    if fault.status is None and fault.unfinished is None and address is not None:
        named = ModelError(error.kind, f"{error.message} (no usable answer from {address})")
        named.__cause__ = error.__cause__
        error = named
    return error


async def _paced(
    model: Model, chat: Any, messages: Sequence["BaseMessage"], spent: float
) -> "tuple[AIMessage | Fault, float]":
    """One attempt when its turn has come, and the seconds that it took."""
    estimated = 0.0 if model.pacer.limits.tokens is None else estimated_tokens(chat, messages) + ANSWER_TOKENS
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
    elif found.usage is not None or found.status is not None:  # without usage it was refused, and read nothing
        model.pacer.correct(estimated, found.usage)
    return found, model.retrying.clock() - began


async def _in_time(model: Model, chat: Any, messages: Sequence["BaseMessage"], spent: float) -> "AIMessage | Fault":
    """The attempt, cut at its own limit: a client's time-out begins anew with each piece of a dripping answer.

    Raises ModelError("timeout") where no time is left for the call.
    """
    left = None if model.seconds is None else model.seconds - spent
    is_last = model.attempt_seconds is None or (left is not None and left <= model.attempt_seconds)
    limit = left if is_last else model.attempt_seconds
    try:
        async with asyncio.timeout(limit):
            return await attempt(chat, messages, streamed=model.streamed)
    except TimeoutError:
        higher = "set model_timeout higher in drretail.toml"
        if is_last:
            late = f"no answer within {model.seconds:g} seconds, retries included: {higher}"
            raise ModelError("timeout", late, usage=_given_up(chat, messages).model_dump()) from None
        return Fault(ModelError("timeout", f"no whole answer within {limit:g} seconds: {higher}"), passes=True)


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
