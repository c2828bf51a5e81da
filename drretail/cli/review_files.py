"""The files of a review, as ``drretail queries review`` reads and writes them: decisions, and sheets to fill in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from drretail.querygen.review.living import Living
    from drretail.records.query import Query


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call is about, and whose."""

    file: Path
    queries: "tuple[Query, ...]"
    world: str
    reviewer: str
    named: bool
    """True when a flag named the reviewer."""
    quiet: bool


def living_reviews(file: Path, queries: "Sequence[Query]") -> "Living":
    """The decisions beside a file that are about its queries as they stand."""
    from drretail.querygen.review.living import living
    from drretail.querygen.review.log import read_reviews_of
    from drretail.querygen.revisions import read_history_of

    return living(read_reviews_of(file), queries, read_history_of(file))


def write_sheet(asked: Asked, sheet: Path, *, again: bool) -> None:
    """Writes what the reviewer has not decided yet; everything where nobody is named, and with ``again``."""
    from drretail.cli.worlds import opened_world
    from drretail.errors import UserError
    from drretail.files import write_atomically
    from drretail.querygen.review.dossier import Dossiers
    from drretail.querygen.review.sheet import sheet_of

    if sheet.exists():
        raise UserError(f"{sheet} exists, and may be filled in: name another file.")
    if asked.named and not again:
        left = living_reviews(asked.file, asked.queries).undecided_by(asked.reviewer, asked.queries)
    else:
        left = asked.queries
    if not left:
        raise UserError(f"{asked.reviewer} has decided on all queries: --again writes them all once more.")
    with opened_world(asked.world, quiet=asked.quiet) as shop:
        dossiers = Dossiers(shop, asked.queries)
        rows = [dossiers.of(query) for query in left]
    write_atomically(sheet, sheet_of(rows, asked.reviewer if asked.named else None))
    typer.echo(f"{len(rows)} queries → {sheet}; fill it in, and: drretail queries review {asked.file} --read {sheet}")


def take_sheet(asked: Asked, sheet: Path) -> None:
    """Appends the decisions of a filled sheet that are not known yet, and says what the checks find in its edits."""
    from contextlib import closing

    from drretail.cli.output import say
    from drretail.querygen.review.filled import new_reviews, read_filled
    from drretail.querygen.review.log import ReviewLog

    filled = read_filled(sheet, asked.queries, asked.reviewer, now_in_utc(), named=asked.named)
    with closing(ReviewLog(asked.file)) as log:
        new = new_reviews(filled, log.reviews)
        for it in new:
            log.append(it)
    if asked.quiet:
        return
    known = len(filled.reviews) - len(new)
    say(f"{len(new)} decisions were taken from {sheet}; {known} were known, {filled.blank} rows are blank.")
    if filled.unnamed and not asked.named:
        say(f"{filled.unnamed} rows name no reviewer: they are taken for those of {asked.reviewer}.")
    edits = [it.edit.after for it in new if it.edit is not None]
    if edits:
        _check_edits(asked, edits)


def _check_edits(asked: Asked, edits: "Sequence[Query]") -> None:
    from drretail.cli.output import say
    from drretail.cli.worlds import opened_world
    from drretail.querygen.review.dossier import Dossiers

    with opened_world(asked.world, quiet=True) as shop:
        dossiers = Dossiers(shop, asked.queries)
        for query in edits:
            for finding in dossiers.check(query).findings:
                say(f"{query.query_id}, as edited: {finding.code}: {finding.said}")


def now_in_utc() -> datetime:
    return datetime.now(UTC)
