"""Synthesis: one researcher's findings become an intermediate report in a fixed schema (paper section 4).

The model has no tools and sees the findings only. Evidence ids survive it: those that the researcher was never handed
are pointed out, and dropped where they stay.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage

from drretail.agents.hybrid_react.researcher import Findings
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.prompts import Prompt, load_prompt, tagged
from drretail.records.research import IntermediateReport


@dataclass(frozen=True, slots=True)
class Synthesis:
    """m_i of the paper, with what had to be done to it."""

    report: IntermediateReport
    notes: tuple[str, ...] = ()


async def synthesise(findings: Findings, path: str, models: Models, prompt: Prompt) -> Synthesis:
    """The intermediate report of ``findings``. Raises ModelError when the model gives none."""
    known = frozenset(findings.evidence)
    fitting: list[IntermediateReport] = []

    def check(report: IntermediateReport) -> str | None:
        if not (report.insights or report.sources or report.open_questions):
            return "the report is empty: give what the findings show, or as an open question what they do not"
        fitting.append(report)
        unknown = _unknown(report, known)
        return (
            f"the findings hold no evidence {', '.join(unknown)}: cite only ids that stand in them" if unknown else None
        )

    messages = [SystemMessage(prompt.render()), HumanMessage(tagged("findings", findings.as_lines()))]
    try:
        report = await models.ask("synthesis", messages, IntermediateReport, path=path, check=check)
    except ModelError:
        if not fitting:
            raise
        report = fitting[-1]
    unknown = _unknown(report, known)
    if not unknown:
        return Synthesis(report)
    return Synthesis(_without(report, known), (f"{path}: synthesis cited what was never found: {', '.join(unknown)}",))


def synthesis_prompt() -> Prompt:
    return load_prompt(__file__, "synthesis")


def _cited(report: IntermediateReport) -> Iterable[str]:
    for insight in report.insights:
        yield from insight.citations
    for source in report.sources:
        yield source.evidence


def _unknown(report: IntermediateReport, known: frozenset[str]) -> list[str]:
    return [evidence for evidence in dict.fromkeys(_cited(report)) if evidence not in known]


def _without(report: IntermediateReport, known: frozenset[str]) -> IntermediateReport:
    """The report without the ids that are not known; a statement stays, as one that nothing supports."""
    insights = tuple(
        insight.model_copy(update={"citations": tuple(it for it in insight.citations if it in known)})
        for insight in report.insights
    )
    sources = tuple(source for source in report.sources if source.evidence in known)
    return report.model_copy(update={"insights": insights, "sources": sources})
