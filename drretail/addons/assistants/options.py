"""The options of ``check`` and ``forget``."""

import sys
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from drretail.api.option import Option
from drretail.api.options import research, shared
from drretail.errors import UserError, file_error

if TYPE_CHECKING:
    from drretail.llm.registry import Model as OpenModel
else:  # names in annotations that are looked up when options are declared
    OpenModel = object


def _answer_in(place: str) -> str:
    """The text of a file, or of stdin for "-"."""
    try:
        return sys.stdin.read() if place == "-" else Path(place).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UserError(f"{file_error(problem, Path(place))}.") from problem


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """Holds one answer against the records of a shop, without writing anything.

    Exit code 4: something in it is false. 3: something in it is contested, or nothing could be looked at.
    """

    question: Annotated[str, Option("What was asked.", argument=True, metavar="QUESTION")]
    answer: Annotated[
        str, Option("The answer: a file, or - for stdin.", argument=True, metavar="FILE", from_flag=_answer_in)
    ]
    world: research.World
    _: KW_ONLY
    judge: Annotated[
        "str | OpenModel | None",
        Option("Who types what it says in words, too.", metavar="PROVIDER:MODEL", type=str, default="rules alone"),
    ] = None


@dataclass(frozen=True, slots=True)
class ForgetOptions:
    """Removes a user or a conversation from an experiment.

    It removes queries, runs, verdicts, readings, votes and profiles, and all pages, scores and exports, which may quote
    them. The shop's own records stay as they are.
    """

    experiment: shared.Experiment
    _: KW_ONLY
    user: Annotated[str | None, Option("The user, by id.", metavar="U")] = None
    conversation: Annotated[str | None, Option("The conversation, by its id in the log or here.", metavar="C")] = None
