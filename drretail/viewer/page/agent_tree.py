"""A run's research: its agents in the order of their launch, each with its steps and what it found; a timeline."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from drretail.records.run import ERRANDS, Step
from drretail.records.trajectory import path_key
from drretail.viewer.plots.drawing import CHARACTER, WIDTH, Plot, Scale, cut, line, mark, words

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
    launch: int | None
    """The index of the step that launched it; None for the first agent, or if no such step is recorded."""
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
        launch = self._launch(path)
        return Agent(
            path=path,
            name=self._names[path],
            task="" if launch is None else _task(self._steps[launch])[:LONGEST_BRIEF],
            did=", ".join(parts),
            places=tuple(self._own[path]),
            launch=launch,
            launched=tuple(self._agent(other) for other in launched),
        )

    def _launch(self, path: str) -> int | None:
        """The index of the launch with this agent's number; refused launches do not count."""
        parent, number = self._parent(path), path.rpartition(".")[2]
        if parent is None:
            return None
        refused = ("limit", "invalid_argument")
        steps = [(place, self._steps[place]) for place in self._own[parent]]
        launches = [place for place, step in steps if _task(step) and not (step.error or "").startswith(refused)]
        at = int(number) - 1
        return launches[at] if 0 <= at < len(launches) else None


def _task(step: Step) -> str:
    """The task that a step gives to the agent that it launches; empty for any other step."""
    args = step.args or {}
    return str(args.get("sub_problem") or (args.get("question") if step.name in ERRANDS else None) or "")


_LANE, _TOP, _LEAST_PLOT = 20.0, 14.0, 260.0
_CALL, _FAILED = 0, 3
"""The marks of tool calls, by their shapes: circles, and triangles where a call failed."""
MEANING = (
    "Steps in order. Line: a turn of the model. Circle: a tool call, filled if the report cites what it found."
    " Triangle: a failed call."
)


def run_timeline(agents: Sequence[Agent], steps: Sequence[Step], cited: Collection[str | None], took: str) -> Plot:
    """A run's steps in order: a lane for each agent, a mark for each step.

    ``cited`` are ids of evidence; ``took`` says what the run used.
    """
    at: dict[int, int] = {}
    end = max((_lay_out(agent, steps, 0, at) for agent in agents), default=1)
    lanes = list(_lanes(agents))
    left = min(WIDTH - _LEAST_PLOT, 14 + CHARACTER * max((len(agent.name) for agent in lanes), default=0))
    along = Scale(0, max(end, 1), left + 6, WIDTH - 6, ())
    parts: list[Markup] = []
    for lane, agent in enumerate(lanes):
        y = _TOP + _LANE * lane
        parts.append(words(left - 8, y + 4, cut(agent.name, left - 12), anchor="end"))
        first, last = (along.at(choose(at[place] for place in agent.places)) for choose in (min, max))
        parts.append(line(first, y, last, y, "axis"))
        parts += (_mark(along.at(at[place]), y, steps[place], cited) for place in agent.places)
    return Plot("timeline", "Timeline", f"{MEANING} {took}", Markup().join(parts), _TOP + _LANE * len(lanes))


def _lay_out(agent: Agent, steps: Sequence[Step], now: int, at: dict[int, int]) -> int:
    """Gives each step its place in the order, and returns when the agent ended.

    Agents launched together work side by side; whoever launched them waits with its next turn until they have ended.
    """
    until = now
    for place in agent.places:
        if steps[place].kind != "tool":
            now = max(now, until)
        at[place], now = now, now + 1
        for other in agent.launched:
            if other.launch == place:
                until = max(until, _lay_out(other, steps, now, at))
    unknown = [_lay_out(other, steps, now, at) for other in agent.launched if other.launch is None]
    return max(now, until, *unknown)


def _lanes(agents: Sequence[Agent]) -> Iterator[Agent]:
    for agent in agents:
        yield agent
        yield from _lanes(agent.launched)


def _mark(x: float, y: float, step: Step, cited: Collection[str | None]) -> Markup:
    name = step.name or step.role
    if step.kind != "tool":
        return line(x, y - 7, x, y + 7, "s6", step.role)
    if step.error:
        return mark(x, y, _FAILED, f"{name}: {step.error[:80]}")
    is_cited = any(each in cited for each in step.evidence)
    return mark(x, y, _CALL, f"{name}, cited" if is_cited else name, is_hollow=not is_cited)
