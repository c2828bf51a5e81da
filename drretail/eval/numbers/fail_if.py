"""``--fail-if``: rules that fail a comparison, as a gate for changes to prompts and agents.

``clean:drop=.10`` fails if a test shows that A is lower than B, and says how often it is wrong and what it catches. A
rule such as ``FP < -0.02`` names a row, and fails if the row's difference A − B is within the bound, which chance alone
can do. ``false_answers > last`` compares each system's score with its score in another experiment, of whose questions
at least half must be the same, unless its answers are imported.
"""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from statistics import fmean

from drretail.errors import UnknownName, UserError
from drretail.eval.numbers.contrast import AGAIN
from drretail.eval.numbers.facts import missing_of
from drretail.eval.numbers.gathering import (
    DAMAGED_RUNS,
    LACKS_IN_WORDS,
    NOT_IMPORTED,
    NOT_JUDGED,
    PENDING_RUNS,
    SPOILED_RUNS,
)
from drretail.eval.numbers.wording import row_name
from drretail.eval.registry import installed
from drretail.experiment import Definition
from drretail.records.account import Account
from drretail.records.comparison import BoundResult, ComparedRow, Comparison, GateResult
from drretail.records.figures import counted, percent, roughly, signed
from drretail.records.score import Judging, Score, Scores, reasons_of
from drretail.stats.intervals import Clusters
from drretail.stats.significance import LEVEL, Gate

_RULE = re.compile(r"(?P<name>.+?)(?:(?<!\s)\s++)?(?P<sign><=|>=|<|>)\s*(?P<bound>[+-]?\d*\.?\d+|last)")
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


_GATE = re.compile(r"(?P<name>[^:<>=]+):(?P<way>drop|rise)=(?P<size>\d*\.?\d+)")
MOST_NAMED = 10
NOT_LOOKED_AT = frozenset(
    {
        "judge failed",
        *(LACKS_IN_WORDS[lack] for lack in (PENDING_RUNS, NOT_JUDGED, SPOILED_RUNS, DAMAGED_RUNS, NOT_IMPORTED)),
    }
)
"""Reasons for which an answer has no value that say nothing of the answer."""
_IN_GATES = NOT_LOOKED_AT | {"failed", "no value in the file"}
"""Those that a gate does not pass over, as scores and tables of values word them, too."""


@dataclass(frozen=True, slots=True)
class GateRule:
    """A drop or a rise of A below or above B that is to be caught."""

    text: str
    name: str
    is_drop: bool
    size: float


@dataclass(frozen=True, slots=True)
class BoundRule:
    """A bound on a row's difference."""

    text: str
    name: str
    sign: str
    bound: float | None
    """None for the score in the last experiment."""

    def is_met(self, figure: float, last: float = 0.0) -> bool:
        return _SIGNS[self.sign](figure, last if self.bound is None else self.bound)


def read_rule(text: str) -> BoundRule | GateRule:
    """Reads a rule such as "clean:drop=.10" or "FP < -0.02". Raises UserError for any other text."""
    if (match := _GATE.fullmatch(text.strip())) is not None and float(match["size"]):
        return GateRule(text.strip(), match["name"].strip(), match["way"] == "drop", float(match["size"]))
    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise UserError(
            f"--fail-if {text!r} is no rule: write NAME:drop=NUMBER or NAME < NUMBER, such as 'clean:drop=.10' or "
            "'FP < -0.02'."
        )
    bound = None if match["bound"] == "last" else float(match["bound"])
    return BoundRule(text.strip(), match["name"].strip(), match["sign"], bound)


def since_last_results(
    now: Scores,
    last: Scores,
    rules: Iterable[BoundRule],
    asked: tuple[Definition, Definition],
    floors: Collection[str] = (),
) -> Iterator[BoundResult]:
    """The result of every rule on the last experiment, for each system; ``asked`` has both experiments' questions.

    Systems are the same if their labels are; where each experiment has one besides the ``floors``, these are. Raises
    UnknownName for a score that nobody has, and UserError where a rule is not met and could not be: a system of the
    last experiment is gone, a score lacks answers that nobody judged, it is of less than half as many answers, or it
    was asked less than half of the same questions, unless its answers are imported.
    """
    for rule in rules:
        here, before = (
            {label: row for label, row in scores.rows_by_system(rule.name).items() if label not in floors}
            for scores in (now, last)
        )
        pairs = {label: label for label in before if label in here}
        if not pairs and len(here) == len(before) == 1:
            pairs = dict(zip(before, here, strict=True))
        if not pairs:
            raise UserError(f"--fail-if {rule.text!r}: no system has {rule.name} in both experiments.")
        results: list[BoundResult] = []
        reasons = [f"{label} of the last experiment is gone" for label in before if label not in pairs]
        for other, label in pairs.items():
            row, row_before = here[label], before[other]
            if row.value is not None and row_before.value is not None:
                told = f"{rule.name} of {label} is {row.value:.3g}, and was {row_before.value:.3g}"
                fails, lacks = rule.is_met(row.value, row_before.value), missing_of(row)
                results.append(
                    BoundResult(rule=rule.text, fails=fails, told=told, unit="answer", of=row.n_scored, dropped=lacks)
                )
            reasons += _lacking(now, row, "")
            reasons += _lacking(last, row_before, " in the last experiment")
            if 2 * row.n_scored < row_before.n_scored:
                reasons.append(f"{rule.name} of {label} is of {row.n_scored:,}, and was of {row_before.n_scored:,}")
            if 2 * row.n_planned < row_before.n_planned:
                reasons.append(f"{label} has {row.n_planned:,} of {counted(row_before.n_planned, 'answer')} before")
            # An id alone says little: files of other questions begin at q1, too.
            ours, theirs = (
                {(query.query_id, query.text) for query in definition.queries_of(name)}
                for definition, name in zip(asked, (label, other), strict=True)
            )
            is_log = now.systems[label].is_imported  # whose customers ask other questions every day
            if not is_log and 2 * len(ours & theirs) < len(theirs):
                same = f"{len(ours & theirs):,} of the {counted(len(theirs), 'question')} of the last experiment"
                reasons.append(f"{label} was asked {same}")
        if reasons and not any(result.fails for result in results):
            raise UserError(f"--fail-if {rule.text!r} can't be told: {'; '.join(reasons)}.")
        yield from results


def _lacking(scores: Scores, row: Score, where: str) -> Iterator[str]:
    """Why a score is not of all that it should be of: answers that nobody judged, or on which the judge failed."""
    about = row.metric, row.system, *row.by_whom
    judgings = (judging for judging in scores.judgings if (judging.metric, judging.system, *judging.by_whom) == about)
    missing = _not_looked_at(missing_of(row), judgings)
    if row.value is None and not missing:
        missing = [", ".join(reasons_of(row.items)) or "no value"]
    if missing:
        yield f"{row.variant} of {row.system}{where}: {', '.join(missing)}"


def _not_looked_at(missing: Mapping[str, int], judgings: Iterable[Judging]) -> list[str]:
    """What nobody looked at, of what has no value by why, and the judgements that failed: "2 not judged"."""
    parts = [f"{count} {why}" for why, count in missing.items() if why in _IN_GATES]
    failed = sum(judging.failed for judging in judgings)
    return [*parts, *([counted(failed, "judgement that failed", "judgements that failed")] if failed else [])]


def judged_gates(
    comparisons: Sequence[Comparison], rules: Sequence[GateRule], clusters: Clusters, scores: Scores | None = None
) -> list[GateResult]:
    """The result of each rule for each comparison and judge with such a row; all together keep to ``LEVEL``.

    ``scores`` tell which judgements failed. Raises UnknownName for a row that no comparison has, and UserError for a
    change that is no loss, for a row that is not comparable, and where a rule would pass over answers that nobody
    looked at, since a gate that can't be evaluated must not pass.
    """
    tested = [(rule, row) for rule in rules for row in _rows_named(comparisons, rule)]
    level = LEVEL / max(1, len(tested))
    gates = [_gate(rule, *row, clusters, level) for rule, row in tested]
    for (rule, row), gate in zip(tested, gates, strict=True):
        if not gate.fails:
            _check_looked_at(rule, *row, scores)
    return gates


def _check_looked_at(
    rule: BoundRule | GateRule, comparison: Comparison, judge: str, row: ComparedRow, scores: Scores | None
) -> None:
    """Raises UserError for a rule that would pass over answers that nobody looked at."""
    judgings = (
        judging
        for judging in (() if scores is None else scores.judgings)
        if (judging.metric, judging.judge) == (row.metric, judge) and judging.system in (comparison.a, comparison.b)
    )
    if missing := _not_looked_at(row.dropped, judgings):
        sides = f"{row_name(row)} of {comparison.a} and {comparison.b}"
        raise UserError(
            f"--fail-if {rule.text!r} can't be told: {sides} lack {', '.join(missing)}. {_mended_by(row.dropped)}"
        )


def _mended_by(missing: Collection[str]) -> str:
    """Which commands make what is missing: runs that are not there or damaged come from no judge."""
    again = dict.fromkeys(command for why, command in AGAIN.items() if why in missing and command.startswith("run"))
    runs = [f"drretail {command} makes the runs." for command in again]
    return " ".join([*runs, "drretail score judges what is missing, with --retry failed what failed."])


def _gate(
    rule: GateRule, comparison: Comparison, judge: str, row: ComparedRow, clusters: Clusters, level: float
) -> GateResult:
    metric = installed(row.metric)
    described = None if metric is None else metric.description
    # Only a scoreboard's columns have a direction.
    on_board = described is not None and row.variant in {column.variant for column in described.scoreboard}
    if described and on_board and rule.is_drop is not described.higher_is_better:
        better, worse = ("less", "rise") if rule.is_drop else ("more", "drop")
        instead = rule.text.replace(":drop=" if rule.is_drop else ":rise=", f":{worse}=")
        raise UserError(f"--fail-if {rule.text!r}: {better} is better here: write {instead!r}.")
    sign, values = 1 if rule.is_drop else -1, row.by_query
    differences = [round(sign * (a - b), 10) for a, b in values.values()]
    is_share = all(0 <= value <= 1 for both in values.values() for value in both)
    before = fmean(b for _, b in values.values())
    gate = Gate(differences, clusters.groups(values), level, is_share, before if rule.is_drop else 1 - before)
    if is_share and rule.is_drop and rule.size > 1:
        raise UserError(f"--fail-if {rule.text!r}: {rule.name} is from 0 to 1, and never falls by more than 1.")
    users = gate.users_needed(rule.size)
    return GateResult(
        rule=rule.text,
        alpha=level,
        catches=gate.catches(rule.size),
        detectable=gate.detectable,
        queries_needed=None if users is None else ceil(users * len(differences) / gate.users),
        queries=len(differences),
        users=gate.users,
        name=row_name(row),
        a=comparison.a,
        b=comparison.b,
        judge=judge,
        mean_a=row.mean_a or 0.0,
        mean_b=row.mean_b or 0.0,
        p=1.0 if gate.p is None else gate.p,
        fails=gate.fails,
        dropped=row.dropped,
        worse={query: (b, a) for query, (a, b) in values.items() if sign * (a - b) < 0},
    )


def stated(gate: GateResult) -> Iterator[str]:
    """Two sentences: what the rule can tell here, which holds before its result is known, and its result."""
    of_users = "" if gate.users == gate.queries else f" of {counted(gate.users, 'user')}"
    size, change = (part for part in reversed(gate.rule.rpartition(":")[2].split("=")))
    seen = "none in 80%" if gate.detectable is None else f"one of {gate.detectable:.2f} in 80%"
    number = gate.queries_needed
    needed = "more queries than can be tried here" if number is None else f"about {roughly(number)}"
    yield (
        f"{gate.rule}: an unchanged agent fails in at most {100 * gate.alpha:.3g}% of comparisons. With these "
        f"{counted(gate.queries, 'query')}{of_users} a {change} of {size} is caught in {percent(gate.catches)}, and "
        f"{seen}; {size} in 80% takes {needed}."
    )
    queries = ", ".join(f"{query} ({was:.2f} → {now:.2f})" for query, (was, now) in [*gate.worse.items()][:MOST_NAMED])
    left = len(gate.worse) - MOST_NAMED
    means = f"{gate.name} of {gate.a} is {gate.mean_a:.2f}, and of {gate.b} {gate.mean_b:.2f} (p = {gate.p:.2g}, by "
    means += f"{gate.judge})"
    account = Account.of("gate", "query", gate.queries, gate.dropped)
    yield (
        (f"Fails: {means}." if gate.fails else account.praise(f"passes: {means}", bare=True))
        + (f" Worse on {counted(len(gate.worse), 'query')}: {queries}" if queries else "")
        + (f" and {left:,} more." if left > 0 else "." if queries else "")
    )


def stated_bound(result: BoundResult) -> str:
    """A sentence on a rule that fails, or that passes over as much as has a value."""
    if result.fails:
        return f"{result.rule}: {result.told}."
    account = Account.of("gate", result.unit, result.of, result.dropped)
    return account.praise(f"passes: {result.rule}: {result.told}", bare=True)


def bound_results(
    comparisons: Sequence[Comparison], rules: Sequence[BoundRule], scores: Scores | None = None
) -> Iterator[BoundResult]:
    """The result of every rule for each comparison: it fails where the difference is within its bound.

    Raises UnknownName for a row that no comparison has, and UserError for a row without a figure, and as
    ``judged_gates`` where a rule is not met.
    """
    for rule in rules:
        for comparison, judge, row in _rows_named(comparisons, rule):
            told = f"{row_name(row)} of {comparison.a} less that of {comparison.b} is {signed(row.difference)}"
            told += f" by {judge} ({row.n_pairs} queries)"
            if not (fails := rule.is_met(row.difference or 0.0)):
                _check_looked_at(rule, comparison, judge, row, scores)
            yield BoundResult(rule=rule.text, fails=fails, told=told, unit="query", of=row.n_pairs, dropped=row.dropped)


def _rows_named(
    comparisons: Sequence[Comparison], rule: BoundRule | GateRule
) -> list[tuple[Comparison, str, ComparedRow]]:
    """The rows that a rule names, and the judge of each."""
    name = rule.name
    rows = [
        (comparison, table.judge, row)
        for comparison in comparisons
        for table in comparison.tables
        for row in table.rows
    ]
    matches = [row for row in rows if name in (row_name(row[2]), f"{row[2].metric} {row[2].variant}", row[2].variant)]
    if not matches:
        raise UnknownName("row to compare", name, sorted({row.variant for _, _, row in rows}), names_all=True)
    for comparison, _, row in matches:
        # A bound compares numbers, whatever may be concluded from them.
        if not (row.is_comparable if isinstance(rule, GateRule) else row.n_pairs):
            sides = f"{row_name(row)} of {comparison.a} and {comparison.b}"
            raise UserError(f"--fail-if {rule.text!r}: {sides} can't be compared: {row.why}.")
    return matches
