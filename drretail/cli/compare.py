"""``drretail compare``: two systems on the same queries, from what was judged."""

from typing import Annotated

import typer

from drretail.cli.options import flags


def compare(
    experiment: flags.Experiment,
    a: Annotated[
        str | None, typer.Argument(metavar="[A", help="A system's label, or how it begins; all pairs without.")
    ] = None,
    b: Annotated[str | None, typer.Argument(metavar="B]", help="The other one; all others without.")] = None,
    metrics: Annotated[
        str | None,
        typer.Option(
            "--metrics", metavar="A,B", help="Which families; pairwise too.", show_default="all that were judged"
        ),
    ] = None,
    judge: Annotated[
        list[str] | None,
        typer.Option("--judge", metavar="PROVIDER:MODEL", help="Whose verdicts; may be given again; all without."),
    ] = None,
    bar: Annotated[
        float, typer.Option("--bar", min=0, max=10, help="What a rating has to reach to pass; a share, a tenth of it.")
    ] = 7.0,
    as_json: flags.Json = False,
) -> None:
    """Sets systems side by side, query by query, and says what can be concluded, what can't, and what it would take.

    Nothing is judged: what is missing is named, with the command that makes it.
    """
    from drretail.errors import UserError
    from drretail.eval.compare.comparing import compare_recorded
    from drretail.viewer.output import print_json
    from drretail.viewer.tables.terminal_comparison import print_comparison

    names = None if metrics is None else [name.strip() for name in metrics.split(",") if name.strip()]
    if names == []:
        raise UserError("--metrics names nothing: give some, such as --metrics faithfulness,quality.")
    comparisons = compare_recorded(experiment, a, b, metrics=names, judges=judge or [], bar=bar)
    if as_json:
        print_json({"comparisons": [it.model_dump(mode="json", exclude_none=True) for it in comparisons]})
        return
    for comparison in comparisons:
        print_comparison(comparison)
    if len(comparisons) > 1:
        typer.echo(
            f"{len(comparisons)} pairs are compared. What systems are chosen by (*) is corrected over all of them, the "
            "exploratory rest within each pair only: of so many, some may differ by chance."
        )
