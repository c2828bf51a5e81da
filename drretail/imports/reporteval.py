"""ReportEval: JSONL of {topic, report}; its questions of {category_str, topic}."""

import hashlib
from pathlib import Path
from typing import Any

from drretail.imports.formats import Format
from drretail.imports.material import ForeignReport, ForeignTask, Material
from drretail.imports.rows import ROW_FILES, files_under, read_rows, stem


def read(path: Path) -> Material:
    """A file is a system. A topic's id is the md5 of its words, as in the files that the benchmark writes."""
    material = Material()
    for file in files_under(path, ROW_FILES):
        for row in read_rows(file, _is_row):
            topic = row.id("topic")
            task_id = hashlib.md5(str(row.value["topic"]).encode(), usedforsecurity=False).hexdigest()
            material.add_task(ForeignTask(task_id, topic, kind=row.text("category_str") or None), row.where)
            report = row.report("report")
            if report is not None:
                material.add_report(ForeignReport(stem(file), task_id, report, row.where))
    return material


def _is_row(value: dict[str, Any]) -> bool:
    return "topic" in value and ("report" in value or "category_str" in value)


FORMAT = Format("ReportEval: JSONL {topic, report}", read)
