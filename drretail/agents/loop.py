"""The loop that every role with tools goes round (ReAct, Yao et al. 2023): think, act, read, think again.

The toolkit carries out the calls of a turn. In the web mode "ws" whole pages are read for the role.

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
from typing import Annotated, Any, Literal, Protocol, TypeVar

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command
from typing_extensions import TypedDict

from drretail.agents.information import agent_prompt
from drretail.agents.page_reading import with_pages_read
from drretail.errors import ModelError
from drretail.grounding.report.picks import is_whole_report
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt
from drretail.records.run import Role, Stop
from drretail.records.tables.figures import counted
from drretail.tools.registry import offered
from drretail.tools.toolkit import Performed, Toolkit, ToolReply

T = TypeVar("T")
SHARE = 4
"""A try leaves out a fourth of what is left: providers say in no one way how much is too much."""
LEFT_OUT = compact_json({"left_out": "This result no longer fits the conversation."})
LONGEST_QUOTE = 160
"""Characters of what a model said instead of looking anything up."""
CHALLENGES = 2
"""How often in a row a turn without calls is asked whether it was the report. A turn with calls resets the count."""
CONCLUSIONS = 2
"""How often the report is asked for at a limit."""


@dataclass(frozen=True, slots=True)
class Acted:
    """The results of one turn's calls: a reply to each, in their order."""

    replies: tuple[ToolReply, ...]
    ends: bool = False
    """True if a call said that the work is done."""
    looked_up: bool = False
    """True if a call went to the shop, the web or a sub-agent, whatever came of it."""
    notes: tuple[str, ...] = ()


class Executor(Protocol):
    """The tools that a role in the loop can call, and how its calls are carried out."""

    @property
    def schemas(self) -> list[dict[str, Any]]: ...

    @property
    def can_look_up(self) -> bool:
        """False if the role has no tools to look anything up. It may then end without having done so."""
        ...

    async def carry_out(self, calls: Sequence[ToolCall]) -> Acted: ...


@dataclass(frozen=True, slots=True)
class LoopEnd:
    """The whole conversation, why it ended, and the evidence that it was handed, in order of appearance."""

    messages: tuple[AnyMessage, ...]
    stop: Stop
    evidence: tuple[str, ...]
    notes: tuple[str, ...]
    text: str
    """The model's last text, or the whole framed report that came with its last calls; empty for calls alone."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A role at its path, with its tools and the ``turns`` with tool calls that it may take."""

    role: Role
    path: str
    models: Models
    executor: Executor
    turns: int
    conclude: Callable[[Stop], HumanMessage] | None = None
    """Gives the message at a limit, which asks for a last turn without calls. None ends the loop there."""
    is_unfinished: Callable[[str], bool] | None = None
    """True for a text that may not end the loop, such as an announcement of calls."""

    async def run(self, messages: Sequence[AnyMessage]) -> LoopEnd:
        """Runs the loop until a turn has no calls, the model ends the work, or a limit is reached.

        An end that comes too early is challenged: once if nothing was looked up, and up to ``CHALLENGES`` times in a
        row if calls were only announced. A conversation that no longer fits the model ends the research.

        Raises ModelError if the model fails for good. Its kind is ``no_research`` if nothing was looked up after the
        challenge either, and ``no_report`` if the model goes on announcing calls, in the same words or in others.
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
        text, handed_in = _last_text(end["messages"]), end.get("handed_in", "")
        if handed_in and self.is_unfinished is not None and self.is_unfinished(text):
            text = handed_in
        return LoopEnd(tuple(end["messages"]), end["stop"], evidence, tuple(end.get("notes", [])), text)


def challenges() -> tuple[Prompt, ...]:
    """The prompts of the challenges, which any loop may send. Runs record their hashes."""
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
    """How many turns since the last one with calls had neither calls nor a report."""
    handed_in: str
    """The whole framed report that came with the last calls; empty without one."""


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
    handed_in = state.get("handed_in", "")
    if answer.tool_calls:
        handed_in = answer.text if is_whole_report(answer.text) else ""
    announced = _announced(answer, state.get("announced", 0), loop, handed_in)
    return {"messages": [answer], "announced": announced, "handed_in": handed_in}


async def act(state: State, runtime: Runtime[Loop]) -> State:
    loop = runtime.context
    calls = _last_answer(state).tool_calls
    acted = await loop.executor.carry_out(calls)
    loop.models.read(loop.role, sum(len(reply.text) for reply in acted.replies))
    turns = state.get("turns", 0) + 1
    stop: Stop = "turn_limit" if turns >= loop.turns else loop.models.budget_stop or "finished"
    return {
        "messages": [
            ToolMessage(reply.text, tool_call_id=call["id"] or "", status="error" if reply.error else "success")
            for call, reply in zip(calls, acted.replies, strict=True)
        ],
        "evidence": [evidence for reply in acted.replies for evidence in reply.evidence],
        "notes": [*acted.notes],
        "turns": turns,
        "ended": acted.ends,
        "looked_up": state.get("looked_up", False) or acted.looked_up,
        "stop": "finished" if acted.ends else stop,
    }


async def conclude(state: State, runtime: Runtime[Loop]) -> State:
    """Asks for the report now, without the oldest results if not all fit."""
    loop, stop = runtime.context, state.get("stop", "error")
    if loop.conclude is None:
        raise ModelError("agent", "a loop without a conclusion came to one")
    stop = (loop.models.budget_stop or "error") if stop == "finished" else stop
    instruction = loop.conclude(stop)
    messages = [*state.get("messages", []), instruction]
    results = {at: message for at, message in enumerate(messages) if isinstance(message, ToolMessage)}

    async def write(left_out: int) -> AIMessage:
        # The oldest results are replaced, not removed: providers want a reply to each call.
        shortened = {at: results[at].model_copy(update={"content": LEFT_OUT}) for at in [*results][:left_out]}
        conversation = [shortened.get(at, message) for at, message in enumerate(messages)]
        return await loop.models.call(
            loop.role, conversation, path=loop.path, tools=loop.executor.schemas, may_call=False
        )

    answer, left_out = await write_within_context(write, [len(result.text) for result in results.values()])
    left = counted(left_out, "oldest result")
    note = f"{loop.path}: written without {left}, which did not fit the model any more"
    return {
        "messages": [instruction, answer],
        "notes": [note] if left_out else [],
        "stop": stop,
        "concluded": state.get("concluded", 0) + 1,
        "announced": _announced(answer, 0, loop, state.get("handed_in", "")),
    }


async def write_within_context(write: Callable[[int], Awaitable[T]], sizes: Sequence[int]) -> tuple[T, int]:
    """What ``write`` returns, and how many of the oldest findings it had to leave out.

    ``write`` is given that number, and is called again with a higher one as long as the findings do not fit the model.
    ``sizes`` are the findings' lengths, oldest first; the newest is never left out. Raises what ``write`` raises for
    good.
    """
    left_out = 0
    while True:
        try:
            return await write(left_out), left_out
        except ModelError as problem:
            if problem.kind != "context_overflow" or left_out >= len(sizes) - 1:
                raise
        wanted = sum(sizes[left_out:]) / SHARE
        while wanted > 0 and left_out < len(sizes) - 1:
            wanted -= sizes[left_out]
            left_out += 1


async def challenge(state: State, runtime: Runtime[Loop]) -> State:
    """Tells the model, in place of the end, what is missing."""
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


def _announced(answer: AIMessage, before: int, loop: Loop, handed_in: str) -> int:
    """How many turns in a row had neither calls nor a report, this one too; repeated announcements count again."""
    if answer.tool_calls or handed_in or loop.is_unfinished is None or not loop.is_unfinished(answer.text):
        return 0
    loop.models.trajectory.count_setback("announcements")
    return before + 1


def _found_nothing(state: Mapping[str, object], loop: Loop) -> bool:
    return loop.executor.can_look_up and not state.get("looked_up")


def _last_words(messages: Sequence[AnyMessage]) -> str:
    quote = " ".join(_last_text(messages).split())
    return f"; the last turn said: {quote[:LONGEST_QUOTE]}" if quote else ""


def _last_text(messages: Sequence[AnyMessage]) -> str:
    return next((message.text.strip() for message in reversed(messages) if isinstance(message, AIMessage)), "")


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
    """The node, which also names the next node. A conditional edge would read the state anew, and take as long."""

    async def followed(state: State, runtime: Runtime[Loop]) -> Command[str]:
        change = await node(state, runtime)
        return Command(update=change, goto=following({**state, **change}, runtime.context))

    return followed


def _last_answer(state: State) -> AIMessage:
    last = state.get("messages", [])[-1]
    if not isinstance(last, AIMessage):
        raise ModelError("agent", "the conversation does not end with the model's turn")
    return last


FINALIZE = "Finalize"
"""The tool by which a role that has it says that its work is done (paper section 4)."""


@dataclass(frozen=True, slots=True)
class ToolExecutor:
    """Carries out a turn's calls side by side, or ``one_by_one`` in their order; replies are in that order."""

    toolkit: Toolkit
    models: Models
    path: str
    role: Role = "researcher"
    one_by_one: bool = False
    complete: Callable[[Sequence[Performed]], Awaitable[list[Performed]]] | None = None
    """Does what calls only asked for, such as sending a sub-agent."""

    @property
    def schemas(self) -> list[dict[str, Any]]:
        return self.toolkit.openai_schemas()

    @property
    def can_look_up(self) -> bool:
        return not self.toolkit.tools.keys().isdisjoint(offered(self.toolkit.session))

    async def carry_out(self, calls: Sequence[ToolCall]) -> Acted:
        known = offered(self.toolkit.session)
        batches = [[call] for call in calls] if self.one_by_one else [calls]
        replies: list[ToolReply] = []
        notes: list[str] = []
        for batch in batches:
            named = [(call["name"], call["args"]) for call in batch]
            performed = await self.toolkit.aperform_all(named, path=self.path, role=self.role)
            performed, page_notes = await with_pages_read(performed, self.toolkit.session, self.models)
            performed = performed if self.complete is None else await self.complete(performed)
            replies += self.toolkit.record_all(performed)
            notes += page_notes
        # A look-up with valid arguments counts, whatever came of it: a server that is down is no fault of the caller's.
        looked_up = any(
            call["name"] in known and reply.error != "invalid_argument"
            for call, reply in zip(calls, replies, strict=True)
        )
        return Acted(tuple(replies), is_final(calls, replies), looked_up, tuple(notes))


def is_final(calls: Sequence[ToolCall], replies: Sequence[ToolReply]) -> bool:
    """True if one of the calls was Finalize and was answered without an error."""
    return any(call["name"] == FINALIZE and reply.error is None for call, reply in zip(calls, replies, strict=True))
