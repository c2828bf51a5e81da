"""Opens an experiment: what is asked is written down, and what judges will be told of its users is frozen."""

from collections.abc import Sequence
from pathlib import Path

from drretail.agents.contestant import Contestant, definition
from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.experiment import Experiment
from drretail.records.query import Query
from drretail.records.score import ProfileSummary


def open_experiment(
    folder: Path, world: World, queries: Sequence[Query], contestants: Sequence[Contestant], seed: str
) -> Experiment:
    """The experiment in ``folder``, held for writing, with a profile summary of every user that a query names.

    Raises UserError as ``Experiment`` does.
    """
    experiment = Experiment(folder, definition(world, tuple(queries), list(contestants), seed))
    summaries = Summaries(world)
    for user_id in sorted({query.user_id for query in queries if query.user_id is not None}):
        experiment.freeze_profile(summaries.of(user_id))
    return experiment


def profile_summary(world: World, user_id: str) -> ProfileSummary:
    """What the world's records tell of a user. Raises NotFound for an unknown one."""
    return Summaries(world).of(user_id)
