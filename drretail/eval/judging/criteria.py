"""What reports on a query are held to: made before any report is judged, frozen, and the same for all systems.

A family that has such criteria has a function ``prepare``. It is asked once for each query that has
none; what people put there, or take from another experiment, stays.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.family import Family, is_unrated
from drretail.eval.judging.session import Judge, JudgeSession
from drretail.eval.judging.subject import Subject, Task
from drretail.experiment import (
    Definition,
    read_profile,
    read_rubric,
    rubric_path,
)
from drretail.files import read_json, write_json
from drretail.records.base import sha256_of
from drretail.records.criteria import Criteria
from drretail.records.query import Query

STAGE = "criteria"
FOLDER = "_queries"
"""Stands for a system's label where a judge is asked of a query and no run."""


def criteria_of(subject: Subject, family: str) -> Criteria | None:
    """What reports on the query of this run are held to in a family; None where nothing was frozen.

    Raises UserError for a file that somebody edited so that it can't be read.
    """
    if subject.folder is None:
        return None
    return read_rubric(subject.folder, family, subject.query.query_id, Criteria)


def unprepared(
    experiment: Path, definition: Definition, families: Iterable[Family], judges: Iterable[Judge], store: Store | None
) -> Iterator[tuple[Task, Family, Judge]]:
    """Every query that a system is asked and that has no criteria yet in a family with such, and who makes them.

    That is the first judge that may be asked, a model before one that follows rules.
    """
    in_order = sorted(judges, key=lambda judge: judge.ref.kind == "rule_based")
    answered = {query.query_id for label in definition.systems for query in definition.queries_of(label)}
    for family in families:
        judge = next((each for each in in_order if not is_unrated(family, each.ref)), None)
        if judge is None or family.prepare is None:
            continue
        for query in definition.queries:
            if query.query_id in answered and not rubric_path(experiment, family.name, query.query_id).exists():
                profile = read_profile(experiment, query.user_id)
                are_imported = all(system.is_imported for system in definition.systems.values())
                elsewhere = are_imported and profile is None
                yield Task(query, profile, store, definition.now, experiment, elsewhere), family, judge


def about_task(task: Task) -> dict[str, Any]:
    """What a judge session is told of a query in place of a run."""
    return {
        "run_id": task.query.query_id,
        "report_sha": sha256_of(task.query.text),
        "is_external": task.is_external,
    }


async def prepare(task: Task, family: Family, judge_session: JudgeSession) -> None:
    """Freezes the criteria of a query; where the judge makes none, that is recorded, and it is not asked again."""
    if judge_session.existing(STAGE, task.query.query_id) is not None:
        return
    assert family.prepare is not None
    made = await family.prepare(task, judge_session)
    if isinstance(made, str):
        judge_session.record(STAGE, task.query.query_id, "failed", error=made)
    else:
        write_json(
            rubric_path(task.folder, family.name, task.query.query_id), made.model_dump(mode="json", exclude_none=True)
        )


def take_criteria(experiment: Path, source: Path, families: Sequence[Family], queries: Sequence[Query]) -> int:
    """Keeps the criteria of these families that ``source`` holds, and gives their number.

    ``source`` is an experiment, a folder of FAMILY/QUERY.json, or a file in a publication's form that a family reads.
    Raises UserError where there are none, and where the experiment holds others of a query.
    """
    found = _published(source, families, queries) if source.is_file() else _held(source, families)
    if not source.exists():
        raise UserError(f"{source} does not exist.")
    if not found:
        raise UserError(
            f"{source} holds no criteria of these metrics: they stand in a folder as FAMILY/QUERY.json, or in a file "
            "in the publication's form where the metric's page says so."
        )
    freeze("criteria", source, {experiment / "rubrics" / place: criteria for place, criteria in found.items()})
    return len(found)


def _held(source: Path, families: Iterable[Family]) -> dict[Path, Any]:
    """By FAMILY/QUERY.json what a folder holds."""
    root = source / "rubrics" if (source / "rubrics").is_dir() else source
    paths = [path for family in families for path in sorted((root / family.name).glob("*.json"))]
    return {path.relative_to(root): read_json(path) for path in paths}


def _published(source: Path, families: Iterable[Family], queries: Sequence[Query]) -> dict[Path, Any]:
    """The same of a publication's file."""
    made = [it for family in families if family.published is not None for it in family.published(source, queries)]
    return {
        rubric_path(Path(), criteria.family, criteria.query_id).relative_to("rubrics"): criteria.model_dump(
            mode="json", exclude_none=True
        )
        for criteria in made
    }


def freeze(what: str, source: Path, files: Mapping[Path, Any]) -> None:
    """Writes files that are not there; nothing, and UserError, where any of them holds something else."""
    for path, content in files.items():
        if path.exists() and read_json(path) != content:
            raise UserError(f"{path} holds other {what} than {source}: remove it, or leave --{what} out.")
    for path, content in files.items():
        if not path.exists():
            write_json(path, content)
