"""The options of ``vote``."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from drretail.api.option import Option
from drretail.api.options import research, shared


@dataclass(frozen=True, slots=True)
class VoteOptions:
    """Lets people vote on reports in your browser.

    People compare, rate or check reports without seeing the system. EXP/votes keeps their answers. Only this machine
    can open the page (drretail/addons/voting/README.md).
    """

    experiment: shared.Experiment
    _: KW_ONLY
    n: Annotated[int | None, Option("This many items per person.", min=1)] = None
    port: Annotated[int, Option("The port; 0 for any free one.", min=0, max=65535)] = 0
    results: Annotated[bool, Option("Print the votes. Start no server.")] = False
    observer: research.Observer = None
