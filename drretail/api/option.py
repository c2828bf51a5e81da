"""Options, each written once: as a field of a dataclass, annotated with an ``Option``.

The keyword arguments of Python's functions (``accepts``), the flags of the commands (``cli/result.py``) and
the entries of ``experiment.toml`` (``options/experiment_file.py``) are made from these fields.
"""

import inspect
from collections.abc import Callable, Sequence, Set
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, ForwardRef, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from drretail.errors import UnknownName, UserError, check_known, quoted

P = ParamSpec("P")
O = TypeVar("O")  # noqa: E741
R = TypeVar("R")

MODELS = "Models and money"
SHOP = "Shop and web"
LIMITS = "Limits"
RESUMING = "Resuming"
OUTPUT = "Output"
LAST_GROUPS = (MODELS, SHOP, LIMITS, RESUMING, OUTPUT)
"""The last headings of ``--help``, in order. Options without a group come first, then those of other groups."""


@dataclass(frozen=True, slots=True)
class Option:
    """What a flag needs besides the field's name, type and default."""

    help: str
    group: str = ""
    """The heading under which ``--help`` lists it. Without one, it is among the usual options, which come first."""
    flag: str | None = None
    """The flag, if not ``--name`` (``--no-name`` if the default is True). Empty if the command has none."""
    short: str | None = None
    metavar: str | None = None
    type: Any = None
    """The type of the flag, if Python accepts more than that. An option with a quoted annotation needs it."""
    in_file: tuple[Any, ...] | None = ()
    """What ``experiment.toml`` may hold, if that is more than the flag takes: types, ``dict`` for a table. None if only
    Python has this option.
    """
    argument: bool = False
    """True for an argument without a flag."""
    needed: str = ""
    """What the command says if it gets no value, although Python does without one."""
    min: float | None = None
    max: float | None = None
    formats: list[str] | None = None
    """The forms of a date that the flag takes."""
    default: str | None = None
    """The default that help shows, if the value itself says too little."""
    from_flag: Callable[[Any], Any] | None = None
    """Turns the texts of a flag into the value that Python takes."""
    is_path: Callable[[str], bool] | None = None
    """True for a text that is a path, which a file has relative to itself. Texts of the type Path always are."""


@dataclass(frozen=True, slots=True)
class DeclaredOption:
    """A field of an options dataclass with its ``Option``."""

    name: str
    annotation: Any
    """The field's type, without the ``Option``."""
    option: Option
    default: Any
    """``dataclasses.MISSING`` if the field is required."""

    @property
    def is_required(self) -> bool:
        return self.default is MISSING

    @property
    def is_switch(self) -> bool:
        return isinstance(self.default, bool)

    @property
    def flag(self) -> str | None:
        """The flag, such as ``--no-pages`` for a switch that is on; None if the command has no flag for it."""
        if self.option.argument or self.option.flag == "":
            return None
        name = self.name.replace("_", "-")
        return self.option.flag or (f"--no-{name}" if self.default is True else f"--{name}")

    @property
    def kind(self) -> Any:
        """The type of the value in a flag or file: the option's own, or the field's without None; lists for tuples."""
        if self.is_switch:
            return bool
        if self.option.type is not None:
            return self.option.type
        kind = self.annotation
        if get_origin(kind) in (Union, UnionType):
            kinds = [part for part in get_args(kind) if part is not NoneType]
            kind = Path if Path in kinds else kinds[0]
        return list[get_args(kind)[0]] if get_origin(kind) is tuple else kind


def declared_options(record: type) -> list[DeclaredOption]:
    """The options that a dataclass declares, in their order; those of its base come last.

    Fields that are not annotated are left out.
    """
    options: list[DeclaredOption] = []
    ordered = [*inspect.get_annotations(record)]
    for field in sorted(
        fields(record), key=lambda field: ordered.index(field.name) if field.name in ordered else len(ordered)
    ):
        if get_origin(field.type) is not Annotated:
            continue
        annotation, *extras = get_args(field.type)
        (option,) = (extra for extra in extras if isinstance(extra, Option))
        default = field.default if field.default_factory is MISSING else field.default_factory()
        options.append(DeclaredOption(field.name, annotation, option, default))
    return options


def keywords(options: Any) -> dict[str, Any]:
    """The fields of an options record by name, as keyword arguments for its function."""
    return {field.name: getattr(options, field.name) for field in fields(options)}


def check_bounds(option: DeclaredOption, value: object) -> None:
    """Raises UserError for a number that is too small or too large for the option."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    least, most = option.option.min, option.option.max
    if least is not None and value < least:
        raise UserError(f"{option.name} is {value}: it has to be at least {least}.")
    if most is not None and value > most:
        raise UserError(f"{option.name} is {value}: it may be at most {most}.")


def check_kind(option: DeclaredOption, value: object) -> None:
    """Raises UserError for a value of another type than the option's, UnknownName for one that is none of its names."""
    if not _fits(option.annotation, value):
        kinds = (option.annotation, *get_args(option.annotation))
        names = [name for kind in kinds if get_origin(kind) is Literal for name in get_args(kind)]
        if names and isinstance(value, str):
            raise UnknownName(f"value of {option.name}", value, names)
        kind = f"one of {', '.join(names)}" if names else inspect.formatannotation(option.annotation)
        raise UserError(f"{option.name} is {quoted(value)}, and has to be {kind}.")


def _fits(kind: Any, value: object) -> bool:
    """Whether the value is of the type. Quoted types, and what an iterator yields, can't be looked at."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return any(_fits(part, value) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is not None and isinstance(value, Sequence | Set):
        return isinstance(value, origin) and all(_fits(parts[0], part) for part in value)
    kind = {int: Integral, float: Real}.get(kind, origin or kind)  # numbers of numpy, too
    return not isinstance(kind, type) or isinstance(value, kind)


def accepts(record: Callable[P, O]) -> Callable[[Callable[[O], R]], Callable[P, R]]:
    """Turns a function of an options record into one that takes the record's fields as its arguments.

    Type checkers see the record's own signature. ``help()`` shows it too, with each option's help below the docstring.
    """
    assert isinstance(record, type)
    declared = {option.name: option for option in declared_options(record)}
    names = [field.name for field in fields(record) if field.init]

    def decorate(function: Callable[[O], R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **values: P.kwargs) -> R:
            check_known(f"option of {function.__name__}", names, *values)
            options = record(*args, **values)
            for name, option in declared.items():
                check_kind(option, getattr(options, name))
                check_bounds(option, getattr(options, name))
            return function(options)

        signature = inspect.signature(record)
        shown: list[inspect.Parameter] = []
        for name, option in declared.items():  # plain types in the place of annotated ones
            kind = option.annotation
            kind = kind.__forward_arg__ if isinstance(kind, ForwardRef) else kind
            shown.append(signature.parameters[name].replace(annotation=kind))
        returned = function.__annotations__.get("return")
        call.__dict__["__signature__"] = inspect.Signature(shown, return_annotation=returned)
        lines = [f"    {name}: {python_help(option)}" for name, option in declared.items()]
        call.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", "Options:", *lines])
        return call

    return decorate


def python_help(option: DeclaredOption, false: str = "False") -> str:
    """The help of a keyword argument, or of an entry in a file, where ``false`` is written otherwise.

    If a switch is on by default, its help describes its ``--no-`` flag: what False does.
    """
    text = option.option.help
    return f"If {false}: {text[0].lower()}{text[1:]}" if option.default is True else text
