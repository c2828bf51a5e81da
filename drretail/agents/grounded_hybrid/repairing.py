"""Repairs: a draft goes back to its writer with what the verifier found, a few times at most."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from drretail.agents.grounded_hybrid.briefing import Briefing
from drretail.agents.grounded_hybrid.drafts import Draft, why_not
from drretail.agents.hybrid_react.report_generator import write_report
from drretail.agents.hybrid_react.supervisor import Research
from drretail.errors import ModelError
from drretail.grounding.products import compact_json
from drretail.grounding.statements import read_layout
from drretail.llm.models import Models
from drretail.prompts import Prompt, tagged
from drretail.records.query import Task


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of one attempt: the draft that stands now, and one line about it."""

    draft: Draft
    line: str
    refused: str | None = None
    """Why the mended draft was not taken."""
    failed: bool = False
    """True when there was no mended draft at all."""


async def repair(
    draft: Draft,
    number: int,
    task: Task,
    research: Research,
    known: Briefing,
    models: Models,
    prompt: Prompt,
    refused: str | None = None,
) -> Repair:
    """One attempt; ``refused`` says why the one before was not taken. A model that fails for good leaves the draft."""
    told = (
        *known.told,
        tagged("report", draft.report),
        tagged("problems", compact_json(list(problems(draft, refused)))),
    )
    try:
        written = await write_report(task, research, models, prompt, told)
    except ModelError as failure:
        return Repair(draft, f"{number}: {draft.counts()}; failed: {failure.kind}: {failure.message}", failed=True)
    mended = draft.with_report(written)
    refused = why_not(mended, draft)
    if refused is not None:
        return Repair(draft, f"{number}: {draft.counts()}; not taken: {refused}", refused)
    return Repair(mended, f"{number}: {draft.counts()}; taken, left: {mended.counts() or 'nothing'}")


def problems(draft: Draft, refused: str | None = None) -> Iterator[dict[str, str]]:
    """Each error with the words at fault, the statement they stand in, and what the record says."""
    layout = read_layout(draft.case.structure)
    for finding in draft.errors:
        told = {"code": finding.code, "said": finding.said}
        index = None if finding.start is None else layout.at(finding.start)
        if index is not None:
            told["sentence"] = layout.text(layout.statements[index])
        if finding.found is not None:
            told["found"] = finding.found
        if finding.evidence_id is not None:
            told["evidence_id"] = finding.evidence_id
        yield told
    if refused is not None:
        yield {"code": "repair_not_taken", "said": "", "found": refused}


def lines_of(repairs: Sequence[Repair]) -> tuple[str, ...]:
    return tuple(repair.line for repair in repairs)
