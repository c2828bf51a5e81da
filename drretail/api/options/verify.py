"""What ``verify`` is given."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import shared
from drretail.records.query import Query


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """An experiment, and what of its surroundings it is verified against."""

    experiment: shared.Experiment
    world: shared.MovedWorld = None
    _: KW_ONLY
    queries: Annotated[
        str | Path | Sequence[Query] | None,
        Option("The published queries. Fail if one is missing or changed.", metavar="FILE", type=Path),
    ] = None
    web: shared.Web = None
    files: Annotated[str | Path | None, Option("The users' own files.", metavar="FOLDER", type=Path)] = None
