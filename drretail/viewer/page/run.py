"""One run with everything that its template prints."""

from collections.abc import Mapping
from dataclasses import dataclass

from markupsafe import Markup

from drretail.viewer.cart import Cart, cart_of
from drretail.viewer.claims import Support, counts_of
from drretail.viewer.experiment import ClaimsView, RunView
from drretail.viewer.page.cards import (
    ClaimCard,
    EvidenceCard,
    FindingCard,
    StepCard,
    claim_cards,
    evidence_cards,
    finding_cards,
    step_cards,
)
from drretail.viewer.page.report_html import report_html

MEANINGS: Mapping[Support, str] = {
    "full": "everything in it stands in its sources",
    "partial": "some of it does",
    "none": "nothing of it does",
    "contradicted": "its sources say otherwise",
    "uncited": "it names no source",
    "unverifiable": "its sources could not be read",
    "failed": "the judge gave no usable answer",
    "unjudged": "no verdict is recorded",
}


@dataclass(frozen=True, slots=True)
class ClaimsPart:
    view: ClaimsView
    cards: list[ClaimCard]


@dataclass(frozen=True, slots=True)
class RunPart:
    """A run with everything its template prints."""

    view: RunView
    open: bool
    report: Markup
    cart: Cart | None
    counts: dict[Support, int]
    claims: list[ClaimsPart]
    findings: list[FindingCard]
    evidence: list[EvidenceCard]
    steps: list[StepCard]

    @property
    def tokens(self) -> int:
        return sum(usage.total for usage in self.view.run.usage.values()) if self.view.run else 0


def run_part(view: RunView, *, is_open: bool) -> RunPart:
    """What run.html.jinja shows of a run."""
    report = report_html(view)
    return RunPart(
        view=view,
        open=is_open,
        report=report.html,
        cart=cart_of(view.run, view.subject.evidence) if view.run else None,
        counts=counts_of(view.claims[0].claims) if view.claims else {},
        claims=[ClaimsPart(one, claim_cards(view, judge, report.shown)) for judge, one in enumerate(view.claims)],
        findings=finding_cards(view, report.shown),
        evidence=evidence_cards(view),
        steps=step_cards(view),
    )
