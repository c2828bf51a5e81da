"""Readers of the files of other benchmarks, and of Markdown, one function per format: tasks and reports from a file or
folder. DR³-Eval's tasks are folders with documents and gold insights.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from drretail.addons.imports.material import (
    ROW_FILES,
    FileRow,
    ForeignReport,
    ForeignTask,
    Material,
    file_stem,
    files_under,
    read_rows,
    read_text,
    redacted,
)
from drretail.errors import UserError
from drretail.parsing import REPORTS, document_text, is_document
from drretail.records.criteria import GoldInsight, GoldPart, PartOfGold, RequiredDocument

_PERSONA_HEADING = "User Persona:"
"""Separates the task from the persona in a query of PDR-Bench."""
_PDR_FILE = re.compile(r"[_-](?P<language>en|zh)\d*$")
_REPORT_FILES = (".md", ".markdown", *REPORTS)
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t](?P<words>.*\w.*)$", re.MULTILINE)


def rows_reader(
    is_row: Callable[[dict[str, Any]], bool], task_of: Callable[[FileRow], ForeignTask], field: str
) -> Callable[[Path], Material]:
    """A reader of JSON and JSONL whose objects hold a question, a report in ``field``, or both.

    A file belongs to one system. A task without a text only says which question the report answers.
    """

    def read(path: Path) -> Material:
        material = Material()
        for file in files_under(path, ROW_FILES):
            for row in read_rows(file, is_row):
                task, report = task_of(row), row.report(field)
                if task.text:
                    material.add_task(task, row.where)
                if report is not None:
                    material.add_report(ForeignReport(file_stem(file), task.task_id, report, row.where))
        return material

    return read


read_drb = rows_reader(
    lambda value: "article" in value or ("prompt" in value and "id" in value),
    lambda row: ForeignTask(row.id("query_id", "id"), row.text("prompt"), kind=row.text("topic") or None),
    "article",
)


# A topic's id is the md5 of its words, as in the files that the benchmark writes.
read_reporteval = rows_reader(
    lambda value: "topic" in value and ("report" in value or "category_str" in value),
    lambda row: ForeignTask(
        hashlib.md5(str(row.value["topic"]).encode(), usedforsecurity=False).hexdigest(),
        row.id("topic"),
        kind=row.text("category_str") or None,
    ),
    "report",
)


def read_pdr(path: Path) -> Material:
    """Reads PDR-Bench. A query is a task asked by a user, or else the task itself. A file of reports is a system.

    The benchmark is published in two languages with the same ids. If both are read, ids end in the language.
    """
    material = Material()

    def is_row(value: dict[str, Any]) -> bool:
        return _is_persona(value) or "article" in value or ("taskid" in value and "task" in value)

    rows = [row for file in files_under(path, ROW_FILES) for row in read_rows(file, is_row)]
    languages = {_pdr_language(row) for row in rows if "task" in row.value} - {""}

    def in_language(name: str, row: FileRow) -> str:
        language = _pdr_language(row) if len(languages) > 1 else ""
        return f"{name}-{language}" if language else name

    personas = {in_language(row.id("userid"), row): row for row in rows if _is_persona(row.value)}
    queries = [row for row in rows if "query" in row.value]
    for row in queries:
        user = personas.get(in_language(row.text("userid"), row))
        persona = row.text("query").partition(_PERSONA_HEADING)[2].strip()
        if user is not None:
            persona = json.dumps(user.value, ensure_ascii=False)
        query_id = in_language(row.id("id"), row)
        task = ForeignTask(query_id, row.id("task"), persona=persona or None, kind=row.text("domain") or None)
        material.add_task(task, row.where)
    for row in rows:
        if "article" in row.value:
            system = _PDR_FILE.sub("", file_stem(row.file)) if len(languages) > 1 else file_stem(row.file)
            query_id = in_language(row.id("id"), row)
            material.add_report(ForeignReport(system, query_id, row.report("article") or "", row.where))
        elif "task" in row.value and not queries:
            task_id = in_language(f"task-{row.id('taskid')}", row)
            material.add_task(ForeignTask(task_id, row.id("task"), kind=row.text("domain") or None), row.where)
    return material


def _pdr_language(row: FileRow) -> str:
    """The language that the row names, or the end of its file's name (queries_zh.jsonl); empty if neither says."""
    in_name = _PDR_FILE.search(file_stem(row.file))
    return row.text("language") or (in_name["language"] if in_name else "")


def _is_persona(value: dict[str, Any]) -> bool:
    return "userid" in value and not any(name in value for name in ("taskid", "task", "query", "article"))


def read_markdown(path: Path) -> Material:
    """A folder is a system, a file a report; the question is in ``NAME.q`` beside it, or its first heading.

    Word and PDF files are read as Markdown.
    """
    material = Material()
    for file in files_under(path, _REPORT_FILES):
        if not file.name.casefold().endswith(_REPORT_FILES):
            raise UserError(f"{file} is no Markdown: name a folder of .md, .docx or .pdf files, or one of them.")
        text = redacted(document_text(file)) if is_document(file) else read_text(file)
        question = file.with_suffix(".q")
        if not text.strip() and not question.is_file():
            material.left_out.append(str(file))
            continue
        if question.is_file():
            material.add_task(ForeignTask(file.stem, read_text(question).strip() or file.stem), str(question))
        elif heading := _HEADING.search(text):
            words = heading["words"].strip().rstrip("#").rstrip()
            material.add_task(ForeignTask(file.stem, words, guessed=True), str(file))
        material.add_report(ForeignReport(file.absolute().parent.name, file.stem, text, str(file)))
    return material


GOLD_OF_FILES, GOLD_OF_PAGES = "gold_insights_from_source.json", "gold_insights_from_long_context.json"
USEFUL = ("useful_search.json", "useful_search.jsonl")
"""Files with the pages without which the task can't be answered."""
REPORT, QUERIES, CHECKLIST = "final_report.md", "query.jsonl", "checklist.json"
_IDS = ("number", "task", "id")
_SIZE = re.compile(r"\d+k", re.IGNORECASE)
_OF_THE_USER = (".pdf", ".docx", ".md", ".txt", ".csv", ".xlsx", ".pptx", ".png", ".jpg", ".mp3", ".mp4")


def read_dr3(path: Path) -> Material:
    """Reads DR³-Eval. Each model with each size of its context is a system. A task's folder has checklist and gold."""
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


def _task(row: FileRow, queries: Path, folders: Mapping[str, Path]) -> ForeignTask:
    """A question with its folder's content: any folder with a checklist, or one beside the file of queries."""
    task_id, text = row.id(*_IDS), row.id("query")
    folder = folders.get(task_id)
    sibling = queries.parent / task_id
    if folder is None and sibling.is_dir() and sibling.resolve().parent == queries.resolve().parent:
        folder = sibling
    if folder is None:
        return ForeignTask(task_id, text)
    places = [place for place in (folder, folder / "source") if place.is_dir()]
    names = {file.name for place in places for file in place.iterdir() if file.is_file()}
    files = tuple(sorted(name for name in names if name.casefold().endswith(_OF_THE_USER)))
    requirements = (" ".join(row.text("requirement").split()) for row in _rows(folder / CHECKLIST, "requirement"))
    checklist = tuple(dict.fromkeys(filter(None, requirements)))
    # Of the user's files, and of the pages that stand for the web.
    of_files, web = _insights(folder / GOLD_OF_FILES, "f"), _insights(folder / GOLD_OF_PAGES, "w")
    pages = [row for name in USEFUL for row in _rows(folder / name, "title", "url") if row.text("title", "url")]
    gold: dict[GoldPart, PartOfGold] | None = None
    if of_files or web or pages:
        useful = dict.fromkeys(RequiredDocument(title=row.text("title"), url=row.text("url")) for row in pages)
        gold = {
            "files": PartOfGold(insights=of_files, documents=tuple(RequiredDocument(title=name) for name in files)),
            "sandbox": PartOfGold(insights=web, documents=tuple(useful)),
        }
    return ForeignTask(task_id, text, checklist=checklist, files=files, gold=gold)


def _insights(file: Path, letter: str) -> tuple[GoldInsight, ...]:
    texts = filter(None, (row.text("insight") for row in _rows(file, "insight")))
    return tuple(GoldInsight(id=f"{letter}{at}", text=text) for at, text in enumerate(texts, 1))


def _rows(file: Path, *names: str) -> Iterable[FileRow]:
    """The objects that have one of these fields; none if there is no file."""
    return read_rows(file, lambda value: any(name in value for name in names)) if file.is_file() else ()
