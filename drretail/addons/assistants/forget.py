"""``forget``: an experiment without one user or one conversation."""

import re
import shutil
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import Any

from drretail.addons.assistants.options import ForgetOptions
from drretail.addons.assistants.redaction import Redactor, key_file_of
from drretail.api.option import accepts
from drretail.api.options.shared import folder_of
from drretail.api.report import DEFAULT_NAMES
from drretail.errors import UserError
from drretail.eval.judging.criteria import FOLDER as CRITERIA
from drretail.experiments import experiment
from drretail.experiments.packs import pack_below, unpack_below
from drretail.files import files_below, locked_folder, read_json, read_jsonl, read_lines, write_json, write_lines
from drretail.records.base import FORMAT, canonical_json, file_name
from drretail.records.figures import counted
from drretail.records.query import turns_until
from drretail.records.run import query_of_run
from drretail.viewer.drawing.result import Prose, Result
from drretail.viewer.drawing.table import Table, table_of

MADE_FROM_ALL = ("scores.json", "report", "report.md", "exports", *DEFAULT_NAMES.values())
"""Files and folders that any command makes again from the rest, and that may quote anybody."""
UNDER_WAY = "forgetting.json"
"""The queries that a command has begun to remove: one that was stopped goes on, whatever still names them."""
_OF_RUNS = ("runs/*/*", "verdicts/*/*/*/*", "readings/*/*/*")
_OF_QUERIES = ("rubrics/*/*", "gold/*", f"verdicts/*/*/{CRITERIA}/*")
_ENDING = re.compile(r"(?:\.journal)?\.(?:jsonl?(?:\.gz)?|md)$")
_RUN_OF = re.compile(r"-r\d+$")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What ``forget`` removed from an experiment, by the paths there."""

    queries: tuple[str, ...]
    """The ids of the conversations (queries)."""
    runs: int
    removed: tuple[str, ...]
    """Files and folders that are gone, or have lost lines."""
    still_named: tuple[str, ...]
    """Files that still hold the id that was given, such as what other people's runs read of that user."""


@accepts(ForgetOptions)
def forget(options: ForgetOptions) -> Result[Forgotten]:
    """Removes a user, or one conversation, from an experiment: queries, runs with their journals, verdicts, readings,
    votes, profiles, and all pages and exports.

    Raises UserError for a folder without an experiment, if it asks nothing of that id, or unless exactly one
    of ``user`` and ``conversation`` is given.
    """
    folder, user, conversation = folder_of(options.experiment), options.user, options.conversation
    name = user or conversation
    if not name or (user and conversation):
        raise UserError("Say whom to forget: --user U or --conversation C.")
    key_file = key_file_of(folder)
    names = {name}
    if key_file.exists():  # a redacted import has written an id that is an address as a pseudonym
        names.add(Redactor(key=key_file.read_text(encoding="utf-8")).row({"id": name})["id"])
    queries = experiment.read_definition(folder).queries
    if user:
        # A log's user stands in its runs, since nobody's profile belongs to its questions.
        of_log = {(None, run.query_id) for run in experiment.read_runs(folder) if run.user_id in names}
        ids = {
            query.query_id for query in queries if query.user_id == user or (query.user_id, query.query_id) in of_log
        }
    else:
        ids = {query.query_id for query in queries if names & {query.query_id, query.task_id}}
    # Each turn of a conversation is kept with the words of those before it.
    turns = turns_until(queries)
    firsts = {turns[query_id][0].query_id for query_id in ids & turns.keys()}
    ids |= {query_id for query_id, until in turns.items() if until[0].query_id in firsts}
    under_way = folder / UNDER_WAY
    if under_way.exists():
        ids.update(read_json(under_way)["queries"])
    if not ids:
        other = "" if conversation else " Of a log without users, name each conversation with --conversation."
        raise UserError(f"{folder} asks nothing of {name!r}: experiment.json lists its queries and users.{other}")
    with locked_folder(folder):
        write_json(under_way, {"format": FORMAT, "queries": sorted(ids)})
        unpack_below(folder)
        run_names = (_RUN_OF.sub("", _ENDING.sub("", path.name)) for path in experiment.run_files(folder))
        runs = sum(query in map(file_name, ids) for query in run_names)
        # Experiments that were made from this one lie within it.
        inner = [path.parent for path in sorted(folder.rglob("experiment.json")) if path.parent != folder]
        removed = [path for place in (*inner, folder) for path in _forget(place, ids, user)]
        paths = tuple(dict.fromkeys(str(path.relative_to(folder)) for path in removed))
        pack_below(folder / "verdicts")
        holds = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)").search
        under_way.unlink()
        left = [path for path in files_below(folder, "**/*") if path.is_file() and holds(_text_of(path))]
    left += [
        path for path in sorted((folder / "lab").rglob("*.csv")) if path not in left
    ]  # claims to label, and labels
    still_named = tuple(str(path.relative_to(folder)) for path in left)
    gone = Forgotten(tuple(sorted(ids)), runs, paths, still_named)
    counts = f"{counted(len(ids), 'conversation')} with {counted(runs, 'run')}"
    parts: list[Table | str] = [
        table_of("Removed", ("file or folder",), [[path] for path in paths]),
        Prose(f"Forgotten: {counts}. Kept: the other conversations."),
    ]
    if still_named:
        parts.append(Prose(f"Still named in: {', '.join(still_named)}. Look at these files yourself."))
    note = f"Next: drretail score {quote(str(folder))}, and drretail report, make the rest again."
    return Result(gone, asdict(gone), parts, hints=[note])


def _forget(folder: Path, ids: Collection[str], user: str | None) -> Iterator[Path]:
    """Removes the queries from one experiment, as far as they are there."""
    definition = experiment.read_definition(folder)
    paths = [folder / name for name in MADE_FROM_ALL]
    if user:
        paths.append(experiment.PROFILES.path(folder, user))
    names = {file_name(query_id) for query_id in ids}
    files = [(path, _ENDING.sub("", path.name)) for pattern in _OF_QUERIES for path in sorted(folder.glob(pattern))]
    runs = [(path, _ENDING.sub("", path.name)) for pattern in _OF_RUNS for path in sorted(folder.glob(pattern))]
    files += [(path, _RUN_OF.sub("", name)) for path, name in runs if _RUN_OF.search(name)]
    paths += [path for path, name in files if name in names]
    for path in paths:
        if path.exists():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
            yield path
    for path in (folder / experiment.DISCARDED, *sorted(folder.glob("votes/*.jsonl"))):
        lines = list(read_jsonl(path, forgives_a_cut=False)) if path.exists() else []
        left = [line for line in lines if not _is_about(line, ids)]
        if len(left) < len(lines):
            write_lines(path, map(canonical_json, left))
            yield path
    plan = folder / "votes" / "plan.json"
    if plan.exists():
        items = read_json(plan)
        for name, value in items.items():
            if isinstance(value, list):
                items[name] = [entry for entry in value if not _is_about(entry, ids)]
        write_json(plan, items)
    left = {
        "queries": tuple(query for query in definition.queries if query.query_id not in ids),
        "asked": {label: tuple(key for key in listed if key not in ids) for label, listed in definition.asked.items()},
        "categories": {name: value for name, value in definition.categories.items() if name not in ids},
    }
    # Gold that nobody brings is kept: of a stopped command, that of all others.
    kept = definition.model_copy(update=left)
    experiment.unseal(folder, *paths)
    experiment.write_definition(folder, kept)
    if not any(query.has_gold for query in kept.queries):
        (folder / experiment.GOLD).unlink(missing_ok=True)


def _is_about(line: Any, ids: Collection[str]) -> bool:
    return isinstance(line, dict) and (line.get("query_id") in ids or query_of_run(f"{line.get('run_id')}") in ids)


def _text_of(path: Path) -> str:
    """What a file of any kind says, packed or not: whoever is forgotten may stand in a file that others put there."""
    return "\n".join(read_lines(path)) if path.suffix == ".gz" else path.read_text("utf-8", errors="replace")
