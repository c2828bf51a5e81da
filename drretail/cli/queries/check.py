"""``drretail queries check``: what is wrong with queries, and other queries in their place."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.cli.options import flags
from drretail.cli.options.parameters import grouped
from drretail.cli.queries.review import Reviewer, review

if TYPE_CHECKING:
    from drretail.cli.queries.fix import Fixed
    from drretail.querygen.lint import Checked
    from drretail.records.query import Query

Files = Annotated[Path, typer.Argument(metavar="FILE", help="A .jsonl file of queries.")]


@grouped
def check(
    file: Files,
    calls: flags.Calls,
    output: flags.Output,
    world: flags.World = "demo",
    fix: Annotated[
        bool, typer.Option("--fix", help="Replace what failed by other queries, and keep the history beside the file.")
    ] = False,
    tries: Annotated[int, typer.Option("--tries", min=1, help="With --fix: tries for each query, at most.")] = 3,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="PROVIDER:MODEL", help="Who types what is untyped; with --fix: who writes them again."
        ),
    ] = None,
    baskets: Annotated[
        bool, typer.Option("--baskets", help="Show the cheapest basket that keeps to each query.")
    ] = False,
    by_hand: Annotated[
        bool, typer.Option("--review", help="Go through the queries by hand, as drretail queries review does.")
    ] = False,
    reviewer: Reviewer = None,
    seed: flags.Seed = "42",
) -> None:
    """Checks queries against their world; exit code 3 when something is found. No model is needed.

    Its codes are explained in docs/queries.md.
    """
    from drretail.api.worlds import opened_world
    from drretail.cli.queries.by_model import named_writer
    from drretail.cli.queries.fix import Fixing, fixed_queries
    from drretail.cli.queries.questions import told_types, typed_by_model
    from drretail.errors import UserError
    from drretail.files import write_lines
    from drretail.progress import busy
    from drretail.querygen.lint import Linter
    from drretail.querygen.reading import read_queries
    from drretail.viewer.output import say

    if by_hand:
        if fix:
            raise UserError("--fix and --review are two things to do: first --fix, then --review.")
        review(file, world, reviewer, as_json=output.as_json, quiet=output.quiet)
        return
    fixing = Fixing(tries, seed, model, calls, output.quiet)
    queries = read_queries(file)
    if fixing.names_a_model and not fix and all(query.wish is not None for query in queries):
        raise UserError(
            "Queries are checked without a model, and all of these are typed; --model says who writes them again: "
            "add --fix."
        )
    typing, stays_wrong = None if fix else named_writer(model, calls, quiet=output.quiet), False
    with opened_world(world, quiet=output.quiet) as shop:
        linter = Linter(shop)
        fixed = fixed_queries(shop, linter, file, queries, fixing) if fix else None
        if typing is not None:
            types = typed_by_model(shop, linter, file, queries, typing, calls, quiet=output.quiet)
            queries, stays_wrong = types.queries, bool(types.wrong)
            write_lines(file, (query.as_line() for query in queries))
            if not output.quiet:
                say(f"Wishes of {file}{told_types(types, quiet=False)}")
        with busy("checking queries", quiet=output.quiet):
            checked = linter.check_all(fixed.mended.queries if fixed else queries)
    if output.as_json:
        _print_json(checked, fixed)
    else:
        _print_tables(file, checked, fixed, baskets=baskets, quiet=output.quiet)
    untyped = sum(entry.query.wish is None for entry in checked)
    if untyped and not output.quiet:
        say(
            f"Without a wish: {untyped} of {len(checked)} queries, so that what they want was not checked. Name a "
            "--model that types them, or fill in `wish` by hand (docs/queries.md)."
        )
    if stays_wrong or any(it.findings for it in checked):
        raise typer.Exit(3)


def _print_json(checked: "Sequence[Checked]", fixed: "Fixed | None") -> None:
    from drretail.viewer.output import print_json

    rows: list[dict[str, Any]] = [
        {"query_id": it.query.query_id, "basket": _basket(it)}
        | {"findings": [finding.model_dump(mode="json") for finding in it.findings]}
        for it in checked
    ]
    print_json(
        {
            "ok": not any(it.findings for it in checked),
            "codes": dict(_codes(checked)),
            "untyped": sum(entry.query.wish is None for entry in checked),
            "replaced": list(fixed.mended.replaced) if fixed else [],
            "left": list(fixed.mended.left) if fixed else [],
            "why_left": fixed.mended.left if fixed else {},
            "failed": fixed.mended.failed if fixed else {},
            **(fixed.document if fixed else {}),
            "queries": rows,
        }
    )


def _print_tables(
    file: Path, checked: "Sequence[Checked]", fixed: "Fixed | None", *, baskets: bool, quiet: bool
) -> None:
    from drretail.cli.queries.fix import print_fixed
    from drretail.querygen.checks.feasibility import cheapest_line
    from drretail.tables.table import table_of
    from drretail.viewer.output import print_table

    if baskets:
        print_table(
            table_of(
                "The cheapest basket that keeps to each query",
                ["query", "budget", "basket"],
                [(entry.query.query_id, _budget(entry.query), cheapest_line(entry.reference)) for entry in checked],
            )
        )
    rows = [
        (it.query.query_id, finding.severity, finding.code, finding.said, finding.found)
        for it in checked
        for finding in it.findings
    ]
    if rows:
        print_table(table_of(f"Queries {file}", ["query", "severity", "what", "said", "found"], rows))
    if fixed:
        print_fixed(fixed, quiet=quiet)
    whole = sum(not it.findings for it in checked)
    counts = ", ".join(f"{code} {count}" for code, count in _codes(checked))
    typer.echo(f"{whole} of {len(checked)} queries are without a finding{f'; {counts}' if counts else ''}")


def _budget(query: "Query") -> str | None:
    from drretail.grounding.text.wording import format_amount

    budget = None if query.wish is None else query.wish.budget
    return None if budget is None else format_amount(budget)


def _basket(checked: "Checked") -> dict[str, Any] | None:
    basket = checked.basket
    if basket is None:
        return None
    picks = [
        {"thing": item.thing, "product_id": item.product_id, "price": item.price, "quantity": item.quantity}
        for item in basket.items
    ]
    return {"total": basket.total.amount, "currency": basket.total.currency, "picks": picks}


def _codes(checked: "Sequence[Checked]") -> list[tuple[str, int]]:
    """How often each code was found, the most frequent first, ties by name."""
    counts = Counter(finding.code for it in checked for finding in it.findings)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
