"""The ranking of a release: truth first, style among true reports beside it, and what each system cost."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from pydantic import Field

from drretail.agents.names import is_built_in
from drretail.api.bench.release import read_release
from drretail.api.bench.submission import Accepted, Manifest, Part, SystemEntry, grade, label_of, submissions, worths
from drretail.api.score import score
from drretail.env.world import open_world
from drretail.errors import UserError
from drretail.eval.families.truth import Truth
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.scores.gathering import gather
from drretail.eval.scores.pair_outcomes import read_outcomes
from drretail.experiment import read_definition, read_runs
from drretail.files import write_json
from drretail.querygen.reading import read_queries
from drretail.records.base import Document, Record
from drretail.records.query import Query
from drretail.records.run import Run
from drretail.stats.clusters import Clusters
from drretail.stats.intervals import share_interval
from drretail.stats.ranking import Contest, strengths
from drretail.stats.significance import LEVEL, flip_test, holm


class RankRow(Record):
    """One system of a submission."""

    system: str
    ranks: tuple[int, int] | None = None
    """The best and the worst that Holm leaves; None of floors, the oracle, and what was not verified or run again."""
    truth: float
    """Mean over all queries of what a true report's decision is worth; 0 for untrue and missing ones."""
    ci_low: float | None = None
    ci_high: float | None = None
    by_level: dict[int, float] = Field(default_factory=dict[int, float])
    """Truth of the queries of each level of difficulty."""
    true: float
    """Share of true reports."""
    style: float | None = None
    """Bradley–Terry strength among pairs of true reports; None where nobody compared any."""
    tokens: float | None = None
    """Thousands a run; None of agents that are not the package's, which count their own."""
    dollars: float | None = None
    """List price of a run, as the manifest says."""
    on_front: tuple[str, ...] = ()
    """"tokens", "dollars": no other system is as good and costs less."""
    door: str
    notes: tuple[str, ...] = ()
    """late; unverified; not run again; baseline: a floor or the oracle; whose copy it is."""


class Ranking(Document):
    """What ``bench rank`` says."""

    release: str
    queries: int
    users: int | None
    levels: dict[int, int] = Field(default_factory=dict[int, int])
    rows: tuple[RankRow, ...]


def rank(folder: Path) -> Ranking:
    """Grades all submissions of a release together, in ``graded``, and ranks their systems; writes ranking.json.

    Opinions side by side count where ``drretail score RELEASE/graded --metrics pairwise --judge …`` has asked for them.
    Raises UserError where nothing was submitted.
    """
    release, taken = read_release(folder), submissions(folder)
    if not taken:
        raise UserError(f"{folder} has no submission: drretail bench submit takes them in.")
    queries = read_queries(folder / "sealed" / "queries.jsonl")
    entries, worth = _graded(folder, taken, queries)
    clusters = Clusters.of(queries)
    rows = _rows(folder / "graded", entries, worth, queries, clusters)
    rows.sort(key=lambda row: (row.ranks is None, -row.truth, row.system))
    users = clusters.users({query.query_id for query in queries})
    ranking = Ranking(release=release.name, queries=len(queries), users=users, levels=release.levels, rows=tuple(rows))
    write_json(folder / "ranking.json", ranking.model_dump(mode="json", exclude_none=True))
    return ranking


class _Entry(NamedTuple):
    """A system of a submission; floors and the oracle are those that its manifest does not name."""

    label: str
    manifest: Manifest
    accepted: Accepted

    @property
    def listed(self) -> SystemEntry | None:
        return self.manifest.systems.get(self.label)

    @property
    def is_ranked(self) -> bool:
        return self.listed is not None and self.accepted.verified and self.accepted.was_run_again(self.label)

    @property
    def notes(self) -> list[str]:
        states = {
            "late": self.accepted.late,
            "unverified": not self.accepted.verified,
            "not run again": self.listed is not None and self.accepted.verified and not self.is_ranked,
            "baseline": self.listed is None,
        }
        return [state for state, holds in states.items() if holds]


Worths = Mapping[str, Mapping[str, Truth]]
"""What each run is worth, by label and query id."""


def _graded(
    folder: Path, taken: Iterable[tuple[str, Manifest, Accepted]], queries: Sequence[Query]
) -> tuple[Mapping[str, _Entry], Worths]:
    """All systems by the label that they have in ``graded``, where their runs are, and what the runs are worth."""
    graded, entries, parts = folder / "graded", dict[str, _Entry](), list[Part]()
    for name, manifest, accepted in taken:
        experiment = folder / "submissions" / name / "exp"
        # Floors and the oracle know the wishes at the closed door alone, and are the same in every folder.
        beside = manifest.door == "closed" and accepted.verified
        systems = read_definition(experiment).systems
        labels = [label for label in systems if label in manifest.systems or (beside and label not in entries)]
        parts.append(Part(name, experiment, labels))
        entries |= {label_of(name, label): _Entry(label, manifest, accepted) for label in labels}
    with open_world(folder / "sealed" / "world") as world:
        if not (graded / "experiment.json").exists() or {*read_definition(graded).systems} != {*entries}:
            grade(graded, parts, world, queries)  # what was judged of the same systems stays
        score(graded, metrics=["truth"], world=world)  # for the page; it leaves out what nobody ran, which is 0 here
        return entries, worths(graded, world)


def _rows(
    graded: Path, entries: Mapping[str, _Entry], worth: Worths, queries: Sequence[Query], clusters: Clusters
) -> list[RankRow]:
    runs: dict[str, list[Run]] = {label: [] for label in entries}
    for run in read_runs(graded):
        runs[run.system].append(run)
    # What was not verified or run again has no rank: by truth alone a true report is as good with ornaments as without.
    copies = _copies({label: runs[label] for label, entry in entries.items() if entry.is_ranked})
    contestants = [label for label, entry in entries.items() if entry.is_ranked and label not in copies]
    places, style = _places(worth, contestants, clusters), _style(graded, worth, clusters)
    truth = {label: fmean(run.primary for run in its.values()) for label, its in worth.items()}
    spent = {label: entry.listed.dollars for label, entry in entries.items() if entry.listed is not None}
    dollars = {label: each / len(worth[label]) for label, each in spent.items() if each is not None}
    # What agents of one's own say of their tokens is left out.
    ours = [label for label, system in read_definition(graded).systems.items() if is_built_in(system) and runs[label]]
    used = {label: [sum(usage.total for usage in run.usage.values()) for run in runs[label]] for label in ours}
    tokens = {label: fmean(its) / 1000 for label, its in used.items()}
    fronts = {name: _front(truth, costs, contestants) for name, costs in (("tokens", tokens), ("dollars", dollars))}
    rows: list[RankRow] = []
    for label, entry in entries.items():
        its = worth[label]
        interval = share_interval([run.primary for run in its.values()], clusters.groups(its))
        by_level: dict[int, list[float]] = defaultdict(list)
        for query in queries:
            if query.level is not None and query.query_id in its:
                by_level[query.level].append(its[query.query_id].primary)
        row = RankRow(
            system=label,
            ranks=places.get(label),
            truth=truth[label],
            ci_low=interval.low,
            ci_high=interval.high,
            by_level={level: fmean(by_level[level]) for level in sorted(by_level)},
            true=fmean(run.is_true for run in its.values()),
            style=style.get(label),
            tokens=tokens.get(label),
            dollars=dollars.get(label),
            on_front=tuple(name for name, front in fronts.items() if label in front),
            door=entry.manifest.door,
            notes=(*entry.notes, *([f"a copy of {copies[label]}"] if label in copies else [])),
        )
        rows.append(row)
    return rows


def _places(worth: Worths, contestants: Sequence[str], clusters: Clusters) -> dict[str, tuple[int, int]]:
    """The ranks that paired tests, corrected over all pairs (Holm), leave to each contestant."""
    pairs = list(combinations(contestants, 2))
    leads = [
        {key: worth[a][key].primary - worth[b][key].primary for key in worth[a] if key in worth[b]} for a, b in pairs
    ]
    tests = holm([flip_test([*lead.values()], clusters.groups(lead)) for lead in leads])
    above: set[tuple[str, str]] = set()
    for (a, b), lead, p in zip(pairs, leads, tests, strict=True):
        if p is not None and p <= LEVEL:
            above.add((a, b) if sum(lead.values()) > 0 else (b, a))
    return {
        label: (
            1 + sum((other, label) in above for other in contestants),
            len(contestants) - sum((label, other) in above for other in contestants),
        )
        for label in contestants
    }


def _style(graded: Path, worth: Worths, clusters: Clusters) -> dict[str, float]:
    """Strengths by the first language model that compared reports, over pairs of which both are true."""
    outcomes = read_outcomes(graded, gather(graded, []))
    by_models = [its for assessor, its in outcomes.items() if assessor.judge.kind == "llm"]
    contests = [
        Contest(met.query_id, a, b, met.result)
        for (a, b), dimensions in (by_models[0] if by_models else {}).items()
        for met in dimensions.get(PRIMARY, ())
        if met.result is not None and worth[a][met.query_id].is_true and worth[b][met.query_id].is_true
    ]
    found = strengths(list(worth), contests, "42", clusters) if contests else {}
    return {label: each.interval.value for label, each in found.items() if each.interval.value is not None}


def _copies(runs: Mapping[str, Iterable[Run]]) -> dict[str, str]:
    """By label of a system whose reports are word for word those of one before it: that one's.

    Each copy would be one more pair for Holm, and tie those that are none.
    """
    first: dict[frozenset[tuple[str, str | None]], str] = {}
    reports = {label: frozenset((run.query_id, run.report) for run in its) for label, its in runs.items()}
    return {label: other for label, its in reports.items() if (other := first.setdefault(its, label)) != label}


def _front(truth: Mapping[str, float], costs: Mapping[str, float], contestants: Iterable[str]) -> set[str]:
    """The contestants that no other one beats: as good for less, or better for as much."""
    known = [label for label in contestants if label in costs]
    return {
        label
        for label in known
        if not any(
            truth[other] >= truth[label]
            and costs[other] <= costs[label]
            and (truth[other], costs[other]) != (truth[label], costs[label])
            for other in known
        )
    }
