"""Model profiles by name: packaged ones, the user's own, and those in a file."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from drretail.errors import UnknownName, UserError, file_error
from drretail.parsing import parse_toml
from drretail.records.base import fault_of
from drretail.records.models import ModelProfile

SHIPPED = Path(__file__).with_name("profiles.toml")


def read_profile(name: str, own: Mapping[str, ModelProfile] | None = None) -> ModelProfile:
    """The profile called ``NAME``, the user's own or a packaged one, or the one at ``FILE.toml:NAME``.

    Raises UserError if the name is unknown, or the file is missing or holds no profiles.
    """
    file, colon, inner = name.rpartition(":")
    profiles = profiles_of(Path(file)) if colon else {**profiles_of(SHIPPED), **(own or {})}
    if inner not in profiles:
        raise UnknownName(f"model profile in {file}" if colon else "model profile", inner, profiles)
    return profiles[inner]


def profiles_of(path: Path) -> dict[str, ModelProfile]:
    """All profiles of a TOML file, by name. Raises UserError if it holds anything else."""
    try:
        tables: dict[str, Any] = parse_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"There is no file of model profiles at {path}.") from None
    except UnicodeDecodeError as problem:
        raise UserError(f"{file_error(problem, path)}.") from problem
    except tomllib.TOMLDecodeError as problem:
        raise UserError(f"{path} is not valid TOML: {problem}.") from problem
    profiles: dict[str, ModelProfile] = {}
    for name, table in tables.items():
        try:
            profiles[name] = ModelProfile.model_validate(table)
        except ValidationError as problem:
            raise UserError(f"Model profile in {path}: {name}.{fault_of(problem)}.") from problem
    return profiles
