"""What went wrong in a run on the way to its report, in sentences."""

from collections.abc import Iterator

from drretail.records.run import Run
from drretail.records.tables.figures import counted, counted_each


def setback_sentences(run: Run) -> Iterator[str]:
    """A sentence for each kind of setback: lost answers, second attempts, repairs, announced calls.

    Struck evidence ids are in the run's notes, by name.
    """
    if run.losses:
        lost = counted_each(run.losses)
        yield f"A provider gave no answer for {lost}. `drretail run … --retry spoiled` makes the run again."
    if run.unanswered_calls:
        yield f"{counted(run.unanswered_calls, 'tool call')} got no answer from a server or the web."
    setbacks = run.setbacks
    if setbacks is None:
        return
    if setbacks.second_attempts:
        again = counted(setbacks.second_attempts, "second attempt")
        yield f"{again} at model calls: the provider had failed, or the answer was empty or cut."
    if setbacks.repairs:
        by_role = ", ".join(f"{role} {count}" for role, count in setbacks.repairs.items())
        repairs = counted(sum(setbacks.repairs.values()), "repair")
        yield f"{repairs} of answers that did not fit the form asked for ({by_role})."
    if setbacks.calls_from_text:
        made = sum(step.kind == "tool" for step in run.steps)
        yield f"Calls read from text: {setbacks.calls_from_text} of {made}."
    if setbacks.announcements:
        yield f"{counted(setbacks.announcements, 'turn')} announced calls and made none."
