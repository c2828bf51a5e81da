"""What an import brought: numbers of reports, citations, and references that lead nowhere."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from drretail.imports.recording import Imported, ReportCount
    from drretail.records.query import Query

COLUMNS = ("system", "reports", "citations", "sources cited", "sources named", "unresolved")
MOST_NAMED = 5
SUMMED = ("citations", "sources", "listed", "unresolved")


def print_imported(came: "Imported", to: Path) -> None:
    """A row a system, then what is to be known beside it."""
    from drretail.tables.table import table_of
    from drretail.viewer.output import print_table, print_text, say

    if came.reports:
        rows = [[label, *totals.values()] for label, totals in by_system(came.reports).items()]
        print_table(table_of("Imported reports", COLUMNS, rows))
    print_text(*_notes(came), *([f"Next: drretail score {to}"] if came.reports else []))
    say(f"Kept in {to}.")


def _notes(came: "Imported") -> Iterator[str]:
    yield _questions(came.queries)
    unread = [report.where for report in came.reports if report.unread]
    if unread:
        more = f" and {len(unread) - MOST_NAMED:,} more" if len(unread) > MOST_NAMED else ""
        yield (
            f"Warning: {', '.join(unread[:MOST_NAMED])}{more}: there is a list of sources, and no citation of them was "
            "found, so that FR and what rests on citations is n/a. Look for the marks in the file: if they were lost, "
            "export the report again with them; docs/import.md has the forms that are read."
        )
    if came.empty:
        yield f"Without a word: {came.empty:,} reports. They are failed runs."
    if came.held:
        yield f"In the experiment already: {came.held:,} reports. They stay as they are."
    if came.repeated:
        yield f"Said twice: {came.repeated:,} reports. Each was taken once."
    if came.pages is not None:
        kept, given = came.pages
        yield f"Pages given: {given:,}, of which {kept:,} are cited or listed by reports here."


def print_questions(queries: "Sequence[Query]", to: Path) -> None:
    """What a file of questions holds."""
    from drretail.viewer.output import print_text, say

    print_text(_questions(queries))
    say(f"Kept in {to}.")


def _questions(queries: "Sequence[Query]") -> str:
    personas = sum(query.persona is not None for query in queries)
    return f"Questions: {len(queries):,}{f', {personas:,} with a persona' if personas else ''}."


def by_system(reports: "Sequence[ReportCount]") -> dict[str, dict[str, int]]:
    """Sums over the reports of each system, by label."""
    totals: dict[str, dict[str, int]] = {}
    for it in reports:
        held = totals.setdefault(it.system, dict.fromkeys(("reports", *SUMMED), 0))
        held["reports"] += 1
        for name in SUMMED:
            held[name] += getattr(it, name)
    return dict(sorted(totals.items()))


def imported_document(came: "Imported", to: Path, form: str) -> dict[str, Any]:
    """All counts, by system and by report."""
    return {
        "experiment": str(to),
        "import": form,
        **_questions_counted(came.queries),
        "systems": by_system(came.reports),
        "reports": [asdict(report) for report in came.reports],
        "empty": came.empty,
        "held_already": came.held,
        "repeated": came.repeated,
        "pages": None if came.pages is None else {"kept": came.pages[0], "given": came.pages[1]},
    }


def questions_document(queries: "Sequence[Query]", to: Path) -> dict[str, Any]:
    return {"file": str(to), **_questions_counted(queries)}


def _questions_counted(queries: "Sequence[Query]") -> dict[str, int]:
    return {"queries": len(queries), "personas": sum(query.persona is not None for query in queries)}
