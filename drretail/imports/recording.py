"""An experiment of imported reports, and a count of what came into it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from drretail import __version__
from drretail.errors import UserError, quoted
from drretail.experiment import Definition, Experiment, gold_path, read_definition, read_run, run_folder
from drretail.files import write_json, write_lines
from drretail.imports.cited_sources import CitedSources, cited_sources
from drretail.imports.given_pages import keep_pages, read_pages
from drretail.imports.material import ForeignReport, Material
from drretail.imports.question_ids import queries_of
from drretail.progress import Progress
from drretail.records.base import sha256_of
from drretail.records.criteria import Gold
from drretail.records.query import Query
from drretail.records.run import IMPORTED_AGENT, LONGEST_LABEL, RoleModel, Run, RunError, System, slug

OPEN_WEB = "open"
"""The web of imported systems: what they searched is not known, but no corpus of ours."""
REPORT = "report"
"""The role of the model behind an imported system, where that is told."""
NO_REPORT = RunError(kind="no_report", where="import", message="the file holds no report on this question")


@dataclass(frozen=True, slots=True)
class ReportCount:
    """One report, and how its citations resolved."""

    system: str
    query_id: str
    characters: int
    citations: int
    sources: int
    """Different ones that are cited."""
    unresolved: int
    listed: int
    """Sources that the report names at all, cited or only in its list."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came into an experiment."""

    queries: tuple[Query, ...]
    reports: tuple[ReportCount, ...]
    empty: int
    """Tasks on which a file holds a report without a word: failed runs."""
    held: int
    """Reports that the experiment held already, as they are."""
    repeated: int
    """Rows that say what another row of the same import says."""
    pages: tuple[int, int] | None = None
    """Given pages that are cited, and all that were given."""


def write_queries(material: Material, form: str, to: Path) -> tuple[Query, ...]:
    """Writes the questions as a file of queries, as ``run`` and ``queries`` take them.

    Raises UserError where there is none, and where there are reports, which such a file can't hold.
    """
    if material.reports:
        raise UserError(f"{to} would be a file of questions, and there are reports: name a folder with --to.")
    queries = tuple(queries_of(material, form, ()).values())
    _check_any(queries, material)
    write_lines(to, (query.as_line() for query in queries))
    return queries


def record(
    material: Material,
    form: str,
    folder: Path,
    progress: Progress,
    *,
    model: str | None = None,
    pages: Path | None = None,
) -> Imported:
    """Writes reports as ended runs of the experiment in ``folder``, which is made where there is none.

    ``model`` is the model behind the systems, where that is known. ``pages`` are cited pages of the user's. The same
    import changes nothing a second time. Raises UserError where the folder holds other reports by these systems, or
    runs on other questions.
    """
    held = read_definition(folder) if (folder / "experiment.json").exists() else None
    queries = queries_of(material, form, () if held is None else held.queries)
    _check_any(queries, material)
    labels = _labels(material.systems())
    definition = _definition(material, form, queries, labels, held, model)
    given = None if pages is None else read_pages(pages)
    places = {key: (labels[it.system], queries[it.task_id].query_id) for key, it in material.reports.items()}
    held_already = [key for key, it in material.reports.items() if _is_there(folder, *places[key], it)]
    counts: list[ReportCount] = []
    with Experiment(folder, definition) as experiment, progress.track("reports", len(material.reports)) as bar:
        _keep_gold(folder, material, queries)
        for key, report in material.reports.items():
            sources = cited_sources(report.text)
            run = _run(report, *places[key], sources)
            if key not in held_already:
                experiment.save(run, sources.evidence, {}, _telemetry())
            counts.append(_count(run, sources))
            bar.advance()
        kept = None if given is None else (keep_pages(folder, given), len(given))
    empty = sum(not it.text.strip() for it in material.reports.values())
    return Imported(tuple(queries.values()), tuple(counts), empty, len(held_already), material.repeated, kept)


def _check_any(queries: Mapping[str, Query] | Sequence[Query], material: Material) -> None:
    if queries:
        return
    if material.personas:
        raise UserError(f"There are {material.personas:,} personas and no question: name the folder that holds both.")
    raise UserError("There is no report and no question to import.")


def _labels(systems: Sequence[str]) -> dict[str, str]:
    """The label of each system. Raises UserError for two that come to one."""
    labels: dict[str, str] = {}
    for system in systems:
        label = slug(system).lstrip(".+_-")[:LONGEST_LABEL] or "imported"
        if label in labels.values():
            raise UserError(f"Two systems would both be called {label!r}: import one of them alone, with --system.")
        labels[system] = label
    return labels


def _definition(
    material: Material,
    form: str,
    queries: Mapping[str, Query],
    labels: Mapping[str, str],
    held: Definition | None,
    model: str | None,
) -> Definition:
    if model is not None and not all(model.partition(":")):
        raise UserError(f"{quoted(model)} names no provider: write provider:model, such as openai:gpt-5.")
    models = {} if model is None else {REPORT: RoleModel(spec=model, kind="llm")}
    system = System(agent=IMPORTED_AGENT, web_provider=OPEN_WEB, models=models, options={"format": form})
    asked = {
        label: tuple(sorted(queries[task_id].query_id for by, task_id in material.reports if by == name))
        for name, label in labels.items()
    }
    base = held or Definition(versions={"drretail": __version__})
    new = {query.query_id for query in queries.values()} - {query.query_id for query in base.queries}
    if base.world_fingerprint is not None and new:
        # Its systems would be planned to answer them, and count as having failed.
        raise UserError(f"The experiment's own runs do not ask {sorted(new)[0]!r}: import these reports elsewhere.")
    return base.model_copy(
        update={
            "queries": tuple(sorted(queries.values(), key=lambda query: query.query_id)),
            "asked": asked,
            "systems": dict.fromkeys(labels.values(), system),
            "prompt_hashes": {},
        }
    )


def _keep_gold(folder: Path, material: Material, queries: Mapping[str, Query]) -> None:
    """Writes what files know of good answers; what was kept first of a question stays."""
    for task_id, task in material.tasks.items():
        query_id = queries[task_id].query_id
        path = gold_path(folder, query_id)
        if task.gold is not None and not path.exists():
            gold = Gold(query_id=query_id, **task.gold)
            write_json(path, gold.model_dump(mode="json", exclude_none=True))


def _run(report: ForeignReport, label: str, query_id: str, sources: CitedSources) -> Run:
    is_empty = not report.text.strip()
    return Run(
        run_id=f"{label}/{query_id}-r1",
        system=label,
        query_id=query_id,
        repeat=1,
        status="failed" if is_empty else "done",
        stop="error" if is_empty else "finished",
        error=NO_REPORT if is_empty else None,
        report=None if is_empty else report.text,
        report_sha=None if is_empty else sha256_of(report.text),
        citations=sources.citations,
    )


def _is_there(experiment: Path, label: str, query_id: str, report: ForeignReport) -> bool:
    """True for a report that the experiment holds as it is. Raises UserError where it holds another one."""
    run = run_folder(experiment, label, query_id, 1)
    if not (run / "run.json").exists():
        return False
    held = read_run(run).report or ""
    if held != report.text and held.strip() + report.text.strip():
        raise UserError(
            f"{experiment} holds another report by {label} on {query_id}: give the new one's system another "
            "name with --system."
        )
    return True


def _telemetry() -> dict[str, str]:
    return {"imported": datetime.now(UTC).isoformat(timespec="seconds")}


def _count(run: Run, sources: CitedSources) -> ReportCount:
    return ReportCount(
        system=run.system,
        query_id=run.query_id,
        characters=len(run.report or ""),
        citations=len(sources.citations),
        sources=sources.cited,
        unresolved=sources.unresolved,
        listed=len(sources.evidence),
    )
