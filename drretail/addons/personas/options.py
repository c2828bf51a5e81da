"""The options of ``queries personas``, ``context`` and ``pair``."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import research, shared
from drretail.api.options.queries import Force, Model, QueryCalls, To, Users

People = Annotated[str | Path, Option("The folder of personas and contexts.", metavar="DIR")]


@dataclass(frozen=True, slots=True)
class PersonasOptions(QueryCalls):
    """Writes a persona of each user from the orders. Keeps existing personas."""

    people: People
    world: research.World = "demo"
    _: KW_ONLY
    n: Annotated[int, Option("The number of users to draw.", min=1)] = 25
    user: Users = ()
    model: Model = None
    seed: shared.Seed = "42"


@dataclass(frozen=True, slots=True)
class ContextOptions(QueryCalls):
    """Writes notes on each persona's history (its context). Keeps existing contexts."""

    people: People
    world: research.World = "demo"
    _: KW_ONLY
    model: Model = None


@dataclass(frozen=True, slots=True)
class PairOptions(QueryCalls):
    """Pairs each task with several different users, and writes a query for each pair.

    `drretail queries review FILE` lets people accept or reject the pairs.
    """

    source: Annotated[
        str | Path,
        Option(
            "Queries without a user (.jsonl), or a text file with one question per line.",
            argument=True,
            metavar="TASKS",
        ),
    ]
    people: People
    to: To
    world: research.World = "demo"
    _: KW_ONLY
    n: Annotated[int, Option("Maximum users per task.", min=1)] = 5
    model: Model = None
    force: Force = False
