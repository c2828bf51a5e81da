"""``drretail bench``: a sealed benchmark, from its making to its ranking."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from drretail.api.option import Option
from drretail.cli.options import flags
from drretail.progress import choose_progress
from drretail.tables.figures import counted, dollars, short
from drretail.tables.table import Cell
from drretail.viewer.output import print_json, print_rows, print_text

Folder = Annotated[Path, Option("The release's folder.", argument=True, metavar="RELEASE")]


def make(
    to: Annotated[Path, Option("A new folder for the release.", metavar="RELEASE")],
    closes: Annotated[
        datetime,
        Option("When the contest closes and the gold may be published (UTC), such as 2027-01-31.", metavar="DATETIME"),
    ],
    output: flags.Progress,
    world: Annotated[Path | None, Option("The shop (default: a made-up one).", metavar="W")] = None,
    queries: Annotated[Path | None, Option("Queries with wishes (default: new ones).", metavar="FILE")] = None,
    n: Annotated[int, Option("Maximum users, each with one query.", metavar="N", min=6)] = 120,
    seed: Annotated[str | None, Option("The random seed, which is sealed (default: drawn).", metavar="TEXT")] = None,
) -> None:
    """Makes a new shop and queries, sealed by checksums.

    Publish the checksums (RELEASE/release.json). Keep RELEASE/sealed to yourself.
    """
    from drretail.api.bench.release import make as make_release

    made = make_release(to, closes=closes, world=world, queries=queries, n=n, seed=seed, progress=choose_progress())
    typer.echo(f"{to}: {counted(made.queries, 'query')} on the world {made.world_fingerprint[:12]}.")
    for name, value in made.commitment.items():
        typer.echo(f"{value}  {name}")


def publish(
    release: Folder,
    to: Annotated[Path, Option("The folder for contestants.", metavar="FOLDER")],
    closed: Annotated[bool, Option("Leave out the shop. Your server has its tools.")] = False,
    gold: Annotated[bool, Option("Add seed, queries and gold, after the close.")] = False,
) -> None:
    """Writes the folder for contestants: checksums, tasks and the shop."""
    from drretail.api.bench.release import publish as publish_release

    made = publish_release(release, to, closed=closed, gold=gold)
    typer.echo(f"{to}: {counted(made.queries, 'task')}{', with gold' if gold else ''}.")


def submit(
    release: Folder,
    experiment: Annotated[Path, Option("The contestant's run folder.", argument=True, metavar="EXP")],
    manifest: Annotated[Path, Option("JSON of systems, models, costs (docs/benchmark.md).", metavar="FILE")],
    sample: Annotated[int, Option("Queries that are run again at first; more follow as needed.", min=0)] = 8,
    exhibit: Annotated[bool, Option("Accept without verification. Tables say so.")] = False,
) -> None:
    """Verifies a contestant's runs, repeats a random sample, and accepts them."""
    from drretail.api.bench.submission import submit as submit_runs

    accepted = submit_runs(release, experiment, manifest, sample=sample, exhibit=exhibit)
    typer.echo(f"Accepted{' late' if accepted.late else ''}{'' if accepted.verified else ', unverified'}.")
    for label, found in accepted.again.items():
        typer.echo(f"{label}: {found.line}")
    for line in accepted.not_checkable:
        typer.echo(f"Not checked: {line}.")


def rank(release: Folder, as_json: flags.Json = False) -> None:
    """Grades all submissions and ranks their systems by the metric `truth`.

    `drretail report RELEASE/graded` shows the reports. RELEASE/ranking.json keeps the ranks.
    """
    from drretail.api.bench.ranking import rank as rank_systems

    ranking = rank_systems(release)
    if as_json:
        print_json(ranking.model_dump(mode="json"))
        return
    rows = [
        (
            row.system,
            "–" if row.ranks is None else "–".join(map(str, sorted({*row.ranks}))),
            Cell(row.truth, "number", row.ci_low, row.ci_high),
            row.true,
            None if row.style is None else Cell(row.style, "signed"),
            None if row.tokens is None else f"{row.tokens:.1f}{'*' if 'tokens' in row.on_front else ''}",
            None if row.dollars is None else f"{dollars(row.dollars)}{'*' if 'dollars' in row.on_front else ''}",
            "/".join(short(odds) for odds in row.forged.values()) or None,
            row.door,
            ", ".join(row.notes),
        )
        for row in ranking.rows
    ]
    names = ["system", "ranks", "truth", "true", "style", "tokens (k)", "$", "forged", "door", ""]
    title = f"{ranking.release}: {counted(ranking.queries, 'query')}"
    print_rows(title, names, rows, spare=("style", "door"))
    print_text(
        "ranks: those that paired tests leave possible, corrected over all pairs (Holm). truth: worth of the decisions "
        "of true reports; others count 0. true: share of true reports. *: no other ranked system is as good for less. "
        "forged: the odds that runs forged to gain .10, .20 or .30 in truth would have been ranked. "
        "Baselines are not ranked."
    )
