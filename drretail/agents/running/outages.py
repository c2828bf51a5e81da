"""Decides when failing tool calls mean that the shop or the search engine is gone, and not just that
one call failed.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from drretail.errors import CommandStopped
from drretail.records.run import OUTAGES, Step
from drretail.tools.registry import FAMILIES

IN_A_ROW = 5
"""Failed calls of one tool, over all runs. A turn makes up to four calls at once, and these may meet one bad moment."""
SHOP = FAMILIES["catalog"] | FAMILIES["user"]
AGAIN = "mend that and run the same command again: it goes on from here"
SPOILED = "--retry spoiled makes runs again that ended with such calls"


@dataclass(slots=True)
class Outages:
    """Counts, over all runs of a command, the calls of each tool of the shop that a failing server left unanswered.

    Without the shop no run is worth its tokens. Without the web a run still is: its failed calls are counted once it
    has ended (``--retry spoiled``). Only a search engine that refuses the key stops the runs, since it would refuse
    every call.
    """

    most: int = IN_A_ROW
    _failed: dict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))
    _stopped: str | None = None

    def note(self, step: Step) -> None:
        """Counts the result of one call. Raises CommandStopped if no further call can be expected to be answered."""
        kind, _, reason = (step.error or "").partition(": ")
        name = step.name or ""
        if step.kind != "tool":
            return
        if name in FAMILIES["web"] and kind == "forbidden":
            self._stopped = f"{reason.rstrip('.')}; {AGAIN}."
        elif name in SHOP and kind in OUTAGES:
            self._failed[name] += 1
            if self._failed[name] >= self.most:
                unanswered = f"{self.most} calls of {name} in a row without an answer ({reason.rstrip('.')})"
                self._stopped = f"The shop left {unanswered}: {AGAIN}; {SPOILED}."
        elif kind in ("", "not_found"):  # the server answered
            self._failed[name] = 0
        self.check()

    def check(self) -> None:
        """Raises CommandStopped once runs have been stopped, for agents that suppress what a tool's call raises."""
        if self._stopped is not None:
            raise CommandStopped(self._stopped)
