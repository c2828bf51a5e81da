"""``queries import``: plain questions as queries, and their wishes typed by a model."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from drretail.api.option import accepts
from drretail.api.options.queries import ImportOptions, QueryCalls
from drretail.api.queries.query_file import write_queries
from drretail.api.queries.writing import (
    asking,
    findings_by_id,
    in_own_words,
    journal_beside,
    named_writer,
    on_failures,
    on_wrong,
)
from drretail.api.worlds import known_user, world_of
from drretail.records.tables.figures import counted
from drretail.records.tables.result import Result

if TYPE_CHECKING:
    from drretail.api.models import Spent, Writer
    from drretail.env.world import World
    from drretail.querygen.importing import TypedQueries
    from drretail.querygen.lint import Linter
    from drretail.records.query import Query


@accepts(ImportOptions)
@in_own_words
def import_questions(options: ImportOptions) -> "Result[TypedQueries]":
    """The queries that were written to ``to``, with those that a model typed.

    Raises UserError if lines of the file would be lost.
    """
    from drretail.querygen.importing import TypedQueries, queries_from, read_questions
    from drretail.querygen.lint import Linter

    source, to = Path(options.source), Path(options.to)
    questions = read_questions(source)
    writer = named_writer(options.model, options)
    with world_of(options.world) as shop:
        questions = [
            replace(each, user_id=known_user(shop, each.user_id)) if each.user_id else each for each in questions
        ]
        queries = queries_from(questions, source.name, shop.manifest.fingerprint)
        types, spent = TypedQueries(queries), None
        if writer is not None:
            types, spent = typed_by_model(shop, Linter(shop), to, queries, writer, options)
    write_queries(to, types.queries, force=options.force)
    repeated = len(questions) - len(queries)
    untyped = [query.query_id for query in types.queries if query.wish is None]
    document: dict[str, Any] = {
        "queries": len(queries),
        "repeated": repeated,
        "typed": list(types.typed),
        "untyped": untyped,
        "failed": types.failed,
        "findings": findings_by_id(types.wrong),
        **({} if spent is None else spent.document),
        "world": str(options.world),
        "file": str(to),
    }
    made = f"{counted(len(queries), 'query')} for the world {options.world}"
    hints = on_types(types, spent)
    if repeated:
        hints.append(f"{counted(repeated, 'question')} of {source} are repeated and were left out.")
    if untyped:
        command = f"{to} --world {options.world}"
        hints.append(
            f"{counted(len(untyped), 'query')} without a wish. Write down what is to be bought: in the browser "
            f"(drretail view --review {command}), in a spreadsheet (drretail queries review {command} --sheet "
            f"SHEET.csv), or by a model (drretail queries check {command} --model PROVIDER:MODEL)."
        )
    lines = [f"{made} → {to}{types_line(types, spent)}"]
    return Result(types, document, lines, hints=hints, left=len(types.failed) + len(types.wrong), path=to)


def typed_by_model(
    shop: "World", linter: "Linter", file: Path, queries: "Sequence[Query]", writer: "Writer", calls: QueryCalls
) -> "tuple[TypedQueries, Spent]":
    """The queries with their wishes, and what that took. The journal of all calls is beside ``file``."""
    from drretail.api.models import Spent
    from drretail.querygen.by_model.annotate import type_wishes

    total = sum(query.wish is None for query in queries)
    with asking(writer, journal_beside(file), calls, total) as (session, bar):
        made = type_wishes(shop, linter, session, queries, on_end=bar.advance)
    return made, Spent(writer, made.usage, made.served)


def types_line(types: "TypedQueries", spent: "Spent | None") -> str:
    """How many wishes a model wrote and what that took; blank without one."""
    if spent is None:
        return ""
    failed = f", {len(types.failed)} failed" if types.failed else ""
    wrong = f", {len(types.wrong)} of them with a finding (mend them by hand)" if types.wrong else ""
    return f"; {len(types.typed)} typed{wrong}{failed}\n{spent.line}"


def on_types(types: "TypedQueries", spent: "Spent | None") -> list[str]:
    """Sentences on wishes that are missing or wrong, and on prices."""
    return [] if spent is None else [*on_failures(types.failed), *on_wrong(types.wrong), *spent.on_prices]
