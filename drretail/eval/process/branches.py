"""Model turns of a run whose researchers work side by side: each has a path of its own below its supervisor's.

The supervisor's path is "0", the researchers' are "0.1", "0.2", … in the order in which they were launched.
"""

from collections.abc import Sequence
from itertools import takewhile

from drretail.records.run import Step

LAUNCH = "LaunchResearcher"
"""The move by which a supervisor opens a branch (paper section 4)."""
SUMMARISER = "summariser"
_NOT_LAUNCHED = frozenset({"limit", "invalid_argument", "unknown_tool"})
"""Errors of a launch that opened no branch; any other is that of a branch that came back with nothing."""


def is_turn(step: Step) -> bool:
    """True for an answer of a model that acts or writes; to sum up a page for another model is no turn."""
    return step.kind != "tool" and step.role != SUMMARISER and step.error is None


def turns(steps: Sequence[Step]) -> int:
    """All turns of all branches together."""
    return sum(map(is_turn, steps))


def turns_to_evidence(steps: Sequence[Step]) -> int | None:
    """Turns that had to be taken one after the other until a tool first handed out evidence; None when none did.

    Turns of a researcher follow those of its supervisor up to its launch; other branches go on beside it and don't
    count. The least over all branches, whichever was the first by the clock. 0 where evidence came before any turn.
    """
    paths = dict.fromkeys(step.path for step in steps)
    ways = [_way(steps, path) for path in paths]
    return min((way for way in ways if way is not None), default=None)


def _way(steps: Sequence[Step], path: str) -> int | None:
    """The turns to the first evidence of one branch, from the beginning of the run."""
    own = [step for step in steps if step.path == path]
    before = list(takewhile(lambda step: not _brings(step), own))
    return None if len(before) == len(own) else turns(before) + _before_launch(steps, path)


def _brings(step: Step) -> bool:
    return step.kind == "tool" and bool(step.evidence) and step.error is None


def _before_launch(steps: Sequence[Step], path: str) -> int:
    """The turns above a branch before it was opened; 0 for a path that nothing is known to have launched."""
    above, _, number = path.rpartition(".")
    launching = [step for step in steps if step.path == above]
    places = [index for index, step in enumerate(launching) if _launches(step)]
    if not above or int(number) > len(places):
        return 0
    return turns(launching[: places[int(number) - 1]]) + _before_launch(steps, above)


def _launches(step: Step) -> bool:
    kind = (step.error or "").partition(":")[0]
    return step.kind == "tool" and step.name == LAUNCH and kind not in _NOT_LAUNCHED
