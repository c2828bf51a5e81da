"""The options of ``forget``."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import shared


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
