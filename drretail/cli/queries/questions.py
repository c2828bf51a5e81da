"""``drretail queries import``: plain questions as queries, and their wishes typed by a model."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.api.option import Option
from drretail.api.worlds import known_user, open_world
from drretail.cli.options import flags
from drretail.cli.options.command import exit_code
from drretail.cli.options.query_files import Force, write_queries
from drretail.cli.queries.by_model import (
    asking,
    findings_by_id,
    in_own_words,
    journal_beside,
    named_writer,
    say_failures,
    say_wrong,
)
from drretail.cli.spending import writing_document, writing_line
from drretail.tables.figures import counted
from drretail.viewer.output import print_json, remark

if TYPE_CHECKING:
    from drretail.api.models import Spent, Writer
    from drretail.env.world import World
    from drretail.querygen.importing import TypedQueries
    from drretail.querygen.lint import Linter
    from drretail.records.query import Query


@in_own_words
def import_questions(
    source: Annotated[
        Path,
        Option(
            "A text file with one question per line, or a .csv or .jsonl file with question, id, user and wish.",
            argument=True,
            metavar="QUESTIONS",
        ),
    ],
    to: flags.ToQueries,
    calls: flags.Calls,
    output: flags.Output,
    world: flags.World = "demo",
    model: Annotated[
        str | None, Option("The model that writes the wishes (default: you write them).", metavar="PROVIDER:MODEL")
    ] = None,
    force: Force = False,
) -> None:
    """Makes queries from plain questions. A model, or you, adds the wish: what the shopper wants, as data.

    Queries without a wish get no scores for baskets and budgets.
    """
    from drretail.querygen.importing import TypedQueries, queries_from, read_questions
    from drretail.querygen.lint import Linter

    questions = read_questions(source)
    writer = named_writer(model, calls)
    with open_world(world) as shop:
        questions = [
            replace(each, user_id=known_user(shop, each.user_id)) if each.user_id else each for each in questions
        ]
        queries = queries_from(questions, source.name, shop.manifest.fingerprint)
        types, spent = TypedQueries(queries), None
        if writer is not None:
            types, spent = typed_by_model(shop, Linter(shop), to, queries, writer, calls)
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
            | {"findings": findings_by_id(types.wrong)}
            | writing_document(spent)
            | {"world": world, "file": str(to)}
        )
    else:
        made = f"{counted(len(queries), 'query')} for the world {world}"
        typer.echo(f"{made} → {to}{types_line(types, spent)}")
    if repeated:
        remark(f"{counted(repeated, 'question')} of {source} are repeated and were left out.")
    if untyped:
        remark(
            f"{counted(len(untyped), 'query')} without a wish. Write down what is to be bought: in the browser "
            f"(drretail view --review {to} "
            f"--world {world}), in a spreadsheet (drretail queries review {to} --world {world} --sheet SHEET.csv), or "
            f"by a model (drretail queries check {to} --world {world} --model PROVIDER:MODEL)."
        )
    exit_code(len(types.failed) + len(types.wrong))


def typed_by_model(
    shop: "World", linter: "Linter", file: Path, queries: "Sequence[Query]", writer: "Writer", calls: flags.Calls
) -> "tuple[TypedQueries, Spent]":
    """The queries with their wishes, and what that took. The journal of all calls is beside ``file``."""
    from drretail.api.models import Spent
    from drretail.querygen.by_model.annotate import type_wishes

    total = sum(query.wish is None for query in queries)
    with asking(writer, journal_beside(file), calls, total) as (session, bar):
        made = type_wishes(shop, linter, session, queries, on_end=bar.advance)
    return made, Spent(writer, made.usage, made.served)


def types_line(types: "TypedQueries", spent: "Spent | None") -> str:
    """A line with how many wishes were written and the cost. The reasons for missing ones go to stderr."""
    if spent is None:
        return ""
    say_failures(types.failed)
    say_wrong(types.wrong)
    failed = f", {len(types.failed)} failed" if types.failed else ""
    wrong = f", {len(types.wrong)} of them with a finding (mend them by hand)" if types.wrong else ""
    return f"; {len(types.typed)} typed{wrong}{failed}\n{writing_line(spent)}"
