"""Many runs side by side on one event loop, each in its own folder, so that nothing depends on which ends first.

The first Ctrl-C starts no new run and gives those in flight a minute to end; the second stops at once. A run that was
cut goes on from its journal the next time.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product

from drretail.agents.running.outcomes import ALL, Ended, Tally, is_open, tallies
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.errors import CommandStopped
from drretail.experiment import Experiment, ended_run, read_discarded
from drretail.llm.budget import ExperimentBudget
from drretail.llm.event_loop import run_loop
from drretail.records.query import Query
from drretail.records.run import Run

ENDING = 60.0
"""Seconds after Ctrl-C for the runs in flight to end in. Those that don't are cut: an agent may hang."""
PARALLEL = 4
"""The default number of runs at the same time. Each may have several model calls in flight (``MODEL_CALLS``)."""


class Watch:
    """Is notified of the progress of the runs. This base class does nothing."""

    def planned(self, runs: Counter[str], ended: Counter[str]) -> None:
        """Of these ``runs`` of each system, ``ended`` had ended before."""

    def began(self, label: str, query: Query) -> None:
        """A run begins, or goes on where it was cut."""

    def ended(self, run: Ended) -> None:
        """A run has ended, done or failed, and is saved."""

    def stopping(self, in_flight: int) -> None:
        """After Ctrl-C: no run is started beyond those in flight."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run to be made."""

    sut: SystemUnderTest
    query: Query
    repeat: int

    @property
    def place(self) -> tuple[str, str, int]:
        return self.sut.label, self.query.query_id, self.repeat


@dataclass(slots=True)
class Batch:
    """Runs into one experiment, at most ``parallel`` at a time."""

    runner: Runner
    experiment: Experiment
    parallel: int = PARALLEL
    watch: Watch = field(default_factory=Watch)
    experiment_budget: ExperimentBudget | None = None
    """The caps of the experiment: asked before each run, and updated after it."""
    _stopping: bool = False
    _stopped: CommandStopped | None = None
    """What ended all runs. Those in flight complete the calls that they have begun."""
    _in_flight: int = 0

    def run_all(
        self,
        suts: Sequence[SystemUnderTest],
        queries: Sequence[Query],
        repeats: int = 1,
        *,
        retry: Collection[str] = (),
        open_gold: Callable[[], Sequence[Query]] | None = None,
    ) -> list[Tally]:
        """Runs every system over every query; then, once each, floors and the oracle, on what ``open_gold`` returns.

        Runs that have ended are not made again, unless ``retry`` names them (``outcomes``); all does not stand for
        floors. Raises CommandStopped if no further run can succeed, KeyboardInterrupt after
        Ctrl-C, and what keeps a run from being written, such as a full disk.
        """
        wanted = (Job(*each) for sut in suts for each in product([sut], queries, range(1, sut.repeats(repeats) + 1)))
        jobs = list({job.place: job for job in wanted}.values())
        known: dict[tuple[str, str, int], Ended | None] = {}
        for job in jobs:
            run = ended_run(self.experiment.folder, *job.place)
            is_wanted = is_open(run, job.sut.system, {*retry} - ({ALL} if job.sut.agent.is_baseline else set()))
            if run is None or is_wanted:
                known[job.place] = None
            else:
                known[job.place] = Ended.of(run, before=True)
        open_jobs = [job for job in jobs if known[job.place] is None]
        before = Counter(job.sut.label for job in jobs if known[job.place] is not None)
        self.watch.planned(Counter(job.sut.label for job in jobs), before)
        floors = [job for job in open_jobs if job.sut.agent.is_baseline]
        researching = [job for job in open_jobs if job not in floors]
        try:
            fresh = run_loop(self._run(researching)) if researching else {}
        finally:  # also for those who score what an interrupted command has made
            golden = {query.query_id: query for query in (queries if open_gold is None else open_gold())}
        floors = [replace(job, query=golden[job.query.query_id]) for job in floors]
        fresh |= run_loop(self._run(floors)) if floors else {}
        ended = [known[job.place] or fresh.get(job.place) for job in jobs]
        wanting = {query_id for query_id, query in golden.items() if query.wants_something}
        ended = [each and replace(each, undecided=each.undecided and each.query_id in wanting) for each in ended]
        discarded = read_discarded(self.experiment.folder)
        not_started = [job.sut.label for job, end in zip(jobs, ended, strict=True) if end is None]
        made = tallies([sut.label for sut in suts], filter(None, ended), not_started)
        for tally in made:
            tally.tokens += sum(each.tokens for each in discarded if each.system == tally.label)
        return made

    async def _run(self, jobs: Sequence[Job]) -> dict[tuple[str, str, int], Ended]:
        """How each job ended. If cancelled, it still waits for the runs in flight; if cancelled twice, it does not."""
        ended: dict[tuple[str, str, int], Ended] = {}
        gate = asyncio.Semaphore(self.runner.model_calls)
        shared = iter(jobs)
        workers = {asyncio.create_task(self._work(shared, gate, ended)) for _ in range(min(self.parallel, len(jobs)))}
        try:
            try:
                await _all_of(workers)
                if self._stopped is not None:
                    raise self._stopped
            except asyncio.CancelledError:
                self._stopping = True
                self.watch.stopping(self._in_flight)
                with suppress(TimeoutError):
                    async with asyncio.timeout(ENDING):
                        await _all_of(workers)
                raise
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        return ended

    async def _work(
        self, jobs: Iterator[Job], gate: asyncio.Semaphore, ended: dict[tuple[str, str, int], Ended]
    ) -> None:
        """Takes jobs, which several workers share, until none is left or the batch stops."""
        while not self._stopping and (job := next(jobs, None)) is not None:
            # Floors and the oracle take nothing out of the budget.
            budget = None if job.sut.agent.is_baseline else self.experiment_budget
            if budget is not None and not await budget.admission(job.sut.label, job.sut.system):
                continue
            run: Run | None = None
            self._in_flight += 1
            try:
                if not self._stopping:  # Ctrl-C may have come while it waited
                    run = await self._one(job, gate)
            except CommandStopped as problem:
                self._stopped, self._stopping = problem, True
            finally:
                self._in_flight -= 1
                if budget is not None:
                    budget.end(job.sut.label, job.sut.system, {} if run is None else run.usage)
            if run is not None:
                ended[job.place] = Ended.of(run, before=False)
                self.watch.ended(ended[job.place])

    async def _one(self, job: Job, gate: asyncio.Semaphore) -> Run:
        self.watch.began(job.sut.label, job.query)
        if self.experiment.state(*job.place) in ("done", "failed"):  # it is to be made again
            self.experiment.discard(*job.place)
        return await self.runner.run_into(self.experiment, job.sut, job.query, job.repeat, gate=gate)


async def _all_of(workers: set[asyncio.Task[None]]) -> None:
    """Waits for the last of the workers, or raises what one of them raised. Cancelling it cancels none of them."""
    done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
    for worker in done:
        worker.result()
