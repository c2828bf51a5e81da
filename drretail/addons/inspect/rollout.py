"""A sample's private session, its calls and its run, with our tools as inspect calls them.

A run is kept in the sample's store with all that judges need, so that the log alone can be scored again.
"""

from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai.event import ErrorEvent, Event, ModelEvent, SampleLimitEvent
from inspect_ai.log import transcript
from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, ToolDef, ToolError, ToolParams

from drretail.agents.information import question_prompt
from drretail.agents.picks import answer_with_picks
from drretail.agents.running.client_runs import save_runs
from drretail.agents.running.runner import recorded_spec, run_of, with_cited_pages
from drretail.env.session import Session, SessionSettings
from drretail.env.web.sandbox import web_for
from drretail.env.world import World
from drretail.errors import ToolError as Refusal
from drretail.errors import UserError
from drretail.experiments.run_file import RUN_FILE, Member, Recorded, read_members, write_run_file
from drretail.files import read_lines, write_atomically
from drretail.parsing import parse_json, without_thoughts
from drretail.records.evidence import Evidence
from drretail.records.query import Query
from drretail.records.run import Run, RunError, Step, System, Usage
from drretail.reports.picks import take_picks
from drretail.reports.text.serialisation import compact_json
from drretail.tools.registry import ROLE, SUBMIT, SUBMITTING, read_submitted, tools_of
from drretail.tools.tool import ToolSchema, read_schema
from drretail.tools.toolkit import Toolkit

KEPT = "drretail"
"""The key in a sample's store."""
FILES = (
    "experiment.json",
    "gold.jsonl",
    "profiles/*.json",
    "rubrics/*/*.json",
    f"runs/*/*{RUN_FILE}",
)
"""The files of an experiment's folder by which its one run is judged."""
JUDGED: tuple[Member, ...] = ("run", "evidence")
"""The members of a run's file by which it is judged."""
SEED = "42"


def _keep(state: TaskState, run_id: str, spec: str, save: Callable[[Path], object]) -> None:
    """Puts a run into its sample's store, as the files that ``save`` writes, with the ``spec`` of its world."""
    with TemporaryDirectory(prefix="drretail-") as name:
        folder = Path(name)
        save(folder)
        texts: dict[str, str] = {}
        for path in sorted(path for pattern in FILES for path in folder.glob(pattern)):
            is_run = path.name.endswith(RUN_FILE)
            lines = chain(*read_members(path, *JUDGED).values()) if is_run else read_lines(path)
            texts[str(path.relative_to(folder))] = "".join(f"{line}\n" for line in lines)
        state.store.set(KEPT, {"run": run_id, "world": spec, "files": texts})


def kept_in(state: TaskState) -> Mapping[str, Any] | None:
    """What ``_keep`` stored; None for a sample without a run."""
    return state.store.get(KEPT)


@contextmanager
def laid_out(files: Mapping[str, str]) -> Generator[Path]:
    """A temporary folder with the experiment of one run. Raises UserError for a file that no experiment has."""
    with TemporaryDirectory(prefix="drretail-") as name:
        for file, text in files.items():
            place = PurePosixPath(file)
            if ".." in place.parts or not any(place.match(pattern) for pattern in FILES) or place.is_absolute():
                raise UserError(f"The log's sample holds {file!r}, which is no file of an experiment.")
            if place.name.endswith(RUN_FILE):
                run, *evidence = (parse_json(line) for line in text.split("\n")[:-1])
                entries = tuple(Evidence.model_validate(entry) for entry in evidence)
                write_run_file(Path(name) / place, Recorded(Run.model_validate(run), entries, {}, {}))
            else:
                write_atomically(Path(name) / place, text)
        yield Path(name)


PATH = "0"


def _shop_tools(toolkit: Toolkit, called: Callable[[], None]) -> list[Tool]:
    """The toolkit's tools, bound to its session. If a call fails, the model reads what was wrong with it.

    ``called`` is invoked before each call.
    """
    return [
        _definition(
            name, read_schema(tool.function), _call(toolkit, name, called), parallel=tool.access == "read"
        ).as_tool()
        for name, tool in toolkit.tools.items()
    ]


def submit_tool(hand_in: Callable[[Mapping[str, Any]], str]) -> ToolDef:
    """The tool that ends a sample; ``hand_in`` takes its arguments and returns the report."""

    async def submit(**kwargs: Any) -> str:
        try:
            return hand_in(kwargs)
        except Refusal as problem:
            raise ToolError(compact_json(problem.as_result())) from problem

    return _definition(SUBMIT, SUBMITTING, submit, parallel=False)


def _call(toolkit: Toolkit, name: str, called: Callable[[], None]) -> Callable[..., Awaitable[str]]:
    async def call(**kwargs: Any) -> str:
        called()
        (reply,) = await toolkit.acall_all([(name, kwargs)], PATH, role=ROLE)
        if reply.error is not None:
            raise ToolError(reply.text)
        return reply.text

    return call


def _definition(name: str, schema: ToolSchema, call: Callable[..., Awaitable[str]], *, parallel: bool) -> ToolDef:
    parameters = ToolParams.model_validate(schema.as_json())
    for parameter, described in parameters.properties.items():
        # Our schemas omit a description that would repeat the name; inspect_ai refuses that.
        described.description = described.description or parameter.replace("_", " ")
    return ToolDef(
        call,
        name=name,
        description=schema.description,
        parameters=parameters,
        parallel=parallel,
        max_output=0,  # our results are bounded already, and a cut one would not be JSON
    )


LEFT = "the sample ended before a report was handed in"
_under_way: "dict[str, Rollout]" = {}
"""By sample id, since inspect gives solvers and scorers only a sample's state, which can't hold open sessions."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What all samples of a task share."""

    world: World
    spec: str
    """The spec by which the world is opened again."""
    tool_timeout: float
    tool_threads: int
    to: Path | None = None
    """The experiment that keeps the runs in addition to the log; None for the log only."""
    queries: Mapping[str, Query] = field(default_factory=dict[str, Query], repr=False)
    """By sample id."""


class Rollout:
    """One sample's rollout, from the first message to the report."""

    def __init__(self, shop: Setup, query: Query, system: System, repeat: int) -> None:
        self._shop = shop
        self._query = query
        self._system = system
        self._repeat = repeat
        settings = SessionSettings(
            replace(shop.world, web=web_for(query, system, shop.world.web)),
            user_id=query.user_id,
            scope=system.sees,
            without=tools_of(system.options.get("without", ())),
            tool_timeout=shop.tool_timeout,
            tool_threads=shop.tool_threads,
        )
        self._session = Session(settings)
        self._report: str | None = None
        self._turns = 0
        self.toolkit = Toolkit(self._session)
        self.tools = _shop_tools(self.toolkit, lambda: self.note_turns(transcript().events))
        self.only_handed_in = False
        """True if the model's last message does not count as a report: only a report that was handed in does."""

    @property
    def guide(self) -> str:
        """The form of the report."""
        return question_prompt().render(given="").strip()

    def hand_in(self, args: Mapping[str, Any]) -> str:
        """Keeps and returns the report in the arguments. Raises ToolError if there is none."""
        self._report, _ = read_submitted(args)
        return self._report

    def note_turns(self, events: Sequence[Event]) -> None:
        """Adds the model's new answers to the trajectory, before the calls that they ask for."""
        answers = [event for event in events if isinstance(event, ModelEvent) and event.output.choices]
        for event in answers[self._turns :]:
            trajectory, completion = self._session.trajectory, event.output.completion
            trajectory.add(
                Step(
                    path=PATH,
                    seq=trajectory.reserve(PATH),
                    kind="model",
                    role=ROLE,
                    name=event.model,
                    result_sha=trajectory.keep_text(completion) if completion else None,
                )
            )
        self._turns = max(self._turns, len(answers))

    async def end(self, state: TaskState, events: Sequence[Event]) -> None:
        """Leaves the run in the sample's store, and in the experiment of ``Shop.to`` if there is one."""
        self.note_turns(events)
        session, world = self._session, self._session.settings.world
        # What the model said before an error is not a report.
        broke = any(isinstance(event, ErrorEvent) for event in events)
        completion = "" if self.only_handed_in or broke else state.output.completion
        report = without_thoughts(completion) if self._report is None else self._report
        blank = not take_picks(report).report.strip()
        run = run_of(
            self._system.label(),
            self._query,
            self._repeat,
            session,
            why_there_is_none(events) if blank else answer_with_picks(report),
            {ROLE: _usage_of(events)},
        )
        seen, timeout = session.ledger.evidence(), session.settings.tool_timeout
        evidence = await with_cited_pages(world, run, seen, session.journal, timeout)
        telemetry = {"world": recorded_spec(self._shop.spec)}
        recorded = Recorded(run, evidence, session.trajectory.texts(), telemetry)

        def save(folder: Path) -> None:
            save_runs(folder, world, [self._query], self._system, [recorded], seed=SEED)

        _keep(state, run.run_id, self._shop.spec, save)
        if self._shop.to is not None:
            save(self._shop.to)


def begin(state: TaskState, rollout: Rollout) -> None:
    """Registers the rollout as this sample's."""
    _under_way[state.uuid] = rollout


def rollout_of(state: TaskState) -> Rollout | None:
    """The rollout of a sample that is under way, or None."""
    return _under_way.get(state.uuid)


async def end(state: TaskState) -> None:
    """Ends a sample's rollout, unless it has ended already."""
    rollout = _under_way.pop(state.uuid, None)
    if rollout is not None:
        await rollout.end(state, list(transcript().events))


def _usage_of(events: Sequence[Event]) -> Usage:
    """The tokens of all model answers."""
    total = Usage()
    for event in events:
        if isinstance(event, ModelEvent) and (used := event.output.usage) is not None:
            total = total + Usage(
                calls=1,
                input_uncached=used.input_tokens,
                cache_read=used.input_tokens_cache_read or 0,
                cache_creation=used.input_tokens_cache_write or 0,
                output=used.output_tokens,
            )
    return total


def why_there_is_none(events: Sequence[Event]) -> RunError:
    """Why a sample has no report: a limit of inspect's, an error, or the model itself."""
    for event in reversed(events):
        if isinstance(event, SampleLimitEvent):
            return RunError(kind="no_report", where="inspect", message=f"{LEFT}: {event.message}")
        if isinstance(event, ErrorEvent):
            last = next((event for event in reversed(events) if isinstance(event, ModelEvent)), None)
            lost = last is not None and last.error is not None  # the model's server failed, not the agent
            return RunError(kind="model" if lost else "agent", where="inspect", message=event.error.message)
    return RunError(kind="no_report", where="inspect", message=LEFT)
