"""The addresses of a page's links: places on the one page, or pages of a folder."""

from dataclasses import dataclass
from urllib.parse import quote

from drretail.records.evidence import Finding
from drretail.viewer.claims import Claim
from drretail.viewer.experiment import Question, RunView
from drretail.viewer.run_lines import RunLine

TALK = "conversation-"
"""How names of conversation pages begin; the run's number follows."""
RUNS = "runs.html"


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses for a page's links: places on the one page, or question pages beside the index."""

    in_folder: bool = False
    index: str = ""
    """The address of the report's first page; empty on that page."""

    def question(self, question: Question) -> str:
        return quote(page_name(question)) if self.in_folder else f"#{question.anchor}"

    def claim(self, line: RunLine, anchor: str) -> str:
        """The address of a claim's card, which is in the part of its run."""
        return f"{self.question(line.question) if self.in_folder else ''}#{anchor}"

    def run(self, line: RunLine) -> str:
        return self.claim(line, line.anchor)

    def answer(self, line: RunLine) -> str:
        return self.claim(line, f"{line.anchor}-answer")

    @property
    def runs(self) -> str:
        """The table of all runs."""
        return RUNS if self.in_folder else "#runs"


def page_name(question: Question) -> str:
    """The file name of a question's page."""
    return f"query-{question.query.query_id}.html"


def talk_page_name(place: int) -> str:
    """The name of a conversation's page in the live view, by the run's index."""
    return f"{TALK}{place + 1}.html"


def claim_anchor(view: RunView, judge: int, claim: Claim) -> str:
    """The anchor of a claim with the verdict of the judge with this index."""
    return f"{view.anchor}-{f'j{judge + 1}-' if judge else ''}c{claim.number}"


def finding_anchor(view: RunView, number: int) -> str:
    return f"{view.anchor}-f{number}"


def statement_anchor(view: RunView, statement: Finding) -> str:
    """The anchor of a false statement: its claim's card, the card of code's finding, or the run."""
    if (claim := view.claim_of(statement)) is not None:
        return claim_anchor(view, 0, claim)
    numbered = enumerate(view.checks.findings, 1)
    number = next((number for number, one in numbered if (one.code, one.start) == (statement.code, statement.start)), 0)
    return finding_anchor(view, number) if number else view.anchor


def step_anchor(view: RunView, place: int) -> str:
    return f"{view.anchor}-s{place + 1}"


def evidence_anchors(view: RunView) -> dict[str, str]:
    """Anchors of the sources that are shown whole, by id.

    These are the sources that the report cites, or that a verdict or a finding rests on.
    """
    used = {citation.evidence_id for citation in view.run.citations} if view.run else set[str | None]()
    used |= {source.id for one in view.claims for v in one.judged.stage("support") for source in v.sources}
    used |= {finding.evidence_id for finding in view.checks.findings}
    return {key: f"{view.anchor}-e{number}" for number, key in enumerate(view.subject.evidence, 1) if key in used}
