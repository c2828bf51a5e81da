"""An option is written once: a field of a dataclass, annotated with an ``Option``.

Keyword arguments of Python's functions (``accepts``), flags of the commands (``cli/options/parameters.py``) and the
entries of ``experiment.toml`` are made from these fields.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from typing import Annotated, Any, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

P = ParamSpec("P")
O = TypeVar("O")  # noqa: E741
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Option:
    """What a flag needs to know besides the field's name, type and default."""

    help: str
    group: str = ""
    """The heading under which ``--help`` lists it; the first group lists the usual ones."""
    flag: str | None = None
    """``--name`` (``--no-name`` where the default is True) unless given; empty: only Python has this option."""
    short: str | None = None
    metavar: str | None = None
    type: Any = None
    """What the text of a flag is read as, where Python accepts more than that."""
    argument: bool = False
    """True: an argument without a flag."""
    min: float | None = None
    max: float | None = None
    default: str | None = None
    """What help shows as the default, where the value itself says too little."""


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


def declared_options(record: type) -> list[DeclaredOption]:
    """The options that a dataclass declares, in their order; fields without an ``Option`` are left out."""
    hints = get_type_hints(record, include_extras=True)
    found: list[DeclaredOption] = []
    for field in fields(record):
        hint = hints[field.name]
        if get_origin(hint) is not Annotated:
            continue
        annotation, *extras = get_args(hint)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        found += [
            DeclaredOption(field.name, annotation, option, default) for option in extras if isinstance(option, Option)
        ]
    return found


def accepts(options: Callable[P, O]) -> Callable[[Callable[[O], R]], Callable[P, R]]:
    """Turns a function of an options record into one that takes the record's fields as its arguments.

    Type checkers see the record's own signature; ``help()`` shows it, and each option's help below the docstring.
    """

    def decorate(function: Callable[[O], R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> R:
            return function(options(*args, **given))

        signature = inspect.signature(options)
        call.__dict__["__signature__"] = signature.replace(return_annotation=function.__annotations__.get("return"))
        if isinstance(options, type):
            lines = [f"    {each.name}: {each.option.help}" for each in declared_options(options)]
            call.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", "Options:", *lines])
        return call

    return decorate
