"""A run's report as HTML: numbered references, claims and findings marked where they stand."""

from drretail.grounding.render import Rendered, render_report
from drretail.viewer.cards import claim_anchor, evidence_anchors, finding_anchor
from drretail.viewer.claims import SEVERITY, SIGNS, WORDS, Claim
from drretail.viewer.marking import Mark, Marked, marked_html
from drretail.viewer.reading import RunView

_FINDING_RANK = len(SEVERITY)


def report_html(view: RunView) -> Marked:
    """The report with the claims of the first judge and all findings marked; empty without a report."""
    report = view.subject.report or ""
    rendered = render_report(report, view.subject.evidence)
    marks = [*_claim_marks(view, rendered), *_finding_marks(view, rendered, len(report))]
    anchors = evidence_anchors(view)
    by_url = {
        reference.url: anchors[reference.evidence_id]
        for reference in rendered.references
        if reference.url and reference.evidence_id in anchors
    }
    return marked_html(rendered.text, marks, by_url)


def _claim_marks(view: RunView, rendered: Rendered) -> list[Mark]:
    if not view.claims:
        return []
    return [
        Mark(
            *rendered.span(*claim.span),
            target=claim_anchor(view, 0, claim),
            style=" ".join([claim.support, *claim.types]),
            rank=SEVERITY.index(claim.support),
            badge=SIGNS[claim.support],
            says=_says(claim),
        )
        for claim in view.claims[0].claims
        if claim.span is not None
    ]


def _says(claim: Claim) -> str:
    types = f" ({' and '.join(claim.types)})" if claim.types else ""
    return f"Claim {claim.number}: {WORDS[claim.support]}{types}"


def _finding_marks(view: RunView, rendered: Rendered, length: int) -> list[Mark]:
    marks: list[Mark] = []
    for number, finding in enumerate(view.checks.findings, 1):
        if finding.start is None or finding.end is None or not 0 <= finding.start < finding.end <= length:
            continue
        start, end = rendered.span(finding.start, finding.end)
        says = f"Finding {number}, {finding.severity}: {finding.code.replace('_', ' ')}"
        style = f"finding {finding.severity}"
        marks.append(Mark(start, end, finding_anchor(view, number), style, _FINDING_RANK, "!", says))
    return marks
