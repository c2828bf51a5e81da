"""Hybrid-ReAct (paper section 4, Figure 3): a supervisor, parallel researchers, a synthesis of each, one report.

Its parts from top to bottom: the moves (Reason, LaunchResearcher, Finalize), the researcher, the supervisor, the agent.

They are tools to a model and steps in the trajectory, but not among the nine: counts of tool calls leave them out.

sub-problem ─▶ research ─▶ synthesise ─▶ intermediate report

A researcher is a ReAct loop over its sub-problem with the nine tools, Reason and Finalize.

START ─▶ supervise ─▶ report ─▶ END
            │  ▲
  launches, │  │ intermediate reports, when all launches of the turn have ended
            ▼  │
          research ─▶ synthesise        one branch for each launch, side by side
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolCall

from drretail.agents.base import Agent, task_message, today
from drretail.agents.information import agent_prompt
from drretail.agents.loop import FINALIZE, Acted, Loop, ToolExecutor, challenges, is_final, write_within_context
from drretail.env.session import Session
from drretail.errors import CommandStopped, ModelError, ModelErrorKind, ToolError, describe_error
from drretail.grounding.report.evidence_ids import read_evidence_ids
from drretail.grounding.text.serialisation import compact_json
from drretail.llm.event_loop import all_ended
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.records.base import canonical_json
from drretail.records.evidence import IntermediateReport
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Role, Stop
from drretail.tools.registry import json_schemas, offered
from drretail.tools.tool import Tool, ToolResult
from drretail.tools.toolkit import Toolkit

REASON = "Reason"
LAUNCH = "LaunchResearcher"


def reason(session: Session, thought: Annotated[str, MinLen(1), MaxLen(8000)]) -> ToolResult:
    """Writes a thought down: what is known by now, what is missing, and what to do next.

    It looks nothing up and takes no turn of its own: call it together with the calls that follow from the thought.

    Args:
        thought: The thought, in a few sentences.

    Returns:
        That it was noted.
    """
    del session, thought
    return ToolResult({"noted": True}, ())


def launch_researcher(session: Session, sub_problem: Annotated[str, MinLen(1), MaxLen(4000)]) -> ToolResult:
    """Sends one researcher to work on one sub-problem, with the shop's tools and the web.

    A researcher sees neither the question nor other researchers' findings: what it must know of them stands in the
    text you write here. Several launched in one turn work at the same time.

    Args:
        sub_problem: The whole task in a few sentences that stand on their own: what to find out, for which purpose, and
            every limit that matters to it, such as budget, brands, sizes, place, dates, things already owned.

    Returns:
        The researcher's number and report: insights with evidence ids, sources with their facts, open questions. Or an
        error, when it came back with nothing.
    """
    del session
    if not sub_problem.strip():
        raise ToolError("invalid_argument", "sub_problem is blank: write what to find out.", field="sub_problem")
    return ToolResult({"sub_problem": sub_problem.strip()}, ())


def finalize(session: Session) -> ToolResult:
    """Ends your part of the work: what has been found so far is passed on as it is.

    Returns:
        That the work is finished.
    """
    del session
    return ToolResult({"finished": True}, ())


_REASON = Tool(REASON, reason, "read")
_LAUNCH = Tool(LAUNCH, launch_researcher, "read")
_FINALIZE = Tool(FINALIZE, finalize, "read")
SUPERVISOR_TOOLS: Mapping[str, Tool] = MappingProxyType({tool.name: tool for tool in (_REASON, _LAUNCH, _FINALIZE)})
"""T_sup of the paper."""


def researcher_tools(session: Session) -> Mapping[str, Tool]:
    """T_res of the paper: Reason, Finalize, and the tools that the session has."""
    return MappingProxyType(offered(session) | {REASON: _REASON, FINALIZE: _FINALIZE})


def moves_prompt() -> Prompt:
    """The schemas of the moves as models see them, as a prompt whose hash a run records."""
    return Prompt("moves", canonical_json(json_schemas(SUPERVISOR_TOOLS)))


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
    cited = [citation for insight in report.insights for citation in insight.citations]
    cited += [source.evidence for source in report.sources]
    unknown = [evidence for evidence in dict.fromkeys(cited) if evidence not in known]
    if not unknown:
        return report, ()
    models.trajectory.count_setback("struck_ids", number=len(unknown))
    # A statement stays even if nothing supports it any more.
    insights = tuple(
        insight.model_copy(update={"citations": tuple(citation for citation in insight.citations if citation in known)})
        for insight in report.insights
    )
    sources = tuple(source for source in report.sources if source.evidence in known)
    report = report.model_copy(update={"insights": insights, "sources": sources})
    return report, (f"{path}: synthesis cited what was never found: {', '.join(unknown)}",)


def _with_ids_read(report: IntermediateReport, known: frozenset[str]) -> IntermediateReport:
    """The report with its evidence ids in the form that the findings use, in whatever form they were written."""

    def read(*written: str) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(evidence_id for id_ in written for evidence_id in read_evidence_ids(id_, known) or (id_,))
        )

    insights = [insight.model_copy(update={"citations": read(*insight.citations)}) for insight in report.insights]
    sources = [source.model_copy(update={"evidence": read(source.evidence)[0]}) for source in report.sources]
    return report.model_copy(update={"insights": tuple(insights), "sources": tuple(sources)})


PATH = "0"
supervisor_prompt = partial(agent_prompt, __file__, "supervisor")


@dataclass(frozen=True, slots=True)
class Research:
    """All that the supervisor's researchers brought, in launch order."""

    reports: tuple[tuple[int, IntermediateReport], ...]
    """Each with the number of its researcher."""
    failed: tuple[str, ...] = ()
    """One line for each researcher that brought nothing: "0.2: timeout: …"."""
    notes: tuple[str, ...] = ()
    stop: Stop = "finished"


async def supervise(
    task: Task,
    session: Session,
    models: Models,
    limits: Limits,
    researchers: Researchers,
    prompt: Prompt,
    notes: Sequence[str] = (),
) -> Research:
    """The research on ``task``. ``notes`` is further tagged text for the supervisor.

    Raises ModelError if the supervisor's model fails for good, or no researcher brought anything: a report is never
    written from nothing.
    """
    system = prompt.render(turns=str(limits.supervisor_turns), researchers=str(limits.researchers))
    question = HumanMessage("\n".join([task_message(task, session).text, *notes]))
    with Toolkit(session, tools=SUPERVISOR_TOOLS, threads=1) as toolkit:
        executor = SupervisorExecutor(toolkit, models, researchers, limits.researchers)
        end = await Loop("supervisor", PATH, models, executor, limits.supervisor_turns).run(
            [SystemMessage(system), question]
        )
    branches = executor.branches
    failures = [(branch.path, branch.failure) for branch in branches if branch.failure is not None]
    failed = tuple(f"{path}: {failure.kind}: {failure.message}" for path, failure in failures)
    reports = tuple((branch.number, branch.report) for branch in branches if branch.report is not None)
    if not reports:
        # The kind of failure, if all researchers failed with the same one.
        kinds: set[ModelErrorKind] = {failure.kind for _, failure in failures}
        kind = kinds.pop() if len(kinds) == 1 else "budget" if executor.short else "agent"
        why = "; ".join(failed) or "the tokens allowed do not suffice for one researcher"
        raise ModelError(kind, f"no researcher brought anything back: {why}")
    stop = "token_budget" if executor.short and end.stop == "finished" else end.stop
    return Research(reports, failed, tuple(note for branch in branches for note in branch.notes), stop)


@dataclass(slots=True)
class SupervisorExecutor:
    """Carries out the supervisor's moves. All launches of a turn run side by side, at most ``most`` of them."""

    toolkit: Toolkit
    models: Models
    researchers: Researchers
    most: int
    branches: list[Branch] = field(default_factory=list[Branch])
    """The branches of all turns so far, in launch order."""
    short: bool = False
    """True once a launch was refused because too few tokens were left for it."""

    @property
    def schemas(self) -> list[dict[str, Any]]:
        return self.toolkit.openai_schemas()

    @property
    def can_look_up(self) -> bool:
        return True

    async def carry_out(self, calls: Sequence[ToolCall]) -> Acted:
        performed = await self.toolkit.aperform_all(
            [(call["name"], call["args"]) for call in calls], path=PATH, role="supervisor"
        )
        launches = [
            (at, str(each.outcome.value["sub_problem"]))
            for at, each in enumerate(performed)
            if each.launch.name == LAUNCH and isinstance(each.outcome, ToolResult)  # a launch that is well formed
        ]
        most = self.models.most_branches(self.most)
        launched, refused = launches[:most], launches[most:]
        self.short |= bool(refused) and most < self.most
        branches = await self.researchers.launch([each for _, each in launched], len(self.branches) + 1, self.models)
        self.branches += branches
        outcomes = {at: _outcome(branch) for (at, _), branch in zip(launched, branches, strict=True)}
        refusal = f"At most {most} researchers may be launched in one turn: this one was not."
        if most < self.most:
            many = "any researcher" if most == 0 else f"more than {most} in this turn"
            refusal = f"The tokens that are left do not suffice for {many}: this one was not launched."
        outcomes |= {at: ToolError("limit", refusal) for at, _ in refused}
        replies = self.toolkit.record_all(
            [replace(each, outcome=outcomes.get(at, each.outcome)) for at, each in enumerate(performed)]
        )
        return Acted(tuple(replies), is_final(calls, replies), looked_up=bool(launches))


def _outcome(branch: Branch) -> ToolResult | ToolError:
    if branch.report is not None:
        return ToolResult(as_json(branch.number, branch.report), ())
    failure = branch.failure or ModelError("agent", "it left nothing")
    kind = "timeout" if failure.kind == "timeout" else "unavailable"
    return ToolError(kind, f"Researcher {branch.number} came back with nothing: {failure.kind}: {failure.message}")


def as_json(number: int, report: IntermediateReport) -> dict[str, Any]:
    """An intermediate report as the supervisor and the report generator read it."""
    return {"researcher": number, "report": report.model_dump(mode="json", exclude_none=True)}


ROLES: tuple[Role, ...] = ("supervisor", "researcher", "synthesis", "report")
report_prompt = partial(agent_prompt, __file__, "report")


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The report of one supervised research. Raises ModelError if there is none."""
    with Toolkit(session, tools=researcher_tools(session)) as toolkit:
        researchers = Researchers(toolkit, limits.tool_turns, researcher_prompt(), synthesis_prompt())
        research = await supervise(task, session, models, limits, researchers, supervisor_prompt())
        report, research = await write_report(task, session, research, models, report_prompt())
    return Answer(report=report, stop=research.stop, notes=research.notes, failed_branches=research.failed)


def prompts() -> tuple[Prompt, ...]:
    return supervisor_prompt(), researcher_prompt(), synthesis_prompt(), report_prompt(), moves_prompt(), *challenges()


_HEEDS = frozenset(Limits.model_fields) - {"rag_turns", "repairs"}
HYBRID_REACT = Agent(answer, roles=ROLES, prompts=prompts, heeds=_HEEDS)


async def write_report(
    task: Task, session: Session, research: Research, models: Models, prompt: Prompt, notes: Sequence[str] = ()
) -> tuple[str, Research]:
    """R = ReportGen(q, {m_i}) of the paper, and the research that it was written from.

    The oldest intermediate reports are left out if all of them do not fit the model. ``notes`` is further tagged text
    for the model. Raises ModelError if the model fails for good.
    """
    reports = [as_json(number, report) for number, report in research.reports]

    async def write(left_out: int) -> str:
        parts = [
            tagged("query", task.text),
            today(session),
            tagged("reports", compact_json(reports[left_out:])),
            *notes,
            *filter(None, [task.context]),
        ]
        messages = [SystemMessage(prompt.render()), HumanMessage("\n".join(parts))]
        return (await models.call("report", messages, path=PATH)).text.strip()

    report, left_out = await write_within_context(write, [len(compact_json(each)) for each in reports])
    if not left_out:
        return report, research
    gone = ", ".join(str(number) for number, _ in research.reports[:left_out])
    note = f"{PATH}: written without the reports of researchers {gone}, which did not fit the model any more"
    return report, replace(research, reports=research.reports[left_out:], notes=(*research.notes, note))
