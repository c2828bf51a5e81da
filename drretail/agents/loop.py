"""The loop that every role with tools goes round (ReAct, Yao et al. 2023): think, act, read, think again.

think ──calls──▶ act ──▶ think … ──no calls──▶ END
  ▲               ├──it said that it is done──▶ END
  │               └──limit reached──▶ conclude ──▶ END    (without a conclusion: END)
  │                  (or think: the conversation no longer fits the model, or a budget ends with an announcement)
  └── challenge ◀── an end that comes too early: nothing was looked up (once), or calls were only announced
"""

import operator
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Protocol

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import TypedDict

from drretail.agents.context_overflow import results_in, without_oldest_results, write_within_context
from drretail.agents.prompt_blocks import agent_prompt
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.prompts import Prompt
from drretail.records.run import Role, Stop
from drretail.tables.figures import counted
from drretail.tools.toolkit import ToolReply

LONGEST_QUOTE = 160
"""Characters of what a model said instead of looking anything up."""
CHALLENGES = 2
"""So often in a row is a turn without calls asked whether it was the report; calls begin the count anew."""
CONCLUSIONS = 2
"""So often is the report asked for at a limit."""


@dataclass(frozen=True, slots=True)
class Acted:
    """What one turn's calls brought: a reply to each, in their order."""

    replies: tuple[ToolReply, ...]
    ends: bool = False
    """True when a call said that the work is done."""
    looked_up: bool = False
    """True when a call was answered out of the shop or the web, or by somebody who was sent there."""
    notes: tuple[str, ...] = ()


class Executor(Protocol):
    """What a role in the loop can call, and how its calls are carried out."""

    @property
    def schemas(self) -> list[dict[str, Any]]: ...

    @property
    def can_look_up(self) -> bool:
        """False where the role was left without the tools for it: then it may end without."""
        ...

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
    is_unfinished: Callable[[str], bool] | None = None
    """True of a text that is not what a last turn without calls must be."""

    async def run(self, messages: Sequence[AnyMessage]) -> LoopEnd:
        """Goes round until a turn has no calls, the model ends the work, or a limit is reached.

        An end that comes too early is challenged: once where nothing was looked up, and wherever calls were only
        announced. A conversation that no longer fits the model ends the research. Raises ModelError when the model
        fails for good, of the kind ``no_research`` when nothing was looked up even then, and ``no_report`` when it goes
        on announcing, in the same words or in others.
        """
        end = await _graph().ainvoke(
            {"messages": [*messages], "turns": 0, "stop": "finished"},
            # think and act of every turn with its challenges and the turns after them, conclude twice, the two ends
            {"recursion_limit": (2 + 2 * CHALLENGES) * (self.turns + 1) + 7},
            context=self,
        )
        if _found_nothing(end, self):
            raise ModelError("no_research", f"nothing was looked up{_last_words(end['messages'])}")
        if end.get("announced"):
            raise ModelError("no_report", f"calls were announced and not made{_last_words(end['messages'])}")
        evidence = tuple(dict.fromkeys(end.get("evidence", [])))
        return LoopEnd(tuple(end["messages"]), end["stop"], evidence, tuple(end.get("notes", [])))


def challenges() -> tuple[Prompt, ...]:
    """What a model may be told in any loop, as wordings whose hashes a run records."""
    return tuple(agent_prompt(__file__, name) for name in ("nothing_looked_up", "report_or_call"))


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], operator.add]
    evidence: Annotated[list[str], operator.add]
    notes: Annotated[list[str], operator.add]
    turns: int
    stop: Stop
    ended: bool
    looked_up: bool
    challenged: bool
    """True once the agent was told that it had looked nothing up."""
    concluded: int
    """How often the report was asked for at a limit."""
    announced: int
    """How many turns without calls since the last one with calls were no report."""


Node = Callable[[State, Runtime[Loop]], Awaitable[State]]


async def think(state: State, runtime: Runtime[Loop]) -> State:
    loop = runtime.context
    try:
        answer = await loop.models.call(
            loop.role, state.get("messages", []), path=loop.path, tools=loop.executor.schemas
        )
    except ModelError as problem:
        if problem.kind != "context_overflow" or _found_nothing(state, loop):
            raise
        return {"stop": "context_limit"}
    return {"messages": [answer], "announced": _announced(answer, state.get("announced", 0), loop)}


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
        "looked_up": state.get("looked_up", False) or acted.looked_up,
        "stop": "finished" if acted.ends else _stop(turns, loop),
    }


async def conclude(state: State, runtime: Runtime[Loop]) -> State:
    """Has the report written now, from less where all of it no longer fits; an announcement is asked for it again."""
    loop, stop = runtime.context, state.get("stop", "error")
    if loop.conclude is None:
        raise ModelError("agent", "a loop without a conclusion came to one")
    stop = (loop.models.budget_stop or "error") if stop == "finished" else stop
    instruction = loop.conclude(stop)
    messages = [*state.get("messages", []), instruction]

    async def write(left_out: int) -> AIMessage:
        return await loop.models.call(
            loop.role,
            without_oldest_results(messages, left_out),
            path=loop.path,
            tools=loop.executor.schemas,
            may_call=False,
        )

    answer, left_out = await write_within_context(write, results_in(messages))
    left = counted(left_out, "oldest result")
    note = f"{loop.path}: written without {left}, which did not fit the model any more"
    return {
        "messages": [instruction, answer],
        "notes": [note] if left_out else [],
        "stop": stop,
        "concluded": state.get("concluded", 0) + 1,
        "announced": _announced(answer, 0, loop),
    }


async def challenge(state: State, runtime: Runtime[Loop]) -> State:
    """Says, in place of the end, what is missing for it."""
    idle = _found_nothing(state, runtime.context)
    instruction = agent_prompt(__file__, "nothing_looked_up" if idle else "report_or_call").render()
    return {
        "messages": [HumanMessage(instruction)],
        "challenged": state.get("challenged", False) or idle,
        "ended": False,
    }


def after_think(state: State, loop: Loop) -> Literal["act", "challenge", "conclude", "__end__"]:
    if state.get("stop") == "context_limit":
        return "__end__" if loop.conclude is None else "conclude"
    if _last_answer(state).tool_calls:
        return "act"
    following = _end_or_challenge(state, loop)
    can_conclude = loop.conclude is not None and loop.models.must_conclude and bool(state.get("announced"))
    return "conclude" if can_conclude and not _found_nothing(state, loop) else following


def after_conclude(state: State, _: Loop) -> Literal["conclude", "__end__"]:
    return "conclude" if state.get("announced") and state.get("concluded", 0) < CONCLUSIONS else "__end__"


def after_act(state: State, loop: Loop) -> Literal["think", "conclude", "challenge", "__end__"]:
    if state.get("ended"):
        return _end_or_challenge(state, loop)
    if state.get("stop") == "finished":
        return "think"
    if _found_nothing(state, loop):
        return _end_or_challenge(state, loop)
    return "__end__" if loop.conclude is None else "conclude"


def _end_or_challenge(state: State, loop: Loop) -> Literal["challenge", "__end__"]:
    if loop.models.must_conclude:
        return "__end__"
    if _found_nothing(state, loop):
        return "__end__" if state.get("challenged") else "challenge"
    return "challenge" if 0 < state.get("announced", 0) <= CHALLENGES else "__end__"


def _announced(answer: AIMessage, before: int, loop: Loop) -> int:
    """How many turns in a row were no report, this one included; what was announced twice is still none."""
    if answer.tool_calls or loop.is_unfinished is None or not loop.is_unfinished(answer.text):
        return 0
    return before + 1


def _found_nothing(state: Mapping[str, object], loop: Loop) -> bool:
    return loop.executor.can_look_up and not state.get("looked_up")


def _last_words(messages: Sequence[AnyMessage]) -> str:
    last = next((message.text for message in reversed(messages) if isinstance(message, AIMessage)), "")
    quote = " ".join(last.split())
    return f"; the last turn said: {quote[:LONGEST_QUOTE]}" if quote else ""


@cache
def _graph():
    graph = StateGraph(State, context_schema=Loop)
    graph.add_node("think", _followed(think, after_think), destinations=("act", "challenge", "conclude", END))
    graph.add_node("act", _followed(act, after_act), destinations=("think", "conclude", "challenge", END))
    graph.add_node("challenge", challenge)
    graph.add_node("conclude", _followed(conclude, after_conclude), destinations=("conclude", END))
    graph.add_edge(START, "think")
    graph.add_edge("challenge", "think")
    return graph.compile()


def _followed(node: Node, following: Callable[[State, Loop], str]):
    """The node, which says as well what follows it: a conditional edge reads the state anew and takes as long again."""

    async def followed(state: State, runtime: Runtime[Loop]) -> Command[str]:
        change = await node(state, runtime)
        return Command(update=change, goto=following({**state, **change}, runtime.context))

    return followed


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
