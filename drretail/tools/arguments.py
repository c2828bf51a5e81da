"""Checks a model's arguments against a tool's schema: complete, of the right type and within bounds, or an error that
says what is wrong.
"""

import math
import re
from collections.abc import Mapping
from typing import Any

from drretail.errors import ToolError, nearest_names, quoted, shortened, suggestion
from drretail.parsing import writable
from drretail.tools.tool import Parameter

_NUMERAL = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_arguments(parameters: tuple[Parameter, ...], given: object, prefix: str = "") -> dict[str, Any]:
    """The arguments to call a tool with; missing and null optional ones are left out.

    A number may be a plain numeral in a string, since models send those. Nothing else is converted.

    Raises ToolError("invalid_argument") that names the field and the allowed values.
    """
    if not isinstance(given, Mapping):
        where = f"{prefix.rstrip('.')} " if prefix else "The arguments "
        raise _wrong(f"{where}must be a JSON object.", prefix.rstrip(".") or None)
    known = {parameter.name: parameter for parameter in parameters}
    for name in given:
        if name not in known:
            raise _unknown(prefix, name if isinstance(name, str) else quoted(name), list(known))
    arguments: dict[str, Any] = {}
    for name, parameter in known.items():
        value = given.get(name)
        if value is not None:
            arguments[name] = _read(parameter, value, f"{prefix}{name}")
        elif parameter.required:
            raise _wrong(f"{prefix}{name} is missing: {parameter.description}", f"{prefix}{name}")
    return arguments


def _read(parameter: Parameter, value: object, field: str) -> Any:
    if parameter.type == "object":
        return read_arguments(parameter.fields, value, f"{field}.")
    if parameter.type == "string":
        return _text(parameter, value, field)
    return _number(parameter, value, field)


def _text(parameter: Parameter, value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _wrong(f"{field} must be a string.", field)
    if _SURROGATE.search(value):
        raise _wrong(f"{field} holds half of a character (an unpaired surrogate).", field)
    if parameter.enum and value not in parameter.enum:
        raise ToolError(
            "invalid_argument", f"{field} must be one of the allowed values.", field=field, allowed=parameter.enum
        )
    if parameter.min_length is not None and len(value) < parameter.min_length:
        raise _wrong(f"{field} is empty: {parameter.description}", field)
    if parameter.max_length is not None and len(value) > parameter.max_length:
        raise _wrong(f"{field} has {len(value)} characters; at most {parameter.max_length} are allowed.", field)
    return value


def _number(parameter: Parameter, value: object, field: str) -> float | int:
    number = value
    if isinstance(value, str):
        text = value.strip()
        number = None if not _NUMERAL.fullmatch(text) else float(text) if "." in text else int(text)
    kind = "a whole number" if parameter.type == "integer" else "a number"
    # bool is an int to Python, but not to JSON. NaN and infinities are not below 2**53 either; a store's columns hold
    # 64 bits, and no argument needs more than 53.
    if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) < 2**53:
        raise _wrong(f"{field} must be {kind}{_range(parameter)}.", field)
    if parameter.type == "integer" and number != int(number):
        raise _wrong(f"{field} must be {kind}{_range(parameter)}; {number:g} is not.", field)
    low, high = parameter.minimum, parameter.maximum
    if (low is not None and number < low) or (high is not None and number > high):
        raise _wrong(f"{field} must be {kind}{_range(parameter)}; {number:g} is not.", field)
    return int(number) if parameter.type == "integer" else float(number)


def _range(parameter: Parameter) -> str:
    low, high = parameter.minimum, parameter.maximum
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    return f" of at least {low:g}" if low is not None else ""


def _unknown(prefix: str, name: str, known: list[str]) -> ToolError:
    message = f"There is no argument {quoted(prefix + name)}. {suggestion(nearest_names(name, known, 3), known)}"
    return ToolError("invalid_argument", message, field=shortened(f"{prefix}{name}"), allowed=known)


def _wrong(message: str, field: str | None) -> ToolError:
    return ToolError("invalid_argument", message, field=field)


def recordable(value: object, depth: int = 8) -> Any:
    """The value as JSON that can be written to a file, so that no argument of a model can break the run's record."""
    if isinstance(value, str):
        return writable(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**63 else f"a whole number of {value.bit_length()} bits"
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, Mapping) and depth:
        return {str(recordable(key, 0)): recordable(item, depth - 1) for key, item in value.items()}
    if isinstance(value, list | tuple) and depth:
        return [recordable(item, depth - 1) for item in value]
    return f"… ({type(value).__name__})"  # its repr may be endless, or fail
