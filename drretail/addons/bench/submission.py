"""Submissions: run folders with a manifest, verified when they are taken in.

A drawn sample of their runs is made again (what differs, and the odds that forged runs pass), and all runs of a
release are graded in one experiment.
"""

import re
import secrets
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from drretail.addons.bench.release import check_version, read_release, tasks_of
from drretail.agents.names import is_built_in
from drretail.agents.running.run import open_experiment
from drretail.agents.running.shard import in_turns
from drretail.api.run import run
from drretail.api.verify import verify
from drretail.conditions.registry import conditions_of
from drretail.env.gold import add_gold
from drretail.env.world import World, open_world
from drretail.errors import UserError
from drretail.eval.baskets import keep_references, made_references
from drretail.eval.judging.subject import read_subjects, research_labels
from drretail.eval.metrics.truth import Truth, truth_of
from drretail.experiment import read_definition, read_evidence, read_run, run_folder, runs_folder
from drretail.files import files_below, is_unfinished, made_whole, read_json, read_lines, write_json
from drretail.llm.providers import OFFLINE, PROVIDERS
from drretail.parsing import keys_that_stand_twice
from drretail.querygen.reading import read_queries
from drretail.records.base import Document, Record, fault_of
from drretail.records.query import Query
from drretail.records.run import RETRIEVER, System, slug
from drretail.records.tables.figures import counted
from drretail.stats.intervals import Clusters, Groups, mean_interval
from drretail.stats.significance import LEVEL, fewest_users, flip_test


def grade(
    to: Path, systems: Mapping[str, tuple[Path, str]], world: World, queries: Sequence[Query]
) -> dict[str, dict[str, Truth]]:
    """What each planned run is worth, by label and query id. Queries without a right answer are left out.

    ``systems`` maps a label here to the system's experiment and its label there. ``to`` becomes an experiment of these
    runs with the sealed queries and their baskets; a run that cannot be read is left out. If it already holds the same
    systems, it is kept with its verdicts.
    """
    if not (to / "experiment.json").exists() or {*read_definition(to).systems} != {*systems}:
        with (
            made_whole(to, is_replaced=True) as made,
            open_experiment(made, world, queries, [], "42") as graded,
        ):
            add_gold(graded, world, queries)
            for new, (experiment, label) in systems.items():
                definition = read_definition(experiment)
                renamed = {
                    "systems": {new: definition.systems[label]},
                    "prompt_hashes": {new: definition.prompt_hashes.get(label, {})},
                    "code": {new: definition.code[label]} if label in definition.code else {},
                }
                graded.ask(graded.definition.model_copy(update=renamed))
                for query in queries:
                    source = run_folder(experiment, label, query.query_id, 1)
                    if (source / "run.json").exists() and not unreadable(source):
                        target = run_folder(made, new, query.query_id, 1)
                        shutil.copytree(source, target)
                        named = {"system": new, "run_id": f"{new}/{query.query_id}-r1"}
                        write_json(target / "run.json", read_json(target / "run.json") | named)
    truths: dict[str, dict[str, Truth]] = {}
    references = made_references(to, world)
    keep_references(to, references)
    for subject in read_subjects(to, world.store):
        if truth := truth_of(replace(subject, whole=references[subject.query.query_id])):
            truths.setdefault(subject.label, {})[subject.query.query_id] = truth
    return truths


def unreadable(run: Path) -> str:
    """Why a run cannot be graded; empty if it can."""
    try:
        read_run(run)
        read_evidence(run)
    except UserError as problem:
        return str(problem)
    return ""


_REBUILT = ("without", "information", "retriever", "intent")
"""The options with which a system can be rebuilt; a system with any other option is not run again."""
NOT_AGAIN = "not run again"
_WIDEST = 0.25
"""The most that the mean of a system's drawn runs may differ, whatever the test says: for eight users, little."""
FORGED = (0.1, 0.2, 0.3)
"""Gains in truth whose odds of passing are given."""
_GRAVE = 0.2
"""The gain that may pass with odds of at most ``LEVEL`` where a lead is called confirmed."""
_DRAWS = 400


class Rerun(Record):
    """What running a system again has shown."""

    fault: str = ""
    """Why it was not run again."""
    queries: int = 0
    mean: float | None = None
    """The mean difference in truth between the runs that were made again and those submitted."""
    width: float | None = None
    """How wide the 95% interval of that mean is; None below five users that differ."""
    odds: dict[float, float] = Field(default_factory=dict[float, float])
    """By gain in truth, the odds that runs which were forged to gain as much would have passed."""

    def confirms(self, lead: float) -> bool:
        """True if what was run again is exact enough for a lead of this size."""
        return self.width is not None and self.width < lead and self.odds[_GRAVE] <= LEVEL

    @property
    def line(self) -> str:
        if self.mean is None:
            return f"{NOT_AGAIN}: {self.fault}".rstrip(".")
        shown = "" if self.width is None else f", give or take {self.width / 2:.2f}"
        gains = ", ".join(f"+{gain:.2f} in {odds:.2f}" for gain, odds in self.odds.items())
        return f"{self.queries} drawn and run again: {self.mean:+.2f}{shown}; a forged gain passes: {gains}"


def in_drawn_order(queries: Sequence[Query]) -> list[Query]:
    """The queries in the order, drawn at random, in which they are run again. One of each user comes first.

    If limits are hidden, the first query hides one: without it, the systems' labels would differ.
    """
    shuffled = secrets.SystemRandom().sample(queries, len(queries))
    shuffled.sort(key=lambda query: not query.hidden)
    shuffled[1:] = secrets.SystemRandom().sample(shuffled[1:], len(shuffled[1:]))
    return in_turns(shuffled)


def rerun(
    runs: Path,
    labels: Sequence[str],
    world: World,
    queries: Sequence[Query],
    shown: Mapping[str, Query],
    sample: int,
    leads: Mapping[str, float],
) -> dict[str, Rerun]:
    """Runs systems again, by label: at first on ``sample`` queries, and on twice as many until the interval of the
    difference is narrower than the system's lead, or on all.

    ``queries`` are in drawn order, and ``shown`` holds each as contestants see it. Raises UserError if the worth of the
    runs differs from that of those submitted.
    """
    systems, reruns = read_definition(runs).systems, dict[str, Rerun]()
    with TemporaryDirectory(prefix="drretail-bench-") as temporary:
        again, size = Path(temporary) / "again", sample
        while open_labels := [label for label in labels if label not in reruns]:
            drawn, sources = queries[:size], dict[str, tuple[Path, str]]()
            for label in open_labels:
                try:
                    _run_again(label, systems[label], world, [shown[query.query_id] for query in drawn], again)
                    sources |= {f"before.{label}": (runs, label), f"after.{label}": (again, label)}
                except UserError as problem:
                    reruns[label] = Rerun(fault=str(problem))
            worth = grade(Path(temporary) / f"graded-{size}", sources, world, drawn)
            for label in (label for label in open_labels if label not in reruns):
                before, after = worth[f"before.{label}"], worth[f"after.{label}"]
                made = compared(label, before, after, drawn, systems[label], len(queries))
                if size >= len(queries) or made.confirms(leads[label]):
                    reruns[label] = made
            size *= 2
    return reruns


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
        vary={"scope": system.sees} | {condition.name: (value,) for condition, value in conditions_of(system, {})},
        limits=limits,
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
    label: str,
    before: Mapping[str, Truth],
    after: Mapping[str, Truth],
    drawn: Sequence[Query],
    system: System,
    everything: int,
) -> Rerun:
    """What the rerun queries show, of ``everything`` asked. Raises UserError if they differ in worth from before."""
    ids = [query.query_id for query in drawn if query.query_id in before and query.query_id in after]
    differences = [after[key].primary - before[key].primary for key in ids]
    groups = Clusters.of(drawn).groups(ids)
    users, least = len({*groups}), fewest_users()
    by_rules = all(model.kind == "rule_based" for model in system.models.values())
    if not by_rules and users < least:
        raise UserError(f"{label}: queries of {users} users can show nothing; draw {least} or more.")
    mean = sum(differences) / len(ids) if ids else 0.0
    if _differ(differences, groups, by_rules=by_rules):
        raise UserError(f"{label} run again on {len(ids)} drawn queries is worth {mean:+.2f} of what was submitted.")
    interval = mean_interval(differences, groups)
    width = None if interval.low is None or interval.high is None else interval.high - interval.low
    return Rerun(
        queries=len(ids),
        mean=mean,
        width=width if any(differences) else 0.0,
        odds={gain: odds_of(gain, differences, groups, everything, by_rules=by_rules) for gain in FORGED},
    )


def _differ(differences: Sequence[float], groups: Groups, *, by_rules: bool) -> bool:
    """True if runs that were made again are not worth what those submitted are: with rules at all, else by a test."""
    if not differences or by_rules:
        return any(differences)
    p = flip_test(differences, groups)
    return (p is not None and p <= LEVEL) or abs(sum(differences) / len(differences)) > _WIDEST


def odds_of(gain: float, differences: Sequence[float], groups: Groups, everything: int, *, by_rules: bool) -> float:
    """The odds that runs which were forged to gain ``gain`` in the mean of ``everything`` would have passed.

    Whoever forges raises all of them a little, or a share of them from 0 to 1; the odds are those of the better way.
    Apart from that, differences are drawn from those seen, about 0 and with either sign.
    """
    if not differences:
        return 1.0
    mean, draws, passed = sum(differences) / len(differences), Random(f"{gain}"), Counter[str]()
    forged = range(round(gain * everything))
    for _ in range(_DRAWS):
        noise = [draws.choice((-1, 1)) * (draws.choice(differences) - mean) for _ in differences]
        hits = draws.sample(range(everything), len(differences))
        for way, lost in (("all", [gain] * len(hits)), ("few", [float(hit in forged) for hit in hits])):
            made_again = [each - loss for each, loss in zip(noise, lost, strict=True)]
            passed[way] += not _differ(made_again, groups, by_rules=by_rules)
    return max(passed.values()) / _DRAWS


MOST_FILES, MOST_MEGABYTES, MOST_UNPACKED = 100_000, 4_000, 100
"""The most that a submission holds, and the megabytes of a packed file of it, unpacked; a long run's journal has 10."""
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
    """open: the contestant ran the published tasks. closed: the organiser's own servers and commands recorded them."""
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
    the folder is of another version than the release or too large, if a run cannot be read, if ``verify`` fails, and if
    runs have a different result when they are made again, at first on ``sample`` queries.
    """
    release = read_release(folder)
    check_version(release)
    # More than anybody's runs need is refused, of exhibits too.
    files = [path for path in files_below(runs, "**/*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in files) >> 20
    if len(files) > MOST_FILES or megabytes > MOST_MEGABYTES:
        raise UserError(
            f"{runs} has {len(files):,} files of {megabytes:,} MB: {MOST_FILES:,} of {MOST_MEGABYTES:,} MB are taken."
        )
    for path in files:
        if path.suffix == ".gz":
            read_lines(path, MOST_UNPACKED << 20)
    entry_manifest = _read_manifest(manifest, runs)
    if not exhibit and (made_by := read_definition(runs).versions.get("drretail")) != release.drretail:
        raise UserError(f"{runs} was made by drretail {made_by}, and this release is ranked by {release.drretail}.")
    # Without dots: in a label, the text before the first dot is the contestant.
    now, target = now or datetime.now(UTC), folder / "submissions" / slug(entry_manifest.name).replace(".", "-")
    if _letters(target.name) in {_letters(path.name) for path in target.parent.glob("*")}:
        raise UserError(f"{entry_manifest.name} has submitted already: a release takes one entry of each contestant.")
    if faults := [fault for path in sorted(runs.glob("runs/*/*/run.json")) if (fault := unreadable(path.parent))]:
        raise UserError(faults[0])
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
        again: dict[str, Rerun] = {}
        if sample:
            shown = {task.query_id: task for task in tasks}
            leads = _leads(folder, runs, [*manifest.systems], world, queries)
            again = rerun(runs, [*manifest.systems], world, in_drawn_order(queries), shown, sample, leads)
    unchecked: dict[str, str] = {}
    made_again = [each for check in verified.checks if check.check in ("replay", "tools") for each in check.unchecked]
    for label in manifest.systems:
        place = f"{runs_folder(runs, label).relative_to(runs).as_posix()}/"
        for mismatch in made_again:
            if mismatch.file == "experiment.json" or mismatch.file.startswith(place):
                unchecked.setdefault(label, mismatch.reason)
    left = (check for check in verified.checks if check.unchecked)
    not_checkable = tuple(f"{check.check}: {check.unchecked[0].reason}" for check in left)
    return {"not_checkable": not_checkable, "unchecked": unchecked, "again": again}


def _leads(folder: Path, runs: Path, labels: Sequence[str], world: World, queries: Sequence[Query]) -> dict[str, float]:
    """By label, how far a system is above the next one ranked before it, or above 0, where it claims nothing."""
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
