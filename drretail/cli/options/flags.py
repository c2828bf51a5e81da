"""Options of the commands that print in a way of their own (``parameters.py``), and those of every command."""

from dataclasses import dataclass
from typing import Annotated

from drretail.api.option import MODELS, OUTPUT, Option


@dataclass(frozen=True, slots=True)
class Output:
    """How results and progress are printed."""

    as_json: Annotated[bool, Option("Print one JSON document on stdout.", OUTPUT, flag="--json")] = False
    quiet: Annotated[bool, Option("Print no progress on stderr.", OUTPUT, short="-q")] = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Whether progress is shown; for commands without --json."""

    quiet: Annotated[bool, Option("Print no progress on stderr.", OUTPUT, short="-q")] = False


@dataclass(frozen=True, slots=True)
class Details:
    """How much is printed."""

    details: Annotated[bool, Option("Print all tables.", OUTPUT)] = False


@dataclass(frozen=True, slots=True)
class Planned:
    """Whether the command only estimates, and sends nothing."""

    estimate: Annotated[bool, Option("Estimate calls, tokens and cost. Send nothing.", MODELS)] = False
