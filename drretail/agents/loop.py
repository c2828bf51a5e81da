"""The loop that every role with tools goes round (ReAct, Yao et al. 2023): think, act, read, think again.

think ──calls──▶ act ──▶ think … ──no calls──▶ END
                  ├──it said that it is done──▶ END
                  └──limit reached──▶ conclude ──▶ END    (without a conclusion: END)
"""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Protocol

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.records.run import Role, Stop
from drretail.tools.toolkit import ToolReply


@dataclass(frozen=True, slots=True)
class Acted:
    """What one turn's calls brought: a reply to each, in their order."""

    replies: tuple[ToolReply, ...]
    ends: bool = False
    """True when a call said that the work is done."""
    notes: tuple[str, ...] = ()


class Executor(Protocol):
    """What a role in the loop can call, and how its calls are carried out."""

    @property
    def schemas(self) -> list[dict[str, Any]]: ...

    async def carry_out(self, calls: Sequence[ToolCall]) -> Acted: ...


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """The whole conversation, why it ended, and the evidence that it was handed, in order of appearance."""

    messages: tuple[AnyMessage, ...]
    stop: Stop
    evidence: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def text(self) -> str:
        """What the model said last, blank where its last turn was calls only."""
        last = next((message for message in reversed(self.messages) if isinstance(message, AIMessage)), None)
        return "" if last is None else last.text.strip()


@dataclass(frozen=True, slots=True)
class Loop:
    """A role at its path, with what it can do and the ``turns`` with tool calls that it may take."""

    role: Role
    path: str
    models: Models
    executor: Executor
    turns: int
    conclude: Callable[[Stop], HumanMessage] | None = None
    """What the model is told at a limit, for a last turn without calls; None ends the loop there."""

    async def run(self, messages: Sequence[AnyMessage]) -> LoopEnd:
        """Goes round until a turn has no calls, the work is said to be done, or a limit is reached.

        Raises ModelError when the model fails for good.
        """
        end = await _graph().ainvoke(
            {"messages": [*messages], "turns": 0, "stop": "finished"},
            {"recursion_limit": 2 * self.turns + 3},  # think and act of every turn, conclude, the two ends
            context=self,
        )
        evidence = tuple(dict.fromkeys(end.get("evidence", [])))
        return LoopEnd(tuple(end["messages"]), end["stop"], evidence, tuple(end.get("notes", [])))


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], operator.add]
    evidence: Annotated[list[str], operator.add]
    notes: Annotated[list[str], operator.add]
    turns: int
    stop: Stop
    ended: bool


async def think(state: State, runtime: Runtime[Loop]) -> State:
    loop = runtime.context
    answer = await loop.models.call(loop.role, state.get("messages", []), path=loop.path, tools=loop.executor.schemas)
    return {"messages": [answer]}


async def act(state: State, runtime: Runtime[Loop]) -> State:
    loop = runtime.context
    calls = _last_answer(state).tool_calls
    acted = await loop.executor.carry_out(calls)
    loop.models.read(loop.role, sum(len(reply.text) for reply in acted.replies))
    turns = state.get("turns", 0) + 1
    return {
        "messages": [_result(call, reply) for call, reply in zip(calls, acted.replies, strict=True)],
        "evidence": [evidence for reply in acted.replies for evidence in reply.evidence],
        "notes": [*acted.notes],
        "turns": turns,
        "ended": acted.ends,
        "stop": "finished" if acted.ends else _stop(turns, loop),
    }


async def conclude(state: State, runtime: Runtime[Loop]) -> State:
    loop = runtime.context
    if loop.conclude is None:
        raise ModelError("agent", "a loop without a conclusion came to one")
    told = loop.conclude(state.get("stop", "error"))
    answer = await loop.models.call(
        loop.role, [*state.get("messages", []), told], path=loop.path, tools=loop.executor.schemas, may_call=False
    )
    return {"messages": [told, answer]}


def after_think(state: State) -> Literal["act", "__end__"]:
    return "act" if _last_answer(state).tool_calls else "__end__"


def after_act(state: State, runtime: Runtime[Loop]) -> Literal["think", "conclude", "__end__"]:
    if state.get("ended"):
        return "__end__"
    if state.get("stop") == "finished":
        return "think"
    return "__end__" if runtime.context.conclude is None else "conclude"


@cache
def _graph():
    graph = StateGraph(State, context_schema=Loop)
    graph.add_node("think", think)
    graph.add_node("act", act)
    graph.add_node("conclude", conclude)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", after_think)
    graph.add_conditional_edges("act", after_act)
    graph.add_edge("conclude", END)
    return graph.compile()


def _result(call: ToolCall, reply: ToolReply) -> ToolMessage:
    return ToolMessage(reply.text, tool_call_id=call["id"] or "", status="error" if reply.error else "success")


def _last_answer(state: State) -> AIMessage:
    last = state.get("messages", [])[-1]
    if not isinstance(last, AIMessage):
        raise ModelError("agent", "the conversation does not end with the model's turn")
    return last


def _stop(turns: int, loop: Loop) -> Stop:
    if turns >= loop.turns:
        return "turn_limit"
    return loop.models.budget_stop or "finished"
