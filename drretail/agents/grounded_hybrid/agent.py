"""Grounded Hybrid-ReAct: the paper's graph, with a typed wish and the shopper's records before it, a verifier behind.

START ─▶ write briefing ─▶ supervise ─▶ report ─▶ verify ─▶ finish ─▶ END
                              │  ▲                  │   ▲
                    launches, │  │ reports   errors, │   │ the draft, or a better one
                              ▼  │                  ▼   │
                      research ─▶ synthesise        repair      at most Limits.repairs times
"""

import asyncio
from dataclasses import dataclass
from functools import cache
from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from drretail.agents.base import Agent
from drretail.agents.grounded_hybrid.briefing import Briefing, write_briefing
from drretail.agents.grounded_hybrid.drafts import Draft, draft_of
from drretail.agents.grounded_hybrid.left_out import with_left_out
from drretail.agents.grounded_hybrid.repairing import Repair, lines_of, repair, write_draft
from drretail.agents.grounded_hybrid.striking import strike_out
from drretail.agents.grounded_hybrid.understanding import understanding_prompt
from drretail.agents.hybrid_react.agent import ROLES
from drretail.agents.hybrid_react.branches import Launcher
from drretail.agents.hybrid_react.moves import moves_prompt, researcher_tools
from drretail.agents.hybrid_react.researcher import Researchers
from drretail.agents.hybrid_react.supervisor import Research, supervise
from drretail.agents.loop import challenges
from drretail.agents.prompt_blocks import agent_prompt
from drretail.env.session import Session
from drretail.llm.models import Models
from drretail.prompts import Prompt
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Stop
from drretail.tools.toolkit import Toolkit


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The verified report of one supervised research. Raises ModelError when there is none."""
    with Toolkit(session, tools=researcher_tools(session)) as toolkit:
        run = _Run(task, session, models, limits, toolkit)
        steps = 6 + limits.repairs  # look, supervise, report, finish, the two ends, and every repair
        end = await _graph().ainvoke({"repairs": ()}, {"recursion_limit": steps}, context=run)
    return end["answer"]


def prompts() -> tuple[Prompt, ...]:
    return (
        understanding_prompt(),
        _prompt("supervisor"),
        _prompt("researcher"),
        _prompt("synthesis"),
        _prompt("report"),
        _prompt("repair"),
        moves_prompt(),
        *challenges(),
    )


GROUNDED_HYBRID = Agent(answer, roles=ROLES, prompts=prompts, self_checked=True)


@dataclass(frozen=True, slots=True)
class _Run:
    """What the nodes need beside the state."""

    task: Task
    session: Session
    models: Models
    limits: Limits
    toolkit: Toolkit


class _State(TypedDict):
    """What a node finds: all that those before it have added."""

    known: Briefing
    research: Research
    draft: Draft
    repairs: tuple[Repair, ...]


class _Change(TypedDict, total=False):
    """What a node adds to the state."""

    known: Briefing
    research: Research
    draft: Draft
    repairs: tuple[Repair, ...]
    answer: Answer


async def _write_briefing(state: _State, runtime: Runtime[_Run]) -> _Change:
    del state
    run = runtime.context
    return {"known": await write_briefing(run.task, run.session, run.toolkit, run.models)}


async def _supervise(state: _State, runtime: Runtime[_Run]) -> _Change:
    run, known = runtime.context, state["known"]
    researchers = Researchers(
        run.toolkit, run.limits.tool_turns, _prompt("researcher"), known.context_for, known.evidence
    )
    launcher = Launcher(researchers, _prompt("synthesis"))
    prompt = _prompt("supervisor")
    research = await supervise(run.task, run.session, run.models, run.limits, launcher, prompt, known.context)
    if run.session.shopper is None or not run.session.shopper.answers:
        return {"research": research}
    # Writer and verifier go by what the shopper has said since.
    return {"research": research, "known": await known.with_answers(run.task, run.session, run.models)}


async def _report(state: _State, runtime: Runtime[_Run]) -> _Change:
    run, known = runtime.context, state["known"]
    research, prompt = state["research"], _prompt("report")
    found, note, research = await write_draft(run.task, run.session, research, run.models, prompt, known.context)
    return {"draft": draft_of(found, run.task, known.wish, run.session, note), "research": research}


def _after_verifying(state: _State, runtime: Runtime[_Run]) -> Literal["repair", "finish"]:
    run, repairs = runtime.context, state["repairs"]
    may = len(repairs) < run.limits.repairs and not run.models.must_conclude
    return "repair" if state["draft"].errors and may and not any(each.failed for each in repairs) else "finish"


async def _repair(state: _State, runtime: Runtime[_Run]) -> _Change:
    run, before = runtime.context, state["repairs"]
    done = await repair(
        state["draft"],
        len(before) + 1,
        run.task,
        run.session,
        state["research"],
        state["known"],
        run.models,
        _prompt("repair"),
        before[-1].refused if before else None,
    )
    return {"draft": done.draft, "repairs": (*before, done)}


async def _finish(state: _State, runtime: Runtime[_Run]) -> _Change:
    run, research, draft = runtime.context, state["research"], state["draft"]
    stricken = await asyncio.to_thread(strike_out, draft)  # it reads the report several times, and other runs go on
    cut_short = bool(draft.errors) and len(state["repairs"]) < run.limits.repairs
    stop: Stop = (run.models.budget_stop if cut_short else None) or research.stop
    ended = Answer(
        report=with_left_out(stricken),
        picks=stricken.draft.case.picks,
        outcome=stricken.draft.case.outcome,
        stop=stop,
        notes=(*state["known"].notes, *research.notes, *_notes(stricken.draft)),
        failed_branches=research.failed,
        repairs=lines_of(state["repairs"]),
        struck=stricken.struck,
        understood=state["known"].wish,
    )
    return {"answer": ended}


def _notes(draft: Draft) -> list[str]:
    """Why the picks are not known, and what is wrong with the report still."""
    unknown = [] if draft.note is None else [draft.note]
    return [*unknown, *(f"left wrong: {error.code}: {error.found or error.text}" for error in draft.errors)]


def _prompt(name: str) -> Prompt:
    return agent_prompt(__file__, name)


@cache
def _graph():
    graph = StateGraph(_Change, context_schema=_Run)
    graph.add_node("write_briefing", _write_briefing)
    graph.add_node("supervise", _supervise)
    graph.add_node("report", _report)
    graph.add_node("repair", _repair)
    graph.add_node("finish", _finish)
    graph.add_edge(START, "write_briefing")
    graph.add_edge("write_briefing", "supervise")
    graph.add_edge("supervise", "report")
    graph.add_conditional_edges("report", _after_verifying)
    graph.add_conditional_edges("repair", _after_verifying)
    graph.add_edge("finish", END)
    return graph.compile()
