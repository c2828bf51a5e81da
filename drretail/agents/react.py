"""ReAct (Yao et al. 2023; paper section 5.2): one model that thinks, calls tools, reads, and in the end reports.

think ──calls──▶ act ──▶ think … ──no calls──▶ END
                  └──limit reached──▶ conclude ──▶ END
"""

import asyncio
import operator
from dataclasses import dataclass
from typing import Annotated, Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from drretail.agents.base import Agent, task_message
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Stop
from drretail.tools.toolkit import Toolkit

PATH = "0"
STOPS: dict[Stop, str] = {
    "turn_limit": "No more tool calls are allowed: the limit of research turns is reached.",
    "token_budget": "No more tool calls are allowed: the token budget is nearly spent.",
    "dollar_budget": "No more tool calls are allowed: the money for this research is nearly spent.",
}


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], operator.add]
    turns: int
    stop: Stop


@dataclass(frozen=True, slots=True)
class Context:
    """What the nodes need beside the state."""

    toolkit: Toolkit
    models: Models
    limits: Limits


async def think(state: State, runtime: Runtime[Context]) -> State:
    context = runtime.context
    answer = await context.models.call(
        "researcher", state.get("messages", []), path=PATH, tools=context.toolkit.openai_schemas()
    )
    return {"messages": [answer], "stop": "finished"}


async def act(state: State, runtime: Runtime[Context]) -> State:
    context = runtime.context
    calls = _last_answer(state).tool_calls
    replies = await asyncio.to_thread(
        context.toolkit.call_all, [(call["name"], call["args"]) for call in calls], path=PATH
    )
    results = [
        ToolMessage(reply.text, tool_call_id=call["id"] or "", status="error" if reply.error else "success")
        for call, reply in zip(calls, replies, strict=True)
    ]
    turns = state.get("turns", 0) + 1
    return {"messages": [*results], "turns": turns, "stop": _stop(turns, context)}


async def conclude(state: State, runtime: Runtime[Context]) -> State:
    context = runtime.context
    told = HumanMessage(
        load_prompt(__file__, "conclude").render(stop=tagged("stop", STOPS[state.get("stop", "error")]))
    )
    answer = await context.models.call(
        "researcher",
        [*state.get("messages", []), told],
        path=PATH,
        tools=context.toolkit.openai_schemas(),
        may_call=False,
    )
    return {"messages": [told, answer]}


def after_think(state: State) -> Literal["act", "__end__"]:
    return "act" if _last_answer(state).tool_calls else "__end__"


def after_act(state: State) -> Literal["think", "conclude"]:
    return "think" if state.get("stop") == "finished" else "conclude"


def build_graph():
    graph = StateGraph(State, context_schema=Context)
    graph.add_node("think", think)
    graph.add_node("act", act)
    graph.add_node("conclude", conclude)
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", after_think)
    graph.add_conditional_edges("act", after_act)
    graph.add_edge("conclude", END)
    return graph.compile()


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The report of one ReAct loop over all nine tools. Raises ModelError when there is none."""
    system = load_prompt(__file__, "react").render()
    start: State = {"messages": [SystemMessage(system), task_message(task, session)], "turns": 0}
    with Toolkit(session) as toolkit:
        end = await build_graph().ainvoke(
            start,
            {"recursion_limit": 2 * limits.tool_turns + 3},  # think and act of every turn, conclude, the two ends
            context=Context(toolkit, models, limits),
        )
    report = end["messages"][-1].text.strip()
    if not report:
        raise ModelError("model", "the model ended without a report")
    return Answer(report=report, stop=end["stop"])


def prompts() -> tuple[Prompt, ...]:
    return load_prompt(__file__, "react"), load_prompt(__file__, "conclude")


REACT = Agent(answer, roles=("researcher",), prompts=prompts)


def _last_answer(state: State) -> AIMessage:
    last = state.get("messages", [])[-1]
    if not isinstance(last, AIMessage):
        raise ModelError("agent", "the conversation does not end with the model's turn")
    return last


def _stop(turns: int, context: Context) -> Stop:
    if turns >= context.limits.tool_turns:
        return "turn_limit"
    return context.models.budget_stop or "finished"
