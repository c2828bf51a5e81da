"""Readers of the files of other benchmarks, and of Markdown, one function per format: tasks and reports from a file or
folder. DR³-Eval's tasks are folders with documents and gold insights.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from drretail.addons.imports.documents import REPORTS, document_text, is_document
from drretail.addons.imports.material import (
    LONGEST_REPORT,
    TOO_LONG,
    FileRow,
    ForeignReport,
    ForeignTask,
    Material,
    file_stem,
    files_under,
    read_rows,
    read_text,
    redacted,
    row_files,
)
from drretail.errors import UserError
from drretail.records.account import Account
from drretail.records.criteria import GoldInsight, GoldPart, PartOfGold, RequiredDocument

_PERSONA_HEADING = "User Persona:"
"""Separates the task from the persona in a query of PDR-Bench."""
_PDR_FILE = re.compile(r"[_-](?P<language>en|zh)\d*$")
_REPORT_FILES = (".md", ".markdown", *REPORTS)
_QUESTION = ".q"
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}[ \t](?P<words>.*\w.*)$", re.MULTILINE)


def rows_reader(
    is_row: Callable[[dict[str, Any]], bool], task_of: Callable[[FileRow], ForeignTask], field: str
) -> Callable[[Path], Material]:
    """A reader of JSON and JSONL whose objects hold a question, a report in ``field``, or both.

    A file belongs to one system. A task without a text only says which question the report answers. In a file with
    reports, a question without one is left out: it would be no run of the system.
    """

    def read(path: Path) -> Material:
        material = Material()
        for file in row_files(path, material):
            rows = [*read_rows(file, is_row, material.rows, lambda row: (task_of(row), row.report(field)))]
            with_reports = {task.task_id for _, (task, report) in rows if report is not None}
            for row, (task, report) in rows:
                if report is None and with_reports and task.task_id not in with_reports:
                    material.rows.leave_out(f"no {field!r} in it, beside reports", row.where)
                    continue
                is_new = bool(task.text) and material.add_task(task, row.where)
                if report is not None:
                    is_new = material.add_report(ForeignReport(file_stem(file), task.task_id, report, row.where))
                if task.text or report is not None:
                    _settle(material.rows, row.where, is_new=is_new)
                else:
                    material.rows.leave_out("no text in it", row.where)
        return material

    return read


def _settle(account: Account, where: str, *, is_new: bool) -> None:
    """Says of a row or a file whether it is used, or repeats another."""
    if is_new:
        account.use()
    else:
        account.merge(f"the same as another {account.unit}", where)


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

    read = (read_rows(file, is_row, material.rows, _pdr_ids) for file in row_files(path, material))
    rows = [row for row, _ in chain.from_iterable(read)]
    languages = {_pdr_language(row) for row in rows if "task" in row.value} - {""}

    def in_language(name: str, row: FileRow) -> str:
        language = _pdr_language(row) if len(languages) > 1 else ""
        return f"{name}-{language}" if language else name

    personas: dict[str, FileRow] = {}
    for row in (row for row in rows if _is_persona(row.value)):
        user = personas.setdefault(in_language(row.id("userid"), row), row)
        if user.value == row.value:
            _settle(material.rows, row.where, is_new=user is row)
        else:
            material.rows.leave_out("another persona of the same user", row.where)
    with_queries = {row.text("taskid") for row in rows if "query" in row.value}
    for row in (row for row in rows if not _is_persona(row.value)):
        is_new, task = False, _pdr_task(row, personas, in_language)
        if "query" in row.value or (task is not None and not with_queries):
            assert task is not None, "a query has a task"
            is_new = material.add_task(task, row.where)
        elif task is not None:
            merged = row.text("taskid") in with_queries
            fate = material.rows.merge if merged else material.rows.leave_out
            fate("the task of a query" if merged else "a task without a query, beside queries", row.where)
            continue
        if "article" in row.value:
            system = _PDR_FILE.sub("", file_stem(row.file)) if len(languages) > 1 else file_stem(row.file)
            report = row.report("article") or ""
            is_new = material.add_report(ForeignReport(system, in_language(row.id("id"), row), report, row.where))
        _settle(material.rows, row.where, is_new=is_new)
    return material


def _pdr_ids(row: FileRow) -> None:
    """Raises Unreadable for a row without what its kind needs."""
    is_report, is_query = "article" in row.value, "query" in row.value
    if _is_persona(row.value):
        row.id("userid")
    elif is_report or is_query:
        row.id("id")
        row.report("article")
    else:
        row.id("taskid")
    if is_query or not (is_report or _is_persona(row.value)):
        row.id("task")


def _pdr_task(
    row: FileRow, personas: Mapping[str, FileRow], in_language: Callable[[str, FileRow], str]
) -> ForeignTask | None:
    """The task of a query, with the user's persona, or a task by itself; None of a report."""
    kind = row.text("domain") or None
    if "query" in row.value:
        user = personas.get(in_language(row.text("userid"), row))
        persona = row.text("query").partition(_PERSONA_HEADING)[2].strip()
        if user is not None:
            persona = json.dumps(user.value, ensure_ascii=False)
        return ForeignTask(in_language(row.id("id"), row), row.id("task"), persona=persona or None, kind=kind)
    if "article" in row.value:
        return None
    return ForeignTask(in_language(f"task-{row.id('taskid')}", row), row.id("task"), kind=kind)


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
    files = files_under(path, (*_REPORT_FILES, _QUESTION), material.files)
    reports = [file for file in files if file.suffix.casefold() != _QUESTION]
    asked = {file.with_suffix(_QUESTION) for file in reports}
    for file in files:
        if file not in reports and file not in asked:
            material.files.take()
            material.files.leave_out("a question without a report", str(file))
    for file in reports:
        if not file.name.casefold().endswith(_REPORT_FILES):
            raise UserError(f"{file} is no Markdown: name a folder of .md, .docx or .pdf files, or one of them.")
        material.files.take()
        text = redacted(document_text(file)) if is_document(file) else read_text(file)
        question = file.with_suffix(_QUESTION)
        if len(text) > LONGEST_REPORT or not (text.strip() or question.is_file()):
            material.files.leave_out(TOO_LONG if text.strip() else "no word in it", str(file))
            continue
        if question.is_file():
            material.add_task(ForeignTask(file.stem, read_text(question).strip() or file.stem), str(question))
        elif heading := _HEADING.search(text):
            words = heading["words"].strip().rstrip("#").rstrip()
            material.add_task(ForeignTask(file.stem, words, guessed=True), str(file))
        report = ForeignReport(file.absolute().parent.name, file.stem, text, str(file))
        _settle(material.files, str(file), is_new=material.add_report(report))
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
            read = partial(_task, queries=file, folders=folders, account=material.rows)
            for row, task in read_rows(file, _is_query, material.rows, read):
                _settle(material.rows, row.where, is_new=material.add_task(task, row.where))
        elif file.name == REPORT:
            parts = file.absolute().parent.parts
            if len(parts) < 3:
                raise UserError(f"{file}: reports lie as <size>/<model>/<task>/{REPORT}.")
            size, model, task = parts[-3:]
            system = f"{model}-{size}" if _SIZE.fullmatch(size) else model
            material.files.take()
            if len(text := read_text(file)) > LONGEST_REPORT:
                material.files.leave_out(TOO_LONG, str(file))
                continue
            is_new = material.add_report(ForeignReport(system, task, text, str(file)))
            _settle(material.files, str(file), is_new=is_new)
        elif file.name != CHECKLIST:
            raise UserError(f"{file} is no {REPORT} and no {QUERIES}: name one of them, or the folder above.")
    return material


def _is_query(value: Mapping[str, Any]) -> bool:
    return "query" in value and any(name in value for name in _IDS)


def _task(row: FileRow, queries: Path, folders: Mapping[str, Path], account: Account) -> ForeignTask:
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
    requirements = _texts(folder / CHECKLIST, account, "requirement")
    checklist = tuple(dict.fromkeys(" ".join(text.split()) for text in requirements))
    # Of the user's files, and of the pages that stand for the web.
    of_files, web = (
        tuple(GoldInsight(id=f"{letter}{at}", text=text) for at, text in enumerate(texts, 1))
        for letter, name in (("f", GOLD_OF_FILES), ("w", GOLD_OF_PAGES))
        for texts in [_texts(folder / name, account, "insight")]
    )
    pages: dict[RequiredDocument, None] = {}
    for file in filter(Path.is_file, (folder / name for name in USEFUL)):
        for place, document in read_rows(file, lambda value: "title" in value or "url" in value, account, _page):
            _settle(account, place.where, is_new=document not in pages)
            pages[document] = None
    gold: dict[GoldPart, PartOfGold] | None = None
    if of_files or web or pages:
        gold = {
            "files": PartOfGold(insights=of_files, documents=tuple(RequiredDocument(title=name) for name in files)),
            "sandbox": PartOfGold(insights=web, documents=tuple(pages)),
        }
    return ForeignTask(task_id, text, checklist=checklist, files=files, gold=gold)


def _page(row: FileRow) -> RequiredDocument:
    row.id("title", "url")
    return RequiredDocument(title=row.text("title"), url=row.text("url"))


def _texts(file: Path, account: Account, name: str) -> list[str]:
    """The texts under this name in a file, and none if there is no file. A checklist's requirements differ."""
    texts: list[str] = []
    if file.is_file():
        for row, text in read_rows(file, lambda value: name in value, account, lambda row: row.id(name)):
            is_new = text not in texts or file.name != CHECKLIST
            _settle(account, row.where, is_new=is_new)
            texts += [text] if is_new else []
    return texts
