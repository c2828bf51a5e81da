"""``drretail queries import``: plain questions as queries, and their wishes typed by a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.api.worlds import known_user, opened_world
from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped
from drretail.cli.options.query_files import Force, write_queries
from drretail.cli.queries.by_model import (
    QueryWriter,
    findings_by_id,
    journal_beside,
    named_writer,
    say_failures,
    say_wrong,
)
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, say

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.querygen.lint import Linter
    from drretail.records.evidence import Finding
    from drretail.records.query import Query


@dataclass(frozen=True, slots=True)
class Types:
    """What came of typing; ``spent`` and ``document`` tell what the model took."""

    queries: "tuple[Query, ...]"
    typed: tuple[str, ...] = ()
    failed: dict[str, str] = field(default_factory=dict[str, str])
    wrong: "Mapping[str, tuple[Finding, ...]]" = field(default_factory=lambda: {})
    spent: str = ""
    document: dict[str, Any] = field(default_factory=dict[str, Any])


@grouped
def import_questions(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="QUESTIONS",
            help="A text file with one question per line, or a .csv or .jsonl file with question, user and wish.",
        ),
    ],
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The JSONL file for the queries.")],
    calls: flags.Calls,
    output: flags.Output,
    world: flags.World = "demo",
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="PROVIDER:MODEL", help="The model that writes the wishes (default: you write them)."
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Makes queries from plain questions. A model, or you, adds the wish: what the shopper wants, as data.

    Queries without a wish get no scores for baskets and budgets.
    """
    from drretail.querygen.importing import queries_from, read_questions
    from drretail.querygen.lint import Linter

    questions = read_questions(source)
    writer = named_writer(model, calls, quiet=output.quiet)
    with opened_world(world, quiet=output.quiet) as shop:
        questions = [
            replace(each, user_id=known_user(shop, each.user_id)) if each.user_id else each for each in questions
        ]
        queries = queries_from(questions, source.name, shop.manifest.fingerprint)
        types = Types(queries)
        if writer is not None:
            types = typed_by_model(shop, Linter(shop), to, queries, writer, calls, quiet=output.quiet)
    write_queries(to, types.queries, force=force)
    repeated = len(questions) - len(queries)
    untyped = [query.query_id for query in types.queries if query.wish is None]
    if output.as_json:
        print_json(
            {
                "queries": len(queries),
                "repeated": repeated,
                "typed": list(types.typed),
                "untyped": untyped,
                "failed": types.failed,
            }
            | {"findings": findings_by_id(types.wrong), **types.document, "file": str(to)}
        )
    else:
        typer.echo(f"{counted(len(queries), 'query')} → {to}{types_line(types, quiet=output.quiet)}")
    if repeated and not output.quiet:
        say(f"{counted(repeated, 'question')} of {source} stood there before and became no query of their own.")
    if untyped and not output.quiet:
        say(
            f"{len(untyped)} have no wish yet. Write down what they want to buy: in the browser "
            f"(drretail view --review {to} "
            f"--world {world}), in a spreadsheet (drretail queries review {to} --world {world} --sheet SHEET.csv), or "
            f"by a model (drretail queries check {to} --world {world} --model PROVIDER:MODEL)."
        )
    if types.failed or types.wrong:
        raise typer.Exit(3)


def typed_by_model(
    shop: "World",
    linter: "Linter",
    file: Path,
    queries: "Sequence[Query]",
    writer: "QueryWriter",
    calls: flags.Calls,
    *,
    quiet: bool,
) -> Types:
    """The queries with types; every call stands in the journal beside ``file``, which is not written here."""
    from drretail.querygen.by_model.annotate import WishAnnotator

    total = sum(query.wish is None for query in queries)
    with writer.asking(journal_beside(file), calls, total, quiet=quiet) as (session, bar):
        made = WishAnnotator(shop, linter, session, on_end=bar.advance).annotate(queries)
    spent = writer.line(made.usage, made.served, quiet=quiet)
    return Types(made.queries, made.typed, made.failed, made.wrong, spent, writer.document(made.usage, made.served))


def types_line(types: Types, *, quiet: bool) -> str:
    """A line with how many wishes were typed and the cost; the reasons for the others go to stderr."""
    if not types.spent:
        return ""
    if not quiet:
        say_failures(types.failed)
        say_wrong(types.wrong)
    failed = f", {len(types.failed)} failed" if types.failed else ""
    wrong = f", {len(types.wrong)} of them with a finding (mend them by hand)" if types.wrong else ""
    return f"; {len(types.typed)} typed{wrong}{failed}\n{types.spent}"
