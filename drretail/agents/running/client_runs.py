"""Runs of systems that call the tools from outside, over MCP. The runner records them like every other run."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from drretail.agents.base import Agent, Answering
from drretail.agents.information import question_prompt
from drretail.agents.running.run import open_for_writing
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, definition
from drretail.env.gold import add_gold
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.experiments.experiment import Experiment, run_path
from drretail.experiments.run_file import Recorded
from drretail.llm.models import Models
from drretail.records.query import Query, Task
from drretail.records.run import MCP_AGENT, Answer, Limits, RoleModel, Run, Scope, System
from drretail.tools.registry import ROLE
from drretail.tools.toolkit import Toolkit

_ONE = "A connection is a run: a client that connects anew for each call needs one session for all of them."
LEFT = f"the client left without handing in a report. {_ONE}"
EMPTY = f"no_call: this connection called no tool before its report. {_ONE}"


@dataclass
class Recording:
    """An experiment, held for writing, into which clients' runs for one query go until it is closed.

    ``name`` replaces the names that clients give themselves. Raises UserError as ``open_for_writing`` does.
    """

    to: Path
    runner: Runner
    query: Query
    scope: Scope
    options: dict[str, Any]
    name: str | None = None
    seed: str = "42"
    _begun: set[Path] = field(init=False, default_factory=set[Path])
    _experiment: Experiment = field(init=False)

    def __post_init__(self) -> None:
        # One client's failures say nothing about the next: no number of failing calls ends the server.
        self.runner = replace(self.runner, outages=None)
        self._experiment = open_for_writing(self.to, self.runner.world, [self.query], [], self.seed)
        add_gold(self._experiment, self.runner.world, [self.query])

    def opened(self) -> "RecordedRun":
        """A run for one connection."""
        return RecordedRun(self)

    async def run(self, client: str, answer: Answering) -> Run:
        """The run of a client, the first repeat without an ended run, saved once ``answer`` has ended."""
        web = self.runner.world.web
        system = System(
            agent=MCP_AGENT,
            web_provider=web.provider,
            web_corpus=web.corpus,
            # MCP does not tell which model is behind a client; it is taken to be a language model.
            models={ROLE: RoleModel(spec=self.name or client, kind="llm")},
            options=self.options,
            scope=self.scope,
        )
        agent = Agent(answer, roles=(), prompts=lambda: (question_prompt(),))
        sut = SystemUnderTest(system.label(), system, agent, {})
        self._experiment.ask(definition(self.runner.world, (self.query,), [sut], self.seed, is_part=True))
        repeat, query_id = 1, self.query.query_id
        while (path := run_path(self.to, sut.label, query_id, repeat)).exists() or path in self._begun:
            repeat += 1
        self._begun.add(path)
        self._experiment.discard(path)  # what a killed server left of it can't go on, since its client is gone
        return await self.runner.run_into(self._experiment, sut, self.query, repeat)

    def close(self) -> None:
        self._experiment.close()


class RecordedRun:
    """A client's run: it begins with the first call and ends with the report, or without one when the client leaves."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._run: asyncio.Task[Run] | None = None

    async def begin(self, client: str) -> Toolkit:
        loop = asyncio.get_running_loop()
        self._toolkit: asyncio.Future[Toolkit] = loop.create_future()
        self._report: asyncio.Future[str] = loop.create_future()
        self._run = loop.create_task(self._recording.run(client, self._answer))
        steps: Sequence[asyncio.Future[Any]] = (self._toolkit, self._run)
        await asyncio.wait(steps, return_when=asyncio.FIRST_COMPLETED)
        if not self._toolkit.done():
            self._run.result()  # raises the error that ended the run
        return self._toolkit.result()

    async def hand_in(self, report: str) -> dict[str, Any]:
        assert self._run is not None
        self._report.set_result(report)
        run = await asyncio.shield(self._run)
        notes = [*run.notes, *([] if run.steps else [EMPTY])]
        details = {"run": run.run_id, "citations": len(run.citations), "notes": notes}
        return {"status": run.status} | {name: value for name, value in details.items() if value}

    async def end(self) -> None:
        if self._run is None:
            return
        if not self._report.done() and not self._run.done():
            self._report.set_exception(ModelError("no_report", LEFT))
        with suppress(Exception):  # a client that handed in a report got the error there; here no client is left
            await self._run

    async def _answer(self, task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        toolkit = Toolkit(session)
        self._toolkit.set_result(toolkit)
        return Answer(report=await self._report)


def save_runs(
    to: Path,
    world: World,
    queries: Sequence[Query],
    system: System,
    recordings: Iterable[Recorded],
    *,
    seed: str = "42",
) -> list[Run]:
    """Saves each run in the experiment in ``to``, as the next repeat of its query, and returns the saved runs.

    A later turn of a conversation gets the repeat of the turn before it that was saved last.

    All are runs of ``system`` that the runner did not make. Raises UserError if ``to`` holds another experiment, or
    another process writes there.
    """
    agent = Agent(_unanswered, roles=(), prompts=lambda: (question_prompt(),))
    sut = SystemUnderTest(system.label(), system, agent, {})
    saved: list[Run] = []
    before, repeats = {query.query_id: query.after for query in queries}, dict[str | None, int]()
    with open_for_writing(to, world, queries, [sut], seed, is_part=True) as experiment:
        add_gold(experiment, world, queries)
        for recorded in recordings:
            query_id = recorded.run.query_id
            repeat = repeats.get(before[query_id], recorded.run.repeat)
            while run_path(to, sut.label, query_id, repeat).exists():
                repeat += 1
            repeats[query_id] = repeat
            identity = {"system": sut.label, "repeat": repeat, "run_id": f"{sut.label}/{query_id}-r{repeat}"}
            saved.append(recorded.run.model_copy(update=identity))
            experiment.save(replace(recorded, run=saved[-1]))
    return saved


async def _unanswered(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    raise ModelError("agent", "this run was made by a policy or by inspect, and can't be made anew here")
