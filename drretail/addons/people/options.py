"""The options of ``queries review``."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import research
from drretail.api.options.queries import File


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """Lets people review queries in a sheet or a browser. Shows their decisions.

    FILE.reviews.jsonl keeps every decision (drretail/addons/people/README.md). Exit code 3 with --to: queries are
    undecided or disputed.
    """

    file: File
    world: research.World = "demo"
    _: KW_ONLY
    reviewer: Annotated[str | None, Option("The reviewer's name.", metavar="NAME", default="your login name")] = None
    sheet: Annotated[str | Path | None, Option("A sheet to write, or a filled one to read.", metavar="CSV")] = None
    to: Annotated[
        str | Path | None,
        Option(
            "The file for accepted and edited queries. FILE itself: keep edits, remove rejected ones.", metavar="OUT"
        ),
    ] = None
