"""Writes a sandbox's folder: the task of each query, and the description of the whole."""

import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from drretail import __version__
from drretail.addons.sandboxes.material import TaskMaterial
from drretail.addons.sandboxes.sizes import TokenCounter, place_pages
from drretail.env.web.sealed import (
    GOLD_FILE,
    QUERIES_FILE,
    SANDBOX_FILE,
    PageLabel,
    SandboxFolder,
    read_sandbox,
    task_folder,
    written_queries,
)
from drretail.errors import UserError
from drretail.experiment import rubric_path
from drretail.files import is_unfinished, made_whole, readable_json, write_atomically, write_json, write_lines
from drretail.grounding.constraints.gold_files import gold_path, write_with_gold
from drretail.locks import LOCK
from drretail.records.base import canonical_json, file_name, sha256_of
from drretail.records.criteria import KnownAnswer
from drretail.records.query import Query

BUILDING = "building"
"""The subfolder with the builder's journals, which is not part of the sandbox."""


@dataclass(frozen=True, slots=True)
class WrittenTask:
    """A query whose task is in the folder, and the sizes that its pages fill."""

    query: Query
    sizes: tuple[str, ...]
    tokens: float
    """The tokens of its pages, including those found for the first size that could not be filled."""


def write_task(folder: Path, material: TaskMaterial, sizes: Mapping[str, int], counter: TokenCounter) -> WrittenTask:
    """Writes a whole task into the sandbox ``folder``. Raises UserError if not even the smallest size is filled.

    Within a size, pages are ordered by address, so that their order does not give away their labels.
    """
    query, placed = material.query, place_pages(material, sizes, counter)
    task = task_folder(folder, query.query_id)
    places = {name: number for number, name in enumerate(placed.sizes)}
    pages = sorted(placed.pages, key=lambda page: (places[page[0]], page[1].page.url))
    lines = [{**page.page.model_dump(exclude_none=True), "from": size} for size, page in pages]
    labels = [PageLabel(url=page.page.url, label=page.label, kind=page.kind, keyword=page.keyword, why=page.why)
              for _, page in pages]  # fmt: skip
    write_lines(task / "pages.jsonl.gz", map(canonical_json, lines))
    write_lines(task / "labels.jsonl", [canonical_json(label.model_dump(mode="json")) for label in labels])
    for name, content in sorted(material.files.items()):
        write_atomically(task / "files" / name, content)
    write_json(task / "keywords.json", material.keywords.model_dump(mode="json"))
    write_json(task / "gold.json", material.gold.model_dump(mode="json"))
    for criteria in material.criteria:
        write_json(rubric_path(folder, criteria.metric, query.query_id), criteria.model_dump(mode="json"))
    return WrittenTask(query, placed.sizes, placed.tokens)


def write_sandbox(folder: Path, about: SandboxFolder, tasks: Sequence[WrittenTask]) -> list[str]:
    """Completes the sandbox: writes its queries, and its description with the sizes that every task fills.

    Returns a sentence for each size of ``about`` that is left out. Raises UserError if there is no task.
    """
    if not tasks:
        raise UserError(f"{folder}: no query has a task, so there is no sandbox.")
    filled = {name: tokens for name, tokens in about.sizes.items() if all(name in task.sizes for task in tasks)}
    notes: list[str] = []
    for name in about.names:
        if name not in filled:
            short = min((task for task in tasks if name not in task.sizes), key=lambda task: task.tokens)
            notes.append(f"{name} is left out: the pages of {short.query.query_id} have {short.tokens:,.0f} tokens.")
    write_with_gold([task.query for task in tasks], folder / QUERIES_FILE)
    whole = about.model_copy(update={"sizes": filled, "versions": {"drretail": __version__, **about.versions}})
    seal(folder, whole, sums_of(folder))  # last: without it the folder is no sandbox
    return notes


def seal(folder: Path, about: SandboxFolder, sums: Mapping[str, str]) -> None:
    """Writes a sandbox's description with the checksums of its files."""
    sealed = about.model_copy(update={"sums": dict(sums)})
    sealed = sealed.model_copy(update={"own_sum": own_sum(sealed)})
    write_json(folder / SANDBOX_FILE, sealed.model_dump(mode="json", exclude_none=True))


def write_gold(folder: Path, query_id: str, gold: KnownAnswer) -> None:
    """Writes a task's gold, after its checksum and those of the files written with it are in the description.

    A sandbox without checksums gets none.
    """
    about, path = read_sandbox(folder), task_folder(folder, query_id) / GOLD_FILE
    text = readable_json(gold.model_dump(mode="json"))
    if about.sums is not None:
        # The queries, and beside them what is decided for them.
        queries = (folder / QUERIES_FILE, gold_path(folder / QUERIES_FILE))
        written = (*filter(Path.exists, queries), *folder.glob(f"rubrics/*/{file_name(query_id)}.json"))
        sums = {each.relative_to(folder).as_posix(): sha256(each.read_bytes()).hexdigest() for each in written}
        sums[path.relative_to(folder).as_posix()] = sha256(text.encode()).hexdigest()
        seal(folder, about, {**about.sums, **sums})
    # Last: a task with gold counts as finished, so a call that is cut before this writes it again.
    write_atomically(path, text)


def sums_of(folder: Path) -> dict[str, str]:
    """The sha256 of each file of a sandbox by its path, without its description and its builder's journals."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and not is_unfinished(path))
    names = {path.relative_to(folder).as_posix(): path for path in paths if path.name != LOCK}
    paths = {name: path for name, path in names.items() if name.partition("/")[0] not in (SANDBOX_FILE, BUILDING)}
    return {name: sha256(path.read_bytes()).hexdigest() for name, path in paths.items()}


def own_sum(about: SandboxFolder) -> str:
    """The sha256 of a sandbox's description, apart from ``own_sum`` itself."""
    return sha256_of(about.model_dump(mode="json", exclude={"own_sum"}))


def keep_passing(folder: Path, to: Path, passing: Collection[str]) -> None:
    """Copies the tasks of these queries to a new folder, without the builder's journals.

    Raises UserError if ``to`` is not empty.
    """
    queries = [query for query in written_queries(folder) if query.query_id in passing]
    with made_whole(to) as made:
        for query in queries:
            shutil.copytree(task_folder(folder, query.query_id), task_folder(made, query.query_id))
            for rubric in sorted(folder.glob(f"rubrics/*/{file_name(query.query_id)}.json")):
                write_atomically(made / rubric.relative_to(folder), rubric.read_bytes())
        write_with_gold(queries, made / QUERIES_FILE)
        seal(made, read_sandbox(folder), sums_of(made))
