"""The words of comparisons: names of figures, and sentences by template, for two systems and for many: A is above B,
above where both answered, no difference is shown, too few, not comparable, not read; equal within a margin, or not.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from drretail.eval.metric import Metric
from drretail.eval.numbers.facts import chosen_variants, headlines
from drretail.records.account import Account
from drretail.records.comparison import ComparedRow, Comparison
from drretail.records.figures import counted, p_value, percent, roughly, signed
from drretail.reports.text.wording import listed
from drretail.stats.intervals import FEWEST
from drretail.stats.significance import LEVEL

PREFERENCE = "preference"
"""The name of the overall preference of a judge that reads two reports at once."""


def row_name(row: ComparedRow) -> str:
    """ "clarity", "FP", "checks clean": with the metric if the variant alone says little."""
    return row.name or f"{row.metric} {row.variant}"


def sides_named(a: str, b: str) -> dict[str, str]:
    """The two systems as "A" and "B"; in quotes by their names if one is called so."""
    return {a: f"“{a}”", b: f"“{b}”"} if {a, b} & {"A", "B"} else {a: "A", b: "B"}


def is_named(row: ComparedRow, name: str) -> bool:
    """True for the row that a rule or a margin means by this name."""
    return name in (row_name(row), f"{row.metric} {row.variant}", row.variant)


def difference_of(row: ComparedRow) -> str:
    """ "+0.05, +0.02 to +0.08, n = 50": A minus B with its interval, and queries; of ``done`` both shares."""
    size = f"n = {row.n_pairs:,}" + (f" of {row.n_due:,}" if row.n_pairs < row.n_due else "")
    if row.no_interval is None and row.ci_low is None:
        both = (row.mean_a or 0.0, row.mean_b or 0.0)
        # A failure among hundreds is not 100%.
        shares = [f"{100 * value:.1f}%" if value < 1 and percent(value) == "100%" else percent(value) for value in both]
        return f"{' and '.join(shares)}, {size}"
    difference, *ends = signs_shown(end for end in (row.difference, row.ci_low, row.ci_high) if end is not None)
    everywhere = "for every user" if (row.n_users or row.n_pairs) < row.n_pairs else "on every query"
    interval = f", {' to '.join(ends)}" if ends else f" {everywhere}" if row.no_interval == "alike" else ""
    return f"{difference}{interval}, {size}"


def signs_shown(values: Iterable[float]) -> list[str]:
    """The numbers with their signs, and with as many digits as show which of them are not 0."""
    numbers = [*values]
    digits = next((digits for digits in (2, 3) if all(round(value, digits) or not value for value in numbers)), 4)
    return [signed(value) if digits == 2 else f"{value:+.{digits}f}" for value in numbers]


def compared(metric: Metric) -> tuple[str, ...]:
    """The metric's variants that are compared: those it lists, else its headlines."""
    return chosen_variants(metric, metric.description.compared) or headlines(metric)


def primary_variants(metric: Metric) -> tuple[str, ...]:
    """The metric's headlines in comparisons: the variants by which systems are chosen."""
    return chosen_variants(metric, metric.description.primary)


def row_facts(metric: Metric, variant: str) -> dict[str, Any]:
    """The name of a variant's row, and whether the variant is a count."""
    described = metric.description
    return {"name": described.name_of(metric.name, variant), "is_count": variant in described.counts}


Measure = Sequence[ComparedRow]
"""One measure by one judge: a row for each pair of systems."""


def by_measure(rows: Iterable[ComparedRow]) -> list[Measure]:
    """The rows of each measure by each judge, in the order of the first ones."""
    grouped: dict[tuple[str, str], list[ComparedRow]] = defaultdict(list)
    for row in rows:
        grouped[row.judge, row_name(row)].append(row)
    return [*grouped.values()]


def _named_measures(rows: Iterable[ComparedRow]) -> list[tuple[str, Measure]]:
    """Each measure with its name, and its judge where several have it."""
    measures = by_measure(rows)
    often = Counter(row_name(measure[0]) for measure in measures)
    names = [row_name(measure[0]) for measure in measures]
    by = [f" by {measure[0].judge}" if often[name] > 1 else "" for name, measure in zip(names, measures, strict=True)]
    return [(name + judge, measure) for name, judge, measure in zip(names, by, measures, strict=True)]


def sentences(
    rows: Sequence[ComparedRow], names: Mapping[str, str], *, is_of_two: bool = False, undecided: bool = True
) -> Iterator[str]:
    """What headlines show, the shown differences first; ``names`` are the display names of the systems.

    Where it is said elsewhere which two systems are compared, ``is_of_two``, pairs are not named. Without ``undecided``
    nothing is said where no difference is shown.
    """
    measures = _named_measures(rows)
    above = (row for _, measure in measures for row in measure if row.is_shown or row.outcome == "answered")
    called = {id(row): name for name, measure in measures for row in measure}
    for row in sorted(above, key=lambda row: not row.is_shown):
        best = row if (row.difference or 0.0) > 0 else row.turned
        name = called[id(row)]
        where = f"{name}, where less is better" if row.less_is_better else name
        a, b = (names.get(label, label) for label in (best.a, best.b))
        yield f"{a} is above {b} in {where}{_where_answered(best, (a, b))} ({difference_of(best)})."

    def of(row: ComparedRow, text: str) -> str:
        return f"({text})" if is_of_two else f"{names.get(row.a, row.a)} − {names.get(row.b, row.b)} ({text})"

    unread: dict[str, list[str]] = defaultdict(list)
    for name, measure in measures:
        if undecided and (open_rows := [row for row in measure if row.outcome == "undecided"]):
            pairs = ", ".join(of(row, difference_of(row) + _strictest(row)) for row in open_rows)
            what = f"no difference is shown in {name}{'' if is_of_two else ':'} {pairs}"
            yield compared_in(open_rows).praise(what, bare=True)
        if few := [row for row in measure if row.outcome == "too_few"]:
            pairs = ", ".join(of(row, f"{_users(row)}: {row.why}") for row in few)
            yield f"Too few queries in {name}{'' if is_of_two else ':'} {pairs}."
        if missing := [row for row in measure if row.outcome == "missing"]:
            reasons = "; ".join(row.why if is_of_two else of(row, row.why) for row in missing)
            yield f"Not comparable in {name}: {reasons}."
        for row in measure:
            if row.outcome in ("not_read", "order_decided"):
                unread[row.why] += [] if name in unread[row.why] else [name]
    yield from (f"Not read: {listed(measures)} ({why})." for why, measures in unread.items())


def margin_sentence(row: ComparedRow, names: Mapping[str, str], judge: str = "") -> str:
    """Whether two systems are equal within the row's margin, with the ends by which it is judged."""
    equal = "equal" if row.is_equal else "not shown to be equal"
    a, b = (names.get(label, label) for label in (row.a, row.b))
    ends = [end for end in (row.margin_low, row.margin_high) if end is not None]
    figures = " to ".join(signs_shown(ends)) if ends else row.why or "no interval"
    name = row_name(row) + (f" by {judge}" if judge else "")
    return f"{a} and {b} are {equal} within {row.margin:.12g} in {name} ({figures}, n = {row.n_pairs:,})."


def _where_answered(best: ComparedRow, names: tuple[str, str]) -> str:
    """Where a difference does not hold with the runs that failed: of how many it is, and whose they are."""
    if best.outcome != "answered":
        return ""
    lost = " and ".join(f"{name}'s {count:,}" for name, count in zip(names, best.failed, strict=True) if count)
    failures = "failure" if sum(best.failed) == 1 else "failures"
    return f" where both answered ({best.n_pairs:,} of {best.n_due:,}), not with {lost} {failures} counted"


def _strictest(row: ComparedRow) -> str:
    """What hides a difference: the correction for all tests, or that no test of so few can show one."""
    if row.p is None or row.p_holm is None or row.p_holm <= LEVEL or not row.difference:
        return ""
    if row.no_interval == "alike":  # no difference among so few has a smaller p
        few = counted(row.n_pairs, "query") if row.n_users is None else counted(row.n_users, "user")
        tests = "any test" if row.tests == 1 else f"{row.tests} tests"
        return f"; {few} are too few for {tests}, even where all agree: p {p_value(row.p_holm)}"
    return f"; p {p_value(row.p_holm)} as one of {row.tests} tests" if row.p <= LEVEL else ""


def compared_in(rows: Sequence[ComparedRow]) -> Account:
    """The queries on which systems were compared, of those that both were asked; of several rows, comparisons."""
    account = Account("compare", "query" if len(rows) == 1 else "comparison")
    for row in rows:
        account.take(row.n_due)
        account.use(row.n_pairs)
        for why, count in row.dropped.items():
            account.leave_out(why, count=count)
    return account


def _users(row: ComparedRow) -> str:
    of_users = "" if row.n_users is None else f" of {counted(row.n_users, 'user')}"
    return f"{counted(row.n_pairs, 'query')}{of_users}"


def needed_sentence(rows: Sequence[ComparedRow]) -> str:
    """How many queries would show a tenth of each headline's scale, at the spread seen; empty if none is known."""
    parts: dict[float, list[str]] = defaultdict(list)
    for name, measure in _named_measures(rows):
        known_sizes = [row for row in measure if row.n_needed is not None and row.apart is not None]
        if known_sizes:
            known_sizes.sort(key=lambda row: row.n_needed or 0)
            row = known_sizes[(len(known_sizes) - 1) // 2]  # of many pairs the middle one
            span = f"{roughly(row.n_needed_low)} to {roughly(row.n_needed_high)}"
            parts[row.apart or 0.0].append(f"{roughly(row.n_needed)} queries ({span}) in {name}")
    sizes = [f"of {apart:.2f} takes about {listed(numbers)}" for apart, numbers in parts.items()]
    return f"To show a true difference {'; one '.join(sizes)}." if parts else ""


def conclusion(rows: Sequence[ComparedRow], floors: Sequence[ComparedRow], names: Mapping[str, str]) -> str:
    """What can be concluded of all systems: one sentence, what the judge preferred, what it takes to tell,
    and whether any system is shown to be better than the best null agent. Empty if nothing is compared.
    """
    parts: list[str] = []
    shown, open_rows, few = (
        [row for row in rows if row.outcome in outcomes]
        for outcomes in (("higher", "lower"), ("undecided",), ("too_few",))
    )
    if shown:
        several = f" {counted(len(shown) - 1, 'more difference is', 'more differences are')} shown."
        parts.append(next(sentences(shown, names)) + several * (len(shown) > 1))
    elif open_rows:
        nothing = compared_in(open_rows).praise("no difference is shown", bare=True)
        sized = [row for row in open_rows if row.name != PREFERENCE and row.n_needed is not None]
        most = {row_name(row) for row in sorted(sized, key=lambda row: row.n_needed or 0)[-1:]}
        takes = needed_sentence([row for row in sized if row_name(row) in most])
        asked = max((row.n_planned for row in sized), default=0)
        parts.append(f"{nothing}{_preferred(open_rows, names)}{takes and f' {takes[:-1]}; {asked:,} were asked.'}")
    elif few:
        users = max(row.n_users or row.n_pairs for row in few)
        noun = counted(users, "query" if few[0].n_users is None else "user")
        parts.append(f"{noun} {'is' if users == 1 else 'are'} too few for any conclusion; {FEWEST} is the minimum.")
    else:
        parts += [*sentences(rows, names)][:1]
    if tested := [row for row in floors if row.outcome in ("higher", "lower", "undecided")]:
        better = [row for row in tested if row.outcome == "higher"]
        best = names.get(tested[0].b, tested[0].b)
        first = names.get(tested[0].a, tested[0].a)
        if not better:
            which = "No system is shown" if len(tested) > 1 else f"{first} is not shown"
            parts.append(f"{which} to be better than the best floor, {best}.")
        elif not rows:
            parts.append(
                f"{first} is above the best floor, {best}, in {row_name(better[0])} ({difference_of(better[0])})."
            )
    return " ".join(parts)


def _preferred(rows: Sequence[ComparedRow], names: Mapping[str, str]) -> str:
    """Of two systems, how often the judge preferred which: " The judge preferred react 7 : 3."; else empty."""
    preferred = [row for row in rows if row.name == PREFERENCE and row.mean_a is not None]
    if len(preferred) != 1:
        return ""
    row = preferred[0] if (preferred[0].difference or 0.0) >= 0 else preferred[0].turned
    won = (row.mean_a or 0.0) * row.n_pairs
    return f" The judge preferred {names.get(row.a, row.a)} {won:.3g} : {row.n_pairs - won:.3g}."


def headlines_of(comparisons: Iterable[Comparison]) -> list[ComparedRow]:
    """All headlines of these comparisons: those of values, then preferences."""
    rows = (
        row
        for comparison in comparisons
        for row in (
            *(row for table in comparison.tables for row in table.rows),
            *(pair.contrast for pair in comparison.pairs),
        )
    )
    return [row for row in rows if row.is_primary]
