"""Many runs side by side on one event loop, each in its own folder, so that nothing depends on what ends first.

The first Ctrl-C starts no new run and lets those in flight end; the second stops at once. What was cut goes on from
its journal the next time.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from drretail.agents.running.outcomes import Ended, Tally, is_open, tallies
from drretail.agents.running.runner import Runner
from drretail.agents.running.system import SystemUnderTest
from drretail.errors import CommandStopped
from drretail.event_loop import run_loop
from drretail.experiment import Experiment, read_discarded, read_run
from drretail.llm.budget import ExperimentBudget
from drretail.records.query import Query
from drretail.records.run import Run

PARALLEL = 4


class Watch:
    """Is told how many runs go; the base does nothing with it."""

    def planned(self, runs: int, ended: int) -> None:
        """``ended`` of the ``runs`` had ended before."""

    def began(self, label: str, query: Query) -> None:
        """A run begins, or goes on where it was cut."""

    def ended(self, run: Ended) -> None:
        """A run has ended, done or failed, and is kept."""

    def stopping(self, in_flight: int) -> None:
        """Ctrl-C: the runs in flight are the last ones."""


@dataclass(frozen=True, slots=True)
class Job:
    """One run that is asked for."""

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
    """What the experiment may take; it is asked before each run and told after it."""
    _stopping: bool = False
    _stopped: CommandStopped | None = None
    """What ended all runs; those in flight end what they had begun to ask."""
    _in_flight: int = 0

    def run_all(
        self,
        suts: Sequence[SystemUnderTest],
        queries: Sequence[Query],
        repeats: int = 1,
        *,
        retry_failed: bool = False,
        retry_spoiled: bool = False,
    ) -> list[Tally]:
        """Every system over every query, floors and the oracle once each. Runs that have ended are not run again,
        but if asked those that failed and those that a failing server spoiled.

        Raises CommandStopped where nothing that would follow can succeed, KeyboardInterrupt after Ctrl-C, and what
        keeps a run from being written, such as a full disk.
        """
        asked = (Job(*each) for player in suts for each in _runs_of(player, queries, repeats))
        jobs = list({job.place: job for job in asked}.values())
        known = {job.place: self._ended_before(job, retry_failed, retry_spoiled) for job in jobs}
        open_jobs = [job for job in jobs if known[job.place] is None]
        self.watch.planned(len(jobs), len(jobs) - len(open_jobs))
        fresh = run_loop(self._run(open_jobs)) if open_jobs else {}
        ended = [known[job.place] or fresh.get(job.place) for job in jobs]
        discarded = read_discarded(self.experiment.folder)
        not_started = [job.sut.label for job, end in zip(jobs, ended, strict=True) if end is None]
        made = tallies([sut.label for sut in suts], filter(None, ended), not_started)
        for tally in made:
            tally.tokens += sum(each.tokens for each in discarded if each.system == tally.label)
        return made

    def _ended_before(self, job: Job, retry_failed: bool, retry_spoiled: bool) -> Ended | None:
        folder = self.experiment.run_folder(*job.place)
        run = read_run(folder) if (folder / "run.json").exists() else None
        if run is None or is_open(run, retry_failed=retry_failed, retry_spoiled=retry_spoiled):
            return None
        return Ended.of(run, before=True)

    async def _run(self, jobs: Sequence[Job]) -> dict[tuple[str, str, int], Ended]:
        """What became of each job. Cancelled, it still waits for the runs in flight; cancelled twice, it does not."""
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
            if not await self._affords(job):
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
                if self.experiment_budget is not None and not job.sut.agent.is_baseline:
                    self.experiment_budget.end(job.sut.label, job.sut.system, {} if run is None else run.usage)
            if run is not None:
                ended[job.place] = Ended.of(run, before=False)
                self.watch.ended(ended[job.place])

    async def _affords(self, job: Job) -> bool:
        """False where the budget holds the run back; waits while that depends on runs in flight.

        Floors and the oracle take nothing out of it.
        """
        if self.experiment_budget is None or job.sut.agent.is_baseline:
            return True
        return await self.experiment_budget.admission(job.sut.label, job.sut.system)

    async def _one(self, job: Job, gate: asyncio.Semaphore) -> Run:
        self.watch.began(job.sut.label, job.query)
        if self.experiment.state(*job.place) in ("done", "failed"):  # it is to be made again
            self.experiment.discard(*job.place)
        return await self.runner.run_into(self.experiment, job.sut, job.query, job.repeat, gate=gate)


def _runs_of(
    sut: SystemUnderTest, queries: Sequence[Query], repeats: int
) -> Iterator[tuple[SystemUnderTest, Query, int]]:
    yield from product([sut], queries, range(1, sut.repeats(repeats) + 1))


async def _all_of(workers: set[asyncio.Task[None]]) -> None:
    """Ends with the last of the workers, or raises what one of them raised; to cancel it cancels none of them."""
    done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
    for worker in done:
        worker.result()
