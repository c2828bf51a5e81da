"""Submissions: run folders with a manifest, verified when they are taken in and graded together with all others."""

import secrets
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from drretail.agents.names import is_built_in
from drretail.agents.running.new_experiment import add_gold, open_experiment
from drretail.api.bench.release import read_release, tasks_of
from drretail.api.run import run
from drretail.api.verification.verify import verify
from drretail.env.offers import Offers
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.eval.families.truth import Truth, truth_of
from drretail.eval.judging.pairs import research_labels
from drretail.eval.judging.subject import read_subjects
from drretail.experiment import read_definition, run_folder
from drretail.files import is_unfinished, made_whole, read_json, read_lines, write_json
from drretail.llm.providers import OFFLINE, PROVIDERS
from drretail.querygen.reading import read_queries
from drretail.records.base import Document, Record
from drretail.records.query import Query
from drretail.records.run import RETRIEVER, System, slug
from drretail.stats.clusters import Clusters
from drretail.stats.significance import LEVEL, fewest_users, flip_test
from drretail.tables.figures import counted

_REBUILT = ("without", "redact", "information", "moves", "retriever", "intent")
"""The options with which a system can be rebuilt; a system with any other option is not run again."""
NOT_AGAIN = "not run again"
_WIDEST = 0.25
"""The most that the mean of a system's drawn runs may differ, whatever the test says: with eight users
it says little.
"""


class SystemEntry(Record):
    """What a contestant declares about one of its systems."""

    models: tuple[str, ...]
    dollars: float | None = Field(default=None, ge=0, allow_inf_nan=False)
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
    again: dict[str, str] = Field(default_factory=dict[str, str])
    """By label, the result of running its drawn sample again."""
    drawn: tuple[str, ...] = ()


def submit(
    folder: Path, runs: Path, manifest: Path, *, sample: int = 8, exhibit: bool = False, now: datetime | None = None
) -> Accepted:
    """Takes a run folder in as a submission. An ``exhibit`` is shown without being verified.

    Raises UserError if the manifest names other systems or models than the folder, if ``verify`` fails, and if a fresh
    sample of ``sample`` users has a different result when it is run again.
    """
    release, given = read_release(folder), _read_manifest(manifest, runs)
    # Without dots: in a label, the text before the first dot is the contestant.
    now, target = now or datetime.now(UTC), folder / "submissions" / slug(given.name).replace(".", "-")
    if target.exists():
        raise UserError(f"{given.name} has submitted already: write another name into the manifest.")
    for path in runs.rglob("*.gz"):
        read_lines(path, 100 << 20)  # fails beyond 100 MB, exhibits too; a long run's journal has 10 MB
    found: dict[str, Any] = {}
    if not exhibit:
        queries = read_queries(folder / "sealed" / "queries.jsonl")
        shown = tuple if given.door == "closed" else tasks_of
        drawn = draw(queries, sample)
        with open_world(folder / "sealed" / "world") as world:
            verified = verify(runs, world, queries=shown(queries))
            if not verified.passes:
                raise UserError(f"{runs} does not verify ({len(verified.failures)} fail): {verified.failures[0].line}")
            if missing := [each for check in verified.checks if check.check == "plan" for each in check.unmade]:
                raise UserError(f"{runs} lacks {counted(len(missing), 'planned run')}: {missing[0].line}")
            again = _rerun(runs, given, world, drawn, shown(drawn)) if drawn else {}
        left = (check for check in verified.checks if check.unchecked)
        found = {
            "not_checkable": tuple(f"{check.check}: {check.unchecked[0].reason}" for check in left),
            "again": again,
            "drawn": tuple(query.query_id for query in drawn),
        }
    accepted = Accepted(submitted=now, late=now > release.closes, verified=not exhibit, **found)
    with made_whole(target) as made:
        # Its own verdicts and scores are left behind: all submissions are graded together.
        shutil.copytree(runs, made / "exp", ignore=shutil.ignore_patterns("verdicts", "scores.json", "*.html"))
        write_json(made / "manifest.json", given.model_dump(mode="json", exclude_none=True))
        write_json(made / "accepted.json", accepted.model_dump(mode="json"))
    return accepted


def _read_manifest(path: Path, experiment: Path) -> Manifest:
    """The manifest. Raises UserError if it is invalid, or names other systems or models than the folder."""
    try:
        given = Manifest.model_validate(read_json(path))
    except ValidationError as problem:
        first = problem.errors()[0]
        raise UserError(f"{path}, {'.'.join(map(str, first['loc']))}: {first['msg']}.") from problem
    definition = read_definition(experiment)
    labels = research_labels(definition)
    absent, strange = sorted({*labels} - {*given.systems}), sorted({*given.systems} - {*labels})
    if absent or strange:
        changes = [f"{verb} {', '.join(names)}" for verb, names in (("add", absent), ("remove", strange)) if names]
        raise UserError(f"The manifest must name the systems of {experiment}: {'; '.join(changes)}.")
    for label, entry in given.systems.items():
        models = {model.spec for model in definition.systems[label].models.values()}
        if models != {*entry.models}:
            raise UserError(f"The manifest says {', '.join(entry.models)} of {label}; it ran {', '.join(models)}.")
    return given


def draw(queries: Sequence[Query], sample: int) -> list[Query]:
    """One query of each of ``sample`` users, or of all if there are fewer. Drawn at random: nothing published predicts
    it.
    """
    shuffled = secrets.SystemRandom().sample(queries, len(queries))
    of_users = {query.user_id or query.query_id: query for query in shuffled}
    drawn = [*of_users.values()][:sample]
    # If limits are hidden, the sample has a query that hides one: without it, the systems' labels would differ.
    if drawn and not any(query.hidden for query in drawn):
        drawn += [query for query in shuffled if query.hidden][:1]
    return drawn


def _rerun(runs: Path, given: Manifest, world: World, drawn: Sequence[Query], shown: Sequence[Query]) -> dict[str, str]:
    """Runs the drawn queries once more with each system, and compares the worth of the runs. Returns the result by
    label.
    """
    systems, found, sources = read_definition(runs).systems, dict[str, str](), dict[str, tuple[Path, str]]()
    with TemporaryDirectory(prefix="drretail-bench-") as temporary:
        again = Path(temporary) / "again"
        for label in given.systems:
            try:
                _run_again(label, systems[label], world, shown, again)
                sources |= {f"before.{label}": (runs, label), f"after.{label}": (again, label)}
            except UserError as problem:
                found[label] = f"{NOT_AGAIN}: {problem}".rstrip(".")
        worth = grade(Path(temporary) / "graded", sources, world, drawn)
    for label in (label for label in given.systems if f"after.{label}" in sources):
        found[label] = compared(label, worth[f"before.{label}"], worth[f"after.{label}"], drawn, systems[label])
    return found


def _run_again(label: str, system: System, world: World, queries: Sequence[Query], to: Path) -> None:
    check_is_ours(system)
    strange = [name for name in system.options if name not in _REBUILT]
    if strange:
        raise UserError(f"its option {strange[0]} can't be given here")
    models = {role: model.spec for role, model in system.models.items()}
    limits = system.limits.model_dump(exclude_none=True)
    made = run(
        world,
        list(queries),
        system.name,
        models,
        to=to,
        baselines=False,
        scope=system.sees,
        limits=limits,
        **system.options,
    )
    if label not in {tally.label for tally in made.tallies}:
        raise UserError("here it comes out as another system")


def check_is_ours(system: System) -> None:
    """Raises UserError for a system that would load a contestant's module, run their command or ask their server."""
    if not is_built_in(system):
        raise UserError(f"the agent {system.agent} is not one of the package's")
    retriever = str(system.options.get(RETRIEVER, f"{OFFLINE}:")).removeprefix("dense:")
    for spec in (*(model.spec for model in system.models.values()), retriever):
        if spec.partition(":")[0] not in {*PROVIDERS, OFFLINE}:
            raise UserError(f"the model {spec} is not of a provider of the package's")


def compared(
    label: str, before: Mapping[str, Truth], after: Mapping[str, Truth], drawn: Sequence[Query], system: System
) -> str:
    """A sentence on the rerun sample. Raises UserError if its worth differs from that of the submitted runs."""
    ids = [query.query_id for query in drawn if query.query_id in before and query.query_id in after]
    differences = [after[key].primary - before[key].primary for key in ids]
    groups = Clusters.of(drawn).groups(ids)
    users, least = len({*groups}), fewest_users()
    p = flip_test(differences, groups)
    by_rules = all(model.kind == "rule_based" for model in system.models.values())
    if not by_rules and users < least:
        raise UserError(f"{label}: queries of {users} users can show nothing; draw {least} or more.")
    mean = sum(differences) / len(ids) if ids else 0.0
    if (by_rules and any(differences)) or (p is not None and p <= LEVEL) or abs(mean) > _WIDEST:
        raise UserError(f"{label} run again on {len(ids)} drawn queries is worth {mean:+.2f} of what was submitted.")
    return f"{len(ids)} drawn and run again: {mean:+.2f}"


def grade(
    to: Path, systems: Mapping[str, tuple[Path, str]], world: World, queries: Sequence[Query]
) -> dict[str, dict[str, Truth]]:
    """What each planned run is worth, by label and query id. Queries without a right answer are left out.

    ``systems`` maps a label here to the system's experiment and its label there. ``to`` becomes an experiment of these
    runs with the sealed queries and their baskets. If it already holds the same systems, it is kept with its verdicts.
    """
    if not (to / "experiment.json").exists() or {*read_definition(to).systems} != {*systems}:
        with (
            made_whole(to, is_replaced=True) as made,
            open_experiment(made, world, queries, [], "42") as graded,
        ):
            add_gold(graded, world, queries, Offers(world).reference)
            for new, (experiment, label) in systems.items():
                given = read_definition(experiment)
                prompts = given.prompt_hashes.get(label, {})
                asked = {"systems": {new: given.systems[label]}, "prompt_hashes": {new: prompts}}
                graded.ask(graded.definition.model_copy(update=asked))
                for query in queries:
                    source = run_folder(experiment, label, query.query_id, 1)
                    if (source / "run.json").exists():
                        target = run_folder(made, new, query.query_id, 1)
                        shutil.copytree(source, target)
                        named = {"system": new, "run_id": f"{new}/{query.query_id}-r1"}
                        write_json(target / "run.json", read_json(target / "run.json") | named)
    found: dict[str, dict[str, Truth]] = {}
    for subject in read_subjects(to, world.store):
        if truth := truth_of(subject):
            found.setdefault(subject.label, {})[subject.query.query_id] = truth
    return found


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
    found: dict[str, Entry] = {}
    for path in sorted((folder / "submissions").glob("*/")):
        if is_unfinished(path):
            continue
        manifest = Manifest.model_validate(read_json(path / "manifest.json"))
        accepted = Accepted.model_validate(read_json(path / "accepted.json"))
        for label, system in read_definition(path / "exp").systems.items():
            entry = Entry(path / "exp", label, system, manifest, accepted)
            if label in manifest.systems:
                found[f"{path.name}.{label}"] = entry
            # Baselines know the wishes at the closed door only, and are the same in every folder.
            elif manifest.door == "closed" and accepted.verified:
                found.setdefault(label, entry)
    return found
