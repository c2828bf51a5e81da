"""``import``: reports, tasks and personas of other benchmarks and products, as an experiment."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any

from drretail.addons.assistants.redaction import Redactor, key_file_of
from drretail.addons.imports.formats import load_format
from drretail.addons.imports.material import Material, redacting
from drretail.addons.imports.options import ImportOptions
from drretail.addons.imports.recording import Imported, ReportCount, record, some_of, write_questions
from drretail.api.option import accepts
from drretail.api.worlds import known_user, world_of
from drretail.env.world import World
from drretail.errors import UserError
from drretail.files import check_entries
from drretail.records.evidence import CitationCounts
from drretail.records.figures import counted
from drretail.records.query import Query
from drretail.viewer.drawing.progress import busy, choose_progress
from drretail.viewer.drawing.result import Result, prose
from drretail.viewer.drawing.table import Table, table_of


@accepts(ImportOptions)
def import_reports(options: ImportOptions) -> Result[Any]:
    """What came of the files: the imported reports, or the queries if ``to`` is a file of them.

    Raises UserError for files without a report, for a folder with links in it, and for pages beside a file of queries.
    """
    path, to, pages = Path(options.path), Path(options.to), options.pages
    chosen = load_format(options.form)
    if not path.exists():
        raise UserError(f"{path} does not exist: name a file or a folder of reports.")
    for folder in (path, *([] if pages is None else [Path(pages)])):
        check_entries(folder)  # whose links would bring in files of the reader's own
    redactor = Redactor.of(options.redact, options.names, key_file_of(to))
    with busy("reading"), redacting(redactor):
        material = chosen.read(path)
    for account in (material.rows, material.files, material.parts):  # several imports fill one experiment
        account.stage = f"import {path}"
    if material.is_empty:
        why = " ".join(f"{counted(account.came, account.unit)}: {account.reasons}." for account in material.accounts)
        why = why or "check the format and the path."
        raise UserError(f"{path} holds nothing of this format ({chosen.described}): {why}")
    material = material if options.system is None else material.renamed(options.system)
    are_questions = to.suffix == ".jsonl" and not to.is_dir()
    if are_questions and pages is not None:
        raise UserError(f"{to} would be a file of questions, which holds no pages: leave --pages out.")
    with nullcontext() if options.world is None else world_of(options.world) as shop, redacting(redactor):
        if are_questions:
            return _questions_kept(material, options, shop)
        page_file = None if pages is None else Path(pages)
        came = record(material, options.form, to, choose_progress(), model=options.model, pages=page_file, world=shop)
    parts: list[Table | str] = []
    if came.reports:
        rows = [[label, *totals.values()] for label, totals in by_system(came.reports).items()]
        parts.append(table_of("Imported reports", COLUMNS, rows))
    seen = any(report.pages or report.products for report in came.reports)
    if options.form == "chat" and came.reports and shop is None and not seen:
        parts += prose(
            "Nothing here can be held against your shop: import again with --world W "
            "(drretail/addons/assistants/README.md)."
        )
    parts += prose(*_notes(came))
    of_key = [f"{key_file_of(to)} makes pseudonyms: keep it for the next import, and to yourself."]
    notes = [f"Kept in {to}.", *(of_key if options.redact else ())]
    then = f"drretail score {quote(str(to))}" if came.reports else ""
    return Result(came, _document(came, options), parts, notes=notes, next=then, path=to, accounts=came.accounts)


def _document(came: Imported, options: ImportOptions) -> dict[str, Any]:
    """All counts, by system and by report."""
    return {
        "experiment": str(options.to),
        "import": options.form,
        **_questions_counted(came.queries),
        "systems": by_system(came.reports),
        "reports": [{**asdict(report), "citations": report.citations.model_dump()} for report in came.reports],
        "empty": came.empty,
    }


def _questions_kept(material: Material, options: ImportOptions, shop: World | None) -> Result[Sequence[Query]]:
    """Writes the questions alone, as a file of queries."""
    to = Path(options.to)
    queries = write_questions(material, options.form, to, str if shop is None else partial(known_user, shop))
    left = [f"Left out: {counted(len(material.reports), 'answer')}."] if material.reports else []
    document = {"file": str(to), **_questions_counted(queries)}
    parts = [*prose(_questions(queries), *left)]
    return Result(queries, document, parts, notes=[f"Kept in {to}."], path=to, accounts=material.accounts)


COLUMNS = ("system", "reports", "citations read", "in lists", "not read", "sources cited", "unresolved")


def _notes(came: Imported) -> Iterator[str]:
    yield _questions(came.queries)
    for label, counts in citations_by_system(came.reports).items():
        if counts.missing:
            files = some_of(
                [report.where for report in came.reports if report.system == label and report.citations.missing]
            )
            concluded = "Nothing is concluded from its FP and FR: export" if counts.are_too_many else "Export"
            yield (
                f"Warning: {counts.unread_of(label)}: {files}. {concluded} the reports again with their marks and "
                "addresses; drretail/addons/imports/README.md has the forms that are read."
            )
    silent = [report.where for report in came.reports if report.characters and report.citations.is_empty]
    if silent and not _are_chats(came):  # answers of a shop's assistant need no marks
        yield (
            f"Warning: {counted(len(silent), 'report')} without a citation that is read: {some_of(silent)}. FR takes "
            "them for reports that cite nothing; if they cite, export them again with their marks and addresses."
        )
    if calls := sum(report.calls for report in came.reports):
        pages, products, broken = (
            sum(getattr(report, name) for report in came.reports) for name in ("pages", "products", "unanswered")
        )
        yield (
            f"Tool calls: {calls:,}, of which {calls - broken:,} have a result, with {counted(pages, 'page')} and "
            f"{counted(products, 'product')}."
        )
        if broken:
            yield f"Warning: {counted(broken, 'call')} without a result or with an error, which brought no evidence."
    if count := sum(bool(report.looked_up) for report in came.reports):
        products = len({product for report in came.reports for product in report.looked_up})
        yield (
            f"{count:,} of {counted(len(came.reports), 'answer')} {'names' if count == 1 else 'name'} products of the "
            f"shop ({counted(products, 'product')}). Their records were looked up for judging: nothing says "
            "that the writer read them."
        )
    if users := {query.asker for query in came.queries} - {None}:
        yield f"Users: {len(users):,}. The questions of one user are one cluster of intervals and tests."
    elif _are_chats(came):
        yield "No row names its user (user, user_id, customer …): the rows are taken as independent."
    if times := came.material.unread_times:
        yield f"Warning: {counted(len(times), 'time')} such as {times[0]!r} cannot be read: write it in ISO form."
    if came.empty:
        yield f"Without a word: {counted(came.empty, 'report')}. They are failed runs."


def _are_chats(came: Imported) -> bool:
    return bool(came.queries) and came.queries[0].source == "import:chat"


def _questions(queries: Sequence[Query]) -> str:
    personas = sum(query.persona is not None for query in queries)
    return f"Questions: {len(queries):,}{f', {personas:,} with a persona' if personas else ''}."


def citations_by_system(reports: Sequence[ReportCount]) -> dict[str, CitationCounts]:
    """How many citations of each system were read, by label."""
    by_label: dict[str, list[CitationCounts]] = defaultdict(list)
    for report in reports:
        by_label[report.system].append(report.citations)
    return {label: CitationCounts.summed(counts) for label, counts in sorted(by_label.items())}


def by_system(reports: Sequence[ReportCount]) -> dict[str, dict[str, int]]:
    """Sums over the reports of each system, by label."""
    totals: dict[str, dict[str, int]] = {}
    for label, counts in citations_by_system(reports).items():
        of_system = [report for report in reports if report.system == label]
        totals[label] = {
            "reports": sum(report.characters > 0 for report in of_system),
            "read": counts.read,
            "listed": counts.listed,
            "not_read": counts.missing,
            "sources": sum(report.sources for report in of_system),
            "unresolved": sum(report.unresolved for report in of_system),
        }
    return totals


def _questions_counted(queries: Sequence[Query]) -> dict[str, int]:
    return {"queries": len(queries), "personas": sum(query.persona is not None for query in queries)}
