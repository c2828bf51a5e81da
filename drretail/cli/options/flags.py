"""Options of every command, and of those that estimate."""

from dataclasses import dataclass
from typing import Annotated

from drretail.api.option import MODELS, OUTPUT, Option


@dataclass(frozen=True, slots=True)
class Output:
    """How results and progress are printed."""

    as_json: Annotated[bool, Option("Print one JSON document on stdout.", OUTPUT, flag="--json")] = False
    quiet: Annotated[bool, Option("Print no progress on stderr.", OUTPUT, short="-q")] = False


@dataclass(frozen=True, slots=True)
class Planned:
    """Whether the command only estimates, and sends nothing."""

    estimate: Annotated[bool, Option("Estimate calls, tokens and cost. Send nothing.", MODELS)] = False
