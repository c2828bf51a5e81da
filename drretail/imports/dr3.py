"""DR³-Eval: ``query.jsonl``, a folder of files a task, ``<run>/<dataset>/<size>/<model>/<task>/final_report.md``."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from drretail.errors import UserError
from drretail.imports.formats import Format
from drretail.imports.material import ForeignReport, ForeignTask, Material, checklist_of
from drretail.imports.rows import files_under, read_rows, read_text
from drretail.records.criteria import GoldInsight, GoldPart, PartOfGold, RequiredDocument

GOLD_OF_FILES, GOLD_OF_PAGES = "gold_insights_from_source.json", "gold_insights_from_long_context.json"
USEFUL = ("useful_search.json", "useful_search.jsonl")
"""The pages without which the task can't be answered."""
REPORT, QUERIES, CHECKLIST = "final_report.md", "query.jsonl", "checklist.json"
_SIZE = re.compile(r"\d+k", re.IGNORECASE)
_OF_THE_USER = (".pdf", ".docx", ".md", ".txt", ".csv", ".xlsx", ".pptx", ".png", ".jpg", ".mp3", ".mp4")


def read(path: Path) -> Material:
    """Each model with each size of its context is a system; a task's folder gives its checklist and names of files."""
    material = Material()
    files = files_under(path, (REPORT, QUERIES, CHECKLIST))
    folders = {file.parent.name: file.parent for file in files if file.name == CHECKLIST}
    for file in files:
        if file.name == QUERIES:
            for row in read_rows(file, _is_query):
                task_id = row.id("number", "task", "id")
                beside = file.parent / task_id
                folder = folders.get(task_id) or (beside if _is_task(beside, file) else None)
                task = ForeignTask(
                    task_id, row.id("query"), checklist=_checklist(folder), files=_files(folder), gold=_gold(folder)
                )
                material.add_task(task, row.where)
        elif file.name == REPORT:
            material.add_report(_report(file, path))
        elif file.name != CHECKLIST:
            raise UserError(f"{file} is no {REPORT} and no {QUERIES}: name one of them, or the folder above.")
    return material


def _is_query(value: dict[str, Any]) -> bool:
    return "query" in value and any(name in value for name in ("number", "task", "id"))


def _is_task(folder: Path, queries: Path) -> bool:
    return folder.is_dir() and folder.resolve().parent == queries.resolve().parent


def _report(file: Path, root: Path) -> ForeignReport:
    parts = file.absolute().parent.parts
    if len(parts) < 3:
        raise UserError(f"{file}: reports lie as <size>/<model>/<task>/{REPORT}.")
    task, model, size = parts[-1], parts[-2], parts[-3]
    system = f"{model}-{size}" if _SIZE.fullmatch(size) else model
    return ForeignReport(system, task, read_text(file), str(file))


def _checklist(folder: Path | None) -> tuple[str, ...]:
    if folder is None or not (folder / CHECKLIST).is_file():
        return ()
    return checklist_of(
        row.text("requirement") for row in read_rows(folder / CHECKLIST, lambda it: "requirement" in it)
    )


def _gold(folder: Path | None) -> Mapping[GoldPart, PartOfGold] | None:
    """Insights and required documents of the user's files and of the pages that stand for the web; None without any."""
    if folder is None:
        return None
    own, web = _insights(folder / GOLD_OF_FILES, "f"), _insights(folder / GOLD_OF_PAGES, "w")
    useful = tuple(page for name in USEFUL if (folder / name).is_file() for page in _pages(folder / name))
    if not (own or web or useful):
        return None
    named = tuple(RequiredDocument(title=name) for name in _files(folder))
    return {
        "files": PartOfGold(insights=own, documents=named),
        "sandbox": PartOfGold(insights=web, documents=tuple(dict.fromkeys(useful))),
    }


def _insights(file: Path, letter: str) -> tuple[GoldInsight, ...]:
    rows = read_rows(file, lambda it: "insight" in it) if file.is_file() else ()
    said = (row.text("insight") for row in rows)
    return tuple(GoldInsight(id=f"{letter}{at}", text=text) for at, text in enumerate(filter(None, said), 1))


def _pages(file: Path) -> Iterator[RequiredDocument]:
    for row in read_rows(file, lambda it: "title" in it or "url" in it):
        if row.text("title", "url"):
            yield RequiredDocument(title=row.text("title"), url=row.text("url"))


def _files(folder: Path | None) -> tuple[str, ...]:
    """The names of the user's own files."""
    if folder is None:
        return ()
    places = [folder, folder / "source"]
    found = (it.name for place in places if place.is_dir() for it in place.iterdir() if it.is_file())
    return tuple(sorted({name for name in found if name.casefold().endswith(_OF_THE_USER)}))


FORMAT = Format("DR³-Eval: query.jsonl, task folders, <size>/<model>/<task>/final_report.md", read)
