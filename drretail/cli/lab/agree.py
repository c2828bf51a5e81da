"""``drretail lab agree``: judges against people, and people against each other."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags

if TYPE_CHECKING:
    from drretail.eval.lab.opinions import Opinion


def agree(
    experiment: Annotated[Path | None, typer.Argument(metavar="[EXP]", help="The experiment's folder.")] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option("--ratings", metavar="CSV", help="Opinions that stand in a file; may be given again."),
    ] = None,
    raters: Annotated[
        str | None, typer.Option("--raters", metavar="A,B", help="Columns of --ratings, one a rater.")
    ] = None,
    item: Annotated[
        str | None, typer.Option("--item", metavar="A,B", help="With --raters: the columns that name what is rated.")
    ] = None,
    judges: Annotated[
        str | None, typer.Option("--judges", metavar="A,B", help="Raters of --ratings that are no people.")
    ] = None,
    again: flags.Again = False,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Says how far raters agree: people's answers in ``view`` or in CSV, and judges' verdicts on the same.

    A file has the columns item, rater, value, and may have dimension, query and system; or an item a row, with
    --raters. Nothing is asked of any model. The rows are kept in EXP/lab/agree.json.
    """
    from drretail.errors import UserError
    from drretail.eval.lab.agreeing import agreement_of
    from drretail.eval.lab.kept_findings import VOTES, keep, verdict_folders
    from drretail.eval.lab.opinion_files import read_all
    from drretail.eval.lab.opinions import opinions_of
    from drretail.progress import busy
    from drretail.viewer.output import print_json, say
    from drretail.viewer.terminal.printed_agreement import print_agreement

    if experiment is None and not ratings:
        raise UserError("Nothing to compare: name an experiment's folder, or a file with --ratings CSV.")
    if not ratings and any((raters, item, judges)):
        raise UserError("--raters, --item and --judges say how to read a file: add --ratings CSV.")
    with busy("comparing raters", quiet=quiet):
        found: list[Opinion] = [] if experiment is None else opinions_of(experiment)
        found += read_all(ratings or (), _names(raters), _names(item), _names(judges))
        made = agreement_of(found)
    if experiment is not None:
        given = {"--ratings": ratings, "--raters": raters, "--item": item, "--judges": judges}
        document = keep(experiment, "agree", made, [VOTES, *verdict_folders(experiment)], given, again=again)
    else:
        document = made.model_dump(mode="json", exclude_none=True)
    if as_json:
        print_json(document)
        return
    print_agreement(made)
    if experiment is not None and not any(it.kind == "person" for it in found) and not quiet:
        say(f"Nobody has voted yet: drretail view {experiment} asks people.")


def _names(given: str | None) -> list[str]:
    return [name.strip() for name in (given or "").split(",") if name.strip()]
