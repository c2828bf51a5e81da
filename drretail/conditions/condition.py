"""What systems differ in besides their agents and models: one entry for each condition."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from drretail.env.world import World
from drretail.errors import check_known
from drretail.records.query import Query, Task
from drretail.records.run import System


@dataclass(frozen=True, kw_only=True, eq=False)
class Condition:
    """Something that systems differ in, such as what they know about the shopper; each value makes a system.

    A condition of your own needs a name, its values and what they change: ``task``, ``world``, or both. A built-in one
    says instead, in methods, how a system has a value.
    """

    name: str
    about: str
    """What differs, in words that complete "by": "what is known about the shopper"."""
    values: tuple[str, ...] = ()
    """All values; empty if any text of ``form`` is a value."""
    default: str = ""
    """The first of ``values``, if not given."""
    form: str = ""
    """How a value is written, if they can't be listed: "32k"."""
    task: Callable[[Task, Query, str], Task] | None = None
    """The task that an agent is given under a value that is not the default."""
    world: Callable[[World, Query, str], World] | None = None
    """The world that an agent sees under a value that is not the default."""
    is_stepwise: bool = False
    """True if the values are in order, so that each is compared with the one before it."""
    in_words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values as tables name them, if not as they are."""
    is_shown: bool = True
    """True if its tables stand on the page; otherwise ``compare --by`` makes them."""

    def __post_init__(self) -> None:
        if self.values and not self.default:
            object.__setattr__(self, "default", self.values[0])

    @property
    def written(self) -> str:
        """How its values are written."""
        return "|".join(self.values) or self.form

    def put(self, system: System, value: str, world: World) -> System:
        """The system under this value, in this world. Floors and the oracle are never asked.

        Raises UserError for a value that there isn't.
        """
        self.check(value)
        return with_options(system, {self.name: None if value == self.default else value})

    def check(self, value: str) -> None:
        """Raises UnknownName for a value that is none of ``values``."""
        if self.values:
            check_known(f"value of {self.name}", self.values, value)

    def check_queries(self, value: str, queries: Sequence[Query]) -> None:
        """Raises UserError if these queries can't be asked under this value."""

    def unfit(self, system: System) -> str | None:
        """Why a system, as all its values have made it, makes no sense; None if it does."""

    def of(self, system: System) -> str | None:
        """The system's value; None if the condition does not concern it."""
        return str(system.options.get(self.name) or self.default)

    def without(self, system: System) -> System:
        """The system without the condition. Systems that are then equal are one agent and share a row."""
        return dropping(system, self.name)

    def number(self, value: str) -> float | None:
        """A value as a number, by which values are sorted; None if it isn't one."""

    def order(self, value: str) -> tuple[float, str]:
        """The sort key of a value."""
        number = self.number(value)
        values = self.values or (self.default,)
        return (values.index(value) if value in values else len(values)) if number is None else number, value

    def kind(self, value: str) -> str:
        """The kind of a value. An agent is compared only if its values are of two kinds or more."""
        return value

    def words(self, value: str) -> str:
        """A value as tables name it."""
        return self.in_words.get(value, value)


def with_options(system: System, options: Mapping[str, Any], **fields: Any) -> System:
    """The same system with these options, without those that are None, and with these fields."""
    changed = {name: value for name, value in {**system.options, **options}.items() if value is not None}
    return system.model_copy(update={"options": changed, **fields})


def dropping(system: System, *names: str, tools: str = "", **fields: object) -> System:
    """A copy without these options, with the tool family ``tools`` switched on again and these fields set."""
    options = {name: value for name, value in system.options.items() if name not in names}
    if "without" in options and tools:
        left = [option for option in options.pop("without") if option != tools]
        options |= {"without": left} if left else {}
    conditions = {name: condition for name, condition in system.conditions.items() if name not in names}
    return system.model_copy(update={"options": options, "conditions": conditions, **fields})
