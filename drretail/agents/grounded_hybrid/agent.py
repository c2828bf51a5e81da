"""Grounded Hybrid-ReAct: the paper's graph, after a typed wish and the shopper's records, and before a verifier.

START ─▶ brief ─▶ supervise ─▶ report ─▶ verify ─▶ strike ─▶ END
                    │  ▲                  │  ▲
        act: launches, │  │ gather: reports  errors, │  │ the draft, or a better one
                    ▼  │                  ▼  │
                   researcher             repair      at most Limits.repairs times
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.graph import END, START

from drretail.agents.base import Agent
from drretail.agents.graphs import Graphed, Leading
from drretail.agents.grounded_hybrid.briefing import Briefing, records_of_shopper, understanding_prompt
from drretail.agents.grounded_hybrid.drafts import Draft, Refusal, draft_of, refusal_of, strike_out, with_left_out
from drretail.agents.hybrid_react import agent as hybrid
from drretail.agents.hybrid_react.agent import ROLES, Research, moves_prompt, researched, supervised, write_report
from drretail.agents.information import agent_prompt
from drretail.agents.loop import Change, Loop, add_node, challenges, launches_of
from drretail.agents.picks import declared, picks_note
from drretail.errors import ModelError
from drretail.llm.prompt import Prompt, tagged
from drretail.records.evidence import Finding
from drretail.records.query import Task
from drretail.records.run import Answer
from drretail.reports.picks import Declared, picks_block
from drretail.reports.text.serialisation import compact_json

_prompt = partial(agent_prompt, __file__)


class Verifying(Leading):
    """The state of a research whose draft is verified."""

    briefing: Briefing
    research: Research
    draft: Answer
    """Its notes say why its picks are unknown, if they are."""
    mended: Answer | None
    """What the last repair made of the draft, until it is compared with it."""
    faults: tuple[str, ...]
    """The tagged texts that a repair is told."""
    repairs: tuple[str, ...]
    """What came of each attempt, in one line."""


@cache
def graph() -> Any:
    builder = supervised(Verifying, _report, _prompt, then="verify")
    add_node(builder, "brief", brief, lambda state, loop: "supervise", "supervise")
    # Two in threads, since they look products up and read the report several times, and other runs go on.
    add_node(builder, "verify", partial(asyncio.to_thread, _verify), after_verify, "repair", "strike")
    add_node(builder, "repair", repair, after_repair, "verify", "strike")
    add_node(builder, "strike", partial(asyncio.to_thread, _strike), lambda state, loop: END, END)
    return builder.add_edge(START, "brief").compile(name="grounded_hybrid")


async def brief(state: Verifying, loop: Loop) -> Change:
    """What is known before the research, and the supervisor's first messages."""
    task, launches, session = state["task"], launches_of(loop), loop.toolkit.session
    briefing = await records_of_shopper(task, session, launches.toolkit)
    briefing = await briefing.with_wish(task, session, loop.models)
    messages = hybrid.first_messages(task, session, launches.limits, _prompt, briefing.told)
    return {"briefing": briefing, "transcript": messages, "shown": session.ledger.shown(loop.path)}


async def _report(state: Verifying, loop: Loop) -> Change:
    """The first draft. Raises ModelError if the model fails for good or writes no report."""
    research = await researched(state, loop)
    notes = state["briefing"].told
    draft, research = await _write_draft(state["task"], loop, research, _prompt("report"), notes)
    return {"research": research, "draft": draft, "mended": None, "repairs": ()}


async def _write_draft(
    task: Task, loop: Loop, research: Research, prompt: Prompt, notes: Sequence[str]
) -> tuple[Answer, Research]:
    """A draft, and the research that it is based on."""
    text, research = await write_report(task, loop, research, prompt, notes)
    written = await declared(text, task, "report", loop.models)
    if not written.report.strip():
        raise ModelError("no_report", "the report generator wrote nothing but its picks")
    unknown = () if written.picks is not None else (picks_note(written, block=written.report != text),)
    draft = Answer(report=written.report.strip(), picks=written.picks, outcome=written.outcome, notes=unknown)
    return draft, research


def _verify(state: Verifying, loop: Loop) -> Change:
    """The draft with its findings; or what a repair made of it, if that is better."""
    draft, mended, refusal = _checked(state["draft"], state, loop), state["mended"], None
    change: Change = {"mended": None}
    if mended is not None:
        better = _checked(mended, state, loop)
        refusal = refusal_of(better, draft)
        if refusal is None:
            change["repairs"] = _attempted(state, draft, f"taken, left: {better.counts() or 'nothing'}")
            draft, change["draft"] = better, mended
        else:
            change["repairs"] = _attempted(state, draft, f"not taken: {refusal}")
    return change | {"faults": tuple(_faults(draft, refusal)) if draft.errors else ()}


def after_verify(state: Verifying, loop: Loop) -> str:
    is_open = len(state["repairs"]) < launches_of(loop).limits.repairs and not loop.models.must_conclude
    return "repair" if state["faults"] and is_open else "strike"


async def repair(state: Verifying, loop: Loop) -> Change:
    """The draft after one attempt, prompted with its faults and with why the last attempt failed."""
    notes = [*state["briefing"].told, *state["faults"]]
    try:
        mended, _ = await _write_draft(state["task"], loop, state["research"], _prompt("repair"), notes)
    except ModelError as failure:
        failed = f"failed: {failure.kind}: {failure.message}"
        return {"mended": None, "repairs": _attempted(state, _checked(state["draft"], state, loop), failed)}
    return {"mended": mended}


def after_repair(state: Verifying, loop: Loop) -> str:
    del loop
    return "strike" if state["mended"] is None else "verify"


def _strike(state: Verifying, loop: Loop) -> Change:
    """The answer, without the statements that are still contradicted."""
    draft, research, briefing = _checked(state["draft"], state, loop), state["research"], state["briefing"]
    stricken = strike_out(draft)
    cut_short = bool(draft.errors) and len(state["repairs"]) < launches_of(loop).limits.repairs
    still = stricken.draft
    unknown = [] if still.note is None else [still.note]  # why the picks are not known
    wrong = [f"left wrong: {error.code}: {error.found or error.text}" for error in still.errors]
    answer = Answer(
        report=with_left_out(stricken),
        picks=still.case.picks,
        outcome=still.case.outcome,
        stop=(loop.models.budget_stop if cut_short else None) or research.stop,
        notes=(*briefing.notes, *research.notes, *unknown, *wrong),
        failed_branches=research.failed,
        repairs=state["repairs"],
        struck=stricken.struck,
        understood=briefing.wish,
    )
    cart = [] if answer.picks is None else [picks_block(answer.picks, answer.outcome)]
    return {"messages": [AIMessage("\n\n".join([answer.report, *cart]))], "answer": answer}


def _checked(draft: Answer, state: Verifying, loop: Loop) -> Draft:
    """The draft with its findings, which are made once."""
    if draft not in loop.memo:
        declared = Declared(draft.report, draft.picks, outcome=draft.outcome)
        wish, session = state["briefing"].wish, loop.toolkit.session
        loop.memo[draft] = draft_of(declared, state["task"], wish, session, next(iter(draft.notes), None))
    return loop.memo[draft]


def _attempted(state: Verifying, draft: Draft, result: str) -> tuple[str, ...]:
    """The lines of all attempts to repair the draft, with that of the last one."""
    return *state["repairs"], f"{len(state['repairs']) + 1}: {draft.counts()}; {result}"


def _faults(draft: Draft, refusal: Refusal | None) -> Iterator[str]:
    """What a repair is told: the draft, what it costs, and its errors, then the last refusal.

    Each error has the words at fault, the statement they are in, and what the record says.
    """
    problems: list[dict[str, Any]] = [_problem(draft, error) for error in draft.errors]
    if refusal is not None:
        refused: dict[str, Any] = {"code": "repair_not_taken", "found": refusal.why}
        for name, errors in (("stayed", refusal.stayed), ("brought", refusal.brought)):
            if errors:
                refused[name] = [_problem(refusal.mended, error) for error in errors]
        problems.append(refused)
    yield tagged("report", draft.as_written)
    if draft.cost is not None:
        yield tagged("cost", draft.cost)
    yield tagged("problems", compact_json(problems))


def _problem(draft: Draft, error: Finding) -> dict[str, str]:
    problem = {
        "code": error.code,
        "said": error.text,
        "sentence": draft.sentence_of(error),
        "found": error.found or "",
        "evidence_id": error.evidence_id or "",
    }
    return {name: value for name, value in problem.items() if value}


def _told(state: Verifying, args: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[str]]:
    """What a researcher is told beside its task, with the evidence in it."""
    del args
    return state["briefing"].told, state["briefing"].evidence


open_loop = partial(hybrid.open_loop, notes=_told)


def prompts() -> tuple[Prompt, ...]:
    ours = map(_prompt, ("supervisor", "researcher", "synthesis", "report", "repair"))
    return understanding_prompt(), *ours, moves_prompt(), *challenges()


# The supervisor's first messages rest on the briefing.
_GRAPHED = Graphed(graph, open_loop, lambda task, session, limits: [])
GROUNDED_HYBRID = Agent(_GRAPHED, roles=ROLES, prompts=prompts, self_checked=True)
