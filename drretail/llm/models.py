"""The models of one run: every call is journalled, counted, and written into the trajectory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from drretail.effects import Effect, Journal, Outcome
from drretail.errors import ModelError
from drretail.llm.faults import ainvoke, usage_of
from drretail.llm.registry import Model
from drretail.records.run import Limits, Role, Step, Usage
from drretail.trajectory import Trajectory

# How each provider is told that the tools it sees may not be called. They must still be sent: Anthropic refuses
# a conversation that holds tool calls but names no tools. A provider that is not listed gets no tools instead.
NO_CALLS: dict[str, Any] = {"anthropic": {"type": "none"}, "openai": "none", "google": "none", "offline": "none"}
RESERVE = 0.1
"""The part of a token budget that is kept back for the report, at least."""


@dataclass(slots=True)
class Models:
    """The models of one run by role, with what they have used so far."""

    by_role: Mapping[Role, Model]
    journal: Journal
    trajectory: Trajectory
    limits: Limits = field(default_factory=Limits)
    usage: dict[str, Usage] = field(default_factory=dict[str, Usage])
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

        Raises ModelError when the provider fails for good or the run's tokens are spent.
        """
        self._check_budget()
        model = self.by_role[role]
        seq = self.trajectory.reserve(path)

        async def action() -> Outcome:
            answer = await ainvoke(_bound(model, tools, may_call), messages)
            return Outcome(answer.model_dump(mode="json", exclude_none=True), usage_of(answer).model_dump())

        scope = self.journal.scope(path)
        try:
            effect = await scope.aperform("model", _request(model, messages, tools, may_call), action)
        except ModelError as problem:
            self.trajectory.add(Step(path=path, seq=seq, kind="model", role=role, error=problem.message))
            raise
        answer = AIMessage.model_validate(effect.response)
        self._count(role, effect)
        thought = self.trajectory.keep_text(answer.text) if answer.text else None
        self.trajectory.add(Step(path=path, seq=seq, kind="model", role=role, name=model.spec, result_sha=thought))
        return answer

    @property
    def tokens(self) -> int:
        """All tokens read and written so far, by every role."""
        return sum(usage.total for usage in self.usage.values())

    @property
    def must_conclude(self) -> bool:
        """True when one more turn and then the report might not fit into the run's tokens."""
        if self.limits.tokens is None:
            return False
        reserve = max(RESERVE * self.limits.tokens, self._last_call)
        return self.tokens + self._last_call + reserve > self.limits.tokens

    def _check_budget(self) -> None:
        if self.limits.tokens is not None and self.tokens >= self.limits.tokens:
            raise ModelError("budget", f"the run's {self.limits.tokens:,} tokens were spent before its report")

    def _count(self, role: Role, effect: Effect) -> None:
        used = Usage(**(effect.usage or {}))
        self.usage[role] = self.usage.get(role, Usage()).plus(used)
        self._last_call = used.total


def _bound(model: Model, tools: Sequence[dict[str, Any]], may_call: bool) -> Any:
    if not tools:
        return model.chat
    if may_call:
        return model.chat.bind_tools(list(tools))
    choice = NO_CALLS.get(model.info.provider)
    return model.chat if choice is None else model.chat.bind_tools(list(tools), tool_choice=choice)


def _request(
    model: Model, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]], may_call: bool
) -> dict[str, Any]:
    """What decides the answer, in a form that is equal when the request is."""
    return {
        "model": model.spec,
        "params": model.params,
        "messages": [_canonical(message) for message in messages],
        "tools": list(tools),
        "may_call": may_call,
    }


def _canonical(message: BaseMessage) -> dict[str, Any]:
    kept = {"role": message.type, "content": message.content}
    for name in ("tool_calls", "tool_call_id"):
        value = getattr(message, name, None)
        if value:
            kept[name] = value
    return kept
