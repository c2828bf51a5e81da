"""The launcher of a supervisor: each launch is a branch of its own, from sub-problem to intermediate report.

sub-problem ─▶ research ─▶ synthesise ─▶ intermediate report
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from drretail.agents.hybrid_react.researcher import Findings, Researchers, Synthesis, synthesise
from drretail.errors import CommandStopped, ModelError, describe_error
from drretail.event_loop import all_ended
from drretail.llm.models import Models
from drretail.prompts import Prompt
from drretail.records.evidence import IntermediateReport


@dataclass(frozen=True, slots=True)
class Branch:
    """What became of one launch: its report, or why there is none."""

    number: int
    """Its place in the launch order of the whole run, from 1."""
    report: IntermediateReport | None = None
    failure: ModelError | None = None
    notes: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        return branch_path(self.number)


@dataclass(frozen=True, slots=True)
class Launcher:
    """The researchers of a run, and the wording by which their findings are consolidated."""

    researchers: Researchers
    synthesis: Prompt

    async def launch(self, sub_problems: Sequence[str], first: int, models: Models) -> list[Branch]:
        """The branches of one turn, numbered from ``first`` in the order of the launches, run side by side.

        Each has an equal share of the tokens that are left. One that fails is a branch with a failure, and never
        takes the others down.
        """
        if not sub_problems:
            return []
        # All branches of earlier turns have ended: what they were handed may be known to these.
        self.researchers.toolkit.session.seal()
        shares = models.branches(len(sub_problems))
        return await all_ended(
            self._branch(first + at, sub_problem, share)
            for at, (sub_problem, share) in enumerate(zip(sub_problems, shares, strict=True))
        )

    async def _branch(self, number: int, sub_problem: str, models: Models) -> Branch:
        place = _Place(self, branch_path(number), models)
        try:
            end = await _graph().ainvoke({"sub_problem": sub_problem}, context=place)
        except ModelError as problem:
            return Branch(number, failure=problem)
        except CommandStopped:
            raise
        # The boundary of a researcher: a bug in one must not end the others; the run records it.
        except Exception as problem:  # noqa: BLE001
            return Branch(number, failure=ModelError("agent", describe_error(problem)))
        findings, synthesis = end["findings"], end["synthesis"]
        limit = () if findings.stop == "finished" else (f"{place.path}: its research ended at the {findings.stop}",)
        return Branch(number, synthesis.report, notes=(*findings.notes, *limit, *synthesis.notes))


def branch_path(number: int) -> str:
    """Where the steps of a researcher and of its synthesis stand in the trajectory."""
    return f"0.{number}"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where one branch runs, and by what."""

    launcher: Launcher
    path: str
    models: Models


class _State(TypedDict, total=False):
    sub_problem: str
    findings: Findings
    synthesis: Synthesis


async def _research(state: _State, runtime: Runtime[_Place]) -> _State:
    place = runtime.context
    sub_problem = state.get("sub_problem", "")
    return {"findings": await place.launcher.researchers.research(sub_problem, place.path, place.models)}


async def _synthesise(state: _State, runtime: Runtime[_Place]) -> _State:
    place = runtime.context
    findings = state.get("findings")
    if findings is None:
        raise ModelError("agent", "there is nothing to consolidate")
    return {"synthesis": await synthesise(findings, place.path, place.models, place.launcher.synthesis)}


@cache
def _graph():
    graph = StateGraph(_State, context_schema=_Place)
    graph.add_node("research", _research)
    graph.add_node("synthesise", _synthesise)
    graph.add_edge(START, "research")
    graph.add_edge("research", "synthesise")
    graph.add_edge("synthesise", END)
    return graph.compile()
