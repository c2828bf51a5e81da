"""A query's criteria for reports: made before any report is judged, frozen, and the same for all systems.

A metric with such criteria has a function ``prepare``, which is called once for each query without criteria. Criteria
that people put there, or copy from another experiment, stay.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from drretail.env.store.base import Store
from drretail.errors import UserError
from drretail.eval.judging.session import Judge, JudgeSession
from drretail.eval.judging.subject import Subject, Task
from drretail.eval.metric import Metric, is_unrated
from drretail.experiment import Definition, read_profile, read_rubric, rubric_path, seal, write_sealed
from drretail.files import read_json, write_json
from drretail.records.base import sha256_of
from drretail.records.criteria import Criteria
from drretail.records.query import Query

STAGE = "criteria"
FOLDER = "_queries"
"""Takes the place of a system's label if a judge is asked about a query and not a run."""


def criteria_of(subject: Subject, metric: str) -> Criteria | None:
    """The criteria of a metric for the query of this run, or None if none were frozen.

    Raises UserError if somebody edited the file so that it can't be read.
    """
    if subject.folder is None:
        return None
    return read_rubric(subject.folder, metric, subject.query.query_id, Criteria)


def unprepared(
    experiment: Path, definition: Definition, metrics: Iterable[Metric], judges: Iterable[Judge], store: Store | None
) -> Iterator[tuple[Task, Metric, Judge]]:
    """Every query, with a metric whose criteria it lacks and the judge who makes them.

    That judge is the first one that may be asked, a model before a rule-based one.
    """
    in_order = sorted(judges, key=lambda judge: judge.ref.kind == "rule_based")
    answered = {query.query_id for label in definition.systems for query in definition.queries_of(label)}
    for metric in metrics:
        judge = next((each for each in in_order if not is_unrated(metric, each.ref)), None)
        if judge is None or metric.prepare is None:
            continue
        for query in definition.queries:
            if query.query_id in answered and not rubric_path(experiment, metric.name, query.query_id).exists():
                profile = read_profile(experiment, query.user_id)
                is_external = profile is None and all(system.is_imported for system in definition.systems.values())
                yield Task(query, profile, store, definition.now, experiment, is_external), metric, judge


def about_task(task: Task) -> dict[str, Any]:
    """What a judge session needs to know of a query instead of a run."""
    return {
        "run_id": task.query.query_id,
        "report_sha": sha256_of(task.query.text),
        "is_external": task.is_external,
    }


async def prepare(task: Task, metric: Metric, judge_session: JudgeSession) -> None:
    """Freezes the criteria of a query. If the judge makes none, that is recorded, and it is not asked again."""
    if judge_session.existing(STAGE, task.query.query_id) is not None:
        return
    assert metric.prepare is not None
    made = await metric.prepare(task, judge_session)
    if isinstance(made, str):
        judge_session.record(STAGE, task.query.query_id, "failed", error=made)
    else:
        write_sealed(task.folder, {rubric_path(task.folder, metric.name, task.query.query_id): made})


def take_criteria(experiment: Path, source: Path, metrics: Sequence[Metric], queries: Sequence[Query]) -> int:
    """Copies the criteria of these metrics from ``source``, and returns their number.

    ``source`` is an experiment, a folder of METRIC/QUERY.json, or a file in a publication's form that a metric reads.

    Raises UserError if there are none, or if the experiment has other criteria for a query.
    """
    files: dict[Path, Any] = {}
    if source.is_file():
        readers = [metric.published for metric in metrics if metric.published is not None]
        for criteria in (each for read in readers for each in read(source, queries)):
            place = rubric_path(experiment, criteria.metric, criteria.query_id)
            files[place] = criteria.model_dump(mode="json", exclude_none=True)
    else:
        root = source / "rubrics" if (source / "rubrics").is_dir() else source
        for path in (path for metric in metrics for path in sorted((root / metric.name).glob("*.json"))):
            files[experiment / "rubrics" / path.relative_to(root)] = read_json(path)
    if not source.exists():
        raise UserError(f"{source} does not exist.")
    if not files:
        raise UserError(
            f"{source} holds no criteria of these metrics: they stand in a folder as METRIC/QUERY.json, or in a file "
            "in the publication's form where the metric's page says so."
        )
    freeze("criteria", source, files)
    seal(experiment, *files)
    return len(files)


def freeze(kind: str, source: Path, files: Mapping[Path, Any]) -> None:
    """Writes the files that do not exist. Writes nothing and raises UserError if an existing one has other content."""
    for path, content in files.items():
        if path.exists() and read_json(path) != content:
            raise UserError(f"{path} holds other {kind} than {source}: remove it, or leave --{kind} out.")
    for path, content in files.items():
        if not path.exists():
            write_json(path, content)
