"""The options of ``try`` and ``gym split``."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import research, shared
from drretail.api.options.queries import Force
from drretail.api.options.run import Queries, SystemOptions


@dataclass(frozen=True, slots=True)
class TryOptions(SystemOptions):
    """Runs an agent on one query: its steps, what is wrong, and its reward.

    Each trial is an experiment of its own in DIR/AGENT/QUERY.
    """

    agent: Annotated[
        research.AnyAgent, Option(f"Who answers: {research.AGENT_HELP}", argument=True, metavar="AGENT", type=str)
    ]
    query: Annotated[str, Option("The query's id, such as dev-01.", argument=True, metavar="QUERY")]
    world: research.World = "demo"
    queries: Annotated[
        Queries | None, Option("The file that holds the query.", metavar="FILE", default="those of drretail")
    ] = None
    model: research.Model = None
    _: KW_ONLY
    to: Annotated[str | Path, Option("The folder of all trials.", metavar="DIR")] = "trials"


@dataclass(frozen=True, slots=True)
class SplitOptions:
    """Makes queries to train on and held-out ones, about different shops, people and wishes.

    Each is of another user, and kinds of need are as even as the users' orders allow. A fifth are conversations, and
    15 % can't be met.
    """

    to: Annotated[str | Path, Option("The folder for the result.")]
    _: KW_ONLY
    sizes: Annotated[shared.Texts, Option("How many queries to train on, and to measure on.", metavar="N,N")] = "100,40"
    world: Annotated[
        shared.Texts,
        Option(
            "The shop to train in, and then the one to measure in (default: both are made up).",
            short="-w",
            metavar="W",
            type=list[str],
        ),
    ] = ()
    force: Force = False
    seed: shared.Seed = "42"
