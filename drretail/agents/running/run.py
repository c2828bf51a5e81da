"""``run_systems``: systems over queries, many runs side by side into one experiment folder.

Opening the folder freezes what judges will be told of its users. Floors and the oracle run last: they are told what
systems that research must not know.

The first Ctrl-C starts no new run and gives those in flight a minute to end; the second stops at once. A run that was
cut goes on from its journal the next time.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Literal

from drretail.agents.running.outcomes import ALL, Ended, Tally, is_open, tallies
from drretail.agents.running.runner import Runner
from drretail.agents.running.shard import WHOLE, Shard
from drretail.agents.running.system import SystemUnderTest, definition
from drretail.env.world import World
from drretail.errors import CommandStopped, DamagedRecord, UserError
from drretail.event_loop import run_loop
from drretail.experiments.experiment import (
    OPTIONS,
    PROFILES,
    Experiment,
    ended_run,
    prompts_path,
    read_discarded,
    run_path,
    seal,
)
from drretail.experiments.run_file import Recorded, read_recorded
from drretail.files import write_once
from drretail.llm.spending import Caps, opened_budget
from drretail.llm.usage import ExperimentBudget
from drretail.records.base import sha256_of
from drretail.records.query import ASK, LONGEST_TEXT, Query, turns_until
from drretail.records.run import Run


def open_for_writing(
    folder: Path,
    world: World,
    queries: Sequence[Query],
    suts: Sequence[SystemUnderTest],
    seed: str,
    *,
    title: str | None = None,
    preset: Literal["paper"] | None = None,
    is_part: bool = False,
    options: str | None = None,
    anew: Collection[str] = (),
) -> Experiment:
    """The experiment in ``folder``, held for writing, with a profile summary of every user that a query names.

    ``options`` is the text of a file with the options that made the systems. With ``is_part`` systems that are new
    in the folder are asked no more than these queries. Of systems ``anew``, runs by other code are discarded.
    Raises UserError as ``Experiment`` does.
    """
    defined = definition(world, tuple(queries), [*suts], seed, is_part=is_part)
    experiment = Experiment(folder, defined.model_copy(update={"title": title, "preset": preset}), anew)
    kept = folder / OPTIONS / f"{sha256_of(options or '')[:12]}.toml"
    if options is not None and not kept.exists():
        write_once(kept, options)
        seal(folder, kept)
    for sut in suts:
        for file, text in sut.overrides.by_name().items():
            write_once(prompts_path(folder, sut.label, sut.overrides.name) / file, text)
    if users := sorted({query.user_id for query in queries if query.user_id is not None}):
        from drretail.env.summaries import Summaries  # only profiles need them

        summaries = Summaries(world)
        new = {path: user_id for user_id in users if not (path := PROFILES.path(folder, user_id)).exists()}
        for user_id in new.values():
            questions = "\n".join(query.text for query in queries if query.user_id == user_id)
            with suppress(DamagedRecord):  # the others' runs go on, and ``RunsOutcome.closing`` says it
                PROFILES.freeze(folder, user_id, summaries.of(user_id, questions))
        seal(folder, *filter(Path.exists, new))
    return experiment


def question_as_query(text: str, user_id: str | None, world: World) -> Query:
    """A query whose id depends only on the question and who asks it; without a wish, there are no basket scores.

    Raises UserError for a question that is blank or too long.
    """
    if not text.strip():
        raise UserError("The question is blank: write what you want to know.")
    if len(text) > LONGEST_TEXT:
        raise UserError(f"The question has {len(text):,} characters; at most {LONGEST_TEXT:,} are taken.")
    return Query(
        query_id=f"ask-{sha256_of([text, user_id])[:10]}",
        user_id=user_id,
        text=text,
        mode="generic" if user_id is None else "profile_aware",
        world_fingerprint=world.manifest.fingerprint,
        source=ASK,
    )


def ask_once(
    runner: Runner, sut: SystemUnderTest, query: Query, to: Path | None, options: str | None = None
) -> Recorded:
    """The recorded run; with ``to`` it is saved there beside its ``options``, and one that is there is only read."""
    if to is None:
        return run_loop(runner.run(sut, query))
    with open_for_writing(to, runner.world, [query], [sut], "42", options=options) as experiment:
        path = run_path(to, sut.label, query.query_id, 1)
        if not path.exists():
            run_loop(runner.run_into(experiment, sut, query))
        return read_recorded(path)


ENDING = 60.0
"""Seconds after Ctrl-C for the runs in flight to end in. Those that don't are cut: an agent may hang."""
PARALLEL = 4
"""The default number of runs at the same time. Each may have several model calls in flight (``CALLS_OF_A_RUN``)."""


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
class _Job:
    """One run to be made."""

    sut: SystemUnderTest
    turns: tuple[Query, ...]
    """The query, behind the turns before it if it is one of a conversation."""
    repeat: int

    @property
    def place(self) -> tuple[str, str, int]:
        return self.sut.label, self.turns[-1].query_id, self.repeat

    @property
    def conversation(self) -> tuple[str, str, int]:
        """The place of the run of its first turn."""
        return self.sut.label, self.turns[0].query_id, self.repeat


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
        turns = turns_until(queries)
        asked = sorted((turns.get(query.query_id, (query,)) for query in queries), key=len)
        wanted = (_Job(*job) for sut in suts for job in product([sut], asked, range(1, sut.repeats(repeats) + 1)))
        jobs = list({job.place: job for job in wanted}.values())
        made_anew = set[tuple[str, str, int]]()  # of a conversation, all turns behind the first of these
        ended_by_place: dict[tuple[str, str, int], Ended | None] = {}
        for job in jobs:
            run = ended_run(self.experiment.folder, *job.place)
            is_wanted = is_open(run, job.sut.system, {*retry} - ({ALL} if job.sut.agent.is_baseline else set()))
            if run is None or is_wanted or job.conversation in made_anew:
                ended_by_place[job.place] = None
                made_anew.add(job.conversation)
            else:
                ended_by_place[job.place] = Ended.of(run, before=True)
        open_jobs = [job for job in jobs if ended_by_place[job.place] is None]
        before = Counter(job.sut.label for job in jobs if ended_by_place[job.place] is not None)
        self.watch.planned(Counter(job.sut.label for job in jobs), before)
        floors = [job for job in open_jobs if job.sut.agent.is_baseline]
        researching = [job for job in open_jobs if not job.sut.agent.is_baseline]
        fresh = run_loop(self._run(researching)) if researching else {}
        golden = {query.query_id: query for query in (queries if open_gold is None else open_gold())}
        floors = [replace(job, turns=tuple(golden[turn.query_id] for turn in job.turns)) for job in floors]
        fresh |= run_loop(self._run(floors)) if floors else {}
        ended = [ended_by_place[job.place] or fresh.get(job.place) for job in jobs]
        wanting = {query_id for query_id, query in golden.items() if query.wants_something}
        ended = [end and replace(end, undecided=end.undecided and end.query_id in wanting) for end in ended]
        discarded = read_discarded(self.experiment.folder)
        not_started = [job.sut.label for job, end in zip(jobs, ended, strict=True) if end is None]
        run_tallies = tallies([sut.label for sut in suts], filter(None, ended), not_started)
        for tally in run_tallies:
            tally.tokens += sum(usage.tokens for usage in discarded if usage.system == tally.label)
        return run_tallies

    async def _run(self, jobs: Sequence[_Job]) -> dict[tuple[str, str, int], Ended]:
        """How each job ended. If cancelled, it still waits for the runs in flight; if cancelled twice, it does not."""
        ended: dict[tuple[str, str, int], Ended] = {}
        gate = self.runner.gate(self.parallel)
        conversations: dict[tuple[str, str, int], list[_Job]] = {}
        for job in jobs:
            conversations.setdefault(job.conversation, []).append(job)
        shared = iter(conversations.values())
        workers = {
            asyncio.create_task(self._work(shared, gate, ended)) for _ in range(min(self.parallel, len(conversations)))
        }
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
        self, shared: Iterator[Sequence[_Job]], gate: asyncio.Semaphore, ended: dict[tuple[str, str, int], Ended]
    ) -> None:
        """Takes conversations, which several workers share, until none is left or the batch stops; a query that is
        asked by itself is one of a single turn.
        """
        for conversation in shared:
            for job in conversation:
                if self._stopping:
                    return
                if not await self._ended(job, gate, ended):
                    break  # a turn that is held back holds back those that follow it

    async def _ended(self, job: _Job, gate: asyncio.Semaphore, ended: dict[tuple[str, str, int], Ended]) -> bool:
        """Makes a run; False if the budget holds it back."""
        # Floors and the oracle take nothing out of the budget.
        budget = None if job.sut.agent.is_baseline else self.experiment_budget
        if budget is not None and not await budget.admission(job.sut.label, job.sut.system):
            return False
        run: Run | None = None
        *earlier, query = job.turns
        self._in_flight += 1
        try:
            if not self._stopping:  # Ctrl-C may have come while it waited
                self.watch.began(job.sut.label, query)
                if (path := run_path(self.experiment.folder, *job.place)).exists():  # it is to be made again
                    self.experiment.discard(path)
                run = await self.runner.run_into(
                    self.experiment, job.sut, query, job.repeat, gate=gate, earlier=earlier
                )
        except CommandStopped as problem:
            self._stopped, self._stopping = problem, True
        finally:
            self._in_flight -= 1
            if budget is not None:
                budget.end(job.sut.label, job.sut.system, {} if run is None else run.usage)
        if run is not None:
            ended[job.place] = Ended.of(run, before=False)
            self.watch.ended(ended[job.place])
        return True


async def _all_of(workers: set[asyncio.Task[None]]) -> None:
    """Waits for the last of the workers, or raises what one of them raised. Cancelling it cancels none of them."""
    done, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
    for worker in done:
        worker.result()


@dataclass(frozen=True, slots=True)
class RunsOutcome:
    """How all runs that were asked for ended."""

    tallies: Sequence[Tally]
    """One for each system, in the order in which the systems were given."""
    closing: str | None = None
    """Why runs were held back, if a cap was reached; otherwise None."""


def run_systems(
    to: Path,
    runner: Runner,
    suts: Sequence[SystemUnderTest],
    queries: Sequence[Query],
    *,
    is_part: bool = False,
    shard: Shard = WHOLE,
    repeats: int = 1,
    seed: str = "42",
    title: str | None = None,
    preset: Literal["paper"] | None = None,
    options: str | None = None,
    open_gold: Callable[[], Sequence[Query]] | None = None,
    parallel: int = PARALLEL,
    caps: Caps | None = None,
    watch: AbstractContextManager[Watch] | None = None,
    retry: Collection[str] = (),
) -> RunsOutcome:
    """Runs each system over the queries of ``shard``, ``repeats`` times, into the experiment in ``to``.

    Runs that have ended are not made again, unless ``retry`` names them (``outcomes``); with all, those of other code
    are discarded first. A run that was cut goes on from its journal. Systems that research are given tasks
    alone. Once they have ended, ``open_gold``
    returns the queries with their gold (without it, ``queries`` have theirs), and floors and the oracle run.

    ``is_part`` says that ``queries`` are only some of those that the systems will be asked: in a system that is new in
    the folder, the others do not count as missing. ``title`` is the experiment's title from now on, and ``preset`` its
    preset. ``options`` is a file's text, with the options that made the systems, which the folder keeps. ``watch`` is
    entered before the experiment is opened, and is notified of the runs.

    Raises UserError if the folder holds another experiment, KeyboardInterrupt after Ctrl-C.
    """
    with (
        watch or nullcontext(Watch()) as watching,
        open_for_writing(
            to,
            runner.world,
            [query.task for query in queries],
            suts,
            seed,
            title=title,
            preset=preset,
            is_part=is_part,
            options=options,
            anew=[sut.label for sut in suts] if ALL in retry else (),
        ) as experiment,
    ):

        def opened() -> Sequence[Query]:
            from drretail.env.gold import add_gold  # only floors and the oracle wait for it

            opened_queries = queries if open_gold is None else open_gold()
            add_gold(experiment, runner.world, opened_queries)
            return opened_queries

        experiment_budget = opened_budget(to, (model for sut in suts for model in sut.models.values()), caps)
        batch = Batch(runner, experiment, parallel, watching, experiment_budget)
        tallies = batch.run_all(
            suts,
            [query.task for query in shard.of_queries(queries)],
            repeats,
            retry=retry,
            open_gold=opened,
        )
    return RunsOutcome(tallies, None if experiment_budget is None else experiment_budget.closing)
