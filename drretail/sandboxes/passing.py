"""A sandbox of those tasks of another one that pass its check."""

import shutil
from collections.abc import Collection
from pathlib import Path

from drretail.env.web.sealed import QUERIES_FILE, SANDBOX_FILE, task_folder
from drretail.files import read_documents, write_lines
from drretail.records.ids import file_name
from drretail.records.query import Query
from drretail.sandboxes.folder import check_new


def keep_passing(folder: Path, to: Path, passing: Collection[str]) -> None:
    """Copies the tasks of these queries to a new folder, without the journals of whoever built them.

    Raises UserError where ``to`` holds something.
    """
    check_new(to)
    queries = [it for it in read_documents(folder / QUERIES_FILE, Query, "query") if it.query_id in passing]
    for query in queries:
        shutil.copytree(task_folder(folder, query.query_id), task_folder(to, query.query_id))
        for rubric in sorted(folder.glob(f"rubrics/*/{file_name(query.query_id)}.json")):
            target = to / rubric.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(rubric, target)
    write_lines(to / QUERIES_FILE, [it.as_line() for it in queries])
    shutil.copyfile(folder / SANDBOX_FILE, to / SANDBOX_FILE)  # last: without it the folder is no sandbox
