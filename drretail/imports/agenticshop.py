"""AgenticShop: a JSON list of {user, situation, budget_range, user_query, user_context, check_list}."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from drretail.imports.deepshop import ANSWERS
from drretail.imports.formats import Format
from drretail.imports.material import ForeignReport, ForeignTask, Material, checklist_of, leaves
from drretail.imports.rows import ROW_FILES, Row, files_under, read_rows, stem
from drretail.records.base import sha256_of

LONGEST_REPR = 100_000
"""Characters of a checklist written as Python writes it."""


def read(path: Path) -> Material:
    """Questions with their users' contexts as personas; a row that holds an answer as well is a report."""
    material = Material()
    for file in files_under(path, ROW_FILES):
        for row in read_rows(file, lambda value: "user_query" in value):
            question = row.id("user_query")
            # One user may ask several times, and the files number nothing.
            task_id = row.text("id", "task_id") or f"{row.id('user')}-{sha256_of(question)[:6]}"
            material.add_task(_task(row, task_id, question), row.where)
            answer = row.report(*ANSWERS)
            if answer is not None:
                material.add_report(ForeignReport(stem(file), task_id, answer, row.where))
    return material


def _task(row: Row, task_id: str, question: str) -> ForeignTask:
    context = [("Situation", row.text("situation")), ("Budget", row.text("budget_range"))]
    return ForeignTask(
        task_id,
        question,
        persona="\n".join(_lines(row.value.get("user_context"))) or None,
        context="\n".join(f"{name}: {said}" for name, said in context if said) or None,
        kind=row.text("query_type") or None,
        checklist=checklist_of(leaves(_checklist(row.value.get("check_list")))),
    )


def _lines(context: Any) -> Iterator[str]:
    """The fields of a user's context, one a line, named."""
    if isinstance(context, str) and context.strip():
        yield context.strip()
    elif isinstance(context, dict):
        for name, said in context.items():
            if words := " ".join(" ".join(leaves(said)).split()):
                yield f"{str(name).replace('_', ' ').capitalize()}: {words}"


def _checklist(given: Any) -> Any:
    """The checklist itself where it is written as Python writes it, too; nothing where it can't be read."""
    if not isinstance(given, str) or len(given) > LONGEST_REPR:
        return given if isinstance(given, dict | list) else None
    try:
        return ast.literal_eval(given)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


FORMAT = Format("AgenticShop: a JSON list of {user, user_query, user_context, check_list}", read)
