"""``run``: systems over queries, many runs into one experiment folder. ``batch.py`` makes them side by side."""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from drretail.agents.running.batch import PARALLEL, Batch, Watch
from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.outcomes import ALL, Tally
from drretail.agents.running.runner import Runner
from drretail.agents.running.shard import WHOLE, Shard
from drretail.agents.running.spending import Caps, opened_budget
from drretail.agents.running.system import SystemUnderTest
from drretail.env.next_purchase import add_gold
from drretail.errors import UserError
from drretail.records.query import Query


@dataclass(frozen=True, slots=True)
class Outcome:
    """How all runs that were asked for ended."""

    tallies: Sequence[Tally]
    """One for each system, in the order in which the systems were given."""
    closing: str | None = None
    """Why runs were held back, if a cap was reached; otherwise None."""

    @property
    def is_whole(self) -> bool:
        """True if every system's runs are complete."""
        return all(tally.is_complete for tally in self.tallies)


def run(
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
    options: str | None = None,
    open_gold: Callable[[], Sequence[Query]] | None = None,
    parallel: int = PARALLEL,
    caps: Caps | None = None,
    watch: AbstractContextManager[Watch] | None = None,
    retry: Collection[str] = (),
) -> Outcome:
    """Runs each system over the queries of ``shard``, ``repeats`` times, into the experiment in ``to``.

    Runs that have ended are not made again, unless ``retry`` names them (``outcomes``); with all, those of other code
    are discarded first. A run that was cut goes on from its journal. Systems that research are given tasks
    alone, and of a query with hidden limits those by which its shopper answers. Once they have ended, ``open_gold``
    returns the queries with their gold (without it, ``queries`` have theirs), and floors and the oracle run.

    ``is_part`` says that ``queries`` are only some of those that the systems will be asked: in a system that is new in
    the folder, the others do not count as missing. ``title`` is the experiment's title from now on. ``options`` is a
    file's text, with the options that made the systems, which the folder keeps. ``watch`` is entered before the
    experiment is opened, and is notified of the runs.

    Raises UserError if the folder holds another experiment, KeyboardInterrupt after Ctrl-C.
    """
    check_open_files(parallel)
    with (
        watch or nullcontext(Watch()) as watching,
        open_experiment(
            to,
            runner.world,
            [query.task for query in queries],
            suts,
            seed,
            title=title,
            is_part=is_part,
            options=options,
            anew=[sut.label for sut in suts] if ALL in retry else (),
        ) as experiment,
    ):

        def opened() -> Sequence[Query]:
            known = queries if open_gold is None else open_gold()
            add_gold(experiment, runner.world, known)
            return known

        experiment_budget = opened_budget(to, suts, caps)
        batch = Batch(runner, experiment, parallel, watching, experiment_budget)
        tallies = batch.run_all(
            suts,
            [query.played for query in shard.of_queries(queries)],
            repeats,
            retry=retry,
            open_gold=opened,
        )
    return Outcome(tallies, None if experiment_budget is None else experiment_budget.closing)


FILES_OF_ALL, FILES_OF_A_RUN = 100, 2
"""Open files. Measured: 41 apart from the runs, and one per run; a run that searches the live web has a connection
more.
"""


def check_open_files(parallel: int) -> None:
    """Lets the process have as many open files as so many runs need. Raises UserError if it may not."""
    try:
        import resource
    except ImportError:  # no Unix, and no such limit
        return
    wanted = FILES_OF_ALL + FILES_OF_A_RUN * parallel
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or wanted <= soft:
        return
    if hard != resource.RLIM_INFINITY and wanted > hard:
        raise UserError(
            f"--parallel {parallel:,} needs {wanted:,} open files, and this process may have {hard:,}: raise that "
            f"(ulimit -n {wanted}), or take at most --parallel {max(1, (hard - FILES_OF_ALL) // FILES_OF_A_RUN)}."
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
