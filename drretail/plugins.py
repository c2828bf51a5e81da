"""Things by name, the same way for every kind: built-in ones, plugins (entry points), and ``module:attribute``."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points

from drretail.errors import UnknownName, UserError


@dataclass(frozen=True, slots=True)
class Plugins:
    """One kind of thing: what a person calls it, its built-in places by name, and the group of its entry points."""

    what: str
    built_in: Mapping[str, str]
    group: str

    def names(self) -> list[str]:
        """Every name that ``load`` takes besides ``module:attribute``."""
        return sorted({*self.built_in, *(point.name for point in entry_points(group=self.group))})

    def load(self, name: str) -> tuple[str, object]:
        """The place that ``name`` stands for, and what is there; nothing but it is imported.

        Raises UnknownName for a name that nothing goes by, UserError for a place that cannot be loaded.
        """
        place = self.built_in.get(name) or self._plugin(name) or (name if ":" in name else None)
        if place is None:
            raise UnknownName(self.what, name, self.names())
        module, _, attribute = place.partition(":")
        try:
            return place, getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as problem:
            raise UserError(f"The {self.what} {name!r} cannot be loaded from {place}: {problem}.") from problem

    def _plugin(self, name: str) -> str | None:
        return next((point.value for point in entry_points(group=self.group, name=name)), None)
