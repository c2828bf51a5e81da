"""JSON and TOML from outside: read, or refused by the one error of each format, however they are made."""

import json
import tomllib
from typing import Any

TOO_DEEP = "it is nested too deep"
TOO_LONG = "a whole number in it has too many digits"


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises JSONDecodeError for whatever is none, and for what Python cannot hold: nesting without end and whole numbers
    of thousands of digits are otherwise a RecursionError and a bare ValueError. Bytes that are no text raise
    UnicodeDecodeError, a ValueError like it.
    """
    try:
        return json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except RecursionError:
        raise _refused(TOO_DEEP) from None
    except ValueError:
        raise _refused(TOO_LONG) from None


def json_or_none(text: str) -> Any:
    """The value of a JSON text; None for any other text, as for "null"."""
    try:
        return parse_json(text)
    except json.JSONDecodeError:
        return None


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises TOMLDecodeError for whatever is none, as ``parse_json`` does."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError(TOO_DEEP) from None
    except ValueError:
        raise tomllib.TOMLDecodeError(TOO_LONG) from None


def _refused(problem: str) -> json.JSONDecodeError:
    """The error without a place, which nobody knows."""
    error = json.JSONDecodeError(problem, "", 0)
    error.args = (problem,)
    return error
