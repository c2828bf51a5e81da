"""``--fail-if``: rules that fail a comparison, as a gate for changes to prompts and agents.

``errors:rise=.10`` fails if a test shows that A is worse than B, and the change seen is at least so large. It says how
often it is wrong and what it catches. ``FP:margin=.05`` passes only if a change for the worse of so much is excluded. A
rule such as ``FP < -0.02`` names a row, and fails if the row's difference A − B is within the bound, which chance alone
can do. ``false_answers > last`` compares each system's score with its score in another experiment, of whose questions
at least half must be the same, unless its answers are imported.

What could not fail does not pass: it is open, as is what nobody looked at.
"""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, inf, isfinite
from typing import Literal

from drretail.errors import UnknownName, UserError, nearest_names
from drretail.eval.numbers.contrast import AGAIN, DONE, held_to
from drretail.eval.numbers.facts import missing_of
from drretail.eval.numbers.gathering import (
    DAMAGED_RUNS,
    LACKS_IN_WORDS,
    NOT_IMPORTED,
    NOT_JUDGED,
    PENDING_RUNS,
    SPOILED_RUNS,
)
from drretail.eval.numbers.wording import difference_of, is_named, row_name, signs_shown
from drretail.eval.registry import installed
from drretail.experiments.experiment import Definition
from drretail.records.account import Account
from drretail.records.comparison import ComparedRow, Comparison, GateResult
from drretail.records.figures import counted, percent
from drretail.records.score import Score, Scores, reasons_of
from drretail.stats.intervals import Clusters
from drretail.stats.significance import LEVEL, Gate

_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_RULE = re.compile(r"(?P<name>.+?)(?:(?<!\s)\s++)?(?P<sign><=|>=|<|>)\s*(?P<bound>[+-]?\d*\.?\d+|last)")
_GATE = re.compile(r"(?P<name>[^:<>=]+):(?P<way>drop|rise|margin)=(?P<size>\d*\.?\d+)")
CONFIRMED_LEVEL = 0.03
"""The level of a gate that fails only twice in a row: docs/results.md says what thirty nights make of it."""
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
    """A drop or a rise of A below or above B that is to be caught, or a change for the worse that is to be excluded."""

    text: str
    name: str
    way: Literal["drop", "rise", "margin"]
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
    """Reads a rule such as "errors:rise=.10" or "FP < -0.02". Raises UserError for any other text."""
    if (match := _GATE.fullmatch(text.strip())) is not None and float(match["size"]):
        way: Literal["drop", "rise", "margin"] = match["way"]  # type: ignore[assignment]  # as the pattern has it
        return GateRule(text.strip(), match["name"].strip(), way, float(match["size"]))
    match = _RULE.fullmatch(text.strip())
    if match is None:
        raise UserError(
            f"--fail-if {text!r} is no rule: write NAME:drop=NUMBER, NAME:rise=NUMBER, NAME:margin=NUMBER, all above "
            "0, or NAME < NUMBER, such as 'errors:rise=.10' or 'FP < -0.02'."
        )
    bound = None if match["bound"] == "last" else float(match["bound"])
    return BoundRule(text.strip(), match["name"].strip(), match["sign"], bound)


def since_last_results(
    now: Scores,
    last: Scores,
    rules: Iterable[BoundRule],
    asked: tuple[Definition, Definition],
    floors: Collection[str] = (),
    *,
    stale: str = "",
) -> Iterator[GateResult]:
    """The result of every rule on the last experiment, for each system; ``asked`` has both experiments' questions.

    Systems are the same if their labels are; where each experiment has one besides the ``floors``, these are. A rule is
    open where it is not met and could not be: the scores are ``stale``, a system is gone, or new, a score lacks answers
    that nobody judged, it is of less than half as many answers, or it was asked less than half of the same questions,
    unless its answers are imported. Raises UnknownName for a score that nobody has.
    """
    for rule in rules:
        here, before = (
            {label: row for label, row in scores.rows_by_system(rule.name).items() if label not in floors}
            for scores in (now, last)
        )
        pairs = {label: label for label in before if label in here}
        if not pairs and len(here) == len(before) == 1:
            pairs = dict(zip(before, here, strict=True))
        gone = [f"{label} of the last experiment is gone" for label in before if label not in pairs]
        gone += [f"{label} is not in the last experiment" for label in here if label not in pairs.values()]
        for why in gone:
            yield GateResult(
                rule=rule.text, state="open", told=f"{why}.", name=rule.name, a=why.partition(" ")[0], b=""
            )
        for other, label in pairs.items():
            row, row_before = here[label], before[other]
            reasons = [_stale(stale)] * bool(stale)
            reasons += [*_lacking(row, ""), *_lacking(row_before, " in the last experiment")]
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
            told, state = "", "open" if reasons else "passes"
            if row.value is not None and row_before.value is not None:
                told = f"{rule.name} of {label} is {row.value:.3g}, and was {row_before.value:.3g}"
                state = "fails" if rule.is_met(row.value, row_before.value) and not stale else state
            yield GateResult(
                rule=rule.text,
                state=state,
                told=f"{'; '.join(reasons) if state == 'open' else told}.",
                name=rule.name,
                a=label,
                b=other,
                unit="answer",
                of=row.n_scored,
                dropped=missing_of(row),
                mean_a=row.value,
                mean_b=row_before.value,
            )


def _lacking(row: Score, where: str) -> Iterator[str]:
    """Why a score is not of all that it should be of: answers that nobody judged, or on which the judge failed."""
    missing = _not_looked_at(missing_of(row))
    if row.value is None and not missing:
        missing = ", ".join(reasons_of(row.items)) or "no value"
    if missing:
        yield f"{row.variant} of {row.system}{where}: {missing}"


def _not_looked_at(missing: Mapping[str, int]) -> str:
    """What nobody looked at, of what has no value by why: "2 not judged"."""
    return ", ".join(f"{count} {why}" for why, count in missing.items() if why in _IN_GATES)


def gate_results(
    comparisons: Sequence[Comparison],
    rules: Sequence[GateRule | BoundRule],
    clusters: Clusters,
    *,
    level: float = LEVEL,
    stale: str = "",
) -> list[GateResult]:
    """The result of each rule for each comparison and judge with such a row; all tests together keep to ``level``.

    ``stale`` says what has changed since the scores were made: then each rule is open. Raises UnknownName for a row
    that no comparison has, and UserError for a change that is no loss.
    """
    named = [(rule, *row) for rule in rules for row in rows_named(comparisons, rule.name)]
    tests = sum(isinstance(rule, GateRule) and rule.way != "margin" for rule, *_ in named)
    results: list[GateResult] = []
    for rule, comparison, judge, row in named:
        result = _judged(rule, row, clusters, level / max(1, tests))
        why = _untold(row) if stale or result.state == "passes" else ""
        why = f"{_stale(stale)}. {why}".rstrip() if stale else why
        if why:
            result = result.model_copy(update={"state": "open", "told": why})
        about = {"name": row_name(row), "a": comparison.a, "b": comparison.b, "judge": judge, "dropped": row.dropped}
        about |= {"of": row.n_pairs, "users": row.n_users or row.n_pairs, "mean_a": row.mean_a, "mean_b": row.mean_b}
        results.append(result.model_copy(update=about))
    return results


def _judged(rule: GateRule | BoundRule, row: ComparedRow, clusters: Clusters, level: float) -> GateResult:
    if isinstance(rule, BoundRule):
        return _by_bound(rule, row)
    if rule.way == "margin":
        return _by_margin(rule, held_to(row, rule.size, clusters), clusters)
    return _by_test(rule, row, clusters, level)


def confirmed(now: Iterable[GateResult], before: Iterable[GateResult]) -> Iterator[GateResult]:
    """The results, of which those that fail fail only where they did before, and are open where nobody could tell."""
    then = {(gate.rule, gate.a, gate.b, gate.name, gate.judge): gate.state for gate in before}
    for gate in now:
        was = then.get((gate.rule, gate.a, gate.b, gate.name, gate.judge), "open")
        if gate.state == "fails" and was != "fails":
            state, told = _UNLESS_FAILED[was]
            yield gate.model_copy(update={"state": state, "told": f"{gate.told} {told}"})
        else:
            yield gate


_UNLESS_FAILED = {
    "passes": ("unconfirmed", "It did not fail the time before."),
    "open": ("open", "Nobody could tell the time before."),
}


def _stale(changes: str) -> str:
    return f"The scores are stale ({changes}): drretail score makes them again"


def _untold(row: ComparedRow) -> str:
    """Why a row can't pass: it can't be compared, or is not of all answers; empty if it can."""
    if missing := _not_looked_at(row.lacking):
        runs = dict.fromkeys(command for why, command in AGAIN.items() if why in row.lacking and command[:3] == "run")
        made = [f"drretail {command} makes the runs." for command in runs]
        judged = "drretail score judges what is missing, with --retry failed what failed."
        return " ".join([f"They lack {missing}.", *made, judged])
    if row.n_asked < row.n_planned:
        return f"Both were asked {row.n_asked:,} of {counted(row.n_planned, 'query')}."
    if not row.n_pairs:
        return f"{row.why or 'No query has a value of both'}."
    return f"They can't be compared: {row.why}." if not row.is_comparable or row.outcome == "too_few" else ""


def _by_bound(rule: BoundRule, row: ComparedRow) -> GateResult:
    state, told = "passes", f"A − B is {difference_of(row)}."
    reachable = [end - (row.mean_b or 0.0) for end in (0.0, _whole(row))]
    if row.difference is not None and rule.is_met(row.difference):
        state = "fails"
    elif row.n_pairs and not any(map(rule.is_met, reachable)):
        state, told = "open", f"B is at {row.mean_b:.2f}, from where no difference meets the rule."
    return GateResult(rule=rule.text, state=state, told=told, a="", b="")


def _gate(rule: GateRule, row: ComparedRow, clusters: Clusters, level: float) -> Gate:
    """The test of a change for the worse, with each failed run as the worst value; values fall where they get worse."""
    values = row.with_failed or row.by_query
    is_rise = row.less_is_better if rule.way == "margin" else rule.way == "rise"
    sign = -1 if is_rise else 1
    lowest = 0.0 if sign > 0 else -_whole(row)
    every = [value for both in values.values() for value in both]
    is_open = not isfinite(lowest) or min(every, default=0.0) < 0
    return Gate(
        before=[sign * b for _, b in values.values()],
        after=[sign * a for a, _ in values.values()],
        groups=clusters.groups(values),
        alpha=level,
        size=rule.size,
        lowest=None if is_open else lowest,
    )


def _whole(row: ComparedRow) -> float:
    """The highest value that there is; infinite without one."""
    return 1.0 if row.metric == DONE else inf if row.apart is None else 10 * row.apart


def _by_test(rule: GateRule, row: ComparedRow, clusters: Clusters, level: float) -> GateResult:
    _check_direction(rule, row)
    gate, rise = _gate(rule, row, clusters, level), rule.way == "rise"
    result = GateResult(rule=rule.text, state="open", told="", a="", b="", alpha=level)
    if why := _untold(row) if not row.n_pairs or row.why else _cannot_fail(rule, gate):
        return result.model_copy(update={"told": why})
    seen = f"{'risen' if rise else 'fallen'} by {gate.fall:.2f}" if gate.fall > 0 else "not worse"
    counts = f"with {counted(sum(row.failed), 'failed run')} as the worst values, " if row.with_failed else ""
    shown = "" if gate.is_shown == gate.fails else "; that is shown, and less than the rule's size"
    told = f"A is at {row.mean_a:.2f}, B at {row.mean_b:.2f}: {counts}{seen} (p = {gate.p:.2g}){shown}."
    told += _UNSEEN if (row.metric, row.variant) in _OF_ALL_ERRORS and not gate.fails else ""
    return result.model_copy(
        update={
            "state": "fails" if gate.fails else "passes",
            "told": told,
            "p": gate.p,
            "catches": gate.catches(rule.size),
            "detectable": gate.detectable,
            "worse": {q: (b, a) for q, (a, b) in row.by_query.items() if (a > b if rise else a < b)},
        }
    )


def _check_direction(rule: GateRule, row: ComparedRow) -> None:
    metric = installed(row.metric)
    described = None if metric is None else metric.description
    # Only errors and a scoreboard's columns have a direction.
    has_one = described is not None and row.variant in (
        *described.errors,
        *(column.variant for column in described.scoreboard),
    )
    if has_one and (rule.way == "rise") is not row.less_is_better:
        better, worse = ("less", "rise") if row.less_is_better else ("more", "drop")
        instead = rule.text.replace(f":{rule.way}=", f":{worse}=")
        raise UserError(f"--fail-if {rule.text!r}: {better} is better here: write {instead!r}.")


def _cannot_fail(rule: GateRule, gate: Gate) -> str:
    """Why no change can fail, whatever A answers; empty if one can."""
    if gate.most < rule.size - 1e-9:
        before = abs(fsum(gate.before) / len(gate.before))
        return f"B is at {before:.2f}, from where no {rule.way} of {rule.size:.12g} is possible: the rule can't fail."
    if not gate.reaches:
        users = counted(gate.can_fall, "user")
        return f"{users} can get worse, too few to show it at {100 * gate.alpha:.3g}%: the rule can't fail."
    return ""


def _by_margin(rule: GateRule, row: ComparedRow, clusters: Clusters) -> GateResult:
    result = GateResult(rule=rule.text, state="open", told="", a="", b="")
    gate = _gate(rule, row, clusters, LEVEL)
    if not row.n_pairs or row.why or gate.most < rule.size - 1e-9:
        return result.model_copy(update={"told": _untold(row) or _cannot_fail(rule, gate)})
    if row.margin_low is None or row.margin_high is None:
        return result.model_copy(
            update={"told": "All differences are equal, and without a scale there is no interval."}
        )
    worst = row.margin_high if row.less_is_better else -row.margin_low
    ends = " to ".join(signs_shown((row.margin_low, row.margin_high)))
    excluded = "is" if worst < rule.size else "is not"
    told = f"A − B is {ends}: a change for the worse of {rule.size:.12g} {excluded} excluded."
    return result.model_copy(update={"state": "passes" if worst < rule.size else "fails", "told": told})


_OF_ALL_ERRORS = {("checks", "errors"), ("checks", "clean")}
_UNSEEN = " Not counted: a wrong total in words (amount_unfounded)."

_STATES = {"fails": "Fails: ", "unconfirmed": "Not confirmed: ", "open": "Can't be told: "}


def stated(gate: GateResult) -> Iterator[str]:
    """Sentences: what a test can tell here, which holds before its result is known, and the result."""
    named = f"{gate.rule}: {gate.name} of {gate.a}" + (f" beside {gate.b}" if gate.b else "")
    named += f", by {gate.judge}" if gate.judge else ""
    if gate.catches is not None and gate.alpha is not None:
        of_users = "" if gate.users == gate.of else f" of {counted(gate.users, 'user')}"
        size, change = (part for part in reversed(gate.rule.rpartition(":")[2].split("=")))
        most = "no possible one in 80%" if gate.detectable is None else f"one of {gate.detectable:.2f} in 80%"
        yield (
            f"{gate.rule}: an unchanged agent fails in {100 * gate.alpha:.3g}% of comparisons. With these "
            f"{counted(gate.of, 'query')}{of_users} a true {change} of {size} fails in {percent(gate.catches)}, and "
            f"{most}."
        )
    queries = ", ".join(f"{query} ({was:.2f} → {now:.2f})" for query, (was, now) in [*gate.worse.items()][:MOST_NAMED])
    left = len(gate.worse) - MOST_NAMED
    passes = Account.of("gate", gate.unit, gate.of, gate.dropped).praise(f"passes: {named}", bare=True)
    yield (
        (f"{_STATES[gate.state]}{named}." if gate.state in _STATES else passes)
        + f" {gate.told}"
        + (f" Worse on {counted(len(gate.worse), 'query')}: {queries}" if queries else "")
        + (f" and {left:,} more." if left > 0 else "." if queries else "")
    )


def rows_named(comparisons: Sequence[Comparison], name: str) -> list[tuple[Comparison, str, ComparedRow]]:
    """The rows of this name, and the judge of each. Raises UserError if there are none."""
    rows = [
        (comparison, table.judge, row)
        for comparison in comparisons
        for table in comparison.tables
        for row in table.rows
    ]
    matches = [row for row in rows if is_named(row[2], name)]
    if not matches:
        known = sorted({row.variant for _, _, row in rows})
        if {*known} <= {DONE}:
            raise UserError(f"{name!r} is not scored yet, nor is anything else: run `drretail score` before.")
        raise UnknownName("row to compare", name, known, names_all=not nearest_names(name, known))
    return matches
