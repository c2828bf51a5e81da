"""One verdict for each measure of a run, and these as values of its report."""

from collections.abc import Iterator, Sequence

from drretail.eval.families.process.counting import MEASURES, Course, count
from drretail.eval.family import Family, by_code, of_verdicts
from drretail.eval.judging.question import CodeVerdict
from drretail.eval.judging.subject import Subject
from drretail.eval.values import Value
from drretail.records.score import MetricDescription, Verdict
from drretail.tools.registry import tools_of


def measure(subject: Subject) -> Iterator[tuple[str, CodeVerdict]]:
    """What is counted of a run: a run made again may end in one report, so that counts change under it."""
    assert subject.run is not None
    for name, counted in count(Course(subject.run, subject.evidence, expected_tools(subject))).items():
        value = None if counted.value is None else {"value": counted.value, "items": dict(counted.items or {})}
        yield name, CodeVerdict.measured(value, counted.reason)


def expected_tools(subject: Subject) -> frozenset[str]:
    """Those that the query is expected to need and that the run had: nobody is to call what was taken away."""
    return frozenset(subject.query.expected_tools) - tools_of(subject.system.options.get("without", ()))


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
METRIC = Family(
    "process", 1, by_code("count", measure), of_verdicts(values), tuple(MEASURES), DESCRIPTION, needs_judge=False
)
