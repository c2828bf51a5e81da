"""Every run in a line, system by system, with the sums from which a table's FP and FR are made; and what failed."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from markupsafe import Markup

from drretail.eval.claims.claims import FAMILY
from drretail.records.score import in_order
from drretail.viewer.experiment import ExperimentView
from drretail.viewer.page.frame import template
from drretail.viewer.page.links import Links
from drretail.viewer.page.run_lines import Added, FailedVerdict, RunLine
from drretail.viewer.tables.scores import system_names

MOST_FAILED = 200
"""Judgements that failed, one by one; of more only how many they are."""
_VARIANTS = ("FP", "FR")


@dataclass(frozen=True, slots=True)
class Mean:
    """A system's number as the lines above it make it, and as scores.json has it."""

    variant: str
    by: str
    value: float
    reports: int
    scored: float | None
    """None where scores.json has none of this judge."""


@dataclass(frozen=True, slots=True)
class SystemRuns:
    """All runs of one system."""

    label: str
    name: str
    lines: tuple[RunLine, ...]
    means: tuple[Mean, ...]

    @property
    def states(self) -> dict[str, int]:
        """How many runs are done, failed …"""
        return dict(Counter(line.state for line in self.lines))


def render_all_runs(view: ExperimentView, lines: Sequence[RunLine], links: Links) -> Markup:
    """A table a system."""
    html = template("all_runs.html.jinja").render(systems=systems_with_runs(view, lines), links=links)
    return Markup(html)  # noqa: S704 — escaped by its template


def render_failures(lines: Sequence[RunLine], failed: Sequence[FailedVerdict], links: Links) -> Markup:
    """Runs without a report and judgements without a value, with their reasons; empty where all went well."""
    runs = [line for line in lines if line.why]
    judgements = [(line, each) for line in lines for each in line.failed]
    alike = Counter((each.family, each.by) for each in (*(it for _, it in judgements), *failed))
    if not runs and not alike:
        return Markup()
    html = template("failures.html.jinja").render(
        runs=runs,
        judgements=judgements[:MOST_FAILED],
        of_pairs=failed[: max(0, MOST_FAILED - len(judgements))],
        left_out=max(0, len(judgements) + len(failed) - MOST_FAILED),
        alike=alike.most_common(),
        links=links,
    )
    return Markup(html)  # noqa: S704


def systems_with_runs(view: ExperimentView, lines: Sequence[RunLine]) -> list[SystemRuns]:
    """The runs of each system with the means that they make, in the order of tables."""
    by_label: dict[str, list[RunLine]] = defaultdict(list)
    for line in lines:
        by_label[line.label].append(line)
    names = system_names(view.definition.systems)
    return [
        SystemRuns(label, names[label], tuple(by_label[label]), tuple(_means(view, label, by_label[label])))
        for label in in_order(by_label)
    ]


def _means(view: ExperimentView, label: str, lines: Sequence[RunLine]) -> list[Mean]:
    judges = dict.fromkeys(each.by for line in lines for each in line.added)
    return [mean for by in judges for name in _VARIANTS if (mean := _mean(view, label, lines, by, name)) is not None]


def _mean(view: ExperimentView, label: str, lines: Sequence[RunLine], by: str, variant: str) -> Mean | None:
    """Over queries, of each the mean of its repeats, as scores are made."""
    values: dict[str, list[float]] = defaultdict(list)
    rules = ""
    for line in lines:
        for each in line.added:
            if each.by == by and (value := _value(each, variant)) is not None:
                values[line.question.query.query_id].append(value)
                rules = each.arithmetic.rules
    if not values:
        return None
    scored = next(
        (
            score.value
            for score in view.scores or ()
            if (score.metric, score.system, score.variant, score.rules) == (FAMILY, label, variant, rules)
            and score.policy == "answered"
            and by.startswith(score.judge)
        ),
        None,
    )
    count = sum(len(repeats) for repeats in values.values())
    return Mean(variant, by, fmean(fmean(repeats) for repeats in values.values()), count, scored)


def _value(added: Added, variant: str) -> float | None:
    return (added.arithmetic.precision if variant == "FP" else added.arithmetic.recall).value
