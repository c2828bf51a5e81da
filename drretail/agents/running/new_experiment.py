"""Opens an experiment: writes down what is asked, and freezes what judges will be told of its users."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from drretail.agents.running.system import SystemUnderTest, definition
from drretail.env.altered.counterfactual import Partners
from drretail.env.next_purchase import freeze_next_purchases, wanted_categories
from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.experiment import Experiment
from drretail.records.counterfactual import kind_of
from drretail.records.query import Query, Reference


def open_experiment(
    folder: Path,
    world: World,
    queries: Sequence[Query],
    suts: Sequence[SystemUnderTest],
    seed: str,
    *,
    title: str | None = None,
    reference: Callable[[Query], Reference] | None = None,
    is_part: bool = False,
    options: str | None = None,
) -> Experiment:
    """The experiment in ``folder``, held for writing, with a profile summary of every user that a query names.

    ``options`` is the text of a file with the options that made the systems. If a system sees other data than the
    user's, it is settled whose. ``reference`` finds the baskets by which reports
    are measured; None = they are not measured. With ``is_part`` systems that are new in the folder are asked no more
    than these queries. Raises UserError as ``Experiment`` does.
    """
    asked = definition(world, tuple(queries), list(suts), seed, is_part=is_part)
    asked = asked.model_copy(update={"title": title, "categories": wanted_categories(world, queries)})
    experiment = Experiment(folder, asked)
    if options is not None:
        experiment.keep_options(options)
    for sut in suts:
        experiment.freeze_prompts(sut.label, sut.overrides.name, sut.overrides.by_name())
    summaries = Summaries(world)
    users = sorted({query.user_id for query in queries if query.user_id is not None})
    for user_id in users:
        questions = "\n".join(query.text for query in queries if query.user_id == user_id)
        experiment.freeze_profile(summaries.of(user_id, questions))
    if reference is not None:
        for query in queries:
            experiment.freeze_reference(query.query_id, partial(reference, query))
    if any(kind_of(sut.system) is not None for sut in suts):
        partners = Partners(world, seed)
        for user_id in users:
            experiment.freeze_counterfactual(user_id, partners.counterfactual)
    freeze_next_purchases(experiment, world, queries)
    return experiment
