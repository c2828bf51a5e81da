"""What became of runs: a table of all systems, and sentences about them and about a single run."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from drretail.agents.running.outcomes import Ended, Tally
from drretail.records.run import BASELINES, Run
from drretail.records.tables.figures import counted, counted_each
from drretail.records.tables.table import Table, table_of

SPARE_COLUMNS = ("ended before", "tool calls")  # left out in a narrow terminal, the first one first
CHECK_MODEL = "`drretail doctor --prompts --model M` checks whether a model calls tools."


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
    return table_of(f"Runs in {experiment}", ["", *shown], rows, spare=SPARE_COLUMNS).filled


def outcome_notes(tallies: Sequence[Tally]) -> Iterator[str]:
    """Sentences on runs that looked nothing up, that failing servers or providers spoiled or that can be repeated, and
    on reports that lack a cart.
    """
    if runs := sum(tally.no_research for tally in tallies):
        yield (
            f"Of {counted(sum(tally.failed for tally in tallies), 'failed run')} {runs:,} looked nothing up, though "
            f"asked for it once more (no_research): the model may not call tools well. {CHECK_MODEL}"
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
        yield f"Of {done:,} reports {runs:,} {verb} not say what belongs in the cart."


def took_line(run: Run, kept_in: Path | None) -> str:
    """What the research took, in one line, and what its report lacks."""
    ended = Ended.of(run, before=False)
    estimated = " (estimated in part)" if any(used.estimated for used in run.usage.values()) else ""
    unresolved = sum(citation.type == "unresolved" for citation in run.citations)
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
        parts.append("what belongs in the cart is not known")
    if run.stop != "finished":
        parts.append(f"stopped by {run.stop}")
    kept = f" Kept in {kept_in}." if kept_in is not None else ""
    return f"{run.system}: {', '.join(parts)}.{kept}"
