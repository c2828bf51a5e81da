"""The options of ``world perturb`` and ``queries carry``."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import shared
from drretail.api.options.queries import File, Force, To
from drretail.api.options.shops import World


@dataclass(frozen=True, slots=True)
class PerturbOptions:
    """Copies a world with new names and values that no model knows.

    Brands, product ids, prices and ratings are others. `drretail queries carry` adapts the queries.
    """

    world: World
    to: Annotated[str | Path, Option("The folder for the copy.", metavar="FOLDER")]
    _: KW_ONLY
    seed: shared.Seed = "42"


@dataclass(frozen=True, slots=True)
class CarryOptions:
    """Adapts queries to a world made by `world perturb`.

    The ids stay the same, so both worlds can be compared query by query.
    """

    file: File
    world: Annotated[str | Path, Option("The perturbed world's folder.", short="-w", metavar="W")]
    to: To
    _: KW_ONLY
    force: Force = False
