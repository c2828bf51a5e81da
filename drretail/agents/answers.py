"""What an agent returned, read as an Answer and checked: nothing that its run.json could not hold gets further."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError

from drretail.errors import ModelError, shortened
from drretail.grounding.report.picks import MOST_PIECES, merged, take_picks
from drretail.parsing import writable
from drretail.records.base import canonical_json, fault_of
from drretail.records.reading import Outcome, Pick
from drretail.records.run import Answer, Usage


def read_answer(given: object, who: str = "the agent") -> Answer:
    """The answer that an agent gave: an Answer, a report's text, or ``{"report": …, "picks": […], "outcome": {…},
    "usage": {"input": …, "output": …}}``.

    Raises ModelError of the kind ``agent`` for anything else, and for a value that is wrong, which it names.
    """
    if isinstance(given, str):
        return Answer(report=writable(given))
    if not isinstance(given, Answer | Mapping):
        what = "an Answer, the text of a report, nor a dict with one"
        raise ModelError("agent", f"{who} returned {given!r:.60}, and neither {what}")
    try:
        answer = given if isinstance(given, Answer) else _of_mapping(cast("Mapping[str, Any]", given))
        # Through plain values: an Answer that was copied with changes was never validated.
        checked = Answer.model_validate(writable(answer.model_dump(warnings=False)))
        canonical_json(checked.model_dump(mode="json", exclude={"report"}))
    except ValidationError as problem:
        raise ModelError("agent", f"{who} returned a wrong answer: {fault_of(problem)}") from problem
    except ValueError as problem:
        raise ModelError("agent", f"{who} returned a wrong answer: {problem}") from problem
    for pick in checked.picks or ():
        if pick.quantity > MOST_PIECES:
            quantity = shortened(f"{pick.quantity}")
            right = f"a quantity is a whole number from 1 to {MOST_PIECES}"
            raise ModelError("agent", f"{who} returned a wrong answer: {quantity} pieces of {pick.product}: {right}")
    return checked


def _of_mapping(given: Mapping[str, Any]) -> Answer:
    """Raises ValueError that says what is wrong."""
    if "report" not in given:
        known = shortened(", ".join(map(repr, given)))
        raise ValueError(f'it has no text under "report" (its keys: {known or "none"})')
    picks, outcome = given.get("picks"), given.get("outcome")
    if not isinstance(picks, list | tuple | None):
        raise ValueError(f"picks is {picks!r:.60}: it should be a list")
    lines = None if picks is None else cast("Sequence[object]", picks)
    return Answer(
        report=given["report"],
        picks=None if lines is None else merged(pick for line in lines for pick in _read_pick(line)),
        outcome=None if outcome is None else Outcome.model_validate(outcome),
        usage=_read_usage(given.get("usage")),
    )


def _read_usage(given: object) -> Usage | None:
    """Tokens as ``{"input": 1200, "output": 300}``, or by the names that records use."""
    if given is None or isinstance(given, Usage):
        return given
    if not isinstance(given, Mapping):
        raise ValueError(f'usage is {given!r:.60}: it should be a dict with "input" and "output"')
    counts = {"input_uncached" if name == "input" else name: count for name, count in given.items()}
    usage = Usage.model_validate(counts, strict=True)
    if any(count < 0 for count in usage.model_dump().values()):
        raise ValueError(f"usage is {given!r:.60}: tokens are 0 or more")
    return usage


def _read_pick(given: object) -> Sequence[Pick]:
    """A pick as a line of a block ("P:B0… x 2"), or as an object with ``product`` and, if not 1, ``quantity``."""
    if not isinstance(given, str):
        try:
            return (Pick.model_validate(given),)
        except ValidationError as problem:
            raise ValueError(f"{given!r:.80} is no pick: {fault_of(problem)}") from problem
    declared = take_picks(f"```picks\n{given}\n```") if "```" not in given else None
    if declared is None or not declared.picks:
        why = "" if declared is None or declared.problem is None else f": {declared.problem}"
        raise ValueError(f'{given!r:.80} is no pick such as "P:B0EXAMPLE1 x 2"{why}')
    return declared.picks
