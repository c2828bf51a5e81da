"""The options of ``view``."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import research, shared


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """An experiment, queries to review, or both, and how they are served."""

    experiment: shared.SomeExperiment = None
    _: KW_ONLY
    n: Annotated[int | None, Option("Show only the voting, with this many items per person.", min=1)] = None
    review: Annotated[str | Path | None, Option("Queries for people to review.", metavar="QUERIES.jsonl")] = None
    world: research.World = "demo"
    port: Annotated[int, Option("The port; 0 for any free one.", min=0, max=65535)] = 0
    results: Annotated[bool, Option("Print the votes. Start no server.")] = False
