"""Metric families of somebody else's: a fault of theirs is a UserError that names the family, the file and the line."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any, get_args

from drretail.errors import DrretailError, UserError, describe_error, quoted
from drretail.eval.family import Family
from drretail.eval.judging.session import JudgeSession
from drretail.eval.judging.subject import Subject
from drretail.eval.values import Unsound, Value, number_of
from drretail.records.score import Rules, Verdict, VerdictState


@cache
def guarded(family: Family) -> Family:
    """The same family, whose functions raise UserError for whatever they raise and for values that are none."""

    async def judge(subject: Subject, judge_session: JudgeSession) -> None:
        with _named_faults(family.name, "judge"):
            await family.run_judge(subject, judge_session)

    def values(subject: Subject, verdicts: Sequence[Verdict], rules: Rules) -> list[Value]:
        with _named_faults(family.name, "values"):
            made = [_sound(value) for value in family.values(subject, verdicts, rules)]
            names = [value.variant for value in made]
            for name in names:
                if name not in family.variants:
                    raise Unsound(f"{name!r} is none of its variants")
                if names.count(name) > 1:
                    raise Unsound(f"{name!r} stands twice")
            return made

    return replace(
        family,
        judge=judge,
        values=values,
        prompts=_guarded(family.name, "prompts", family.prompts),
        pooled={name: _guarded(family.name, "pooled", function) for name, function in family.pooled.items()},
    )


def _guarded(name: str, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        with _named_faults(name, what):
            return function(*args)

    return call


@contextmanager
def _named_faults(name: str, what: str) -> Generator[None]:
    try:
        yield
    except DrretailError:
        raise
    # The boundary of somebody's metric.
    except (Exception, SystemExit) as problem:
        fault = str(problem) if isinstance(problem, Unsound) else describe_error(problem)
        raise UserError(f"The metric {quoted(name)} failed in {what}: {fault}.") from problem


def _sound(given: object) -> Value:
    """The value, if a mean can be made of it; raises Unsound."""
    if not isinstance(given, Value):
        raise Unsound(f"a {type(given).__name__} is no drretail.Value")
    if given.state not in get_args(VerdictState):
        raise Unsound(f"{given.variant!r} is in the state {given.state!r}, which is none")
    if given.state == "scored":
        return replace(given, value=number_of(given.value, repr(given.variant)))
    if given.value is not None:
        raise Unsound(f"{given.variant!r} has a value, although its state is {given.state!r}")
    return given
