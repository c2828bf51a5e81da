"""Verdicts of a run's process as values of its report."""

from collections.abc import Sequence

from drretail.eval.families.process.counting import MEASURES
from drretail.eval.families.process.judge import judge_process
from drretail.eval.family import Family, of_verdicts
from drretail.eval.values import Value
from drretail.records.score import MetricDescription, Verdict


def variants() -> tuple[str, ...]:
    return tuple(MEASURES)


def values(verdicts: Sequence[Verdict]) -> list[Value]:
    """One value for each measure; one without a verdict is failed."""
    by_name = {verdict.item: verdict for verdict in verdicts}
    return [_value(name, by_name.get(name)) for name in MEASURES]


def _value(name: str, verdict: Verdict | None) -> Value:
    if verdict is None or verdict.state != "scored":
        return Value(name, "failed" if verdict is None else verdict.state)
    return Value(name, "scored", float(verdict.value["value"]), verdict.value["items"])


MEANINGS = {
    "tool_coverage": "share of the tools that the query needs that were called",
    "unneeded": "share of tool calls to other tools than the query needs",
    "repeated": "share of tool calls equal to an earlier one",
    "invalid": "share of calls with wrong arguments, of a wrong tool, or about what is not there",
    "retrieved_uncited": "share of what was found that the report does not cite",
    "pages": "web pages that the report cites",
    "domains": "hosts of these",
    "pages_seen": "web pages that the run was shown",
    "domains_seen": "hosts of these",
    "turns": "answers of models that act or write",
    "turns_to_evidence": "turns until a tool first found something",
    "tool_calls": "tool calls, failed ones included",
    "words": "words of the report, without citations",
}

DESCRIPTION = MetricDescription(
    title="Process",
    meanings=MEANINGS,
    meaning="What the runs did, as shares and as counts a run; none of it is better high or low by itself.",
    headlines=("tool_coverage", "unneeded", "invalid", "retrieved_uncited", "turns_to_evidence", "tool_calls"),
    compared=(
        "tool_coverage",
        "unneeded",
        "repeated",
        "invalid",
        "retrieved_uncited",
        "turns",
        "turns_to_evidence",
        "tool_calls",
        "words",
    ),
    correlated=("words",),
    counts=("turns", "turns_to_evidence", "tool_calls", "words", "pages", "domains"),
    higher_is_better=False,
)
METRIC = Family("process", 1, judge_process, of_verdicts(values), variants(), DESCRIPTION, needs_judge=False)
