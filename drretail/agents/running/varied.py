"""``--vary NAME=VALUE,…``: a system for each value of each condition."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from drretail.agents.running.system import SystemUnderTest
from drretail.conditions.condition import Condition
from drretail.conditions.names import CONDITIONS
from drretail.conditions.registry import load_condition
from drretail.env.world import World
from drretail.errors import UserError
from drretail.records.query import Query
from drretail.records.run import OwnCondition, System

Given = str | float | Sequence[str | float]
"""The values of one condition; in one text they are separated by commas."""
Values = Mapping[str, Given]


@dataclass(frozen=True, slots=True)
class Varied:
    """The systems that conditions make, and sentences on the crossings that were left out."""

    systems: list[SystemUnderTest]
    left_out: list[str]


def varied(
    suts: Sequence[SystemUnderTest], values: Values, world: World, queries: Sequence[Query], *, cross: bool = False
) -> Varied:
    """Each system under the values; floors and the oracle as they are.

    A condition with one value has it in all systems. Of a condition with several, the first holds while another varies;
    with ``cross`` every value meets every value of the others. Crossings that make no sense are left out.

    Raises UnknownName for an unknown condition or value, and UserError if a value can't be had with this world and
    these queries, or if nothing is left.
    """
    conditions = _asked(values)
    for each in conditions:
        for value in each.values:
            each.condition.check_queries(value, queries)
    own = {each.condition.name: each.condition for each in conditions if each.place is not None}
    made: dict[str, SystemUnderTest] = {}
    left_out: dict[tuple[str, str], list[str]] = {}
    for crossing in _crossings([each.values for each in conditions], cross=cross):
        for sut in suts:
            system = sut.system
            for each, value in () if sut.agent.is_baseline else zip(conditions, crossing, strict=True):
                system = each.put(system, value, world)
            if (unfit := next(filter(None, (each.condition.unfit(system) for each in conditions)), None)) is None:
                as_system = replace(sut.as_system(system), conditions=own)
                made.setdefault(as_system.label, as_system)
            else:
                named = ", ".join(
                    f"{each.condition.name}={value}" for each, value in zip(conditions, crossing, strict=True)
                )
                left_out.setdefault((sut.label, unfit), []).append(named)
    sentences = [
        f"{label} with {first}{f', and {len(others)} more such' if others else ''}: {unfit}."
        for (label, unfit), (first, *others) in left_out.items()
    ]
    if suts and not made:
        raise UserError(sentences[0])
    return Varied([*made.values()], [f"Left out: {sentence}" for sentence in sentences])


def read_values(given: Given) -> tuple[str, ...]:
    """The values of one condition. Raises UserError if there are none, or for a blank one."""
    texts = [str(each) for each in given] if isinstance(given, list | tuple) else str(given).split(",")
    values = tuple(dict.fromkeys(text.strip() for text in texts))
    if not values or not all(values):
        raise UserError(f"--vary has {','.join(texts)!r}: write NAME=VALUE,…, such as information=tools,task.")
    return values


@dataclass(frozen=True, slots=True)
class _Asked:
    condition: Condition
    place: str | None
    """The ``module:attribute`` of one that is not built in."""
    values: tuple[str, ...]

    def put(self, system: System, value: str, world: World) -> System:
        put, name = self.condition.put(system, value, world), self.condition.name
        if self.place is None or name not in put.options:
            return put
        own = OwnCondition(place=self.place, default=self.condition.default)
        return put.model_copy(update={"conditions": put.conditions | {name: own}})


def _asked(values: Values) -> list[_Asked]:
    """The conditions, in the order in which a system is given their values."""
    conditions = [
        _Asked(condition, place, read_values(its))
        for name, its in values.items()
        for place, condition in [load_condition(name)]
    ]
    order = [*CONDITIONS]
    return sorted(
        conditions, key=lambda each: order.index(name) if (name := each.condition.name) in order else len(order)
    )


def _crossings(values: Sequence[Sequence[str]], *, cross: bool) -> Iterator[tuple[str, ...]]:
    """Values, one of each: all with all, or each one's with the first of the others."""
    if cross:
        yield from product(*values)
        return
    first = tuple(its[0] for its in values)
    yield first
    for at, its in enumerate(values):
        yield from ((*first[:at], value, *first[at + 1 :]) for value in its[1:])
