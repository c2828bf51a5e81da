"""The research of a run as a tree: agents in the order of their launch, each with its steps and what it found."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from drretail.records.run import ERRANDS, Step
from drretail.trajectory import path_key

LONGEST_BRIEF = 160


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent with the places of its steps among all steps of the run, and those whom it launched."""

    path: str
    name: str
    """ "supervisor", "researcher 2"."""
    task: str
    """What it was asked by whoever launched it; empty for the first."""
    did: str
    """ "4 turns, 9 tool calls (5 × product_catalog_search, 4 × get_product_details)"."""
    places: tuple[int, ...]
    launched: "tuple[Agent, ...]"


@dataclass(frozen=True, slots=True)
class Found:
    """The step that brought a source first."""

    step: str
    """ "0.2·5"."""
    tool: str
    agent: str
    place: int | None
    """Among the steps of the run; None where no step is recorded for it."""

    @property
    def words(self) -> str:
        """ "product_catalog_search, by researcher 2"."""
        return f"{self.tool}, by {self.agent}" if self.tool else f"by {self.agent}"


class Research:
    """The steps of a run, and which of them stands where."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._at = {(step.path, step.seq): place for place, step in enumerate(steps)}
        self._own: dict[str, list[int]] = defaultdict(list)
        for place, step in enumerate(steps):
            self._own[self._agent_of(step.path)].append(place)
        paths = sorted(self._own, key=path_key)
        roles = {path: self._role(path) for path in paths}
        self._names = {
            path: roles[path] if self._parent(path) is None else f"{roles[path]} {path.rpartition('.')[2]}"
            for path in paths
        }

    def agents(self) -> list[Agent]:
        """Those that nobody launched, which is one as a rule; empty for a run without steps."""
        return [self._agent(path) for path in self._names if self._parent(path) is None]

    def found(self, path: str, seq: int) -> Found:
        """Which step of whom this is."""
        place = self._at.get((path, seq))
        tool = "" if place is None else self._steps[place].name or ""
        agent = self._agent_of(path)
        return Found(f"{path}·{seq}", tool, self._names.get(agent, f"agent {agent}"), place)

    def _agent_of(self, path: str) -> str:
        """Whose step it is: the reading of a page stands below the step that found the page."""
        launcher, _, _ = path.rpartition(".")
        search, _, seq = launcher.rpartition(".")
        return search if search and (search, int(seq)) in self._at else path

    def _parent(self, path: str) -> str | None:
        """The agent that launched this one: the longest other path that it begins with."""
        while path := path.rpartition(".")[0]:
            if path in self._own:
                return path
        return None

    def _role(self, path: str) -> str:
        """What most of its own steps are for."""
        counts = Counter(self._steps[place].role for place in self._own[path] if self._steps[place].path == path)
        return counts.most_common(1)[0][0] if counts else "agent"

    def _agent(self, path: str) -> Agent:
        launched = [other for other in self._names if self._parent(other) == path]
        steps = [self._steps[place] for place in self._own[path]]
        turns = sum(step.kind == "model" and step.path == path for step in steps)
        tools = Counter(step.name or "a tool" for step in steps if step.kind == "tool")
        read = sum(step.path != path for step in steps)
        calls = ", ".join(f"{count} × {name}" for name, count in tools.most_common())
        parts = [f"{turns} turn{'s' * (turns != 1)}"]
        parts += [f"{tools.total()} tool call{'s' * (tools.total() != 1)} ({calls})"] if tools else []
        parts += [f"{read} page{'s' * (read != 1)} read"] if read else []
        return Agent(
            path=path,
            name=self._names[path],
            task=self._task(path),
            did=", ".join(parts),
            places=tuple(self._own[path]),
            launched=tuple(self._agent(other) for other in launched),
        )

    def _task(self, path: str) -> str:
        """The sub-problem of the launch with this agent's number."""
        parent, number = self._parent(path), path.rpartition(".")[2]
        if parent is None:
            return ""
        launches = [
            task
            for place in self._own[parent]
            if (task := _task_of(self._steps[place]))
            and not (self._steps[place].error or "").startswith(("limit", "invalid_argument"))
        ]
        at = int(number) - 1
        return str(launches[at])[:LONGEST_BRIEF] if 0 <= at < len(launches) else ""


def _task_of(step: Step) -> str | None:
    """What a step has another agent do, None of any other step."""
    args = step.args or {}
    return args.get("sub_problem") or (args.get("question") if step.name in ERRANDS else None)
