"""The supervisor: a ReAct loop that reasons, launches researchers, reads their reports, finalizes (paper section 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from langchain_core.messages import HumanMessage, SystemMessage, ToolCall

from drretail.agents.base import task_message
from drretail.agents.hybrid_react.moves import LAUNCH, SUPERVISOR_TOOLS
from drretail.agents.hybrid_react.researcher import Branch, Researchers
from drretail.agents.information import asking_notes
from drretail.agents.loop import Acted, Loop
from drretail.agents.prompt_blocks import agent_prompt
from drretail.agents.tool_turn import is_final
from drretail.env.session import Session
from drretail.errors import ModelError, ModelErrorKind, ToolError
from drretail.llm.models import Models
from drretail.llm.prompts.prompt import Prompt
from drretail.records.evidence import IntermediateReport
from drretail.records.query import Task
from drretail.records.run import Limits, Stop
from drretail.tools.tool import ToolResult
from drretail.tools.toolkit import Toolkit
from drretail.tools.users import ASKING

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
    question = HumanMessage("\n".join([task_message(task, session).text, *notes, *asking_notes(session)]))
    asking = {} if session.shopper is None else {ASKING.name: ASKING}
    with Toolkit(session, tools={**SUPERVISOR_TOOLS, **asking}, threads=1) as toolkit:
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
        outcomes |= {at: self._refusal(most) for at, _ in refused}
        replies = self.toolkit.record_all(
            [replace(each, outcome=outcomes.get(at, each.outcome)) for at, each in enumerate(performed)]
        )
        return Acted(tuple(replies), is_final(calls, replies), looked_up=bool(launches))

    def _refusal(self, most: int) -> ToolError:
        if most == self.most:
            return ToolError("limit", f"At most {most} researchers may be launched in one turn: this one was not.")
        many = "any researcher" if most == 0 else f"more than {most} in this turn"
        return ToolError("limit", f"The tokens that are left do not suffice for {many}: this one was not launched.")


def _outcome(branch: Branch) -> ToolResult | ToolError:
    """What the supervisor reads of a branch."""
    if branch.report is not None:
        return ToolResult(as_json(branch.number, branch.report), ())
    failure = branch.failure or ModelError("agent", "it left nothing")
    kind = "timeout" if failure.kind == "timeout" else "unavailable"
    return ToolError(kind, f"Researcher {branch.number} came back with nothing: {failure.kind}: {failure.message}")


def as_json(number: int, report: IntermediateReport) -> dict[str, Any]:
    """An intermediate report as the supervisor and the report generator read it."""
    return {"researcher": number, "report": report.model_dump(mode="json", exclude_none=True)}
