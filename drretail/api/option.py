"""An option is written once: a field of a dataclass, annotated with an ``Option``.

Keyword arguments of Python's functions (``accepts``), flags of the commands (``cli/options/parameters.py``) and the
entries of ``experiment.toml`` (``options/experiment_file.py``) are made from these fields.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, ForwardRef, ParamSpec, TypeVar, Union, get_args, get_origin

from drretail.errors import UnknownName, UserError

P = ParamSpec("P")
O = TypeVar("O")  # noqa: E741
R = TypeVar("R")

MODELS = "Models and money"
SHOP = "Shop and web"
LIMITS = "Limits"
RESUMING = "Resuming"
OUTPUT = "Output"
LAST_GROUPS = (MODELS, SHOP, LIMITS, RESUMING, OUTPUT)
"""Headings of ``--help``, in their order; options without a group come first, then those of other groups."""


@dataclass(frozen=True, slots=True)
class Option:
    """What a flag needs to know besides the field's name, type and default."""

    help: str
    group: str = ""
    """The heading under which ``--help`` lists it; without one it is among the usual options, which come first."""
    flag: str | None = None
    """``--name`` (``--no-name`` where the default is True) unless given; empty: only Python has this option."""
    short: str | None = None
    metavar: str | None = None
    type: Any = None
    """What a flag holds, where Python accepts more than that; a quoted annotation needs it."""
    in_file: tuple[Any, ...] = ()
    """What ``experiment.toml`` may hold, where that is more than the flag: types, ``dict`` for a table."""
    argument: bool = False
    """True: an argument without a flag."""
    min: float | None = None
    max: float | None = None
    default: str | None = None
    """What help shows as the default, where the value itself says too little."""
    from_flag: Callable[[Any], Any] | None = None
    """Turns the texts of a flag into the value that Python takes."""
    is_path: Callable[[str], bool] | None = None
    """Tells which texts are paths, which a file has relative to itself; every text of the type Path is one."""


@dataclass(frozen=True, slots=True)
class DeclaredOption:
    """A field of an options dataclass with its ``Option``."""

    name: str
    annotation: Any
    """The field's type, without the ``Option``."""
    option: Option
    default: Any
    """``dataclasses.MISSING`` where the field has to be given."""

    @property
    def is_required(self) -> bool:
        return self.default is MISSING

    @property
    def is_switch(self) -> bool:
        return isinstance(self.default, bool)

    @property
    def flag(self) -> str | None:
        """The flag, such as ``--no-pages`` for a switch that is on; None where the command has none."""
        if self.option.argument or self.option.flag == "":
            return None
        name = self.name.replace("_", "-")
        return self.option.flag or (f"--no-{name}" if self.default is True else f"--{name}")

    @property
    def kind(self) -> Any:
        """What a flag and a file hold: the option's own type, else the field's without None; a list of several."""
        if self.is_switch:
            return bool
        if self.option.type is not None:
            return self.option.type
        kind = self.annotation
        if get_origin(kind) in (Union, UnionType):
            kinds = [each for each in get_args(kind) if each is not NoneType]
            kind = Path if Path in kinds else kinds[0]
        return list[get_args(kind)[0]] if get_origin(kind) is tuple else kind


def declared_options(record: type) -> list[DeclaredOption]:
    """The options that a dataclass declares, in their order, those of its base last.

    Fields without an ``Option`` are left out.
    """
    found: list[DeclaredOption] = []
    own = [*inspect.get_annotations(record)]
    for field in sorted(fields(record), key=lambda field: own.index(field.name) if field.name in own else len(own)):
        if get_origin(field.type) is not Annotated:
            continue
        annotation, *extras = get_args(field.type)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        found += [
            DeclaredOption(field.name, annotation, option, default) for option in extras if isinstance(option, Option)
        ]
    return found


def keywords(options: Any) -> dict[str, Any]:
    """The fields of an options record by name, as the function that takes them wants them."""
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


def accepts(record: Callable[P, O]) -> Callable[[Callable[[O], R]], Callable[P, R]]:
    """Turns a function of an options record into one that takes the record's fields as its arguments.

    Type checkers see the record's own signature; ``help()`` shows it, and each option's help below the docstring.
    """
    assert isinstance(record, type)
    declared = {option.name: option for option in declared_options(record)}
    known = [field.name for field in fields(record) if field.init]

    def decorate(function: Callable[[O], R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> R:
            for name in given:
                if name not in known:
                    raise UnknownName(f"option of {function.__name__}", name, known)
            options = record(*args, **given)
            for name, option in declared.items():
                check_bounds(option, getattr(options, name))
            return function(options)

        call.__dict__["__signature__"] = _shown_signature(record, declared, function)
        lines = [f"    {name}: {python_help(option)}" for name, option in declared.items()]
        call.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", "Options:", *lines])
        return call

    return decorate


def python_help(option: DeclaredOption) -> str:
    """The help for a keyword. That of a switch which is on by default says what its flag does: what False does."""
    text = option.option.help
    return f"If False: {text[0].lower()}{text[1:]}" if option.default is True else text


def _shown_signature(
    record: Callable[..., Any], declared: Mapping[str, DeclaredOption], function: Callable[..., Any]
) -> inspect.Signature:
    """The record's signature with plain types in the place of annotated ones."""
    signature = inspect.signature(record)
    shown: list[inspect.Parameter] = []
    for name, option in declared.items():
        annotation = option.annotation
        if isinstance(annotation, ForwardRef):
            annotation = annotation.__forward_arg__
        shown.append(signature.parameters[name].replace(annotation=annotation))
    return inspect.Signature(shown, return_annotation=function.__annotations__.get("return"))
