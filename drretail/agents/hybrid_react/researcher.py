"""A researcher: a ReAct loop over its sub-problem with the nine tools, Reason and Finalize (paper section 4)."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from drretail.agents.base import today
from drretail.agents.hybrid_react.moves import REASON
from drretail.agents.loop import Loop
from drretail.agents.prompt_blocks import agent_prompt
from drretail.agents.tool_turn import FINALIZE, ToolExecutor
from drretail.errors import ModelError
from drretail.grounding.report.evidence_ids import read_evidence_ids
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.models import Models
from drretail.prompts import Prompt, tagged
from drretail.records.evidence import IntermediateReport
from drretail.records.run import Stop
from drretail.tools.toolkit import Toolkit

Finding = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Findings:
    """f_i of the paper: all that one researcher thought, called and read, in order."""

    sub_problem: str
    today: str
    """The shop's date, in its tag."""
    entries: tuple[Finding, ...]
    """{"thought"}, {"tool", "args", "result"} or {"text"}."""
    evidence: tuple[str, ...]
    """Every id that the researcher was handed, or told from the start."""
    stop: Stop = "finished"
    notes: tuple[str, ...] = ()

    def as_lines(self) -> str:
        """One compact JSON object a line, the sub-problem first."""
        return "\n".join(compact_json(entry) for entry in ({"sub_problem": self.sub_problem}, *self.entries))


@dataclass(frozen=True, slots=True)
class Researchers:
    """What all researchers of a run share."""

    toolkit: Toolkit
    turns: int
    """With tool calls, for each."""
    prompt: Prompt
    context_for: Callable[[str], Sequence[str]] = lambda _: ()
    """Gives the tagged texts that one of them gets beside its sub-problem."""
    known: tuple[str, ...] = ()
    """Evidence ids that may stand in these."""

    async def research(self, sub_problem: str, path: str, models: Models) -> Findings:
        """What one of them finds. Raises ModelError when its model fails for good, or it brings nothing at all."""
        executor = ToolExecutor(self.toolkit, models, path)
        begin = [SystemMessage(self.prompt.render(turns=str(self.turns))), self._first_message(sub_problem)]
        end = await Loop("researcher", path, models, executor, self.turns).run(begin)
        entries = tuple(_entries(end.messages[len(begin) :]))
        if not entries:
            raise ModelError("agent", "the researcher ended without having said anything")
        return Findings(
            sub_problem, today(self.toolkit.session), entries, (*self.known, *end.evidence), end.stop, end.notes
        )

    def _first_message(self, sub_problem: str) -> HumanMessage:
        session = self.toolkit.session
        parts = [tagged("sub_problem", sub_problem)]
        if session.user_id is not None:
            parts.append(tagged("user_id", session.user_id))
        return HumanMessage("\n".join([*parts, today(session), *self.context_for(sub_problem)]))


def researcher_prompt() -> Prompt:
    return agent_prompt(__file__, "researcher")


def _entries(messages: Sequence[AnyMessage]) -> Iterator[Finding]:
    """The conversation as findings; the replies to a turn's calls follow it in the calls' order."""
    for at, message in enumerate(messages):
        if not isinstance(message, AIMessage):
            continue
        text = message.text.strip()
        if text:
            yield {"thought" if message.tool_calls else "text": text}
        for call, reply in zip(message.tool_calls, messages[at + 1 :], strict=False):
            name, args, result = call["name"], call["args"], json.loads(reply.text)
            if name == REASON and "error" not in result:
                yield {"thought": args["thought"]}
            elif name != FINALIZE:
                yield {"tool": name, "args": args, "result": result}


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
        report = _with_ids_read(report, known)
        fitting.append(report)
        unknown = _unknown(report, known)
        return (
            f"the findings hold no evidence {', '.join(unknown)}: cite only ids that stand in them" if unknown else None
        )

    given = f"{findings.today}\n{tagged('findings', findings.as_lines())}"
    messages = [SystemMessage(prompt.render()), HumanMessage(given)]
    try:
        await models.ask("synthesis", messages, IntermediateReport, path=path, check=check)
    except ModelError:
        if not fitting:
            raise
    report = fitting[-1]
    unknown = _unknown(report, known)
    if not unknown:
        return Synthesis(report)
    return Synthesis(_without(report, known), (f"{path}: synthesis cited what was never found: {', '.join(unknown)}",))


def synthesis_prompt() -> Prompt:
    return agent_prompt(__file__, "synthesis")


def _with_ids_read(report: IntermediateReport, known: frozenset[str]) -> IntermediateReport:
    """The report with its ids as the findings have them, whatever form of them was written."""

    def read(*written: str) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(evidence_id for one in written for evidence_id in read_evidence_ids(one, known) or (one,))
        )

    insights = [insight.model_copy(update={"citations": read(*insight.citations)}) for insight in report.insights]
    sources = [source.model_copy(update={"evidence": read(source.evidence)[0]}) for source in report.sources]
    return report.model_copy(update={"insights": tuple(insights), "sources": tuple(sources)})


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
        insight.model_copy(update={"citations": tuple(citation for citation in insight.citations if citation in known)})
        for insight in report.insights
    )
    sources = tuple(source for source in report.sources if source.evidence in known)
    return report.model_copy(update={"insights": insights, "sources": sources})
