"""Researchers (paper section 4): each launch is a branch of its own, from sub-problem to intermediate report.

sub-problem ─▶ research ─▶ synthesise ─▶ intermediate report

A researcher is a ReAct loop over its sub-problem with the nine tools, Reason and Finalize.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from drretail.agents.base import today
from drretail.agents.hybrid_react.moves import REASON
from drretail.agents.loop import Loop
from drretail.agents.prompt_blocks import agent_prompt
from drretail.agents.tool_turn import FINALIZE, ToolExecutor
from drretail.errors import CommandStopped, ModelError, describe_error
from drretail.grounding.report.evidence_ids import read_evidence_ids
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.event_loop import all_ended
from drretail.llm.models import Models
from drretail.llm.prompts.prompt import Prompt, tagged
from drretail.records.evidence import IntermediateReport
from drretail.records.run import Stop
from drretail.tools.toolkit import Toolkit

Finding = dict[str, Any]
researcher_prompt = partial(agent_prompt, __file__, "researcher")
synthesis_prompt = partial(agent_prompt, __file__, "synthesis")


@dataclass(frozen=True, slots=True)
class Findings:
    """f_i of the paper: all that one researcher thought, called and read, in order."""

    sub_problem: str
    today: str
    """The shop's date, in its tag."""
    entries: tuple[Finding, ...]
    """{"thought"}, {"tool", "args", "result"} or {"text"}."""
    evidence: tuple[str, ...]
    """Every evidence id that the researcher was handed by tools, or told at the start."""
    stop: Stop = "finished"
    notes: tuple[str, ...] = ()

    def as_lines(self) -> str:
        """One compact JSON object per line, the sub-problem first."""
        return "\n".join(compact_json(entry) for entry in ({"sub_problem": self.sub_problem}, *self.entries))


@dataclass(frozen=True, slots=True)
class Branch:
    """The result of one launch: its report, or why there is none."""

    number: int
    """Its number in the launch order of the whole run, from 1."""
    report: IntermediateReport | None = None
    failure: ModelError | None = None
    notes: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The path of the steps of a researcher and of its synthesis in the trajectory."""
        return f"0.{self.number}"


@dataclass(frozen=True, slots=True)
class Researchers:
    """What all researchers of a run share, and the prompt for the synthesis of their findings."""

    toolkit: Toolkit
    turns: int
    """Turns with tool calls that each researcher may take."""
    prompt: Prompt
    synthesis: Prompt
    context_for: Callable[[str], Sequence[str]] = lambda _: ()
    """Gives the tagged texts that a researcher gets with its sub-problem."""
    known: tuple[str, ...] = ()
    """Evidence ids that these texts may hold."""

    async def launch(self, sub_problems: Sequence[str], first: int, models: Models) -> list[Branch]:
        """The branches of one turn, run side by side and numbered from ``first`` in the order of the launches.

        Each has an equal share of the tokens that are left. One that fails is a branch with a failure, and does not
        affect the others.
        """
        if not sub_problems:
            return []
        # All branches of earlier turns have ended, so the new ones may know the evidence that those were handed.
        self.toolkit.session.seal()
        shares = models.branches(len(sub_problems))
        return await all_ended(
            self._branch(Branch(first + at), sub_problem, share)
            for at, (sub_problem, share) in enumerate(zip(sub_problems, shares, strict=True))
        )

    async def _branch(self, begun: Branch, sub_problem: str, models: Models) -> Branch:
        try:
            findings = await self._research(sub_problem, begun.path, models)
            report, notes = await _synthesise(findings, begun.path, models, self.synthesis)
        except ModelError as problem:
            return replace(begun, failure=problem)
        except CommandStopped:
            raise
        # The boundary of a researcher: a bug in one must not end the others; the run records it.
        except Exception as problem:  # noqa: BLE001
            return replace(begun, failure=ModelError("agent", describe_error(problem)))
        limit = () if findings.stop == "finished" else (f"{begun.path}: its research ended at the {findings.stop}",)
        return replace(begun, report=report, notes=(*findings.notes, *limit, *notes))

    async def _research(self, sub_problem: str, path: str, models: Models) -> Findings:
        """What one researcher finds. Raises ModelError if its model fails for good, or it says nothing at all."""
        session = self.toolkit.session
        executor = ToolExecutor(self.toolkit, models, path)
        parts = [tagged("sub_problem", sub_problem)]
        if session.settings.user_id is not None:
            parts.append(tagged("user_id", session.settings.user_id))
        question = HumanMessage("\n".join([*parts, today(session), *self.context_for(sub_problem)]))
        begin = [SystemMessage(self.prompt.render(turns=str(self.turns))), question]
        end = await Loop("researcher", path, models, executor, self.turns).run(begin)
        entries = tuple(_entries(end.messages[len(begin) :]))
        if not entries:
            raise ModelError("agent", "the researcher ended without having said anything")
        return Findings(sub_problem, today(session), entries, (*self.known, *end.evidence), end.stop, end.notes)


def _entries(messages: Sequence[AnyMessage]) -> Iterator[Finding]:
    """The conversation as findings. The replies to a turn's calls follow it in the order of the calls."""
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


async def _synthesise(
    findings: Findings, path: str, models: Models, prompt: Prompt
) -> tuple[IntermediateReport, tuple[str, ...]]:
    """m_i of the paper: the intermediate report of ``findings``, and notes on ids that had to be removed from it.

    Ids that the researcher was never handed are removed here: asking again for one id would cost as much as the whole
    synthesis. Raises ModelError if the model gives none.
    """
    known = frozenset(findings.evidence)

    def check(report: IntermediateReport) -> str | None:
        if report.insights or report.sources or report.open_questions:
            return None
        return "the report is empty: give what the findings show, or as an open question what they do not"

    data = f"{findings.today}\n{tagged('findings', findings.as_lines())}"
    messages = [SystemMessage(prompt.render()), HumanMessage(data)]
    report = _with_ids_read(await models.ask("synthesis", messages, IntermediateReport, path=path, check=check), known)
    unknown = _unknown(report, known)
    if not unknown:
        return report, ()
    models.trajectory.count_setback("struck_ids", number=len(unknown))
    return _without(report, known), (f"{path}: synthesis cited what was never found: {', '.join(unknown)}",)


def _with_ids_read(report: IntermediateReport, known: frozenset[str]) -> IntermediateReport:
    """The report with its evidence ids in the form that the findings use, in whatever form they were written."""

    def read(*written: str) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(evidence_id for id_ in written for evidence_id in read_evidence_ids(id_, known) or (id_,))
        )

    insights = [insight.model_copy(update={"citations": read(*insight.citations)}) for insight in report.insights]
    sources = [source.model_copy(update={"evidence": read(source.evidence)[0]}) for source in report.sources]
    return report.model_copy(update={"insights": tuple(insights), "sources": tuple(sources)})


def _unknown(report: IntermediateReport, known: frozenset[str]) -> list[str]:
    cited = [citation for insight in report.insights for citation in insight.citations]
    cited += [source.evidence for source in report.sources]
    return [evidence for evidence in dict.fromkeys(cited) if evidence not in known]


def _without(report: IntermediateReport, known: frozenset[str]) -> IntermediateReport:
    """The report without unknown ids. A statement stays even if nothing supports it any more."""
    insights = tuple(
        insight.model_copy(update={"citations": tuple(citation for citation in insight.citations if citation in known)})
        for insight in report.insights
    )
    sources = tuple(source for source in report.sources if source.evidence in known)
    return report.model_copy(update={"insights": insights, "sources": sources})
