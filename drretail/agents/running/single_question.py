"""One question, asked outside a benchmark: as a query, run once, saved if wanted.

Nobody types its wish, so its answer gets no scores for baskets and budgets.
"""

from pathlib import Path

from drretail.agents.running.new_experiment import open_experiment
from drretail.agents.running.runner import Recorded, Runner, recorded_in
from drretail.agents.running.system import SystemUnderTest
from drretail.env.world import World
from drretail.errors import UserError
from drretail.event_loop import run_loop
from drretail.records.base import sha256_of
from drretail.records.query import ASK, LONGEST_TEXT, Query


def question_as_query(text: str, user_id: str | None, world: World) -> Query:
    """A query whose id depends only on the question and who asks it.

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
