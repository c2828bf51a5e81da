"""What became of runs, who judged what and how each judge of claims read, and what runs and judging took."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import TYPE_CHECKING

from drretail.agents.running.outcomes import Ended, Tally
from drretail.eval.names import PAIRWISE
from drretail.llm.estimates import Estimate
from drretail.llm.prices import price_version, unpriced
from drretail.llm.usage import estimated_note, served_notes
from drretail.records import figures
from drretail.records.figures import counted, counted_each
from drretail.records.reading import AUDITED, MEANING, JudgeAudit
from drretail.records.run import BASELINES, PICKS_MISSING, PICKS_UNREADABLE, Run
from drretail.viewer.drawing.result import Result
from drretail.viewer.drawing.table import Cell, Table, table_of

if TYPE_CHECKING:
    from drretail.eval.judging.spending import JudgingCost
    from drretail.llm.spending import Spending
    from drretail.records.comparison import PairScore
    from drretail.records.score import Judging

CALLS_NO_TOOLS = "The model may not call tools well: docs/tools.md says what helps."


def outcome_table(experiment: Path, tallies: Sequence[Tally], researching: Collection[str]) -> Table:
    """A row for each system. ``researching`` are the labels of those that are no floor and no oracle."""
    columns = {
        "done": [tally.done for tally in tallies],
        "failed": [tally.failed for tally in tallies],
        "spoiled": [tally.spoiled for tally in tallies],
        "ended before": [tally.before if tally.label in researching else None for tally in tallies],
        "tool calls": [tally.tool_calls for tally in tallies],
        "tokens": [tally.tokens or None for tally in tallies],
    }
    shown = {name: counts for name, counts in columns.items() if name == "done" or any(counts)}
    rows = zip([tally.label for tally in tallies], *shown.values(), strict=True)
    return table_of(f"Runs in {experiment}", ["", *shown], rows).filled


def outcome_notes(tallies: Sequence[Tally]) -> Iterator[str]:
    """Sentences on runs that looked nothing up, were spoiled or can be repeated, and on reports without a cart."""
    if runs := sum(tally.no_research for tally in tallies):
        yield (
            f"Of {counted(sum(tally.failed for tally in tallies), 'failed run')} {runs:,} looked nothing up, though "
            f"asked for it once more (no_research). {CALLS_NO_TOOLS}"
        )
    if runs := sum(tally.spoiled for tally in tallies):
        unanswered = Counter({"tool call": sum(tally.calls_failed for tally in tallies)})
        for tally in tallies:
            unanswered += Counter(tally.losses)
        yield f"A server or provider gave no answer for {counted_each(unanswered)}, in {counted(runs, 'run')}."
    if runs := sum(tally.incomplete for tally in tallies):
        lack = "lacks" if runs == 1 else "lack"
        yield f"Nothing is concluded against a system while {counted(runs, 'run')} of it {lack} a model's answer."
    counts = {"failed": sum(tally.failed for tally in tallies), "spoiled": sum(tally.spoiled_done for tally in tallies)}
    if repeatable := {kind: count for kind, count in counts.items() if count}:
        flags = " ".join(f"--retry {kind}" for kind in repeatable)
        runs = " and ".join(f"{count:,} {kind}" for kind, count in repeatable.items())
        noun = "run" if sum(repeatable.values()) == 1 else "runs"
        yield f"The same command with {flags} makes the {runs} {noun} again."
    researching = [tally for tally in tallies if tally.label not in BASELINES]
    if runs := sum(tally.undecided for tally in researching):
        done, verb = sum(tally.done for tally in researching), "does" if runs == 1 else "do"
        yield f"Of {counted(done, 'report')} {runs:,} {verb} not say what belongs in the cart."


def took_line(run: Run, kept_in: Path | None) -> str:
    """What the research took, in one line, and what its report lacks."""
    ended = Ended.of(run, before=False)
    estimated = " (estimated in part)" if any(used.estimated for used in run.usage.values()) else ""
    unresolved = sum(citation.leads_nowhere for citation in run.citations)
    parts = [
        counted(ended.tool_calls, "tool call"),
        counted(len(run.citations), "citation"),
        f"{ended.tokens:,} tokens{estimated}" if run.usage else "tokens not known",
    ]
    if ended.calls_failed:
        parts[0] += f" ({ended.calls_failed} unavailable or timed out)"
    if unresolved:
        parts.append(f"{counted(unresolved, 'citation')} resolve{'s' if unresolved == 1 else ''} to nothing")
    if run.failed_branches:
        parts.append(f"{counted(len(run.failed_branches), 'researcher')} came back with nothing")
    if summaries := run.losses["page summary"]:
        parts.append(f"{counted(summaries, 'page summary')} came from no model")
    if run.struck:
        parts.append(f"{counted(len(run.struck), 'statement')} struck")
    if run.picks is None:
        why = next((note for note in run.notes if note.startswith((PICKS_MISSING, PICKS_UNREADABLE))), "")
        parts.append(f"what belongs in the cart is not known ({why.partition(': ')[2] or 'no picks were declared'})")
    if run.stop != "finished":
        parts.append(f"stopped by {run.stop}")
    kept = f" Kept in {kept_in}." if kept_in is not None else ""
    return f"{run.system}: {', '.join(parts)}.{kept}"


_COUNTS = {
    "verdicts": "Verdicts",
    "failed": "Failed",
    "stale": "Outdated verdicts (unused)",
    "not_judged": "Reports not judged",
    "repairs": "Answers sent back",
}


def judge_table(judgings: "Sequence[Judging]", pairs: "Sequence[PairScore]" = ()) -> Table:
    """Who judged what over all systems, in the order of the scores; for pairs, how many comparisons were decided."""
    groups: dict[tuple[str, str, str, str], list[tuple[int, ...]]] = defaultdict(list)
    for judging in judgings:
        counts = tuple(getattr(judging, name) for name in _COUNTS)
        groups[judging.metric, judging.judge, judging.judge_params, judging.rules].append(counts)
    for pair in pairs:
        verdicts = (pair.n_scored, pair.failed_verdicts, pair.stale_verdicts)
        groups[PAIRWISE, *pair.by_whom].append((*verdicts, pair.not_judged, pair.repairs))
    rows: list[tuple[object, ...]] = []
    for (metric, judge, params, rules), of_group in groups.items():
        verdicts, *others = (sum(column) for column in zip(*of_group, strict=True))
        by = _called(judge, params)
        asked = counted(verdicts, "comparison") if metric == PAIRWISE else verdicts
        rows.append((metric, by, rules, asked, *others))
    return table_of("Judges", ["Metric", "Judge", "Rules", *_COUNTS.values()], rows)


def audit_table(audits: Sequence[JudgeAudit]) -> Table:
    """How each judge of claims read, one row per judge."""
    shown = [name for name in AUDITED if any(audit.share(name) is not None for audit in audits)]
    rows: list[list[object]] = []
    for audit in audits:
        cells = [(audit.share(name), audit.shares.get(name, (0, 0))[1]) for name in shown]
        reads = "no" if not audit.reads else "too few to tell" if audit.open else "yes"
        counts = (audit.repairs, audit.failed_reports, reads)
        figures = [None if share is None else Cell(share, "number", n=n) for share, n in cells]
        rows.append([_called(audit.judge, audit.judge_params), *figures, *counts])
    heads = [*(AUDITED[name] for name in shown), "sent back", "reports failed", "reads"]
    notes = [MEANING, *filter(None, (audit.warning for audit in audits))]
    return table_of("How the judge read", ["Judge", *heads], rows, notes=notes)


def _called(judge: str, params: str) -> str:
    from drretail.viewer.tables.scores import RECORDED  # what became of runs is shown without scores

    by = f"a recorded language model ({judge})" if judge == RECORDED else judge
    return f"{by}, settings {params}" if params else by


RUN_COLUMNS = ["", "done", "calls", "input tokens", "output tokens", "words", "$ a run", "$ in all", "cache read"]
JUDGING_COLUMNS = ["metric", "judge", "judged", "calls", "input tokens", "output tokens", "cache read", "dollars"]


def spending_table(rows: "Sequence[Spending]") -> Table:
    """What a run took, as mean ± standard deviation, and what all took."""
    notes = [
        *estimated_note(row.total.usage for row in rows),
        *(f"{row.label}: {counted(row.unknown, 'run does', 'runs do')} not tell usage." for row in rows if row.unknown),
    ]
    cells = [
        [
            row.label,
            row.done,
            *(
                Cell(spread.mean, "mean", deviation=spread.sd)
                for spread in (row.calls, row.input, row.output, row.words)
            ),
            Cell("–") if not row.done else _dollars(row.dollars.mean),
            _dollars(row.total.dollars if row.is_known else None),
            Cell(row.cache_read, "percent"),
        ]
        for row in rows
    ]
    title = "What a run took (mean ± standard deviation)"
    return table_of(title, RUN_COLUMNS, cells, notes=notes).filled


def judging_table(costs: "Sequence[JudgingCost]") -> Table:
    """All judging of an experiment so far, by metric and judge."""
    rows: list[list[object]] = []
    for cost in costs:
        judged = counted(cost.reports, "pair" if cost.metric == PAIRWISE else "report")
        used, cached = cost.cost.usage, Cell(cost.cache_read, "percent")
        took = (used.calls, used.input, used.output, cached, _dollars(cost.cost.dollars))
        rows.append([cost.metric, cost.judge, judged, *took])
    others = served_notes((cost.judge, cost.cost.usage) for cost in costs)
    notes = [*estimated_note(cost.cost.usage for cost in costs), *others]
    return table_of("What judging took, in all", JUDGING_COLUMNS, rows, notes=notes).filled


def _dollars(value: float | None) -> Cell:
    """A cell of dollars: "unknown" for None, and a dash for 0."""
    return Cell("unknown" if value is None else value or "–", "dollars")


ESTIMATE_COLUMNS = ("what", "left", "calls", "input tokens", "output tokens", "dollars", "rests on")


def estimated(title: str, parts: Sequence[Estimate], notes: Sequence[str] = ()) -> Result[Sequence[Estimate]]:
    """A line for each part and one for all, and sentences on models without a price and what the numbers leave out."""
    summed = [[getattr(part, name) for part in parts] for name in ("count", "calls", "input", "output", "dollars")]
    count, calls, read, written, dollars = (None if None in column else sum(column) for column in summed)
    together = Estimate("together", count or 0, calls, read, written, dollars, "")
    rows: list[list[object]] = []
    for part in (*parts, together):
        *tokens, cost, basis = astuple(part)[:7]
        cells = [*tokens, None if cost is None else figures.dollars(cost), basis]
        rows.append(["unknown" if cell is None else cell for cell in cells])
    names, prices = {name for part in parts for name in part.unpriced}, price_version()
    document = {"prices": prices, "estimates": [asdict(part) for part in parts], "together": asdict(together)}
    lines = [*([unpriced(names)] if names else []), f"Nothing was sent. Prices: {prices}.", *notes]
    return Result(parts, document, [table_of(title, ESTIMATE_COLUMNS, rows).filled], notes=lines)
