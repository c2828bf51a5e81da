"""The reference report of each query, which others are held beside: exp/references/QUERY.md.

The files are what counts. ``score --reference LABEL`` writes them from a system's runs; people may put others there.
"""

from pathlib import Path

from drretail.errors import UserError
from drretail.eval.judging.pairs import resolve_name
from drretail.eval.judging.subject import Subject, planned_runs, read_subject
from drretail.experiment import Definition
from drretail.files import write_atomically
from drretail.grounding.report.render import render_report
from drretail.records.ids import file_name


def reference_file(experiment: Path, query_id: str) -> Path:
    return experiment / "references" / f"{file_name(query_id)}.md"


def reference_of(subject: Subject) -> str | None:
    """The reference report on the query of a run; None where there is none."""
    if subject.folder is None:
        return None
    path = reference_file(subject.folder, subject.query.query_id)
    return path.read_text(encoding="utf-8") if path.exists() else None


def article_of(subject: Subject) -> str:
    """A run's report as it is scored, and as it is kept where it is the reference: with numbered references and what
    they stand for."""
    return render_report(subject.report or "", subject.evidence.values(), style="plain").text


def keep_references(experiment: Path, definition: Definition, label: str) -> None:
    """Keeps the first report of a system on each query as its reference.

    Raises UnknownName for a system that is not there, UserError where it left no report, or where another reference
    of a query is kept.
    """
    label = resolve_name("system", label, definition.systems)
    articles: dict[str, str] = {}
    for planned in planned_runs(experiment, definition):
        if planned.label == label and planned.query.query_id not in articles:
            subject = read_subject(experiment, definition, planned, None)
            if subject.report is not None:
                articles[planned.query.query_id] = article_of(subject)
    if not articles:
        raise UserError(f"{label} has left no report that others could be held beside.")
    for query_id, article in articles.items():
        path = reference_file(experiment, query_id)
        if path.exists() and path.read_text(encoding="utf-8") != article:
            raise UserError(f"{path} holds another reference than {label}'s: remove it, or leave --reference out.")
    for query_id, article in articles.items():
        if not (path := reference_file(experiment, query_id)).exists():
            write_atomically(path, article)
