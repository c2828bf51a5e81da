"""What ``view`` is given."""

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
    plan: Annotated[
        int | None,
        Option(
            "Voting alone, without the report: so many items each.",
            metavar="N",
            min=1,
            default="21, beside the report",
        ),
    ] = None
    with_report: Annotated[bool, Option("With --plan: the report as well, which names the systems.")] = False
    review: Annotated[str | Path | None, Option("The review of these queries, too.", metavar="QUERIES.jsonl")] = None
    world: research.World = "demo"
    port: Annotated[int, Option("0 takes any that is free.", min=0, max=65535)] = 0
    browser: Annotated[bool, Option("Open it in the browser.", flag="--open")] = False
    results: Annotated[bool, Option("What people have voted, without a page.")] = False
