"""``--fail-if``: rules that fail a comparison, as a gate for changes to prompts and agents.

A rule such as ``FP < -0.02`` names a row, and fails if the row's difference A − B is within the bound. In ``FP.high <
0`` the bound is on the upper end of the interval, so the rule fails only if the difference is shown. ``false_answers >
last`` compares each system's score with its score in another experiment, whose questions may be others.
"""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from drretail.errors import UnknownName, UserError
from drretail.eval.compare.wording import name_of
from drretail.records.comparison import Comparison
from drretail.records.score import Scores
from drretail.tables.figures import signed

_RULE = re.compile(
    r"(?P<name>.+?)(?:\.(?P<end>low|high))?(?:(?<!\s)\s++)?(?P<sign><=|>=|<|>)\s*(?P<bound>[+-]?\d*\.?\d+|last)"
)
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """A bound on a row's difference or on an end of its interval."""

    text: str
    name: str
    sign: str
    bound: float | None
    """None for the score in the last experiment."""
    end: str | None = None
    """ "low" or "high" for an end of the interval, None for the difference itself."""

    def is_met(self, figure: float, last: float = 0.0) -> bool:
        return _SIGNS[self.sign](figure, last if self.bound is None else self.bound)


def read_rule(text: str) -> Rule:
    """Reads a rule such as "FP < -0.02". Raises UserError for any other text."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise UserError(f"--fail-if {text!r} is no rule: write NAME < NUMBER, such as 'FP < -0.02' or 'FP.high < 0'.")
    bound = None if found["bound"] == "last" else float(found["bound"])
    return Rule(text.strip(), found["name"].strip(), found["sign"], bound, found["end"])


def broken_since_last(now: Scores, last: Scores, rules: Iterable[Rule], floors: Collection[str] = ()) -> Iterator[str]:
    """A sentence for every rule on the last experiment that a system's score meets, which makes it fail.

    Systems are the same if their labels are; where each experiment has one besides the ``floors``, these are. Raises
    UnknownName for a score that nobody has, and UserError without a system in both.
    """
    for rule in rules:
        by_system = (scores.by_system(rule.name) for scores in (now, last))
        here, there = (
            {label: value for label, value in found.items() if value is not None and label not in floors}
            for found in by_system
        )
        pairs = {label: label for label in here if label in there}
        if not pairs and len(here) == len(there) == 1:
            pairs = dict(zip(here, there, strict=True))
        if not pairs:
            raise UserError(f"--fail-if {rule.text!r}: no system has {rule.name} in both experiments.")
        for label, other in pairs.items():
            if rule.is_met(here[label], there[other]):
                yield f"{rule.text}: {rule.name} of {label} is {here[label]:.3g}, and was {there[other]:.3g}."


def broken_rules(comparisons: Sequence[Comparison], rules: Sequence[Rule]) -> Iterator[str]:
    """A sentence for every rule whose bound a comparison meets, which makes it fail.

    Raises UnknownName for a row that no comparison has, and UserError for a figure that none of its rows has, since a
    gate that can't be evaluated must not pass.
    """
    rows = [(each, table.judge, row) for each in comparisons for table in each.tables for row in table.rows]
    for rule in rules:
        named = [
            each
            for each in rows
            if rule.name in (name_of(each[2]), f"{each[2].metric} {each[2].variant}", each[2].variant)
        ]
        if not named:
            known = sorted({name_of(row) for _, _, row in rows})
            raise UnknownName("row to compare", rule.name, known, names_all=True)
        part = {"low": "ci_low", "high": "ci_high"}.get(rule.end or "", "difference")
        known = [(*each, figure) for each in named if (figure := getattr(each[2], part)) is not None]
        if not known:
            raise UserError(
                f"--fail-if {rule.text!r}: {rule.name} has no such figure, since too few queries have both."
            )
        for comparison, judge, row, figure in known:
            if rule.is_met(figure):
                yield (
                    f"{rule.text}: {name_of(row)} of {comparison.a} less that of {comparison.b} is "
                    f"{signed(row.difference or 0)} by {judge} ({row.n_pairs} queries)."
                )
