"""ReAct (Yao et al. 2023; paper section 5.2): one model that thinks, calls tools, reads, and in the end reports.

START ─▶ think ──calls──▶ act ──▶ think … ──no calls: the text is the report; or a limit──▶ report ─▶ END
           ▲
           └── challenge ◀── no calls, and no report either, once
"""

from functools import cache, partial
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.graph import START

from drretail.agents.base import Agent, messages_before, task_message
from drretail.agents.graphs import Graphed, Reporting
from drretail.agents.information import agent_prompt
from drretail.agents.loop import Branch, Change, Loop, challenges, ended, react
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Stop
from drretail.reports.citations import scan
from drretail.reports.picks import take_picks
from drretail.tools.toolkit import Toolkit

_prompt = partial(agent_prompt, __file__, "react")
conclude_prompt = partial(agent_prompt, __file__, "conclude")
STOPS: dict[Stop, str] = {
    "turn_limit": "No more tool calls are allowed: the limit of research turns is reached.",
    "token_budget": "No more tool calls are allowed: the token budget is nearly spent.",
    "context_limit": "No more tool calls are allowed: the conversation is as long as you can read.",
    "dollar_budget": "No more tool calls are allowed: the money for this research is nearly spent.",
}


@cache
def graph() -> Any:
    return react(Reporting, report_last_text).add_edge(START, "think").compile(name="react")


async def report_last_text(state: Any, loop: Loop) -> Change:
    """The last text is the report. Raises ModelError if there is none. No turn limit cuts a plan short."""
    end = await ended(state, loop)
    if not end.text:
        raise ModelError("no_report", "the model ended without a report")
    branches: list[Branch] = state.get("branches", [])
    failed = tuple(line for branch in branches for line in branch.failed)
    notes = (*end.notes, *(note for branch in branches for note in branch.notes))
    stop = "finished" if loop.plans else end.stop
    answer = Answer(report=end.text, stop=stop, notes=notes, failed_branches=failed)
    said = [*end.messages[len(state["transcript"]) :]]
    return {"transcript": said, "messages": [AIMessage(end.text)], "answer": answer}


def open_loop(session: Session, models: Models, limits: Limits) -> Loop:
    """The loop over all nine tools."""
    return Loop("researcher", models, Toolkit(session), limits.tool_turns, conclude_message, is_announcement)


def first_messages(task: Task, session: Session, limits: Limits) -> list[AnyMessage]:
    instructions = _prompt().render(turns=str(limits.tool_turns))
    return [SystemMessage(instructions), *messages_before(task), task_message(task, session)]


def is_announcement(text: str) -> bool:
    """True for a text without a frame, citations and declared picks: it is no report of what was looked up."""
    declared = take_picks(text)
    is_report = declared.is_framed or declared.picks is not None or declared.problem is not None
    return not is_report and not scan(text, None).marks


def prompts() -> tuple[Prompt, ...]:
    return _prompt(), conclude_prompt(), *challenges()


def conclude_message(stop: Stop) -> HumanMessage:
    """What a model is told at a limit, which asks it for the report."""
    return HumanMessage(conclude_prompt().render(stop=tagged("stop", STOPS[stop])))


_HEEDS = frozenset({"tool_turns", "tokens", "dollars"})
REACT = Agent(Graphed(graph, open_loop, first_messages), roles=("researcher",), prompts=prompts, heeds=_HEEDS)
