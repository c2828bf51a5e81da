"""The only place where models are called: pace, retries, time-outs and counts are the same for every provider."""

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.runnables.config import merge_configs, var_child_runnable_config

from drretail.errors import ModelError
from drretail.llm.faults import PASSING_STATUS, NoAnswer, attempt, denial_of, server_address
from drretail.llm.prompt import load_prompt, tagged
from drretail.llm.providers import STREAM_TIMEOUTS
from drretail.llm.registry import Model
from drretail.llm.servers import ARGUMENTS, refused_argument, without
from drretail.llm.structured import RequestForm, forms_of
from drretail.llm.usage import estimated_tokens, usage_of
from drretail.records.run import Usage

MOST_PAUSES = 10
"""How often an answer goes on that its provider paused."""
LEAST_ANSWER = 256
"""Tokens below which an answer is not worth asking for."""
TOLD_AFTER = 2.0
"""Seconds of attempts and pauses after which the user is told what the call waits for."""
TOLD_LENGTH = 160
LEAST_WORDS = 200
"""The fewest words that are asked for after an answer was cut: it may have been cut while the model thought."""


@dataclass(slots=True)
class Attempts:
    """The attempts of a call before its answer, and the tokens that they took."""

    failed: list[str] = field(default_factory=list[str])
    """Why each attempt brought no answer, if another one followed."""
    lost: Usage | None = None
    """Tokens of answers that could not be used; they are paid for all the same."""
    priced: Callable[[Usage], Usage] = lambda usage: usage
    """The usage of one attempt with its price."""

    def lose(self, usage: Usage) -> None:
        usage = self.priced(usage)
        self.lost = usage if self.lost is None else self.lost + usage

    def usage_with(self, answer: "AIMessage") -> Usage:
        """The tokens of the answer and of the attempts before it."""
        used = self.priced(usage_of(answer))
        return used if self.lost is None else used + self.lost

    def in_all(self, problem: ModelError) -> ModelError:
        """The failure of the whole call, with its retries and the tokens of all attempts."""
        problem.retries = len(self.failed)
        if self.lost is not None:
            problem.usage = self.lost.model_dump()
        return problem


BUSY = PASSING_STATUS | {425, 502, 503, 504, 529}
"""Statuses that say nothing of the request: the server is busy, or still loads its model."""


async def answer_of(
    model: Model,
    messages: Sequence["BaseMessage"],
    *,
    chat: Any = None,
    schema: dict[str, Any] | None = None,
    attempts: Attempts | None = None,
) -> "AIMessage":
    """The model's answer: text or tool calls, never neither. ``chat`` is the model's with tools bound.

    An answer in a ``schema`` is asked for in the first of its forms that the server takes. What it refused is
    remembered once it has answered in another form.

    Failures that may pass are retried as ``model.retrying`` says, within ``model.seconds``. An answer that is empty or
    was cut is asked for once more. ``attempts`` collects what came before the answer. From ``TOLD_AFTER`` seconds on,
    ``model.retrying`` also tells the user. Time spent waiting for the provider's pace counts towards neither.

    Raises ModelError: timeout, refusal, unusable, context_overflow, or model for everything else, with the tokens of
    all attempts and the number of retries. Raises CommandStopped if no other call could succeed: the key, the model or
    the account is refused, or the server is down.
    """
    attempts = attempts or Attempts()
    plain = RequestForm(model.chat if chat is None else chat, messages)
    forms = iter([plain]) if schema is None else forms_of(model, schema, messages)
    form = next(forms)
    refused = list[str]()
    while True:
        try:
            answer = await _answer_in(model, form, attempts, is_last=not form.method)
        except ModelError as problem:
            raise attempts.in_all(problem)  # noqa: B904 -- it is the same error
        if not isinstance(answer, NoAnswer):
            model.refused.update(refused)
            return answer
        attempts.failed.append(answer.error.message)
        refused.append(form.method)
        form = next(forms)


async def _answer_in(model: Model, form: RequestForm, attempts: Attempts, *, is_last: bool) -> "AIMessage | NoAnswer":
    """The answer asked for in one form; the fault, unless it ``is_last``, if another form may bring an answer."""
    chat, messages = form.chat, form.messages
    policy, spent, tried, request = model.retrying, 0.0, 0, messages
    parts: list[AIMessage] = []
    while True:
        model.halt.check()
        try:
            outcome, seconds = await paced_attempt(model, chat, request, spent)
        except ModelError as problem:
            if problem.usage is not None:
                attempts.lose(Usage(**problem.usage))
            if not is_last and problem.kind == "model":
                return NoAnswer(problem, passes=False)
            model.halt.check_denied(model, problem)
            raise
        if not isinstance(outcome, NoAnswer):
            model.halt.answered(model)
            return _joined([*parts, outcome])
        if (lost := _lost(outcome, chat, request)) is not None:
            attempts.lose(lost)
        if outcome.paused is not None and len(parts) < MOST_PAUSES:
            parts.append(outcome.paused)
            request, spent = [*messages, _joined(parts)], 0.0
            continue
        if outcome.unfinished is not None and request is messages:
            attempts.failed.append(outcome.error.message)
            request, spent = [*messages, _second_chance(outcome)], 0.0
            continue
        pause = policy.pause(tried, outcome.wait)
        spent += seconds + pause
        if not outcome.passes or tried >= policy.retries or (model.seconds is not None and spent >= model.seconds):
            if not is_last and _is_of_the_form(outcome):
                return outcome
            model.halt.check_denied(model, outcome.error)
            model.halt.check_down(model, outcome)
            raise _unanswered(model, outcome)
        tried += 1
        if spent >= TOLD_AFTER:
            whom = server_address(model) or model.info.provider
            model.retrying.tell(
                f"Waiting for {whom} ({model.info.model}): {outcome.error.message[:TOLD_LENGTH]}; "
                f"try {tried + 1} of {policy.retries + 1} in {pause:.0f} s."
            )
        if outcome.wait is not None and outcome.status is not None:
            model.pacer.hold(outcome.wait)
        attempts.failed.append(outcome.error.message)
        await policy.sleep(pause)


def _joined(parts: Sequence[AIMessage]) -> AIMessage:
    """The answer that came in these parts, each of which went on where the one before was paused.

    The usage is that of the last: those before were counted when they came.
    """
    if len(parts) == 1:
        return parts[0]
    content: list[Any] = []
    for part in parts:
        is_text = isinstance(part.content, str) and part.content
        content += [{"type": "text", "text": part.content}] if is_text else part.content
    return parts[-1].model_copy(update={"content": content})


def _is_of_the_form(fault: NoAnswer) -> bool:
    """True if the same question may be answered in another form: the server refuses it, or answers with nothing."""
    if fault.error.kind == "unusable":
        return not fault.was_cut
    if fault.status in BUSY or fault.is_unreached or denial_of(fault.error) in ("key", "account"):
        return False
    return fault.error.kind == "model"


def _second_chance(fault: NoAnswer) -> HumanMessage:
    """The message that asks once more for an answer that was empty or cut.

    A cut answer is shown as far as it goes, and half its length is asked for.
    """
    text = fault.unfinished or ""
    if not fault.was_cut:
        return HumanMessage(load_prompt(__file__, "empty_answer").render())
    # An answer that was cut while the model thought has no text: its tokens are counted instead.
    words = len(text.split()) or (0 if fault.usage is None else fault.usage.output // 2)
    instruction = load_prompt(__file__, "cut_answer").render(words=str(max(LEAST_WORDS, words // 2)))
    return HumanMessage(f"{tagged('answer', text)}\n{instruction}")


def _lost(fault: NoAnswer, chat: Any, messages: Sequence["BaseMessage"]) -> Usage | None:
    """The tokens of an answer that did not arrive whole: the provider's count, or estimated from the question.

    None if there is nothing to pay for: the provider refused, or was not reached. An estimate counts no call.
    """
    if fault.usage is not None or fault.status is not None or fault.is_unreached or not fault.passes:
        return fault.usage
    return _given_up(chat, messages)


def _given_up(chat: Any, messages: Sequence["BaseMessage"]) -> Usage:
    """The usage of a question that was read but whose answer nobody counted: the question's estimated tokens."""
    return Usage(input_uncached=estimated_tokens(chat, messages), estimated=1)


def _unanswered(model: Model, fault: NoAnswer) -> ModelError:
    """The error that the call fails with. If a server of the user's own did not answer at all, the error names it."""
    error, address = fault.error, server_address(model)
    if fault.status is None and fault.unfinished is None and address is not None:
        with_address = ModelError(error.kind, f"{error.message} (no usable answer from {address})")
        with_address.__cause__ = error.__cause__
        error = with_address
    return error


async def paced_attempt(
    model: Model, chat: Any, messages: Sequence["BaseMessage"], spent: float
) -> "tuple[AIMessage | NoAnswer, float]":
    """One attempt, made as soon as the pace allows it, and the seconds that it took.

    An argument that the server refuses is left out from then on, and the attempt is made again. Raises ModelError if
    the question leaves no room in what the model is stated to hold.
    """
    await model.pacer.admit()
    held: int | None = model.stated_context or model.params.get("context")
    if held is not None and held - (read := estimated_tokens(chat, messages)) < LEAST_ANSWER:
        # Ollama would drop its beginning without a word.
        asks = f"the question takes about {read:,} tokens, and {model.spec} holds {held:,}"
        raise ModelError("context_overflow", f"{asks}: start its server with a longer context, or use another model")
    began = model.retrying.clock()
    while True:
        left_out = {*model.refused} & ARGUMENTS.keys()
        sent = without(chat, left_out)
        outcome = await _in_time(model, sent, messages, spent)
        refused = refused_argument(outcome, sent) if isinstance(outcome, NoAnswer) else None
        if refused is None or refused in left_out:  # the longest answer may be refused by both its names
            break
        model.refused.add(refused)
    return outcome, model.retrying.clock() - began


async def _in_time(model: Model, chat: Any, messages: Sequence["BaseMessage"], spent: float) -> "AIMessage | NoAnswer":
    """One attempt, cut at its own limit: a client's time-out begins anew with each piece of a streamed answer.

    Where the answer comes in pieces, the limit counts from the first: until then a slow server reads the question. A
    later piece may take a ``STREAM_TIMEOUTS``th of the limit.

    Raises ModelError("timeout") if the time for the whole call has run out.
    """
    left = None if model.seconds is None else model.seconds - spent
    is_last = model.attempt_seconds is None or (left is not None and left <= model.attempt_seconds)
    limit = left if is_last else model.attempt_seconds
    try:
        async with asyncio.timeout(limit) as timer:
            with _pieces_told(timer, limit) if model.streamed and limit is not None else nullcontext():
                return await attempt(chat, messages, streamed=model.streamed)
    except TimeoutError:
        higher = "set model_timeout higher in drretail.toml"
        if is_last:
            late = f"no answer within {model.seconds:g} seconds, retries included: {higher}"
            raise ModelError("timeout", late, usage=_given_up(chat, messages).model_dump()) from None
        return NoAnswer(ModelError("timeout", f"no whole answer within {limit:g} seconds: {higher}"), passes=True)


@contextmanager
def _pieces_told(timer: asyncio.Timeout, limit: float) -> Generator[None]:
    """Gives an answer its time anew with each piece, within the limit from the first one on."""
    last: list[float] = []

    class Pieces(AsyncCallbackHandler):
        async def on_llm_new_token(self, *_: Any, **__: Any) -> None:
            now = asyncio.get_running_loop().time()
            last[:] = last or [now + limit]
            timer.reschedule(min(last[0], now + limit / STREAM_TIMEOUTS))

    before = var_child_runnable_config.set(
        merge_configs(var_child_runnable_config.get() or {}, {"callbacks": [Pieces()]})
    )
    try:
        yield
    finally:
        var_child_runnable_config.reset(before)


MARKED = frozenset({"anthropic"})
"""Providers that cache only what is marked."""
_MARK = {"type": "ephemeral"}


def with_cache_marks(messages: Sequence[BaseMessage], *, continues: bool) -> list[BaseMessage]:
    """The messages, with a cache mark at the end of each stable prefix. The originals are not changed.

    The system message ends the part that all runs of an agent share (tools precede it). With ``continues`` two more
    ends are marked: that of the conversation so far, for the next turn to read, and that of the previous request,
    because the provider looks back only some twenty blocks for what it cached, and one turn's tool results may be more.
    """
    ends = {index for index, message in enumerate(messages) if isinstance(message, SystemMessage)}
    if continues:
        ends.add(len(messages) - 1)
        answers = [index for index, message in enumerate(messages) if isinstance(message, AIMessage)]
        if answers and answers[-1] > 0:
            ends.add(answers[-1] - 1)
    copies = list(messages)
    for index in ends:
        content: Any = messages[index].content
        parts: list[Any] = [{"type": "text", "text": content}] if isinstance(content, str) else [*content]
        if parts and isinstance(parts[-1], dict) and parts[-1].get("text") != "":  # otherwise nothing can carry a mark
            parts[-1] = {**parts[-1], "cache_control": _MARK}
            copies[index] = messages[index].model_copy(update={"content": parts})
    return copies


def marked_after(messages: Sequence[BaseMessage], shared: str) -> list[BaseMessage]:
    """The messages, with a mark at the end of ``shared``, with which the first one and other questions begin."""
    first, *rest = messages
    blocks = [{"type": "text", "text": shared, "cache_control": _MARK}]
    blocks.append({"type": "text", "text": first.text.removeprefix(shared)})
    return [first.model_copy(update={"content": blocks}), *rest]
