"""Conversations of which a turn fails: the turns before it stay, those after it say why they are not there.

With the trouble gone, ``--retry failed`` ends with what an undisturbed command makes.
"""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from drretail.experiments.experiment import read_runs
from drretail.records.run import Run

from .bench import KILLED, TALK, TALKING, TURNS, Bench, Ended, Row, run
from .interrupted import content
from .provider import BROKEN, CHANGED, KEYS, Faults, apart

FAULTS = ("1 / 0", "sys.exit(3)", "None", "7", "''", "'```picks\\nP:NOWHERE x 1\\n```'", "os.kill(os.getpid(), 9)")
RETRY = ("--retry", "failed")


def failing(bench: Bench) -> Row:
    """An agent, and then a provider, that fails within one turn."""
    row = Row("turns that fail", "an agent, or a model's server, that fails within a turn of a conversation")
    undisturbed = content(bench.start / "talked")
    cases = [(number, fault) for number in range(len(TURNS)) for fault in FAULTS]
    for number, fault in bench.sample(cases, 3, len(cases)):
        with bench.place() as place:
            row.tried += 1
            _forget(place)
            (place.parent / "fault").write_text(f"{TURNS[number]}: {fault}", "utf-8")
            _judge(row, f"turn {number + 1} is {fault}", run(place, TALKING), _runs(place), number)
            (place.parent / "fault").unlink()
            again = run(place, (*TALKING, *RETRY))
            if again.problem or content(place / "talked") != undisturbed:
                row.add("lost", f"turn {number + 1} was {fault}: made again it is another: {again.output[-200:]}")
    for fault in bench.sample((*CHANGED, *BROKEN), 2, len(CHANGED) + len(BROKEN)):
        _within_second(bench, row, fault)
    return row


def _within_second(bench: Bench, row: Row, fault: str) -> None:
    """A provider that has the fault in every request of the second turn, and then in none."""
    with bench.place() as place:
        row.tried += 1
        _forget(place)
        with apart(Faults(fault, within=TURNS[1])) as port:
            ended = _talk(place, port)
            _judge(row, f"a server: {fault}", ended, before := _runs(place), 1)
        with apart(Faults()) as port:
            again, after = _talk(place, port, *RETRY), _runs(place)
        if again.problem or [each.status for each in after] != ["done"] * len(TURNS) or after[:1] != before[:1]:
            row.add("lost", f"a server: {fault}: made again: {[each.status for each in after]}, {again.output[-200:]}")


def _talk(place: Path, port: int, *more: str) -> Ended:
    model = ("--agent", "react", "--model", "openai:m", "--base-url", f"openai=http://127.0.0.1:{port}/v1", *more)
    return run(place, (*TALK, *model), partial(os.environ.update, {**KEYS, "DRRETAIL_MODEL_RETRIES": "1"}))


def _forget(place: Path) -> None:
    (place / "talked").rename(place / "undisturbed")


def _runs(place: Path) -> Sequence[Run]:
    return sorted(read_runs(place / "talked"), key=lambda each: each.query_id)


def _judge(row: Row, trouble: str, ended: Ended, runs: Sequence[Run], failed: int) -> None:
    """Adds what is wrong with the runs of a conversation of which this turn has trouble."""
    if ended.code != KILLED and (problem := ended.problem):
        row.add("wrong", f"{trouble}: {problem}")
    errors = [each.error.kind if each.error else "" for each in runs]
    if any(errors[:failed]) or len(errors) < failed:
        row.add("lost", f"{trouble}: a turn before it is {errors}")
    is_done = errors[failed : failed + 1] == [""]  # a server that is asked again
    if ended.code != KILLED and not is_done and set(errors[failed + 1 :]) - {"no_turn_before"}:
        row.add("wrong", f"{trouble}: the turns after it are {errors}")
