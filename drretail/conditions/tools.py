"""What a system may do: which tools it lacks, whose data they show, and its limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import cast, get_args

from pydantic import ValidationError

from drretail.conditions.condition import Condition, dropping, with_options
from drretail.env.world import World
from drretail.errors import UserError, check_known
from drretail.records.run import MIX, Limits, Scope, SearchMix, System
from drretail.tools.registry import FAMILIES, tools_of

ALL = "all"


class _Without(Condition):
    """Families of tools that are left out, in addition to those that other conditions leave out."""

    def put(self, system: System, value: str, world: World) -> System:
        if value == self.default:
            return system
        families = [*FAMILIES] if value == ALL else value.split("+")
        tools_of(families)  # raises for one that there isn't
        return with_options(system, {"without": sorted({*families, *system.options.get("without", ())})})

    def unfit(self, system: System) -> str | None:
        if system.web_mode == "ws" and "web" in system.options.get("without", ()):
            return "an agent without the web has no pages to read: leave +ws out"
        return None

    def of(self, system: System) -> str:
        return "+".join(system.options.get("without", ())) or self.default


class _Scope(Condition):
    def put(self, system: System, value: str, world: World) -> System:
        self.check(value)
        return with_options(system, {}, scope=value)

    def of(self, system: System) -> str:
        return system.sees

    def without(self, system: System) -> System:
        return dropping(system, scope="own")


class _Limit(Condition):
    """One limit of a run. Agents that don't heed it ignore it, and have no value of it."""

    def put(self, system: System, value: str, world: World) -> System:
        limits = read_limits({**system.limits.model_dump(exclude_none=True), self.name: self.number(value)})
        return with_options(system, {}, limits=limits)

    def of(self, system: System) -> str | None:
        limit = getattr(system.limits, self.name)
        return None if limit is None else str(limit)

    def without(self, system: System) -> System:
        default = Limits.model_fields[self.name].default
        return dropping(system, limits=system.limits.model_copy(update={self.name: default}))

    def number(self, value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            number = nan
        if not isfinite(number):
            raise UserError(f"--vary {self.name}={value}: write numbers, such as {self.name}=2,8.")
        return int(number) if number == int(number) else number

    def words(self, value: str) -> str:
        return f"{value} {self.name.replace('_', ' ')}"


def read_limits(limits: Limits | Mapping[str, float] | None) -> Limits:
    """The limits of a run. Raises UnknownName for an unknown limit, and UserError for a wrong number."""
    if limits is None or isinstance(limits, Limits):
        return limits or Limits()
    check_known("limit", Limits.model_fields, *limits)
    try:
        return Limits.model_validate(dict(limits), strict=True)
    except ValidationError as problem:
        first = problem.errors()[0]
        name = str(first["loc"][0])
        raise UserError(f"The limit {name} is {limits[name]}: {first['msg'].lower()}.") from problem


def limit_condition(name: str) -> Condition:
    """The condition of one of the fields of ``Limits``."""
    default = Limits.model_fields[name].default
    return _Limit(
        name=name,
        about=f"the limit {name}",
        default="" if default is None else str(default),
        form="N",
        is_stepwise=True,
        is_shown=name == "rag_turns",
    )


WITHOUT = _Without(
    name="without",
    about="which tools are left out",
    default="none",
    form="web+catalog+user+calculator, or all",
    is_shown=False,
)
SCOPE = _Scope(
    name="scope",
    about="whether tools show only the user's own data, or any user's as in the paper",
    values=("own", "any"),
    is_shown=False,
)


class _Mix(Condition):
    def of(self, system: System) -> str | None:
        return super().of(system) if system.is_command_or_address else None

    def unfit(self, system: System) -> str | None:
        has_one = MIX in system.options and not system.is_command_or_address
        return "only the searches of commands and addresses are a mix of pages and products" if has_one else None


MIX_CONDITION = _Mix(
    name=MIX,
    about="what searches give commands and addresses",
    values=get_args(SearchMix),
    in_words={"turns": "pages and products in turns", "web": "pages alone", "shop": "products alone"},
    is_shown=False,
)


@dataclass(frozen=True, slots=True)
class ClientConditions:
    """The conditions of the tools that a client calls with a model of its own."""

    scope: Scope = "own"
    without: Sequence[str] = ()


def client_conditions(values: Mapping[str, str | float | Sequence[str | float]] | None) -> ClientConditions:
    """The conditions of ``--vary`` for a client. Raises UserError for several values, and for one that is an agent's.

    Raises UnknownName for an unknown value.
    """
    alone: dict[str, str] = {}
    for name, written in (values or {}).items():
        check_known("condition of tools", ("scope", "without"), name)
        texts = str(written).split(",") if isinstance(written, str | int | float) else [str(value) for value in written]
        alone[name] = texts[0].strip()
        if len(texts) > 1:
            raise UserError(f"--vary {name}: tools are served under one value of each condition.")
    SCOPE.check(scope := alone.get("scope", SCOPE.default))
    without = alone.get("without", WITHOUT.default)
    families = () if without == WITHOUT.default else tuple(FAMILIES) if without == ALL else tuple(without.split("+"))
    tools_of(families)  # raises for one that there isn't
    return ClientConditions(cast(Scope, scope), families)
