"""DR³-Eval: ``query.jsonl``, a folder of files a task, ``<run>/<dataset>/<size>/<model>/<task>/final_report.md``."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from drretail.addons.imports.material import ForeignReport, ForeignTask, Material, checklist_of
from drretail.addons.imports.rows import Row, files_under, read_rows, read_text
from drretail.errors import UserError
from drretail.records.criteria import GoldInsight, GoldPart, PartOfGold, RequiredDocument

GOLD_OF_FILES, GOLD_OF_PAGES = "gold_insights_from_source.json", "gold_insights_from_long_context.json"
USEFUL = ("useful_search.json", "useful_search.jsonl")
"""Files with the pages without which the task can't be answered."""
REPORT, QUERIES, CHECKLIST = "final_report.md", "query.jsonl", "checklist.json"
_IDS = ("number", "task", "id")
_SIZE = re.compile(r"\d+k", re.IGNORECASE)
_OF_THE_USER = (".pdf", ".docx", ".md", ".txt", ".csv", ".xlsx", ".pptx", ".png", ".jpg", ".mp3", ".mp4")


def read(path: Path) -> Material:
    """Reads DR³-Eval. Each model with each size of its context is a system. A task's folder gives its checklist, file
    names and gold.
    """
    material = Material()
    files = files_under(path, (REPORT, QUERIES, CHECKLIST))
    folders = {file.parent.name: file.parent for file in files if file.name == CHECKLIST}
    for file in files:
        if file.name == QUERIES:
            for row in read_rows(file, lambda value: "query" in value and any(name in value for name in _IDS)):
                material.add_task(_task(row, file, folders), row.where)
        elif file.name == REPORT:
            parts = file.absolute().parent.parts
            if len(parts) < 3:
                raise UserError(f"{file}: reports lie as <size>/<model>/<task>/{REPORT}.")
            size, model, task = parts[-3:]
            system = f"{model}-{size}" if _SIZE.fullmatch(size) else model
            material.add_report(ForeignReport(system, task, read_text(file), str(file)))
        elif file.name != CHECKLIST:
            raise UserError(f"{file} is no {REPORT} and no {QUERIES}: name one of them, or the folder above.")
    return material


def _task(row: Row, queries: Path, folders: Mapping[str, Path]) -> ForeignTask:
    """A question with the content of its folder, which is any folder with a checklist, or lies beside the file of
    queries.
    """
    task_id, text = row.id(*_IDS), row.id("query")
    folder = folders.get(task_id)
    beside = queries.parent / task_id
    if folder is None and beside.is_dir() and beside.resolve().parent == queries.resolve().parent:
        folder = beside
    if folder is None:
        return ForeignTask(task_id, text)
    places = [place for place in (folder, folder / "source") if place.is_dir()]
    names = {file.name for place in places for file in place.iterdir() if file.is_file()}
    files = tuple(sorted(name for name in names if name.casefold().endswith(_OF_THE_USER)))
    checklist = checklist_of(row.text("requirement") for row in _rows(folder / CHECKLIST, "requirement"))
    return ForeignTask(task_id, text, checklist=checklist, files=files, gold=_gold(folder, files))


def _gold(folder: Path, files: Sequence[str]) -> Mapping[GoldPart, PartOfGold] | None:
    """Insights and required documents of the user's files, and of the pages that stand for the web; None if there are
    none.
    """
    own, web = _insights(folder / GOLD_OF_FILES, "f"), _insights(folder / GOLD_OF_PAGES, "w")
    pages = [row for name in USEFUL for row in _rows(folder / name, "title", "url") if row.text("title", "url")]
    if not (own or web or pages):
        return None
    useful = dict.fromkeys(RequiredDocument(title=row.text("title"), url=row.text("url")) for row in pages)
    return {
        "files": PartOfGold(insights=own, documents=tuple(RequiredDocument(title=name) for name in files)),
        "sandbox": PartOfGold(insights=web, documents=tuple(useful)),
    }


def _insights(file: Path, letter: str) -> tuple[GoldInsight, ...]:
    texts = filter(None, (row.text("insight") for row in _rows(file, "insight")))
    return tuple(GoldInsight(id=f"{letter}{at}", text=text) for at, text in enumerate(texts, 1))


def _rows(file: Path, *names: str) -> Iterable[Row]:
    """The objects that have one of these fields; none if there is no file."""
    return read_rows(file, lambda value: any(name in value for name in names)) if file.is_file() else ()
