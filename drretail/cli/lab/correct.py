"""``drretail lab correct`` and ``lab sample``: few labels by people make a judge's scores those of people."""

from pathlib import Path
from typing import Annotated

import typer

from drretail.cli.options import flags


def correct(
    experiment: flags.Experiment,
    labels: Annotated[
        list[Path] | None,
        typer.Option("--labels", metavar="CSV", help="Labels filled in by hand, as lab sample wrote the file."),
    ] = None,
    judge: Annotated[str | None, typer.Option("--judge", help="Whose verdicts, where several judged.")] = None,
    again: flags.Again = False,
    as_json: flags.Json = False,
) -> None:
    """FP, FR and win rates as people would give them, from their labels and all verdicts, with 95 % intervals.

    A system needs 20 labels, two systems 20 votes on their pairs; below that it says how many are missing. FR is there
    where people said what is cited (lab sample --uncited). Labels are those of ``view`` and of --labels. Nothing is
    asked of any model. The result is kept in EXP/lab/correct.json.
    """
    from drretail.eval.lab.correcting import correction_of
    from drretail.eval.lab.kept_findings import VOTES, keep, verdict_folders
    from drretail.viewer.output import print_json
    from drretail.viewer.terminal.printed_correction import print_correction

    made = correction_of(experiment, judge, labels or ())
    judged = [it for family in ("faithfulness", "pairwise") for it in verdict_folders(experiment, family)]
    given = {"--labels": labels, "--judge": judge}
    document = keep(experiment, "correct", made, [VOTES, *judged], given, again=again)
    if as_json:
        print_json(document)
    else:
        print_correction(made)


def sample(
    experiment: flags.Experiment,
    n: Annotated[int, typer.Option("--n", min=1, metavar="N", help="Claims to be labelled.")] = 100,
    to: Annotated[Path | None, typer.Option("--to", metavar="CSV", help="Where the sheet goes.")] = None,
    seed: Annotated[
        str | None, typer.Option("--seed", metavar="SEED", help="By which lots.", show_default="the experiment's")
    ] = None,
    uncited: Annotated[
        int,
        typer.Option("--uncited", min=0, metavar="N", help="As many claims without a verdict besides: FR needs them."),
    ] = 0,
) -> None:
    """Draws claims to be labelled: by seed, as many of each system, and of each verdict in proportion with a floor.

    They are put into the plan of ``view``, whose pairs and reports stay as they are, and into a sheet to fill in by
    hand (EXP/lab/sample.csv), which doesn't say what the judge ruled, nor whose the claim is. What was drawn once
    stays: a larger N, and another seed, add to it. With --uncited sheet and view ask of each claim, too, whether it is
    one and names a source: yes, no, or no claim.
    """
    from collections import Counter

    from drretail.cells import as_csv
    from drretail.errors import UserError
    from drretail.eval.lab.correcting import LEAST
    from drretail.viewer.output import say
    from drretail.viewer.voting.claim_sheet import sheet_rows, uncited_items
    from drretail.viewer.voting.plan import plan_uncited, planned_claims

    path = to or experiment / "lab" / "sample.csv"
    if path.exists():
        raise UserError(f"{path} exists, and may hold labels: name another file with --to.")
    claims = planned_claims(experiment, n, seed).claims
    if not claims:
        raise UserError(f"No claim of {experiment} has a verdict: drretail score {experiment} judges them first.")
    rows = sheet_rows(experiment, claims, uncited, seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(as_csv(rows))
    say(f"{len(claims):,} claims in {path}: label full, partial, none or contradicted; a blank cell is no label.")
    if uncited:
        plan_uncited(experiment, uncited_items(experiment, claims, uncited, seed))
        say(f"And {len(rows) - 1 - len(claims):,} without a verdict. Of all, the column cited: yes, no or no claim.")
    by_system = Counter(claim.system for claim in claims)
    named = ", ".join(f"{system} {count:,}" for system, count in sorted(by_system.items()))
    say(f"By system: {named}. lab correct needs {LEAST} labels of each.")
    if len(claims) < n:
        say(f"There are no more than {len(claims):,} claims with a verdict.")
    say(f"In the browser: drretail view {experiment} --plan {n}. Then: drretail lab correct {experiment}; of the sheet")
    say(f"once it is filled in: drretail lab correct {experiment} --labels {path}.")
