"""``drretail queries review``: people review queries; also as ``drretail queries check --review``."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.api.option import Option
from drretail.api.worlds import open_world
from drretail.cli.options import flags as options
from drretail.cli.options.command import exit_code
from drretail.cli.queries.review_numbers import print_summary, summary_document
from drretail.errors import UserError
from drretail.files import write_atomically
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, remark

if TYPE_CHECKING:
    from drretail.querygen.review.decisions import Applied
    from drretail.records.query import Query


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """The file under review, its queries, and the reviewer."""

    file: Path
    queries: "tuple[Query, ...]"
    world: str
    reviewer: str
    named: bool
    """True if a flag named the reviewer."""


def write_sheet(request: ReviewRequest, sheet: Path, *, again: bool, settle: bool) -> None:
    """Writes a sheet of the queries that the reviewer has not decided yet, or of all: with ``again``, or if nobody is
    named.

    With ``settle``: of the queries on which reviewers disagree.
    """
    from drretail.querygen.review.decisions import decisions_on, outcomes
    from drretail.querygen.review.item import Items
    from drretail.querygen.review.sheet import sheet_of

    if sheet.exists():
        raise UserError(f"{sheet} exists, and may be filled in: name another file.")
    if sheet.suffix.casefold() != ".csv":
        raise UserError(f"{sheet}: the sheet is CSV: give it a name that ends in .csv.")
    current = decisions_on(request.file, request.queries)
    name = request.reviewer if request.named else None
    disputed = {
        outcome.query.query_id: outcome.reviews
        for outcome in outcomes(request.queries, current)
        if outcome.what == "disputed"
    }
    if settle:
        left = tuple(query for query in request.queries if query.query_id in disputed)
    elif request.named and not again:
        left = current.undecided_by(request.reviewer, request.queries)
    else:
        left = request.queries
    if not left:
        raise UserError(
            "Reviewers disagree on no query."
            if settle
            else f"{request.reviewer} has decided on all queries: --again writes them all once more."
        )
    with open_world(request.world) as shop:
        items = Items(shop, request.queries)
        rows = [items.of(query) for query in left]
    write_atomically(sheet, sheet_of(rows, name, disputed if settle else None))
    settling = " --settle" if settle else ""
    back = f"drretail queries review {request.file} --world {request.world}{settling} --read {sheet}"
    typer.echo(f"{counted(len(rows), 'query')} → {sheet}; fill it in, and: {back}")


def take_sheet(request: ReviewRequest, sheet: Path, *, settle: bool) -> None:
    """Appends the new decisions of a filled sheet, and prints what the checks find in its edits."""
    from drretail.querygen.review.decisions import decisions_on, outcomes
    from drretail.querygen.review.records import keep_reviews
    from drretail.querygen.review.sheet import Reading, read_filled

    current = decisions_on(request.file, request.queries)
    decided = {outcome.query.query_id: outcome.reviews for outcome in outcomes(request.queries, current)}
    queries = {query.query_id: query for query in request.queries}
    disputed = decided if settle else None
    filled = read_filled(sheet, Reading(queries, request.reviewer, datetime.now(UTC), request.named, disputed))
    new = keep_reviews(request.file, filled.reviews)
    known = len(filled.reviews) - len(new)
    remark(f"Decisions taken from {sheet}: {len(new)}, known before: {known}, queries left blank: {filled.blank}.")
    if filled.unnamed and not request.named:
        remark(f"Without a reviewer: {counted(filled.unnamed, 'query')}, taken for those of {request.reviewer}.")
    edits = [decision.edit.after for decision in new if decision.edit is not None]
    if edits:
        from drretail.querygen.review.item import Items

        with open_world(request.world) as shop:
            items = Items(shop, request.queries)
            for query in edits:
                for finding in items.check(query).findings:
                    remark(f"{query.query_id}, as edited: {finding.code}: {finding.text}")


HOW = (
    "To review them in a browser: drretail view --review {file} --world {world}\n"
    "With a spreadsheet: drretail queries review {file} --world {world} --sheet review.csv, and then --read review.csv"
)
Reviewer = Annotated[str | None, Option("The reviewer's name.", metavar="NAME", default="your login name")]


def review(
    file: options.QueryFile,
    output: options.Output,
    world: options.World = "demo",
    reviewer: Reviewer = None,
    again: Annotated[bool, Option("With --sheet: include queries that this reviewer already decided.")] = False,
    settle: Annotated[
        bool, Option("With --sheet or --read: this reviewer's decisions on disputed queries are final.")
    ] = False,
    sheet: Annotated[Path | None, Option("The sheet to write.", metavar="OUT.csv")] = None,
    read: Annotated[Path | None, Option("The filled sheet to read.", metavar="SHEET.csv")] = None,
    to: Annotated[Path | None, Option("The file for accepted and edited queries.", metavar="OUT")] = None,
    apply: Annotated[bool, Option("Change FILE: keep edits, remove rejected queries.")] = False,
    status: Annotated[bool, Option("Show how many queries are decided.")] = False,
) -> None:
    """Lets people review queries in a sheet or a browser. Shows their decisions.

    FILE.reviews.jsonl keeps every decision (docs/queries.md). Exit code 3 with --to or --apply: queries are undecided
    or disputed.
    """
    from drretail.querygen.reading import read_queries
    from drretail.querygen.review.decisions import decisions_on
    from drretail.querygen.review.summary import summary_of

    ways = {"--sheet": sheet, "--read": read, "--to": to, "--apply": apply, "--status": status}
    named = [name for name, given in ways.items() if given]
    if settle and named not in (["--sheet"], ["--read"]):
        raise UserError("--settle goes with --sheet OUT.csv or --read SHEET.csv; drretail view --review settles, too.")
    if len(named) > 1:
        raise UserError(f"{named[0]} and {named[1]} are two things to do: call the command once for each.")
    queries = read_queries(file)
    request = ReviewRequest(file, queries, world, _name(reviewer), reviewer is not None)
    applied: Applied | None = None
    if sheet:
        write_sheet(request, sheet, again=again, settle=settle)
        return
    if read:
        take_sheet(request, read, settle=settle)
    elif to or apply:
        applied = _apply(request, to)
    now = summary_of(queries, decisions_on(file, queries))
    if output.as_json:
        print_json(summary_document(file, now, applied))
    else:
        print_summary(file, now)
        if not any(ways.values()):
            remark(HOW.format(file=file, world=world))
    if applied is not None:
        waiting = ""
        if applied.waiting:
            fate = "stay as they are" if to is None else "are left out"
            waiting = f"; {len(applied.waiting)} undecided or disputed ones {fate}: {', '.join(applied.waiting)}"
        counts = f"{len(applied.edited)} edited, {len(applied.rejected)} rejected{waiting}"
        remark(f"{counted(len(applied.queries), 'query')} → {to or file}: {counts}")
        exit_code(len(applied.waiting))


def _name(flag: str | None) -> str:
    """The reviewer's name. Raises UserError if neither the flag nor the system gives one."""
    import getpass

    from drretail.querygen.review.records import LONGEST_NAME, reviewer_of

    try:
        return reviewer_of(getpass.getuser() if flag is None else flag)
    except (OSError, KeyError, UserError):  # a user without a name, as in some containers
        raise UserError(f"Say who reviews: --reviewer NAME, with at most {LONGEST_NAME} characters.") from None


def _apply(request: ReviewRequest, to: Path | None) -> "Applied":
    from drretail.querygen.review.decisions import decisions_on, outcomes, write_reviewed
    from drretail.querygen.review.item import Items

    if to is not None and to.resolve() == request.file.resolve():
        raise UserError(f"{to} is the reviewed file itself: --apply changes it, and keeps its history.")
    decided = outcomes(request.queries, decisions_on(request.file, request.queries))
    if to is not None and not any(outcome.result for outcome in decided):
        raise UserError(f"No query of {request.file} is accepted or edited: there is nothing to write.")
    if all(outcome.what == "rejected" for outcome in decided):
        raise UserError(f"All queries of {request.file} are rejected: nothing would be left of it.")
    with open_world(request.world) as shop:
        items = Items(shop, request.queries)
        return write_reviewed(to or request.file, decided, items, datetime.now(UTC), in_place=to is None)
