"""Submissions: run folders with a manifest, taken in once they are verified, and graded beside all others."""

import random
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from pydantic import Field

from drretail.agents.running.new_experiment import open_experiment
from drretail.api.bench.release import read_release, tasks_of
from drretail.api.run import run
from drretail.api.verification.verify import verify
from drretail.env.offers import Offers
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.eval.families.truth import Truth, truth_of
from drretail.eval.judging.pairs import research_labels
from drretail.eval.judging.subject import read_subjects
from drretail.experiment import read_definition, read_runs, run_folder
from drretail.files import read_json, write_json, write_lines
from drretail.querygen.reading import read_queries
from drretail.records.base import Document, Record, sha256_of
from drretail.records.query import Query
from drretail.records.run import LONGEST_LABEL, System, slug
from drretail.stats.clusters import Clusters
from drretail.stats.significance import LEVEL, flip_test

Door = Literal["open", "closed"]
_REBUILT = ("without", "redact", "information", "moves", "retriever", "intent")
"""The options of a system that a run can be given again; a system with another one is not run again."""


class SystemEntry(Record):
    """What a contestant says of one of its systems."""

    models: tuple[str, ...]
    dollars: float | None = None
    """List-price dollars of all its runs together; None where nobody counted."""


class Manifest(Document):
    """manifest.json of a submission."""

    name: str
    door: Door = "open"
    """open: made by the contestant on published tasks. closed: recorded by the organiser's own servers and commands."""
    systems: dict[str, SystemEntry]
    """By label, every system of the folder but floors and the oracle."""


class Accepted(Document):
    """accepted.json: what the organiser found."""

    submitted: datetime
    late: bool
    verified: bool
    """False of an exhibit, which was taken in unverified."""
    not_checkable: tuple[str, ...] = ()
    again: dict[str, str] = Field(default_factory=dict[str, str])
    """By label, what came of its drawn sample."""


def submit(
    folder: Path,
    experiment: Path,
    manifest: Path,
    *,
    sample: int = 5,
    exhibit: bool = False,
    now: datetime | None = None,
) -> Accepted:
    """Takes a run folder in. An ``exhibit`` is shown without being verified.

    Raises UserError where the manifest says other systems or models than the folder, where ``verify`` fails anything,
    and where a sample, drawn by the seed and the folder, comes out otherwise when it is run again.
    """
    release, given = read_release(folder), Manifest.model_validate(read_json(manifest))
    now, target = now or datetime.now(UTC), folder / "submissions" / slug(given.name)
    if target.exists():
        raise UserError(f"{given.name} has submitted already: a name stands for one submission.")
    _check_manifest(experiment, given)
    left: list[str] = []
    again: dict[str, str] = {}
    with open_world(folder / "sealed" / "world") as world:
        queries = read_queries(folder / "sealed" / "queries.jsonl")
        if not exhibit:
            left = _verified(experiment, world, queries, given.door)
            again = _sampled(folder, experiment, given, world, queries, sample)
    accepted = Accepted(
        submitted=now, late=now > release.closes, verified=not exhibit, not_checkable=tuple(left), again=again
    )
    shutil.copytree(experiment, target / "exp", ignore=shutil.ignore_patterns("verdicts", "scores.json", "*.html"))
    write_json(target / "manifest.json", given.model_dump(mode="json", exclude_none=True))
    write_json(target / "accepted.json", accepted.model_dump(mode="json"))
    return accepted


def _check_manifest(experiment: Path, given: Manifest) -> None:
    definition = read_definition(experiment)
    labels = research_labels(definition)
    if sorted(given.systems) != sorted(labels):
        raise UserError(f"The manifest names {', '.join(given.systems)}; the folder holds {', '.join(labels)}.")
    for label, entry in given.systems.items():
        models = {model.spec for model in definition.systems[label].models.values()}
        if models != {*entry.models}:
            raise UserError(f"The manifest says {', '.join(entry.models)} of {label}; it ran {', '.join(models)}.")


def _verified(experiment: Path, world: World, queries: Sequence[Query], door: Door) -> list[str]:
    """What could not be checked; UserError for what fails."""
    with TemporaryDirectory(prefix="drretail-bench-") as temporary:
        published = Path(temporary) / "queries.jsonl"
        shown = queries if door == "closed" else tasks_of(queries)
        write_lines(published, (query.model_dump_json(exclude_none=True) for query in shown))
        found = verify(experiment, world, queries=published)
    if not found.passes:
        first = found.failures[0]
        raise UserError(f"{experiment} does not verify ({len(found.failures)} fail): {first.line}")
    return [f"{check.check}: {check.unchecked[0].reason}" for check in found.checks if check.unchecked]


def _sampled(
    folder: Path, experiment: Path, given: Manifest, world: World, queries: Sequence[Query], sample: int
) -> dict[str, str]:
    """Runs drawn queries of each system once more, and compares what the runs are worth, query by query."""
    definition, found = read_definition(experiment), dict[str, str]()
    shas = sorted(run.report_sha or "" for run in read_runs(experiment))
    # The seed is sealed and the folder is handed in: nobody can know beforehand which queries these are.
    seed = (folder / "sealed" / "seed.txt").read_text(encoding="utf-8")
    shuffled = random.Random(sha256_of([seed, shas])).sample(queries, len(queries))
    # Where limits are hidden one such query is among them: else systems could not be run as they were.
    drawn = list(dict.fromkeys([*shuffled[:sample], *[query for query in shuffled if query.hidden][: int(sample > 0)]]))
    asked = list(drawn if given.door == "closed" else tasks_of(drawn))
    with TemporaryDirectory(prefix="drretail-bench-") as temporary:
        for label in given.systems:
            system = definition.systems[label]
            try:
                _run_again(label, system, world, asked, Path(temporary) / "again")
            except UserError as problem:
                found[label] = f"not run again: {problem}".rstrip(".")
        ran = [label for label in given.systems if label not in found]
        if ran:
            parts = [Part("before", experiment, ran), Part("after", Path(temporary) / "again", ran)]
            worth = worths(grade(Path(temporary) / "graded", parts, world, drawn), world)
            for label in ran:
                before, after = (worth[label_of(part.name, label)] for part in parts)
                found[label] = _compared(label, before, after, drawn, definition.systems[label])
    return found


def _run_again(label: str, system: System, world: World, queries: Sequence[Query], to: Path) -> None:
    strange = [name for name in system.options if name not in _REBUILT]
    if strange:
        raise UserError(f"its option {strange[0]} can't be given here")
    options: dict[str, Any] = {name: value for name, value in system.options.items() if name != "moves"}
    made = run(
        world,
        list(queries),
        system.agent + ("+ws" if system.web_mode == "ws" else ""),
        {role: model.spec for role, model in system.models.items()},
        to=to,
        baselines=False,
        scope=system.sees,
        limits=system.limits.model_dump(exclude_none=True),
        moves=system.options.get("moves"),
        **options,
    )
    if label not in {tally.label for tally in made.tallies}:
        raise UserError("here it comes out as another system")


def _compared(
    label: str,
    before: Mapping[str, Truth],
    after: Mapping[str, Truth],
    drawn: Sequence[Query],
    system: System,
) -> str:
    """What the sample shows; UserError where it is worth something else than what was submitted."""
    ids = [query.query_id for query in drawn if query.query_id in before and query.query_id in after]
    differences = [after[key].primary - before[key].primary for key in ids]
    p = flip_test(differences, Clusters.of(drawn).groups(ids)) if ids else None
    by_rules = all(model.kind == "rule_based" for model in system.models.values())
    mean = sum(differences) / len(ids) if ids else 0.0
    if (by_rules and any(differences)) or (p is not None and p <= LEVEL):
        raise UserError(f"{label} run again on {len(ids)} drawn queries is worth {mean:+.2f} of what was submitted.")
    return f"{len(ids)} queries run again: {mean:+.2f}"


@dataclass(frozen=True, slots=True)
class Part:
    """An experiment that is graded, and which of its systems are."""

    name: str
    experiment: Path
    labels: Sequence[str]


def label_of(name: str, label: str) -> str:
    """What a contestant's system is called among all."""
    return f"{slug(name)}.{label}"[:LONGEST_LABEL].rstrip(".")


def grade(to: Path, parts: Iterable[Part], world: World, queries: Sequence[Query]) -> Path:
    """An experiment of all parts' runs with the sealed queries and their baskets, made anew."""
    shutil.rmtree(to, ignore_errors=True)
    with ExitStack() as stack:
        experiment = stack.enter_context(
            open_experiment(to, world, queries, [], "42", reference=Offers(world).reference)
        )
        for part in parts:
            given = read_definition(part.experiment)
            labels = {label: label_of(part.name, label) for label in part.labels}
            experiment.ask(
                experiment.definition.model_copy(
                    update={
                        "systems": {new: given.systems[label] for label, new in labels.items()},
                        "prompt_hashes": {new: given.prompt_hashes.get(label, {}) for label, new in labels.items()},
                    }
                )
            )
            for label, new in labels.items():
                for query in queries:
                    source = run_folder(part.experiment, label, query.query_id, 1)
                    if not (source / "run.json").exists():
                        continue
                    target = run_folder(to, new, query.query_id, 1)
                    shutil.copytree(source, target)
                    kept = read_json(target / "run.json")
                    write_json(target / "run.json", kept | {"system": new, "run_id": f"{new}/{query.query_id}-r1"})
    return to


def worths(graded: Path, world: World) -> dict[str, dict[str, Truth]]:
    """By label and query id, what each planned run is worth; queries without a right answer are left out."""
    found: dict[str, dict[str, Truth]] = {}
    for subject in read_subjects(graded, world.store):
        truth = truth_of(subject)
        if truth is not None:
            found.setdefault(subject.label, {})[subject.query.query_id] = truth
    return found


def submissions(folder: Path) -> list[tuple[str, Manifest, Accepted]]:
    """All that were taken in, by the names of their folders."""
    found: list[tuple[str, Manifest, Accepted]] = []
    for path in sorted((folder / "submissions").glob("*/")):
        accepted = Accepted.model_validate(read_json(path / "accepted.json"))
        found.append((path.name, Manifest.model_validate(read_json(path / "manifest.json")), accepted))
    return found
