"""The scoreboard of an experiment, from its scores, its runs' costs, and its comparisons. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean
from typing import Any

from drretail.eval.judging.dimensions import DIMENSIONS, PRIMARY
from drretail.eval.metric import Value
from drretail.eval.numbers.facts import MODELS_ALONE, NO_REPORT, NO_USAGE, missing_in_words, missing_of, need_floors
from drretail.eval.numbers.family import Family, board_rows, nothing_to_compare
from drretail.eval.numbers.gathering import CLAIMS, FP, Gathered, PlannedRun, means_by_query
from drretail.eval.numbers.judges import Assessor
from drretail.eval.numbers.wording import conclusion
from drretail.experiments.experiment import Definition
from drretail.llm.prices import unpriced
from drretail.llm.usage import cost_of, estimated_note, served_notes, usage_by_model
from drretail.records.base import OfJudge
from drretail.records.figures import counted, counted_each, percent
from drretail.records.run import Systems, in_order, place_of, shared_models
from drretail.records.score import (
    CODE,
    NOT_PROVED,
    BoardCell,
    BoardColumn,
    BoardRow,
    MetricDescription,
    Score,
    Scoreboard,
    ShownColumn,
    Unit,
    readers_of,
    reasons_of,
)
from drretail.records.vote import Vote
from drretail.stats.intervals import FEWEST, share_interval

Metrics = Mapping[str, MetricDescription]
_Key = tuple[str, str, str, Assessor]
"""System, metric, variant, judge."""
DONE = "done"
VERSION = 1
"""Of what runs took, as of a metric."""
TOOK: tuple[tuple[str, Unit, str], ...] = (
    (DONE, "share", "share of runs that ended with a report"),
    ("words", "words", "words per report as shown, with its list of sources"),
    ("tokens", "tokens", "tokens per run, read and written"),
    ("$", "dollars", "dollars per run"),
)
_, WORDS, TOKENS, DOLLARS = (name for name, _, _ in TOOK)
VOTES = "votes"
"""The metric of what people preferred."""
TIE = 0.5
"""What a tie counts for each of two reports."""
TOOK_OF_ANSWERS = {
    DONE: "share of questions with an answer",
    WORDS: "words per answer",
    TOKENS: "tokens per answer, read and written",
    DOLLARS: "dollars per answer",
}


@dataclass(frozen=True, slots=True)
class _Shown:
    """The scores of one experiment by place."""

    rows: Mapping[_Key, Score]
    columns: Sequence[tuple[str, BoardColumn, str]]
    """The metric, the column, and the column's name."""
    labels: Sequence[str]
    definition: Definition

    @property
    def systems(self) -> list[str]:
        """The labels of the systems that research."""
        return [label for label in self.labels if place_of(label, self.definition.systems) == "system"]

    def of(self, system: str, metric: str, variant: str, assessors: Sequence[Assessor]) -> Score | None:
        """The row by the first of these judges who has one, with or without a value."""
        rows = (self.rows.get((system, metric, variant, assessor)) for assessor in assessors)
        return next((row for row in rows if row is not None), None)


def scoreboard(
    gathered: Gathered,
    scores: Sequence[Score],
    metrics: Metrics,
    family: Family,
    floors: Family,
    votes: Sequence[Vote] = (),
) -> Scoreboard | None:
    """One row for each system with a score; None without any.

    ``scores`` are those of the judges who were asked last. The columns of judged metrics are by the first of them
    (``Board.first``). ``family`` are the tests of all systems against one, so that ``compare`` agrees, and ``floors``
    those against the best null agent, and ``votes`` what people preferred.
    """
    if not scores:
        return None
    present = {(row.metric, row.variant) for row in scores}
    described = ((name, column) for name, description in metrics.items() for column in description.scoreboard)
    columns = [(name, column) for name, column in described if (name, column.variant) in present]
    # Decisions first, of these what counts every planned run.
    columns.sort(key=lambda pair: (not pair[1].decides, pair[1].variant not in metrics[pair[0]].success))
    # If two metrics share a column's name, or a cost has it, the metric's name is put before it; an own metric that is
    # itself called so is "own FP", not "FP FP".
    wishes = [metrics[name].name_of(name, column.variant) for name, column in columns]
    taken = [*wishes, *(name for name, _, _ in TOOK)]
    shown = _Shown(
        {(row.system, row.metric, row.variant, Assessor.of(row)): row for row in scores},
        [
            (name, column, wish if taken.count(wish) == 1 else f"{'own' if name == wish else name} {wish}")
            for (name, column), wish in zip(columns, wishes, strict=True)
        ],
        in_order((row.system for row in scores), gathered.definition.systems),
        gathered.definition,
    )
    judges = list(dict.fromkeys(assessor for *_, assessor in shown.rows))
    by_code = [assessor for assessor in judges if assessor.judge.spec == CODE]
    first = gathered.board.first(judges)
    assessors = [] if first is None else [first]
    rows = [
        BoardRow(
            system=label,
            cells={**_cells(shown, gathered, label, [*assessors, *by_code]), **_took(gathered, label)},
            failed=_failed(shown, label, assessors),
        )
        for label in shown.labels
    ]
    columns_shown = _columns(shown, metrics, rows, are_answers=gathered.are_answers)
    columns_voted, cells_voted = _voted(votes, gathered)
    names_kept = {column.name for column in columns_shown}
    signs = {
        column.name: -1 if metrics[column.metric].higher_is_better else 1
        for column in columns_shown
        if column.metric and (metrics[column.metric].higher_is_better or gathered.are_answers)
    }
    ranked = [row.only(names_kept) for row in _ranked(rows, signs, gathered.definition.systems)]
    ranked = [row.model_copy(update={"cells": {**row.cells, **cells_voted[row.system]}}) for row in ranked]
    shared = shared_models(shown.labels, gathered.definition.systems)
    short = {label: label.replace(shared, "", 1) if shared else label for label in shown.labels}
    names = {(metric, column.variant): name for metric, column, name in shown.columns}
    compared = tuple(board_rows(gathered, [*assessors, *by_code], names, family))
    needs = tuple(need_floors(gathered.definition.queries)) if RIGHT in names else ()
    above = tuple(row.model_copy(update={"name": names[row.metric, row.variant]}) for row in floors.values())
    return Scoreboard(
        judge=OfJudge(judge="", judge_kind="llm") if first is None else OfJudge(**first.columns),
        columns=(*columns_shown, *columns_voted),
        rows=tuple(ranked),
        systems=gathered.definition.systems,
        not_read=tuple(gathered.not_read(judges, shown.labels)),
        sentence=" ".join(
            filter(
                None,
                [
                    conclusion(compared, above, short) or nothing_to_compare(gathered),
                    *_preferred(cells_voted, short),
                    *_failures(shown, rows, short),
                    *_open([plan for plan in gathered.plans if plan.label in shown.systems]),
                    *([] if gathered.are_answers else _unjudged(shown, assessors)),
                ],
            )
        ),
        absent={} if gathered.are_answers else dict(_absent(shown, metrics)),
        compared=compared,
        floors=above,
        needs=needs,
        notes=(
            *([NOT_PROVED] if RIGHT in names and not needs else []),
            *_notes(shown, [*assessors, *by_code], gathered, metrics),
        ),
        are_answers=gathered.are_answers,
    )


RIGHT = ("basket", "right")


def _failures(shown: _Shown, rows: Sequence[BoardRow], names: Mapping[str, str]) -> Iterator[str]:
    """A sentence on the runs of each system that ended without a report; none if all failed, which is said already."""
    cells = {row.system: row.cells[DONE] for row in rows if row.system in shown.systems and DONE in row.cells}
    if any(cell.count for cell in cells.values()):
        for label, cell in cells.items():
            if failed := cell.n_scored - round(cell.count or 0):
                yield f"{failed:,} of {counted(cell.n_scored, 'run')} of {names[label]} failed."


def _open(plans: Sequence[PlannedRun]) -> Iterator[str]:
    """Sentences on how many runs are not made yet, and how many may be repeated since nobody answered."""
    pending = sum(plan.status == "pending" for plan in plans)
    spoiled = sum(plan.status == "spoiled" or bool(plan.lacks) for plan in plans)
    by = "by a server or a provider: `drretail run … --retry spoiled` repeats them"
    damaged = [plan.run_id for plan in plans if plan.status == "damaged"]
    unread = f"not readable, since their file is damaged (first: {', '.join(damaged[:1])})"
    for count, what in ((pending, "not made yet"), (spoiled, f"spoiled {by}"), (len(damaged), unread)):
        if count:
            yield f"{count:,} of {counted(len(plans), 'run')} {'is' if count == 1 else 'are'} {what}."


def _unjudged(shown: _Shown, assessors: Sequence[Assessor]) -> Iterator[str]:
    """A sentence if reports cite sources and no claim of any was judged."""
    of_claims = (shown.of(label, CLAIMS, FP, assessors) for label in shown.systems)
    rows = [row for row in of_claims if row is not None]
    cited = int(sum(row.items.get("claims", 0) for row in rows))
    if cited and not any(row.items.get("scored") for row in rows):
        yield f"None of {counted(cited, 'cited claim')} is judged yet: nothing is known of faithfulness."


def _ranked(rows: Sequence[BoardRow], columns: Mapping[str, int], definitions: Systems) -> list[BoardRow]:
    """Systems that research by the first of these columns in which they differ, the highest first where its sign is -1;
    then all others.
    """

    def key(row: BoardRow) -> list[float]:
        # As shown: a difference that nobody sees decides nothing. No value is less than any.
        return [sign * round(row.cells[name].value, 2) if name in row.cells else inf for name, sign in columns.items()]

    systems = [row for row in rows if place_of(row.system, definitions) == "system"]
    return [*sorted(systems, key=key), *(row for row in rows if row not in systems)]


def _cells(shown: _Shown, gathered: Gathered, system: str, assessors: Sequence[Assessor]) -> dict[str, BoardCell]:
    cells: dict[str, BoardCell] = {}
    for metric, column, name in shown.columns:
        row = shown.of(system, metric, column.variant, assessors)
        if row is None or row.value is None:
            continue
        judged = gathered.judged_runs(metric, Assessor.of(row)) if column.is_counted else ()
        runs = [its.values for plan, its in judged if plan.label == system]
        cells[name] = BoardCell.model_validate({**dict(row), **_counts(runs, column)})
    return cells


def _counts(runs: Iterable[Mapping[str, Value]], column: BoardColumn) -> dict[str, Any]:
    """The runs with the value 1, of all and of each part of a counted column."""
    values: dict[bool, list[float]] = {False: [], True: []}
    for its in runs:
        value = its.get(column.variant)
        if value is not None and value.value is not None:
            other = its.get(column.apart_by)
            values[other is not None and other.state == "na"].append(value.value)
    if not column.is_counted:
        return {}
    parts = {heading: (sum(its), len(its)) for heading, its in zip(column.apart, values.values(), strict=False) if its}
    return {"count": sum(map(sum, values.values())), "parts": parts if len(parts) > 1 else {}}


def _failed(shown: _Shown, system: str, assessors: Sequence[Assessor]) -> dict[str, int]:
    """The columns in which the judge failed, with the number of reports, without those that were never asked about."""
    rows = {name: shown.of(system, metric, column.variant, assessors) for metric, column, name in shown.columns}
    counts = {
        name: missing_of(row).get("failed", 0) for name, row in rows.items() if row is not None and row.note is None
    }
    return {name: count for name, count in counts.items() if count > 0}


def _took(gathered: Gathered, label: str) -> dict[str, BoardCell]:
    """The share of runs that are done, and what reports took, a query's repeats averaged first; no cost without a known
    price.
    """
    planned = [plan for plan in gathered.plans if plan.label == label]
    done = [plan for plan in planned if plan.has_report]
    models = gathered.definition.systems[label].models
    used = [plan for plan in done if plan.usage]
    costs = {plan.run_id: cost_of(plan.usage, models).dollars for plan in used}
    values: dict[str, list[tuple[str, float | None]]] = {
        DONE: [(plan.query.query_id, float(plan.has_report)) for plan in planned if plan.has_ended],
        WORDS: [(plan.query.query_id, plan.words_read) for plan in done],
        TOKENS: [(plan.query.query_id, sum(its.total for its in plan.usage.values())) for plan in used],
        DOLLARS: [(plan.query.query_id, costs[plan.run_id]) for plan in used if None not in costs.values()],
    }
    lacking = {NO_REPORT: len(planned) - len(done)}
    missing = {WORDS: lacking, TOKENS: {**lacking, NO_USAGE: len(done) - len(used)}}
    missing[DOLLARS] = missing[TOKENS]
    return {
        name: BoardCell(
            metric="",
            version=VERSION,
            variant=name,
            system=label,
            judge=CODE,
            judge_kind="rule_based",
            value=fmean(means_by_query(its).values()),
            n_planned=len(planned),
            n_scored=len(its),
            n_failed=sum(missing.get(name, {}).values()),
            count=sum(value or 0.0 for _, value in its) if name == DONE else None,
            items={why: float(count) for why, count in missing.get(name, {}).items() if count},
        )
        for name, its in values.items()
        if its
    }


def _columns(shown: _Shown, metrics: Metrics, rows: Sequence[BoardRow], *, are_answers: bool) -> list[ShownColumn]:
    """The columns with a value in some row; dollars only if anything cost money."""
    columns = [
        ShownColumn.model_validate(
            {
                **dict(column),
                "name": name,
                "metric": metric,
                "unit": column.unit or ("count" if column.variant in metrics[metric].counts else metrics[metric].scale),
                "table": column.table or ("" if column.decides else metrics[metric].title),
            }
        )
        for metric, column, name in shown.columns
    ]
    meanings = TOOK_OF_ANSWERS if are_answers else {}
    columns += [
        ShownColumn(
            name=name,
            is_brief=name in (DONE, TOKENS),
            unit=unit,
            meaning=meanings.get(name, meaning),
            is_counted=name == DONE,
            decides=True,
        )
        for name, unit, meaning in TOOK
    ]
    valued = {name for row in rows for name, cell in row.cells.items() if name != DOLLARS or cell.value}
    valued |= {name for row in rows for name in row.failed}
    return [column for column in columns if column.name in valued]


def _voted(
    votes: Sequence[Vote], gathered: Gathered
) -> tuple[list[ShownColumn], defaultdict[str, dict[str, BoardCell]]]:
    """A column for each dimension that people voted on, and cells by system: the share of the votes on its reports that
    preferred it, a tie as half, each query's votes averaged first.
    """
    people = counted(len({vote.annotator for vote in votes}), "person", "people")
    columns: list[ShownColumn] = []
    cells = defaultdict[str, dict[str, BoardCell]](dict)
    for dimension in (PRIMARY, *(other for other in DIMENSIONS if other != PRIMARY)):
        shares: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        for vote in votes:
            if vote.dimension == dimension:
                for label, side in ((vote.a, "a"), (vote.b, "b")):
                    share = TIE if vote.choice == "tie" else float(vote.choice == side)
                    shares[label].append((vote.query_id, share))
        name = f"votes {dimension}"
        for label, its in shares.items():
            by_query = means_by_query(its)
            interval = share_interval([*by_query.values()], gathered.clusters.groups(by_query))
            cells[label][name] = BoardCell(
                metric=VOTES,
                version=VERSION,
                variant=dimension,
                system=label,
                judge=CODE,
                judge_kind="rule_based",
                value=interval.value or 0.0,
                ci_low=interval.low,
                ci_high=interval.high,
                n_planned=len(its),
                n_scored=len(its),
            )
        if shares:
            columns.append(
                ShownColumn(
                    name=name,
                    metric=VOTES,
                    variant=dimension,
                    table=f"Preferred by {people}",
                    is_brief=dimension == PRIMARY,
                    meaning=f"share of people's votes on {dimension.replace('_', ' ')} that prefer it, a tie as half",
                )
            )
    return columns, cells


def _preferred(cells: Mapping[str, Mapping[str, BoardCell]], names: Mapping[str, str]) -> Iterator[str]:
    """Of two systems, which people preferred overall, as the column has it, and whether that is more than chance."""
    rows = {label: its[f"votes {PRIMARY}"] for label, its in cells.items() if f"votes {PRIMARY}" in its}
    if len(rows) != 2 or not rows.keys() <= names.keys():
        return
    first, second = sorted(rows, key=lambda label: -rows[label].value)
    won, lost = (percent(rows[label].value) for label in (first, second))
    is_shown = (rows[first].ci_low or 0.0) > TIE
    yield f"People preferred {names[first]} {won} : {lost}, {'more than' if is_shown else 'no more than'} chance."


def _absent(shown: _Shown, metrics: Metrics) -> Iterator[tuple[str, str]]:
    """The title of each table of which every column was left to a judge that follows rules, and why it is absent."""
    by_table: defaultdict[str, list[Score]] = defaultdict(list)
    for metric, column, _ in shown.columns:
        rows = [row for key, row in shown.rows.items() if key[1:3] == (metric, column.variant)]
        by_table[column.table or metrics[metric].title] += rows
    for title, rows in by_table.items():
        if rows and all(row.note is not None for row in rows):
            yield title, f"{rows[0].note}. {MODELS_ALONE}"


def _notes(shown: _Shown, assessors: Sequence[Assessor], gathered: Gathered, metrics: Metrics) -> Iterator[str]:
    """What a reader must know beside the numbers: picks read in different ways, missing prices."""
    yield from _cautions(shown, assessors)
    if not gathered.clusters.user_of:
        yield "No query has a known user. Intervals and tests treat each query as a user."
    for assessor in gathered.assessors():
        for described in metrics.values():
            yield from described.known_of(assessor.judge, assessor.rules)
        if (audit := gathered.audits.get(assessor)) is not None:
            yield audit.line
            continue
        judged = (by_run for key, by_run in gathered.tables_of_judges.items() if key.assessor == assessor)
        if repairs := sum(run.repairs for by_run in judged for run in by_run.values()):
            yield f"{assessor.judge.spec}: {counted(repairs, 'repair')} of answers that did not fit the form asked for."
    yield from _unfinished(gathered, shown.systems)
    unknown = {
        spec
        for plan in gathered.plans
        if plan.usage
        for spec in cost_of(plan.usage, gathered.definition.systems[plan.label].models).unpriced
    }
    if unknown:
        yield unpriced(unknown)
    yield from estimated_note(used for plan in gathered.plans for used in plan.usage.values())
    systems = gathered.definition.systems
    yield from served_notes(
        pair for plan in gathered.plans for pair in usage_by_model(plan.usage, systems[plan.label].models)
    )


def _cautions(shown: _Shown, assessors: Sequence[Assessor]) -> Iterator[str]:
    """Columns in which systems that research had their picks read in different ways, or lack an interval or a value."""
    blank: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    unlike: list[str] = []
    few: list[str] = []
    alike: list[str] = []
    for metric, column, name in shown.columns:
        of_column = (shown.of(label, metric, column.variant, assessors) for label in shown.systems)
        rows = [row for row in of_column if row is not None]
        lacking = {row.no_interval for row in rows}
        unlike += [name] if len({frozenset(readers_of(row.items)) for row in rows}) > 1 else []
        few += [name] if "few" in lacking else []
        alike += [name] if "alike" in lacking else []
        for row in rows if any(row.value is not None for row in rows) else ():
            if row.value is None and row.note is None and row.n_na + row.n_unverifiable:
                cited = int(row.items.get("unrated", 0))
                why = [f"none of {counted(cited, 'cited claim')} could be decided"] if cited else missing_in_words(row)
                why = [*reasons_of(row.items)] or why
                blank[row.system, ", ".join(why)].append(name)
    for (label, why), names in blank.items():
        yield f"{', '.join(names)}: – for {label}, since no report has a value: {why}."
    if unlike:
        yield (
            f"The systems' picks were read in different ways (see --details). Differences in {', '.join(unlike)} may "
            "come from that."
        )
    if few:
        yield f"{', '.join(few)}: no interval, since a part of it comes from fewer than {FEWEST} users."
    if alike:
        yield f"{', '.join(alike)}: no interval for a system with equal values on all queries."


def _unfinished(gathered: Gathered, systems: Sequence[str]) -> Iterator[str]:
    """How many runs of each system failed, were lost to a server, or are not made yet."""
    for label in systems:
        plans = [plan for plan in gathered.plans if plan.label == label]
        lost = sum(plan.status == "spoiled" for plan in plans)
        unreadable = [plan.run_id.rpartition("/")[2] for plan in plans if plan.status == "damaged"]
        counts = {
            "failed": sum(plan.status == "failed" for plan in plans),
            "lost because a server did not answer (`drretail run … --retry spoiled` repeats them)": lost,
            f"lost because their file is damaged ({', '.join(unreadable)})": len(unreadable),
            "not made yet": sum(plan.status == "pending" for plan in plans),
        }
        parts = [f"{count:,} {what}" for what, count in counts.items() if count]
        if parts:
            yield f"{label}: of {len(plans):,} runs {'; '.join(parts)}."
        if incomplete := sum(bool(plan.lacks) for plan in plans):
            without = counted_each(sum((plan.lacks for plan in plans), Counter[str]()))
            yield (
                f"{label}: {counted(incomplete, 'run')} finished without {without}, for which a server or provider "
                "gave no answer. `drretail run … --retry spoiled` makes them again."
            )
    definition = gathered.definition
    has_gold = any(query.has_gold for query in definition.queries)
    if not has_gold and not all(system.is_imported for system in definition.systems.values()):
        is_pending = any(plan.status == "pending" for plan in gathered.plans)
        when = "`drretail run` adds that of its questions when all runs have ended, " if is_pending else ""
        yield (
            f"Without gold nobody knows what is right to buy: {when}`drretail score EXP --queries FILE.jsonl` adds "
            "what FILE.gold.jsonl says."
        )
