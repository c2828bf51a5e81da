"""``drretail compare``: two systems on the same queries, from what was judged."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags as options

FAMILIES = ("faithfulness", "quality", "checks", "process", "basket")
"""Named as missing where nobody judged them."""


def compare(
    experiment: Annotated[Path, typer.Argument(metavar="EXP", help="The experiment's folder.")],
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
    as_json: options.Json = False,
) -> None:
    """Sets systems side by side, query by query, and says what can be concluded, what can't, and what it would take.

    Nothing is judged: what is missing is named, with the command that makes it.
    """
    from drretail.errors import UserError
    from drretail.eval.compare.comparing import Asking, chosen_judges, chosen_pairs
    from drretail.eval.compare.comparing import compare as compared
    from drretail.eval.pairwise.score import derive_pairs
    from drretail.eval.registry import PAIRWISE, load_metrics
    from drretail.eval.scores.gathering import gather
    from drretail.eval.scores.panel import with_panels
    from drretail.experiment import read_definition
    from drretail.viewer.output import print_json
    from drretail.viewer.tables.terminal_comparison import print_comparison

    definition = read_definition(experiment)
    pairs = chosen_pairs(definition, a, b)
    names = judged_families(experiment) if metrics is None else [name.strip() for name in metrics.split(",")]
    if not any(names):
        raise UserError("--metrics names nothing: give some, such as --metrics faithfulness,quality.")
    gathered = with_panels(gather(experiment, load_metrics(filter(None, names))))
    pairwise = metrics is None or PAIRWISE in names
    met = derive_pairs(experiment, gathered)[0] if pairwise else ()
    heard = chosen_judges(gathered, met, judge or [])
    asking = Asking(str(experiment), tuple(gathered.families), heard, bar, pairwise)
    comparisons = [compared(gathered, one, other, asking, met) for one, other in pairs]
    if as_json:
        print_json({"comparisons": [it.model_dump(mode="json", exclude_none=True) for it in comparisons]})
        return
    for comparison in comparisons:
        print_comparison(comparison)
    if len(comparisons) > 1:
        typer.echo(
            f"{len(comparisons)} pairs are compared, and p values are corrected within each of them only: of so many, "
            "some may differ by chance."
        )


def judged_families(experiment: Path) -> list[str]:
    """The built-in families that are usual or have verdicts, in the order of tables, then those of plugins."""
    from drretail.eval.registry import METRICS, metric_names

    judged = {folder.name for folder in (experiment / "verdicts").glob("*/")}
    known = [*METRICS, *(name for name in metric_names() if name not in METRICS)]
    return [name for name in known if name in judged or name in FAMILIES]
