"""Agents, metrics, tools … by name: built-in ones, those of add-ons, plugins (entry points), and ``module:attribute``.

The module of ``module:attribute`` is looked for in the current folder first, then on Python's path. For everything
that it imports, the current folder comes last: a file ``json.py`` or ``httpx.py`` there does not hide the library.
"""

import importlib.metadata
import inspect
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, invalidate_caches
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, EntryPoints
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

from drretail.errors import UnknownName, UserError, describe_error, nearest_names, quoted, suggestion

ADDONS = Path(__file__).with_name("addons")


@cache
def addon_names(kind: str) -> dict[str, Any]:
    """What the add-ons list under ``kind`` in their names.toml, in the order of the add-ons' names."""
    listed: dict[str, Any] = {}
    for path in sorted(ADDONS.glob("*/names.toml")):
        listed |= tomllib.loads(path.read_text(encoding="utf-8")).get(kind, {})
    return listed


def entry_points(*, group: str, name: str | None = None) -> Iterable[EntryPoint]:
    """The installed packages' entry points of a group; with ``name``, those alone.

    They are read anew only if a folder of Python's path has changed: that opens the metadata of every package.
    """
    folders = [Path(place) for place in sys.path]
    changed = tuple(folder.stat().st_mtime_ns if folder.exists() else 0 for folder in folders)
    return (point for point in _entry_points(group, (*sys.path, *changed)) if name in (None, point.name))


@cache
def _entry_points(group: str, path: tuple[str | int, ...]) -> EntryPoints:
    del path  # what the answer rests on
    return importlib.metadata.entry_points(group=group)


@dataclass(frozen=True, slots=True)
class Plugins:
    """One kind of plugin: its word in messages, the built-in places by name, entry points' group, users' own."""

    what: str
    built_in: Mapping[str, str]
    group: str
    forms: str = "MODULE:NAME"

    @property
    def own(self) -> dict[str, str]:
        """The places of drretail by name: the built-in ones, and those that add-ons list for this group."""
        return {**self.built_in, **addon_names(self.group.removeprefix("drretail."))}

    def names(self) -> list[str]:
        """Every name that ``load`` takes, apart from ``module:attribute``."""
        return sorted({*self.own, *(point.name for point in entry_points(group=self.group))})

    def load(self, name: str) -> tuple[str, object]:
        """The ``module:attribute`` of ``name``, and the object there; no other plugin is imported.

        Raises UnknownName for an unknown name, and UserError for a module that cannot be loaded, which says whether
        the module, the attribute, or something that the module imports is missing.
        """
        # ``module:attribute`` skips the entry points: reading them opens the metadata of every installed package.
        place = self.own.get(name) or name
        if ":" not in place:
            place = next((point.value for point in entry_points(group=self.group, name=name)), "")
        module, _, attribute = place.partition(":")
        if not module or not attribute or attribute.startswith("//"):  # no address is one of ours
            raise UnknownName(self.what, name, self.names(), own_name=self.forms)
        return place, self._member(self._module(module, place), attribute, place)

    def refused(self, place: str, member: object, wanted: str) -> UserError:
        """The error for an object that is not ``wanted``; for a class, it says to make an instance."""
        kind = f"{'an' if self.what[0] in 'aeiou' else 'a'} {self.what}"
        if inspect.isclass(member):
            name = member.__name__
            return UserError(
                f"{place} is not {kind} but a class: write {name.upper()} = {name}(…) in its module, and name that."
            )
        return UserError(f"{place} is not {kind} (its type is {type(member).__name__}): make it {wanted}.")

    def _module(self, module: str, place: str) -> object:
        try:
            # Built-in modules are not looked for in the current folder.
            if place not in self.own.values():
                if (here := str(Path.cwd())) not in sys.path:
                    sys.path.append(here)  # for good: a function may import what is beside it when it is called
                invalidate_caches()  # or a file that was written a moment ago would be overlooked
                _import_from_here(module.partition(".")[0])
            return import_module(module)
        except ModuleNotFoundError as problem:
            if problem.name is not None and (module == problem.name or module.startswith(f"{problem.name}.")):
                raise UserError(
                    f"The {self.what} {quoted(place)} cannot be loaded: there is no module {problem.name!r}, neither "
                    f"in {Path.cwd()} nor among the installed packages."
                ) from problem
            raise self._broken(place, problem) from problem
        # The boundary to the user's module: whatever it raises while it is imported is reported with its place.
        except (Exception, SystemExit) as problem:
            raise self._broken(place, problem) from problem

    def _broken(self, place: str, problem: BaseException) -> UserError:
        return UserError(f"The {self.what} {quoted(place)} cannot be loaded: {describe_error(problem)}.")

    def _member(self, module: object, attribute: str, place: str) -> object:
        member: object = module
        for name in attribute.split("."):
            try:
                member = getattr(member, name)
            except AttributeError as problem:
                attributes = {name: value for name, value in vars(module).items() if not _is_imported(value, module)}
                public = [name for name in attributes if not name.startswith("_")]
                hint = suggestion(nearest_names(attribute, public), public)
                raise UserError(
                    f"The {self.what} {quoted(place)} cannot be loaded: the module has no {attribute!r}. {hint}"
                ) from problem
        return member


def _is_imported(value: object, module: object) -> bool:
    if inspect.isclass(value) or inspect.isroutine(value):
        made_in = getattr(value, "__module__", None)  # a method of Python's own, such as str.lower, has none
        return made_in is not None and made_in != getattr(module, "__name__", None)
    return inspect.ismodule(value)


def is_module(name: str) -> bool:
    """True if this module exists in the current folder or on Python's path; only its parents are imported."""
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    invalidate_caches()
    sys.path.append(here := str(Path.cwd()))
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
    finally:
        del sys.path[len(sys.path) - 1 - sys.path[::-1].index(here)]


def code_in(specs: Iterable[str], names: Iterable[str]) -> list[str]:
    """Those of the specs that may name code: ``module:attribute…`` of none of ``names``.

    Nothing is imported or looked for: a module that isn't there yet can be there when it is loaded.
    """
    return [spec for spec in specs if ":" in spec and spec.partition(":")[0] not in names]


def _import_from_here(name: str) -> None:
    """Imports this module from the current folder, unless it is loaded already or in the standard library."""
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
