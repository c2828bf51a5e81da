"""Loads conditions by name: the built-in ones, limits, plugins (entry points of drretail.conditions), and
``module:attribute``.
"""

from collections.abc import Iterator, Mapping

from drretail.conditions.condition import Condition
from drretail.conditions.names import CONDITIONS
from drretail.conditions.tools import limit_condition
from drretail.errors import UnknownName, UserError
from drretail.plugins import Plugins
from drretail.records.run import FILES, Limits, System

PLUGINS = Plugins("condition", CONDITIONS, "drretail.conditions")


def load_condition(name: str, *beside: str) -> tuple[str | None, Condition]:
    """The condition of that name, with its ``module:attribute`` if it is no built-in one; ``beside`` are names that may
    stand in its place.

    Raises UnknownName if there is none, UserError for another object and for a condition whose name can't be used.
    """
    if name in Limits.model_fields:
        return None, limit_condition(name)
    if name not in CONDITIONS and ":" not in name and name not in PLUGINS.names():
        raise UnknownName("condition", name, {*CONDITIONS, *Limits.model_fields, *PLUGINS.names(), *beside})
    place, condition = PLUGINS.load(name)
    if not isinstance(condition, Condition):
        raise PLUGINS.refused(place, condition, "a drretail.Condition")
    if name in CONDITIONS:
        return None, condition
    if condition.name in {*CONDITIONS, *Limits.model_fields, FILES} or not condition.name.isidentifier():
        raise UserError(
            f"{place} goes by the name {condition.name!r}, which is taken or no Python name: give it another."
        )
    return place, condition


def conditions_of(system: System, conditions: Mapping[str, Condition]) -> Iterator[tuple[Condition, str]]:
    """The conditions of a system's options that are not at their defaults, each with its value.

    ``own`` are the user's own by name. None is loaded because a system names it: systems may be anybody's.
    """
    for name in system.options:
        condition = load_condition(name)[1] if name in CONDITIONS else conditions.get(name)
        if condition is not None and (value := condition.of(system)) is not None:
            yield condition, value
