"""Hybrid-ReAct (paper section 4, Figure 3): a supervisor, parallel researchers, a synthesis of each, one report.

START ─▶ supervise ─▶ report ─▶ END
            │  ▲
  launches, │  │ intermediate reports, when all launches of the turn have ended
            ▼  │
          research ─▶ synthesise        one branch for each launch, side by side (branches.py)
"""

from dataclasses import dataclass
from functools import cache

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from drretail.agents.base import Agent
from drretail.agents.hybrid_react.branches import Launcher
from drretail.agents.hybrid_react.moves import moves_prompt, researcher_tools
from drretail.agents.hybrid_react.report_generator import report_prompt, write_report
from drretail.agents.hybrid_react.researcher import Researchers, researcher_prompt, synthesis_prompt
from drretail.agents.hybrid_react.supervisor import Research, supervise, supervisor_prompt
from drretail.agents.loop import challenges
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.prompts import Prompt
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Role
from drretail.tools.toolkit import Toolkit

ROLES: tuple[Role, ...] = ("supervisor", "researcher", "synthesis", "report")


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The report of one supervised research. Raises ModelError when there is none."""
    with Toolkit(session, tools=researcher_tools(session)) as toolkit:
        launcher = Launcher(Researchers(toolkit, limits.tool_turns, researcher_prompt()), synthesis_prompt())
        end = await _graph().ainvoke({}, context=_Run(task, session, models, limits, launcher))
    research: Research = end["research"]
    return Answer(report=end["report"], stop=research.stop, notes=research.notes, failed_branches=research.failed)


def prompts() -> tuple[Prompt, ...]:
    return (
        supervisor_prompt(),
        researcher_prompt(),
        synthesis_prompt(),
        report_prompt(),
        moves_prompt(),
        *challenges(),
    )


_HEEDS = frozenset(Limits.model_fields) - {"rag_turns", "repairs", "seconds"}
HYBRID_REACT = Agent(answer, roles=ROLES, prompts=prompts, heeds=_HEEDS)


@dataclass(frozen=True, slots=True)
class _Run:
    """What the nodes need beside the state."""

    task: Task
    session: Session
    models: Models
    limits: Limits
    launcher: Launcher


class _State(TypedDict, total=False):
    research: Research
    report: str


async def _supervise(state: _State, runtime: Runtime[_Run]) -> _State:
    del state
    run = runtime.context
    return {
        "research": await supervise(run.task, run.session, run.models, run.limits, run.launcher, supervisor_prompt())
    }


async def _report(state: _State, runtime: Runtime[_Run]) -> _State:
    run = runtime.context
    research = state.get("research")
    if research is None:
        raise ModelError("agent", "there is nothing to report on")
    report, research = await write_report(run.task, run.session, research, run.models, report_prompt())
    return {"report": report, "research": research}


@cache
def _graph():
    graph = StateGraph(_State, context_schema=_Run)
    graph.add_node("supervise", _supervise)
    graph.add_node("report", _report)
    graph.add_edge(START, "supervise")
    graph.add_edge("supervise", "report")
    graph.add_edge("report", END)
    return graph.compile()
