"""Things by name, the same way for every kind: built-in ones, plugins (entry points), and ``module:attribute``.

``module:attribute`` is looked for in the folder one stands in, then where Python looks. Of what it imports, and of
everything else, that folder comes last: a file ``json.py`` or ``httpx.py`` there is not taken for the library.
"""

import inspect
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, invalidate_caches
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from importlib.util import find_spec, module_from_spec
from pathlib import Path

from drretail.errors import UnknownName, UserError, describe_error, nearest_names, quoted, suggestion


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

        Raises UnknownName for a name that nothing goes by, UserError for a place that cannot be loaded: it says
        whether the module, the member, or something that the module itself imports is missing, and where.
        """
        # A place is no plugin's name: to look for one reads the metadata of every installed package.
        place = self.built_in.get(name) or (name if ":" in name else self._plugin(name))
        if place is None:
            raise UnknownName(self.what, name, self.names())
        module, _, attribute = place.partition(":")
        return place, self._member(self._module(module, place), attribute, place)

    def refused(self, place: str, found: object, wanted: str) -> UserError:
        """The error for a place that holds something else than ``wanted``; that a class is no instance is told."""
        kind = f"{'an' if self.what[0] in 'aeiou' else 'a'} {self.what}"
        if inspect.isclass(found):
            name = found.__name__
            return UserError(
                f"{place} is not {kind} but a class: write {name.upper()} = {name}(…) in its module, and name that."
            )
        return UserError(f"{place} is not {kind} (its type is {type(found).__name__}): make it {wanted}.")

    def _plugin(self, name: str) -> str | None:
        return next((point.value for point in entry_points(group=self.group, name=name)), None)

    def _module(self, module: str, place: str) -> object:
        try:
            # A built-in one is not looked for in the folder one stands in.
            if place in self.built_in.values():
                return import_module(module)
            with here_on_the_path():
                _import_from_here(module.partition(".")[0])
                return import_module(module)
        except ModuleNotFoundError as problem:
            if problem.name is not None and (module == problem.name or module.startswith(f"{problem.name}.")):
                raise UserError(
                    f"The {self.what} {quoted(place)} cannot be loaded: there is no module {problem.name!r}, neither "
                    f"in {Path.cwd()} nor among the installed packages."
                ) from problem
            raise self._broken(place, problem) from problem
        # The boundary of somebody's module: whatever it raises while it is imported is told with its place.
        except (Exception, SystemExit) as problem:
            raise self._broken(place, problem) from problem

    def _broken(self, place: str, problem: BaseException) -> UserError:
        return UserError(f"The {self.what} {quoted(place)} cannot be loaded: {describe_error(problem)}.")

    def _member(self, module: object, attribute: str, place: str) -> object:
        found: object = module
        for name in attribute.split("."):
            try:
                found = getattr(found, name)
            except AttributeError as problem:
                there = [each for each in vars(module) if not each.startswith("_")]
                hint = suggestion(nearest_names(attribute, there), there)
                raise UserError(
                    f"The {self.what} {quoted(place)} cannot be loaded: the module has no {attribute!r}. {hint}"
                ) from problem
        return found


@dataclass(frozen=True, slots=True)
class Installed:
    """One plugin that a package brings; ``problem`` says why it cannot be loaded."""

    kind: str
    name: str
    package: str
    version: str
    problem: str | None


Kind = tuple[Callable[[str], object], Iterable[str]]
"""What loads a thing of the kind by name, and the names of the built-in ones, which no plugin gets."""


def installed_plugins(kinds: Mapping[str, Kind]) -> Generator[Installed]:
    """The plugins of every kind, by kind and name, each loaded once by the function of its group in ``kinds``."""
    for group, (load, built_in) in kinds.items():
        taken = dict.fromkeys(built_in, "drretail's own")
        for point in sorted(entry_points(group=group), key=lambda entry_point: entry_point.name):
            problem = None
            try:
                if point.name in taken:
                    raise UserError(f"the name {point.name!r} means {taken[point.name]}; nothing reaches this one")
                taken[point.name] = "another package's"
                load(point.name)
            # The boundary of somebody's package.
            except (Exception, SystemExit) as raised:  # noqa: BLE001
                problem = str(raised) if isinstance(raised, UserError) else describe_error(raised)
            package, version = ("?", "?") if point.dist is None else (point.dist.name, point.dist.version)
            yield Installed(group.rpartition(".")[2], point.name, package, version, problem)


def is_module(name: str) -> bool:
    """True when a module of this name is found, here or where Python looks; it is not imported, its parents are."""
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    with here_on_the_path():
        try:
            return find_spec(name) is not None
        except (ImportError, ValueError):
            return False


@contextmanager
def here_on_the_path() -> Generator[None]:
    """Modules of the folder one stands in are found for the time of a ``with`` block, behind all others."""
    here = str(Path.cwd())
    invalidate_caches()  # a file that was written a moment ago is not overlooked
    sys.path.append(here)
    try:
        yield
    finally:
        del sys.path[len(sys.path) - 1 - sys.path[::-1].index(here)]


def _import_from_here(name: str) -> None:
    """Imports the module of that name that lies in the folder one stands in, unless it is loaded, or Python's own."""
    if name in sys.modules or name in sys.stdlib_module_names:
        return
    spec = PathFinder.find_spec(name, [str(Path.cwd())])
    if spec is None or spec.loader is None or spec.origin is None:
        return
    sys.modules[name] = module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
