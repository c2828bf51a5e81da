"""Personas and contexts in their folder: what stands there is frozen until somebody takes it away."""

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.files import read_json, write_json
from drretail.querygen.people.persona import Persona, PersonContext
from drretail.records.base import Document
from drretail.records.ids import file_name

T = TypeVar("T", Persona, PersonContext)
_FOLDERS: dict[type[Document], str] = {Persona: "personas", PersonContext: "contexts"}


def person_path(people: Path, record: type[Document], user_id: str) -> Path:
    return people / _FOLDERS[record] / f"{file_name(user_id)}.json"


def read_people(people: Path, record: type[T]) -> dict[str, T]:
    """All of one kind in the folder, by user id. Raises UserError for a file that is none."""
    found: dict[str, T] = {}
    for path in sorted((people / _FOLDERS[record]).glob("*.json")):
        try:
            read = record.model_validate(read_json(path))
        except ValidationError as problem:
            error = problem.errors()[0]
            where = ".".join(map(str, error["loc"]))
            raise UserError(f"{path} is none of the {_FOLDERS[record]}: {where}: {error['msg']}.") from problem
        found[read.user_id] = read
    return found


def freeze_person(people: Path, made: Persona | PersonContext) -> None:
    """Keeps one where none of its user is kept; the first stays."""
    path = person_path(people, type(made), made.user_id)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, made.model_dump(mode="json", exclude_none=True))
