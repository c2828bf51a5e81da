"""Which runs of an experiment are exported, with their values by judges."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drretail.addons.exports.redaction import Redaction
from drretail.errors import UnknownName, UserError
from drretail.eval.compare.fail_if import Rule
from drretail.eval.judging.question import judged_in
from drretail.eval.judging.subject import resolve_name
from drretail.eval.metric import Metric
from drretail.eval.registry import installed, recorded_metric
from drretail.eval.scores.facts import RunValue, run_values
from drretail.eval.scores.gathering import Gathered, is_panel
from drretail.eval.scores.planned import read_judgements
from drretail.experiment import Definition, read_definition, read_runs, run_folder
from drretail.grounding.text.redaction import Redactor
from drretail.records.query import Query
from drretail.records.run import BASELINES, Run

Row = dict[str, Any]
_RULE = re.compile(r"(?P<name>[^<>=]+?)(?:(?<!\s)\s++)?(?P<sign>>=|<=|>|<)\s*(?P<bound>[+-]?\d*\.?\d+)")


def names_of(value: RunValue) -> set[str]:
    """The names that a rule may use for a value."""
    return {value.variant, f"{value.metric} {value.variant}", value.name}


def keeps(rule: Rule, got: Sequence[RunValue]) -> bool:
    """True if at least one judge scored the rule's variant, and all that did meet its bound."""
    known = [score.value for score in got if score.value is not None and rule.name in names_of(score)]
    return bool(known) and all(map(rule.is_met, known))


def read_rule(text: str) -> Rule:
    """The rule in a text such as "FP >= 0.8". Raises UserError for any other text."""
    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise UserError(f"--where {text!r} is no rule: write NAME >= NUMBER, such as 'FP >= 0.8' or 'overall > 6'.")
    return Rule(text.strip(), match["name"], match["sign"], float(match["bound"]))


@dataclass(frozen=True, slots=True)
class Chosen:
    """A run that is exported."""

    run: Run
    query: Query
    folder: Path
    got: tuple[RunValue, ...]


@dataclass
class Selection:
    """The runs to export, read one after the other. ``left_out`` counts the others by reason, as they are met."""

    experiment: Path
    definition: Definition
    systems: tuple[str, ...]
    rules: tuple[Rule, ...] = ()
    failed: bool = False
    """True to include runs without a report."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    redaction: Redaction | None = None
    """Removes people from rows; None leaves them."""
    _got: Mapping[str, tuple[RunValue, ...]] = field(default_factory=dict[str, tuple[RunValue, ...]])

    @classmethod
    def of(
        cls,
        experiment: Path,
        systems: Sequence[str] = (),
        rules: Sequence[Rule] = (),
        *,
        floors: bool = False,
        failed: bool = False,
        redact: bool = False,
        names: str | Path | None = None,
    ) -> "Selection":
        """Selects runs of the named systems, or of all. Floors and the oracle are among all only with ``floors``.

        Raises UserError if the folder has no experiment, and UnknownName for a system that it does not have or for a
        rule on something that nobody judged.
        """
        definition = read_definition(experiment)
        chosen = {resolve_name("system", system, definition.systems) for system in systems} or {
            label for label, system in definition.systems.items() if floors or system.agent not in BASELINES
        }
        got = _values(read_judgements(experiment, judged_metrics(experiment)))
        judged = [value for values in got.values() for value in values if value.value is not None]
        known = {name for value in judged for name in names_of(value)}
        for rule in rules:
            if rule.name not in known:
                _check_scored(experiment, rule)
                raise UnknownName("score of a report", rule.name, sorted(known))
        redactor = Redactor.of(redact, names)
        redaction = None if redactor is None else Redaction.of(experiment, redactor)
        return cls(experiment, definition, tuple(sorted(chosen)), tuple(rules), failed, redaction=redaction, _got=got)

    def __iter__(self) -> Iterator[Chosen]:
        self.left_out.clear()
        queries = {query.query_id: query for query in self.definition.queries}
        for run in read_runs(self.experiment):
            if run.system not in self.systems:
                continue
            got = self._got.get(run.run_id, ())
            missed = next((rule.text for rule in self.rules if not keeps(rule, got)), None)
            if run.report is None and not self.failed:
                self.left_out["without a report"] += 1
            elif missed is not None:
                self.left_out[f"not {missed}"] += 1
            else:
                folder = run_folder(self.experiment, run.system, run.query_id, run.repeat)
                yield Chosen(run, queries[run.query_id], folder, got)

    def shown(self, row: Row, query_id: str | None = None) -> Row:
        """A row about that query, or about none, as it is exported."""
        return row if self.redaction is None else self.redaction.row(query_id, row)

    def nothing_left(self) -> UserError:
        """The error for an export without any run left."""
        why = ", ".join(f"{count} {reason}" for reason, count in sorted(self.left_out.items()) if count)
        return UserError(f"No run of {self.experiment} is left to export{f': {why}' if why else ''}.")


def _check_scored(experiment: Path, rule: Rule) -> None:
    """Raises UserError for a rule on a metric by which the experiment is not scored yet."""
    metric = installed(rule.name)
    if metric is not None:
        raise UserError(
            f"{experiment} is not scored by {metric.name} yet: drretail score {experiment} --metrics {metric.name}"
        )


def judged_metrics(experiment: Path) -> list[Metric]:
    """The metrics that have verdicts in the folder and are installed, or are measures by code."""
    return [metric for name in judged_in(experiment) if (metric := recorded_metric(experiment, name)) is not None]


def _values(gathered: Gathered) -> dict[str, tuple[RunValue, ...]]:
    by_run: dict[str, list[RunValue]] = {}
    for value in run_values(gathered):
        if value.policy == "answered" and not is_panel(value.judge):
            by_run.setdefault(value.run_id, []).append(value)
    return {run_id: tuple(got) for run_id, got in by_run.items()}
