"""Queries for the tasks of a sandbox that were built without one, with their gold and criteria."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from drretail.env.web.sandbox import SandboxPage
from drretail.env.web.sealed import QUERIES_FILE, read_labels, read_pages, task_folder
from drretail.env.world import World
from drretail.eval.judging.spending import CapReached
from drretail.experiment import read_gold_file, rubric_path
from drretail.files import read_documents, read_json, write_json, write_lines
from drretail.records.criteria import Gold
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.sandboxes.material import Keywords
from drretail.sandboxes.search_based.asking import CAPPED, Asker, TaskFailed
from drretail.sandboxes.search_based.gold import criteria_of, gold_of, is_known
from drretail.sandboxes.search_based.questions import QueryWriter


@dataclass(frozen=True, slots=True)
class WrittenQueries:
    """The ids of queries that were written now, what checks find in them, and why others were not."""

    written: tuple[str, ...]
    wrong: Mapping[str, tuple[Finding, ...]]
    failed: Mapping[str, str]


async def write_queries(
    world: World, folder: Path, asker: Asker, on_task: Callable[[str], object] = lambda _: None
) -> WrittenQueries:
    """Writes the queries that a sandbox lacks; each is in the folder, with its gold, before the next is begun.

    Those that have gold stay as they are. What fails is told, never raised.
    """
    queries = {it.query_id: it for it in read_documents(folder / QUERIES_FILE, Query, "query")}
    writer = QueryWriter(world, asker)
    written: list[str] = []
    wrong: dict[str, tuple[Finding, ...]] = {}
    failed: dict[str, str] = {}
    waiting = lacking(folder, queries)
    for query_id in waiting:
        earlier = [query for name, query in queries.items() if name in written or name not in waiting]
        try:
            query, gold, found = await _written(writer, asker, world, folder, queries[query_id], earlier)
        except TaskFailed as problem:
            failed[query_id] = str(problem)
        except CapReached as problem:
            failed[query_id] = f"{CAPPED} {problem} is reached"
        else:
            queries[query_id] = query
            write_lines(folder / QUERIES_FILE, [it.as_line() for it in queries.values()])
            # Last: a task with gold is never asked about again, and then its query has to be there.
            write_json(task_folder(folder, query_id) / "gold.json", gold.model_dump(mode="json"))
            written.append(query_id)
            wrong |= {query_id: found} if found else {}
        on_task(query_id)
    return WrittenQueries(tuple(written), wrong, failed)


def lacking(folder: Path, queries: Mapping[str, Query]) -> list[str]:
    """The ids of queries of which it is not known what an answer should say."""
    golds = {name: read_gold_file(task_folder(folder, name) / "gold.json") for name in queries}
    return [name for name, gold in golds.items() if not is_known(gold)]


def supportive_pages(task: Path) -> list[SandboxPage]:
    """The pages of a task that an answer can't do without, in the order of their addresses."""
    needed = {it.url for it in read_labels(task) if it.label == "supportive"}
    found = (SandboxPage(url=it.url, title=it.title, text=it.text, date=it.date) for it in read_pages(task))
    return sorted((it for it in found if it.url in needed), key=lambda it: it.url)


def files_in(task: Path) -> dict[str, bytes]:
    """The user's files of a task, by name."""
    return {it.name: it.read_bytes() for it in sorted((task / "files").glob("*"))}


async def _written(
    writer: QueryWriter, asker: Asker, world: World, folder: Path, matter: Query, earlier: list[Query]
) -> tuple[Query, Gold, tuple[Finding, ...]]:
    task = task_folder(folder, matter.query_id)
    keywords = Keywords.model_validate(read_json(task / "keywords.json"))
    pages, files = supportive_pages(task), files_in(task)
    query, found = await writer.write(matter, keywords, pages, files, earlier)
    gold = await gold_of(asker, query, pages, files, of_files=True)
    criteria = await criteria_of(asker, query, world, folder)
    write_json(
        rubric_path(folder, criteria.family, query.query_id), criteria.model_dump(mode="json", exclude_none=True)
    )
    return query, gold, found
