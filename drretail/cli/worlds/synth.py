"""``drretail synth``: a made-up shop in Amazon's file formats."""

from typing import Annotated

import typer

from drretail.cli.options import flags as options


def synth(
    to: options.To,
    products: Annotated[int, typer.Option("--products", min=1, help="Products over all categories.")] = 400,
    reviews: Annotated[int, typer.Option("--reviews", min=0, help="Reviews over all categories.")] = 6000,
    category: Annotated[
        list[str] | None, typer.Option("--category", help="Only this category; may be given again.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Without the quirks of real files.")] = False,
    seed: options.Seed = "42",
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Writes made-up product and review files: coherent products, shoppers with tastes, every quirk of real files."""
    from drretail.data_ingest.synth.shop import write_shop
    from drretail.progress import choose_progress
    from drretail.viewer.output import print_json, print_table

    report = write_shop(
        to,
        products=products,
        reviews=reviews,
        seed=seed,
        categories=category or [],
        plain=plain,
        progress=choose_progress("none" if quiet else None),
    )
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    print_table(f"A made-up shop in {to}", ["file", "rows", "bytes"], [(f.name, f.rows, f.bytes) for f in report.files])
    if report.quirks:
        print_table("Quirks", ["what happened to a row", "rows"], list(report.quirks.items()))
