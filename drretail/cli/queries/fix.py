"""What ``drretail queries check --fix`` does: other queries in the place of those in which something was found."""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from drretail.cli.options import flags
from drretail.cli.queries.by_model import QueryWriter, journal_beside, opened_writer, say_failures
from drretail.files import write_lines
from drretail.progress import choose_progress
from drretail.tables.figures import counted

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.querygen.fixing import Mended, Rewrite
    from drretail.querygen.lint import Linter
    from drretail.records.query import Query

BY = "drretail queries check --fix"


@dataclass(frozen=True, slots=True)
class Fixing:
    """How to mend, as the flags say. Without a model the offline generator replaces what it made itself."""

    tries: int
    seed: str
    model: str | None
    calls: flags.Calls
    quiet: bool

    @property
    def names_a_model(self) -> bool:
        return self.model is not None or self.calls.model_profile is not None


@dataclass(frozen=True, slots=True)
class Fixed:
    """What came of it; ``spent`` and ``document`` tell what a model took, and are empty without one."""

    mended: "Mended"
    spent: str = ""
    document: dict[str, Any] = field(default_factory=dict[str, Any])


def fixed_queries(shop: "World", linter: "Linter", file: Path, queries: "Sequence[Query]", fixing: Fixing) -> Fixed:
    """The mended queries, in the file already where any changed."""

    writer = opened_writer(fixing.model, fixing.calls, quiet=fixing.quiet) if fixing.names_a_model else None
    if writer is None:
        fixed = Fixed(_mended(linter, file, queries, _offline(shop, linter, fixing), fixing))
    else:
        fixed = _fixed_by_model(shop, linter, file, queries, writer, fixing)
    if fixed.mended.replaced:
        write_lines(file, (query.as_line() for query in fixed.mended.queries))
    return fixed


def print_fixed(fixed: Fixed, *, quiet: bool) -> None:
    """What was replaced, what was not and why, for people."""
    from drretail.querygen.fixing import OF_OTHERS

    mended = fixed.mended
    if not quiet:
        say_failures(mended.failed)
    failed = f", {len(mended.failed)} failed" if mended.failed else ""
    typer.echo(f"{counted(len(mended.replaced), 'query')} replaced after {counted(mended.tries, 'try')}{failed}")
    if fixed.spent:
        typer.echo(fixed.spent)
    for reason, count in sorted(Counter(mended.left.values()).items()):
        mends = "name a --model that writes them again, edit them" if reason == OF_OTHERS else "edit them"
        typer.echo(f"Left: {counted(count, 'query')}, because {reason}: {mends}, or drop them")


def _offline(shop: "World", linter: "Linter", fixing: Fixing) -> "Rewrite":
    from drretail.querygen.fixing import offline_rewrite
    from drretail.querygen.rules.assortment import Assortment

    return offline_rewrite(shop, Assortment(linter.stock), linter, fixing.seed, whoever=fixing.names_a_model)


def _fixed_by_model(
    shop: "World", linter: "Linter", file: Path, queries: "Sequence[Query]", writer: "QueryWriter", fixing: Fixing
) -> Fixed:
    from drretail.querygen.by_model.rewrite import ModelRewriter

    progress = choose_progress("none" if fixing.quiet else None)
    # Which failures are tried again stands in the history of the file, not in the journal.
    calls = replace(fixing.calls, retry_failed=False)
    with writer.session(journal_beside(file), calls) as session:
        with ModelRewriter(shop, linter, session, progress) as rewrite:
            mended = _mended(linter, file, queries, rewrite, fixing)
        spent = writer.line(session.usage, session.served, quiet=fixing.quiet)
        return Fixed(mended, spent=spent, document=writer.document(session.usage, session.served))


def _mended(linter: "Linter", file: Path, queries: "Sequence[Query]", rewrite: "Rewrite", fixing: Fixing) -> "Mended":
    from drretail.querygen.fixing import Mender
    from drretail.querygen.revisions import History

    with closing(History(file)) as history:
        mender = Mender(linter, rewrite, history, BY, _now, fixing.tries, fixing.calls.retry_failed)
        return mender.mend(queries)


def _now() -> datetime:
    return datetime.now(UTC)
