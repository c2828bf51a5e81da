"""What good answers are known to contain ("gold"), read from our files, a sandbox, or DR³-Eval's folders."""

from collections.abc import Iterator
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from drretail.errors import UserError
from drretail.eval.judging.criteria import freeze
from drretail.experiment import Definition, gold_path, read_gold_file
from drretail.files import read_lines
from drretail.parsing import parse_json
from drretail.records.base import file_name
from drretail.records.criteria import GoldInsight, KnownAnswer, PartOfGold, RequiredDocument
from drretail.records.query import Query

_OF_FILES, _OF_PAGES = "gold_insights_from_source.json", "gold_insights_from_long_context.json"
_PAGES = ("useful_search.json", "useful_search.jsonl")
_DOCUMENTS = frozenset((".md", ".txt", ".pdf", ".docx", ".doc", ".pptx", ".ppt", ".xlsx", ".xls"))
"""The released code's formats of users' documents. Images, sound and video have no claims that could be cited."""
_NO_DOCUMENTS = ("long_context", "useful_search", "task.json", "task.md", "final_report.md")


def take_gold(experiment: Path, definition: Definition, location: str) -> int:
    """Copies the gold of the experiment's queries from the folder ``location``, and returns the number of queries with
    gold.

    It is read from QUERY.json, gold/QUERY.json (an experiment), tasks/QUERY/gold.json (a sandbox), or DR³-Eval's folder
    of a task, named by the query's id or its task's.

    Raises UserError if there is none, if a file can't be read, or if the experiment has other gold.
    """
    source = Path(location)
    golds = {
        query.query_id: found_gold
        for query in definition.queries
        if (found_gold := _gold_of(source, query)) is not None
    }
    if not source.exists():
        raise UserError(f"{source} does not exist.")
    if not golds:
        raise UserError(f"{source} holds no gold of this experiment's queries: it stands there as QUERY.json.")
    freeze("gold", source, {gold_path(experiment, name): gold.model_dump(mode="json") for name, gold in golds.items()})
    return len(golds)


def _gold_of(source: Path, query: Query) -> KnownAnswer | None:
    name = file_name(query.query_id)
    places = (source / "gold" / f"{name}.json", source / f"{name}.json", source / "tasks" / name / "gold.json")
    path = next((place for place in places if place.is_file()), None)
    if path is not None:
        gold = read_gold_file(path)
        if gold.query_id != query.query_id:
            raise UserError(f"{path} is the gold of the query {gold.query_id}: move it to that name.")
        return gold
    names = (name, *([] if query.task_id is None else [file_name(query.task_id)]))
    folder = next((source / each for each in names if (source / each).is_dir()), None)
    return None if folder is None else _of_dr3_eval(folder, query.query_id)


def _of_dr3_eval(folder: Path, query_id: str) -> KnownAnswer | None:
    """The gold in a task's folder, or None if it has none of DR³-Eval's files."""
    if not any((folder / name).exists() for name in (_OF_FILES, _OF_PAGES, *_PAGES)):
        return None
    try:
        gold = KnownAnswer(
            query_id=query_id,
            files=PartOfGold(insights=_insights(folder / _OF_FILES, "file"), documents=tuple(_files(folder))),
            sandbox=PartOfGold(insights=_insights(folder / _OF_PAGES, "page"), documents=tuple(_pages(folder))),
        )
    except (ValidationError, JSONDecodeError, KeyError, TypeError, AttributeError) as problem:
        raise UserError(f"{folder} does not hold gold as DR³-Eval has it: {problem!r}.") from problem
    return gold


def _insights(path: Path, name: str) -> tuple[GoldInsight, ...]:
    entries: list[Any] = _read(path)["gold_insights"] if path.exists() else []
    return tuple(
        GoldInsight(id=f"{name}-{number}", text=insight["insight"]) for number, insight in enumerate(entries, 1)
    )


def _pages(folder: Path) -> Iterator[RequiredDocument]:
    """Each title once, as released; a line may hold a list."""
    path = next((folder / name for name in _PAGES if (folder / name).exists()), None)
    if path is None:
        return
    flat = [row for each in _read(path) for row in (each if isinstance(each, list) else [each])]
    seen = set[str]()
    for row in flat:
        title = row.get("title") or ""
        if title and title not in seen:
            seen.add(title)
            yield RequiredDocument(title=title, url=row.get("url") or "")


def _read(path: Path) -> Any:
    """A file's JSON, or the list of its lines' JSON: files of either name come in both forms."""
    lines = [line for line in read_lines(path) if line.strip()]
    try:
        return parse_json("\n".join(lines))
    except JSONDecodeError:
        return [parse_json(line) for line in lines]


def _files(folder: Path) -> Iterator[RequiredDocument]:
    places = (path for part in (folder, folder / "source") if part.is_dir() for path in sorted(part.iterdir()))
    for path in places:
        if path.is_file() and path.suffix.lower() in _DOCUMENTS and not path.name.startswith(_NO_DOCUMENTS):
            yield RequiredDocument(title=path.name)
