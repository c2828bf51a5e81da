"""The models of one run: every call is journalled, counted, and written into the trajectory."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage

from drretail.effects import Effect, Journal, Outcome
from drretail.errors import ModelError
from drretail.llm.faults import ainvoke, usage_of
from drretail.llm.question import Check, Question
from drretail.llm.registry import Model
from drretail.llm.structured import answered_json
from drretail.records.base import Record
from drretail.records.run import Limits, Role, Step, Usage
from drretail.trajectory import Trajectory

# How each provider is told that the tools it sees may not be called. They must still be sent: Anthropic refuses
# a conversation that holds tool calls but names no tools. A provider that is not listed gets no tools instead.
NO_CALLS: dict[str, Any] = {"anthropic": {"type": "none"}, "openai": "none", "google": "none", "offline": "none"}
RESERVE = 0.1
"""The part of a token budget that is kept back for the report, at least."""
T = TypeVar("T", bound=Record)


@dataclass(slots=True)
class Models:
    """The models of one run, or of one of its researchers, by role, with what they have used so far."""

    by_role: Mapping[Role, Model]
    journal: Journal
    trajectory: Trajectory
    limits: Limits = field(default_factory=Limits)
    gate: asyncio.Semaphore | None = None
    """Held by each call while it is in flight; None = any number may be."""
    _used: dict[str, Usage] = field(default_factory=dict[str, Usage])
    _branches: "list[Models]" = field(default_factory=list["Models"])
    _last_call: int = 0

    async def call(
        self,
        role: Role,
        messages: Sequence[BaseMessage],
        *,
        path: str = "0",
        tools: Sequence[dict[str, Any]] = (),
        may_call: bool = True,
    ) -> AIMessage:
        """The model's answer; ``may_call`` False shows it the tools of the conversation but allows no call.

        Raises ModelError when the provider fails for good or the tokens are spent.
        """
        model = self.by_role[role]
        request = _request(model, messages) | {"tools": list(tools), "may_call": may_call}
        effect = await self._turn(role, path, _bound(model, tools, may_call), messages, request)
        return AIMessage.model_validate(effect.response)

    async def ask(
        self,
        role: Role,
        messages: Sequence[BaseMessage],
        answer: type[T],
        *,
        path: str = "0",
        check: Check[T] | None = None,
    ) -> T:
        """The model's answer in the schema of ``answer``; what does not fit is told to it, at most twice.

        ``check`` says what else is wrong with an answer, None when nothing is. Raises ModelError when there is
        no usable answer.
        """
        model = self.by_role[role]

        async def call(chat: Any, said: Sequence[BaseMessage], schema: dict[str, Any]) -> str:
            effect = await self._turn(role, path, chat, said, _request(model, said) | {"schema": schema})
            return answered_json(AIMessage.model_validate(effect.response))

        reply = await Question(model, answer, call, check).put(messages)
        if reply.answer is None:
            raise reply.failure or ModelError("model", "no usable answer")
        return reply.answer

    def branches(self, count: int) -> "list[Models]":
        """One for each of ``count`` researchers that are about to run side by side.

        Each has an equal share of the tokens that are left, so that what one spends never decides what another may do.
        """
        share = self.limits
        if self.limits.tokens is not None:
            left = self.limits.tokens - self.tokens - int(self._reserve)
            share = self.limits.model_copy(update={"tokens": max(1, left // count)})
        made = [Models(self.by_role, self.journal, self.trajectory, share, self.gate) for _ in range(count)]
        self._branches += made
        return made

    @property
    def usage(self) -> dict[str, Usage]:
        """What every role has used, the researchers' branches included."""
        total = dict(self._used)
        for branch in self._branches:
            for role, used in branch.usage.items():
                total[role] = total.get(role, Usage()).plus(used)
        return dict(sorted(total.items()))

    @property
    def tokens(self) -> int:
        """All tokens read and written so far, by every role."""
        return sum(usage.total for usage in self.usage.values())

    @property
    def must_conclude(self) -> bool:
        """True when one more turn and then the report might not fit into the tokens."""
        if self.limits.tokens is None:
            return False
        return self.tokens + self._last_call + self._reserve > self.limits.tokens

    @property
    def _reserve(self) -> float:
        return max(RESERVE * (self.limits.tokens or 0), self._last_call)

    async def _turn(
        self, role: Role, path: str, chat: Any, messages: Sequence[BaseMessage], request: dict[str, Any]
    ) -> Effect:
        """One call: journalled, counted, and a step of the trajectory, whether it succeeds or not."""
        self._check_budget()
        model = self.by_role[role]
        kind = "synthesis" if role == "synthesis" else "model"
        seq = self.trajectory.reserve(path)

        async def action() -> Outcome:
            answer = await _in_time(model, chat, messages)
            return Outcome(answer.model_dump(mode="json", exclude_none=True), usage_of(answer).model_dump())

        try:
            async with self.gate or nullcontext():  # outside of what is timed: to wait in line is no latency
                effect = await self.journal.scope(path).aperform("model", request, action)
        except ModelError as problem:
            self.trajectory.add(Step(path=path, seq=seq, kind=kind, role=role, error=problem.message))
            raise
        self._count(role, effect)
        answer = AIMessage.model_validate(effect.response)
        text = answered_json(answer) if "schema" in request else answer.text
        thought = self.trajectory.keep_text(text) if text else None
        self.trajectory.add(Step(path=path, seq=seq, kind=kind, role=role, name=model.spec, result_sha=thought))
        return effect

    def _check_budget(self) -> None:
        if self.limits.tokens is not None and self.tokens >= self.limits.tokens:
            raise ModelError("budget", f"the {self.limits.tokens:,} tokens allowed were spent before the report")

    def _count(self, role: Role, effect: Effect) -> None:
        used = Usage(**(effect.usage or {}))
        self._used[role] = self._used.get(role, Usage()).plus(used)
        self._last_call = used.total


async def _in_time(model: Model, chat: Any, messages: Sequence[BaseMessage]) -> AIMessage:
    """The answer, or ModelError("timeout") where a client does not keep its own time-out."""
    try:
        async with asyncio.timeout(model.seconds):
            return await ainvoke(chat, messages)
    except TimeoutError:
        raise ModelError("timeout", f"no answer within {model.seconds:g} seconds, retries included") from None


def _bound(model: Model, tools: Sequence[dict[str, Any]], may_call: bool) -> Any:
    if not tools:
        return model.chat
    if may_call:
        return model.chat.bind_tools(list(tools))
    choice = NO_CALLS.get(model.info.provider)
    return model.chat if choice is None else model.chat.bind_tools(list(tools), tool_choice=choice)


def _request(model: Model, messages: Sequence[BaseMessage]) -> dict[str, Any]:
    """What decides the answer, in a form that is equal when the request is."""
    return {"model": model.spec, "params": model.params, "messages": [_canonical(message) for message in messages]}


def _canonical(message: BaseMessage) -> dict[str, Any]:
    kept = {"role": message.type, "content": message.content}
    for name in ("tool_calls", "tool_call_id"):
        value = getattr(message, name, None)
        if value:
            kept[name] = value
    return kept
