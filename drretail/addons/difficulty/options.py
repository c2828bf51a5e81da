"""The options of ``queries difficulty``, ``spoil`` and ``hide``, one record for each."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Literal

from drretail.api.option import Option
from drretail.api.options import research, shared
from drretail.api.options.queries import File, Force, To


@dataclass(frozen=True, slots=True)
class DifficultyOptions:
    """Measures how hard queries are, by the carts that simple searches find.

    Eight simple solvers fill carts. The level says how much worse their carts are than the best one, from 0 (easy) to 9
    (hard). drretail/addons/difficulty/README.md explains the columns.
    """

    file: File
    world: research.World = "demo"
    _: KW_ONLY
    to: Annotated[str | Path | None, Option("The JSONL file for the queries with their levels.", metavar="FILE")] = None
    force: Force = False


@dataclass(frozen=True, slots=True)
class SpoilOptions:
    """Writes pairs of queries: one that the shop can satisfy, and one that it can't.

    After a run, `score --metrics outcome` shows which queries each system refuses, and `compare --by twin` compares the
    pairs.
    """

    file: File
    to: To
    world: research.World = "demo"
    _: KW_ONLY
    only: Annotated[
        shared.Texts,
        Option(
            "Why the second query fails: its budget is too low (too_dear), the shop lacks the product (not_sold), or "
            "the order does not exist (no_such_order).",
            metavar="A,B",
        ),
    ] = "too_dear,not_sold,no_such_order"
    force: Force = False
    seed: shared.Seed = "42"


@dataclass(frozen=True, slots=True)
class HideOptions:
    """Hides a limit in each query. The agent must ask the shopper for it.

    Hides only limits that change the best cart. To see the value of asking: `run --vary intent=mute,asked,told`, then
    `score --metrics basket,intent` and `compare --by intent`.
    """

    file: File
    to: To
    world: research.World = "demo"
    _: KW_ONLY
    mode: Annotated[
        Literal["terse", "open"],
        Option("How the shopper answers: one limit (terse), or all limits of a topic (open)."),
    ] = "terse"
    record: Annotated[
        bool, Option("The shopper never states a limit that an order shows. The agent must look it up.", flag="")
    ] = False
    force: Force = False
