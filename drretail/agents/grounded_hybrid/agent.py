"""Grounded Hybrid-ReAct: the paper's graph, after a typed wish and the shopper's records, and before a verifier.

START ─▶ write briefing ─▶ supervise ─▶ report ─▶ verify ─▶ finish ─▶ END
                              │  ▲                  │   ▲
                    launches, │  │ reports   errors, │   │ the draft, or a better one
                              ▼  │                  ▼   │
                      research ─▶ synthesise        repair      at most Limits.repairs times
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

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
        known = await write_briefing(task, session, toolkit, models)
        own_prompts = _prompt("researcher"), _prompt("synthesis")
        researchers = Researchers(toolkit, limits.tool_turns, *own_prompts, known.context_for, known.evidence)
        prompt = _prompt("supervisor")
        research = await supervise(task, session, models, limits, researchers, prompt, known.context)
        writing = _Writing(task, session, models)
        found, note, research = await _write_draft(writing, research, _prompt("report"), known.context)
        draft = draft_of(found, task, known.wish, session, note)
        repairs: list[Repair] = []
        while draft.errors and len(repairs) < limits.repairs and not models.must_conclude:
            refused = repairs[-1].refused if repairs else None
            draft, repair = await _repair(writing, known, research, draft, len(repairs) + 1, refused)
            repairs.append(repair)
            if repair.failed:
                break
    stricken = await asyncio.to_thread(strike_out, draft)  # it reads the report several times, and other runs go on
    cut_short = bool(draft.errors) and len(repairs) < limits.repairs
    stop: Stop = (models.budget_stop if cut_short else None) or research.stop
    still = stricken.draft
    unknown = [] if still.note is None else [still.note]  # why the picks are not known
    wrong = [f"left wrong: {error.code}: {error.found or error.text}" for error in still.errors]
    return Answer(
        report=with_left_out(stricken),
        picks=still.case.picks,
        outcome=still.case.outcome,
        stop=stop,
        notes=(*known.notes, *research.notes, *unknown, *wrong),
        failed_branches=research.failed,
        repairs=tuple(repair.line for repair in repairs),
        struck=stricken.struck,
        understood=known.wish,
    )


def prompts() -> tuple[Prompt, ...]:
    own = map(_prompt, ("supervisor", "researcher", "synthesis", "report", "repair"))
    return understanding_prompt(), *own, moves_prompt(), *challenges()


GROUNDED_HYBRID = Agent(answer, roles=ROLES, prompts=prompts, self_checked=True)


@dataclass(frozen=True, slots=True)
class _Writing:
    """What the writer of drafts needs in addition to the research."""

    task: Task
    session: Session
    models: Models


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of one attempt to repair the draft, in one line."""

    line: str
    refused: Refusal | None = None
    """Why the repaired draft was not taken; None if it was."""
    failed: bool = False
    """True if there was no repaired draft at all."""


async def _write_draft(
    writing: _Writing, research: Research, prompt: Prompt, notes: Sequence[str]
) -> tuple[Declared, str | None, Research]:
    """The report and its picks, a note if they are unknown though asked for, and the research it is based on.

    Raises ModelError if the model fails for good or writes no report.
    """
    task, session, models = writing.task, writing.session, writing.models
    written, research = await write_report(task, session, research, models, prompt, notes)
    found = await declared(written, task, "report", models)
    if not found.report.strip():
        raise ModelError("no_report", "the report generator wrote nothing but its picks")
    note = None if found.picks is not None else note_of(found, block=found.report != written)
    return replace(found, report=found.report.strip()), note, research


async def _repair(
    writing: _Writing, known: Briefing, research: Research, draft: Draft, number: int, refused: Refusal | None
) -> tuple[Draft, Repair]:
    """The draft after one attempt, prompted with why the last one failed; unchanged if the model fails for good."""
    attempt = f"{number}: {draft.counts()}"
    # Each error with the words at fault, the statement they are in, and what the record says; then the last refusal.
    problems: list[dict[str, Any]] = [_problem(draft, error) for error in draft.errors]
    if refused is not None:
        refusal: dict[str, Any] = {"code": "repair_not_taken", "found": refused.why}
        for name, errors in (("stayed", refused.stayed), ("brought", refused.brought)):
            if errors:
                refusal[name] = [_problem(refused.mended, error) for error in errors]
        problems.append(refusal)
    notes = [*known.context, tagged("report", draft.as_written)]
    if draft.cost is not None:
        notes.append(tagged("cost", draft.cost))
    notes.append(tagged("problems", compact_json(problems)))
    try:
        found, note, _ = await _write_draft(writing, research, _prompt("repair"), notes)
    except ModelError as failure:
        return draft, Repair(f"{attempt}; failed: {failure.kind}: {failure.message}", failed=True)
    mended = draft.instead(found, note)
    refused = refusal_of(mended, draft)
    if refused is not None:
        return draft, Repair(f"{attempt}; not taken: {refused}", refused)
    return mended, Repair(f"{attempt}; taken, left: {mended.counts() or 'nothing'}")


def _problem(draft: Draft, error: Finding) -> dict[str, str]:
    problem = {
        "code": error.code,
        "said": error.text,
        "sentence": draft.sentence_of(error),
        "found": error.found or "",
        "evidence_id": error.evidence_id or "",
    }
    return {name: value for name, value in problem.items() if value}
