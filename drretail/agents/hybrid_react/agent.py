"""Hybrid-ReAct (paper section 4, Figure 3): a supervisor, parallel researchers, a synthesis of each, one report.

START ─▶ supervise ─▶ report ─▶ END
            │  ▲
  launches, │  │ intermediate reports, when all launches of the turn have ended
            ▼  │
          research ─▶ synthesise        one branch for each launch, side by side (researcher.py)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from drretail.agents.base import Agent, today
from drretail.agents.hybrid_react.moves import moves_prompt, researcher_tools
from drretail.agents.hybrid_react.researcher import Researchers, researcher_prompt, synthesis_prompt
from drretail.agents.hybrid_react.supervisor import PATH, Research, as_json, supervise, supervisor_prompt
from drretail.agents.information import answer_notes
from drretail.agents.loop import challenges, write_within_context
from drretail.agents.prompt_blocks import agent_prompt
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.models import Models
from drretail.llm.prompts.prompt import Prompt, tagged
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Role
from drretail.tools.toolkit import Toolkit

ROLES: tuple[Role, ...] = ("supervisor", "researcher", "synthesis", "report")
report_prompt = partial(agent_prompt, __file__, "report")


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The report of one supervised research. Raises ModelError if there is none."""
    with Toolkit(session, tools=researcher_tools(session)) as toolkit:
        researchers = Researchers(toolkit, limits.tool_turns, researcher_prompt(), synthesis_prompt())
        end = await _graph().ainvoke({}, context=_Run(task, session, models, limits, researchers))
    research: Research = end["research"]
    return Answer(report=end["report"], stop=research.stop, notes=research.notes, failed_branches=research.failed)


def prompts() -> tuple[Prompt, ...]:
    return supervisor_prompt(), researcher_prompt(), synthesis_prompt(), report_prompt(), moves_prompt(), *challenges()


_HEEDS = frozenset(Limits.model_fields) - {"rag_turns", "repairs"}
HYBRID_REACT = Agent(answer, roles=ROLES, prompts=prompts, heeds=_HEEDS)


@dataclass(frozen=True, slots=True)
class _Run:
    """What the nodes need in addition to the state."""

    task: Task
    session: Session
    models: Models
    limits: Limits
    researchers: Researchers


class _State(TypedDict, total=False):
    research: Research
    report: str


async def _supervise(state: _State, runtime: Runtime[_Run]) -> _State:
    del state
    run = runtime.context
    prompt = supervisor_prompt()
    return {"research": await supervise(run.task, run.session, run.models, run.limits, run.researchers, prompt)}


async def _report(state: _State, runtime: Runtime[_Run]) -> _State:
    run = runtime.context
    research = state.get("research")
    if research is None:
        raise ModelError("agent", "there is nothing to report on")
    report, research = await write_report(run.task, run.session, research, run.models, report_prompt())
    return {"report": report, "research": research}


async def write_report(
    task: Task, session: Session, research: Research, models: Models, prompt: Prompt, notes: Sequence[str] = ()
) -> tuple[str, Research]:
    """R = ReportGen(q, {m_i}) of the paper, and the research that it was written from.

    The oldest intermediate reports are left out if all of them do not fit the model. ``notes`` is further tagged text
    for the model. Raises ModelError if the model fails for good.
    """
    reports = [as_json(number, report) for number, report in research.reports]

    async def write(left_out: int) -> str:
        parts = [
            tagged("query", task.text),
            today(session),
            tagged("reports", compact_json(reports[left_out:])),
            *notes,
        ]
        parts += [*filter(None, [task.context]), *answer_notes(session)]
        messages = [SystemMessage(prompt.render()), HumanMessage("\n".join(parts))]
        return (await models.call("report", messages, path=PATH)).text.strip()

    report, left_out = await write_within_context(write, [len(compact_json(each)) for each in reports])
    if not left_out:
        return report, research
    gone = ", ".join(str(number) for number, _ in research.reports[:left_out])
    note = f"{PATH}: written without the reports of researchers {gone}, which did not fit the model any more"
    return report, replace(research, reports=research.reports[left_out:], notes=(*research.notes, note))


@cache
def _graph():
    graph = StateGraph(_State, context_schema=_Run)
    graph.add_node("supervise", _supervise)
    graph.add_node("report", _report)
    graph.add_edge(START, "supervise")
    graph.add_edge("supervise", "report")
    graph.add_edge("report", END)
    return graph.compile()
