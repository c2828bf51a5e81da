"""``drretail queries check``: what is wrong with queries, and other queries in their place."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from drretail.cli import options

if TYPE_CHECKING:
    from drretail.env.world import World
    from drretail.querygen.lint import Checked, Linter
    from drretail.querygen.mending import Mended
    from drretail.records.query import Query

BY = "drretail queries check --fix"
Files = Annotated[Path, typer.Argument(metavar="FILE", help="A .jsonl file of queries.")]


def check(
    file: Files,
    world: options.World = "demo",
    fix: Annotated[
        bool, typer.Option("--fix", help="Replace what failed by other queries, and keep the history beside the file.")
    ] = False,
    tries: Annotated[int, typer.Option("--tries", min=1, help="With --fix: tries for each query, at most.")] = 3,
    baskets: Annotated[
        bool, typer.Option("--baskets", help="Show the cheapest basket that keeps to each query.")
    ] = False,
    seed: options.Seed = "42",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Checks queries against their world, without a model; exit code 3 when something is found.

    Its codes are explained in docs/queries.md.
    """
    from drretail.cli.worlds import opened_world
    from drretail.querygen.lint import Linter
    from drretail.querygen.reading import read_queries

    queries = read_queries(file)
    with opened_world(world, quiet=quiet) as shop:
        linter = Linter(shop)
        mended = _mend(shop, linter, file, queries, tries=tries, seed=seed) if fix else None
        checked = linter.check_all(mended.queries if mended else queries)
    if as_json:
        _print_json(checked, mended)
    else:
        _print_tables(file, checked, mended, baskets=baskets)
    if any(it.findings for it in checked):
        raise typer.Exit(3)


def _mend(
    shop: "World", linter: "Linter", file: Path, queries: "Sequence[Query]", *, tries: int, seed: str
) -> "Mended":
    """The mended queries, in the file already where any changed."""
    from contextlib import closing

    from drretail.env.session import Session
    from drretail.files import write_lines
    from drretail.querygen.mending import Mender, offline_rewrite
    from drretail.querygen.revisions import History
    from drretail.querygen.shelf import Shelf
    from drretail.tools.toolkit import Toolkit

    with closing(History(file)) as history, Toolkit(Session(shop)) as toolkit:
        rewrite = offline_rewrite(shop, Shelf(toolkit), linter, seed)
        mender = Mender(linter, rewrite, history, BY, lambda: datetime.now(UTC), tries)
        mended = mender.mend(queries)
    if mended.replaced:
        write_lines(file, (query.as_line() for query in mended.queries))
    return mended


def _print_json(checked: "Sequence[Checked]", mended: "Mended | None") -> None:
    from drretail.cli.output import print_json

    rows: list[dict[str, Any]] = [
        {"query_id": it.query.query_id, "basket": _basket(it)}
        | {"findings": [finding.model_dump(mode="json") for finding in it.findings]}
        for it in checked
    ]
    print_json(
        {
            "ok": not any(it.findings for it in checked),
            "codes": dict(_codes(checked)),
            "replaced": list(mended.replaced) if mended else [],
            "left": list(mended.left) if mended else [],
            "queries": rows,
        }
    )


def _print_tables(file: Path, checked: "Sequence[Checked]", mended: "Mended | None", *, baskets: bool) -> None:
    from drretail.cli.output import print_table
    from drretail.grounding.wording import format_money
    from drretail.querygen.checks.budget import told

    if baskets:
        budgets = [(it, it.query.constraints.budget) for it in checked]
        print_table(
            "The cheapest basket that keeps to each query",
            ["query", "budget", "basket"],
            [
                (
                    it.query.query_id,
                    format_money(budget.value, budget.currency) if budget else None,
                    told(it.basket) if it.basket else None,
                )
                for it, budget in budgets
            ],
        )
    rows = [
        (it.query.query_id, finding.severity, finding.code, finding.said, finding.found)
        for it in checked
        for finding in it.findings
    ]
    if rows:
        print_table(f"Queries {file}", ["query", "severity", "what", "said", "found"], rows)
    if mended:
        typer.echo(f"{len(mended.replaced)} queries replaced after {mended.tries} tries")
        if mended.left:
            typer.echo(f"{len(mended.left)} queries were not made by the offline generator: edit them, or drop them")
    whole = sum(not it.findings for it in checked)
    counts = ", ".join(f"{code} {count}" for code, count in _codes(checked))
    typer.echo(f"{whole} of {len(checked)} queries are without a finding{f'; {counts}' if counts else ''}")


def _basket(checked: "Checked") -> dict[str, Any] | None:
    if checked.basket is None:
        return None
    picks = [
        {"thing": pick.slot, "product_id": pick.product_id, "price": str(pick.price), "quantity": pick.quantity}
        for pick in checked.basket.picks
    ]
    return {"total": str(checked.basket.total), "currency": checked.basket.currency, "picks": picks}


def _codes(checked: "Sequence[Checked]") -> list[tuple[str, int]]:
    """How often each code was found, the most frequent first, ties by name."""
    counts = Counter(finding.code for it in checked for finding in it.findings)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
