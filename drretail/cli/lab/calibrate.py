"""``drretail lab calibrate``: which version of a judge is nearest to people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from drretail.cli.options import flags

if TYPE_CHECKING:
    from drretail.eval.lab.opinions import Opinion


def calibrate(
    experiment: Annotated[Path, typer.Argument(metavar="EXP", help="The experiment's folder.")],
    judge: Annotated[
        str | None, typer.Option("--judge", metavar="PROVIDER:MODEL", help="Whose versions, where several judged.")
    ] = None,
    dimension: Annotated[
        str | None,
        typer.Option("--dimension", metavar="NAME", help="What people and judges rated.", show_default="overall"),
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option("--ratings", metavar="CSV", help="Opinions that stand in a file; may be given again."),
    ] = None,
    judges: Annotated[
        str | None, typer.Option("--judges", metavar="A,B", help="Raters of --ratings that are versions of a judge.")
    ] = None,
    seed: flags.Seed = "42",
    again: Annotated[bool, typer.Option("--again", help="Choose anew; otherwise what was chosen stays.")] = False,
    as_json: flags.Json = False,
    quiet: flags.Quiet = False,
) -> None:
    """Compares versions of a judge with people, and freezes the nearest.

    Versions are what one model rated when it was told different prompts (score EXP --prompts DIR, once for each DIR).
    Half of the queries, by seed, choose; the figure to report is that of the other half. The choice is kept in
    EXP/lab/calibrate.json with the hash of its prompts. Nothing is asked of any model.
    """
    from drretail.errors import UserError
    from drretail.eval.lab.calibrating import NAME, calibrated, frozen, of_model, question_of, told_hash
    from drretail.eval.lab.kept_findings import VOTES, keep, verdict_folders
    from drretail.eval.lab.opinion_files import read_all
    from drretail.eval.lab.opinions import named, opinions_of
    from drretail.progress import busy
    from drretail.viewer.output import print_json, say
    from drretail.viewer.terminal.printed_calibration import print_calibration

    with busy("comparing versions", quiet=quiet):
        found: list[Opinion] = opinions_of(experiment)
        found += read_all(ratings or (), judges=[it.strip() for it in (judges or "").split(",") if it.strip()])
        question = question_of(found, dimension)
        mine, model = of_model([it for it in found if it.question == question], judge)
        before = None if again else frozen(experiment)
        if before is not None and (before.model, before.question) != (model, named(question)):
            raise UserError(
                f"{experiment} holds the choice for {before.model} on {before.question}: --again replaces it "
                f"by one for {model} on {named(question)}."
            )
        made = calibrated(mine, seed if before is None else before.seed, "" if before is None else before.chosen)
    versions = [it.version for it in made.tuning]
    if made.chosen not in versions:
        raise UserError(f"{made.chosen}, which was chosen, judged nothing that people rated: choose anew with --again.")
    chosen = next(it.judge for it in mine if (it.kind, it.rater) == ("judge", made.chosen))
    made = made.model_copy(update={"model": model, "prompt_hash": told_hash(experiment, chosen)})
    given = {"--judge": judge, "--dimension": dimension, "--ratings": ratings, "--judges": judges}
    document = keep(experiment, NAME, made, [VOTES, *verdict_folders(experiment)], given, again=again)
    if as_json:
        print_json(document)
        return
    print_calibration(made, was_chosen=before is not None)
    if len(versions) == 1 and not quiet:
        more = f"drretail score {experiment} --metrics quality --judge {model} --prompts DIR"
        say(f"There is one version alone: {more} makes another.")
