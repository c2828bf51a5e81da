"""Runs of systems that call the tools from outside, over MCP: recorded as every other run is, by the runner."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from drretail.agents.base import Agent, Answering
from drretail.agents.client_prompts import question_prompt
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest, definition
from drretail.env.session import Session
from drretail.env.world import World
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.records.query import Query, Reference, Task
from drretail.records.run import MCP_AGENT, Answer, Limits, RoleModel, Run, Scope, System
from drretail.tools.registry import ROLE
from drretail.tools.toolkit import Toolkit


def client_system(client: str, world: World, scope: Scope, options: dict[str, Any]) -> System:
    """The system ``mcp@CLIENT``. What model is behind a client MCP does not tell; it is taken to be one of language."""
    return System(
        agent=MCP_AGENT,
        web_provider=world.web.provider,
        web_corpus=world.web.corpus,
        models={ROLE: RoleModel(spec=client, kind="llm")},
        options=options,
        scope=scope,
    )


class Recording:
    """An experiment, held for writing, into which clients' runs for one query go; use as a context manager.

    ``name`` stands for whatever the clients call themselves. ``reference`` finds the basket by which reports are
    measured. Raises UserError as ``open_experiment`` does.
    """

    def __init__(
        self,
        to: Path,
        runner: Runner,
        query: Query,
        *,
        scope: Scope,
        options: dict[str, Any],
        name: str | None = None,
        seed: str = "42",
        reference: Callable[[Query], Reference] | None = None,
    ) -> None:
        # What fails for one client says nothing of the next: no number of failing calls ends the server.
        self._runner = replace(runner, outages=None)
        self._query = query
        self._scope: Scope = scope
        self._options = options
        self._name = name
        self._seed = seed
        self._begun: set[tuple[str, int]] = set()
        self._experiment = open_experiment(to, runner.world, [query], [], seed, reference=reference)

    def opened(self) -> "RecordedRun":
        """A run for one connection."""
        return RecordedRun(self)

    async def run(self, client: str, answer: Answering) -> Run:
        """The next run of a client, saved when ``answer`` has ended."""
        system = client_system(self._name or client, self._runner.world, self._scope, self._options)
        agent = Agent(answer, roles=(), prompts=lambda: (question_prompt(),))
        sut = SystemUnderTest(system.label(), system, agent, {})
        self._experiment.ask(definition(self._runner.world, (self._query,), [sut], self._seed, is_part=True))
        return await self._runner.run_into(self._experiment, sut, self._query, self._next_repeat(sut.label))

    def close(self) -> None:
        self._experiment.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _next_repeat(self, label: str) -> int:
        """The first that has no run. What a killed server left can't be gone on with: its client is gone."""
        repeat, query_id = 1, self._query.query_id
        while (label, repeat) in self._begun or self._experiment.state(label, query_id, repeat) in ("done", "failed"):
            repeat += 1
        self._begun.add((label, repeat))
        if self._experiment.state(label, query_id, repeat) == "interrupted":
            self._experiment.discard(label, query_id, repeat)
        return repeat


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
            self._run.result()  # raises what was in the way
        return self._toolkit.result()

    async def hand_in(self, report: str) -> dict[str, Any]:
        assert self._run is not None
        self._report.set_result(report)
        run = await asyncio.shield(self._run)
        details = {"run": run.run_id, "citations": len(run.citations), "notes": list(run.notes)}
        return {"status": run.status} | {name: value for name, value in details.items() if value}

    async def end(self) -> None:
        if self._run is None:
            return
        if not self._report.done() and not self._run.done():
            self._report.set_exception(ModelError("no_report", "the client left without handing in a report"))
        with suppress(Exception):  # who handed in a report was told of it; here nobody is left
            await self._run

    async def _answer(self, task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        with Toolkit(session) as toolkit:
            self._toolkit.set_result(toolkit)
            return Answer(report=await self._report)
