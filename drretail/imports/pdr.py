"""PDR-Bench: tasks {taskid, task}, personas {userid, …}, queries {id, taskid, userid, task, query}, reports
{id, taskid, userid, article}.
"""

import json
from pathlib import Path
from typing import Any

from drretail.imports.formats import Format
from drretail.imports.material import ForeignReport, ForeignTask, Material
from drretail.imports.rows import ROW_FILES, Row, files_under, read_rows, stem

_USER = "User Persona:"
"""What stands in a query between the task and the persona."""


def read(path: Path) -> Material:
    """A query is a task asked by a user; without queries, tasks stand for themselves. A file of reports is a system."""
    material = Material()
    rows = [row for file in files_under(path, ROW_FILES) for row in read_rows(file, _is_row)]
    personas = {row.id("userid"): row for row in rows if _is_persona(row.value)}
    material.personas = len(personas)
    queries = [row for row in rows if "query" in row.value]
    for row in queries:
        task, user = row.id("task"), row.text("userid")
        persona = _persona(personas[user]) if user in personas else row.text("query").partition(_USER)[2].strip()
        asked = ForeignTask(row.id("id"), task, persona=persona or None, kind=row.text("domain") or None)
        material.add_task(asked, row.where)
    for row in rows:
        if "article" in row.value:
            article = row.report("article") or ""
            material.add_report(ForeignReport(stem(row.file), row.id("id"), article, row.where))
        elif "task" in row.value and not queries:
            task_id = f"task-{row.id('taskid')}"
            material.add_task(ForeignTask(task_id, row.id("task"), kind=row.text("domain") or None), row.where)
    return material


def _persona(row: Row) -> str:
    return json.dumps(row.value, ensure_ascii=False)


def _is_persona(value: dict[str, Any]) -> bool:
    return "userid" in value and not any(name in value for name in ("taskid", "task", "query", "article"))


def _is_row(value: dict[str, Any]) -> bool:
    return _is_persona(value) or "article" in value or ("taskid" in value and "task" in value)


FORMAT = Format("PDR-Bench: JSONL of queries, tasks, personas and reports {id, taskid, userid, article}", read)
