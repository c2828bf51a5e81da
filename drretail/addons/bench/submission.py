"""Submissions: run folders with a manifest, verified when they are taken in and graded together with all others."""

import re
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from drretail.addons.bench.grading import grade
from drretail.addons.bench.release import check_version, read_release, tasks_of
from drretail.addons.bench.reruns import Rerun, in_drawn_order, rerun
from drretail.api.verify import verify
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.eval.check_results import Verification
from drretail.eval.judging.subject import research_labels
from drretail.experiment import read_definition, runs_folder
from drretail.files import files_below, is_unfinished, made_whole, read_json, read_lines, write_json
from drretail.parsing import keys_that_stand_twice
from drretail.querygen.reading import read_queries
from drretail.records.base import Document, Record, fault_of
from drretail.records.query import Query
from drretail.records.run import System, slug
from drretail.records.tables.figures import counted

MOST_FILES, MOST_MEGABYTES, MOST_UNPACKED = 100_000, 4_000, 100
"""The most that a submission holds, and the megabytes to which a packed file of it unpacks; a long run's journal has
10.
"""
_OF_PLACE = ("host", "world")
"""What telemetry.json says of the contestant's machine."""


class SystemEntry(Record):
    """What a contestant declares about one of its systems."""

    models: tuple[str, ...]
    dollars: float | None = Field(default=None, ge=0, le=1e9, allow_inf_nan=False)
    """List-price dollars of all its runs together; None if they were not counted."""


class Manifest(Document):
    """manifest.json of a submission."""

    name: str = Field(max_length=40, pattern=r"^[._-]*[A-Za-z0-9][A-Za-z0-9._-]*$")
    door: Literal["open", "closed"] = "open"
    """open: the contestant ran the published tasks. closed: the organiser's own servers and commands
    recorded the runs.
    """
    systems: dict[str, SystemEntry]
    """By label, every system of the folder except floors and the oracle."""


class Accepted(Document):
    """accepted.json: what the organiser found."""

    submitted: datetime
    late: bool
    verified: bool
    """False for an exhibit."""
    not_checkable: tuple[str, ...] = ()
    unchecked: dict[str, str] = Field(default_factory=dict[str, str])
    """By label, why not all of its runs could be made again from their journals, or their tools called again."""
    again: dict[str, Rerun] = Field(default_factory=dict[str, Rerun])
    """By label, what running it again has shown."""


def submit(
    folder: Path, runs: Path, manifest: Path, *, sample: int = 8, exhibit: bool = False, now: datetime | None = None
) -> Accepted:
    """Takes a run folder in as a submission. An ``exhibit`` is shown without being verified.

    Raises UserError if the manifest names other systems or models than the folder, if the contestant has an entry, if
    the folder is of another version than the release or too large, if ``verify`` fails, and if runs have a different
    result when they are made again, at first on ``sample`` queries.
    """
    release = read_release(folder)
    check_version(release)
    _check_sizes(runs)
    entry_manifest = _read_manifest(manifest, runs)
    if not exhibit and (made_by := read_definition(runs).versions.get("drretail")) != release.drretail:
        raise UserError(f"{runs} was made by drretail {made_by}, and this release is ranked by {release.drretail}.")
    # Without dots: in a label, the text before the first dot is the contestant.
    now, target = now or datetime.now(UTC), folder / "submissions" / slug(entry_manifest.name).replace(".", "-")
    if _letters(target.name) in {_letters(path.name) for path in target.parent.glob("*")}:
        raise UserError(f"{entry_manifest.name} has submitted already: a release takes one entry of each contestant.")
    checks = {} if exhibit else _checked(folder, runs, entry_manifest, sample)
    accepted = Accepted(submitted=now, late=now > release.closes, verified=not exhibit, **checks)
    with made_whole(target) as made:
        # Its own verdicts and scores are left behind: all submissions are graded together.
        shutil.copytree(runs, made / "exp", ignore=shutil.ignore_patterns("verdicts", "scores.json", "*.html"))
        for path in made.glob("exp/runs/*/*/telemetry.json"):
            write_json(path, {name: value for name, value in read_json(path).items() if name not in _OF_PLACE})
        write_json(made / "manifest.json", entry_manifest.model_dump(mode="json", exclude_none=True))
        write_json(made / "accepted.json", accepted.model_dump(mode="json"))
    return accepted


def _letters(name: str) -> str:
    """What two spellings of one contestant's name share: "a.b." is "A-B"."""
    return re.sub(r"[^a-z0-9]", "", name.casefold())


def _check_sizes(runs: Path) -> None:
    """Raises UserError for a folder that holds more than anybody's runs need, exhibits too."""
    files = [path for path in files_below(runs, "**/*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in files) >> 20
    if len(files) > MOST_FILES or megabytes > MOST_MEGABYTES:
        raise UserError(
            f"{runs} has {len(files):,} files of {megabytes:,} MB: {MOST_FILES:,} of {MOST_MEGABYTES:,} MB are taken."
        )
    for path in files:
        if path.suffix == ".gz":
            read_lines(path, MOST_UNPACKED << 20)


def _checked(folder: Path, runs: Path, manifest: Manifest, sample: int) -> dict[str, Any]:
    """What ``verify`` and running it again find. Raises UserError for a folder that is refused."""
    queries = read_queries(folder / "sealed" / "queries.jsonl")
    tasks = tuple(queries) if manifest.door == "closed" else tasks_of(queries)
    with open_world(folder / "sealed" / "world") as world:
        verified = verify(runs, world, queries=tasks)
        if not verified.passes:
            raise UserError(f"{runs} does not verify ({len(verified.failures)} fail): {verified.failures[0].line}")
        if missing := [each for check in verified.checks if check.check == "plan" for each in check.unmade]:
            raise UserError(f"{runs} lacks {counted(len(missing), 'planned run')}: {missing[0].line}")
        shown = {task.query_id: task for task in tasks}
        leads = _leads(folder, runs, [*manifest.systems], world, queries) if sample else {}
        order = in_drawn_order(queries)
        again = rerun(runs, [*manifest.systems], world, order, shown, sample, leads) if sample else {}
    left = (check for check in verified.checks if check.unchecked)
    return {
        "not_checkable": tuple(f"{check.check}: {check.unchecked[0].reason}" for check in left),
        "unchecked": _unchecked(verified, runs, [*manifest.systems]),
        "again": again,
    }


def _unchecked(verified: Verification, runs: Path, labels: Sequence[str]) -> dict[str, str]:
    reason_of: dict[str, str] = {}
    for label in labels:
        place = f"{runs_folder(runs, label).relative_to(runs).as_posix()}/"
        reasons = [
            mismatch.reason
            for check in verified.checks
            if check.check in ("replay", "tools")
            for mismatch in check.unchecked
            if mismatch.file == "experiment.json" or mismatch.file.startswith(place)
        ]
        if reasons:
            reason_of[label] = reasons[0]
    return reason_of


def _leads(folder: Path, runs: Path, labels: Sequence[str], world: World, queries: Sequence[Query]) -> dict[str, float]:
    """By label, how far a system is above the next one that was ranked before it, or above 0. One that is above none
    claims nothing.
    """
    path = folder / "ranking.json"
    rows = read_json(path)["rows"] if path.exists() else []
    ranked = [row["truth"] for row in rows if row.get("ranks")]
    with TemporaryDirectory(prefix="drretail-bench-") as temporary:
        worth = grade(Path(temporary) / "graded", {label: (runs, label) for label in labels}, world, queries)
    leads: dict[str, float] = {}
    for label in labels:
        own = fmean(truth.primary for truth in worth[label].values())
        leads[label] = own - max((each for each in (0.0, *ranked) if each < own), default=-1.0)
    return leads


def _read_manifest(path: Path, experiment: Path) -> Manifest:
    """The manifest. Raises UserError if it is invalid, or names other systems or models than the folder."""
    try:
        manifest = Manifest.model_validate(read_json(path))
        if twice := keys_that_stand_twice(path.read_text(encoding="utf-8")):
            raise UserError(f"{path} has {twice[0]} twice.")
    except ValidationError as problem:
        raise UserError(f"{path}: {fault_of(problem)}.") from problem
    definition = read_definition(experiment)
    labels = research_labels(definition)
    absent, strange = sorted({*labels} - {*manifest.systems}), sorted({*manifest.systems} - {*labels})
    if absent or strange:
        changes = [f"{verb} {', '.join(names)}" for verb, names in (("add", absent), ("remove", strange)) if names]
        raise UserError(f"The manifest must name the systems of {experiment}: {'; '.join(changes)}.")
    for label, entry in manifest.systems.items():
        models = {model.spec for model in definition.systems[label].models.values()}
        if models != {*entry.models}:
            raise UserError(f"The manifest says {', '.join(entry.models)} of {label}; it ran {', '.join(models)}.")
    return manifest


class Entry(NamedTuple):
    """One system of a submission."""

    experiment: Path
    label: str
    """The system's label in that experiment."""
    system: System
    manifest: Manifest
    accepted: Accepted


def entries(folder: Path) -> dict[str, Entry]:
    """The systems of all submissions, by the labels that they have in the ranking."""
    by_label: dict[str, Entry] = {}
    for path in sorted((folder / "submissions").glob("*/")):
        if is_unfinished(path):
            continue
        manifest = Manifest.model_validate(read_json(path / "manifest.json"))
        accepted = Accepted.model_validate(read_json(path / "accepted.json"))
        for label, system in read_definition(path / "exp").systems.items():
            entry = Entry(path / "exp", label, system, manifest, accepted)
            if label in manifest.systems:
                by_label[f"{path.name}.{label}"] = entry
            # Baselines know the wishes at the closed door only, and are the same in every folder.
            elif manifest.door == "closed" and accepted.verified:
                by_label.setdefault(label, entry)
    return by_label
