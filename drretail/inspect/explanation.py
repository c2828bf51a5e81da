"""What stands behind a score, for whoever reads a sample in inspect's viewer: its arithmetic, then what was judged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from drretail.eval.judging.verdicts import VerdictFile
from drretail.eval.metric import Value
from drretail.records.score import WHY_NOT, Verdict, reasons_of

MOST_VERDICTS = 200
LONGEST_REASON = 400


def explained(values: Iterable[Value], verdicts: Sequence[Verdict]) -> str:
    """Markdown: a line for each value with the counts it is made of, then one for each verdict that has a reason."""
    lines = [f"- **{it.variant}** {_value(it)}" for it in values]
    judged = [line for verdict in verdicts if (line := _verdict(verdict))]
    if judged:
        lines += ["", "What was judged:", "", *judged[:MOST_VERDICTS]]
    if len(judged) > MOST_VERDICTS:
        lines.append(f"- … and {len(judged) - MOST_VERDICTS} more")
    return "\n".join(lines)


def verdicts_in(folder: Path, metric: str) -> list[Verdict]:
    """The last verdict of every key in a family, by file."""
    files = sorted((folder / "verdicts" / metric).glob("*/*/*.jsonl"))
    return [verdict for path in files if not path.name.endswith(".journal.jsonl") for verdict in _lasts(path)]


def _lasts(path: Path) -> Iterator[Verdict]:
    file = VerdictFile(path)
    yield from file.lasts()
    file.close()


def _value(it: Value) -> str:
    if it.value is None:
        why = ", ".join(reasons_of(it.items))
        return f"n/a: {why}" if why and it.state == "na" else it.state.replace("na", "n/a")
    return f"{it.value:.4g}{_counts(it.items)}"


def _counts(items: Mapping[str, float]) -> str:
    """ " (support 21.5, scored 24)": what the value is made of, and what else was counted."""
    said = ", ".join(f"{name} {count:g}" for name, count in items.items() if not name.startswith(WHY_NOT))
    return f" ({said})" if said else ""


def _verdict(verdict: Verdict) -> str:
    reason = verdict.error or verdict.reason
    if not reason:
        return ""
    said = f": {verdict.value:g}" if isinstance(verdict.value, int | float) else ""
    state = "" if verdict.state == "scored" else f" ({verdict.state.replace('na', 'n/a')})"
    return f"- {verdict.stage} {verdict.item}{said}{state} — {reason[:LONGEST_REASON]}"
