"""deep_research_bench: JSONL of {id, prompt, article}; its questions of {id, topic, language, prompt}."""

from pathlib import Path
from typing import Any

from drretail.imports.formats import Format
from drretail.imports.material import ForeignReport, ForeignTask, Material
from drretail.imports.rows import ROW_FILES, files_under, read_rows, stem


def read(path: Path) -> Material:
    """A file is a system; one without articles gives its questions alone."""
    material = Material()
    for file in files_under(path, ROW_FILES):
        for row in read_rows(file, _is_row):
            task_id = row.id("query_id", "id")
            if question := row.text("prompt"):
                material.add_task(ForeignTask(task_id, question, kind=row.text("topic") or None), row.where)
            article = row.report("article")
            if article is not None:
                material.add_report(ForeignReport(stem(file), task_id, article, row.where))
    return material


def _is_row(value: dict[str, Any]) -> bool:
    return "article" in value or ("prompt" in value and "id" in value)


FORMAT = Format("deep_research_bench: JSONL {id, prompt, article}", read)
