"""A draft is written with its picks, and goes back to its writer with what the verifier found, a few times at most."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from drretail.agents.grounded_hybrid.briefing import Briefing
from drretail.agents.grounded_hybrid.drafts import Draft, Refusal, refusal_of
from drretail.agents.hybrid_react.report_generator import write_report
from drretail.agents.hybrid_react.supervisor import Research
from drretail.agents.picks import declared, note_of
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.grounding.report.picks import Declared
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.models import Models
from drretail.prompts import Prompt, tagged
from drretail.records.evidence import Finding
from drretail.records.query import Task


async def write_draft(
    task: Task, session: Session, research: Research, models: Models, prompt: Prompt, notes: Sequence[str] = ()
) -> tuple[Declared, str | None, Research]:
    """A report apart from its picks, a note where these are not known though its writer was asked, and what of the
    research it was written from.

    Raises ModelError when the model fails for good or writes no report.
    """
    written, research = await write_report(task, session, research, models, prompt, notes)
    found = await declared(written, task, "report", models)
    if not found.report.strip():
        raise ModelError("no_report", "the report generator wrote nothing but its picks")
    note = None if found.picks is not None else note_of(found, block=found.report != written)
    return replace(found, report=found.report.strip()), note, research


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of one attempt: the draft that stands now, and one line about it."""

    draft: Draft
    line: str
    refused: Refusal | None = None
    """Why the mended draft was not taken."""
    failed: bool = False
    """True when there was no mended draft at all."""


async def repair(
    draft: Draft,
    number: int,
    task: Task,
    session: Session,
    research: Research,
    known: Briefing,
    models: Models,
    prompt: Prompt,
    refused: Refusal | None = None,
) -> Repair:
    """One attempt; ``refused`` says why the one before was not taken. A model that fails for good leaves the draft."""
    notes = (
        *known.context,
        tagged("report", draft.as_written),
        *(tagged("cost", each) for each in (draft.cost,) if each is not None),
        tagged("problems", compact_json(list(problems(draft, refused)))),
    )
    try:
        found, note, _ = await write_draft(task, session, research, models, prompt, notes)
    except ModelError as failure:
        return Repair(draft, f"{number}: {draft.counts()}; failed: {failure.kind}: {failure.message}", failed=True)
    mended = draft.instead(found, note)
    refused = refusal_of(mended, draft)
    if refused is not None:
        return Repair(draft, f"{number}: {draft.counts()}; not taken: {refused}", refused)
    return Repair(mended, f"{number}: {draft.counts()}; taken, left: {mended.counts() or 'nothing'}")


def problems(draft: Draft, refused: Refusal | None = None) -> Iterator[dict[str, Any]]:
    """Each error with the words at fault, the statement they stand in, and what the record says."""
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


def lines_of(repairs: Sequence[Repair]) -> tuple[str, ...]:
    return tuple(repair.line for repair in repairs)
