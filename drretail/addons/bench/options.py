"""The options of the commands of ``bench``, one record for each. Their docstrings are the commands' help."""

from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

from drretail.api.option import Option

Folder = Annotated[str | Path, Option("The release's folder.", argument=True, metavar="RELEASE")]


@dataclass(frozen=True, slots=True)
class MakeOptions:
    """Makes a new shop and queries, sealed by checksums.

    Publish the checksums (RELEASE/release.json). Keep RELEASE/sealed to yourself.
    """

    to: Annotated[str | Path, Option("A new folder for the release.", metavar="RELEASE")]
    closes: Annotated[
        datetime,
        Option("When the contest closes and the gold may be published (UTC), such as 2027-01-31.", metavar="DATETIME"),
    ]
    _: KW_ONLY
    world: Annotated[str | Path | None, Option("The shop (default: a made-up one).", metavar="W")] = None
    queries: Annotated[str | Path | None, Option("Queries with wishes (default: new ones).", metavar="FILE")] = None
    n: Annotated[int, Option("Maximum users, each with one query.", min=6)] = 120
    seed: Annotated[str | None, Option("The random seed, which is sealed (default: drawn).")] = None


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """Writes the folder for contestants: checksums, tasks and the shop."""

    release: Folder
    to: Annotated[str | Path, Option("The folder for contestants.", metavar="FOLDER")]
    _: KW_ONLY
    closed: Annotated[bool, Option("Leave out the shop. Your server has its tools.")] = False
    gold: Annotated[bool, Option("Add seed, queries and gold, after the close.")] = False


@dataclass(frozen=True, slots=True)
class SubmitOptions:
    """Verifies a contestant's runs, repeats a random sample, and accepts them."""

    release: Folder
    experiment: Annotated[str | Path, Option("The contestant's run folder.", argument=True, metavar="EXP")]
    manifest: Annotated[
        str | Path, Option("JSON of systems, models, costs (drretail/addons/bench/README.md).", metavar="FILE")
    ]
    _: KW_ONLY
    n: Annotated[int, Option("Queries that are run again at first; more follow as needed.", min=0)] = 8
    exhibit: Annotated[bool, Option("Accept without verification. Tables say so.")] = False


@dataclass(frozen=True, slots=True)
class RankOptions:
    """Grades all submissions and ranks their systems by the metric `truth`.

    `drretail report RELEASE/graded` shows the reports. RELEASE/ranking.json keeps the ranks.
    """

    release: Folder
