"""One run with everything that its templates print: its answer, and what stands behind it."""

from dataclasses import dataclass

from markupsafe import Markup

from drretail.grounding.text.wishes import wish_lines
from drretail.records.wish import Wish
from drretail.viewer.cart import Cart, cart_as_read
from drretail.viewer.experiment import ClaimsView, Question, RunView
from drretail.viewer.page.agent_tree import Agent
from drretail.viewer.page.cards import (
    ClaimCard,
    EvidenceCard,
    FindingCard,
    StepCard,
    claim_cards,
    evidence_cards,
    finding_cards,
    research_of,
    step_cards,
)
from drretail.viewer.page.report_html import report_html
from drretail.viewer.page.run_lines import RunLine, run_line


@dataclass(frozen=True, slots=True)
class ClaimsPart:
    view: ClaimsView
    added: str
    """What these claims come to: "web 9.5 of 12, product 22 of 24 → FP 0.87; cited 34 of 45 → FR 0.76"."""
    cards: list[ClaimCard]


@dataclass(frozen=True, slots=True)
class RunPart:
    """A run with everything its templates print."""

    view: RunView
    name: str
    """Of its system, and which repeat it is."""
    line: RunLine
    report: Markup
    cart: Cart | None
    cart_read_by: str
    """Who read the picks of a report that declares none: "picks by form"; empty where it declares them."""
    understood: list[str]
    """How the run says that it understood the question, in lines; empty where it doesn't say."""
    wish: list[str]
    """What the query's maker typed, likewise; empty where nobody did."""
    claims: list[ClaimsPart]
    findings: list[FindingCard]
    evidence: list[EvidenceCard]
    agents: list[Agent]
    steps: list[StepCard]

    @property
    def tokens(self) -> int:
        return sum(usage.total for usage in self.view.run.usage.values()) if self.view.run else 0


def run_part(view: RunView, question: Question, name: str) -> RunPart:
    """What answer.html.jinja and run.html.jinja show of a run."""
    report, line = report_html(view), run_line(view, question)
    cart, read_by = cart_as_read(view.subject)
    added = [each.arithmetic.words for each in line.added]
    return RunPart(
        view=view,
        name=name,
        line=line,
        report=report.html,
        cart=cart,
        cart_read_by=read_by,
        understood=_wish_lines(None if view.run is None else view.run.understood),
        wish=_wish_lines(question.query.wish),
        claims=[
            ClaimsPart(one, words, claim_cards(view, judge, report.shown))
            for judge, (one, words) in enumerate(zip(view.claims, added, strict=True))
        ],
        findings=finding_cards(view, report.shown),
        evidence=evidence_cards(view),
        agents=research_of(view).agents(),
        steps=step_cards(view),
    )


def _wish_lines(wish: Wish | None) -> list[str]:
    return [] if wish is None else wish_lines(wish)
