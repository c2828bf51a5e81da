"""When a run of failing tool calls says that the shop or the search engine is gone, and not that one call failed."""

from collections import defaultdict
from dataclasses import dataclass, field

from drretail.errors import CommandStopped
from drretail.records.run import OUTAGES, Step
from drretail.tools.registry import FAMILIES

IN_A_ROW = 5
"""Calls of one tool, of all runs together. A turn asks for up to four at once, and those may fall into one moment."""
SHOP = FAMILIES["catalog"] | FAMILIES["user"]
AGAIN = "mend that and run the same command again: it goes on from here"
SPOILED = "--retry spoiled makes runs again that ended with such calls"


@dataclass(slots=True)
class Outages:
    """Counts, over all runs of a command, the calls of each tool of the shop that a failing server left unanswered.

    Without the shop no run is worth its tokens. Without the web one still is: what fails there is counted when runs
    have ended (``--retry spoiled``), and only a search engine that refuses the key stops them, since it will go on so.
    """

    most: int = IN_A_ROW
    _failed: dict[str, int] = field(default_factory=lambda: defaultdict[str, int](int))
    _stopped: str | None = None

    def note(self, step: Step) -> None:
        """Takes in what became of one call. Raises CommandStopped where no other can be expected to be answered."""
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
        """Raises CommandStopped once runs have been stopped, for agents that let nothing out of a tool's call."""
        if self._stopped is not None:
            raise CommandStopped(self._stopped)
