"""The ranking of a release: truth first, style among true reports beside it, and what each system cost."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from statistics import fmean

from pydantic import Field

from drretail.agents.names import is_built_in
from drretail.api.bench.release import read_release
from drretail.api.bench.submission import Submission, SystemEntry, grade, submissions, worths
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
from drretail.records.run import BASELINES, Run, System
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


@dataclass(frozen=True, slots=True)
class _System:
    """A system of a submission, with what its runs came to."""

    label: str
    """In ``graded``, where all systems' runs are."""
    listed: SystemEntry | None
    """What the manifest says of it; None of floors and the oracle, which it does not name."""
    system: System
    submission: Submission
    is_ranked: bool
    """False of what was not verified or run again, too: by truth alone a true report is as good with ornaments."""
    runs: list[Run] = field(default_factory=list[Run])
    worth: dict[str, Truth] = field(default_factory=dict[str, Truth])
    """What each run is worth, by query id."""

    @property
    def truth(self) -> float:
        return fmean(run.primary for run in self.worth.values())

    def tokens(self) -> float | None:
        """Thousands a run; what agents of one's own say of theirs is left out."""
        counted = [sum(usage.total for usage in run.usage.values()) for run in self.runs]
        return fmean(counted) / 1000 if counted and is_built_in(self.system) else None

    def dollars(self) -> float | None:
        spent = None if self.listed is None else self.listed.dollars
        return None if spent is None else spent / len(self.worth)

    def notes(self, copies: Mapping[str, str]) -> list[str]:
        accepted = self.submission.accepted
        states = {
            "late": accepted.late,
            "unverified": not accepted.verified,
            "not run again": self.listed is not None and accepted.verified and not self.is_ranked,
            "baseline": self.listed is None,
            f"a copy of {copies.get(self.label)}": self.label in copies,
        }
        return [state for state, holds in states.items() if holds]


def rank(folder: Path) -> Ranking:
    """Grades all submissions of a release together, in ``graded``, and ranks their systems; writes ranking.json.

    Opinions side by side count where ``drretail score RELEASE/graded --metrics pairwise --judge …`` has asked for them.
    Raises UserError where nothing was submitted.
    """
    release, taken = read_release(folder), submissions(folder)
    if not taken:
        raise UserError(f"{folder} has no submission: drretail bench submit takes them in.")
    queries = read_queries(folder / "sealed" / "queries.jsonl")
    clusters = Clusters.of(queries)
    systems = _graded(folder, taken, queries)
    copies = _copies(systems)
    ranked = [system for system in systems if system.is_ranked and system.label not in copies]
    places = _places(ranked, clusters)
    style = _style(folder / "graded", {system.label: system.worth for system in systems}, clusters)
    cheap = {"tokens": _front(ranked, _System.tokens), "dollars": _front(ranked, _System.dollars)}
    rows: list[RankRow] = []
    for system in systems:
        values = [run.primary for run in system.worth.values()]
        interval = share_interval(values, clusters.groups(system.worth))
        by_level: dict[int, list[float]] = defaultdict(list)
        for query in queries:
            if query.level is not None and query.query_id in system.worth:
                by_level[query.level].append(system.worth[query.query_id].primary)
        row = RankRow(
            system=system.label,
            ranks=places.get(system.label),
            truth=system.truth,
            ci_low=interval.low,
            ci_high=interval.high,
            by_level={level: fmean(by_level[level]) for level in sorted(by_level)},
            true=fmean(run.is_true for run in system.worth.values()),
            style=style.get(system.label),
            tokens=system.tokens(),
            dollars=system.dollars(),
            on_front=tuple(name for name, labels in cheap.items() if system.label in labels),
            door=system.submission.manifest.door,
            notes=tuple(system.notes(copies)),
        )
        rows.append(row)
    rows.sort(key=lambda row: (row.ranks is None, -row.truth, row.system))
    users = clusters.users({query.query_id for query in queries})
    ranking = Ranking(release=release.name, queries=len(queries), users=users, levels=release.levels, rows=tuple(rows))
    write_json(folder / "ranking.json", ranking.model_dump(mode="json", exclude_none=True))
    return ranking


def _graded(folder: Path, taken: Iterable[Submission], queries: Sequence[Query]) -> list[_System]:
    """All systems with their runs, which are copied into ``graded``, and what these are worth."""
    graded, found, sources = folder / "graded", dict[str, _System](), dict[str, tuple[Path, str]]()
    for each in taken:
        # Floors and the oracle know the wishes at the closed door alone, and are the same in every folder.
        beside = each.manifest.door == "closed" and each.accepted.verified
        for label, system in read_definition(each.experiment).systems.items():
            listed = each.manifest.systems.get(label)
            new = label if label in BASELINES else f"{each.folder.name}.{label}"
            if listed is not None or (beside and label not in found):
                is_ranked = listed is not None and each.accepted.verified and each.accepted.was_run_again(label)
                found[new], sources[new] = _System(new, listed, system, each, is_ranked), (each.experiment, label)
    with open_world(folder / "sealed" / "world") as world:
        if not (graded / "experiment.json").exists() or {*read_definition(graded).systems} != {*found}:
            grade(graded, sources, world, queries)  # what was judged of the same systems stays
        score(graded, metrics=["truth"], world=world)  # for the page; it leaves out what nobody ran, which is 0 here
        for label, worth in worths(graded, world).items():
            found[label].worth.update(worth)
    for run in read_runs(graded):
        found[run.system].runs.append(run)
    return list(found.values())


def _places(ranked: Sequence[_System], clusters: Clusters) -> dict[str, tuple[int, int]]:
    """The ranks that paired tests, corrected over all pairs (Holm), leave to each system."""
    pairs = list(combinations(ranked, 2))
    leads = [{key: a.worth[key].primary - b.worth[key].primary for key in a.worth if key in b.worth} for a, b in pairs]
    tests = holm([flip_test([*lead.values()], clusters.groups(lead)) for lead in leads])
    places = {system.label: (1, len(ranked)) for system in ranked}
    for (a, b), lead, p in zip(pairs, leads, tests, strict=True):
        if p is not None and p <= LEVEL:
            better, worse = (a.label, b.label) if sum(lead.values()) > 0 else (b.label, a.label)
            places[better] = places[better][0], places[better][1] - 1
            places[worse] = places[worse][0] + 1, places[worse][1]
    return places


def _style(graded: Path, worth: Mapping[str, Mapping[str, Truth]], clusters: Clusters) -> dict[str, float]:
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


def _copies(systems: Iterable[_System]) -> dict[str, str]:
    """By label of a system whose reports are word for word those of a ranked one before it: that one's.

    Each copy would be one more pair for Holm, and tie those that are none.
    """
    first: dict[frozenset[tuple[str, str | None]], str] = {}
    reports = {
        each.label: frozenset((run.query_id, run.report) for run in each.runs) for each in systems if each.is_ranked
    }
    return {label: other for label, its in reports.items() if (other := first.setdefault(its, label)) != label}


def _front(ranked: Iterable[_System], cost: Callable[[_System], float | None]) -> set[str]:
    """The labels of the systems that no other one beats: as good for less, or better for as much."""
    known = [(each.label, each.truth, spent) for each in ranked if (spent := cost(each)) is not None]
    return {
        label
        for label, truth, spent in known
        if not any(other >= truth and less <= spent and (other, less) != (truth, spent) for _, other, less in known)
    }
