"""Grounded Hybrid-ReAct: the paper's graph, after a typed wish and the shopper's records, and before a verifier.

START ─▶ write briefing ─▶ supervise ─▶ report ─▶ verify ─▶ finish ─▶ END
                              │  ▲                  │   ▲
                    launches, │  │ reports   errors, │   │ the draft, or a better one
                              ▼  │                  ▼   │
                      research ─▶ synthesise        repair      at most Limits.repairs times
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from drretail.agents.base import Agent
from drretail.agents.grounded_hybrid.briefing import Briefing, understanding_prompt, write_briefing
from drretail.agents.grounded_hybrid.drafts import Draft, Refusal, draft_of, refusal_of, strike_out, with_left_out
from drretail.agents.hybrid_react.agent import (
    ROLES,
    Research,
    Researchers,
    moves_prompt,
    researcher_tools,
    supervise,
    write_report,
)
from drretail.agents.information import agent_prompt
from drretail.agents.loop import challenges
from drretail.agents.picks import declared, note_of
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.grounding.report.picks import Declared
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.records.evidence import Finding
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Stop
from drretail.tools.toolkit import Toolkit

_prompt = partial(agent_prompt, __file__)


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The verified report of one supervised research. Raises ModelError if there is none."""
    with Toolkit(session, tools=researcher_tools(session)) as toolkit:
        run = _Run(task, session, models, limits, toolkit)
        steps = 6 + limits.repairs  # briefing, supervise, report, finish, the two ends, and every repair
        end = await _graph().ainvoke({"repairs": ()}, {"recursion_limit": steps}, context=run)
    return end["answer"]


def prompts() -> tuple[Prompt, ...]:
    own = map(_prompt, ("supervisor", "researcher", "synthesis", "report", "repair"))
    return understanding_prompt(), *own, moves_prompt(), *challenges()


GROUNDED_HYBRID = Agent(answer, roles=ROLES, prompts=prompts, self_checked=True)


@dataclass(frozen=True, slots=True)
class _Run:
    """What the nodes need in addition to the state."""

    task: Task
    session: Session
    models: Models
    limits: Limits
    toolkit: Toolkit


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of one attempt to repair the draft, in one line."""

    line: str
    refused: Refusal | None = None
    """Why the repaired draft was not taken; None if it was."""
    failed: bool = False
    """True if there was no repaired draft at all."""


class _State(TypedDict):
    """What a node gets: all that the nodes before it have added."""

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
        run.toolkit,
        run.limits.tool_turns,
        _prompt("researcher"),
        _prompt("synthesis"),
        known.context_for,
        known.evidence,
    )
    prompt = _prompt("supervisor")
    research = await supervise(run.task, run.session, run.models, run.limits, researchers, prompt, known.context)
    if run.session.shopper is None or not run.session.shopper.answers:
        return {"research": research}
    # Writer and verifier use what the shopper has answered since.
    return {"research": research, "known": await known.with_answers(run.task, run.session, run.models)}


async def _report(state: _State, runtime: Runtime[_Run]) -> _Change:
    run, known = runtime.context, state["known"]
    found, note, research = await _write_draft(run, state["research"], _prompt("report"), known.context)
    return {"draft": draft_of(found, run.task, known.wish, run.session, note), "research": research}


async def _write_draft(
    run: _Run, research: Research, prompt: Prompt, notes: Sequence[str]
) -> tuple[Declared, str | None, Research]:
    """The report and its picks, a note if the picks are unknown though the writer was asked, and the research it is
    based on.

    Raises ModelError if the model fails for good or writes no report.
    """
    written, research = await write_report(run.task, run.session, research, run.models, prompt, notes)
    found = await declared(written, run.task, "report", run.models)
    if not found.report.strip():
        raise ModelError("no_report", "the report generator wrote nothing but its picks")
    note = None if found.picks is not None else note_of(found, block=found.report != written)
    return replace(found, report=found.report.strip()), note, research


def _after_verifying(state: _State, runtime: Runtime[_Run]) -> Literal["repair", "finish"]:
    run, repairs = runtime.context, state["repairs"]
    may = len(repairs) < run.limits.repairs and not run.models.must_conclude
    return "repair" if state["draft"].errors and may and not any(each.failed for each in repairs) else "finish"


async def _repair(state: _State, runtime: Runtime[_Run]) -> _Change:
    """One attempt, told why the one before was not taken. If the model fails for good, the draft stays as it is."""
    draft, before = state["draft"], state["repairs"]
    refused = before[-1].refused if before else None
    attempt = f"{len(before) + 1}: {draft.counts()}"
    notes = (
        *state["known"].context,
        tagged("report", draft.as_written),
        *(tagged("cost", each) for each in (draft.cost,) if each is not None),
        tagged("problems", compact_json(list(_problems(draft, refused)))),
    )
    try:
        found, note, _ = await _write_draft(runtime.context, state["research"], _prompt("repair"), notes)
    except ModelError as failure:
        done = Repair(f"{attempt}; failed: {failure.kind}: {failure.message}", failed=True)
        return {"repairs": (*before, done)}
    mended = draft.instead(found, note)
    refused = refusal_of(mended, draft)
    if refused is not None:
        return {"repairs": (*before, Repair(f"{attempt}; not taken: {refused}", refused))}
    taken = Repair(f"{attempt}; taken, left: {mended.counts() or 'nothing'}")
    return {"draft": mended, "repairs": (*before, taken)}


def _problems(draft: Draft, refused: Refusal | None = None) -> Iterator[dict[str, Any]]:
    """Each error with the words at fault, the statement they are in, and what the record says; then
    the last refusal.
    """
    yield from (_problem(draft, error) for error in draft.errors)
    if refused is not None:
        refusal: dict[str, Any] = {"code": "repair_not_taken", "found": refused.why}
        for name, errors in (("stayed", refused.stayed), ("brought", refused.brought)):
            if errors:
                refusal[name] = [_problem(refused.mended, error) for error in errors]
        yield refusal


def _problem(draft: Draft, error: Finding) -> dict[str, str]:
    problem = {
        "code": error.code,
        "said": error.text,
        "sentence": draft.sentence_of(error),
        "found": error.found or "",
        "evidence_id": error.evidence_id or "",
    }
    return {name: value for name, value in problem.items() if value}


async def _finish(state: _State, runtime: Runtime[_Run]) -> _Change:
    run, research, draft = runtime.context, state["research"], state["draft"]
    stricken = await asyncio.to_thread(strike_out, draft)  # it reads the report several times, and other runs go on
    cut_short = bool(draft.errors) and len(state["repairs"]) < run.limits.repairs
    stop: Stop = (run.models.budget_stop if cut_short else None) or research.stop
    still = stricken.draft
    unknown = [] if still.note is None else [still.note]  # why the picks are not known
    wrong = [f"left wrong: {error.code}: {error.found or error.text}" for error in still.errors]
    ended = Answer(
        report=with_left_out(stricken),
        picks=still.case.picks,
        outcome=still.case.outcome,
        stop=stop,
        notes=(*state["known"].notes, *research.notes, *unknown, *wrong),
        failed_branches=research.failed,
        repairs=tuple(repair.line for repair in state["repairs"]),
        struck=stricken.struck,
        understood=state["known"].wish,
    )
    return {"answer": ended}


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
