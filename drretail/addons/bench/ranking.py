"""Ranks the systems of a release by truth, with style among true reports and cost beside it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean

from pydantic import Field

from drretail.addons.bench.release import check_version, read_release
from drretail.addons.bench.submission import NOT_AGAIN, Entry, entries, grade
from drretail.agents.names import is_built_in
from drretail.api.score import score
from drretail.env.world import open_world
from drretail.errors import UserError
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.metrics.truth import Truth
from drretail.eval.scores.gathering import gather
from drretail.eval.scores.pair_rows import read_outcomes
from drretail.experiment import read_runs, run_folder
from drretail.files import write_json
from drretail.querygen.reading import read_queries
from drretail.records.base import Document, Record
from drretail.records.query import Query
from drretail.records.run import Run
from drretail.stats.intervals import Clusters, share_interval
from drretail.stats.ranking import Contest, strengths
from drretail.stats.significance import LEVEL, flip_test, holm


class RankRow(Record):
    """One system of a submission."""

    system: str
    ranks: tuple[int, int] | None = None
    """The best and the worst rank that Holm-corrected paired tests allow. None for floors, the oracle, copies, and
    systems that were not verified or not run again, or of which a run cannot be read.
    """
    truth: float
    """Mean over all queries of a report's worth: that of its decision if the report is true, otherwise 0."""
    ci_low: float | None = None
    ci_high: float | None = None
    true: float
    """Share of true reports."""
    style: float | None = None
    """Bradley–Terry strength over comparisons of two true reports; None if there are none."""
    tokens: float | None = None
    """Thousands of tokens per run. None for agents that are not built in, since those count their own."""
    dollars: float | None = None
    """List price per run, from the manifest."""
    on_front: tuple[str, ...] = ()
    """The costs, "tokens" or "dollars", on whose Pareto front the system lies."""
    door: str
    notes: tuple[str, ...] = ()
    """Any of: late; unverified; not run again; not checked: WHY; baseline (a floor or the oracle); a copy of LABEL;
    N of its runs cannot be read; lead unconfirmed.
    """
    forged: dict[float, float] = Field(default_factory=dict[float, float])
    """By gain in truth, the odds that runs forged to gain as much would have been ranked."""


class Ranking(Document):
    """The result of ``bench rank``."""

    release: str
    queries: int
    rows: tuple[RankRow, ...]


def rank(folder: Path) -> Ranking:
    """Grades all submissions together in ``graded``; writes ranking.json. Raises UserError without a submission."""
    release, systems, graded = read_release(folder), entries(folder), folder / "graded"
    check_version(release)
    if not systems:
        raise UserError(f"{folder} has no submission: drretail bench submit takes them in.")
    queries = read_queries(folder / "sealed" / "queries.jsonl")
    with open_world(folder / "sealed" / "world") as world:
        sources = {label: (entry.experiment, entry.label) for label, entry in systems.items()}
        worth = grade(graded, sources, world, queries)
        score(graded, metrics=["truth"], world=world)  # for the page, which leaves out missing runs; they are 0 here
    all_runs, clusters = list(read_runs(graded)), Clusters.of(queries)
    runs = {label: [run for run in all_runs if run.system == label] for label in systems}
    faults = _faults(systems, runs, queries)
    # Only verified and rerun systems are ranked: by truth alone an embellished true report is as good as a plain one.
    ranked = {label: worth[label] for label in systems if not faults[label]}
    ranks, style = _ranks(ranked, clusters), _style(graded, worth, clusters)
    rows: list[RankRow] = []
    for label, entry in systems.items():
        listed = entry.manifest.systems.get(entry.label)
        primary = {query_id: truth.primary for query_id, truth in worth[label].items()}
        interval = share_interval([*primary.values()], clusters.groups(primary))
        tokens = [sum(usage.total for usage in run.usage.values()) for run in runs[label] if is_built_in(entry.system)]
        row = RankRow(
            system=label,
            ranks=ranks.get(label),
            truth=fmean(primary.values()),
            ci_low=interval.low,
            ci_high=interval.high,
            true=fmean(truth.is_true for truth in worth[label].values()),
            style=style.get(label),
            tokens=fmean(tokens) / 1000 if tokens else None,
            dollars=None if listed is None or listed.dollars is None else listed.dollars / len(primary),
            door=entry.manifest.door,
            notes=tuple(filter(None, ("late" if entry.accepted.late else "", faults[label]))),
            forged={} if faults[label] else entry.accepted.again[entry.label].odds,
        )
        rows.append(row)
    fronts = {cost: _front(rows, cost) for cost in ("tokens", "dollars")}
    rows = [
        row.model_copy(update={"on_front": tuple(cost for cost, front in fronts.items() if row.system in front)})
        for row in sorted(rows, key=lambda row: (row.ranks is None, -row.truth, row.system))
    ]
    ranking = Ranking(release=release.name, queries=len(queries), rows=tuple(_with_unconfirmed(rows, systems)))
    write_json(folder / "ranking.json", ranking.model_dump(mode="json", exclude_none=True))
    return ranking


def _with_unconfirmed(rows: Sequence[RankRow], systems: Mapping[str, Entry]) -> Iterator[RankRow]:
    """The rows, with a note on each system whose lead over the next one is smaller than what its reruns can show."""
    for row in rows:
        entry = systems[row.system]
        below = max((other.truth for other in rows if other.ranks and other.truth < row.truth), default=0.0)
        leads = row.ranks is not None and row.truth > below
        is_sure = not leads or entry.accepted.again[entry.label].confirms(row.truth - below)
        yield row if is_sure else row.model_copy(update={"notes": (*row.notes, "lead unconfirmed")})


def _faults(
    systems: Mapping[str, Entry], runs: Mapping[str, Sequence[Run]], queries: Sequence[Query]
) -> dict[str, str]:
    """Why each system has no rank, by label; empty for a ranked one. Copies have none: each would add a Holm pair."""
    first: dict[frozenset[tuple[str, str | None]], str] = {}
    faults: dict[str, str] = {}
    for label, entry in systems.items():
        faults[label] = ""
        if not entry.accepted.verified:
            faults[label] = "unverified"
        elif entry.label not in entry.manifest.systems:
            faults[label] = "baseline"
        elif entry.label not in entry.accepted.again or entry.accepted.again[entry.label].fault:
            faults[label] = NOT_AGAIN
        elif reason := entry.accepted.unchecked.get(entry.label):
            faults[label] = f"not checked: {reason}"
        elif (other := first.setdefault(frozenset((run.query_id, run.report) for run in runs[label]), label)) != label:
            faults[label] = f"a copy of {other}"
        sources = [run_folder(entry.experiment, entry.label, query.query_id, 1) / "run.json" for query in queries]
        if lost := sum(map(Path.exists, sources)) - len(runs[label]):
            faults[label] = f"{faults[label]}, {lost} of its runs cannot be read".removeprefix(", ")
    return faults


def _ranks(worth: Mapping[str, Mapping[str, Truth]], clusters: Clusters) -> dict[str, tuple[int, int]]:
    """Each system's best and worst rank after paired tests of all pairs, corrected by Holm."""
    pairs = list(combinations(worth, 2))
    leads = [{key: worth[a][key].primary - worth[b][key].primary for key in worth[a]} for a, b in pairs]
    tests = holm([flip_test([*lead.values()], clusters.groups(lead)) for lead in leads])
    ranks: dict[str, tuple[int, int]] = dict.fromkeys(worth, (1, len(worth)))
    for (a, b), lead, p in zip(pairs, leads, tests, strict=True):
        if p is not None and p <= LEVEL:
            better, worse = (a, b) if sum(lead.values()) > 0 else (b, a)
            ranks[better] = ranks[better][0], ranks[better][1] - 1
            ranks[worse] = ranks[worse][0] + 1, ranks[worse][1]
    return ranks


def _style(graded: Path, worth: Mapping[str, Mapping[str, Truth]], clusters: Clusters) -> dict[str, float]:
    """Strengths over pairs of two true reports, by the first language model that compared reports in ``graded``."""
    outcomes = read_outcomes(graded, gather(graded, []))
    by_model = next((its for assessor, its in outcomes.items() if assessor.judge.kind == "llm"), {})
    contests = [
        Contest(met.query_id, a, b, met.result)
        for (a, b), dimensions in by_model.items()
        for met in dimensions.get(PRIMARY, ())
        if met.result is not None and worth[a][met.query_id].is_true and worth[b][met.query_id].is_true
    ]
    strength_of = strengths(list(worth), contests, "42", clusters)
    return {label: each.interval.value for label, each in strength_of.items() if each.interval.value is not None}


def _front(rows: Iterable[RankRow], cost: str) -> set[str]:
    """The ranked systems on the Pareto front: no other one is as good for less, or better for as much."""
    costs = {row.system: (row.truth, getattr(row, cost)) for row in rows if row.ranks}
    known = {system: (truth, spent) for system, (truth, spent) in costs.items() if spent is not None}
    return {
        system
        for system, (truth, spent) in known.items()
        if not any(other >= truth and less <= spent for other, less in {*known.values()} - {(truth, spent)})
    }
