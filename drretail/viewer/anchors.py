"""The anchors of a run's claims, findings, steps and sources, by which pages link to them."""

from drretail.records.evidence import Finding
from drretail.viewer.experiment import RunView
from drretail.viewer.judged import ClaimView


def claim_anchor(view: RunView, judge: int, claim: ClaimView) -> str:
    """The anchor of a claim with the verdict of the judge with this index."""
    return f"{view.anchor}-{f'j{judge + 1}-' if judge else ''}c{claim.number}"


def finding_anchor(view: RunView, number: int) -> str:
    return f"{view.anchor}-f{number}"


def statement_anchor(view: RunView, statement: Finding) -> str:
    """The anchor of a false statement: its claim's card, the card of code's finding, or the run."""
    if (claim := view.claim_of(statement)) is not None:
        return claim_anchor(view, 0, claim)
    numbered = enumerate(view.checks.findings, 1)
    number = next(
        (number for number, other in numbered if (other.code, other.start) == (statement.code, statement.start)), 0
    )
    return finding_anchor(view, number) if number else view.anchor


def step_anchor(view: RunView, place: int) -> str:
    return f"{view.anchor}-s{place + 1}"


def evidence_anchors(view: RunView) -> dict[str, str]:
    """By id, anchors of the sources that the report cites, or that a verdict or a finding rests on."""
    used = {citation.evidence_id for citation in view.run.citations} if view.run else set[str | None]()
    used |= {source.id for view_of in view.claims for v in view_of.judged.stage("support") for source in v.sources}
    used |= {finding.evidence_id for finding in view.checks.findings}
    return {key: f"{view.anchor}-e{number}" for number, key in enumerate(view.subject.sources, 1) if key in used}
