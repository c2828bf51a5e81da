"""Which pairs, reports and claims everybody is asked about: drawn by seed and balanced; claims also as a sheet."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from drretail.addons.people.items import Sheets
from drretail.addons.people.judged_claims import draw_claims, item_of, judged_claims, sheet_name
from drretail.eval.ballots import planning, read_plan, write_plan
from drretail.eval.judging.subject import choose_pairs, meetings, pair_id, research_labels
from drretail.experiments.experiment import Definition, read_definition, read_runs
from drretail.records.base import sha256_of
from drretail.records.run import Run
from drretail.records.vote import ClaimItem, PairItem, ReportItem, VotingPlan
from drretail.viewer.drawing.table import as_csv

DEFAULT_SIZE = 21
"""The number of comparisons that the paper's annotators made (Appendix D)."""
T = TypeVar("T", PairItem, ReportItem)


def planned(
    experiment: Path, size: int | None = None, *, claims: int | None = None, seed: str | None = None
) -> VotingPlan:
    """What everybody is asked: the kept plan, grown to ``size`` items of each kind if there are so many.

    Planned items never change, so that everybody is asked the same in the same order. If the plan is longer than
    ``size``, only its first items are returned. Without a size, each kind keeps its length, at least ``DEFAULT_SIZE``
    and the number of pairs. With ``claims``, the plan has so many of them, and only the pairs and reports already
    planned. ``seed`` draws new items.
    """
    definition = read_definition(experiment)
    with planning(experiment):
        existing = read_plan(experiment)
        before = existing or VotingPlan(seed=definition.seed)
        lengths, begun = _lengths(before), max(DEFAULT_SIZE, len(before.pairs))
        if claims is None:
            wanted = {kind: size or max(begun, count) for kind, count in lengths.items()}
        else:
            wanted = lengths | {"claims": claims}
        plan = before
        if any(count < wanted[kind] for kind, count in lengths.items()):
            plan = _grown(experiment, definition, before, wanted, seed or before.seed)
        if plan != existing and any(_lengths(plan).values()):
            write_plan(experiment, plan)
    return plan.model_copy(update={kind: getattr(plan, kind)[:count] for kind, count in wanted.items()})


def _lengths(plan: VotingPlan) -> dict[str, int]:
    return {"pairs": len(plan.pairs), "reports": len(plan.reports), "claims": len(plan.claims)}


def _grown(experiment: Path, definition: Definition, plan: VotingPlan, sizes: dict[str, int], seed: str) -> VotingPlan:
    runs = {run.run_id: run for run in read_runs(experiment) if run.report is not None}
    pairs, systems = _pairs(experiment, definition, runs), frozenset(research_labels(definition))
    # The cited claims with a judge's verdict, as the first judge of each report extracted them.
    claims: list[ClaimItem] = []
    first: dict[str, str] = {}
    for claim in judged_claims(experiment) if len(plan.claims) < sizes["claims"] else ():
        by = first.setdefault(claim.run_id, claim.extracted_by)
        if claim.has_verdict and claim.extracted_by == by and claim.system in systems:
            claims.append(item_of(claim))
    about = ("run_id", "query_id", "system", "repeat")
    reports = [
        ReportItem(report_sha=sha256_of(run.report), **{name: getattr(run, name) for name in about})
        for run in runs.values()
        if run.system in systems
    ]
    return plan.model_copy(
        update={
            "pairs": _drawn(seed, plan.pairs, pairs, sizes["pairs"], lambda item: ((item.a, item.b), item.query_id)),
            "reports": _drawn(seed, plan.reports, reports, sizes["reports"], lambda item: (item.system, item.query_id)),
            "claims": tuple(draw_claims(plan.claims, claims, sizes["claims"], seed)),
            "strata": dict(sorted(Counter(claim.stratum for claim in claims).items())) if claims else plan.strata,
        }
    )


def _drawn(
    seed: str, planned_items: tuple[T, ...], candidates: Iterable[T], size: int, sorts: Callable[[T], Sequence[object]]
) -> tuple[T, ...]:
    """The kept items and, up to ``size``, new ones: the rarest first sort, then the rarest second sort, then by lot.

    ``sorts`` names the sorts by which an item is counted.
    """
    item_ids = {item.about for item in planned_items}
    left = {sha256_of([seed, item.about]): item for item in candidates if item.about not in item_ids}
    counted = Counter(sort for item in planned_items for sort in enumerate(sorts(item)))
    drawn = list(planned_items)
    while left and len(drawn) < size:
        lot = min(left, key=lambda lot: (*(counted[sort] for sort in enumerate(sorts(left[lot]))), lot))
        drawn.append(left.pop(lot))
        counted.update(enumerate(sorts(drawn[-1])))
    return tuple(drawn)


def _pairs(experiment: Path, definition: Definition, runs: dict[str, Run]) -> Iterator[PairItem]:
    """Pairs of reports of two systems that research; equal reports are left out, since they would ask nothing."""
    for meeting in meetings(experiment, definition, choose_pairs(definition)):
        reports = [runs[run_id].report or "" for run_id in meeting.run_ids if run_id in runs]
        if len(reports) == 2 and reports[0].split() != reports[1].split():
            a, b = meeting.labels
            pair_key = pair_id(meeting.run_ids, reports)
            yield PairItem(pair_id=pair_key, query_id=meeting.query.query_id, repeat=meeting.repeat, a=a, b=b)


COLUMNS = ("item", "question", "claim", "sources", "label")


def sheet_of(experiment: Path, claims: Sequence[ClaimItem]) -> bytes:
    """A CSV file with a row for each claim."""
    sheets = Sheets(experiment, read_definition(experiment))
    rows: list[Sequence[str]] = [COLUMNS]
    for item in claims:
        sheet = sheets.of_claim(item)
        texts = "\n\n".join(f"{source.title}\n{source.about}\n{source.text}" for source in sheet.sources)
        rows.append([sheet_name(item.about), sheet.query, sheet.claim, texts, ""])
    return as_csv(rows)
