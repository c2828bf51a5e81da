"""Opens an experiment: writes down what is asked, and freezes what judges will be told of its users."""

from collections.abc import Collection, Sequence
from pathlib import Path

from drretail.agents.running.runner import Recorded, Runner, recorded_in
from drretail.agents.running.system import SystemUnderTest, definition
from drretail.env.altered.counterfactual import Partners
from drretail.env.summaries import Summaries
from drretail.env.world import World
from drretail.errors import UserError
from drretail.experiment import Experiment
from drretail.llm.event_loop import run_loop
from drretail.records.base import sha256_of
from drretail.records.query import ASK, LONGEST_TEXT, Query, kind_of


def open_experiment(
    folder: Path,
    world: World,
    queries: Sequence[Query],
    suts: Sequence[SystemUnderTest],
    seed: str,
    *,
    title: str | None = None,
    is_part: bool = False,
    options: str | None = None,
    anew: Collection[str] = (),
) -> Experiment:
    """The experiment in ``folder``, held for writing, with a profile summary of every user that a query names.

    ``options`` is the text of a file with the options that made the systems. If a system sees other data than the
    user's, it is settled whose. With ``is_part`` systems that are new in the folder are asked no more than these
    queries. Of systems ``anew``, runs by other code are discarded. Raises UserError as ``Experiment`` does.
    """
    defined = definition(world, tuple(queries), list(suts), seed, is_part=is_part).model_copy(update={"title": title})
    experiment = Experiment(folder, defined, anew)
    if options is not None:
        experiment.keep_options(options)
    for sut in suts:
        experiment.freeze_prompts(sut.label, sut.overrides.name, sut.overrides.by_name())
    summaries = Summaries(world)
    users = sorted({query.user_id for query in queries if query.user_id is not None})
    for user_id in users:
        questions = "\n".join(query.text for query in queries if query.user_id == user_id)
        experiment.freeze_profile(summaries.of(user_id, questions))
    if any(kind_of(sut.system) is not None for sut in suts):
        partners = Partners(world, seed)
        for user_id in users:
            experiment.freeze_counterfactual(user_id, partners.counterfactual)
    return experiment


def question_as_query(text: str, user_id: str | None, world: World) -> Query:
    """A query whose id depends only on the question and who asks it. Nobody types its wish, so its answer gets no
    scores for baskets and budgets.

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
    """The recorded run. With ``to`` it is saved there beside its ``options``, and a run that is there already is read,
    not made again.
    """
    if to is None:
        return run_loop(runner.run(sut, query))
    with open_experiment(to, runner.world, [query], [sut], "42", options=options) as experiment:
        if experiment.state(sut.label, query.query_id, 1) in ("absent", "interrupted"):
            run_loop(runner.run_into(experiment, sut, query))
        return recorded_in(experiment.run_folder(sut.label, query.query_id, 1))
