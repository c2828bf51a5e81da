"""LiveResearchBench: ``<model>/qid_<id>_report.md``, their index {reports: [{model_name, query_id, query,
report_file_path}]}, and its questions {qid, question, checklists}.
"""

import re
from pathlib import Path
from typing import Any

from drretail.errors import UserError
from drretail.imports.formats import Format
from drretail.imports.material import ForeignReport, ForeignTask, Material, checklist_of, leaves
from drretail.imports.rows import ROW_FILES, files_under, read_rows, read_text

_REPORT = re.compile(r"qid_(?P<id>.+)_report\.md")


def read(path: Path) -> Material:
    """A folder is a model. An index names files by where they were elsewhere: they are looked for beside it."""
    material = Material()
    for file in files_under(path, (".md", *ROW_FILES)):
        if named := _REPORT.fullmatch(file.name):
            report = ForeignReport(file.absolute().parent.name, named["id"], read_text(file), str(file))
            material.add_report(report)
        elif file.name.endswith(ROW_FILES):
            _read_rows(file, material, alone=path.is_file())
    return material


def _read_rows(file: Path, material: Material, *, alone: bool) -> None:
    for row in read_rows(file, _is_row):
        task_id = row.id("qid", "query_id").removeprefix("qid_")
        question = row.text("query", "question_no_placeholder", "question")
        checklist = checklist_of(leaves(row.value.get("checklist_no_placeholder") or row.value.get("checklists")))
        if question:
            material.add_task(ForeignTask(task_id, question, checklist=checklist), row.where)
        if alone and row.text("report_file_path"):
            model, name = row.id("model_name"), row.text("report_file_path").replace("\\", "/").rpartition("/")[2]
            places = [file.parent / model / name, file.parent / name]
            found = next((it for it in places if _is_beside(it, file.parent)), None)
            if found is None:
                raise UserError(f"{row.where}: the report {model}/{name} does not lie beside it.")
            material.add_report(ForeignReport(model, task_id, read_text(found), str(found)))


def _is_beside(place: Path, folder: Path) -> bool:
    return place.is_file() and place.resolve().is_relative_to(folder.resolve())


def _is_row(value: dict[str, Any]) -> bool:
    return "report_file_path" in value or ("qid" in value and any(name.startswith("question") for name in value))


FORMAT = Format("LiveResearchBench: <model>/qid_<id>_report.md, or their index in JSON", read)
