"""Comparisons of two systems, made from recorded verdicts without judging anything: tables, what follows from them in
plain sentences that speak of A and B, how steady each is, and what would let it conclude more, with the command for it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from pathlib import Path
from statistics import fmean

from drretail.errors import UserError
from drretail.eval.compare.differences import Primary, primary_tests, with_primary
from drretail.eval.compare.rows import Side, Sides, by_query, contrasts, done_row, side_of
from drretail.eval.compare.wording import (
    Name,
    bar_of,
    compared,
    failed_judges,
    family_of,
    findings,
    judged_rows,
    name_of,
    naming,
    other_figures,
    queries,
    row_facts,
    rows_of,
    sample,
    shares,
    users,
)
from drretail.eval.judging.dimensions import PRIMARY
from drretail.eval.judging.question import judged_in
from drretail.eval.judging.subject import research_labels, resolve_name
from drretail.eval.metric import Metric, is_unrated
from drretail.eval.registry import METRICS, PAIRWISE, USUAL, load_metrics, recorded_metric
from drretail.eval.scores.facts import facts_of
from drretail.eval.scores.gathering import Assessor, Gathered, is_panel, read_judgements
from drretail.eval.scores.pair_rows import derive_pairs
from drretail.experiment import Definition, read_definition
from drretail.grounding.text.wording import listed
from drretail.records.base import Rules
from drretail.records.comparison import ComparedRow, Comparison, JudgeTable, Missing, PairScore, Reliability
from drretail.records.run import slug
from drretail.records.score import CODE, readers_of
from drretail.records.tables.figures import counted, number
from drretail.stats.intervals import noise, pass_power, worst_of
from drretail.stats.significance import fewest_users


def chosen_pairs(definition: Definition, a: str | None = None, b: str | None = None) -> list[tuple[str, str]]:
    """The pair that two labels name, else all pairs of research systems, or only those with ``a``.

    A label may be shortened to a beginning that no other label has. Null agents, the oracle and runs with another
    user's profile are compared only by name. Raises UnknownName for a label that matches no system, and UserError if
    one matches several or if there is nothing to compare.
    """
    if a is not None and b is not None:
        first, second = resolve_name("system", a, definition.systems), resolve_name("system", b, definition.systems)
        if first == second:
            raise UserError(f"Both {a!r} and {b!r} are {first}: name two systems.")
        return [(first, second)]
    labels = research_labels(definition)
    if a is not None:
        first = resolve_name("system", a, definition.systems)
        pairs = [(first, label) for label in labels if label != first]
    else:
        pairs = list(combinations(labels, 2))
    if not pairs:
        present = ", ".join(sorted(definition.systems)) or "no system"
        raise UserError(f"The experiment holds {present}: nothing to compare. Run another system into it, or name two.")
    return pairs


def assessors_of(gathered: Gathered, pairs: Iterable[PairScore] = (), judges: Sequence[str] = ()) -> list[Assessor]:
    """Whose numbers are compared: those who were asked last or, by all rules, the named ``judges``; and code.

    Single judges come first, then panels, code last. Raises as ``resolve_name`` does.
    """
    every = {*gathered.assessors(), *map(Assessor.of, pairs)}
    specs = {assessor.judge.spec for assessor in every} - {CODE}
    named = {resolve_name("judge with verdicts here", judge, specs) for judge in judges}
    own = [each for each in every if (each.judge.spec in {*named, CODE} if named else gathered.board.has(*each))]
    return sorted(own, key=lambda each: (each.judge.spec == CODE, is_panel(each.judge.spec), each.order))


DECIDING = ("basket", "outcome", "faithfulness", "false_statements")
"""The metrics that measure what was bought and refused, how judges read, and whether the systems are assistants."""
BAR = 7.0
"""The rating, 0 to 10, from which a report passes."""


@dataclass(frozen=True, slots=True)
class ComparisonRequest:
    """What a comparison is asked to cover."""

    experiment: str
    """The folder as the user names it, for the commands that add what is missing."""
    metrics: Sequence[str]
    """Names of metrics, in the order of tables."""
    assessors: Sequence[Assessor]
    """The judges that count, each under its rules."""
    bar: float = BAR
    pairwise: bool = True
    """True if side-by-side preferences are included."""


def compare(
    gathered: Gathered,
    a: str,
    b: str,
    request: ComparisonRequest,
    pairs: Sequence[PairScore] = (),
    primary: Primary | None = None,
) -> Comparison:
    """Compares systems ``a`` and ``b``: a table for each judge and set of rules, conclusions, and what is missing.

    ``pairs`` are all rows of pairwise judging; those of these two systems by these judges are kept. ``primary`` is the
    result of ``primary_tests`` for all pairs that are compared; by default it is computed for this pair.
    """
    assessors = request.assessors
    pairs = [row for row in pairs if Assessor.of(row) in assessors]
    primary = primary_tests(gathered, [(a, b)], assessors, pairs) if primary is None else primary
    pairs = with_primary(pairs, primary)
    made = (_table(gathered, a, b, assessor, request, primary) for assessor in assessors)
    tables = tuple(table for table in made if table is not None)
    theirs = [row if row.a == a else row.turned for row in pairs if request.pairwise and {row.a, row.b} == {a, b}]
    met = tuple(row for row in theirs if row.note is None and row.n_scored)
    comparison = Comparison(a=a, b=b, tables=tables, pairs=met)
    preferences = theirs if request.pairwise else None
    gaps = missing(gathered, comparison, request.experiment, request.metrics, assessors, preferences)
    sentences = conclusions(gathered, comparison)
    exploratory = other_figures(rows_of([comparison], is_primary=False), {a: "A", b: "B"})
    follows = {
        "not_read": tuple(gathered.not_read(assessors, (a, b))),
        "missing": tuple(gaps),
        "conclusions": tuple(sentences),
        "exploratory": tuple(exploratory),
    }
    return comparison.model_copy(update=follows)


def compare_recorded(
    experiment: Path,
    a: str | None = None,
    b: str | None = None,
    *,
    metrics: Sequence[str | Metric] | None = None,
    judges: Sequence[str] = (),
    bar: float = BAR,
) -> list[Comparison]:
    """Compares two systems of an experiment, or without names all pairs that ``chosen_pairs`` gives.

    If ``metrics`` is None, they are the usual ones and all others that were judged. ``judges`` are the judges that
    count; without any, those who were asked last. Nothing is judged. Raises UserError as ``chosen_pairs`` and
    ``assessors_of`` do.
    """
    pairs = chosen_pairs(read_definition(experiment), a, b)
    chosen = judged_metrics(experiment) if metrics is None else metrics
    loaded = load_metrics(chosen)
    # What was bought and refused is needed for any precision, and how a judge read for all its numbers.
    asked = {metric.name for metric in loaded}
    decide = [name for name in DECIDING if name not in asked and name in judged_in(experiment)]
    gathered = read_judgements(experiment, [*loaded, *load_metrics(decide)])
    gathered = gathered if judges else gathered.shown
    names = tuple(metric.name for metric in loaded if metric.name in gathered.metrics)
    pairwise = metrics is None or PAIRWISE in metrics
    met = derive_pairs(experiment, gathered)[0] if pairwise else ()
    assessors = assessors_of(gathered, met, judges)
    met = [row for row in met if Assessor.of(row) in assessors]
    request = ComparisonRequest(str(experiment), names, assessors, bar, pairwise)
    primary = primary_tests(gathered, pairs, assessors, met, names)
    return [compare(gathered, one, other, request, met, primary) for one, other in pairs]


def judged_metrics(experiment: Path) -> list[str | Metric]:
    """The built-in metrics that are usual or judged, in the order of tables, then all others that were judged."""
    judged = judged_in(experiment)
    known = [name for name in METRICS if name in judged or name in USUAL]
    own = (recorded_metric(experiment, name) for name in judged if name not in (*METRICS, PAIRWISE))
    return [*known, *filter(None, own), *([PAIRWISE] if PAIRWISE in judged else [])]


def metrics_away(experiment: Path) -> list[str]:
    """The metrics with verdicts whose values only their own code can tell, and which are not installed."""
    names = [name for name in judged_in(experiment) if name != PAIRWISE]
    return [name for name in names if recorded_metric(experiment, name) is None]


def _table(
    gathered: Gathered, a: str, b: str, assessor: Assessor, request: ComparisonRequest, primary: Primary
) -> JudgeTable | None:
    """None if this judge has no value of either system that may be shown."""
    rows: list[ComparedRow] = []
    steady: list[Reliability] = []
    failed = 0
    steady_judge = assessor.judge.kind == "rule_based"
    for name in request.metrics:
        metric = gathered.metrics.get(name)
        if metric is None or assessor not in gathered.assessors(name) or is_unrated(metric, assessor.judge):
            continue
        decided = {
            test.variant: its[a, b] for test, its in primary.items() if (test.assessor, test.metric) == (assessor, name)
        }
        by_label = facts_of(gathered, name, assessor)
        both = by_label[a], by_label[b]
        runs = [facts.runs for facts in both]
        failed += sum(len(judged.errors) for its in runs for _, judged in its)
        k = min(len({plan.repeat for plan, _ in its}) for its in runs)
        # The variants in which either system has a value.
        variants: dict[str, Sides] = {}
        for variant in compared(metric):
            sides = side_of(runs[0], variant), side_of(runs[1], variant)
            if any(values for side in sides for values in side.values.values()):
                variants[variant] = sides
        made = contrasts(gathered, both, variants, decided)
        rows += [row.model_copy(update={"by_query": by_query(variants[row.variant])}) for row in made]
        for variant, sides in variants.items():
            bar = bar_of(metric, variant, request.bar)
            for label, side in zip((a, b), sides, strict=True):
                made = reliability(name, variant, label, side, k=k, bar=bar, steady_judge=steady_judge)
                called = {"name": row_facts(metric, variant)["name"]}
                steady += [] if made is None else [made.model_copy(update=called)]
    if assessor.judge.spec == CODE and assessor.rules == "default":
        rows.append(done_row(gathered, a, b))
    return JudgeTable(**assessor.columns, rows=tuple(rows), failed=failed, reliability=tuple(steady)) if rows else None


def reliability(
    metric: str, variant: str, system: str, side: Side, *, k: int, bar: float | None, steady_judge: bool = False
) -> Reliability | None:
    """Noise by source, pass^k and worst of k; None if nothing was repeated or nothing has a value.

    ``k`` is how many repeats of the agent both systems planned, and ``bar`` the value from which a run passes (None:
    the variant has no bar). Noise between runs is the agent's only if the judge's noise can be subtracted, or if a
    ``steady_judge`` such as code has none.
    """
    if not any(
        (sum(bool(run) for run in query) > 1 or any(len(run) > 1 for run in query)) for query in side.nested.values()
    ):
        return None
    nested = list(side.nested.values())
    split = noise(nested)
    mixed = split.judge is None and not steady_judge
    made = Reliability(
        metric=metric,
        variant=variant,
        system=system,
        sd_queries=split.queries,
        sd_agent=None if mixed else split.agent,
        sd_judge=split.judge,
        sd_repeats=split.agent if mixed else None,
        bar=bar,
        k=k,
    )
    if k < 2 or bar is None:
        return made
    passed = [[value is not None and value >= bar for value in query] for query in side.outcomes.values()]
    known = [query for query in passed if len(query) >= k]
    values = [query for query in side.values.values() if len(query) >= k]
    figures = {
        "pass_1": pass_power(known, 1),
        "pass_k": pass_power(known, k),
        "mean": fmean(map(fmean, values)) if values else None,
        "worst_of_k": worst_of(values, k),
    }
    rounded = {name: None if figure is None else round(figure, 10) for name, figure in figures.items()}
    return made.model_copy(update={"n_queries": len(known), **rounded})


OF_PICKS = ("checks", "basket")
"""The metrics that depend on the picks read from a report."""


def conclusions(gathered: Gathered, comparison: Comparison) -> Iterator[str]:
    """Sentences: what each primary figure shows, or what it would take, then doubts and contradictions."""
    name = naming([comparison])
    every = [row for _, row in judged_rows(comparison)]
    primary = [row for row in every if row.is_primary]
    rated = [row for table in comparison.tables for row in table.rows if row.is_primary]
    if not every:
        yield "Nothing can be concluded: no judge has values of both systems."
    elif not primary:
        yield "Nothing is concluded: no figure that systems are chosen by was compared."
    sides = {comparison.a: "A", comparison.b: "B"}
    primary_findings = findings(rows_of([comparison]), sides, by_judge=True)
    yield from (each.sentence for each in primary_findings)
    if any(row.outcome in ("higher", "lower") and row.n_users not in (None, row.n_pairs) for row in primary):
        yield "Equal systems look different more often if all questions of a user fail together."
    yield from failed_judges([comparison])
    if any(each.outcome == "undecided" for each in primary_findings):
        yield "Where no difference is shown, what was seen may be chance, but both may differ all the same."
    systems = gathered.definition.systems
    metrics = dict.fromkeys(row.metric for row in rated if row.metric in gathered.metrics)
    for label, side in sides.items():
        for metric in metrics if systems[label].self_checked else ():
            if gathered.metrics[metric].description.self_checked:
                yield f"{side} removes from its own reports what the {metric} find, so they say little about it."
    a, b = _read_by(gathered, comparison.a, comparison.b)
    # A system that failed in all runs has no picks, which nobody read.
    if a and b and a != b and any(row.metric in OF_PICKS for row in rated):
        yield (
            f"The picks were read in different ways (A: {a}; B: {b}), which "
            f"may cause differences in {listed(OF_PICKS)}. Conclude nothing there."
        )
    yield from _on_pairs([pair for pair in comparison.pairs if pair.dimension == PRIMARY], name)
    kin = {side: {family_of(model.spec) for model in systems[label].models.values()} for label, side in sides.items()}
    judges = {table.judge for table in (*comparison.tables, *comparison.pairs) if table.judge_kind == "llm"}
    for judge in sorted(judge for judge in judges if not is_panel(judge)):
        if own := [side for side, families in kin.items() if family_of(judge) in families]:
            yield (
                f"{judge} and the models behind {' and '.join(own)} are of one family, and models tend to prefer "
                "their own style: add a judge of another family."
            )
    yield from _contradictions(comparison, name)


def _read_by(gathered: Gathered, a: str, b: str) -> list[str]:
    """How the picks of each system's reports were read, for A and for B: "picks by form, picks declared"."""
    readers: dict[str, set[str]] = {a: set(), b: set()}
    for name in OF_PICKS:
        for assessor in gathered.assessors(name):
            for plan, judged in gathered.judged_runs(name, assessor):
                for value in judged.values.values() if plan.label in readers else ():
                    readers[plan.label] |= readers_of(value.items).keys()
    return [", ".join(sorted(readers[label])) for label in (a, b)]


def _contradictions(comparison: Comparison, name: Name) -> Iterator[str]:
    """Sentences: that numbers of several judges are not comparable, and where judges contradict each other.

    Panels are left out, and code, which has no opinion, is not counted among the judges.
    """
    tables = [table for table in comparison.tables if table.judge != CODE and not is_panel(table.judge)]
    judges = list(dict.fromkeys(map(name, tables)))
    if len(judges) > 1:
        yield (
            f"{len(judges)} judges have a table each: {listed(judges)}. Numbers of different judges are not comparable."
        )
    # Who concluded what: judges by figure and higher side. Of a dimension also side by side.
    higher: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: {"A": {}, "B": {}})
    for judged, row in judged_rows(comparison):
        if row.outcome in ("higher", "lower") and row.is_primary and not is_panel(judged.judge):
            about, whose = name_of(row), name(judged)
            if isinstance(judged, PairScore):
                about, whose = judged.dimension, f"{whose} side by side"
            higher[about]["A" if row.outcome == "higher" else "B"][whose] = None
    for about, sides in higher.items():
        if all(sides.values()):
            by = f"A by {listed(sides['A'])}, B by {listed(sides['B'])}"
            yield f"Judges contradict each other in {about}: {by}. Conclude nothing there."


def _on_pairs(pairs: Sequence[PairScore], name: Name) -> Iterator[str]:
    """What length and the order of two reports have to do with overall preferences."""
    flips: list[str] = []
    for pair in pairs:
        # Only of enough queries for a test: with two queries, often all or none flip.
        if pair.contrast.outcome in ("not_read", "order_decided") or pair.contrast.clusters < fewest_users():
            continue
        if pair.longer_won is not None:
            even = pair.length_controlled
            ends = "" if even.ci_low is None else f" ({even.ci_low:.2f} to {even.ci_high:.2f})"
            between = (
                "one system's reports are nearly always the longer ones, so length and system can't be told apart"
                if even.value is None
                else f"between reports of one length, A's rate would be {number(even.value)}{ends} instead of "
                f"{number(pair.win_rate.value)}"
            )
            longer = f"the longer report won {shares([pair.longer_won])} of overall"
            yield f"Side by side, by {name(pair)}, {longer}; {between}."
        flips += [f"{shares([pair.flip_rate])} of pairs (by {name(pair)})"] if pair.flip_rate is not None else []
    if flips:
        yield (
            f"Side by side, the order of the two reports changed the result in {'; in '.join(flips)}. "
            "A coin toss would change it in 50%, a judge that looks only at the order in 100%."
        )


A_JUDGE = "PROVIDER:MODEL"
REPEATS = 3
"""The repeats that the advice names."""


def missing(
    gathered: Gathered,
    comparison: Comparison,
    experiment: str,
    metrics: Sequence[str],
    assessors: Sequence[Assessor],
    pairs: Sequence[PairScore] | None,
) -> Iterator[Missing]:
    """Missing runs and judgements, then queries, then repeats, which tell how much of a difference is noise.

    ``pairs`` are all pairwise rows of these two systems; None if side-by-side preferences are not asked for.
    """
    sides = (("A", comparison.a), ("B", comparison.b))
    again = f"drretail run --to {experiment} …"
    for side, label in sides:
        plans = [plan for plan in gathered.plans if plan.label == label]
        for status, what, command in (
            ("not_imported", "imported reports are empty", None),
            ("failed", "runs failed", f"{again} --retry failed"),
            ("spoiled", "runs were lost (no answer of a server, or a damaged file)", f"{again} --retry spoiled"),
            ("pending", "runs are not made yet", again),
        ):
            count = sum(plan.status == status for plan in plans)
            if count:
                yield Missing(what=f"{side}: {count:,} of {len(plans):,} {what}", command=command)
        if count := gathered.incomplete[label]:
            what = f"{side}: {count:,} of {len(plans):,} runs finished without an answer that a provider did not give"
            yield Missing(what=what, command=f"{again} --retry spoiled")
    yield from _judgements(gathered, sides, experiment, metrics, assessors)
    if pairs is not None:
        yield from _comparisons(comparison, pairs, experiment, assessors, gathered.board.rules)
    are_imported = {side: gathered.definition.systems[label].is_imported for side, label in sides}
    run, more = f"drretail run --to {experiment} --queries MORE …", f"drretail import FORMAT MORE --to {experiment}"
    yield from _too_few(comparison, more if any(are_imported.values()) else run)
    once = [
        side
        for side, label in sides
        if not are_imported[side] and len({plan.repeat for plan in gathered.plans if plan.label == label}) < 2
    ]
    if once:
        yield Missing(
            what=f"{' and '.join(once)} ran each query once: the agent's noise, pass^k and worst of k are unknown",
            command=f"{again} --repeats {REPEATS}",
        )
    yield from _judge_repeats(gathered, experiment, metrics, assessors)


def _judgements(
    gathered: Gathered,
    sides: Iterable[tuple[str, str]],
    experiment: str,
    metrics: Sequence[str],
    assessors: Sequence[Assessor],
) -> Iterator[Missing]:
    for name in metrics:
        metric = gathered.metrics[name]
        judged = [assessor for assessor in assessors if assessor in gathered.assessors(name)]
        shown = [assessor for assessor in judged if not is_unrated(metric, assessor.judge)]
        if not shown:
            ruled = "only a rule-based judge rated, whose ratings are not shown"
            why = ruled if judged else "not judged for the board"
            judge = f" --judge {A_JUDGE}{rules_flag(gathered.board.rules)}" if metric.needs_judge else ""
            yield Missing(what=f"{name}: {why}", command=f"drretail score {experiment} --metrics {name}{judge}")
        for assessor in shown:
            if not is_panel(assessor.judge.spec):
                # This judge judged some reports: count those of the two systems that it has not, and its failures.
                by = "" if assessor.judge.spec == CODE else f" by {assessor.judge.spec}"
                command = f"drretail score {experiment} --metrics {name}{flags(assessor)}"
                for side, label in sides:
                    its = [judged for plan, judged in gathered.judged_runs(name, assessor) if plan.label == label]
                    count = sum(judged.lacks == "not_judged" for judged in its)
                    failed = sum(len(judged.errors) for judged in its)
                    if count:
                        yield Missing(
                            what=f"{side}: {counted(count, 'report')} not judged in {name}{by}", command=command
                        )
                    if failed:
                        what = f"{side}: {counted(failed, 'question')} in {name} without a usable answer{by}"
                        is_ruled = assessor.judge.spec.startswith("offline:")  # which fails again
                        flag = f" --judge {A_JUDGE}" if is_ruled else f"{flags(assessor)} --retry failed"
                        yield Missing(what=what, command=f"drretail score {experiment} --metrics {name}{flag}")


def _judge_repeats(
    gathered: Gathered, experiment: str, metrics: Sequence[str], assessors: Sequence[Assessor]
) -> Iterator[Missing]:
    """Names judges that judged each report once. A rule-based judge is left out: its repeats are always equal."""
    for assessor in assessors:
        if assessor.judge.kind == "rule_based" or is_panel(assessor.judge.spec):
            continue
        once = [
            name
            for name in metrics
            if assessor in gathered.assessors(name)
            and not any(len(judged.by_repeat) > 1 for _, judged in gathered.judged_runs(name, assessor))
        ]
        if once:
            yield Missing(
                what=f"{assessor.judge.spec} judged each report once in {', '.join(once)}: its noise is unknown",
                command=f"drretail score {experiment} --metrics {','.join(once)}{flags(assessor)} --repeats {REPEATS}",
            )


def _too_few(comparison: Comparison, command: str) -> Iterator[Missing]:
    """The metric that lacks the most queries, and the command that adds some."""
    few: list[tuple[ComparedRow, int]] = []
    for table in comparison.tables:
        for name in dict.fromkeys(row.metric for row in table.rows):
            rows = [row for row in table.rows if row.metric == name and row.p_holm is not None]
            short = [row for row in rows if row.outcome == "too_few"]
            if short:
                # The fewest users with which any of the tests could be significant.
                needed = fewest_users(max(row.tests for row in rows))
                few.append((max(short, key=lambda row: row.n_pairs), needed))
    if few:
        row, needed = max(few, key=lambda pair: pair[1])
        whom = queries if row.n_users is None else users
        yield Missing(
            what=f"{row.metric}: {sample(row.n_pairs, row.n_users)}, but a test needs at least {whom(needed)}",
            command=command,
        )


def flags(assessor: Assessor) -> str:
    """The command-line flags that name a judge and its rules, with a leading space."""
    judge = "" if assessor.judge.spec == CODE else f" --judge {assessor.judge.spec}"
    return judge + rules_flag(assessor.rules)


def rules_flag(rules: Rules) -> str:
    """The flag that names rules other than our own, with a leading space."""
    return "" if rules == "default" else f" --rules {rules}"


def _comparisons(
    comparison: Comparison, rows: Sequence[PairScore], experiment: str, assessors: Sequence[Assessor], rules: Rules
) -> Iterator[Missing]:
    """Missing side-by-side judgements. If no model compared the two, the command names a model among ``assessors``."""
    named = f"{comparison.a}~{comparison.b}"
    command = f"drretail score {experiment} --metrics pairwise --pairs {named}"
    rated = [row for row in rows if row.note is None and not is_panel(row.judge)]
    for assessor, its in groupby(rated, key=Assessor.of):
        theirs, spec, again = list(its), assessor.judge.spec, f"{command}{flags(assessor)}"
        if failed := sum(row.failed_verdicts for row in theirs):
            nothing = "" if any(row.n_scored for row in theirs) else ", so its preference is unknown"
            what = f"{spec} gave no usable answer to {counted(failed, 'question')} side by side{nothing}"
            yield Missing(what=what, command=f"{again} --retry failed")
        if unasked := sum(row.not_judged for row in theirs):
            what = f"{counted(unasked, 'comparison')} side by side not asked of {spec} yet"
            yield Missing(what=what, command=again)
    if not rated:
        judges = [
            assessor.judge.spec
            for assessor in assessors
            if assessor.judge.kind == "llm" and not is_panel(assessor.judge.spec)
        ]
        ruled = ": a rule-based judge did, whose preferences are not shown" if rows else ""
        yield Missing(
            what=f"No language model compared the two side by side (pairwise){ruled}",
            command=f"{command} --judge {judges[0] if judges else A_JUDGE}{rules_flag(rules)}",
        )


def compare_beside(experiment: Path, other: Path, label: str, label_there: str) -> Comparison:
    """Compares a system with one of another experiment, on the queries with the same id in both. Nothing is judged."""
    chosen = [metric for metric in judged_metrics(experiment) if metric != PAIRWISE]
    mine, theirs = (read_judgements(path, load_metrics(chosen)).shown for path in (experiment, other))
    both, label_there = _together(mine, theirs, other), there(label_there, other)
    assessors = assessors_of(both)
    request = ComparisonRequest(str(experiment), tuple(both.metrics), assessors, pairwise=False)
    primary = primary_tests(both, [(label, label_there)], assessors)
    return compare(both, label, label_there, request, (), primary)


def _together(one: Gathered, other: Gathered, folder: Path) -> Gathered:
    """Both experiments as one; ``there`` names the systems of the other, and query ids decide what is paired."""
    runs = {plan.run_id: f"{there(plan.label, folder)}/{plan.query.query_id}-r{plan.repeat}" for plan in other.plans}
    plans = [replace(plan, label=there(plan.label, folder), run_id=runs[plan.run_id]) for plan in other.plans]
    theirs = {
        key: {runs[run]: judged for run, judged in tables.items()} for key, tables in other.tables_of_judges.items()
    }
    keys = dict.fromkeys((*one.tables_of_judges, *theirs))
    tables = {table_key: {**one.tables_of_judges.get(table_key, {}), **theirs.get(table_key, {})} for table_key in keys}
    systems = {there(label, folder): system for label, system in other.definition.systems.items()}
    definition = one.definition.model_copy(update={"systems": {**one.definition.systems, **systems}})
    return replace(one, definition=definition, plans=(*one.plans, *plans), tables_of_judges=tables)


def there(label: str, experiment: Path) -> str:
    """The label of another experiment's system beside those of one experiment."""
    return f"{label}@{slug(experiment.resolve().name)}"
