"""Which question of the experiment a foreign task is: by its id, else by its words; a new one where it is neither."""

import re
from collections.abc import Mapping, Sequence

from drretail.errors import UserError
from drretail.imports.material import ForeignTask, Material
from drretail.records.base import sha256_of
from drretail.records.query import Query

LONGEST = 64
_KEPT = 48
_FOREIGN = re.compile(r"[^a-z0-9._-]+")
_MOST_NAMED = 5


def query_id_of(task_id: str) -> str:
    """The id itself in lower case where an id of ours may be so, else what can be read of it with a hash."""
    folded = task_id.casefold()
    readable = _FOREIGN.sub("-", folded).strip("-._")
    if readable == folded and len(folded) <= LONGEST:
        return folded
    return f"{readable[:_KEPT].rstrip('-._') or 'task'}-{sha256_of(task_id)[:8]}"


def queries_of(material: Material, form: str, held: Sequence[Query]) -> dict[str, Query]:
    """The query of every task that is there or has a report, by the task's id; ``held`` are the experiment's.

    Raises UserError where a report's question is not known, where an id is another question's already, and where two
    tasks come to one id.
    """
    by_id = {query.query_id: query for query in held}
    found: dict[str, Query] = {}
    lacking: list[str] = []
    for task_id in dict.fromkeys([*material.tasks, *(task_id for _, task_id in material.reports)]):
        query = _query(material.tasks.get(task_id), query_id_of(task_id), form, by_id)
        if query is None:
            lacking.append(task_id)
        else:
            found[task_id] = query
    if lacking:
        raise UserError(
            f"Nothing says what was asked in {_listed(lacking)}: import the questions into the same folder first, or "
            "put them beside the reports (docs/import.md)."
        )
    _check_apart(found)
    return found


def _query(task: ForeignTask | None, query_id: str, form: str, by_id: Mapping[str, Query]) -> Query | None:
    held = by_id.get(query_id)
    if task is None or (held is not None and (task.guessed or _asks(held, task))):
        return held
    alike = [query for query in by_id.values() if _asks(query, task)]
    if len(alike) == 1:
        return alike[0]
    if held is not None:
        raise UserError(f"The experiment asks something else as {query_id!r}: use a new folder, or rename the task.")
    return Query(
        query_id=query_id,
        text=task.text,
        mode="task",
        task_id=task.task_id,
        persona=task.persona,
        context=task.context,
        files=task.files,
        kind=task.kind,
        wish=task.wish,
        checklist=task.checklist or None,
        source=f"import:{form}",
    )


def _asks(query: Query, task: ForeignTask) -> bool:
    return query.text.split() == task.text.split() and task.persona in (None, query.persona)


def _check_apart(found: Mapping[str, Query]) -> None:
    first: dict[str, str] = {}
    for task_id, query in found.items():
        if first.setdefault(query.query_id, task_id) != task_id:
            raise UserError(f"The tasks {first[query.query_id]!r} and {task_id!r} are one question: rename one.")


def _listed(ids: Sequence[str]) -> str:
    named = ", ".join(map(repr, ids[:_MOST_NAMED]))
    return named if len(ids) <= _MOST_NAMED else f"{named} and {len(ids) - _MOST_NAMED:,} more"
