"""Model profiles by name: those that ship, the user's own, and those of a file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from drretail.errors import UnknownName, UserError, file_error
from drretail.parsing import parse_toml
from drretail.records.models import ModelProfile

SHIPPED = Path(__file__).with_name("profiles.toml")


def read_profile(name: str, own: Mapping[str, ModelProfile] | None = None) -> ModelProfile:
    """The profile ``NAME`` of the user or of those that ship, or ``FILE.toml:NAME``.

    Raises UserError for an unknown name and for a file that is missing or holds no profiles.
    """
    file, colon, inner = name.rpartition(":")
    if colon:
        return _named(inner, profiles_of(Path(file)), f"model profile in {file}")
    return _named(name, {**profiles_of(SHIPPED), **(own or {})}, "model profile")


def profiles_of(path: Path) -> dict[str, ModelProfile]:
    """All profiles of a TOML file, by name; UserError when it holds something else."""
    try:
        tables: dict[str, Any] = parse_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"There is no file of model profiles at {path}.") from None
    except UnicodeDecodeError as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{path} is not valid TOML: {problem}.") from problem
    return {name: _profile(name, table, path) for name, table in tables.items()}


def _profile(name: str, table: Any, path: Path) -> ModelProfile:
    try:
        return ModelProfile.model_validate(table)
    except ValidationError as problem:
        first = problem.errors()[0]
        field = ".".join(str(part) for part in (name, *first["loc"]))
        raise UserError(f"Model profile {field} in {path}: {first['msg']}.") from problem


def _named(name: str, profiles: Mapping[str, ModelProfile], what: str) -> ModelProfile:
    if name not in profiles:
        raise UnknownName(what, name, profiles)
    return profiles[name]
