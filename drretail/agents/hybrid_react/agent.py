"""Hybrid-ReAct (paper section 4, Figure 3): a supervisor, parallel researchers, a synthesis of each, one report.

START ─▶ supervise ─▶ report ─▶ END
           │  ▲
       act │  │ gather: intermediate reports, when all launches of the turn have ended
           ▼  │
          researcher: think ⇄ act ─▶ synthesise        one branch for each launch, side by side

Its parts from top to bottom: the moves (Reason, LaunchResearcher, Finalize), the researcher, the agent.

The moves are tools to a model and steps in the trajectory, but not among the nine: counts of tool calls leave them out.
A researcher is a ReAct loop over its sub-problem with the nine tools, Reason and Finalize.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import Annotated, Any

from annotated_types import MaxLen, MinLen
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langgraph.graph import END, START
from langgraph.runtime import Runtime

from drretail.agents.base import Agent, messages_before, task_message, today
from drretail.agents.graphs import Graphed, Leading
from drretail.agents.information import agent_prompt, following
from drretail.agents.loop import (
    FINALIZE,
    Branch,
    BranchNode,
    Builder,
    Change,
    Launches,
    Launching,
    Loop,
    Node,
    Sent,
    State,
    Told,
    begun,
    brought,
    challenges,
    ended,
    launches_of,
    react,
    write_within_context,
)
from drretail.env.session import Session
from drretail.errors import ModelError, ModelErrorKind, ToolError
from drretail.llm.models import Models
from drretail.llm.prompt import Prompt, tagged
from drretail.records.base import Record, canonical_json
from drretail.records.evidence import IntermediateReport
from drretail.records.query import Task
from drretail.records.run import Answer, Limits, Role, Stop
from drretail.reports.text.evidence_ids import read_evidence_ids
from drretail.reports.text.serialisation import compact_json
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


def moves_prompt() -> Prompt:
    """The schemas of the moves as models see them, as a prompt whose hash a run records."""
    return Prompt("moves", canonical_json(json_schemas(SUPERVISOR_TOOLS)))


PromptOf = Callable[[str], Prompt]
"""Loads the prompt of a role."""
own_prompt: PromptOf = partial(agent_prompt, __file__)
Finding = dict[str, Any]


class Researching(State):
    """The state of one researcher."""

    sub_problem: str
    known: tuple[str, ...]
    """The evidence that it was told of at the start."""
    report: IntermediateReport


def researcher_of(prompt: PromptOf) -> BranchNode:
    """The node of one researcher with its synthesis, prompted by these."""

    async def synthesise(state: Researching, loop: Loop) -> Change:
        return await _synthesised(state, loop, prompt("synthesis"))

    researcher = react(Researching, synthesise, {"report": "synthesise"}).add_edge(START, "think").compile()

    async def launched(state: Sent, runtime: Runtime[Loop]) -> Change:
        parent = await runtime.context.opened(state)

        async def work(path: str, models: Models) -> Change:
            launches, session = launches_of(parent), parent.toolkit.session
            loop = Loop("researcher", models, launches.toolkit, launches.limits.tool_turns, path=path)
            sub_problem, user_id = state["args"]["sub_problem"], session.settings.user_id
            user = [] if user_id is None else [tagged("user_id", user_id)]
            question = "\n".join([tagged("sub_problem", sub_problem), *user, today(session), *state["told"]])
            system = SystemMessage(prompt("researcher").render(turns=str(loop.turns)))
            begin = begun([system, HumanMessage(question)])
            begin |= {"sub_problem": sub_problem, "known": state["known"]}
            end: Any = await researcher.ainvoke(begin, context=loop, output_keys=["report", "notes", "shown"])
            value = {"researcher": state["number"], "report": end["report"].model_dump(mode="json", exclude_none=True)}
            branch = Branch(number=state["number"], path=path, value=value, notes=tuple(end["notes"]))
            return {"branches": [branch], "shown": end["shown"]}

        return await brought(state, parent, work)

    return launched


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


async def _synthesised(state: Researching, loop: Loop, prompt: Prompt) -> Change:
    """m_i of the paper: the intermediate report of f_i, which is all that the researcher thought, called and read.

    Ids that the researcher was never handed are removed here: asking again for one id would cost as much as the whole
    synthesis. Raises ModelError if the researcher said nothing at all, or the model gives none.
    """
    end = await ended(state, loop)
    entries = list(_entries(end.messages[2:]))
    if not entries:
        raise ModelError("agent", "the researcher ended without having said anything")

    def check(report: IntermediateReport) -> str | None:
        if report.insights or report.sources or report.open_questions:
            return None
        return "the report is empty: give what the findings show, or as an open question what they do not"

    findings = "\n".join(compact_json(entry) for entry in ({"sub_problem": state["sub_problem"]}, *entries))
    data = f"{today(loop.toolkit.session)}\n{tagged('findings', findings)}"
    messages = [SystemMessage(prompt.render()), HumanMessage(data)]
    asked = await loop.models.ask("synthesis", messages, IntermediateReport, path=loop.path, check=check)
    handed = (source.id for step in state["shown"] for source in step.sources)
    report, unknown = _with_known(asked, frozenset((*state["known"], *handed)))
    notes = [] if end.stop == "finished" else [f"{loop.path}: its research ended at the {end.stop}"]
    if unknown:
        loop.models.trajectory.count_setback("struck_ids", number=len(unknown))
        notes.append(f"{loop.path}: synthesis cited what was never found: {', '.join(unknown)}")
    return {"report": report, "notes": notes}


def _with_known(report: IntermediateReport, known: frozenset[str]) -> tuple[IntermediateReport, list[str]]:
    """The report with only those evidence ids that are known, in whatever form they were written; and the others.

    A statement stays even if nothing supports it any more.
    """
    cited: dict[str, None] = {}

    def read(*written: str) -> list[str]:
        ids = list(dict.fromkeys(id_read for id_ in written for id_read in read_evidence_ids(id_, known) or (id_,)))
        cited.update(dict.fromkeys(ids))
        return ids

    insights = [
        insight.model_copy(update={"citations": tuple(id_ for id_ in read(*insight.citations) if id_ in known)})
        for insight in report.insights
    ]
    read_sources = [source.model_copy(update={"evidence": read(source.evidence)[0]}) for source in report.sources]
    sources = tuple(source for source in read_sources if source.evidence in known)
    left = report.model_copy(update={"insights": tuple(insights), "sources": sources})
    return left, [id_ for id_ in cited if id_ not in known]


class Research(Record):
    """All that the supervisor's researchers brought, in launch order."""

    reports: tuple[dict[str, Any], ...]
    """Each intermediate report with the number of its researcher, as supervisor and report generator read it."""
    failed: tuple[str, ...] = ()
    """One line for each researcher that brought nothing: "0.2: timeout: …"."""
    notes: tuple[str, ...] = ()
    stop: Stop = "finished"


async def researched(state: Launching, loop: Loop) -> Research:
    """What the research came to.

    Raises ModelError if no researcher brought anything: a report is never written from nothing, unless from the turns
    before.
    """
    end = await ended(state, loop)
    branches = state["branches"]
    failed = tuple(line for branch in branches for line in branch.failed)
    reports = tuple(branch.value for branch in branches if branch.value is not None)
    if not reports and (failed or not loop.toolkit.session.ledger.was_shown_before):
        # The kind of failure, if all researchers failed with the same one.
        kinds: set[ModelErrorKind] = {branch.failure for branch in branches if branch.failure is not None}
        kind = kinds.pop() if len(kinds) == 1 else "budget" if state["short"] else "agent"
        why = "; ".join(failed) or "the tokens allowed do not suffice for one researcher"
        raise ModelError(kind, f"no researcher brought anything back: {why}")
    stop = "token_budget" if state["short"] and end.stop == "finished" else end.stop
    notes = tuple(note for branch in branches for note in branch.notes)
    return Research(reports=reports, failed=failed, notes=notes, stop=stop)


async def write_report(
    task: Task, loop: Loop, research: Research, prompt: Prompt, notes: Sequence[str] = ()
) -> tuple[str, Research]:
    """R = ReportGen(q, {m_i}) of the paper, and the research that it was written from.

    The oldest intermediate reports are left out if all of them do not fit the model. ``notes`` is further tagged text
    for the model. Raises ModelError if the model fails for good.
    """

    async def write(left_out: int) -> str:
        parts = [
            tagged("query", task.text),
            today(loop.toolkit.session),
            tagged("reports", compact_json(research.reports[left_out:])),
            *notes,
            *filter(None, [task.context, following(task)]),
        ]
        messages = [SystemMessage(prompt.render()), *messages_before(task), HumanMessage("\n".join(parts))]
        return (await loop.models.call("report", messages)).text.strip()

    report, left_out = await write_within_context(write, [len(compact_json(dropped)) for dropped in research.reports])
    if not left_out:
        return report, research
    gone = ", ".join(str(dropped["researcher"]) for dropped in research.reports[:left_out])
    note = f"{loop.path}: written without the reports of researchers {gone}, which did not fit the model any more"
    left = {"reports": research.reports[left_out:], "notes": (*research.notes, note)}
    return report, research.model_copy(update=left)


def supervised(state: type[Launching], report: Node, prompt: PromptOf, then: str = END) -> Builder:
    """The supervisor with its researchers and the ``report``, without a START; the roles are prompted by these."""
    branches = {"researcher": researcher_of(prompt)}
    return react(state, report, {"think": "supervise"}, branches, then)


@cache
def graph() -> Any:
    return supervised(Leading, _report, own_prompt).add_edge(START, "supervise").compile(name="hybrid_react")


async def _report(state: Leading, loop: Loop) -> Change:
    research = await researched(state, loop)
    text, research = await write_report(state["task"], loop, research, own_prompt("report"))
    answer = Answer(report=text, stop=research.stop, notes=research.notes, failed_branches=research.failed)
    return {"messages": [AIMessage(text)], "answer": answer}


def open_loop(session: Session, models: Models, limits: Limits, notes: Told = lambda state, args: ((), ())) -> Loop:
    """The supervisor's loop, and the tools of the researchers. ``notes`` is what ``Launches`` tell them."""
    of_researchers = MappingProxyType(offered(session) | {REASON: _REASON, FINALIZE: _FINALIZE})  # T_res of the paper
    tools = Toolkit(session, tools=of_researchers)
    moves = Toolkit(session, tools=SUPERVISOR_TOOLS, threads=1)
    launches = Launches({LAUNCH: "researcher"}, tools, limits, _refusal, "Researcher {number}", notes)
    return Loop("supervisor", models, moves, limits.supervisor_turns, launches=launches)


def _refusal(most: int, few_tokens: bool) -> str:
    if not few_tokens:
        return f"At most {most} researchers may be launched in one turn: this one was not."
    many = "any researcher" if most == 0 else f"more than {most} in this turn"
    return f"The tokens that are left do not suffice for {many}: this one was not launched."


def first_messages(
    task: Task, session: Session, limits: Limits, prompt: PromptOf = own_prompt, notes: Sequence[str] = ()
) -> list[AnyMessage]:
    """The first messages of the supervisor. ``notes`` is further tagged text for it."""
    turns, researchers = str(limits.supervisor_turns), str(limits.researchers)
    system = prompt("supervisor").render(turns=turns, researchers=researchers)
    question = HumanMessage("\n".join([task_message(task, session).text, *notes]))
    return [SystemMessage(system), *messages_before(task), question]


def prompts() -> tuple[Prompt, ...]:
    ours = map(own_prompt, ("supervisor", "researcher", "synthesis", "report"))
    return *ours, moves_prompt(), *challenges()


ROLES: tuple[Role, ...] = ("supervisor", "researcher", "synthesis", "report")
_HEEDS = frozenset(Limits.model_fields) - {"rag_turns", "repairs"}
HYBRID_REACT = Agent(Graphed(graph, open_loop, first_messages), roles=ROLES, prompts=prompts, heeds=_HEEDS)
