"""A run's research as a tree: agents in the order of their launch, each with its steps and what it found."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from drretail.records.run import ERRANDS, Step
from drretail.records.trajectory import path_key

LONGEST_BRIEF = 160


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent with the indices of its steps among all steps of the run, and the agents that it launched."""

    path: str
    name: str
    """For example "supervisor" or "researcher 2"."""
    task: str
    """The task that its launcher gave it; empty for the first agent."""
    did: str
    """For example "4 turns, 9 tool calls (5 × product_catalog_search, 4 × get_product_details)"."""
    places: tuple[int, ...]
    launched: "tuple[Agent, ...]"


@dataclass(frozen=True, slots=True)
class Found:
    """The step that first brought a source."""

    step: str
    """Path and number, such as "0.2·5"."""
    tool: str
    agent: str
    place: int | None
    """The step's index in the run; None if no step is recorded for it."""

    @property
    def words(self) -> str:
        """For example "product_catalog_search, by researcher 2"."""
        return f"{self.tool}, by {self.agent}" if self.tool else f"by {self.agent}"


class Research:
    """The steps of a run by agent."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._at = {(step.path, step.seq): place for place, step in enumerate(steps)}
        self._own: dict[str, list[int]] = defaultdict(list)
        for place, step in enumerate(steps):
            self._own[self._agent_of(step.path)].append(place)
        paths = sorted(self._own, key=path_key)
        self._names: dict[str, str] = {}
        for path in paths:
            # Named after the role of most of its own steps
            own = [steps[place].role for place in self._own[path] if steps[place].path == path]
            role = Counter(own).most_common(1)[0][0] if own else "agent"
            self._names[path] = role if self._parent(path) is None else f"{role} {path.rpartition('.')[2]}"

    def agents(self) -> list[Agent]:
        """The agents that no other launched, usually one; empty for a run without steps."""
        return [self._agent(path) for path in self._names if self._parent(path) is None]

    def found(self, path: str, seq: int) -> Found:
        """The step of this path and number, with its agent."""
        place = self._at.get((path, seq))
        tool = "" if place is None else self._steps[place].name or ""
        agent = self._agent_of(path)
        return Found(f"{path}·{seq}", tool, self._names.get(agent, f"agent {agent}"), place)

    def _agent_of(self, path: str) -> str:
        """The path of the step's agent. The reading of a page has a path below the step that found the page."""
        launcher, _, _ = path.rpartition(".")
        search, _, seq = launcher.rpartition(".")
        return search if search and (search, int(seq)) in self._at else path

    def _parent(self, path: str) -> str | None:
        """The path of the agent that launched this one, or None: the longest other path that this path begins with."""
        while path := path.rpartition(".")[0]:
            if path in self._own:
                return path
        return None

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
        """The task in the launch with this agent's number; refused launches do not count."""
        parent, number = self._parent(path), path.rpartition(".")[2]
        if parent is None:
            return ""
        launches: list[str] = []
        for step in (self._steps[place] for place in self._own[parent]):
            args = step.args or {}
            task = args.get("sub_problem") or (args.get("question") if step.name in ERRANDS else None)
            if task and not (step.error or "").startswith(("limit", "invalid_argument")):
                launches.append(str(task))
        at = int(number) - 1
        return launches[at][:LONGEST_BRIEF] if 0 <= at < len(launches) else ""
