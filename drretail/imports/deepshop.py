"""DeepShop: JSONL of {id, ques, web, attribute, filter, sort, category, difficulty}; reports beside the same ids."""

from pathlib import Path
from typing import Any

from drretail.imports.formats import Format
from drretail.imports.material import ForeignReport, ForeignTask, Material, checklist_of
from drretail.imports.rows import ROW_FILES, files_under, read_rows, stem

ANSWERS = ("report", "article", "answer", "response")
"""What rows may call what a system wrote: the benchmark itself scores clicks, and has no name for it."""
_TYPED = ("attribute", "filter", "sort")


def read(path: Path) -> Material:
    """Questions with what they demand; a row that holds an answer as well is a report by the system of its file."""
    material = Material()
    for file in files_under(path, ROW_FILES):
        for row in read_rows(file, _is_row):
            task_id = row.id("id", "task_id")
            if question := row.text("ques", "question"):
                checklist = checklist_of(row.text(name) for name in _TYPED)
                task = ForeignTask(task_id, question, kind=row.text("category") or None, checklist=checklist)
                material.add_task(task, row.where)
            answer = row.report(*ANSWERS)
            if answer is not None:
                material.add_report(ForeignReport(stem(file), task_id, answer, row.where))
    return material


def _is_row(value: dict[str, Any]) -> bool:
    return "ques" in value or ("id" in value and any(name in value for name in ANSWERS))


FORMAT = Format("DeepShop: JSONL {id, ques, attribute, filter, sort, category}", read)
