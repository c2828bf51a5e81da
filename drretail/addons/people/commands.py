"""``queries review``: people review queries in sheets; in a browser with ``view(review=FILE)``. Its options."""

from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from drretail.api.option import Option, accepts
from drretail.api.options import research
from drretail.api.options.queries import File
from drretail.api.worlds import world_of
from drretail.errors import UserError
from drretail.files import write_atomically
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from drretail.records.query import Query


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """Lets people review queries in a sheet or a browser. Shows their decisions.

    FILE.reviews.jsonl keeps every decision (drretail/addons/people/README.md). Exit code 3 with --to: queries are
    undecided.
    """

    file: File
    world: research.World = "demo"
    _: KW_ONLY
    reviewer: Annotated[str | None, Option("The reviewer's name.", metavar="NAME", default="your login name")] = None
    sheet: Annotated[str | Path | None, Option("A sheet to write, or a filled one to read.", metavar="CSV")] = None
    to: Annotated[
        str | Path | None,
        Option(
            "The file for accepted and edited queries. FILE itself: keep edits, remove rejected ones.", metavar="OUT"
        ),
    ] = None


HOW = (
    "To review them in a browser: drretail view --review {file} --world {world}\n"
    "With a spreadsheet: drretail queries review {file} --world {world} --sheet review.csv, and again once it is filled"
)


@accepts(ReviewOptions)
def review(options: ReviewOptions) -> Result[Any]:
    """The summary of all decisions, after those of a filled sheet; or the path of a sheet that was written.

    Raises UserError for options that don't go together, and if there is nothing to decide or to write.
    """
    from drretail.addons.people.review import decisions
    from drretail.querygen.reading import read_queries

    file, sheet = Path(options.file), None if options.sheet is None else Path(options.sheet)
    if sheet is not None and options.to is not None:
        raise UserError("--sheet and --to are two things to do: call the command once for each.")
    queries = read_queries(file)
    reviewer = _name(options.reviewer)
    if sheet is not None and not sheet.exists():
        return _write_sheet(options, queries, None if options.reviewer is None else reviewer, sheet)
    notes = [] if sheet is None else _take_sheet(options, queries, reviewer, sheet)
    written: dict[str, Any] = {}
    waiting: list[str] = []
    if options.to is not None:
        to = Path(options.to)
        decided = decisions.outcomes(queries, decisions.decisions_on(file, queries))
        in_place = to.resolve() == file.resolve()  # undecided queries stay there
        if not in_place and not any(outcome.result for outcome in decided):
            raise UserError(f"No query of {file} is accepted or edited: there is nothing to write.")
        if all(outcome.what == "rejected" for outcome in decided):
            raise UserError(f"All queries of {file} are rejected: nothing would be left of it.")
        count = decisions.write_reviewed(to, decided, in_place=in_place)
        edited, rejected = decisions.ids_by(decided, "edited"), decisions.ids_by(decided, "rejected")
        waiting = decisions.ids_by(decided, "undecided")
        written = {"applied": {"queries": count, "edited": edited, "rejected": rejected, "waiting": waiting}}
        fate = "stay as they are" if in_place else "are left out"
        left = f"; {len(waiting)} undecided {fate}: {', '.join(waiting)}" if waiting else ""
        notes.append(f"{counted(count, 'query')} → {to}: {len(edited)} edited, {len(rejected)} rejected{left}")
    now = decisions.summary_of(queries, decisions.decisions_on(file, queries))
    hints = [HOW.format(file=file, world=options.world)] if sheet is None and not written else []
    document, parts = decisions.summary_document(file, now) | written, [*decisions.summary_parts(file, now)]
    return Result(now, document, parts, notes=notes, hints=hints, left=len(waiting))


def _write_sheet(options: ReviewOptions, queries: "Sequence[Query]", reviewer: str | None, sheet: Path) -> Result[Path]:
    """Writes a sheet of the queries that the reviewer has not decided yet, or of all if nobody is named."""
    from drretail.addons.people.review.decisions import decisions_on
    from drretail.addons.people.review.form import Items
    from drretail.addons.people.review.sheet import sheet_of

    if sheet.suffix.casefold() != ".csv":
        raise UserError(f"{sheet}: the sheet is CSV: give it a name that ends in .csv.")
    left = queries
    if reviewer is not None:
        left = decisions_on(Path(options.file), queries).undecided_by(reviewer, queries)
    if not left:
        raise UserError(f"{reviewer} has decided on all queries: without --reviewer the sheet has them all.")
    with world_of(options.world) as shop:
        items = Items(shop, queries)
        write_atomically(sheet, sheet_of(map(items.of, left), reviewer))
    back = f"drretail queries review {options.file} --world {options.world} --sheet {sheet}"
    line = f"{counted(len(left), 'query')} → {sheet}; fill it in, and: {back}"
    return Result(sheet, {"queries": len(left), "file": str(sheet)}, [line], path=sheet)


def _take_sheet(options: ReviewOptions, queries: "Sequence[Query]", reviewer: str, sheet: Path) -> list[str]:
    """Appends the new decisions of a filled sheet. Returns sentences on them, and on what checks find in its edits."""
    from drretail.addons.people.review.decisions import keep_reviews
    from drretail.addons.people.review.form import Items
    from drretail.addons.people.review.sheet import read_filled

    is_named = options.reviewer is not None
    filled = read_filled(sheet, queries, reviewer, datetime.now(UTC), is_named=is_named)
    new = keep_reviews(Path(options.file), filled.reviews)
    known = len(filled.reviews) - len(new)
    notes = [f"Decisions taken from {sheet}: {len(new)}, known before: {known}, queries left blank: {filled.blank}."]
    if filled.unnamed and not is_named:
        unnamed = counted(filled.unnamed, "query")
        notes.append(f"Without a reviewer: {unnamed}, taken for those of {reviewer}.")
    edits = [decision.edit.after for decision in new if decision.edit is not None]
    if edits:
        with world_of(options.world) as shop:
            items = Items(shop, queries)
            for query in edits:
                for finding in items.check(query).findings:
                    notes.append(f"{query.query_id}, as edited: {finding.code}: {finding.text}")
    return notes


def _name(flag: str | None) -> str:
    """The reviewer's name. Raises UserError if neither the flag nor the system gives one."""
    import getpass

    from drretail.addons.people.review.decisions import LONGEST_NAME, reviewer_of

    try:
        return reviewer_of(getpass.getuser() if flag is None else flag)
    except (OSError, KeyError, UserError):  # a user without a name, as in some containers
        raise UserError(f"Say who reviews: --reviewer NAME, with at most {LONGEST_NAME} characters.") from None
