"""``queries review``: people review queries in sheets; in a browser with ``view(review=FILE)``."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.addons.people.options import ReviewOptions
from drretail.addons.people.review_tables import summary_document, summary_parts
from drretail.api.option import accepts
from drretail.api.options import research
from drretail.api.worlds import world_of
from drretail.errors import UserError
from drretail.files import write_atomically
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result

if TYPE_CHECKING:
    from drretail.addons.people.review.decisions import Applied
    from drretail.records.query import Query

HOW = (
    "To review them in a browser: drretail view --review {file} --world {world}\n"
    "With a spreadsheet: drretail queries review {file} --world {world} --sheet review.csv, and again once it is filled"
)


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """The file under review, its queries, and the reviewer."""

    file: Path
    queries: "tuple[Query, ...]"
    world: research.World
    reviewer: str
    named: bool
    """True if an option named the reviewer."""


@accepts(ReviewOptions)
def review(options: ReviewOptions) -> Result[Any]:
    """The summary of all decisions, after those of a filled sheet; or the path of a sheet that was written.

    Raises UserError for options that don't go together, and if there is nothing to decide or to write.
    """
    from drretail.addons.people.review.decisions import decisions_on
    from drretail.addons.people.review.summary import summary_of
    from drretail.querygen.reading import read_queries

    file, sheet = Path(options.file), None if options.sheet is None else Path(options.sheet)
    if sheet is not None and options.to is not None:
        raise UserError("--sheet and --to are two things to do: call the command once for each.")
    queries = read_queries(file)
    request = ReviewRequest(file, queries, options.world, _name(options.reviewer), options.reviewer is not None)
    if sheet is not None and not sheet.exists():
        return write_sheet(request, sheet)
    notes = [] if sheet is None else take_sheet(request, sheet)
    applied = None if options.to is None else _apply(request, Path(options.to))
    now = summary_of(queries, decisions_on(file, queries))
    hints = [HOW.format(file=file, world=options.world)] if sheet is None and applied is None else []
    left = 0
    if applied is not None:
        left = len(applied.waiting)
        notes.append(_applied(applied, file, Path(options.to or file)))
    document = summary_document(file, now, applied)
    return Result(now, document, [*summary_parts(file, now)], notes=notes, hints=hints, left=left)


def _applied(applied: "Applied", file: Path, to: Path) -> str:
    waiting = ""
    if applied.waiting:
        fate = "stay as they are" if to == file else "are left out"
        waiting = f"; {len(applied.waiting)} undecided or disputed ones {fate}: {', '.join(applied.waiting)}"
    counts = f"{len(applied.edited)} edited, {len(applied.rejected)} rejected{waiting}"
    return f"{counted(len(applied.queries), 'query')} → {to}: {counts}"


def write_sheet(request: ReviewRequest, sheet: Path) -> Result[Path]:
    """Writes a sheet of the queries that the reviewer has not decided yet, or of all if nobody is named."""
    from drretail.addons.people.review.decisions import decisions_on
    from drretail.addons.people.review.item import Items
    from drretail.addons.people.review.sheet import sheet_of

    if sheet.suffix.casefold() != ".csv":
        raise UserError(f"{sheet}: the sheet is CSV: give it a name that ends in .csv.")
    name, left = None, request.queries
    if request.named:
        name = request.reviewer
        left = decisions_on(request.file, request.queries).undecided_by(name, request.queries)
    if not left:
        raise UserError(f"{name} has decided on all queries: without --reviewer the sheet has them all.")
    with world_of(request.world) as shop:
        items = Items(shop, request.queries)
        rows = [items.of(query) for query in left]
    write_atomically(sheet, sheet_of(rows, name))
    back = f"drretail queries review {request.file} --world {request.world} --sheet {sheet}"
    line = f"{counted(len(rows), 'query')} → {sheet}; fill it in, and: {back}"
    return Result(sheet, {"queries": len(rows), "file": str(sheet)}, [line], path=sheet)


def take_sheet(request: ReviewRequest, sheet: Path) -> list[str]:
    """Appends the new decisions of a filled sheet. Returns sentences on them, and on what checks find in its edits."""
    from drretail.addons.people.review.records import keep_reviews
    from drretail.addons.people.review.sheet import Reading, read_filled

    queries = {query.query_id: query for query in request.queries}
    filled = read_filled(sheet, Reading(queries, request.reviewer, datetime.now(UTC), request.named))
    new = keep_reviews(request.file, filled.reviews)
    known = len(filled.reviews) - len(new)
    notes = [f"Decisions taken from {sheet}: {len(new)}, known before: {known}, queries left blank: {filled.blank}."]
    if filled.unnamed and not request.named:
        unnamed = counted(filled.unnamed, "query")
        notes.append(f"Without a reviewer: {unnamed}, taken for those of {request.reviewer}.")
    edits = [decision.edit.after for decision in new if decision.edit is not None]
    if edits:
        from drretail.addons.people.review.item import Items

        with world_of(request.world) as shop:
            items = Items(shop, request.queries)
            for query in edits:
                for finding in items.check(query).findings:
                    notes.append(f"{query.query_id}, as edited: {finding.code}: {finding.text}")
    return notes


def _name(flag: str | None) -> str:
    """The reviewer's name. Raises UserError if neither the flag nor the system gives one."""
    import getpass

    from drretail.addons.people.review.records import LONGEST_NAME, reviewer_of

    try:
        return reviewer_of(getpass.getuser() if flag is None else flag)
    except (OSError, KeyError, UserError):  # a user without a name, as in some containers
        raise UserError(f"Say who reviews: --reviewer NAME, with at most {LONGEST_NAME} characters.") from None


def _apply(request: ReviewRequest, to: Path) -> "Applied":
    """Writes accepted and edited queries; into the reviewed file itself, undecided ones stay."""
    from drretail.addons.people.review.decisions import decisions_on, outcomes, write_reviewed
    from drretail.addons.people.review.item import Items

    decided = outcomes(request.queries, decisions_on(request.file, request.queries))
    in_place = to.resolve() == request.file.resolve()
    if not in_place and not any(outcome.result for outcome in decided):
        raise UserError(f"No query of {request.file} is accepted or edited: there is nothing to write.")
    if all(outcome.what == "rejected" for outcome in decided):
        raise UserError(f"All queries of {request.file} are rejected: nothing would be left of it.")
    with world_of(request.world) as shop:
        items = Items(shop, request.queries)
        return write_reviewed(to, decided, items, datetime.now(UTC), in_place=in_place)
